"""What the pages of a browser offer, and calling it: tools registered by pages, and tools found by looking at them.

Owns the offers of every tab. Leaves to others: which tabs there are (the browser), and who may call (sessions).
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tabwright.browser.link import Link
from tabwright.browser.numbers import TabNumbers
from tabwright.browser.offers import Offers
from tabwright.browser.running import Running
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, DialogOpen, InvalidRequest, StaleTarget, TimedOut, ToolError
from tabwright.link import events
from tabwright.link.hub_wire import execute_message, parse_answer
from tabwright.link.wire import parse_tools
from tabwright.model import NO_TOOLS, BrowserId, DocumentId, Json, JsonObject, PageTool, TabId, TabInfo

log = logging.getLogger(__name__)

LOOK_S: Final = 3.0
"""How long a page may take to tell its tools."""
FOUND: Final = frozenset({"introspection", "generic"})
"""Where tools come from that were found by looking."""
MAX_EARLY: Final = 256
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Waits:
    """How long pages are waited for, in seconds."""

    survey_s: float = 0.3
    """A look at every tab, in all."""
    fresh_s: float = 0.03
    """In a survey, for pages whose answer it only brings up to date: far more than one at rest takes."""
    last_word_s: float = 1.0
    """For a call to say what became of it once its tab is gone: it knows that better than the tab does."""


class Pages:
    """The pages of one browser. Ids going in and out are the ones clients see."""

    def __init__(
        self,
        link: Link,
        numbers: TabNumbers,
        browser_id: BrowserId,
        tabs: Mapping[TabId, TabInfo],
        changed: Callable[[TabId], None],
        at: Callable[[TabId], Tab],
        *,
        launched: bool = False,
    ) -> None:
        self.waits = Waits()
        self._link = link
        self._numbers = numbers
        self._browser_id = browser_id
        self._tabs = tabs
        self._changed = changed
        self._at = at
        self._launched = launched
        self._offers: dict[TabId, Offers] = {}
        self._looking: dict[TabId, asyncio.Task[None]] = {}
        """Looks of surveys that are under way, each bounded by itself."""
        self._slow: set[TabId] = set()
        """Tabs whose pages did not answer the last survey in time."""

    def tools(self, tab_id: TabId) -> tuple[PageTool, ...]:
        """What the tab's page is known to offer."""
        tab, offers = self._tabs.get(tab_id), self._offers.get(tab_id)
        return NO_TOOLS if tab is None or offers is None else offers.tools(tab)

    async def look_at(self, tab_id: TabId, *, fresh: bool = True, within_s: float = LOOK_S) -> None:
        """Have the page looked at for tools, and watched for changes until `look_away`.

        `fresh` is False where the browser may have told them by itself just now.

        Raises:
            DialogOpen: a dialog holds the page up.
        """
        params: JsonObject = {"tabId": self._numbers.raw(tab_id)}
        if "introspect" in self._link.commands:
            looking = self._link.request("introspect", {**params, "watch": True}, within_s)
            # a page that has only just come is waited for, not looked into
            told = await (self._at(tab_id).frames.unless_held_up(looking) if fresh else looking)
            self._found(tab_id, told)
        elif "focusTab" in self._link.commands and (fresh or not self.tools(tab_id)):
            await self._link.request("focusTab", params, within_s)

    async def look_away(self, tab_id: TabId) -> None:
        """Nobody is interested in the page's changes any more."""
        if "introspect" in self._link.commands and tab_id in self._tabs:
            await self._link.request("introspect", {"tabId": self._numbers.raw(tab_id), "watch": False})

    async def survey(self) -> None:
        """Look at every loaded tab at once, for what each offers; what takes longer keeps its last known answer.

        Only a document that has never told is waited for in earnest. A page that took too long the last time is asked,
        and not waited for until it answers in time again: one that is always busy would cost every caller that time.
        """
        if "introspect" not in self._link.commands:
            return
        asked = [tab for tab in self._tabs.values() if not tab.discarded and tab.id not in self._looking]
        new = {tab.id for tab in asked if not self._is_known(tab)}
        for tab in asked:
            self._looking[tab.id] = asyncio.create_task(self._look_once(tab.id, new=tab.id in new))
        awaited = {tab.id: self._looking[tab.id] for tab in asked if tab.id not in self._slow}
        survey_s, fresh_s = self.waits.survey_s, self.waits.fresh_s
        await _until_done(awaited.values(), min(fresh_s, survey_s))
        await _until_done((look for tab_id, look in awaited.items() if tab_id in new), max(0.0, survey_s - fresh_s))
        self._slow |= {tab_id for tab_id, look in awaited.items() if not look.done()}

    def _is_known(self, tab: TabInfo) -> bool:
        """Whether the document that the tab shows has been looked at."""
        offers = self._offers.get(tab.id)
        return offers is not None and offers.found_in is not None and offers.found_in == tab.document_id

    async def _look_once(self, tab_id: TabId, *, new: bool) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await self._glance(tab_id)
        finally:
            self._looking.pop(tab_id, None)
            if loop.time() - began <= (self.waits.survey_s if new else self.waits.fresh_s):
                self._slow.discard(tab_id)

    async def glance(self, tab_id: TabId) -> None:
        """Look once; a page that cannot be looked at keeps its last known answer.

        Raises:
            DialogOpen: a dialog holds the page up.
        """
        await self._at(tab_id).frames.unless_held_up(self._glance(tab_id))

    async def call(
        self,
        tab_id: TabId,
        tool: PageTool,
        arguments: JsonObject,
        call_id: str | None = None,
        within_s: float | None = None,
    ) -> Json:
        """What the page answers: a result in MCP's shape, or any JSON from an extension that runs tools itself.
        `call_id` is what the page may call the call by, if it registered the tool itself.

        Raises:
            DialogOpen: the tool opened a dialog, or one held the page up before.
            CommandFailed: `stale_target` if another document or tool is there now, or in the extension's words.
        """
        raw = self._numbers.raw(tab_id)
        if "callTool" in self._link.commands:
            params: JsonObject = {"tabId": raw, "toolName": tool.name, "args": arguments}
            return (await self._link.request("callTool", params)).get("result")
        where: JsonObject = {"tabId": raw, "frameId": tool.frame_id, "documentId": tool.document_id}
        message = execute_message(call_id or secrets.token_hex(16), tool.name, arguments, digest=tool.digest)
        running = Running(lambda: self._call(where, tool, arguments, message, within_s))
        try:
            return await self.unless_dialog(tab_id, tool.frame_id, tool.document_id, running.result)
        except DialogOpen:
            # what it does further, it does once that is answered, and whoever answers is told
            self._at(tab_id).unfinished = running
            raise
        except CommandFailed as exc:
            if exc.word == StaleTarget.word and tool.source in FOUND:
                # whoever is refused is shown what is there now
                await self._glance(tab_id)
            raise
        except asyncio.CancelledError:
            running.cancel()
            raise

    async def unless_dialog(
        self, tab_id: TabId, frame_id: int, document: DocumentId | None, work: Callable[[], Coroutine[Any, Any, T]]
    ) -> T:
        """What a page's own tool does, unless it opens a dialog. In a browser of the person's own the debugger is
        not attached for that; in a launched one nobody but us can answer a dialog, which we must be told of then.

        Raises:
            DialogOpen: there is one; what the tool does further, it does once that is answered.
            CommandFailed: `outcome_unknown` if the tab goes meanwhile.
        """
        tab = self._at(tab_id)
        tab.cdp.dialogs.check()
        if self._launched:
            with contextlib.suppress(CommandFailed):
                await tab.cdp.hear()
        working = tab.frames.unless_held_up(work(), frame_id, document, last_word_s=self.waits.last_word_s)
        return await tab.cdp.requests.once(working)

    async def _call(
        self, where: JsonObject, tool: PageTool, arguments: JsonObject, message: JsonObject, within_s: float | None
    ) -> Json:
        try:
            if tool.source in FOUND:
                return await self._run(where, tool, arguments)
            return parse_answer(await self._link.request("tabMessage", {**where, "message": message}, within_s))
        except TimedOut as exc:
            raise _unfinished(tool.name, exc) from None
        except CommandFailed as exc:
            raise _unfinished(tool.name, exc) if exc.word == TimedOut.word else exc from None

    async def _run(self, where: JsonObject, tool: PageTool, arguments: JsonObject) -> Json:
        """Run a tool found by looking, as it was found: its digest says which one is meant."""
        params: JsonObject = {**where, "name": tool.name, "arguments": arguments}
        digest: JsonObject = {"digest": tool.digest} if tool.digest else {}
        return (await self._link.request("runTool", {**params, **digest})).get("result")

    async def _glance(self, tab_id: TabId) -> None:
        if "introspect" not in self._link.commands:
            return
        with contextlib.suppress(ToolError):
            params: JsonObject = {"tabId": self._numbers.raw(tab_id)}
            self._found(tab_id, await self._link.request("introspect", params, LOOK_S))

    # --- what happens

    def apply(self, event: events.ToolsReported | events.TabMessage | events.FrameGone) -> None:
        match event:
            case events.ToolsReported(tools=tools):
                self._change(event.tab_id, lambda offers: offers.found(tools, _document_of(tools)))
            case events.TabMessage(frame_id=frame_id, document_id=document, origin=origin, message=message):
                self._change(event.tab_id, lambda offers: offers.told(frame_id, document, origin, message))
            case events.FrameGone(frame_id=frame_id, document_id=document):
                self._change(event.tab_id, lambda offers: offers.frame_gone(frame_id, document))

    def forget(self, tab_id: TabId) -> None:
        self._offers.pop(tab_id, None)
        self._slow.discard(tab_id)

    def forget_all(self) -> None:
        self._offers.clear()
        self._slow.clear()

    def _found(self, tab_id: TabId, told: JsonObject) -> None:
        if "tools" not in told or tab_id not in self._tabs:
            # it closed while its page was looked at
            return
        document = told.get("documentId")
        tools = parse_tools(told["tools"])
        found_in = DocumentId(document) if isinstance(document, str) else None
        self._change(self._numbers.raw(tab_id), lambda offers: offers.found(tools, found_in))

    def _change(self, raw: int, change: Callable[[Offers], object]) -> None:
        tab_id = self._numbers.shown(self._browser_id, raw)
        if tab_id not in self._tabs and len(self._offers) > len(self._tabs) + MAX_EARLY:
            # a frame may speak before its tab is reported, but not for tabs without number
            return
        before = self.tools(tab_id)
        try:
            change(self._offers.setdefault(tab_id, Offers()))
        except InvalidRequest as exc:
            log.warning("tab %s of %s: a message of its page is ignored: %s", tab_id, self._browser_id, exc.message)
            return
        if self.tools(tab_id) != before:
            self._changed(tab_id)


async def _until_done(looks: Iterable[asyncio.Task[None]], within_s: float) -> None:
    if left := [look for look in looks if not look.done()]:
        await asyncio.wait(left, timeout=within_s)


def _document_of(tools: tuple[PageTool, ...]) -> DocumentId | None:
    """The top document these tools were found in, where they say."""
    return next((tool.document_id for tool in tools if tool.frame_id == 0), None)


def _unfinished(name: str, exc: ToolError) -> CommandFailed:
    return CommandFailed(
        f"{name} has not finished in time; it may still be at work. Look at the page before you try again.",
        exc.code,
        TimedOut.word,
    )
