"""The list a session sees: by its face, its toolsets, its state, and what the focused page offers."""

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

from tabwright import jsonrpc
from tabwright.model import Face, Json, Toolset, ToolSpec
from tabwright.policy.cursors import read_cursor, write_cursor
from tabwright.session.page_names import PageEntry
from tabwright.session.states import TOOLS, State
from tabwright.session.workspace import Workspace

HUB_PAGE: Final = 200
"""So many tools of the hub are listed at once; a cursor leads to the next."""


class CatalogEntry(Protocol):
    """What a list must know of one of our tools."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def toolset(self) -> Toolset: ...

    @property
    def faces(self) -> frozenset[Face]: ...

    @property
    def chooses_browser(self) -> bool:
        """Shown only while there is a choice."""
        ...


class MoreTools(Protocol):
    """Tools of all tabs, kept elsewhere: possibly very many, so they are told apart without being looked at."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """By name."""
        ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def active(self) -> str:
        """What of their descriptions follows the person from tab to tab."""
        ...


@dataclass(frozen=True)
class Listing:
    """A list as it was shown: the specs in order, and what each page tool's name stands for."""

    own: tuple[ToolSpec, ...]
    """Our tools, and those of the focused page."""
    pages: Mapping[str, PageEntry] = field(default_factory=dict[str, PageEntry])
    hub: MoreTools | None = None
    known: str | None = field(default=None, compare=False)
    """The fingerprint of all but the hub, where it is known already."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self.own if self.hub is None else (*self.own, *self.hub.specs)

    @property
    def fingerprint(self) -> str:
        """Tells lists apart. The hub keeps its own: what happens there must not cost a look at everything here."""
        return self._base if self.hub is None else f"{self._base} {self.hub.fingerprint}"

    @cached_property
    def _base(self) -> str:
        if self.known is not None:
            return self.known
        told: list[Json] = [[spec.name, spec.description, spec.input_schema] for spec in self.own]
        targets: list[Json] = [[entry.tab_id, entry.origin, entry.tool.definition] for entry in self.pages.values()]
        return hashlib.sha256(jsonrpc.encode([told, targets]).encode()).hexdigest()

    def with_hub(self, hub: MoreTools | None) -> "Listing":
        """The same list with another hub."""
        return Listing(self.own, self.pages, hub, self._base)

    @property
    def minor(self) -> str:
        """What alone is told less often than any other change."""
        return "" if self.hub is None else self.hub.active

    def page(self, cursor: str | None) -> tuple[tuple[ToolSpec, ...], str | None]:
        """One page of the list, and where the next begins.

        Raises:
            InvalidArguments: the cursor is none of ours.
        """
        more = self.hub.specs if self.hub is not None else ()
        after = 0 if cursor is None else bisect_right(more, read_cursor(cursor), key=lambda spec: spec.name)
        own = self.own if cursor is None else ()
        end = after + HUB_PAGE
        return (*own, *more[after:end]), write_cursor(more[end - 1].name) if len(more) > end else None


def list_tools(
    workspace: Workspace,
    catalog: Sequence[CatalogEntry],
    pages: Mapping[str, PageEntry],
    linked_browsers: int,
    hub: MoreTools | None = None,
    *,
    automates: bool = True,
) -> Listing:
    """Everything this session can call now. `pages` are the focused tab's, `hub` is there if it is wanted; not every
    browser `automates`.
    """
    options = workspace.options
    ours = [
        entry.spec
        for entry in catalog
        if options.face in entry.faces
        and (linked_browsers > 1 if entry.chooses_browser else entry.toolset in options.toolsets)
        and (options.face is Face.STABLE or entry.chooses_browser or _disclosed(workspace, entry))
        and (automates or entry.toolset is not Toolset.AUTOMATION or entry.chooses_browser)
    ]
    if options.face is Face.STABLE or Toolset.FOCUS not in options.toolsets:
        return Listing(tuple(ours), hub=hub)
    return Listing((*ours, *(entry.spec for entry in pages.values())), pages, hub)


def _disclosed(workspace: Workspace, entry: CatalogEntry) -> bool:
    if entry.toolset is Toolset.FOCUS:
        return entry.spec.name in TOOLS[workspace.state]
    if entry.toolset is Toolset.HUB:
        return True
    # without the focus toolset nothing could ever bring these into view
    return workspace.state is State.FOCUSED or Toolset.FOCUS not in workspace.options.toolsets
