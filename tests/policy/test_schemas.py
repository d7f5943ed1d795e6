"""Arguments against a page's schema: wrong ones are told, and a schema can neither fetch nor hang."""

import time

import pytest

from tabwright.model import JsonObject
from tabwright.policy.schemas import problems

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
