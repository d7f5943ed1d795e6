"""Names and texts of page tools as a list shows them: valid, unique, and never one of ours."""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tabwright import jsonrpc
from tabwright.model import Json, JsonObject, PageTool, TabId, ToolHints, ToolSpec
from tabwright.policy.text import MAX_DESCRIPTION, clean

MAX_TOOLS: Final = 64
MAX_SCHEMA_BYTES: Final = 16_384
MAX_SCHEMA_DEPTH: Final = 8
_VALID_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# digits that pass for letters; every other look-alike is no valid character to begin with
_SKELETON: Final = str.maketrans("01i-.", "oll__")
_SPOKEN_KEYS: Final = frozenset({"description", "title"})

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
    for tool in tools:
        origin = tool.origin or tab_origin
        problem = _problem(tool, len(entries))
        name = listed_name(tool.name, ours)
        if problem is None and name in entries:
            problem = "its name is taken"
        if problem is not None:
            log.warning("page tool %r of %s is not listed: %s", tool.name[:80], origin or "an opaque origin", problem)
            continue
        entries[name] = PageEntry(tab_id, origin, tool, _spec(name, origin, tool))
    return entries


def listed_name(name: str, our_skeletons: Iterable[str]) -> str:
    shown = name.replace(".", "_")
    return f"page_{shown}" if skeleton(name) in our_skeletons else shown


def skeleton(name: str) -> str:
    """What a hasty reader takes the name for."""
    return name.casefold().translate(_SKELETON).replace("rn", "m")


def _problem(tool: PageTool, listed: int) -> str | None:
    if listed >= MAX_TOOLS:
        return f"a page may offer {MAX_TOOLS}"
    if not _VALID_NAME.fullmatch(tool.name):
        return "names are 1-64 of A-Z a-z 0-9 _ . -"
    if _too_deep(tool.input_schema, MAX_SCHEMA_DEPTH):
        return f"its schema is nested deeper than {MAX_SCHEMA_DEPTH}"
    if len(jsonrpc.encode(tool.input_schema).encode()) > MAX_SCHEMA_BYTES:
        return f"its schema is above {MAX_SCHEMA_BYTES} bytes"
    return None


def _spec(name: str, origin: str, tool: PageTool) -> ToolSpec:
    read_only = tool.annotations.get("readOnlyHint") is True
    description = clean(tool.description, MAX_DESCRIPTION)
    schema: JsonObject = {**_clean_schema(tool.input_schema), "type": "object"}
    return ToolSpec(
        name=name,
        # the label tells whose words these are
        description=f"[{origin or 'page'}] {description}".strip(),
        input_schema=schema,
        hints=ToolHints(read_only=read_only, destructive=not read_only, open_world=True),
    )


def _clean_schema(schema: JsonObject) -> JsonObject:
    return {key: _clean_value(key, value) for key, value in schema.items()}


def _clean_value(key: str, value: Json) -> Json:
    if isinstance(value, dict):
        return _clean_schema(value)
    if isinstance(value, list):
        return [_clean_value(key, item) for item in value]
    return clean(value, MAX_DESCRIPTION) if isinstance(value, str) and key in _SPOKEN_KEYS else value


def _too_deep(value: Json, objects: int, arrays: int = MAX_SCHEMA_DEPTH) -> bool:
    """Whether it holds more objects or arrays in one another; looks no deeper than that."""
    match value:
        case dict():
            return objects == 0 or any(_too_deep(inner, objects - 1, arrays) for inner in value.values())
        case list():
            return arrays == 0 or any(_too_deep(inner, objects, arrays - 1) for inner in value)
        case _:
            return False
