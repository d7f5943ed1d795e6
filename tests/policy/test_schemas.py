"""Arguments against a page's schema: wrong ones are told, and a schema can neither fetch nor hang."""

import time

import pytest

from tabwright.model import JsonObject
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
    began = time.monotonic()
    assert problems(schema, {"a": "a" * 5_000 + "!"}) is not None
    assert time.monotonic() - began < 1


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
