"""What the commands of a link ask of a browser, in words for whoever is told that one of them failed."""

from typing import Final

_DEEDS: Final = {
    "createTab": "open the tab",
    "getTabs": "list its tabs",
    "selectTab": "show the tab",
    "activateTab": "show the tab",
    "closeTab": "close the tab",
    "browser_navigate": "load the page",
    "goBack": "go back",
    "goForward": "go forward",
    "travel": "load the page",
    "click": "click",
    "type": "type",
    "hover": "move the pointer",
    "screenshot": "take a picture of the page",
    "introspect": "tell what the page offers",
    "focusTab": "tell what the page offers",
    "runTool": "run the page's tool",
    "callTool": "run the page's tool",
    "tabMessage": "run the page's tool",
    "invoke": "run the page's tool",
    "askFrames": "read the page",
    "askFrame": "read the page",
    "tellFrame": "act on the page",
    "beginAction": "get ready to act on the page",
    "settleAction": "tell what came of it",
    "resizeWindow": "resize the window",
    "judgeDownload": "hold back a download",
    "getStatus": "tell how it is",
    "groupTabs": "group the tab",
    "ungroupTabs": "take the tab out of its group",
    "updateGroup": "change the tab group",
    "closeGroup": "close the tab group",
    "askPerson": "ask the person",
    "cancel": "stop",
    "detach": "let go of the tab",
    "endPage": "end the page",
    "reload": "reload the extension",
    "connect": "connect",
    "Page.enable": "get ready to act on the page",
}
"""What a command of the link asks of a browser, as a person would say it."""


def deed_of(command: str) -> str:
    """In words that follow "did not"; what goes through the debugger may be anything."""
    return _DEEDS.get(command, "answer")
