"""From the arguments of a call to what a page's tool is given, or to words that tell a model what to mend.

Some clients say null for what was left out, give a tool that takes nothing something, and send lists and objects as
JSON text. No model could mend that, so it is undone here: only where the arguments do not fit the page's schema.
"""

from typing import Final

from tabwright import jsonrpc
from tabwright.errors import GatewayError, InvalidArguments
from tabwright.model import Json, JsonObject
from tabwright.policy.schemas import problems

_NEXT: Final = "Correct the arguments and call again."


def read_page_arguments(name: str, schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """The arguments as they were meant.

    Raises:
        InvalidArguments: they do not fit the tool of this name.
    """
    wrong = problems(schema, arguments)
    if wrong is None:
        return arguments
    meant = _meant(schema, arguments)
    still = wrong if meant == arguments else problems(schema, meant)
    if still is not None:
        raise InvalidArguments(f"{name} was not called: {still}.", _NEXT)
    return meant


def _meant(schema: JsonObject, arguments: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        # what it takes may be told elsewhere: behind a reference, by patterns
        takes_nothing = schema.get("additionalProperties") is False and "patternProperties" not in schema
        return {} if takes_nothing else arguments
    return {
        key: _unquoted(value) if isinstance(value, str) and _is_compound(properties.get(key)) else value
        for key, value in arguments.items()
        if value is not None
    }


def _is_compound(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") in ("array", "object")


def _unquoted(text: str) -> Json:
    try:
        return jsonrpc.decode(text)
    except GatewayError:
        return text
