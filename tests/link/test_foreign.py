"""The foreign dialect: answers matched by what they say, since tabs.md's messages carry no ids."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from tabwright.link.dialect import Answered, Incoming, Refused, Reply, Told
from tabwright.link.events import TabActivated, TabClosed, TabCreated, TabMessage, ToolsReported
from tabwright.link.foreign import ForeignDialect
from tests.fakes import tab
from tests.link.test_local import messages


def frames(encoded: list[str]) -> list[Any]:
    return [json.loads(frame) for frame in encoded]


def receive(dialect: ForeignDialect, **message: object) -> list[Incoming]:
    return dialect.decode(json.dumps(message))


def answers(incoming: list[Incoming]) -> list[Incoming]:
    return [told for told in incoming if not isinstance(told, Told)]


def test_connect_is_answered_by_connected_whoever_asked() -> None:
    dialect = ForeignDialect()
    assert frames(dialect.encode(1, "connect", {})) == [{"type": "connect", "launch": False}]
    dialect.encode(2, "connect", {})
    assert answers(receive(dialect, type="connected")) == [Answered(1, {}), Answered(2, {})]
    assert answers(receive(dialect, type="connected")) == []


def test_tabs_are_opened_one_at_a_time_and_the_next_created_one_answers() -> None:
    dialect = ForeignDialect()
    asked = dialect.encode(1, "createTab", {"url": "https://a.test/", "focus": True})
    assert frames(asked) == [{"type": "openTab", "url": "https://a.test/", "focus": True}]
    assert dialect.encode(2, "createTab", {"url": "https://b.test/"}) == []

    told, answered, asked_next = receive(dialect, type="tabCreated", tab={"id": 9, "url": "https://a.test/"})
    assert told == Told(TabCreated(tab(9, "https://a.test/", "")))
    assert answered == Answered(1, {"tabId": 9, "url": "https://a.test/"})
    assert isinstance(asked_next, Reply)
    assert json.loads(asked_next.text) == {"type": "openTab", "url": "https://b.test/", "focus": False}
    assert answers(receive(dialect, type="tabCreated", tab={"id": 10})) == [Answered(2, {"tabId": 10, "url": ""})]


def test_a_tab_the_person_opened_answers_nobody() -> None:
    assert receive(ForeignDialect(), type="tabCreated", tab={"id": 9}) == [Told(TabCreated(tab(9, "", "")))]


def test_focusing_is_answered_by_the_tools_of_that_tab() -> None:
    dialect = ForeignDialect()
    assert frames(dialect.encode(1, "focusTab", {"tabId": 5})) == [{"type": "focusTab", "tabId": 5}]
    assert answers(receive(dialect, type="tabFocused", tabId=6, tools=[])) == []
    assert receive(dialect, type="tabFocused", tabId=5, tools=[]) == [Told(ToolsReported(5, ())), Answered(1, {})]


def test_a_closed_tab_answers_its_closing_and_refuses_its_focusing() -> None:
    dialect = ForeignDialect()
    assert frames(dialect.encode(1, "closeTab", {"tabId": 5})) == [{"type": "closeTab", "tabId": 5}]
    dialect.encode(2, "focusTab", {"tabId": 5})
    assert answers(receive(dialect, type="tabClosed", tabId=5)) == [
        Answered(1, {"tabId": 5}),
        Refused(2, -32001, "No tab 5.", "tab_not_found"),
    ]


def test_a_page_tool_is_called_by_its_call_id() -> None:
    dialect = ForeignDialect()
    asked = dialect.encode(7, "callTool", {"tabId": 5, "toolName": "star", "args": {"n": 1}})
    assert frames(asked) == [{"type": "callTool", "callId": "7", "tabId": 5, "toolName": "star", "args": {"n": 1}}]
    assert receive(dialect, type="toolResult", callId="7", result="ok") == [Answered(7, {"result": "ok"})]


@pytest.mark.parametrize(("error", "text"), [("boom", "boom"), ({"why": 1}, '{"why":1}')])
def test_an_error_of_a_page_tool_is_a_refusal(error: object, text: str) -> None:
    told = receive(ForeignDialect(), type="toolResult", callId="7", result=None, error=error)
    assert told == [Refused(7, -32000, text, "page_error")]


def test_an_abandoned_call_is_answered_by_nothing_any_more() -> None:
    dialect = ForeignDialect()
    dialect.encode(1, "connect", {})
    dialect.encode(2, "focusTab", {"tabId": 5})
    assert dialect.abandon(1) == []
    assert dialect.abandon(2) == []
    assert answers(receive(dialect, type="connected")) == []
    assert answers(receive(dialect, type="tabFocused", tabId=5, tools=[])) == []


def test_an_abandoned_open_tab_makes_room_for_the_next() -> None:
    dialect = ForeignDialect()
    for call_id in (1, 2, 3):
        dialect.encode(call_id, "createTab", {"url": f"https://{call_id}.test/"})
    assert dialect.abandon(2) == []
    assert [frame["url"] for frame in frames(dialect.abandon(1))] == ["https://3.test/"]
    assert answers(receive(dialect, type="tabCreated", tab={"id": 9})) == [Answered(3, {"tabId": 9, "url": ""})]


def test_a_ping_gets_its_pong_and_a_later_word_nothing() -> None:
    assert receive(ForeignDialect(), type="ping") == [Reply('{"type":"pong"}')]
    assert receive(ForeignDialect(), type="somethingNew") == []
    assert receive(ForeignDialect(), type="toolResult", callId="not a number") == []


@pytest.mark.parametrize("frame", ["{", "[]", '{"type":"tabClosed"}'])
def test_a_broken_frame_is_answered_with_an_error(frame: str) -> None:
    [reply] = ForeignDialect().decode(frame)
    assert isinstance(reply, Reply)
    assert json.loads(reply.text)["type"] == "error"


@settings(deadline=None, max_examples=100)
@given(messages())
def test_no_message_makes_the_dialect_raise(message: dict[str, Any]) -> None:
    dialect = ForeignDialect()
    dialect.encode(1, "createTab", {})
    dialect.decode(json.dumps(message))


def test_a_call_id_of_many_digits_does_not_make_the_dialect_raise() -> None:
    assert receive(ForeignDialect(), type="toolResult", callId="9" * 5_000) == []


def test_a_tab_that_closes_ends_its_running_tools() -> None:
    dialect = ForeignDialect()
    dialect.encode(1, "callTool", {"tabId": 7, "toolName": "x", "args": {}})
    told = dialect.decode('{"type":"tabClosed","tabId":7}')
    assert told[0] == Told(TabClosed(7))
    assert isinstance(told[1], Refused)
    assert (told[1].call_id, told[1].code, told[1].word) == (1, -32011, "outcome_unknown")


def test_the_late_tab_of_an_abandoned_open_answers_nobody_else() -> None:
    dialect = ForeignDialect()
    dialect.encode(1, "createTab", {"url": "https://a.test/"})
    dialect.abandon(1)
    dialect.encode(2, "createTab", {"url": "https://b.test/"})
    late = '{"type":"tabCreated","tab":{"id":8,"title":"A","url":"https://a.test/"}}'
    assert [type(told) for told in dialect.decode(late)] == [Told]
    mine = dialect.decode('{"type":"tabCreated","tab":{"id":9,"title":"B","url":"https://b.test/"}}')
    assert mine[1] == Answered(2, {"tabId": 9, "url": "https://b.test/"})


def test_a_focus_nobody_asked_for_is_the_persons() -> None:
    dialect = ForeignDialect()
    told = dialect.decode('{"type":"tabFocused","tabId":7,"tools":[]}')
    assert told[-1] == Told(TabActivated(7))
    dialect.encode(1, "focusTab", {"tabId": 7})
    assert Told(TabActivated(7)) not in dialect.decode('{"type":"tabFocused","tabId":7,"tools":[]}')


def test_true_is_no_call_of_ours() -> None:
    outcomes: list[dict[str, Any]] = [{"result": {}}, {"error": {"code": 1, "message": "no"}}]
    for outcome in outcomes:
        assert receive(ForeignDialect(), jsonrpc="2.0", id=True, **outcome) == []
        assert len(receive(ForeignDialect(), jsonrpc="2.0", id=1, **outcome)) == 1


BANK: dict[str, Any] = {"name": "pay", "inputSchema": {}, "origin": "https://bank.example"}
PLAIN = {key: value for key, value in BANK.items() if key != "origin"}


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ({"method": "browser/registerTools", "params": {"tools": [BANK, "x"]}}, {"params": {"tools": [PLAIN, "x"]}}),
        ({"type": "register-tools", "tools": [BANK]}, {"tools": [PLAIN]}),
        ({"method": "browser/updateTools", "params": {"tools": 5}}, {"params": {"tools": 5}}),
    ],
)
def test_no_page_of_such_a_browser_says_whose_a_tool_is(message: dict[str, Any], kept: dict[str, Any]) -> None:
    where = {"tabId": 7, "documentId": "d", "origin": "https://shop.example"}
    [told] = receive(ForeignDialect(), type="tabMessage", **where, message=message)
    assert isinstance(told, Told)
    assert isinstance(told.event, TabMessage)
    assert told.event.message == {**message, **kept}
    assert told.event.origin == "https://shop.example"
    [told] = receive(ForeignDialect(), type="toolsChanged", tabId=7, tools=[BANK])
    assert isinstance(told, Told)
    assert isinstance(told.event, ToolsReported)
    assert [tool.origin for tool in told.event.tools] == [""]
