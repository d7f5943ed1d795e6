"""Calls and results without the SDK's models: the same as with them, and what is odd is left to them."""

from typing import Any, cast

import pytest
from mcp_types import PROTOCOL_VERSION_META_KEY, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tabwright.edges.mcp.asking import InputNeeded
from tabwright.edges.mcp.handlers import Context
from tabwright.edges.mcp.plain import plain_call, stamped, wire_result
from tabwright.model import Audio, Image, Notes, Resource, ResourceLink, Text, ToolResult

MODERN = MODERN_PROTOCOL_VERSIONS[0]
ENVELOPE = {PROTOCOL_VERSION_META_KEY: MODERN}
LINK = ResourceLink("file:///tmp/a.gif", "a.gif", "image/gif", 7)
NOTES = Notes({"audience": ["user"]}, {"a": 1})
AUDIO = Audio("AAAA", "audio/wav", NOTES)
RESULTS = [
    ToolResult((Text("42"),)),
    ToolResult((Text("no"),), {"error": {"code": "x", "next": None}}, is_error=True),
    ToolResult((Image("AAAA", "image/jpeg"), Text("é"))),
    ToolResult((Text("saved"), LINK), meta={"a": [1, None]}),
    ToolResult((AUDIO, Resource("note:1", "Tea", meta={"b": 1}), Resource("note:2", blob="AAAA", mime_type="a/b"))),
    ToolResult(()),
]


class Asked:
    """As much of a request as is looked at."""

    def __init__(self, params: Any, version: str = "2025-11-25", method: str = "tools/call", meta: Any = None) -> None:
        self.params, self.protocol_version, self.method, self.meta = params, version, method, meta


def called(*args: Any, **kwargs: Any) -> tuple[str, Any] | None:
    return plain_call(cast(Context, Asked(*args, **kwargs)))


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
@pytest.mark.parametrize("result", RESULTS)
def test_a_result_is_what_the_models_write(result: ToolResult, version: str) -> None:
    told = wire_result(result, version)
    assert methods.serialize_server_result("tools/call", version, told) == told


def test_clients_that_know_no_links_are_told_of_them_in_words() -> None:
    of_page = ResourceLink("https://a.example/a.gif", "a.gif", "image/gif", 7)
    told = wire_result(ToolResult((Text("here"), of_page)), "2025-03-26")
    words = {"type": "text", "text": "[link to a.gif: https://a.example/a.gif (image/gif, 7 bytes)]"}
    assert told["content"] == [{"type": "text", "text": "here"}, words]


def test_of_files_that_our_own_words_tell_such_clients_hear_once() -> None:
    told = wire_result(ToolResult((Text("saved"), LINK)), "2025-03-26")
    assert told["content"] == [{"type": "text", "text": "saved"}]


def test_clients_that_know_no_audio_are_told_of_it_in_words() -> None:
    assert wire_result(ToolResult((AUDIO,)), "2024-11-05")["content"] == [
        {"type": "text", "text": "[audio, audio/wav, 3 bytes]"}
    ]
    assert wire_result(ToolResult((AUDIO,)), "2025-03-26")["content"] == [
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav", "annotations": {"audience": ["user"]}}
    ]


def test_parts_have_meta_where_the_revision_has_it() -> None:
    result = ToolResult((Text("a", NOTES), Resource("note:1", "Tea", meta={"b": 1})))
    text, resource = wire_result(result, "2025-06-18")["content"]
    assert text == {"type": "text", "text": "a", "annotations": {"audience": ["user"]}, "_meta": {"a": 1}}
    assert resource == {"type": "resource", "resource": {"uri": "note:1", "text": "Tea", "_meta": {"b": 1}}}
    text, resource = wire_result(result, "2025-03-26")["content"]
    assert text == {"type": "text", "text": "a", "annotations": {"audience": ["user"]}}
    assert resource == {"type": "resource", "resource": {"uri": "note:1", "text": "Tea"}}


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_plain_call_is_read(version: str) -> None:
    assert called({"name": "a", "arguments": {"b": 1}}, version) == ("a", {"b": 1})
    assert called({"name": "a"}, version) == ("a", {})
    assert called({"name": "a", "_meta": {"progressToken": 1}}, version, meta={"progressToken": 1}) == ("a", {})


@pytest.mark.parametrize(
    "params",
    [None, {}, {"name": 1}, {"name": "a", "arguments": []}, {"name": "a", "arguments": None}, {"name": "a", "task": {}},
     {"name": "a", "_meta": 7}],
)  # fmt: skip
def test_what_is_odd_is_left_to_the_models(params: Any) -> None:
    assert called(params) is None


def test_an_envelope_in_the_wrong_era_is_left_to_whoever_keeps_clients_to_theirs() -> None:
    assert called({"name": "a", "_meta": ENVELOPE}, meta=ENVELOPE) is None
    assert called({"name": "a"}, MODERN) is None


def test_a_plain_call_of_the_modern_era_is_read() -> None:
    params = {"name": "a", "arguments": {"b": 1}, "_meta": ENVELOPE}
    assert called(params, MODERN, meta=ENVELOPE) == ("a", {"b": 1})
    assert called({**params, "requestState": "x"}, MODERN, meta=ENVELOPE) is None
    assert called({**params, "inputResponses": {}}, MODERN, meta=ENVELOPE) is None


def test_other_requests_are_left_to_the_models() -> None:
    assert called({"name": "a"}, method="tools/list") is None


@pytest.mark.parametrize("own", [None, {"a": 1}, {"server": "another"}])
def test_a_modern_result_says_whose_it_is_unless_it_does_already(own: dict[str, Any] | None) -> None:
    result: dict[str, Any] = {"content": []} if own is None else {"content": [], "_meta": own}
    assert stamped(result, {"server": "ours"}) == {"content": [], "_meta": {"server": "ours", **(own or {})}}


def test_a_question_of_the_modern_era_is_stamped_like_a_result() -> None:
    asked = InputNeeded("Really?", {"type": "object", "properties": {}}, "state").result
    told = stamped(asked, {"server": "ours"})
    assert methods.serialize_server_result("tools/call", MODERN, told) == told
    assert (told["resultType"], told["requestState"]) == ("input_required", "state")
