"""A tool of the focused page at work: its page may ask the person meanwhile, as one called through the hub may."""

import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from tabwright.browser.pages import FOUND
from tabwright.calls.desk import CallDesk
from tabwright.calls.hub_running import LONGEST_S
from tabwright.calls.page_questions import caller_of
from tabwright.calls.results import deed_result, page_result
from tabwright.errors import CommandFailed, StaleTarget, ToolError
from tabwright.hub.places import Place
from tabwright.model import Json, JsonObject, PageTool, ToolResult, changed_parts
from tabwright.policy.actions import Access, Action
from tabwright.policy.page_arguments import read_page_arguments
from tabwright.policy.urls import scheme_of
from tabwright.session.page_names import PageEntry

if TYPE_CHECKING:
    from tabwright.calls.session import Session

LOOK_AFTER_S: Final = 1.0
"""How long an answer waits for what the call made of the page's own tools."""


class PageCall:
    """One call of a page's tool, for a session."""

    def __init__(self, session: "Session", desk: CallDesk) -> None:
        self._session = session
        self._desk = desk

    async def run(self, entry: PageEntry, arguments: JsonObject) -> ToolResult:
        """Run it as it was listed: arguments, policy, then the page.

        Raises:
            ToolError: not run, or failed; `stale_target` where the page no longer offers it.
        """
        arguments = read_page_arguments(entry.spec.name, entry.tool.input_schema, arguments)
        session, browser = self._session, self._desk.browser
        tab = browser.tab(entry.tab_id)
        session.context.holds.check(session.workspace.id, tab.id, names=session.context.names())
        action = Action(
            session.principal, entry.tool.name, Access.PAGE_TOOL, arguments, entry.origin,
            scheme=scheme_of(tab.url), document=tab.document_id, consequential=_says_consequential(entry.tool),
            definition=entry.tool.definition,
        )  # fmt: skip
        await session.permit(action, self._desk)
        browser.at(tab.id).cdp.attachment.allow()
        await browser.journeys.arrived(tab.id)
        try:
            async with session.recordings.around(browser.acted_on(tab.id), entry.spec.name, arguments):
                return await self._called(entry, arguments)
        except CommandFailed as exc:
            if exc.word != StaleTarget.word:
                raise
        # refused before it ran: another document or tool is there, which may well be the same
        await browser.pages.look_at(tab.id)
        now = session.tools.entries(tab.id).get(entry.spec.name)
        if now is None or not now.same_as(entry):
            await session.notices.announce()
            changed = () if now is None else changed_parts(entry.tool, now.tool)
            raise StaleTarget(entry.spec.name, "the page no longer offers what was listed under that name.", changed)
        return await self._called(now, arguments)

    async def _called(self, entry: PageEntry, arguments: JsonObject) -> ToolResult:
        """Call it; what the call made of the page is in the list before the answer is."""
        session, browser = self._session, self._desk.browser
        answer = await self._answer(entry, arguments)
        result = deed_result(answer) if _is_deed(entry.tool) else page_result(answer, entry.origin)
        if entry.tool.source in FOUND and session.workspace.focus == entry.tab_id:
            with contextlib.suppress(ToolError):
                await browser.journeys.loaded(entry.tab_id)
                await browser.pages.look_at(entry.tab_id, within_s=LOOK_AFTER_S)
        await session.notices.announce()
        return result

    async def _answer(self, entry: PageEntry, arguments: JsonObject) -> Json:
        """What the page answers.

        Raises:
            ToolError: as the page's tools fail; `outcome_unknown` if it did not answer in its time.
        """
        session, desk = self._session, self._desk
        browser, tool = desk.browser, entry.tool
        if browser.foreign or tool.document_id is None or tool.source in FOUND:
            # nobody there who could ask
            return await browser.pages.call(entry.tab_id, tool, arguments)

        def work(call_id: str) -> Coroutine[Any, Any, Json]:
            return browser.pages.call(entry.tab_id, tool, arguments, call_id, LONGEST_S)

        caller = caller_of(session, desk, tool.name, entry.origin)
        place = Place(browser.id, entry.tab_id, tool.frame_id, tool.document_id, entry.origin)
        return await session.context.hub.attend(place, entry.spec.name, caller, work)


def _is_deed(tool: PageTool) -> bool:
    """Whether we found it and it does something; one that reads answers in the page's words."""
    return tool.source in FOUND and tool.annotations.get("readOnlyHint") is not True


def _says_consequential(tool: PageTool) -> bool:
    """What a page says of its own tool; what we found by looking is our word, not the page's."""
    said = tool.annotations
    return tool.source not in FOUND and (said.get("consequentialHint") is True or said.get("destructiveHint") is True)
