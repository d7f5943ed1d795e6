"""Failures and page answers as tool results."""

import secrets
from dataclasses import replace

from tabwright.calls.page_parts import cut, dump, read_object, read_parts
from tabwright.errors import ToolError
from tabwright.model import Content, Json, JsonObject, Resource, ResourceLink, Text, ToolResult
from tabwright.policy.text import attributed, clean_block


def error_result(error: ToolError) -> ToolResult:
    """An `isError` result a model can act on."""
    # some speak in a page's words
    message = clean_block(error.message)
    told: JsonObject = {"code": error.word, "message": message, "next": error.next_step}
    return ToolResult((Text(clean_block(str(error))),), {"error": told}, is_error=True)


def cleaned_result(result: ToolResult) -> ToolResult:
    """A tool's own answer, which quotes the page, without what a person does not see."""
    parts = (replace(part, text=clean_block(part.text)) if isinstance(part, Text) else part for part in result.content)
    return replace(result, content=tuple(parts))


def deed_result(value: Json) -> ToolResult:
    """What a tool that we found in a page says of its deed: our words, which quote the page's."""
    return cleaned_result(_read(value))


def page_result(value: Json, origin: str) -> ToolResult:
    """What a page's tool answered, prose between marks that say whose words it is."""
    result = _read(value)
    mark = secrets.token_hex(4)
    parts = tuple(_fenced(part, origin, mark) for part in result.content)
    return replace(result, content=parts)


def _fenced(part: Content, origin: str, mark: str) -> Content:
    match part:
        case Text(text=text) | Resource(text=str(text)):
            return replace(part, text=attributed(text, origin, mark))
        case ResourceLink(description=description):
            return replace(part, description=attributed(description, origin, mark))
        case _:
            return part


def _read(value: Json) -> ToolResult:
    """A result in MCP's shape, a text, or any JSON."""
    match value:
        case {"content": list() as content}:
            return ToolResult(
                read_parts(content),
                read_object(value.get("structuredContent")),
                is_error=value.get("isError") is True,
                meta=read_object(value.get("_meta")),
            )
        case str():
            return ToolResult((Text(cut(value)),))
        case dict():
            return ToolResult((Text(cut(dump(value))),), read_object(value))
        case _:
            return ToolResult((Text(cut(dump(value))),))
