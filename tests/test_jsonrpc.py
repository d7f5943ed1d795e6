"""Envelopes: what is read, what is refused, and that whatever is read could be sent on."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright import jsonrpc
from tabwright.errors import InvalidRequest, ParseError
from tabwright.jsonrpc import Failure, Message, Notification, Request, Response
from tabwright.model import Json, JsonObject


@pytest.mark.parametrize(
    ("message", "parsed"),
    [
        ({"jsonrpc": "2.0", "id": 0, "method": "m", "params": {"a": 1}}, Request(0, "m", {"a": 1})),
        ({"jsonrpc": "2.0", "id": "x", "method": "m"}, Request("x", "m", {})),
        ({"jsonrpc": "2.0", "method": "m"}, Notification("m", {})),
        ({"jsonrpc": "2.0", "id": 1, "result": None}, Response(1, None)),
        ({"id": 1, "result": [1]}, Response(1, [1])),
        ({"id": 1, "error": {"code": -1, "message": "no", "data": 7}}, Failure(1, -1, "no", 7)),
        ({"id": None, "error": {"code": -32700, "message": "no"}}, Failure(None, -32700, "no")),
        ({"error": {"code": -32700, "message": "no"}}, Failure(None, -32700, "no")),
        (
            {"id": 1, "error": {"code": "E", "message": 5}},
            Failure(1, -32000, "The browser reported an error without a message."),
        ),
    ],
)
def test_each_envelope_is_read(message: JsonObject, parsed: Message) -> None:
    assert jsonrpc.parse(message) == parsed


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"id": 1},
        {"id": 1, "result": 1, "error": {}},
        {"id": 1, "error": "text"},
        {"id": None, "result": 1},
        {"result": 1},
        {"id": True, "result": 1},
        {"id": 1.5, "result": 1},
        {"id": [], "method": "m"},
        {"id": None, "method": "m"},
        {"id": "x" * 257, "method": "m"},
        {"method": 7},
        {"method": "m", "params": [1]},
        {"method": "m", "params": None},
    ],
)
def test_what_has_the_shape_of_nothing_is_refused(message: JsonObject) -> None:
    with pytest.raises(InvalidRequest):
        jsonrpc.parse(message)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d"', "\ufffd"),
        (rb'"a\udc00b"', "a\ufffdb"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
        (r'{"a": "\ud83d\ud83d\ude00"}', {"a": "\ufffd\U0001f600"}),
    ],
)
def test_half_a_character_is_replaced_and_nothing_else_is(text: str | bytes, value: Json) -> None:
    assert jsonrpc.decode(text) == value


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"nul", b"NaN", b"Infinity", b"1e999", b"{'a':1}", b'{"a":1}x', b'"\xff"', b'"\xed\xa0\x80"',
        '"\ud800"', b"[" * 100_000, b"1" * 5_000,
    ],
    ids=range(13),
)  # fmt: skip
def test_what_could_not_be_written_again_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ParseError):
        jsonrpc.decode(text)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60) | st.text(max_size=60))
def test_no_bytes_make_decoding_raise_anything_else(data: bytes | str) -> None:
    try:
        value = jsonrpc.decode(data)
    except ParseError:
        return
    assert jsonrpc.decode(jsonrpc.encode(value)) == value


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_every_json_value_survives_the_way_there_and_back(value: Any) -> None:
    assert jsonrpc.decode(jsonrpc.encode(value)) == value
    assert jsonrpc.decode(json.dumps(value)) == value
    assert json.loads(jsonrpc.encode(value)) == value


@pytest.mark.parametrize("text", ["[]", "7", '"x"', "null"])
def test_an_object_is_asked_for_and_nothing_else_will_do(text: str) -> None:
    with pytest.raises(InvalidRequest):
        jsonrpc.decode_object(text)


def test_an_object_is_read() -> None:
    assert jsonrpc.decode_object('{"a":1}') == {"a": 1}


@pytest.mark.parametrize(("data", "told"), [(None, {}), ({"code": "denied"}, {"data": {"code": "denied"}})])
def test_a_failure_carries_data_only_if_it_has_some(data: Json, told: JsonObject) -> None:
    envelope = jsonrpc.failure(3, -32006, "No.", data)
    assert envelope == {"jsonrpc": "2.0", "id": 3, "error": {"code": -32006, "message": "No.", **told}}


def test_a_request_is_written_and_read_back() -> None:
    assert jsonrpc.parse(jsonrpc.request(0, "m", {"a": 1})) == Request(0, "m", {"a": 1})


@pytest.mark.rule("T39")
@pytest.mark.parametrize(
    "text",
    [
        b'{"a":1,"a":1}',
        b'{"a":1e5,"b":{"c":[{"x":1,"y":2,"x":3}]}}',
        b'{"a":1, "\\u0061":2}',
        b'[{"method":"m"},{"method":"m","method":"n"}]',
        b'{"a":"\\ud800\xff","b":1,"b":2}',
    ],
)
def test_a_member_named_twice_is_refused_wherever_it_is(text: bytes) -> None:
    with pytest.raises(InvalidRequest, match="twice"):
        jsonrpc.decode_unambiguous(text)


@settings(deadline=None)
@given(JSON)
def test_what_names_nothing_twice_is_read_however_it_is_spelt(value: Json) -> None:
    for spelt in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False), jsonrpc.encode(value)):
        text = spelt.encode("utf-8", "surrogatepass")
        assert jsonrpc.decode_unambiguous(text) == jsonrpc.decode(text)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":NaN}', b'{"a":"\\ud800\xff"'])
def test_what_is_no_json_is_told_as_that(text: bytes) -> None:
    with pytest.raises(ParseError):
        jsonrpc.decode_unambiguous(text)


@pytest.mark.parametrize("depth", range(300, 1_100, 7))
def test_nesting_is_read_or_refused_and_never_breaks_anything(depth: int) -> None:
    text = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    try:
        value = jsonrpc.decode(text)
    except ParseError:
        value = None
    with contextlib.suppress(ParseError):
        assert jsonrpc.decode_unambiguous(text) == value
