"""Arguments for a page's tool: what clients add on the way is undone, and nothing else."""

import pytest

from tabwright.errors import InvalidArguments
from tabwright.model import JsonObject
from tabwright.policy.page_arguments import read_page_arguments

FLIGHTS: JsonObject = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "until": {"type": "string", "format": "date"},
        "seats": {"type": "array", "items": {"type": "number"}},
    },
    "required": ["from"],
    "additionalProperties": False,
}
STAR: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "arguments", "meant"),
    [
        (FLIGHTS, {"from": "SFO", "until": None}, {"from": "SFO"}),
        (FLIGHTS, {"from": "SFO", "seats": "[1, 2]"}, {"from": "SFO", "seats": [1, 2]}),
        (STAR, {"random_string": "dummy"}, {}),
    ],
)
def test_what_clients_add_is_undone(schema: JsonObject, arguments: JsonObject, meant: JsonObject) -> None:
    assert read_page_arguments("tool", schema, arguments) == meant


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"note": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {"type": "object"},
        {"type": "object", "properties": {}},
    ],
)
def test_what_fits_reaches_the_page_as_it_is(schema: JsonObject) -> None:
    arguments: JsonObject = {"note": None}
    assert read_page_arguments("tool", schema, arguments) == arguments


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"from": None}, '"from" is a required property'),
        ({"from": "SFO", "seats": "two"}, "seats: "),
        ({"from": "SFO", "seats": '{"a": 1}'}, "seats: "),
        ({"from": "SFO", "to": "NYC"}, "to"),
    ],
)
def test_what_does_not_fit_is_told(arguments: JsonObject, problem: str) -> None:
    with pytest.raises(InvalidArguments, match=f"search was not called: .*{problem}"):
        read_page_arguments("search", FLIGHTS, arguments)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"type": "object", "patternProperties": {"^x-": {"type": "number"}}, "additionalProperties": False},
        {"type": "object", "$ref": "#/$defs/Order", "$defs": {"Order": {"properties": {"x-a": {"type": "number"}}}}},
        {"type": "object", "anyOf": [{"properties": {"x-a": {"type": "number"}}}]},
    ],
)
def test_what_does_not_fit_is_never_left_out_of_a_tool_that_takes_something(schema: JsonObject) -> None:
    with pytest.raises(InvalidArguments, match="order was not called"):
        read_page_arguments("order", schema, {"x-a": "two"})
