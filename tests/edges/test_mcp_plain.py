"""Calls and results without the SDK's models: the same as with them, and what is odd is left to them."""

from typing import Any, cast

import pytest
from mcp_types import PROTOCOL_VERSION_META_KEY, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tabwright.edges.mcp_handlers import Context
from tabwright.edges.mcp_plain import plain_call, wire_result
from tabwright.model import Audio, Image, Notes, Resource, ResourceLink, Text, ToolResult

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


def test_the_envelope_of_the_modern_era_is_left_to_whoever_keeps_clients_to_theirs() -> None:
    meta = {PROTOCOL_VERSION_META_KEY: MODERN_PROTOCOL_VERSIONS[0]}
    assert called({"name": "a", "_meta": meta}, meta=meta) is None


def test_other_requests_and_the_modern_era_are_left_to_the_models() -> None:
    assert called({"name": "a"}, method="tools/list") is None
    assert called({"name": "a"}, MODERN_PROTOCOL_VERSIONS[0]) is None
