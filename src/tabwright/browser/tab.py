"""One tab as tools act on it: its page agents, its debugger, the refs given out, and acting with its outcome."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tabwright.browser import news
from tabwright.browser.debugger.cdp import Cdp
from tabwright.browser.debugger.children import Children
from tabwright.browser.debugger.console import Console
from tabwright.browser.debugger.contexts import Contexts
from tabwright.browser.debugger.network import Network
from tabwright.browser.debugger.requests import unknown_outcome
from tabwright.browser.downloads import FINISH_S, Downloads, begins_within, without_signs
from tabwright.browser.frames import Frames
from tabwright.browser.link import Link
from tabwright.browser.refs import Refs
from tabwright.browser.running import Running
from tabwright.errors import CommandFailed, DialogOpen, PopupDialog, Stopped, TabNotFound, UnwatchedDialog
from tabwright.link.wire import MAX_TITLE_CHARS, MAX_URL_CHARS
from tabwright.model import JsonObject, TabId, TabInfo

_CALM: Final = (
    "Nothing visible changed",
    "Nothing changed, unless in the canvas",
    "The page changed, with no new text",
)
_TURNED: Final = re.compile(r"(\S+) “(.+)” is now (?:not )?(?:checked|mixed|selected|pressed|expanded|collapsed)\b.*")
Arrivals = Callable[[Sequence[TabId]], Awaitable[Sequence[TabInfo]]]
"""Gives tabs just opened a moment to load; those that are still there then."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a gesture, in the page's own few lines, and which tabs it opened."""

    lines: tuple[str, ...]
    errors: tuple[str, ...]
    changed: bool
    navigated: bool
    title: str
    url: str
    opened: tuple[TabInfo, ...] = ()
    downloads: tuple[str, ...] = ()
    news: str = ""
    """What came and can be used at once, with refs."""
    held: JsonObject | None = None
    """What the field holds by now that the gesture filled in, where it is still there."""
    missed: str = ""
    """Why the element has no click that was meant for it: `again` if it may be pressed anew, `moved` if not, `astray`
    if something else was pressed, `covered` if something came over it."""

    @property
    def telling(self) -> bool:
        """Whether there is anything that a person would notice."""
        return bool(
            self.opened or self.downloads or self.news or any(not line.startswith(_CALM) for line in self.lines)
        )

    def of(self, role: str, name: str) -> "Outcome":
        """The same where the control that was turned was named just before."""
        lines = (f"It is now {_state(line)}" if _turned(line) == (role, name) else line for line in self.lines)
        return replace(self, lines=tuple(lines))

    def without(self, name: str) -> "Outcome":
        """The same where it was told just before into what the control of this name was turned."""
        return replace(self, lines=tuple(line for line in self.lines if _turned(line)[1:] != (name,)))

    def after(self, first: "Outcome") -> "Outcome":
        """The same, with what another gesture had done before it."""
        own = self.lines if self.telling or not first.telling else ()
        told = tuple(line for line in first.lines if line not in own and not line.startswith(_CALM))
        return replace(
            self,
            lines=(*told, *own),
            news=self.news or first.news,
            changed=first.changed or self.changed,
            opened=(*first.opened, *self.opened),
            downloads=(*first.downloads, *self.downloads),
        )

    @property
    def text(self) -> str:
        """The lines for a model."""
        said = [
            *self.lines,
            *([self.news] if self.news else []),
            *(f"Error shown: {error}" for error in self.errors if not _said(error, self.lines)),
        ]
        said += [f"A new tab opened: {tab.id} ({tab.url}). Pass its tabId to work there." for tab in self.opened]
        said += self.downloads
        return "\n".join(said)


