"""Frames: what is passed on is JSON to the last byte, and an id comes back exactly as it went."""

import json
import random

import pytest

from tabwright.proxy.envelope import (
    MAX_DEPTH,
    Malformed,
    answered_id,
    id_of,
    mend,
    read,
    tab_of,
    text_of,
    wire_id,
    wire_prefix,
)

CALL = '{"jsonrpc":"2.0","id":%s,"method":"getTabs","params":%s}'


@pytest.mark.rule("T39")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (CALL % (1, "[" * 100_000 + "]" * 100_000), -32700),
        (CALL % (1, "[" * 500 + "]" * 500), -32700),
        (CALL % (1, '{"a":' * 500 + "1" + "}" * 500), -32700),
        (CALL % (1, '{"a":NaN}'), -32700),
        (CALL % (1, "{'a':1}"), -32700),
        (CALL % (1, '{"a":"\\ud800"}'), -32700),
        ("\ufeff" + CALL % (1, "{}"), -32700),
        (CALL % (1, '"\x00"'), -32700),
        (CALL % (1, "{}") + "junk", -32700),
        ("", -32700),
        ("[]", -32600),
        ("[" + ",".join(["{}"] * 10_000) + "]", -32600),
        ('"text"', -32600),
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"getTabs"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"a","method":"connect"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "a", "extra": 1, "extra": 2}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    ],
)
def test_what_must_not_be_passed_on_is_refused(data: str, code: int) -> None:
    with pytest.raises(Malformed) as refused:
        read(data.encode())
    assert refused.value.code == code


def test_utf_16_is_refused() -> None:
    with pytest.raises(Malformed):
        read((CALL % (1, "{}")).encode("utf-16"))


@pytest.mark.rule("T27")
@pytest.mark.parametrize(
    "raw", ["0", "1", "-1", '"1"', '""', '"conn-x:1"', '"proxy:1"', '"ext:1"', "9007199254740993", '"\\u00e9"', '"é"']
)
def test_whole_numbers_and_strings_are_ids_to_the_byte(raw: str) -> None:
    assert id_of(read((CALL % (raw, "{}")).encode())) == raw.encode()


@pytest.mark.rule("T27")
@pytest.mark.parametrize("raw", ["1.0", "1e400", "1" * 5_000, json.dumps("x" * 10_000), "null", "{}", "[1]", "true"])
def test_nothing_else_is_an_id(raw: str) -> None:
    with pytest.raises(Malformed) as refused:
        id_of(read((CALL % (raw, "{}")).encode()))
    assert refused.value.code == -32600


def test_a_malformed_message_is_answered_under_its_id_where_it_has_one() -> None:
    with pytest.raises(Malformed) as refused:
        read(b'{"jsonrpc":"2.0","id":"x","method":[]}')
    assert refused.value.raw_id == b'"x"'


def test_spaces_order_and_further_members_are_no_repetition() -> None:
    message = {"method": "m", "more": [1, {"id": 2}], "id": 3, "params": {"id": 4, "method": "n"}}
    for text in (json.dumps(message), json.dumps(message, indent=2), json.dumps(message, separators=(",", ":"))):
        assert id_of(read(text.encode())) == b"3"


def test_many_rows_are_no_depth() -> None:
    rows = json.dumps([{"text": "[[[{{{" * 50, "cells": [[1], [2]]}] * 2_000)
    assert read((CALL % (1, rows)).encode()).params
    nested = "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2)
    assert read((CALL % (1, nested)).encode()).params


def test_half_a_character_in_a_title_does_not_cost_the_answer() -> None:
    frame = mend(b'{"id":"conn-a:1","result":{"title":"\\ud83d broken"}}')
    assert frame is not None
    assert json.loads(bytes(frame.result))["title"] == "\ufffd broken"
    assert mend(b'{"id":"conn-a:1","result":{') is None
    assert mend(b'{"id":"conn-a:1","id":2,"result":"\\ud83d"}') is None


def test_a_tab_is_named_by_a_whole_number_only() -> None:
    for body, tab in (
        ('{"tabId":7}', 7),
        ('{"tabId":"7"}', None),
        ('{"tabId":null}', None),
        ("[]", None),
        ('{"a":"\\"tabId\\":7"}', None),
    ):
        assert tab_of(read((CALL % (1, body)).encode()).params) == tab


def test_text_is_a_string_and_nothing_else() -> None:
    assert [text_of(raw) for raw in (b'"a"', b'"\\u0041"', b"1", b"", b"null")] == ["a", "A", None, None, None]


@pytest.mark.rule("T51")
def test_no_bytes_raise_anything_but_malformed() -> None:
    chance = random.Random(1)
    base = bytearray((CALL % ('"id"', '{"tabId":1,"a":[{"b":"\\u00e9"}]}')).encode())
    for _ in range(20_000):
        data = bytearray(base)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(data))
            data[place : place + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
        try:
            frame = mend(bytes(data)) or read(bytes(data))
            id_of(frame)
            tab_of(frame.params)
            text_of(frame.id)
            answered_id(frame)
        except (Malformed, UnicodeDecodeError):
            # the socket lets no text through that is not UTF-8
            continue


@pytest.mark.parametrize("raw", ["1", "-7", '""', '"a"', '"\\u0041\\/"', '"é\\n"', '"conn-x:1"', '"\\"1\\""'])
def test_an_id_is_known_again_however_the_extension_spells_it(raw: str) -> None:
    sent = wire_id(wire_prefix("conn-a"), raw.encode())
    assert json.loads(sent) == f"conn-a:{raw}"
    for spelt in (json.dumps(json.loads(sent)), json.dumps(json.loads(sent), ensure_ascii=False)):
        assert answered_id(read(f'{{"id":{spelt},"result":{{}}}}'.encode())) == sent


@pytest.mark.rule("T39")
@pytest.mark.parametrize("more", ['"id":1', '"id":2', '"method":"x"', '"params":{}', '"a":1,"a":1'])
def test_a_member_named_twice_is_seen_wherever_it_hides(more: str) -> None:
    call = '{"jsonrpc":"2.0","id":1,"method":"m","params":{}'
    assert read(f"{call}}}".encode()).params
    with pytest.raises(Malformed, match="twice"):
        read(f"{call},{more}}}".encode())
