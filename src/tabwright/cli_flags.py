"""Kinds of flags that commands share; those of `serve`, `stdio` and `proxy` are made of the settings they set."""

import json
from collections.abc import Iterable
from enum import Enum
from typing import Annotated, Any, Final, Literal, cast, get_args, get_origin

from cyclopts import Parameter
from pydantic import BaseModel, ConfigDict, Field, create_model

Switch = Annotated[bool, Parameter(negative="", show_default=False)]
"""Off unless it is given."""
Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False, help="Print JSON, for programs.")]

_PLAIN: Final = (bool, int, float)


def flags_of(settings: type[BaseModel], names: Iterable[str]) -> type[BaseModel]:
    """A model of optional flags: each is one field of the settings and nothing else."""
    made: dict[str, Any] = {}
    for name in names:
        info = settings.model_fields[name]
        kind: Any = Annotated[_kind(info.annotation) | None, Parameter(show_default=_told(info.default))]
        made[name] = (kind, Field(default=None, description=info.description))
    return create_model(f"{settings.__name__}Flags", __config__=ConfigDict(frozen=True), **made)


def _kind(annotation: Any) -> Any:
    """What is parsed here already, so that help and errors name it; the rest is text for the settings to read."""
    if annotation in _PLAIN or get_origin(annotation) is Literal:
        return annotation
    return next((each for each in get_args(annotation) if each in _PLAIN), str)


def _told(default: Any) -> str | bool:
    """A default as it would be typed; none for switches and for what is not set."""
    if default is None or isinstance(default, bool) or default == ():
        return False
    if isinstance(default, tuple):
        words = cast(tuple[object, ...], default)
        return ",".join(str(word.value) if isinstance(word, Enum) else str(word) for word in words)
    return default if isinstance(default, str) else json.dumps(default)
