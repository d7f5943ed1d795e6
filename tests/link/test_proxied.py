"""The proxy dialect, and what the link does about calls the proxy did not deliver or lost."""

import json
from typing import Any

import pytest

from tabwright.errors import CommandFailed, InvalidRequest
from tabwright.link.core import Effect, Emit, LinkCore, Reject, Resolve, Send
from tabwright.link.dialect import Answered, Lost, Refused, Told, Undelivered
from tabwright.link.events import CdpEvent, Connected, Ended, TabClosed
from tabwright.link.local import OWN_COMMANDS
from tabwright.link.proxied import (
    MAX_CHARS,
    STANDARD_COMMANDS,
    ProxiedDialect,
    read_introduction,
    read_stranger,
)

UNKNOWN = {"code": -32011, "message": "The connection broke", "data": {"code": "outcome_unknown"}}
NOT_CONNECTED = {"code": -32010, "message": "Not connected", "data": {"code": "not_connected"}}
SHUTTING_DOWN = {"code": -32000, "message": "Server shutting down", "data": {"code": "shutting_down"}}


def spoken(**message: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **message})


def attached() -> tuple[LinkCore, ProxiedDialect]:
    core, dialect = LinkCore(5.0), ProxiedDialect(OWN_COMMANDS)
    core.attached(dialect, 0.0)
    return core, dialect


def failed(effects: list[Effect]) -> list[tuple[int, str]]:
    return [(effect.call_id, effect.error.word) for effect in effects if isinstance(effect, Reject)]


def test_calls_are_requests_with_numbers() -> None:
    [text] = ProxiedDialect(OWN_COMMANDS).encode(7, "getTabs", {})
    assert json.loads(text) == {"jsonrpc": "2.0", "id": 7, "method": "getTabs", "params": {}}


def test_a_call_is_cancelled_by_a_request_so_that_the_extension_knows_whose() -> None:
    [text] = ProxiedDialect(OWN_COMMANDS).abandon(7)
    assert json.loads(text) == {"jsonrpc": "2.0", "id": "cancel-7", "method": "cancel", "params": {"id": 7}}
    assert ProxiedDialect(OWN_COMMANDS).decode(spoken(id="cancel-7", result={"cancelled": True})) == []


def test_events_are_notifications_of_the_same_names() -> None:
    dialect = ProxiedDialect(OWN_COMMANDS)
    assert dialect.decode(spoken(method="tabClosed", params={"tabId": 3})) == [Told(TabClosed(3))]
    event: dict[str, Any] = {"tabId": 3, "method": "Page.loadEventFired", "params": {}}
    assert dialect.decode(spoken(method="forwardCDPEvent", params=event)) == [
        Told(CdpEvent(3, "Page.loadEventFired", {}))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        spoken(method="tabClosed", params={"tabId": "x"}),
        spoken(method="status", params={"connected": True, "peer_count": 1}),
        spoken(id="ext:1", method="ping"),
        spoken(method="tomorrow", params={}),
    ],
)
def test_what_is_no_news_is_passed_over(text: str) -> None:
    dialect = ProxiedDialect(OWN_COMMANDS)
    assert (dialect.decode(text), dialect.gone) == ([], None)


@pytest.mark.parametrize(
    ("reason", "left"),
    [("Extension closed", True), ("Extension timed out", True), ("Replaced", False), ("Server shutting down", False)],
)
def test_the_proxys_notice_ends_the_connection_and_not_the_browser(reason: str, left: bool) -> None:
    dialect = ProxiedDialect(OWN_COMMANDS)
    assert not dialect.browser_left
    notice = {"connection_id": "conn-1", "reason": reason}
    assert dialect.decode(spoken(method="disconnected", params=notice)) == []
    assert (dialect.gone, dialect.browser_left) == (reason, left)


@pytest.mark.parametrize(
    ("error", "read"),
    [
        (NOT_CONNECTED, Undelivered(5)),
        (SHUTTING_DOWN, Undelivered(5)),
        (UNKNOWN, Lost(Refused(5, -32011, "The connection broke", "outcome_unknown"))),
        ({"code": -32001, "message": "No tab 9."}, Refused(5, -32001, "No tab 9.")),
    ],
)
def test_refusals_of_the_proxy_are_told_from_those_of_the_browser(error: dict[str, Any], read: object) -> None:
    assert ProxiedDialect(OWN_COMMANDS).decode(spoken(id=5, error=error)) == [read]
    assert ProxiedDialect(OWN_COMMANDS).decode(spoken(id=5, result={"a": 1})) == [Answered(5, {"a": 1})]


