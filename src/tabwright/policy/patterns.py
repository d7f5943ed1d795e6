"""Patterns that clients send: matched in time linear in the text, whatever they are."""

from collections.abc import Callable
from typing import Final

from tabwright.errors import InvalidArguments

MAX_PATTERN: Final = 1_000
_MEMORY: Final = 1 << 20


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a text holds the pattern, in any case of letters.

    Raises:
        InvalidArguments: it is no pattern, or one that has to go back and try again.
    """
    # large, and most gateways are never given a pattern
    import jsonschema_rs

    options = jsonschema_rs.RegexOptions(size_limit=_MEMORY, dfa_size_limit=_MEMORY)
    try:
        if len(pattern) > MAX_PATTERN:
            raise ValueError("too long")
        return jsonschema_rs.Draft202012Validator({"pattern": f"(?i){pattern}"}, pattern_options=options).is_valid
    except (ValueError, jsonschema_rs.ValidationError):
        raise InvalidArguments(
            f"Not a pattern that can be searched for: {pattern[:200]!r}.",
            "Use a plain regular expression, without lookaround and backreferences.",
        ) from None
