"""One tab as tools act on it: its page agents, its debugger, the refs given out, and acting with its outcome."""

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from tabwright.browser.cdp import Cdp
from tabwright.browser.frames import Frames
from tabwright.browser.link import Link
from tabwright.browser.refs import Refs
from tabwright.model import JsonObject, TabId


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a gesture, in the page's own few lines, and which tabs it opened."""

    lines: tuple[str, ...]
    errors: tuple[str, ...]
    changed: bool
    navigated: bool
    title: str
    url: str
    opened: tuple[TabId, ...] = ()

    @property
    def text(self) -> str:
        """The lines for a model."""
        said = [*self.lines, *(f"Error shown: {error}" for error in self.errors if not _said(error, self.lines))]
        said += [f"A new tab opened: {tab_id}. Pass its tabId to work there." for tab_id in self.opened]
        return "\n".join(said)


class Tab:
    """What automation tools act on. `id` is what clients see, `raw` the browser's own number."""

    def __init__(self, link: Link, tab_id: TabId, raw: int) -> None:
        self.id = tab_id
        self.frames = Frames(link, raw)
        self.cdp = Cdp(link, raw)
        self.refs = Refs()
        self._link = link
        self._raw = raw
        self._opened: list[TabId] = []

    async def act(self, gesture: Coroutine[Any, Any, None], *, wait_ms: int | None = None) -> Outcome:
        """Perform a gesture, wait until what it causes is over, and tell that.

        Raises:
            DialogOpen: the gesture opened a dialog, which holds the page up.
            ToolError: the gesture failed, or the page went away.
        """
        where: JsonObject = {"tabId": self._raw}
        try:
            await self._link.request("beginAction", where)
        except BaseException:
            gesture.close()
            raise
        already = len(self._opened)
        await self.cdp.unless_dialog(gesture)
        settle = where if wait_ms is None else {**where, "ms": wait_ms}
        told = await self.cdp.unless_dialog(self._link.request("settleAction", settle))
        return _outcome(told, tuple(self._opened[already:]))

    def popup_opened(self, tab_id: TabId) -> None:
        """The page opened another tab."""
        self._opened.append(tab_id)


def _outcome(told: JsonObject, opened: tuple[TabId, ...]) -> Outcome:
    return Outcome(
        lines=_texts(told, "lines"),
        errors=_texts(told, "errors"),
        changed=told.get("changed") is True,
        navigated=told.get("navigated") is True,
        title=str(told.get("title", "")),
        url=str(told.get("url", "")),
        opened=opened,
    )


def _texts(told: JsonObject, name: str) -> tuple[str, ...]:
    listed = told.get(name)
    return tuple(str(each) for each in listed) if isinstance(listed, list) else ()


def _said(error: str, lines: tuple[str, ...]) -> bool:
    return any(error in line for line in lines)
