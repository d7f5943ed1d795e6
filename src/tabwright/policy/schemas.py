"""Arguments checked against a page's own JSON Schema, before the page sees them.

A schema from a page is code from a page. One that is malformed, leads elsewhere, or grows when it is followed is told
by `flaw`, and its tool is not listed; so what is checked here is small in every sense. What clients are shown of a
schema is `cleaned`: words that must stay as they are, texts without what nobody sees, nothing that JSON Schema does
not know.
"""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tabwright import jsonrpc
from tabwright.model import Json, JsonObject
from tabwright.policy.text import MAX_DESCRIPTION, clean, clean_block

if TYPE_CHECKING:
    from jsonschema_rs import Validator

log = logging.getLogger(__name__)

MAX_PROBLEMS: Final = 3
MAX_EXPANDED: Final = 1_000
"""How many subschemas may have to be looked at for one value, references followed."""
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
_ELSEWHERE: Final = frozenset({"$dynamicRef", "$recursiveRef"})
_FOLLOWED: Final = frozenset({"$ref", *_IN_PLACE, *_ELSEWHERE})
"""Without any of these a schema asks one thing of each value."""
_SPOKEN: Final = frozenset({"title", "description"})
_VALUES: Final = frozenset({"default", "examples"})
_BY_NAME: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMAS: Final = frozenset(
    {"items", "additionalItems", "prefixItems", "contains", "propertyNames", "additionalProperties",
     "unevaluatedProperties", "unevaluatedItems", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
)  # fmt: skip
_WORDS: Final = frozenset(
    {"type", "enum", "const", "format", "pattern", "required", "dependentRequired", "minimum", "maximum",
     "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
     "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "readOnly", "writeOnly",
     "deprecated", "contentEncoding", "contentMediaType", "$ref", "$id", "$schema", "$anchor", "id"}
)  # fmt: skip


def problems(schema: JsonObject, arguments: JsonObject) -> str | None:
    """What is wrong with the arguments, in one line; None if nothing is."""
    validator = _compiled(jsonrpc.encode(schema))
    if validator is None:
        return None
    found = [
        f"{'.'.join(map(str, error.instance_path)) or 'arguments'}: {error.message}"
        for _, error in zip(range(MAX_PROBLEMS), validator.iter_errors(arguments), strict=False)
    ]
    return clean("; ".join(found), MAX_DESCRIPTION) or None


def flaw(schema: JsonObject) -> str | None:
    """Why a tool with this schema cannot be offered; None if it can."""
    if schema.get("type", "object") != "object":
        return "its schema is not an object's"
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not all(isinstance(each, dict | bool) for each in properties.values()):
        return "its properties are not schemas"
    if not isinstance(required, list) or not all(isinstance(each, str) for each in required):
        return "what it requires are not names"
    if not isinstance(schema.get("$schema", ""), str):
        return "its $schema is not text"
    text = jsonrpc.encode(schema)
    if any(f'"{keyword}"' in text for keyword in _FOLLOWED) and _grows(schema):
        return "its schema grows when it is followed"
    return None if _compiled(text) is not None else "its schema is not valid"


def cleaned(schema: JsonObject) -> JsonObject:
    """The schema as clients are shown it."""
    shown: JsonObject = {}
    for keyword, value in schema.items():
        # a choice among nothing is refused by some clients, and says nothing
        if (keyword, value) == ("enum", []):
            continue
        if keyword in _BY_NAME and isinstance(value, dict):
            shown[keyword] = {name: _cleaned_part(inner) for name, inner in value.items()}
        elif keyword in _SCHEMAS:
            shown[keyword] = _cleaned_part(value)
        elif keyword in _SPOKEN and isinstance(value, str):
            shown[keyword] = clean(value, MAX_DESCRIPTION)
        elif keyword in _VALUES:
            shown[keyword] = visible(value)
        elif keyword in _WORDS:
            shown[keyword] = value
    return shown


def _cleaned_part(value: Json) -> Json:
    if isinstance(value, list):
        return [_cleaned_part(inner) for inner in value]
    return cleaned(value) if isinstance(value, dict) else value


def visible(value: Json) -> Json:
    """A page's value, none of its texts with characters that a person does not see."""
    match value:
        case str():
            return clean_block(value)
        case list():
            return [visible(inner) for inner in value]
        case dict():
            return {clean_block(name): visible(inner) for name, inner in value.items()}
        case _:
            return value


def _grows(schema: JsonObject) -> bool:
    known: dict[int, int] = {}
    return any(
        _ELSEWHERE & node.keys() or _expanded(node, schema, known, frozenset()) > MAX_EXPANDED
        for node in _nodes(schema)
    )


def _nodes(value: Json) -> list[JsonObject]:
    match value:
        case dict():
            return [value, *(node for inner in value.values() for node in _nodes(inner))]
        case list():
            return [node for inner in value for node in _nodes(inner)]
        case _:
            return []


def _expanded(node: Json, root: JsonObject, known: dict[int, int], within: frozenset[int]) -> int:
    """How many subschemas apply to the very value this one is asked about."""
    if isinstance(node, list):
        return sum(_expanded(inner, root, known, within) for inner in node)
    if not isinstance(node, dict) or id(node) in within:
        return 0
    if id(node) not in known:
        inside = within | {id(node)}
        parts = [node[keyword] for keyword in _IN_PLACE if keyword in node]
        target = _target(node.get("$ref"), root)
        known[id(node)] = 1 + sum(_expanded(part, root, known, inside) for part in (*parts, target))
    return known[id(node)]


def _target(reference: Json, root: JsonObject) -> Json:
    """What a reference within the schema points to; None for any other, which compiling refuses."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Json = root
    for step in reference.removeprefix("#").split("/")[1:]:
        if not isinstance(found, dict):
            return None
        found = found.get(step.replace("~1", "/").replace("~0", "~"))
    return found


@lru_cache(maxsize=512)
def _compiled(schema: str) -> "Validator | None":
    # large, and needed only where pages offer tools
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse)
    except ValueError as exc:
        log.debug("a page's schema cannot be used: %s", str(exc)[:200])
        return None


def _refuse(uri: str) -> JsonObject:
    """No reference leads out of the schema itself."""
    raise ValueError(f"reference to {uri[:100]} refused")
