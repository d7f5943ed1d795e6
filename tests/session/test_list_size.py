"""What a page can cause in a list: so many bytes, and so much work, however much it offers (T53)."""

from collections.abc import Mapping
from typing import Any

import pytest

from tabwright import jsonrpc
from tabwright.model import Json, JsonObject, PageTool, TabId
from tabwright.session import page_names
from tabwright.session.page_names import page_entries

EMPTY: JsonObject = {"type": "object", "properties": {}}
MOST_BYTES = 256 * 1024
WIDE = "\U0001f600" * 5_000
"""Four bytes a character."""


def offered(count: int, frames: int, schema: JsonObject, description: str) -> list[PageTool]:
    return [
        PageTool(name=f"tool_{number}", description=description, input_schema=schema, frame_id=number % frames)
        for number in range(count)
    ]


def listed(tools: list[PageTool]) -> Mapping[str, Any]:
    return page_entries(TabId(1), "https://a.test", tools, frozenset())


def size(entries: Mapping[str, Any]) -> int:
    told: list[Json] = [
        {"name": name, "description": entry.spec.description, "inputSchema": entry.spec.input_schema}
        for name, entry in entries.items()
    ]
    return len(jsonrpc.encode(told).encode())


@pytest.mark.parametrize("frames", [1, 2, 40])
@pytest.mark.parametrize("described", ["", "x" * 5_000, WIDE])
def test_what_a_page_and_its_frames_put_into_a_list_has_a_bounded_size(frames: int, described: str) -> None:
    wide: JsonObject = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "title": WIDE[:40]} for n in range(30)},
    }
    for schema in (EMPTY, wide):
        entries = listed(offered(1_000, frames, schema, described))
        assert 0 < len(entries) <= 128
        assert size(entries) <= MOST_BYTES


def test_ten_thousand_tools_cost_what_those_that_are_listed_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[JsonObject]()

    def counted(schema: JsonObject) -> str | None:
        read.append(schema)
        return None

    monkeypatch.setattr(page_names, "schema_problem", counted)
    assert len(listed(offered(10_000, 1, EMPTY, "x"))) == 64
    assert len(read) == 64, "nobody reads the schema of a tool that has no place"