def test_a_call_that_was_not_forwarded_waits_for_the_next_connection() -> None:
    core, _ = attached()
    call_id, _ = core.call("closeTab", {"tabId": 1}, 0.0)
    assert core.received(spoken(id=call_id, error=NOT_CONNECTED), 1.0) == []
    core.cut(1.0)
    sends = [effect for effect in core.attached(ProxiedDialect(OWN_COMMANDS), 2.0) if isinstance(effect, Send)]
    assert json.loads(sends[0].text)["method"] == "closeTab"
    assert core.received(spoken(id=call_id, result={}), 2.0) == [Resolve(call_id, {})]


def test_nobody_waits_for_ever_for_a_call_that_was_not_forwarded() -> None:
    core, _ = attached()
    call_id, _ = core.call("closeTab", {"tabId": 1}, 0.0)
    core.received(spoken(id=call_id, error=SHUTTING_DOWN), 1.0)
    assert failed(core.tick(10.0)) == [(call_id, "browser_not_connected")]


def test_news_of_a_call_nobody_waits_for_is_none() -> None:
    core, _ = attached()
    assert core.received(spoken(id=99, error=NOT_CONNECTED), 1.0) == []
    assert core.received(spoken(id=99, error=UNKNOWN), 1.0) == []


def test_a_lost_call_that_only_reads_is_sent_again_once() -> None:
    core, _ = attached()
    call_id, _ = core.call("getTabs", {}, 0.0)
    [again] = core.received(spoken(id=call_id, error=UNKNOWN), 1.0)
    assert isinstance(again, Send)
    assert failed(core.received(spoken(id=call_id, error=UNKNOWN), 2.0)) == [(call_id, "outcome_unknown")]


def test_a_lost_call_that_acts_ends_unknown() -> None:
    core, _ = attached()
    call_id, _ = core.call("click", {}, 0.0)
    assert failed(core.received(spoken(id=call_id, error=UNKNOWN), 1.0)) == [(call_id, "outcome_unknown")]


def test_silence_of_an_extension_behind_a_proxy_means_nothing() -> None:
    core, _ = attached()
    assert core.next_deadline() is None
    assert core.tick(1_000.0) == []


def test_a_cut_may_have_a_grace_of_its_own() -> None:
    core, _ = attached()
    core.cut(0.0, grace_s=30.0)
    assert core.tick(29.0) == []
    assert Emit(Ended("the extension did not come back")) in core.tick(30.0)


def test_a_message_the_proxy_would_not_take_is_refused_here() -> None:
    core, dialect = attached()
    assert not dialect.waiting(1)
    call_id, effects = core.call("tellFrame", {"data": "x" * MAX_CHARS}, 0.0)
    [rejected] = effects
    assert isinstance(rejected, Reject)
    assert (rejected.call_id, isinstance(rejected.error, CommandFailed)) == (call_id, True)
    assert "1 MB" in rejected.error.message


def test_our_own_extension_introduces_itself() -> None:
    told = read_introduction(
        {
            "profileId": "p-1",
            "launched": True,
            "browser": {"name": "Chrome", "version": "141.0"},
            "tabs": [{"id": 4, "title": "T", "url": "https://a.example/"}],
        }
    )
    assert (told.profile, told.launched, told.commands) == ("p-1", True, OWN_COMMANDS)
    assert (told.first.name, told.first.version, [tab.id for tab in told.first.tabs]) == ("Chrome", "141.0", [4])


@pytest.mark.parametrize("result", [{}, {"profileId": ""}, {"profileId": "p", "tabs": 5}])
def test_an_introduction_of_another_shape_is_none(result: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        read_introduction(result)


@pytest.mark.parametrize(
    ("name", "known"),
    [("Chrome 141", ("Chrome", "141")), ("My browser", ("My browser", "")), ("Chrome", ("Chrome", ""))],
)
def test_another_extension_is_known_by_the_name_it_gave(name: str, known: tuple[str, str]) -> None:
    told = read_stranger(name, {"tabs": []})
    assert told.first == Connected(*known, ())
    assert (told.profile, told.commands) == (None, STANDARD_COMMANDS)
