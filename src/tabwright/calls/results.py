"""Failures and page answers as tool results."""

import json
from typing import Final

from tabwright.errors import ToolError
from tabwright.model import Content, Image, Json, JsonObject, Text, ToolResult

MAX_TEXT: Final = 100_000
MAX_IMAGE: Final = 4_000_000


def error_result(error: ToolError) -> ToolResult:
    """An `isError` result a model can act on."""
    told: JsonObject = {"code": error.word, "message": error.message, "next": error.next_step}
    return ToolResult((Text(str(error)),), {"error": told}, is_error=True)


def page_result(value: Json) -> ToolResult:
    """What a page's tool answered: a result in MCP's shape, a text, or any JSON."""
    match value:
        case {"content": list() as content}:
            return ToolResult(
                tuple(_content(part) for part in content),
                _structured(value.get("structuredContent")),
                is_error=value.get("isError") is True,
            )
        case str():
            return ToolResult((Text(_cut(value)),))
        case dict():
            return ToolResult((Text(_cut(_dump(value))),), _structured(value))
        case _:
            return ToolResult((Text(_cut(_dump(value))),))


def _structured(value: Json) -> JsonObject | None:
    """Structured content for programs, unless it is more than any program was promised: then the text must do."""
    return value if isinstance(value, dict) and len(_dump(value)) <= MAX_TEXT else None


def _content(part: Json) -> Content:
    match part:
        case {"type": "image", "data": str(data), "mimeType": str(mime_type)} if len(data) <= MAX_IMAGE:
            return Image(data, mime_type)
        case {"type": "text", "text": str(text)}:
            return Text(_cut(text))
        case _:
            return Text(_cut(_dump(part)))


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[cut: {len(text) - MAX_TEXT} of {len(text)} characters left out]"
