"""A page's JSON Schema before it is shown: within bounds, nothing hidden in words that must stay as they are."""

from typing import Final

from tabwright import jsonrpc
from tabwright.model import Json, JsonObject
from tabwright.policy.schemas import cleaned, flaw
from tabwright.policy.text import hides

MAX_SCHEMA_BYTES: Final = 16_384
MAX_SCHEMA_DEPTH: Final = 8
_ESCAPES: Final = ("\\u", "\\b", "\\f")
"""What JSON writes so may be something that is not seen."""


def schema_problem(schema: JsonObject) -> str | None:
    """Why a tool with this schema is not listed; None if nothing is wrong with it."""
    if _too_deep(schema, MAX_SCHEMA_DEPTH):
        return f"its schema is nested deeper than {MAX_SCHEMA_DEPTH}"
    text = jsonrpc.encode(schema)
    if len(text.encode()) > MAX_SCHEMA_BYTES:
        return f"its schema is above {MAX_SCHEMA_BYTES} bytes"
    # most schemas hold nothing that could hide, and looking at each word of one takes long
    if _is_special(text) and _hides(cleaned(schema)):
        return "its schema hides characters"
    return flaw(schema)


def _is_special(text: str) -> bool:
    """Whether there is more in it than plain ASCII as it is written."""
    return not (text.isascii() and text.isprintable()) or any(escape in text for escape in _ESCAPES)


def _hides(value: Json) -> bool:
    """Whether a word that must stay as it is holds what a person does not see; all others have been cleaned."""
    match value:
        case dict():
            return any(hides(name) or _hides(inner) for name, inner in value.items())
        case list():
            return any(_hides(inner) for inner in value)
        case str():
            return hides(value)
        case _:
            return False


def _too_deep(value: Json, objects: int, arrays: int = MAX_SCHEMA_DEPTH) -> bool:
    """Whether it holds more objects or arrays in one another; looks no deeper than that."""
    match value:
        case dict():
            return objects == 0 or any(_too_deep(inner, objects - 1, arrays) for inner in value.values())
        case list():
            return arrays == 0 or any(_too_deep(inner, objects, arrays - 1) for inner in value)
        case _:
            return False
