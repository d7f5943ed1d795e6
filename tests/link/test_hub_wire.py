"""The hub protocol's messages, in both spellings."""

import pytest

from tabwright.errors import CommandFailed, InvalidRequest
from tabwright.link.hub_wire import (
    MAX_OMITTED,
    Confirming,
    Progressing,
    Registering,
    confirmed_message,
    execute_message,
    parse_answer,
    parse_hub_message,
)
from tabwright.model import Json, JsonObject


def test_a_registration_is_read_in_both_spellings() -> None:
    params: JsonObject = {"tools": [{"name": "a"}], "tabUrl": "https://a.test/", "extensions": {"x": 1}}
    told = Registering([{"name": "a"}], False, "https://a.test/", {"x": 1})
    assert parse_hub_message({"jsonrpc": "2.0", "method": "browser/registerTools", "params": params}) == told
    update = parse_hub_message({"method": "browser/updateTools", "params": {"tools": [], "tabUrl": 7}})
    assert update == Registering([], True)
    assert parse_hub_message({"type": "register-tools", "tools": []}) == Registering([], False, old=True)
    assert parse_hub_message({"type": "tools-updated", "tools": []}) == Registering([], True, old=True)


@pytest.mark.parametrize(
    "message",
    [
        {"method": "browser/registerTools"},
        {"method": "browser/registerTools", "params": []},
        {"method": "browser/updateTools", "params": {"tools": {}}},
        {"type": "register-tools", "tools": "all"},
    ],
)
def test_tools_that_are_no_array_are_refused(message: JsonObject) -> None:
    with pytest.raises(InvalidRequest, match="tools is an array"):
        parse_hub_message(message)


@pytest.mark.parametrize("message", [{}, {"type": "tool-result"}, {"method": "ping"}, {"id": 1, "result": {}}])
def test_what_is_none_of_the_hubs_is_nothing(message: JsonObject) -> None:
    assert parse_hub_message(message) is None


def test_a_page_s_question_and_its_answer() -> None:
    asked = parse_hub_message({"id": 3, "method": "browser/elicitConfirmation", "params": {"message": "Pay?"}})
    assert asked == Confirming(3, "Pay?")
    assert confirmed_message(Confirming(3, "Pay?"), None) == {
        "jsonrpc": "2.0",
        "id": 3,
        "result": {"confirmed": True},
    }
    assert parse_hub_message({"id": "q", "method": "browser/elicitConfirmation"}) == Confirming("q", "")
    old = parse_hub_message({"type": "confirm-action", "requestId": "r", "message": "Pay?"})
    assert old == Confirming("r", "Pay?", old=True)
    named = parse_hub_message(
        {"id": "q", "method": "browser/elicitConfirmation", "params": {"message": "Pay?", "callId": "c"}}
    )
    assert named == Confirming("q", "Pay?", call="c")
    named = parse_hub_message({"type": "confirm-action", "requestId": "r", "message": "Pay?", "callId": 7})
    assert named == Confirming("r", "Pay?", old=True, call="7"), "of no call"
    said = {"type": "confirm-result", "requestId": "r", "confirmed": False, "reason": "denied"}
    assert confirmed_message(Confirming("r", "Pay?", old=True), "denied") == said


def test_a_call_is_made_in_the_spelling_of_its_page() -> None:
    assert execute_message("i", "add", {"a": 1}) == {
        "jsonrpc": "2.0", "id": "i", "method": "browser/executeTool", "params": {"toolName": "add", "args": {"a": 1}},
    }  # fmt: skip
    old: JsonObject = {"type": "execute-tool", "toolName": "add", "args": {}, "requestId": "i"}
    assert execute_message("i", "add", {}, old=True) == old


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"id": "i", "result": {"success": True, "payload": {"content": []}}}, {"content": []}),
        ({"success": True, "payload": 7}, 7),
        ({"type": "tool-result", "requestId": "i", "data": {"success": True, "payload": "x"}}, "x"),
        (
            {"success": False, "payload": "sold out"},
            {"content": [{"type": "text", "text": "sold out"}], "isError": True},
        ),
        ({"success": False, "payload": {"content": []}}, {"content": [], "isError": True}),
        (
            {"success": False},
            {"content": [{"type": "text", "text": "The tool failed; its page gave no reason."}], "isError": True},
        ),
        ({"success": False, "payload": 7}, {"content": [{"type": "text", "text": "7"}], "isError": True}),
        (
            {"id": "i", "error": {"code": -32602, "message": "bad quantity"}},
            {"content": [{"type": "text", "text": "bad quantity"}], "isError": True},
        ),
    ],
)
def test_an_answer_is_a_result(answer: JsonObject, result: Json) -> None:
    assert parse_answer(answer, "i") == result


def test_a_page_that_has_another_tool_of_that_name_has_run_nothing() -> None:
    with pytest.raises(CommandFailed, match="another one") as caught:
        parse_answer({"success": False, "payload": "another one", "extensions": {"code": "stale_target"}})
    assert (caught.value.word, caught.value.code) == ("stale_target", -32015)


@pytest.mark.parametrize(
    "answer",
    [
        {"id": "another", "result": {"success": True, "payload": 1}},
        {"type": "tool-result", "requestId": "another", "data": {"success": True, "payload": 1}},
        {"success": False, "payload": "late", "extensions": {"code": "outcome_unknown"}},
        {},
        {"success": "false", "payload": "no"},
        {"success": 1, "payload": "yes"},
        {"id": "i", "result": {"payload": "yes"}},
    ],
)
def test_what_answers_nothing_leaves_the_outcome_unknown(answer: JsonObject) -> None:
    with pytest.raises(CommandFailed) as caught:
        parse_answer(answer, "i")
    assert caught.value.word == "outcome_unknown"


@pytest.mark.parametrize(("told", "omitted"), [(136, 136), (-1, 0), (10**9, MAX_OMITTED), ("7", 0), (None, 0)])
def test_how_many_tools_are_left_out_is_a_number_within_bounds(told: Json, omitted: int) -> None:
    assert Registering([], False, extensions={"omitted": told}).omitted == omitted


def test_how_far_a_call_is_is_read_if_it_says_so_in_numbers() -> None:
    def told(**params: Json) -> object:
        return parse_hub_message({"method": "notifications/progress", "params": params})

    assert told(progressToken="c", progress=1, total=4, message="Looking") == Progressing("c", 1, 4, "Looking")
    assert told(progressToken="c", progress=0.5, total=None) == Progressing("c", 0.5)
    assert told(progressToken="c", progress="much") is None
    assert told(progressToken=7, progress=1) is None, "of no call of ours"
    assert told(progressToken="c", progress=float("inf")) is None
