"""Arguments checked against a page's own JSON Schema, before the page sees them.

A schema from a page is code from a page: it is small and flat when it comes here (the lists see to that), references to
other places are refused, and one that makes no sense checks nothing rather than everything.
"""

import logging
from functools import lru_cache
from typing import Final

import jsonschema_rs

from tabwright import jsonrpc
from tabwright.model import JsonObject

log = logging.getLogger(__name__)

MAX_PROBLEMS: Final = 3


def problems(schema: JsonObject, arguments: JsonObject) -> str | None:
    """What is wrong with the arguments, in one line; None if nothing is."""
    validator = _compiled(jsonrpc.encode(schema))
    if validator is None:
        return None
    found = [
        f"{'.'.join(map(str, error.instance_path)) or 'arguments'}: {error.message[:200]}"
        for _, error in zip(range(MAX_PROBLEMS), validator.iter_errors(arguments), strict=False)
    ]
    return "; ".join(found) or None


@lru_cache(maxsize=512)
def _compiled(schema: str) -> jsonschema_rs.Validator | None:
    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse)
    except ValueError as exc:
        log.info("a page's schema checks nothing: %s", str(exc)[:200])
        return None


def _refuse(uri: str) -> JsonObject:
    """No reference leads out of the schema itself."""
    raise ValueError(f"reference to {uri[:100]} refused")
