"""The parts of a page's answer, of the kinds that MCP has, checked: a strict client refuses all for one that is wrong.

A part that is not what it says it is becomes a short text, without its base64.
"""

import json
import re
from typing import Final

from tabwright.model import Audio, Content, Image, Json, JsonObject, Notes, Resource, ResourceLink, Text
from tabwright.policy.schemas import visible
from tabwright.policy.text import MAX_DESCRIPTION, MAX_TITLE, clean, clean_block
from tabwright.policy.urls import parse, scheme_of

MAX_TEXT: Final = 100_000
MAX_DATA: Final = 4_000_000
MAX_PARTS: Final = 100
MAX_META: Final = 4_096
MAX_URI: Final = 2_048
_PARAMETERS: Final = r"(?:; ?[A-Za-z0-9_-]{1,40}=[A-Za-z0-9.+_-]{1,80}){0,3}"
_IMAGE: Final = re.compile(r"image/[A-Za-z0-9.+-]{1,40}")
_AUDIO: Final = re.compile(rf"audio/[A-Za-z0-9.+-]{{1,40}}{_PARAMETERS}")
_KIND: Final = re.compile(rf"[a-z]{{1,40}}/[A-Za-z0-9.+-]{{1,80}}{_PARAMETERS}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+")
_AUDIENCE: Final = ("user", "assistant")


def read_parts(parts: list[Json]) -> tuple[Content, ...]:
    """The parts of an answer, as many and as long as an answer may be; what is cut is said."""
    kept: list[Content] = []
    left = MAX_TEXT
    for part in parts[:MAX_PARTS]:
        content = _read(part)
        left -= len(content.text or "") if isinstance(content, Text | Resource) else 0
        if left < 0 and kept:
            break
        kept.append(content)
    if len(kept) < len(parts):
        kept.append(Text(f"[cut: {len(parts) - len(kept)} of {len(parts)} parts left out]"))
    return tuple(kept)


def read_object(value: Json, most: int = MAX_TEXT) -> JsonObject | None:
    """Structured content for programs, unless it is more than any program was promised: then the text must do."""
    shown = visible(value) if isinstance(value, dict) and len(dump(value)) <= most else None
    return shown if isinstance(shown, dict) else None


def dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """A page's text without what a person does not see, at most as long as an answer may be."""
    text = clean_block(text)
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[cut: {len(text) - MAX_TEXT} of {len(text)} characters left out]"


def _read(part: Json) -> Content:
    match part:
        case {"type": "text", "text": str(text)}:
            return Text(cut(text), _notes(part))
        case {"type": "image", "data": str(data), "mimeType": str(kind)} if _is_data(data) and _IMAGE.fullmatch(kind):
            return Image(data, kind, _notes(part))
        case {"type": "audio", "data": str(data), "mimeType": str(kind)} if _is_data(data) and _AUDIO.fullmatch(kind):
            return Audio(data, kind, _notes(part))
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return Text(
                f"[{kind} left out: {len(data)} characters that are too many, no base64, or of no kind of {kind}]"
            )
        case {"type": "resource", "resource": dict(resource)}:
            return _resource(resource, _notes(part))
        case {"type": "resource_link", "uri": str(uri)}:
            return _link(uri, part)
        case _:
            return Text(cut(dump(part)))


def _resource(told: JsonObject, notes: Notes | None) -> Content:
    uri = address if isinstance(address := told.get("uri"), str) else ""
    kind, meta, shown = _kind(told), read_object(told.get("_meta"), MAX_META), clean(uri, MAX_TITLE)
    match told:
        case {"text": str(text)}:
            return Resource(uri, cut(text), "", kind, meta, notes) if _is_uri(uri) else Text(cut(text), notes)
        case {"blob": str(blob)} if _is_data(blob) and _is_uri(uri):
            return Resource(uri, None, blob, kind, meta, notes)
        case _:
            return Text(
                f"[resource left out: {shown or 'it'} is no usable address, or there is no text or base64 of 4 MB]"
            )


def _link(uri: str, told: JsonObject) -> Content:
    size = told.get("size")
    link = ResourceLink(
        uri,
        _line(told.get("name"), MAX_TITLE) or clean(uri, MAX_TITLE),
        _kind(told),
        size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        _line(told.get("title"), MAX_TITLE),
        _line(told.get("description"), MAX_DESCRIPTION),
        _notes(told),
    )
    # a page must not point at files of the person's: links to those are ours
    usable = _is_uri(uri) and scheme_of(uri) != "file"
    return link if usable else Text(f"[link to {link.name}: {clean(uri, MAX_TITLE)}]")


def _notes(part: JsonObject) -> Notes | None:
    notes = Notes(_annotations(part.get("annotations")), read_object(part.get("_meta"), MAX_META))
    return None if notes == Notes() else notes


def _annotations(raw: Json) -> JsonObject | None:
    """Those that MCP knows: clients check them, and refuse an answer for one that is wrong."""
    if not isinstance(raw, dict):
        return None
    kept: JsonObject = {}
    audience, priority, modified = raw.get("audience"), raw.get("priority"), raw.get("lastModified")
    if isinstance(audience, list) and all(each in _AUDIENCE for each in audience):
        kept["audience"] = audience
    if isinstance(priority, int | float) and not isinstance(priority, bool) and 0 <= priority <= 1:
        kept["priority"] = priority
    if isinstance(modified, str) and len(modified) <= MAX_TITLE:
        kept["lastModified"] = clean(modified, MAX_TITLE)
    return kept or None


def _kind(told: JsonObject) -> str:
    kind = told.get("mimeType")
    return kind if isinstance(kind, str) and _KIND.fullmatch(kind) else ""


def _line(value: Json, limit: int) -> str:
    return clean(value, limit) if isinstance(value, str) else ""


def _is_data(data: str) -> bool:
    return len(data) <= MAX_DATA and _BASE64.fullmatch(data) is not None


def _is_uri(uri: str) -> bool:
    """Whether every client can read it as an address."""
    if clean(uri, MAX_URI) != uri or not _URI.fullmatch(uri):
        return False
    try:
        return bool(parse(uri).href)
    except ValueError:
        return False
