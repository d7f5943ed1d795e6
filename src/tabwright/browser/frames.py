"""The page agents in the frames of one tab: asking all of them at once, or one of them.

Owns how a frame is addressed and what became of a request. Leaves to others: what is asked (outline, refs, text) and
how an answer is read.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from tabwright import jsonrpc
from tabwright.browser.debugger.cdp import Cdp
from tabwright.browser.link import Link
from tabwright.browser.patience import PROBE_S
from tabwright.errors import CommandFailed, Denied, TimedOut, UnreachablePage
from tabwright.model import DocumentId, Json, JsonObject

TOP: Final = 0
CLOSED: Final = "It is closed to agents."
NEEDS_DEBUGGER: Final = "needs_debugger"
"""Chrome puts no agents into an empty page; the debugger does, while it is attached."""
_ADDRESS: Final = ("tabId", "frameId", "documentId")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FrameAnswer:
    """What one frame answered. `parent_id` is -1 for the page itself; `place` counts among its parent's frames."""

    frame_id: int
    document_id: DocumentId
    parent_id: int
    place: int
    origin: str
    url: str
    value: Json = None
    site: str = ""
    """Where its content is from: its origin, unless a sandbox took that."""
    problem: str = ""
    """Why it did not answer; the page itself always does, or the request fails."""


class Frames:
    """One tab's frames. `raw` is the browser's own number of the tab; the debugger knows what holds the page up."""

    def __init__(self, link: Link, raw: int, cdp: Cdp) -> None:
        self._link = link
        self._raw = raw
        self._cdp = cdp
        self.is_closed: Callable[[str], bool] = lambda origin: False
        """Whether nothing may be told of a frame of this origin, or done there."""
        self._whose: dict[DocumentId, FrameAnswer] = {}
        """The frames as they were when all were asked: elements are known from there."""
        self.may_attach = False
        """Whether the debugger may be attached to read a page: nobody sees its bar."""

    async def ask_all(
        self, service: str, params: JsonObject | None = None, *, within_s: float = 10.0
    ) -> Sequence[FrameAnswer]:
        """Every frame that can be asked, the page itself first if it has an agent; then closed ones that cannot.

        Raises:
            ToolError: no such tab, an unreachable page, or the page's own refusal.
        """
        asked: JsonObject = {"tabId": self._raw, "service": service, "params": params or {}}
        told = await self._request("askFrames", asked, within_s)
        if told.get("needsDebugger") is True and self.may_attach:
            await self._cdp.hear()
            told = await self._request("askFrames", asked, within_s)
        answers = [_answer(frame) for frame in _listed(told, "frames")]
        silent = [_without_agent(frame) for frame in _listed(told, "silent")]
        self._whose = {each.document_id: each for each in answers}
        return [
            *(replace(each, value=None, problem=CLOSED) if self._hides(each) else each for each in answers),
            *(replace(each, problem=CLOSED) for each in silent if self._hides(each)),
        ]

    async def ask(
        self,
        frame_id: int,
        document: DocumentId,
        service: str,
        params: JsonObject,
        *,
        within_s: float | None = None,
        begin: bool = False,
    ) -> Json:
        """One frame, for something that may be asked twice. `begin`: a gesture begins with it.

        Raises:
            CommandFailed: `stale_target` if another document is there now; the agent's own words otherwise.
        """
        more: JsonObject = {"begin": True} if begin else {}
        return _value(await self._send("askFrame", frame_id, document, service, params, within_s, more))

    async def tell(
        self,
        frame_id: int,
        document: DocumentId,
        service: str,
        params: JsonObject,
        *,
        within_s: float | None = None,
        begin: bool = False,
    ) -> Json:
        """One frame, for something that must not be done twice. `begin`: it is a gesture.

        Raises:
            CommandFailed: as `ask`; `outcome_unknown` if the page went before it answered.
        """
        more: JsonObject = {"begin": True} if begin else {}
        return _value(await self._send("tellFrame", frame_id, document, service, params, within_s, more))

    async def press(
        self, document: DocumentId, params: JsonObject, press: JsonObject, *, within_s: float
    ) -> tuple[Json, bool]:
        """The page itself, where an element is: what it says, and whether it was clicked there, which is done by the
        same request unless something speaks against it. A gesture begins with it.

        Raises:
            CommandFailed: as `tell`.
            UnreachablePage: as the tab is on its way to another page; nothing was clicked.
        """
        more: JsonObject = {"begin": True, "press": press}
        pressing = self._send("tellFrame", TOP, document, "locate", params, within_s, more)
        told = await self._cdp.requests.unless_leaving(pressing)
        return _value(told), told.get("pressed") is True

    async def unless_held_up(
        self,
        work: Coroutine[Any, Any, T],
        frame_id: int = TOP,
        document: DocumentId | None = None,
        *,
        last_word_s: float = 0.0,
    ) -> T:
        """What a frame does by another way than these, unless a dialog holds its page up.

        Raises:
            DialogOpen: one does; `work` was abandoned.
            ToolError: its tab went, and `work` said nothing of its own within `last_word_s`; or `work` failed.
        """
        where: JsonObject = {"tabId": self._raw}
        if document is not None:
            where |= {"frameId": frame_id, "documentId": document}
        return await self._cdp.unless_held_up(work, lambda: self._lives(where), last_word_s)

    async def lives(self) -> bool:
        """Whether the page's agents answer."""
        return await self._lives({"tabId": self._raw})

    def _hides(self, answer: FrameAnswer) -> bool:
        return answer.frame_id != TOP and (self.is_closed(answer.origin) or self.is_closed(answer.site))

    async def _send(
        self,
        command: str,
        frame_id: int,
        document: DocumentId,
        service: str,
        params: JsonObject,
        within_s: float | None,
        more: JsonObject,
    ) -> JsonObject:
        known = self._whose.get(document)
        if known is not None and self._hides(known):
            raise closed_there()
        where: JsonObject = {"tabId": self._raw, "frameId": frame_id, "documentId": document}
        asked: JsonObject = {**where, "service": service, "params": params, **more}
        try:
            return await self._request(command, asked, within_s)
        except CommandFailed as exc:
            if exc.word != NEEDS_DEBUGGER or not self.may_attach:
                raise
        # nothing was done
        await self._cdp.hear()
        return await self._request(command, asked, within_s)

    async def _request(self, command: str, asked: JsonObject, within_s: float | None) -> JsonObject:
        """Raises:
        DialogOpen: a dialog holds the page up.
        """
        where = {key: asked[key] for key in _ADDRESS if key in asked}
        return await self._cdp.unless_held_up(self._link.request(command, asked, within_s), lambda: self._lives(where))

    async def _lives(self, where: JsonObject) -> bool:
        """Whether the agent of one frame answers, or of every frame."""
        asked: JsonObject = {**where, "service": "ping", "params": {}}
        within_s = PROBE_S + self._cdp.requests.way_s
        try:
            await self._link.request("askFrame" if "frameId" in where else "askFrames", asked, within_s)
        except TimedOut:
            return False
        except CommandFailed:
            return True
        return True


