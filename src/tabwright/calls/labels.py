"""What an action is called under a frame of a recording: a few words for people, and never a typed text."""

from typing import Final

from tabwright.browser.tab import Tab
from tabwright.errors import ToolError
from tabwright.model import Json, JsonObject
from tabwright.policy.text import clean

MAX_LABEL: Final = 70
_COMPUTER: Final = {
    "left_click": "Click",
    "right_click": "Right-click",
    "middle_click": "Middle-click",
    "double_click": "Double-click",
    "triple_click": "Triple-click",
    "hover": "Hover",
    "left_click_drag": "Drag",
    "scroll_to": "Scroll to",
    "wait": "Wait",
}
_UNSEEN: Final = frozenset({"screenshot", "zoom"})
_OTHERS: Final = {
    "javascript_tool": "Run a script",
    "file_upload": "Upload",
    "upload_image": "Upload an image",
    "handle_dialog": "Answer the dialog",
    "wait_for": "Wait",
}
_SILENT: Final = frozenset(
    {
        "browser_batch", "shortcuts_execute", "shortcuts_list", "gif_creator", "read_page", "find", "get_page_text",
        "tabs_context", "tabs_context_mcp", "tabs_create", "tabs_create_mcp", "tabs_close_mcp", "read_console_messages",
        "read_network_requests", "update_plan", "turn_answer_start", "turn_answer_complete", "dev_utils",
        "permissions_check", "connect_browser", "list_tabs", "focus_tab", "open_tab", "close_tab", "page_tools",
        "call_page_tool", "list_connected_browsers", "select_browser",
    }
)  # fmt: skip
"""Calls that change nothing one could see in the tab."""


def action_label(tool: str, arguments: JsonObject, tab: Tab | None) -> str | None:
    """The words for it; None for a call that shows nothing."""
    if tool in _SILENT or (tool == "computer" and arguments.get("action") in _UNSEEN):
        return None
    label = clean(_words(tool, arguments, tab), MAX_LABEL + 1)
    return label if len(label) <= MAX_LABEL else f"{label[:MAX_LABEL]}…"


def _words(tool: str, arguments: JsonObject, tab: Tab | None) -> str:
    if tool == "computer":
        return _computer(arguments, tab)
    if tool == "navigate":
        return _navigation(arguments.get("url"))
    if tool == "form_input":
        return f"Fill in{_named(arguments.get('ref'), tab)}"
    if tool in _OTHERS:
        return _OTHERS[tool]
    return tool.replace("_", " ").capitalize()


def _computer(arguments: JsonObject, tab: Tab | None) -> str:
    action = str(arguments.get("action"))
    match action:
        case "type":
            return f"Type{_named(arguments.get('ref'), tab, ' into')}"
        case "key":
            return "Press keys"
        case "scroll":
            return f"Scroll {arguments.get('scroll_direction') or ''}".strip()
        case _:
            verb = _COMPUTER.get(action, action.replace("_", " ").capitalize())
            return f"{verb}{_named(arguments.get('ref') or arguments.get('start_ref'), tab)}"


def _navigation(url: Json) -> str:
    """Where to, without what may be private in an address."""
    text = str(url or "")
    if text in ("back", "forward", "reload"):
        return {"back": "Go back", "forward": "Go forward", "reload": "Reload"}[text]
    place = text.partition("://")[2] or text
    return f"Go to {place.partition('?')[0].partition('#')[0].rpartition('@')[2].rstrip('/')}"


def _named(ref: Json, tab: Tab | None, before: str = "") -> str:
    if not isinstance(ref, str) or tab is None:
        return ""
    try:
        name = tab.refs.find(ref).name
    except ToolError:
        return ""
    return f"{before} “{name}”" if name else ""
