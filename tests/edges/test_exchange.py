"""An exchange's books: whatever is asked in whatever pieces, each request is answered once and nothing is left over."""

import asyncio
import json
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.edges.mcp.exchange import BadMessage, Exchange, read

PIECES = st.lists(st.lists(st.sampled_from(["request", "note", "wrong"]), min_size=1, max_size=5), max_size=6)


class Told:
    def __init__(self) -> None:
        self.texts: list[str] = []

    async def send(self, text: str) -> None:
        self.texts.append(text)


def part(kind: str, number: int) -> dict[str, Any]:
    match kind:
        case "request":
            return {"jsonrpc": "2.0", "id": number, "method": "ping"}
        case "note":
            return {"jsonrpc": "2.0", "method": "notifications/x"}
        case _:
            return {"jsonrpc": "2.0", "id": number}


def ids_of(batch: list[Any]) -> list[int]:
    return sorted(answer["id"] for answer in batch)


async def test_a_result_arrives_as_it_was_given() -> None:
    told = Told()
    result: dict[str, Any] = {
        "text": 'é\u2028\x7f\x00\U0001f600"\\',
        "big": 2**70,
        "small": -0.1,
        "none": None,
        "in": [{}],
    }
    await Exchange(told.send).put(types.JSONRPCResponse(jsonrpc="2.0", id="a", result=result))
    assert [json.loads(text) for text in told.texts] == [{"jsonrpc": "2.0", "id": "a", "result": result}]
    assert "\n" not in told.texts[0]


async def test_an_interruption_answers_all_that_is_open_and_nothing_twice() -> None:
    told = Told()
    exchange = Exchange(told.send)
    await exchange.admit(read(json.dumps(part("request", 1)).encode()))
    await exchange.admit(read(json.dumps([part("request", 2), part("request", 3)]).encode()))
    await exchange.put(types.JSONRPCResponse(jsonrpc="2.0", id=2, result={}))
    await exchange.interrupt("It ends.")
    await exchange.interrupt("It ends.")
    for late in (1, 3):
        await exchange.put(types.JSONRPCResponse(jsonrpc="2.0", id=late, result={}))
    single, batch = map(json.loads, told.texts)
    assert (single["id"], single["error"]["data"]) == (1, {"code": "outcome_unknown"})
    assert [("result" in answer, answer["id"]) for answer in batch] == [(True, 2), (False, 3)]
    assert exchange.unanswered == 0


@pytest.mark.parametrize(
    ("asked", "named", "unanswered"), [(7, "7", 0), ("7", 7, 0), ("x", "x", 0), (1, True, 1), (7, 8, 1), ("x", "y", 1)]
)
async def test_a_request_is_cancelled_by_its_number_or_the_text_of_it(
    asked: int | str, named: int | str, unanswered: int
) -> None:
    exchange = Exchange(Told().send)
    await exchange.admit(read(json.dumps({"jsonrpc": "2.0", "id": asked, "method": "tools/call"}).encode()))
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": named}}
    await exchange.admit(read(json.dumps(note).encode()))
    assert exchange.unanswered == unanswered


@given(pieces=PIECES, shuffle=st.randoms(use_true_random=False), cancel=st.booleans())
def test_every_request_of_every_batch_is_answered_once(pieces: list[list[str]], shuffle: Any, cancel: bool) -> None:
    async def run() -> None:
        told = Told()
        exchange = Exchange(told.send)
        number, open_ids = 0, list[int]()
        batches: list[tuple[int, list[int]]] = []
        for piece in pieces:
            parts = [part(kind, number + place) for place, kind in enumerate(piece)]
            ids = [number + place for place, kind in enumerate(piece) if kind == "request"]
            number += len(piece)
            await exchange.admit(read(json.dumps(parts).encode()))
            open_ids += ids
            batches.append((piece.count("wrong"), ids))
        shuffle.shuffle(open_ids)
        cancelled = {open_ids.pop()} if cancel and open_ids else set[int]()
        for request_id in cancelled:
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}
            await exchange.admit(read(json.dumps(note).encode()))
        for request_id in open_ids:
            await exchange.put(types.JSONRPCResponse(jsonrpc="2.0", id=request_id, result={}))
        answers: list[list[Any]] = [json.loads(text) for text in told.texts]
        arrays = [
            (sum("error" in each for each in answer), ids_of([each for each in answer if "result" in each]))
            for answer in answers
        ]
        expected = [(wrong, [each for each in ids if each not in cancelled]) for wrong, ids in batches]
        assert sorted(arrays) == sorted((wrong, ids) for wrong, ids in expected if wrong or ids)
        assert exchange.unanswered == 0
        await exchange.drained()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("sent", "code", "request_id"),
    [
        (b"{not json", -32700, None),
        (b"42", -32600, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":"a","method":1}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    ],
)
def test_what_is_no_message_is_refused_under_its_id(sent: bytes, code: int, request_id: int | str | None) -> None:
    with pytest.raises(BadMessage) as refused:
        read(sent)
    assert (refused.value.code, refused.value.request_id) == (code, request_id)
    assert json.loads(refused.value.answer)["id"] == request_id


async def test_an_id_used_twice_counts_twice() -> None:
    told = Told()
    exchange = Exchange(told.send)
    twice = json.dumps([part("request", 1), part("request", 1)]).encode()
    await exchange.admit(read(twice))
    await exchange.admit(read(twice))
    assert exchange.unanswered == 4
    for _ in range(4):
        await exchange.put(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
    assert [len(json.loads(text)) for text in told.texts] == [2, 2]
    assert exchange.unanswered == 0
