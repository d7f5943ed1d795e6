"""From the arguments of a call to the parameters of its tool, or to words that tell a model what to mend.

Lists and objects that come as JSON text are taken as what they say: models and clients do send them so. Some clients
say null for what was left out, and give a tool that takes nothing something: no model could mend that.
"""

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tabwright.errors import InvalidArguments
from tabwright.model import Json, JsonObject

Location = Sequence[int | str]
P = TypeVar("P", bound=BaseModel)

_NOT_AS_TEXT: Final = frozenset({"list_type", "tuple_type", "dict_type", "model_type"})
_ROUNDS: Final = 3
"""Text in text: a list of steps whose arguments are text too."""
MAX_FAULTS: Final = 5


class _LeftOut(Enum):
    LEFT_OUT = "left out"


_LEFT_OUT: Final = _LeftOut.LEFT_OUT


def read_arguments(name: str, params: type[P], arguments: JsonObject) -> tuple[P, JsonObject]:
    """The parameters, and the arguments as they were meant.

    Raises:
        InvalidArguments: they do not fit the tool of this name; each that does not is named.
    """
    given, faults = arguments if params.model_fields else {}, list[ErrorDetails]()
    for _ in range(_ROUNDS):
        try:
            return params.model_validate(given), given
        except ValidationError as exc:
            faults = exc.errors(include_url=False, include_context=False)
        read = _mended(given, faults)
        if read == given:
            break
        given = read
    wrong = "; ".join(map(_in_words, faults[:MAX_FAULTS]))
    takes = f"It takes {', '.join(params.model_fields)}. " if _names_are_wrong(faults) else ""
    raise InvalidArguments(f"{name} was not called: {wrong}.", f"{takes}Correct the arguments and call again.")


def _mended(arguments: JsonObject, faults: Iterable[ErrorDetails]) -> JsonObject:
    read = arguments
    for fault in faults:
        value: Json | _LeftOut = _LEFT_OUT
        if fault["type"] in _NOT_AS_TEXT and isinstance(fault["input"], str):
            try:
                value = cast(Json, json.loads(fault["input"]))
            except (ValueError, RecursionError):
                continue
        elif fault["input"] is not None or fault["loc"][0] not in read:
            # a union has a fault for each of its kinds
            continue
        # where null does not fit, it stands for nothing: what is needed is told as missing
        read = cast(JsonObject, _replaced(read, fault["loc"], value))
    return read


def _replaced(within: Any, location: Location, value: "Json | _LeftOut") -> Any:
    """A copy with another value at a place. What is not on the way there (kinds of a union) is passed over."""
    if not location:
        return value
    key, *rest = location
    if isinstance(within, dict) and key in within:
        members = cast(dict[int | str, Any], within)
        changed = {**members, key: _replaced(members[key], rest, value)}
        return {name: inner for name, inner in changed.items() if inner is not _LEFT_OUT}
    if isinstance(within, list) and isinstance(key, int):
        items = cast(list[Any], within)
        changed = _replaced(items[key], rest, value)
        # only members of objects can be left out
        return items if changed is _LEFT_OUT else [*items[:key], changed, *items[key + 1 :]]
    return _replaced(within, rest, value)


def _names_are_wrong(faults: Iterable[ErrorDetails]) -> bool:
    return any(fault["type"] in ("extra_forbidden", "missing") and len(fault["loc"]) == 1 for fault in faults)


def _in_words(fault: ErrorDetails) -> str:
    where = ".".join(map(str, fault["loc"])) or "arguments"
    match fault["type"]:
        case "extra_forbidden":
            return f"{where} is no parameter"
        case "missing":
            return f"{where} is missing"
        case _:
            return f"{where}: {fault['msg']}"
