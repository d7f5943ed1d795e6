"""What a page says in the middle of a call of its tool, whichever way that was called: it asks the person, and tells
how far it is.
"""

import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from tabwright.calls.asking import Approver
from tabwright.calls.hub_running import Caller
from tabwright.errors import ToolError
from tabwright.link.hub_wire import Confirming, Progressing
from tabwright.policy.actions import Access, Action, Ask, Principal
from tabwright.policy.text import MAX_DESCRIPTION, clean

if TYPE_CHECKING:
    from tabwright.calls.desk import CallDesk
    from tabwright.calls.session import Session

log = logging.getLogger(__name__)

_RULE: Final = "page tool: its page asks"


def caller_of(session: "Session", desk: "CallDesk", tool: str, origin: str) -> Caller:
    """For whom a tool of this origin is called."""

    def confirm(asked: Confirming) -> Coroutine[Any, Any, str | None]:
        return refusal(session.principal, desk.approver, tool, origin, asked)

    def report(told: Progressing) -> Coroutine[Any, Any, None]:
        said = clean(told.message, MAX_DESCRIPTION)
        return desk.progress(told.done, told.total, said and f"[{origin}] {said}")

    return Caller(session.workspace.id, confirm, report)


async def refusal(principal: Principal, approver: Approver, tool: str, origin: str, asked: Confirming) -> str | None:
    """Why the person does not agree, in an error's word; None if they do. Is there nobody to ask, the answer is no."""
    question = f"{origin} asks: {clean(asked.message, MAX_DESCRIPTION)}"
    action = Action(principal, tool, Access.PAGE_TOOL, {}, origin)
    try:
        await approver.approve(action, Ask(_RULE, question), during=True)
    except ToolError as exc:
        log.info("a question of %s is answered no: %s", origin[:200], exc.word)
        return exc.word
    return None
