"""What a page asks the person in the middle of a call of its tool, whichever way that was called."""

import logging
from typing import Final

from tabwright.calls.asking import Approver
from tabwright.errors import ToolError
from tabwright.link.hub_wire import Confirming
from tabwright.policy.actions import Access, Action, Ask, Principal
from tabwright.policy.text import MAX_DESCRIPTION, clean

log = logging.getLogger(__name__)

_RULE: Final = "page tool: its page asks"


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