class Tab:
    """What automation tools act on. `id` is what clients see, `raw` the browser's own number."""

    def __init__(self, link: Link, tab_id: TabId, raw: int, downloads: Downloads, arrivals: Arrivals) -> None:
        self.id = tab_id
        self.raw = raw
        self.remote = link.remote
        self.cdp = Cdp(link, raw)
        self.frames = Frames(link, raw, self.cdp)
        self.cdp.requests.alive = self.frames.lives
        self.refs = Refs()
        children = Children(self.cdp)
        self.console = Console(children)
        self.network = Network(children)
        self.contexts = Contexts(children)
        self.downloads = downloads
        self.last_filled: str | None = None
        """The ref of the field filled in last: keys are meant for it if nothing else has the caret."""
        self.unfinished: Running | None = None
        """A tool of the page that a dialog holds up."""
        self.shrunk = False
        """Its view was larger than a picture may be, the last time one was taken."""
        self.shows_closed = True
        """Frames of closed sites were in its last picture or had been in the page, or nobody knows."""
        self.script_abandoned = False
        """The call that ran the last script was cancelled, which the script does not hear of."""
        self.cdp.listen("Page.downloadWillBegin", lambda event: downloads.begun_in(tab_id, event))
        self.shown: Callable[[TabInfo], TabInfo] = lambda tab: tab
        """What may be told of another tab, which this one opened."""
        self._arrivals = arrivals
        self._link = link
        self._opened: list[TabId] = []
        self._already = 0
        """How many of them were open before the last gesture."""
        self._before = downloads.mark

    async def act(
        self,
        gesture: Coroutine[Any, Any, None],
        *,
        aim: Coroutine[Any, Any, None] | None = None,
        wait_ms: int | None = None,
        begins: bool = False,
        hovers: bool = False,
    ) -> Outcome:
        """Perform a gesture, wait until what it causes is over, and tell that. What `aim` asks of the page, which the
        gesture needs, is sent right after the request to note what happens: their answers are waited for together.
        `begins`: the first thing that either asks of a frame is that request, too. `hovers`: the pointer only comes,
        and the page may take its time to show something.

        Raises:
            DialogOpen: the gesture opened a dialog, which holds the page up.
            CommandFailed: `outcome_unknown` if the tab goes meanwhile.
            ToolError: the gesture failed.
        """
        before: list[asyncio.Future[Any]] = []
        if not begins:
            how: JsonObject = {"hovering": True} if hovers else {}
            before.append(asyncio.ensure_future(self._link.request("beginAction", {"tabId": self.raw, **how})))
        if aim is not None:
            before.append(asyncio.ensure_future(self.cdp.dialogs.unless_open(aim)))
        try:
            await asyncio.gather(*before)
        except BaseException:
            gesture.close()
            for task in before:
                task.cancel()
            raise
        self._already, self._before = len(self._opened), self.downloads.mark
        try:
            return await self.cdp.requests.once(self._acted(gesture, wait_ms))
        except UnwatchedDialog:
            raise
        except PopupDialog as exc:
            raise PopupDialog(exc.tab_id, exc.kind, exc.dialog_message, caused=True) from None
        except DialogOpen as exc:
            raise DialogOpen(exc.kind, exc.dialog_message, caused=True) from None

    async def _acted(self, gesture: Coroutine[Any, Any, None], wait_ms: int | None) -> Outcome:
        await self.cdp.dialogs.unless_open(gesture)
        try:
            return await self.settle(wait_ms=wait_ms)
        except CommandFailed as exc:
            if exc.word != TabNotFound.word:
                raise
            # the browser knew of the tab's end before we were told
            raise unknown_outcome(exc.message) from None

    async def settle(self, *, wait_ms: int | None = None) -> Outcome:
        """What became of the last gesture, which a dialog may have held up until now.

        Raises:
            DialogOpen: it opened (another) dialog, here or in a tab that it opened.
        """
        where: JsonObject = {"tabId": self.raw}
        asked = where if wait_ms is None else {**where, "ms": wait_ms}
        already, before = self._already, self._before
        told = await self.frames.unless_held_up(self._link.request("settleAction", asked))
        if told.get("cutOff") is True:
            self.cdp.attachment.lost()
        opened = self._opened[already:]
        there = await self._arrivals(opened) if opened else ()
        if opened and (held_up := self.cdp.dialogs.elsewhere()) is not None:
            raise held_up
        lines = _texts(told, "lines")
        # a tab that is gone at once had become a file
        wait_s = FINISH_S if len(there) < len(opened) else begins_within(lines)
        saved = await self.downloads.caused(self.id, str(told.get("url", "")), before, begins_within_s=wait_s)
        outcome = _outcome(told, tuple(self.shown(tab) for tab in there), tuple(each.text for each in saved))
        came = news.told(told.get("news"), self.refs, self.frames.is_closed, lines)
        return replace(outcome, lines=without_signs(lines) if saved else lines, news=came)

    async def drop_action(self) -> None:
        """Nothing more comes of the last gesture."""
        await self._link.request("settleAction", {"tabId": self.raw, "drop": True})

    async def let_go(self) -> bool:
        """End what is recorded and the debugger's hold on the page; whether there was one that ended."""
        await self.console.stop()
        await self.network.stop()
        attached = self.cdp.attached
        await self.cdp.attachment.detach()
        return attached and not self.cdp.attached

    async def give_back(self) -> None:
        """The person took it back: the call under way in it ends, and so does all that is recorded."""
        await self.cdp.attachment.give_back(
            Stopped(
                f"The person took tab {self.id} back; what was under way in it was stopped.",
                "Leave that tab to them unless they ask you to work there.",
            )
        )
        await self.console.stop()
        await self.network.stop()

    @property
    def opened(self) -> tuple[TabId, ...]:
        """The tabs that this one opened."""
        return tuple(self._opened)

    def popup_opened(self, tab_id: TabId) -> None:
        """The page opened another tab."""
        self._opened.append(tab_id)


def _outcome(told: JsonObject, opened: tuple[TabInfo, ...], downloads: tuple[str, ...]) -> Outcome:
    held = told.get("held")
    return Outcome(
        lines=_texts(told, "lines"),
        errors=_texts(told, "errors"),
        changed=told.get("changed") is True,
        navigated=told.get("navigated") is True,
        title=str(told.get("title", ""))[:MAX_TITLE_CHARS],
        url=str(told.get("url", ""))[:MAX_URL_CHARS],
        opened=opened,
        downloads=downloads,
        held=held if isinstance(held, dict) else None,
        missed=str(told.get("missed", "")),
    )


def _texts(told: JsonObject, name: str) -> tuple[str, ...]:
    listed = told.get(name)
    return tuple(str(each) for each in listed) if isinstance(listed, list) else ()


def _turned(line: str) -> tuple[str, ...]:
    """Role and name of the control that a line says was turned; a long name, which is cut there, is none."""
    found = _TURNED.fullmatch(line)
    return found.group(1, 2) if found else ()


def _state(line: str) -> str:
    return line.rpartition(" is now ")[2]


def _said(error: str, lines: tuple[str, ...]) -> bool:
    return any(error in line for line in lines)
