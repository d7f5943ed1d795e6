"""Failures and page answers as tool results."""

import json
import re
import secrets
from dataclasses import replace
from typing import Final

from tabwright.errors import ToolError
from tabwright.model import Content, Image, Json, JsonObject, Text, ToolResult
from tabwright.policy.schemas import visible
from tabwright.policy.text import attributed, clean_block

MAX_TEXT: Final = 100_000
MAX_IMAGE: Final = 4_000_000
MAX_PARTS: Final = 100
_IMAGE: Final = re.compile(r"image/[A-Za-z0-9.+-]{1,40}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def error_result(error: ToolError) -> ToolResult:
    """An `isError` result a model can act on."""
    # some speak in a page's words
    message = clean_block(error.message)
    told: JsonObject = {"code": error.word, "message": message, "next": error.next_step}
    return ToolResult((Text(clean_block(str(error))),), {"error": told}, is_error=True)


def cleaned_result(result: ToolResult) -> ToolResult:
    """A tool's own answer, which quotes the page, without what a person does not see."""
    parts = tuple(Text(clean_block(part.text)) if isinstance(part, Text) else part for part in result.content)
    return replace(result, content=parts)


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
    return Text(attributed(part.text, origin, mark)) if isinstance(part, Text) else part


def _read(value: Json) -> ToolResult:
    """A result in MCP's shape, a text, or any JSON."""
    match value:
        case {"content": list() as content}:
            return ToolResult(
                _contents(content),
                _structured(value.get("structuredContent")),
                is_error=value.get("isError") is True,
                meta=_structured(value.get("_meta")),
            )
        case str():
            return ToolResult((Text(_cut(value)),))
        case dict():
            return ToolResult((Text(_cut(_dump(value))),), _structured(value))
        case _:
            return ToolResult((Text(_cut(_dump(value))),))


def _contents(parts: list[Json]) -> tuple[Content, ...]:
    """The parts of an answer, as many and as long as an answer may be; what is cut is said."""
    kept: list[Content] = []
    left = MAX_TEXT
    for part in parts[:MAX_PARTS]:
        content = _content(part)
        left -= len(content.text) if isinstance(content, Text) else 0
        if left < 0 and kept:
            break
        kept.append(content)
    if len(kept) < len(parts):
        kept.append(Text(f"[cut: {len(parts) - len(kept)} of {len(parts)} parts left out]"))
    return tuple(kept)


def _structured(value: Json) -> JsonObject | None:
    """Structured content for programs, unless it is more than any program was promised: then the text must do."""
    shown = visible(value) if isinstance(value, dict) and len(_dump(value)) <= MAX_TEXT else None
    return shown if isinstance(shown, dict) else None


def _content(part: Json) -> Content:
    match part:
        case {"type": "image", "data": str(data), "mimeType": str(mime_type)} if _is_image(data, mime_type):
            return Image(data, mime_type)
        case {"type": "text", "text": str(text)}:
            return Text(_cut(text))
        case _:
            return Text(_cut(_dump(part)))


def _is_image(data: str, mime_type: str) -> bool:
    return len(data) <= MAX_IMAGE and _IMAGE.fullmatch(mime_type) is not None and _BASE64.fullmatch(data) is not None


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cut(text: str) -> str:
    text = clean_block(text)
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[cut: {len(text) - MAX_TEXT} of {len(text)} characters left out]"
