"""A tool of the focused page at work: its page may ask the person meanwhile, as one called through the hub may."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from tabwright.browser.pages import FOUND
from tabwright.calls.desk import CallDesk
from tabwright.calls.hub_running import LONGEST_S
from tabwright.calls.page_questions import refusal
from tabwright.hub.places import Place
from tabwright.link.hub_wire import Confirming
from tabwright.model import Json, JsonObject
from tabwright.session.page_names import PageEntry

if TYPE_CHECKING:
    from tabwright.calls.session import Session


async def call_page(session: "Session", desk: CallDesk, entry: PageEntry, arguments: JsonObject) -> Json:
    """What the page answers.

    Raises:
        ToolError: as the page's tools fail; `outcome_unknown` if it did not answer in its time.
    """
    browser, tool = desk.browser, entry.tool
    if browser.foreign or tool.document_id is None or tool.source in FOUND:
        # nobody there who could ask
        return await browser.pages.call(entry.tab_id, tool, arguments)

    def confirm(asked: Confirming) -> Coroutine[Any, Any, str | None]:
        return refusal(session.principal, desk.approver, tool.name, entry.origin, asked)

    def work(call_id: str) -> Coroutine[Any, Any, Json]:
        return browser.pages.call(entry.tab_id, tool, arguments, call_id, LONGEST_S)

    place = Place(browser.id, entry.tab_id, tool.frame_id, tool.document_id, entry.origin)
    return await session.context.hub.attend(place, entry.spec.name, session.workspace.id, confirm, work)
