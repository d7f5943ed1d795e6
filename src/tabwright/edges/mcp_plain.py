"""Calls and results of tools as the JSON they are, without the SDK's models on their way in and out.

By the models a call is read twice and its answer made, written, read and written again, of which nothing is learnt
where name and arguments are plainly there. Whatever is odd is left to them.
"""

from typing import Any, Final, cast

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tabwright.edges.mcp_eras import is_enveloped
from tabwright.edges.mcp_handlers import Context
from tabwright.model import Content, Image, JsonObject, ResourceLink, Text, ToolResult

_LEGACY: Final = frozenset(HANDSHAKE_PROTOCOL_VERSIONS)
_LINKS_SINCE: Final = "2025-06-18"
_KNOWN: Final = frozenset({"name", "arguments", "_meta"})


def plain_call(ctx: Context) -> tuple[str, JsonObject] | None:
    """Name and arguments of a legacy call; None where the models have to say what it is, or what is wrong with it."""
    if ctx.method != "tools/call" or ctx.protocol_version not in _LEGACY:
        return None
    params = ctx.params or {}
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict) or not params.keys() <= _KNOWN:
        return None
    if "_meta" in params and (ctx.meta is None or is_enveloped(params)):
        return None
    return name, cast(JsonObject, arguments)


def wire_result(result: ToolResult, version: str) -> dict[str, Any]:
    """A result in MCP's words. Clients that know no links to resources have the same in its text."""
    links = version >= _LINKS_SINCE
    told: dict[str, Any] = {
        "content": [_content(part) for part in result.content if links or not isinstance(part, ResourceLink)],
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


def _content(part: Content) -> dict[str, Any]:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Image(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ResourceLink(uri=uri, name=name, mime_type=mime_type, size=size):
            return {"type": "resource_link", "uri": uri, "name": name, "mimeType": mime_type, "size": size}
