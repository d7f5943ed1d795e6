"""Files the browser saves: which there are, which tab each came from, and what of them has been told.

Chrome does not say which tab a download came from. Three voices do: the extension, where a navigation became one; the
debugger, where it is attached; and the page the download says it was linked from.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabwright.link.events import CdpEvent, DownloadReported
from tabwright.model import TabId

KEPT: Final = 50
HELD_S: Final = 65.0
"""How long the person may be asked about one."""
FINISH_S: Final = 1.5
"""How long a call waits for a file it caused; Chrome takes up to a second after the last byte."""
_SIGNS: Final = {"A download started": FINISH_S, "That led to no other page": 0.4}
"""What the page says of a gesture that saves a file, or may, and how long that file may take to begin."""
_UNITS: Final = ("bytes", "KB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class Download:
    """One file, as it is now."""

    id: int
    url: str
    path: str
    state: str
    received: int
    total: int
    error: str
    referrer: str
    tab_id: TabId | None
    number: int
    """Counts downloads in the order they began."""
    held: bool = False
    """It waits for somebody's word."""
    judged: bool = False
    """Whether agents may have it was asked about."""
    refused: str = ""
    """Why agents may not have it."""

    @property
    def running(self) -> bool:
        return self.state == "in_progress" and not self.refused

    @property
    def text(self) -> str:
        """A line for a model."""
        if self.refused:
            return f"A download was not kept: {self.refused}"
        name = self.path or "a file whose place is not chosen yet"
        match self.state:
            case "complete":
                return f"Downloaded {name} ({_size(max(self.received, self.total))})."
            case "in_progress":
                of = f" of {_size(self.total)}" if self.total > 0 else ""
                return f"Downloading {name}: {_size(self.received)}{of} so far. tabs_context tells when it is done."
            case _:
                return f"The download of {name} failed ({self.error or self.state})."


class Downloads:
    """The latest downloads of one browser."""

    def __init__(self, told: Callable[[int], None] = lambda download_id: None) -> None:
        self._told = told
        self._kept: OrderedDict[int, Download] = OrderedDict()
        self._begun: OrderedDict[str, TabId] = OrderedDict()
        """Addresses whose download the debugger says has begun in a tab, until the browser tells of it too."""
        self._count = 0
        self._news = asyncio.Event()

    @property
    def mark(self) -> int:
        """How many there have been: what begins from now on is above it."""
        return self._count

    def get(self, download_id: int) -> Download | None:
        return self._kept.get(download_id)

    def of(self, tab_id: TabId, page: str = "", *, since: int = 0) -> Sequence[Download]:
        """What a tab has downloaded since a mark, as far as anybody says so; `page` is the tab's address."""
        return [
            download
            for download in self._kept.values()
            if download.number > since and self._came_from(download, tab_id, page)
        ]

    def _came_from(self, download: Download, tab_id: TabId, page: str) -> bool:
        if download.tab_id is not None:
            return download.tab_id == tab_id
        return bool(page) and download.referrer == page

    async def caused(self, tab_id: TabId, page: str, since: int, *, begins_within_s: float = 0.0) -> Sequence[Download]:
        """The same, after a moment for one that is expected to begin, and for those about to be complete."""
        await self._until(lambda: bool(self.of(tab_id, page, since=since)), begins_within_s)
        await self._until(lambda: not any(each.held for each in self.of(tab_id, page, since=since)), HELD_S)
        await self._until(lambda: not any(each.running for each in self.of(tab_id, page, since=since)), FINISH_S)
        caused = self.of(tab_id, page, since=since)
        for download in caused:
            # from now on it is this tab's, wherever the tab goes
            self._kept[download.id] = replace(download, tab_id=tab_id)
        return caused

    async def _until(self, reached: Callable[[], bool], within_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not reached():
                    self._news.clear()
                    await self._news.wait()

    def hold(self, download_id: int) -> None:
        """Its fate is being decided: nobody is told that it is there."""
        self._change(download_id, held=True)

    def settle(self, download_id: int, refused: str = "") -> None:
        """It may be had, or may not, for a reason."""
        self._change(download_id, held=False, refused=refused)

    def _change(self, download_id: int, *, held: bool, refused: str = "") -> None:
        if download_id in self._kept:
            self._kept[download_id] = replace(self._kept[download_id], held=held, judged=True, refused=refused)
            self._news.set()

    # --- what happens

    def apply(self, event: DownloadReported, tab_id: TabId | None) -> None:
        known = self._kept.pop(event.id, None)
        if known is None:
            self._count += 1
            tab_id = tab_id or self._begun.pop(event.url, None)
        self._kept[event.id] = Download(
            event.id, event.url, event.path, event.state, event.received, event.total, event.error, event.referrer,
            tab_id if known is None else tab_id or known.tab_id,
            self._count if known is None else known.number,
            held=known is not None and known.held,
            judged=known is not None and known.judged,
            refused="" if known is None else known.refused,
        )  # fmt: skip
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._told(event.id)
        self._news.set()

    def begun_in(self, tab_id: TabId, event: CdpEvent) -> None:
        """The debugger's `Page.downloadWillBegin`."""
        url = event.params.get("url")
        if not isinstance(url, str):
            return
        for download in reversed(self._kept.values()):
            if download.url == url and download.tab_id is None:
                self._kept[download.id] = replace(download, tab_id=tab_id)
                self._told(download.id)
                return
        self._begun[url] = tab_id
        while len(self._begun) > KEPT:
            self._begun.popitem(last=False)

    def forget(self, tab_id: TabId) -> None:
        """The tab is gone; its number may come to mean another."""
        self._begun = OrderedDict((url, owner) for url, owner in self._begun.items() if owner != tab_id)
        for download in self._kept.values():
            if download.tab_id == tab_id:
                self._kept[download.id] = replace(download, tab_id=None, referrer="")

    def forget_all(self) -> None:
        self._kept.clear()
        self._begun.clear()


def begins_within(lines: Sequence[str]) -> float:
    """How long a file may take to begin, by what the page says of the gesture; 0 if nothing speaks for one."""
    return max((seconds for sign, seconds in _SIGNS.items() if any(line.startswith(sign) for line in lines)), default=0)


def without_signs(lines: Sequence[str]) -> tuple[str, ...]:
    """What is left to say once the file itself is told."""
    return tuple(line for line in lines if not line.startswith(tuple(_SIGNS)))


def _size(count: int) -> str:
    size, unit = float(max(count, 0)), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 100 else f"{size:.1f} {_UNITS[unit]}"
