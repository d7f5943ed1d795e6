"""Arguments against a page's schema: wrong ones are told, and a schema can neither fetch nor hang."""

import time

import pytest

from tabwright.model import Json, JsonObject
from tabwright.policy.schemas import cleaned, flaw, problems

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "passengers": {"type": "number", "minimum": 1}},
    "required": ["from"],
}


def test_fitting_arguments_have_no_problems() -> None:
    assert problems(SCHEMA, {"from": "SFO", "passengers": 2}) is None


def test_every_problem_names_its_field() -> None:
    told = problems(SCHEMA, {"passengers": 0})
    assert told is not None
    assert "passengers:" in told
    assert '"from" is a required property' in told
    assert "\n" not in told


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/secret"},
        {"$ref": "file:///etc/passwd"},
        {"$schema": "https://evil.test/schema"},
        {"type": "nonsense"},
        {"properties": []},
    ],
)
def test_a_schema_that_makes_no_sense_or_leads_elsewhere_checks_nothing(schema: JsonObject) -> None:
    assert problems(schema, {"a": 1}) is None


def test_a_hostile_pattern_takes_no_time() -> None:
    schema: JsonObject = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    began = time.process_time()
    assert problems(schema, {"a": "a" * 5_000 + "!"}) is not None
    assert time.process_time() - began < 1


@pytest.mark.rule("T61")
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_alternatives_of_alternatives_are_refused_before_anything_is_checked(keyword: str) -> None:
    levels: JsonObject = {"l0": {"type": "string", "pattern": "^b+$"}}
    for level in range(1, 5):
        below: list[Json] = [{"$ref": f"#/$defs/l{level - 1}"}]
        levels[f"l{level}"] = {keyword: below * 30}
    began = time.process_time()
    assert flaw({"type": "object", "properties": {"a": {"$ref": "#/$defs/l4"}}, "$defs": levels}) is not None
    assert time.process_time() - began < 1, "30 to the power of four were not looked at"


@pytest.mark.rule("T61")
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}},
    ],
)
def test_schemas_that_lead_to_themselves_and_hostile_patterns_end(schema: JsonObject) -> None:
    began = time.process_time()
    if flaw(schema) is None:
        problems(schema, {"a": "a" * 40 + "!"})
    assert time.process_time() - began < 1


@pytest.mark.rule("T61")
def test_headers_that_a_page_would_have_sent_are_not_shown() -> None:
    field: JsonObject = {"type": "string", "x-mcp-header": "A\r\nSet-Cookie: b"}
    assert cleaned({"type": "object", "properties": {"a": field}}) == {
        "type": "object", "properties": {"a": {"type": "string"}},
    }  # fmt: skip


HIDDEN = "a\u202eb\U000e0041c\x07"


def test_clients_see_texts_without_what_is_hidden_and_no_keyword_that_is_none() -> None:
    field: JsonObject = {"type": "string", "title": HIDDEN, "default": HIDDEN, "x-note": HIDDEN}
    schema: JsonObject = {
        "type": "object",
        "description": HIDDEN,
        "$comment": HIDDEN,
        "examples": [{HIDDEN: [HIDDEN]}, 1],
        "properties": {"title": field, "rows": {"type": "array", "items": field, "enum": []}},
        "anyOf": [{"required": ["title"], "note": HIDDEN}, True],
        "$defs": {"one": field},
    }
    shown: JsonObject = {"type": "string", "title": "abc", "default": "abc"}
    assert cleaned(schema) == {
        "type": "object",
        "description": "abc",
        "examples": [{"abc": ["abc"]}, 1],
        "properties": {"title": shown, "rows": {"type": "array", "items": shown}},
        "anyOf": [{"required": ["title"]}, True],
        "$defs": {"one": shown},
    }


def test_several_lines_of_a_default_stay_lines() -> None:
    assert cleaned({"default": "{\n  1\u200b\n}"}) == {"default": "{\n  1\n}"}


def test_what_is_checked_stays_as_the_page_wrote_it() -> None:
    checked: JsonObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2}},
        "additionalProperties": False,
    }
    assert cleaned(checked) == checked
    assert flaw(cleaned(checked)) is None
