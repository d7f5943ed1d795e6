"""What to do about a failure, said in tools that the session has.

A failure names the next step as the focus tools know it, for whoever raises it knows no session.
"""

from typing import Final

from tabwright.errors import ANSWER_DIALOG, CLAIM_TAB, CONNECT, LIST_TABS, GatewayError
from tabwright.model import Toolset

_AGAIN: Final = "Call again: a browser is started if none is linked."
_STEPS: Final[dict[str, tuple[tuple[Toolset, str], ...]]] = {
    CONNECT: ((Toolset.FOCUS, CONNECT), (Toolset.AUTOMATION, _AGAIN), (Toolset.HUB, _AGAIN)),
    LIST_TABS: (
        (Toolset.FOCUS, LIST_TABS),
        (Toolset.AUTOMATION, "Call tabs_context to see your tabs."),
        (Toolset.HUB, "Call hub_list_tools to see what there is now."),
    ),
    CLAIM_TAB: (
        (Toolset.FOCUS, CLAIM_TAB),
        (Toolset.AUTOMATION, "Work in your own: tabs_context lists them, tabs_create_mcp opens one."),
        (Toolset.HUB, "Call hub_list_tools to see what there is now."),
    ),
    ANSWER_DIALOG: ((Toolset.AUTOMATION, ANSWER_DIALOG),),
}
_OTHERWISE: Final = {ANSWER_DIALOG: "Ask the person to answer it."}


def advise(error: GatewayError, toolsets: frozenset[Toolset]) -> None:
    """Have the failure name a next step that can be taken."""
    steps = _STEPS.get(error.next_step)
    if steps is None:
        return
    fitting = (step for toolset, step in steps if toolset in toolsets)
    error.advise(next(fitting, _OTHERWISE.get(error.next_step, "")))
