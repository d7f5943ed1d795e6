"""The commands an extension answers: one table, whichever dialect carries them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Command:
    """What the link must know of a command before it sends it."""

    name: str
    repeatable: bool = False
    """It reads, or doing it twice is doing it once: sent again when the link broke before the answer.
    All others end `outcome_unknown`.
    """
    timeout_s: float = 10.0


_TABLE: Final = (
    # the proxy protocol's forwarded methods
    Command("createTab"),
    Command("getTabs", repeatable=True),
    Command("selectTab", repeatable=True),
    Command("activateTab", repeatable=True),
    Command("closeTab"),
    Command("browser_navigate", timeout_s=15),
    Command("goBack", timeout_s=15),
    Command("goForward", timeout_s=15),
    Command("forwardCDPCommand", timeout_s=30),
    Command("click"),
    Command("type"),
    Command("hover"),
    Command("screenshot", repeatable=True, timeout_s=15),
    # ours: what pages offer. Looking at a page twice is looking; a tool that ran twice has run twice
    Command("introspect", repeatable=True, timeout_s=3),
    Command("runTool", timeout_s=20),
    Command("tabMessage", timeout_s=12),
    # ours: services of the page agents; the second of them acts
    Command("askFrames", repeatable=True, timeout_s=10),
    Command("askFrame", repeatable=True, timeout_s=10),
    Command("tellFrame", timeout_s=20),
    # ours: around a gesture. Noting what happens twice is noting it; what became of it is gone with the worker
    Command("beginAction", repeatable=True, timeout_s=3),
    Command("settleAction", repeatable=True, timeout_s=20),
    # ours: a whole navigation, the window around a page, the extension's own state
    Command("travel", timeout_s=25),
    Command("resizeWindow", repeatable=True),
    Command("judgeDownload", repeatable=True),
    Command("getStatus", repeatable=True, timeout_s=3),
    # ours: groups and what the person sees of sessions. showHolds replaces a picture, so it may be drawn twice
    Command("groupTabs"),
    Command("ungroupTabs", repeatable=True),
    Command("updateGroup"),
    Command("closeGroup"),
    Command("showHolds", repeatable=True),
    # ours: grants and calls, which have numbers, for pages of the extension that are open; the dashboard's address
    Command("showActivity", repeatable=True),
    Command("openDashboard"),
    # ours: a question to the person, which is one question however often it is sent
    Command("askPerson", repeatable=True, timeout_s=65),
    Command("cancel", timeout_s=2),
    Command("detach"),
    Command("endPage"),
    Command("reload"),
    # tabs.md's own, for extensions that speak nothing else
    Command("connect", repeatable=True, timeout_s=3),
    Command("focusTab", repeatable=True, timeout_s=3),
    Command("callTool", timeout_s=60),
)

COMMANDS: Final = {command.name: command for command in _TABLE}
