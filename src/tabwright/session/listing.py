"""The list a session sees: by its face, its toolsets, its state, and what the focused page offers."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from tabwright import jsonrpc
from tabwright.model import Face, Json, Toolset, ToolSpec
from tabwright.session.page_names import PageEntry
from tabwright.session.states import TOOLS, State
from tabwright.session.workspace import Workspace


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


@dataclass(frozen=True)
class Listing:
    """A list as it was shown: the specs in order, and what each page tool's name stands for."""

    specs: tuple[ToolSpec, ...]
    pages: Mapping[str, PageEntry] = field(default_factory=dict[str, PageEntry])

    @cached_property
    def fingerprint(self) -> str:
        told: list[Json] = [[spec.name, spec.description, spec.input_schema] for spec in self.specs]
        targets: list[Json] = [[entry.tab_id, entry.origin, entry.tool.definition] for entry in self.pages.values()]
        return hashlib.sha256(jsonrpc.encode([told, targets]).encode()).hexdigest()


def list_tools(
    workspace: Workspace,
    catalog: Sequence[CatalogEntry],
    pages: Mapping[str, PageEntry],
    linked_browsers: int,
    *,
    automates: bool = True,
) -> Listing:
    """Everything this session can call now. `pages` are the focused tab's; not every browser `automates`."""
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
        return Listing(tuple(ours))
    return Listing((*ours, *(entry.spec for entry in pages.values())), pages)


def _disclosed(workspace: Workspace, entry: CatalogEntry) -> bool:
    if entry.toolset is Toolset.FOCUS:
        return entry.spec.name in TOOLS[workspace.state]
    # without the focus toolset nothing could ever bring these into view
    return workspace.state is State.FOCUSED or Toolset.FOCUS not in workspace.options.toolsets