def closed_there() -> Denied:
    return Denied(
        "That is in a frame of a site that is closed to agents; nothing was done there.",
        "Work in another part of the page.",
    )


def unread(url: str) -> UnreachablePage:
    """Why a page that may be read has no agent to read it."""
    if url in ("", "about:blank"):
        return UnreachablePage(
            "about:blank is empty, or a script filled it: then it is read only while the debugger is attached.",
            "Call navigate with a url; or take a screenshot with computer, then try again.",
        )
    return UnreachablePage(
        f"There is no page to read at {url[:200]}: it did not load, or is one of the browser's own.",
        "Call navigate, or take a screenshot with computer.",
    )


def _listed(told: JsonObject, name: str) -> list[JsonObject]:
    frames = told.get(name)
    return [frame for frame in frames if isinstance(frame, dict)] if isinstance(frames, list) else []


def _without_agent(frame: JsonObject) -> FrameAnswer:
    site = str(frame.get("site", ""))
    return FrameAnswer(
        _number(frame, "frameId"), DocumentId(""), _number(frame, "parentFrameId"), -1, site, "", site=site
    )


def _answer(frame: JsonObject) -> FrameAnswer:
    error = frame.get("error")
    return FrameAnswer(
        frame_id=_number(frame, "frameId"),
        document_id=DocumentId(str(frame.get("documentId", ""))),
        parent_id=_number(frame, "parentFrameId"),
        place=_number(frame, "place"),
        origin=str(frame.get("origin", "")),
        url=str(frame.get("url", "")),
        site=str(frame.get("site", "")),
        value=None if error is not None else _value(frame),
        problem="" if error is None else str(error),
    )


def _value(told: JsonObject) -> Json:
    text = told.get("json")
    if not isinstance(text, str):
        raise CommandFailed("The page agent's answer cannot be read. Reload the tab and try again.")
    return jsonrpc.decode(text)


def _number(frame: JsonObject, name: str) -> int:
    value = frame.get(name)
    return value if isinstance(value, int) else -1
