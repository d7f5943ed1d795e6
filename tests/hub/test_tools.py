"""Tools as pages describe them: read, rejected with a reason, and told apart by what they say."""

import pytest

from tabwright.hub.tools import MAX_IN_FRAME, HubTool, read_tools
from tabwright.model import Json, JsonObject
from tests.hub.test_registry import tool


def wide(parts: int) -> JsonObject:
    nothing: list[Json] = [{} for _ in range(parts)]
    return {"type": "object", "allOf": nothing}


def nested(levels: int) -> JsonObject:
    made: JsonObject = {}
    for _ in range(levels):
        made = {"a": [made]}
    return made


def read(*raw: Json) -> list[HubTool]:
    tools, rejected = read_tools(raw)
    assert rejected == []
    return tools


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (7, "it is no object"),
        ({}, "names are"),
        (tool(""), "names are"),
        (tool("a b"), "names are"),
        (tool("a" * 129), "names are"),
        ({"name": "a"}, "it has no inputSchema"),
        ({"name": "a", "inputSchema": []}, "it has no inputSchema"),
        (tool("a", inputSchema={"type": "array"}), "its schema is not an object's"),
        (tool("a", inputSchema={"properties": {"x": 5}}), "its properties are not schemas"),
        (tool("a", inputSchema={"$ref": "https://evil.example/"}), "its schema is not valid"),
        (tool("a", inputSchema={"enum": ["x" * 20_000]}), "bytes"),
        (tool("a", inputSchema={"type": "object", "properties": {"x": {"enum": ["pay\u200b"]}}}), "hides characters"),
        (tool("a", inputSchema={"type": "object", "properties": {"x\x08": {}}}), "hides characters"),
        (tool("a", inputSchema=wide(1_500)), "grows"),
        (tool("a", annotations={"x": "y" * 5_000}), "its annotations are above"),
        (tool("a", annotations=nested(900)), "nested deeper than"),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_reason_and_the_rest_stays(raw: Json, reason: str) -> None:
    tools, [(_, why)] = read_tools([raw, tool("good")])
    assert [each.name for each in tools] == ["good"]
    assert reason in why


def test_a_name_there_twice_is_the_first_one_s() -> None:
    tools, rejected = read_tools([tool("a", "One."), tool("a", "Two."), tool("a", "One.")])
    assert [each.description for each in tools] == ["One."]
    assert rejected == [("a", "its name is there twice")]


def test_the_definition_is_all_the_page_says_in_whatever_order() -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}}
    other: JsonObject = {"properties": {"a": {"type": "string"}}, "type": "object"}
    same = {read(tool("a", inputSchema=each))[0].definition for each in (schema, other)}
    assert len(same) == 1
    different = [
        tool("a"), tool("b"), tool("a", "Other."), tool("a", inputSchema=schema),
        tool("a", annotations={"cache": True}), tool("a", _meta={"x/y": 1}), tool("a", title="A"),
    ]  # fmt: skip
    assert len({read(each)[0].definition for each in different}) == len(different)


def test_only_a_plain_yes_is_a_hint() -> None:
    for value, said in ((True, True), (False, False), ("true", False), (1, False), (None, False)):
        [made] = read(tool("a", annotations={"cache": value, "consequentialHint": value}))
        assert (made.cached, made.consequential) == (said, said)
    assert read(tool("a", annotations={"destructiveHint": True}))[0].consequential
    assert not read(tool("a", annotations=[]))[0].consequential


def test_meta_is_passed_on_without_what_is_reserved_and_not_without_end() -> None:
    kept: JsonObject = {"shop/shelf": 7, "plain": [1]}
    reserved: JsonObject = {"io.modelcontextprotocol/x": 1, "mcp/y": 2, "tools.mcp.com/z": 3, "tabwright/frame": 4}
    [made] = read(tool("a", _meta={**kept, **reserved}))
    assert made.meta == kept
    assert read(tool("a", _meta={"x/y": "z" * 5_000}))[0].meta == {}
    assert read(tool("a", _meta=nested(300)))[0].meta == {}
    assert read(tool("a", _meta=7))[0].meta == {}


def test_what_is_above_the_quota_is_not_even_read() -> None:
    tools, rejected = read_tools([*(tool(f"t{number}") for number in range(MAX_IN_FRAME)), {"name": "no schema"}])
    assert len(tools) == MAX_IN_FRAME
    assert rejected == [("no schema", f"a frame may register {MAX_IN_FRAME}")]
