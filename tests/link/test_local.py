"""The local dialect: JSON-RPC out, JSON-RPC and typed messages in, never an exception."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.link.dialect import Answered, Incoming, Refused, Reply, Told
from tabwright.link.events import CdpEvent, TabClosed
from tabwright.link.local import PONG, LocalDialect


def decode(message: object) -> list[Incoming]:
    return LocalDialect().decode(json.dumps(message))


def replies(incoming: list[Incoming]) -> list[Any]:
    return [json.loads(told.text) for told in incoming if isinstance(told, Reply)]


def test_a_command_is_a_request_and_an_abandoned_one_a_cancel_notice() -> None:
    dialect = LocalDialect()
    [frame] = dialect.encode(3, "click", {"x": 1})
    assert json.loads(frame) == {"jsonrpc": "2.0", "id": 3, "method": "click", "params": {"x": 1}}
    [frame] = dialect.abandon(3)
    assert json.loads(frame) == {"jsonrpc": "2.0", "method": "cancel", "params": {"id": 3}}


@pytest.mark.parametrize(
    ("message", "incoming"),
    [
        ({"jsonrpc": "2.0", "id": 3, "result": {"tabId": 1}}, [Answered(3, {"tabId": 1})]),
        ({"jsonrpc": "2.0", "id": 3, "result": [1]}, [Answered(3, {"value": [1]})]),
        ({"jsonrpc": "2.0", "id": 3, "error": {"code": -1, "message": "no"}}, [Refused(3, -1, "no")]),
        (
            {"jsonrpc": "2.0", "id": 3, "error": {"code": -1, "message": "no", "data": {"code": "stale_ref"}}},
            [Refused(3, -1, "no", "stale_ref")],
        ),
        (
            {"jsonrpc": "2.0", "id": 3, "error": {"code": -1, "message": "no", "data": {"code": 7}}},
            [Refused(3, -1, "no", "failed")],
        ),
        ({"jsonrpc": "2.0", "id": "foreign", "result": {}}, []),
        ({"jsonrpc": "2.0", "method": "somethingNew"}, []),
        ({"type": "ping"}, [Reply(PONG)]),
        ({"type": "tabClosed", "tabId": 4}, [Told(TabClosed(4))]),
        ({"type": "a later word"}, []),
    ],
)
def test_each_frame_means_one_thing(message: object, incoming: list[Incoming]) -> None:
    assert decode(message) == incoming


@pytest.mark.parametrize(("session", "told"), [("S", "S"), (7, None)])
def test_a_debugger_event_is_told_with_its_tab_and_session(session: Any, told: str | None) -> None:
    params = {"tabId": 4, "method": "Page.loadEventFired", "params": {"t": 1}, "sessionId": session}
    message = {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": params}
    assert decode(message) == [Told(CdpEvent(4, "Page.loadEventFired", {"t": 1}, told))]


@pytest.mark.parametrize(
    "params", [{}, {"tabId": 4}, {"method": "m"}, {"tabId": 4, "method": "m", "params": []}, {"tabId": 4, "method": 1}]
)
def test_a_broken_debugger_event_is_answered_as_invalid(params: object) -> None:
    [reply] = replies(decode({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": params}))
    assert reply["error"]["code"] == -32600


def test_the_extension_has_nothing_to_ask() -> None:
    [reply] = replies(decode({"jsonrpc": "2.0", "id": "ext:1", "method": "tools/call", "params": {}}))
    assert (reply["id"], reply["error"]["code"]) == ("ext:1", -32601)


@pytest.mark.parametrize(("frame", "code"), [("{", -32700), ("[]", -32600), ("{}", -32600)])
def test_a_broken_frame_is_answered_and_the_link_lives(frame: str, code: int) -> None:
    [reply] = replies(LocalDialect().decode(frame))
    assert (reply["id"], reply["error"]["code"]) == (None, code)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(
    ["connected", "tabCreated", "tabUpdated", "tabClosed", "tabFocused", "toolsChanged", "popupOpened", "toolResult"]
)
FIELDS = st.sampled_from(["tab", "tabs", "tabId", "tools", "browser", "id", "result", "error", "method", "params"])


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """Typed and untyped messages whose fields hold anything."""
    fields: dict[str, Any] = draw(st.dictionaries(FIELDS, JSON, max_size=4))
    word = draw(st.none() | WORDS)
    return fields if word is None else {"type": word, **fields}


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=40) | messages().map(json.dumps))
def test_no_frame_makes_the_dialect_raise(frame: str | bytes) -> None:
    LocalDialect().decode(frame)
