"""What the hub keeps beyond the life of tab and gateway: tools that may be cached, and the numbers of tabs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tabwright.hub.tools import HubTool


@dataclass(frozen=True, slots=True)
class CachedTool:
    """A tool that outlives its tab, under the name it is listed by without one."""

    name: str
    origin: str
    tool: HubTool
    url: str
    """Where its page was; opening it brings the tool back."""
    updated_at: float

    @property
    def key(self) -> tuple[str, str]:
        return self.origin, self.tool.name


class HubMemory(Protocol):
    """Whatever keeps it. `profile` is one browser profile; a tab is the browser's own number for it."""

    def cached(self, profile: str | None) -> Sequence[CachedTool]:
        """The cached tools of one profile; None: of all."""
        ...

    def keep(self, profile: str, tools: Iterable[CachedTool]) -> None: ...
    def drop(self, profile: str, keys: Iterable[tuple[str, str]]) -> None: ...

    def numbers(self, profile: str) -> tuple[Mapping[int, int], int]:
        """The numbers its tabs have, and the first that was never given."""
        ...

    def number(self, profile: str, tab: int, number: int, now: float) -> None:
        """This tab has this number from now on; it is never given again."""
        ...

    def forget_tabs(self, profile: str, tabs: Iterable[int]) -> None: ...

    def seen(self, profile: str, now: float) -> None:
        """Its tabs are still there."""
        ...


class NoMemory:
    """Keeps nothing: for transports whose tabs nobody could recognise again."""

    def cached(self, profile: str | None) -> Sequence[CachedTool]:
        return ()

    def keep(self, profile: str, tools: Iterable[CachedTool]) -> None:
        """Nothing."""

    def drop(self, profile: str, keys: Iterable[tuple[str, str]]) -> None:
        """Nothing."""

    def numbers(self, profile: str) -> tuple[Mapping[int, int], int]:
        return {}, 1

    def number(self, profile: str, tab: int, number: int, now: float) -> None:
        """Nothing."""

    def forget_tabs(self, profile: str, tabs: Iterable[int]) -> None:
        """Nothing."""

    def seen(self, profile: str, now: float) -> None:
        """Nothing."""
