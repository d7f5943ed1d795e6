"""The commands an extension answers: one table, whichever dialect carries them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Command:
    """What the link must know of a command before it sends it."""

    name: str
    read_only: bool = False
    """Sent again when the link broke before the answer; all others end `outcome_unknown`."""
    timeout_s: float = 10.0


_TABLE: Final = (
    # the proxy protocol's forwarded methods
    Command("createTab"),
    Command("getTabs", read_only=True),
    Command("selectTab"),
    Command("activateTab"),
    Command("closeTab"),
    Command("browser_navigate", timeout_s=15),
    Command("goBack", timeout_s=15),
    Command("goForward", timeout_s=15),
    Command("forwardCDPCommand", timeout_s=30),
    Command("click"),
    Command("type"),
    Command("hover"),
    Command("screenshot", read_only=True, timeout_s=15),
    # ours: groups and what the person sees of sessions. showHolds replaces a picture, so it may be drawn twice
    Command("groupTabs"),
    Command("updateGroup"),
    Command("closeGroup"),
    Command("showHolds", read_only=True),
    Command("cancel", timeout_s=2),
    Command("detach"),
    Command("reload"),
    # tabs.md's own, for extensions that speak nothing else
    Command("connect", read_only=True, timeout_s=3),
    Command("focusTab", read_only=True, timeout_s=3),
    Command("callTool", timeout_s=60),
)

COMMANDS: Final = {command.name: command for command in _TABLE}
