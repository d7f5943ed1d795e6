"""A tool as a page registers it with the hub: read, checked, and told apart from any other by a hash."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from tabwright import jsonrpc
from tabwright.link.wire import parse_title
from tabwright.model import Json, JsonObject
from tabwright.policy.page_schemas import schema_problem

MAX_NAME: Final = 128
MAX_IN_FRAME: Final = 64
MAX_META_BYTES: Final = 4_096
MAX_ANNOTATION_BYTES: Final = 4_096
MAX_DEPTH: Final = 32
MAX_DIGEST: Final = 100
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_TOO_MANY: Final = f"a frame may register {MAX_IN_FRAME}"
# MCP reserves prefixes whose second label is one of these; a page must not speak for the protocol
_RESERVED: Final = re.compile(r"^(?:[^/]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?/")


@dataclass(frozen=True, slots=True)
class HubTool:
    """Immutable: whatever changes makes another tool of it."""

    name: str
    description: str
    input_schema: JsonObject = field(hash=False)
    annotations: JsonObject = field(default_factory=dict[str, Json], hash=False)
    meta: JsonObject = field(default_factory=dict[str, Json], hash=False)
    claimed_origin: str = ""
    """Of a frame that the page's agent speaks for; believed only of the page itself."""
    digest: str = ""
    """The page agent's own of the tool; given back with a call, it says which tool was meant."""
    title: str = ""
    definition: str = ""
    """A hash of everything the page said of the tool."""

    @property
    def cached(self) -> bool:
        """Whether the page wants it kept when its tab is gone."""
        return self.annotations.get("cache") is True

    @property
    def consequential(self) -> bool:
        """Whether the page itself says that the tool does what cannot simply be undone."""
        return self.annotations.get("consequentialHint") is True or self.annotations.get("destructiveHint") is True


def read_tools(raw: Iterable[Json]) -> tuple[list[HubTool], list[tuple[str, str]]]:
    """The tools of a list, each name once, and those rejected: what they call themselves, and why."""
    tools: dict[str, HubTool] = {}
    rejected: list[tuple[str, str]] = []
    for entry in raw:
        name = _called(entry)
        # reading is what costs: nobody pays for what cannot be listed
        found = _read(entry) if len(tools) < MAX_IN_FRAME else _TOO_MANY
        if isinstance(found, str):
            rejected.append((name, found))
        elif found.name not in tools:
            tools[found.name] = found
        elif tools[found.name] != found:
            rejected.append((name, "its name is there twice"))
    return list(tools.values()), rejected


def _called(raw: Json) -> str:
    """What a tool calls itself, for the log."""
    name = raw.get("name") if isinstance(raw, dict) else None
    return name[:80] if isinstance(name, str) else "?"


def _read(raw: Json) -> HubTool | str:
    if not isinstance(raw, dict):
        return "it is no object"
    name, schema, origin, digest = raw.get("name"), raw.get("inputSchema"), raw.get("origin"), raw.get("digest")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "names are 1-128 of A-Z a-z 0-9 _ . -"
    if not isinstance(schema, dict):
        return "it has no inputSchema"
    problem = schema_problem(schema)
    if problem is not None:
        return problem
    annotations = raw.get("annotations")
    if not isinstance(annotations, dict):
        annotations = {}
    if not _is_small(annotations, MAX_ANNOTATION_BYTES):
        # what it says of its effects must not simply be dropped
        return f"its annotations are above {MAX_ANNOTATION_BYTES} bytes or nested deeper than {MAX_DEPTH}"
    description = raw.get("description")
    made = HubTool(
        name,
        description[:16_384] if isinstance(description, str) else "",
        schema,
        annotations,
        _meta(raw.get("_meta")),
        origin if isinstance(origin, str) else "",
        digest[:MAX_DIGEST] if isinstance(digest, str) else "",
        parse_title(raw),
    )
    return _with_definition(made)


def _with_definition(tool: HubTool) -> HubTool:
    told: list[Json] = [tool.name, tool.description, tool.input_schema, tool.annotations, tool.meta]
    told += [tool.title] if tool.title else []
    # a page that spells the same tool differently has not changed it
    return replace(tool, definition=hashlib.sha256(jsonrpc.encode_sorted(told)).hexdigest())


def restored(
    name: str, description: str, schema: JsonObject, annotations: JsonObject, meta: JsonObject, title: str
) -> HubTool:
    """A tool as it was kept; its hash is computed anew, never read."""
    return _with_definition(HubTool(name, description, schema, annotations, meta, title=title))


def _meta(raw: Json) -> JsonObject:
    """Passed on as it is, without what MCP keeps for itself; too much of it is dropped whole."""
    if not isinstance(raw, dict):
        return {}
    kept = {key: value for key, value in raw.items() if not _RESERVED.match(key) and not key.startswith("tabwright/")}
    return kept if _is_small(kept, MAX_META_BYTES) else {}


def _is_small(value: JsonObject, most: int) -> bool:
    return not _too_deep(value, MAX_DEPTH) and len(jsonrpc.encode(value).encode()) <= most


def _too_deep(value: Json, levels: int) -> bool:
    """Whether it is nested deeper than that; looks no deeper."""
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_too_deep(inner, levels - 1) for inner in inside)
