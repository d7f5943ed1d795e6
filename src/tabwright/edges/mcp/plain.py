"""Calls and results of tools as the JSON they are, without the SDK's models on their way in and out.

By the models a call is read twice and its answer made, written, read and written again, of which nothing is learnt
where name and arguments are plainly there. Whatever is odd is left to them.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import BaseModel

from tabwright.edges.mcp.eras import is_enveloped
from tabwright.edges.mcp.handlers import Context
from tabwright.model import Audio, Content, Image, JsonObject, Notes, Resource, ResourceLink, Text, ToolResult

_LEGACY: Final = frozenset(HANDSHAKE_PROTOCOL_VERSIONS)
_AUDIO_SINCE: Final = "2025-03-26"
_LINKS_SINCE: Final = "2025-06-18"
_META_SINCE: Final = "2025-06-18"
"""Of a part of an answer."""
_KNOWN: Final = frozenset({"name", "arguments", "_meta"})


def plain_call(ctx: Context) -> tuple[str, JsonObject] | None:
    """Name and arguments of a call; None where the models have to say what it is, or what is wrong with it."""
    if ctx.method != "tools/call":
        return None
    params = ctx.params or {}
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict) or not params.keys() <= _KNOWN:
        return None
    if ("_meta" in params and ctx.meta is None) or is_enveloped(params) is (ctx.protocol_version in _LEGACY):
        return None
    return name, cast(JsonObject, arguments)


def wire_result(result: ToolResult, version: str) -> dict[str, Any]:
    """A result in MCP's words, as the client's revision has them."""
    told: dict[str, Any] = {
        "content": [_content(part, version) for part in result.content if not _is_said(part, version)],
        "isError": result.is_error,
    }
    if version not in _LEGACY:
        # others are a question, or a thing to be waited for
        told["resultType"] = "complete"
    if result.structured is not None:
        told["structuredContent"] = result.structured
    if result.meta is not None:
        told["_meta"] = result.meta
    return told


def stamped(result: BaseModel | Mapping[str, Any], stamp: Mapping[str, Any]) -> dict[str, Any]:
    """What every result of the modern era says of its server, as the models would have added it."""
    told = (
        dict(result)
        if isinstance(result, Mapping)
        else result.model_dump(by_alias=True, mode="json", exclude_none=True)
    )
    return {**told, "_meta": {**stamp, **(told.get("_meta") or {})}}


def _is_said(part: Content, version: str) -> bool:
    """A link to a file that we wrote, which our own words tell as well, for a client that knows no links."""
    return version < _LINKS_SINCE and isinstance(part, ResourceLink) and part.uri.startswith("file:")


def _content(part: Content, version: str) -> dict[str, Any]:
    # some clients refuse a whole answer for one part of a kind that they do not know
    if (isinstance(part, Audio) and version < _AUDIO_SINCE) or (
        isinstance(part, ResourceLink) and version < _LINKS_SINCE
    ):
        return {"type": "text", "text": part.in_words}
    notes = {} if part.notes is None else _notes(part.notes, version)
    match part:
        case Text(text=text):
            return {"type": "text", "text": text, **notes}
        case Image(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type, **notes}
        case Audio(data=data, mime_type=mime_type):
            return {"type": "audio", "data": data, "mimeType": mime_type, **notes}
        case Resource():
            return {"type": "resource", "resource": _resource(part, version), **notes}
        case ResourceLink():
            return {"type": "resource_link", **_link(part), **notes}


def _resource(part: Resource, version: str) -> dict[str, Any]:
    told: dict[str, Any] = {"uri": part.uri}
    if part.mime_type:
        told["mimeType"] = part.mime_type
    told |= {"blob": part.blob} if part.text is None else {"text": part.text}
    return told if part.meta is None or version < _META_SINCE else {**told, "_meta": part.meta}


def _link(part: ResourceLink) -> dict[str, Any]:
    known = {"title": part.title, "description": part.description, "mimeType": part.mime_type, "size": part.size}
    return {
        "uri": part.uri,
        "name": part.name,
        **{key: value for key, value in known.items() if value not in ("", None)},
    }


def _notes(notes: Notes, version: str) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if notes.annotations is not None:
        told["annotations"] = notes.annotations
    if notes.meta is not None and version >= _META_SINCE:
        told["_meta"] = notes.meta
    return told
