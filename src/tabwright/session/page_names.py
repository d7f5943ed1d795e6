"""Names and texts of page tools as a list shows them: valid, unique, and never one of ours."""

import logging
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from tabwright import jsonrpc
from tabwright.model import JsonObject, PageTool, TabId, ToolHints, ToolSpec
from tabwright.policy.page_schemas import schema_problem
from tabwright.policy.schemas import cleaned
from tabwright.policy.text import MAX_DESCRIPTION, MAX_TITLE, clean

MAX_TOOLS: Final = 64
MAX_TOOLS_IN_ALL: Final = 128
MAX_LIST_BYTES: Final = 200_000
_FOUND: Final = ("introspection", "generic")
_TOO_MUCH: Final = "the page and its frames offer too much in all"
_VALID_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# digits that pass for letters; every other look-alike is no valid character to begin with
_SKELETON: Final = str.maketrans("015i-.", "olsl__")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page tool under the name it is listed by, and what that name stood for."""

    tab_id: TabId
    origin: str
    tool: PageTool
    spec: ToolSpec = field(compare=False)

    def same_as(self, other: "PageEntry") -> bool:
        """Whether calling the one is calling the other: same tab, same origin, same definition."""
        mine = (self.tab_id, self.origin, self.tool.definition)
        return mine == (other.tab_id, other.origin, other.tool.definition)


def page_entries(
    tab_id: TabId, tab_origin: str, tools: Iterable[PageTool], reserved: frozenset[str]
) -> dict[str, PageEntry]:
    """The page's tools by listed name, in the page's order. What cannot be listed is left out and logged."""
    ours = {skeleton(name) for name in reserved}
    entries: dict[str, PageEntry] = {}
    refused: list[str] = []
    budget = Budget()
    left_out = 0
    for tool in tools:
        origin = tool.origin or tab_origin
        name = _free_name(listed_name(tool.name, ours), tool, entries)
        # reading is what costs: nobody pays for what cannot be listed
        full = budget.full(tool)
        left_out += tool.omitted + (full is not None)
        problem = full or _problem(tool) or budget.problem(tool) or (None if name else "its name is taken")
        if problem is not None or name is None:
            log.debug("page tool %r of %s is not listed: %s", tool.name[:80], origin, problem)
            refused.append(problem or "")
            continue
        entries[name] = PageEntry(tab_id, origin, tool, _spec(name, origin, tool, ours))
    if refused:
        log.warning("%d page tools of tab %s are not listed; the first: %s", len(refused), tab_id, refused[0])
    return _saying(left_out, entries) if left_out else entries


def _saying(left_out: int, entries: dict[str, PageEntry]) -> dict[str, PageEntry]:
    """The same, the last that a page registered saying that there are more."""
    last = next((name for name in reversed(entries) if entries[name].tool.source not in _FOUND), None)
    if last is None:
        return entries
    # rounded, or a page that goes on registering would change the list all the time
    number = str(left_out) if left_out < 10 else f"More than {left_out // 10 * 10 - 1}"
    entry = entries[last]
    tools = "tool of this page is" if left_out == 1 else "tools of this page are"
    told = f"{entry.spec.description} ({number} other {tools} not listed.)"
    return {**entries, last: replace(entry, spec=replace(entry.spec, description=told))}


@dataclass(slots=True)
class Budget:
    """What a page may put into a list: so many tools a frame, so many and so much in all."""

    frames: Counter[int] = field(default_factory=Counter[int])
    bytes: int = 0

    def full(self, tool: PageTool) -> str | None:
        """Whether no tool of this frame has a place any more, whatever it is."""
        if self.frames[tool.frame_id] >= MAX_TOOLS:
            return f"a page may offer {MAX_TOOLS}"
        return _TOO_MUCH if self.frames.total() >= MAX_TOOLS_IN_ALL else None

    def problem(self, tool: PageTool) -> str | None:
        size = len(jsonrpc.encode(tool.input_schema).encode()) + len(tool.description[:MAX_DESCRIPTION].encode())
        if self.bytes + size > MAX_LIST_BYTES:
            return _TOO_MUCH
        self.frames[tool.frame_id] += 1
        self.bytes += size
        return None


def _free_name(name: str, tool: PageTool, entries: dict[str, PageEntry]) -> str | None:
    """The name, or one with a number where another frame has taken it; None where its own frame has."""
    taken = entries.get(name)
    if taken is None:
        return name
    if taken.tool.frame_id == tool.frame_id and taken.tool.name == tool.name:
        return None
    return next((other for number in range(2, 10) if (other := f"{name}_{number}") not in entries), None)


def listed_name(name: str, our_skeletons: Iterable[str]) -> str:
    shown = name.replace(".", "_")
    # what the hub lists of other sites begins so; no page's own tool may be taken for one of those
    ours = skeleton(name) in our_skeletons or skeleton(name).startswith(_HUB_SKELETON)
    return f"page_{shown}" if ours else shown


def skeleton(name: str) -> str:
    """What a hasty reader takes the name for."""
    return re.sub("_+", "_", name.casefold().translate(_SKELETON)).replace("rn", "m")


def _problem(tool: PageTool) -> str | None:
    if not _VALID_NAME.fullmatch(tool.name):
        return "names are 1-64 of A-Z a-z 0-9 _ . -"
    return schema_problem(tool.input_schema)


def _spec(name: str, origin: str, tool: PageTool, our_skeletons: Iterable[str]) -> ToolSpec:
    # a page's own word never makes its tool look harmless; what we found ourselves we know
    read_only = tool.source in _FOUND and tool.annotations.get("readOnlyHint") is True
    description = clean(tool.description, MAX_DESCRIPTION)
    title = clean(tool.title, MAX_TITLE)
    schema: JsonObject = {**cleaned(tool.input_schema), "type": "object"}
    return ToolSpec(
        name=name,
        # the label tells whose words these are
        description=f"[{origin or 'page'}] {description}".strip(),
        input_schema=schema,
        hints=ToolHints(read_only=read_only, destructive=not read_only, open_world=True),
        # clients show it to people in place of the name: it must not pass for one of ours either
        title="" if skeleton(title.replace(" ", "_")) in our_skeletons else title,
    )


_HUB_SKELETON: Final = skeleton("website_tool_")
