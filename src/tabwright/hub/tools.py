"""A tool as a page registers it with the hub: read, checked, and told apart from any other by a hash."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tabwright import jsonrpc
from tabwright.model import Json, JsonObject
from tabwright.policy.page_schemas import schema_problem

MAX_NAME: Final = 128
MAX_META_BYTES: Final = 4_096
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
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
        name = str(entry.get("name"))[:80] if isinstance(entry, dict) else "?"
        found = _read(entry)
        if isinstance(found, str):
            rejected.append((name, found))
        elif found.name not in tools:
            tools[found.name] = found
        elif tools[found.name] != found:
            rejected.append((name, "its name is there twice"))
    return list(tools.values()), rejected


def _read(raw: Json) -> HubTool | str:
    if not isinstance(raw, dict):
        return "it is no object"
    name, schema, origin = raw.get("name"), raw.get("inputSchema"), raw.get("origin")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "names are 1-128 of A-Z a-z 0-9 _ . -"
    if not isinstance(schema, dict):
        return "it has no inputSchema"
    problem = schema_problem(schema)
    if problem is not None:
        return problem
    description, annotations = raw.get("description"), raw.get("annotations")
    made = HubTool(
        name,
        description[:16_384] if isinstance(description, str) else "",
        schema,
        annotations if isinstance(annotations, dict) else {},
        _meta(raw.get("_meta")),
        origin if isinstance(origin, str) else "",
    )
    return _with_definition(made)


def _with_definition(tool: HubTool) -> HubTool:
    told: list[Json] = [tool.name, tool.description, tool.input_schema, tool.annotations, tool.meta]
    digest = hashlib.sha256(jsonrpc.encode(_sorted(told)).encode()).hexdigest()
    return HubTool(
        tool.name, tool.description, tool.input_schema, tool.annotations, tool.meta, tool.claimed_origin, digest
    )


def restored(name: str, description: str, schema: JsonObject, annotations: JsonObject, meta: JsonObject) -> HubTool:
    """A tool as it was kept; its hash is computed anew, never read."""
    return _with_definition(HubTool(name, description, schema, annotations, meta))


def _meta(raw: Json) -> JsonObject:
    """Passed on as it is, without what MCP keeps for itself; too much of it is dropped whole."""
    if not isinstance(raw, dict):
        return {}
    kept = {key: value for key, value in raw.items() if not _RESERVED.match(key) and not key.startswith("tabwright/")}
    return kept if len(jsonrpc.encode(kept)) <= MAX_META_BYTES else {}


def _sorted(value: Json) -> Json:
    """Objects with their keys in order: a page that spells the same tool differently has not changed it."""
    match value:
        case dict():
            return {key: _sorted(value[key]) for key in sorted(value)}
        case list():
            return [_sorted(item) for item in value]
        case _:
            return value
