"""The hub at work: registries fed by whatever transports there are, calls sent to pages, whoever waits told of news.

Decisions are the registries' (`hub/`). Here: which registry a message is for, who is told of changes, a call's
deadline, and its end when its page goes.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from tabwright.calls.hub_audit import Executed, HubAudit
from tabwright.calls.hub_pace import HubPace
from tabwright.calls.hub_running import CALL_S, LONGEST_S, NO_CALL, Caller, RunningCall, RunningCalls
from tabwright.errors import CommandFailed, GatewayError, InvalidRequest, OutcomeUnknown, TimedOut, ToolError
from tabwright.hub.entries import Entry
from tabwright.hub.memory import HubMemory, NoMemory
from tabwright.hub.places import Allowed, Place
from tabwright.hub.registry import Ignored, Registry
from tabwright.hub.snapshot import Snapshot, View
from tabwright.hub.transport import BrowserGone, BrowserSeen, FrameGone, News, TabGone, TabHubTransport, TabSeen
from tabwright.link.hub_wire import (
    Confirming,
    Progressing,
    confirmed_message,
    execute_message,
    parse_answer,
    parse_hub_message,
)
from tabwright.model import BrowserId, Json, JsonObject, TabId
from tabwright.policy.urls import origin_of

log = logging.getLogger(__name__)
T = TypeVar("T")

LAST_WORD_S: Final = 0.25
"""A page that goes may have answered just before."""
SEEN_EVERY_S: Final = 60.0
MAX_EARLY: Final = 256
MAX_ANSWERS: Final = 64
"""So many answers to questions of one tab may be under way; a page that asks without end gets none."""


class Hub:
    """All registries of all transports."""

    def __init__(
        self, memory: HubMemory, allowed: Allowed, audit: HubAudit, clock: Callable[[], float] = time.time
    ) -> None:
        self._memory = memory
        self._allowed = allowed
        self._audit = audit
        self._clock = clock
        self._registries: dict[BrowserId, Registry] = {}
        self._transports: dict[BrowserId, TabHubTransport] = {}
        self._profiles: dict[BrowserId, str] = {}
        self._dormant = self._registry_of_none()
        self._nothing = Registry(None, NoMemory(), allowed)
        self._views: dict[BrowserId | None, View] = {}
        self._early: dict[tuple[BrowserId, TabId], list[tuple[Place, JsonObject]]] = {}
        self._pace = HubPace(self._take)
        self._running = RunningCalls()
        self._answers: dict[tuple[BrowserId, TabId], set[asyncio.Task[None]]] = {}
        self._listeners: list[Callable[[], None]] = []
        self._news = asyncio.Event()

    def carry(self, transport: TabHubTransport, *, salt: str = "") -> None:
        """Take over what this transport brings. `salt` keeps its names apart from those of linked browsers."""
        transport.on_news(lambda news: self._happened(transport, news, salt))
        transport.on_message(self._heard)

    def listen(self, listener: Callable[[], None]) -> None:
        """Be told whenever some list may be another."""
        self._listeners.append(listener)

    async def run(self) -> None:
        """Note from time to time that tabs are still there, until cancelled."""
        while True:
            await asyncio.sleep(SEEN_EVERY_S)
            for profile in self._profiles.values():
                self._memory.seen(profile, self._clock())

    # --- what there is

    def view(self, browser: BrowserId | None) -> View:
        """What a session of this browser sees; without one, what the only browser has, or what is cached."""
        parts = self._parts(browser)
        made = self._views.get(browser)
        if made is None or made.parts != parts:
            made = self._views[browser] = View(parts)
        return made

    def registry(self, browser: BrowserId | None) -> Registry:
        """The registry that answers for a session's own browser."""
        if browser is not None:
            return self._registries.get(browser, self._nothing)
        match list(self._profiles):
            case []:
                return self._dormant
            case [only]:
                return self._registries[only]
            case _:
                # which of them is meant is for the session to say
                return self._nothing

    def registry_at(self, place: Place) -> Registry | None:
        return self._registries.get(place.browser)

    @property
    def says(self) -> frozenset[str]:
        """Capabilities of any page anywhere."""
        found = [registry.says for registry in (*self._registries.values(), self._dormant)]
        return frozenset[str]().union(*found)

    def forget_cached(self) -> None:
        """The cache was cleared."""
        for registry in (*self._registries.values(), self._dormant):
            registry.cache.drop([cached.key for cached in registry.cache.tools.values()])
        self._changed()

    # --- what can be done

    async def execute(self, entry: Entry, arguments: JsonObject, caller: Caller) -> Json:
        """Run a tool where it is, once: what its page answers.

        Raises:
            ToolError: not delivered, or `outcome_unknown`: it gave no answer, or went before it did.
        """
        began, outcome = time.monotonic(), "cancelled"
        try:
            answer = await self._execute(entry, arguments, caller)
            outcome = "ok"
            return answer
        except GatewayError as exc:
            outcome = exc.word
            raise
        finally:
            self._audit.executed(Executed(entry.place, entry.tool.name, outcome, time.monotonic() - began))
            log.debug("arguments of %s: %s", entry.name, arguments)

    async def until(self, found: Callable[[], bool], within_s: float) -> bool:
        """Wait, within bounds, until something is so; looked at whenever something happens."""
        try:
            async with asyncio.timeout(within_s):
                while not found():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return found()
        return True

    async def _execute(self, entry: Entry, arguments: JsonObject, caller: Caller) -> Json:
        transport = self._transports.get(entry.place.browser)
        if transport is None:
            raise CommandFailed("The browser of that tool is gone.")

        async def work(call_id: str) -> Json:
            message = execute_message(call_id, entry.tool.name, arguments, digest=entry.tool.digest, old=entry.old)
            # the call's own clock ends it: the transport's does not know of questions
            return parse_answer(await transport.send_request(entry.place, message, LONGEST_S), call_id)

        return await self.attend(entry.place, entry.name, caller, work)

    async def attend(self, place: Place, name: str, caller: Caller, work: Callable[[str], Coroutine[Any, Any, T]]) -> T:
        """What a call under way gives, whose page may ask the person and tell how far it is. `work` gets the call's id.

        Raises:
            ToolError: `outcome_unknown` if its time was over or its page went; or `work` failed.
        """
        call = RunningCall(place, caller, self._answer)
        with self._running.entered(place, call):
            request = asyncio.ensure_future(work(call.id))
            try:
                await call.wait(request)
                if not request.done():
                    await asyncio.wait({request}, timeout=LAST_WORD_S)
                if not request.done():
                    raise _unknown(name, "its page went away before it answered")
                return request.result()
            except (TimeoutError, TimedOut, CommandFailed) as exc:
                if isinstance(exc, CommandFailed) and exc.word != TimedOut.word:
                    raise
                raise _unknown(name, f"it gave no answer within {CALL_S:g} s") from None
            finally:
                request.cancel()
                await call.end()

    def _answer(self, place: Place, asked: Confirming, refusal: str | None) -> None:
        """Tell a page what became of its question."""
        key = (place.browser, place.tab_id)
        if len(self._answers.get(key, ())) >= MAX_ANSWERS:
            log.warning("hub: tab %s asks too much; not answered", place.tab_id)
            return
        sending = asyncio.create_task(self._send_answer(place, confirmed_message(asked, refusal)))
        self._answers.setdefault(key, set()).add(sending)
        sending.add_done_callback(lambda sent: self._answered(key, sent))

    def _answered(self, key: tuple[BrowserId, TabId], sent: "asyncio.Task[None]") -> None:
        under_way = self._answers[key]
        under_way.discard(sent)
        if not under_way:
            del self._answers[key]

    async def _send_answer(self, place: Place, message: JsonObject) -> None:
        transport = self._transports.get(place.browser)
        try:
            if transport is not None:
                await transport.send_request(place, message, CALL_S)
        except ToolError as exc:
            log.info("hub: tab %s could not be told the answer to its question: %s", place.tab_id, exc.word)

    # --- what happens

    def _happened(self, transport: TabHubTransport, news: News, salt: str) -> None:
        if isinstance(news, BrowserSeen):
            self._browser_seen(transport, news, salt)
            return
        registry = self._registries.get(news.browser)
        if registry is None:
            return
        before = registry.version
        match news:
            case BrowserGone(browser=browser):
                self._browser_gone(browser)
                return
            case TabSeen(tab=tab, raw=raw, activated=activated):
                self._pace.tab_shows(news.browser, tab.id, origin_of(tab.url))
                self._went(registry.tab_seen(tab, raw, activated=activated))
                for place, message in self._early.pop((news.browser, tab.id), ()):
                    self._heard(place, message)
            case TabGone(tab_id=tab_id):
                self._early.pop((news.browser, tab_id), None)
                self._pace.tab_gone(news.browser, tab_id)
                self._went(registry.tab_gone(tab_id))
                # whoever waits for what a tab will offer must hear that it is no more, though no list changed
                self._news.set()
            case FrameGone(tab_id=tab_id, frame_id=frame_id, document_id=document):
                self._pace.frame_gone(news.browser, tab_id, frame_id, document)
                self._went(registry.frame_gone(tab_id, frame_id, document))
        if registry.version != before:
            self._changed()

    def _browser_seen(self, transport: TabHubTransport, news: BrowserSeen, salt: str) -> None:
        if news.browser not in self._registries:
            memory = self._memory if news.profile else NoMemory()
            numbers = memory if news.recognised else NoMemory()
            self._registries[news.browser] = Registry(
                news.profile, memory, self._allowed, salt=salt, numbers=numbers, tells_frames=news.recognised
            )
            self._transports[news.browser] = transport
            if news.profile:
                self._profiles[news.browser] = news.profile
            self._changed()
        if news.raws is not None:
            self._registries[news.browser].tabs_are(news.raws, self._clock())

    def _browser_gone(self, browser: BrowserId) -> None:
        registry = self._registries.pop(browser)
        self._pace.browser_gone(browser)
        del self._transports[browser]
        self._profiles.pop(browser, None)
        self._views.pop(browser, None)
        self._early = {key: kept for key, kept in self._early.items() if key[0] != browser}
        self._went(list(registry.frames()))
        self._dormant = self._registry_of_none()
        self._changed()

    def _heard(self, place: Place, message: JsonObject) -> None:
        registry = self._registries.get(place.browser)
        if registry is None or not registry.knows(place.tab_id):
            self._keep_early(place, message)
            return
        if not self._is_of_call(place, message):
            self._pace.hear(place, message)

    def _take(self, place: Place, message: JsonObject) -> None:
        registry = self._registries[place.browser]
        began, before = time.monotonic(), registry.version
        outcome = registry.told(place, message, self._clock())
        if isinstance(outcome, Ignored):
            log.warning(
                "hub: a message of tab %s (%s) is ignored: %s", place.tab_id, place.origin[:200], outcome.reason
            )
            return
        self._went(outcome.gone)
        self._audit.registered(place, outcome, time.monotonic() - began)
        if registry.version != before:
            self._changed()

    def _is_of_call(self, place: Place, message: JsonObject) -> bool:
        """Whether a page speaks of a call of its tool, which then hears it."""
        try:
            told = parse_hub_message(message)
        except InvalidRequest:
            return False
        if isinstance(told, Confirming):
            self._asked(place, told)
        elif isinstance(told, Progressing):
            # of a call that is over, or that another gateway made
            call = self._running.named(place, told.call)
            if call is not None:
                call.progressed(told)
        return isinstance(told, Confirming | Progressing)

    def _asked(self, place: Place, told: Confirming) -> None:
        """A page asks for a confirmation. Only one whose tool is running may; others are told no."""
        call = self._running.asking(place, told)
        if call is not None:
            call.ask(told)
        else:
            log.warning("hub: tab %s asks for a confirmation without a call of its own; answered no", place.tab_id)
            self._answer(place, told, NO_CALL)

    def _keep_early(self, place: Place, message: JsonObject) -> None:
        """A frame may speak before its tab is reported, but not without end."""
        kept = self._early.setdefault((place.browser, place.tab_id), [])
        kept.append((place, message))
        if len(kept) > MAX_EARLY:
            log.warning("hub: too many messages of tab %s, which is unknown; the oldest is ignored", place.tab_id)
            del kept[0]
        if len(self._early) > MAX_EARLY:
            # the last words of tabs that closed stay here; they must not keep out the first of those that open
            del self._early[next(iter(self._early))]

    def _went(self, places: Iterable[Place]) -> None:
        for place in places:
            self._running.gone(place)

    def _changed(self) -> None:
        self._news.set()
        for listener in self._listeners:
            listener()

    def _parts(self, browser: BrowserId | None) -> tuple[Snapshot, ...]:
        elsewhere = [found for name, found in self._registries.items() if name not in self._profiles]
        return tuple(registry.snapshot() for registry in (self.registry(browser), *elsewhere))

    def _registry_of_none(self) -> Registry:
        """What is left when no browser is linked: the cached tools of all."""
        return Registry(None, self._memory, self._allowed)


def _unknown(name: str, reason: str) -> CommandFailed:
    text = f"{name} was called, but {reason}. It may or may not have happened; look before you try again."
    return CommandFailed(text, OutcomeUnknown.code, OutcomeUnknown.word)
