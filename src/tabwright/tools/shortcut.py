"""Shortcuts: sequences of calls saved under a name, with `{{parameters}}` in their arguments. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tabwright.errors import InvalidArguments
from tabwright.model import Json, JsonObject

MAX_STEPS: Final = 50
MAX_SHORTCUTS: Final = 200
NESTING: Final = frozenset({"browser_batch", "shortcuts_execute"})
"""Calls made of calls: none of them is a step of another, so every sequence ends."""
_COMMAND: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")
_PARAMETER: Final = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


@dataclass(frozen=True, slots=True)
class SavedStep:
    """One call of a sequence."""

    tool: str
    arguments: JsonObject = field(hash=False)

    @property
    def wire(self) -> JsonObject:
        return {"tool": self.tool, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A saved sequence. `command` is what people call it, `id` what never changes."""

    id: str
    command: str
    description: str
    steps: tuple[SavedStep, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in `{{ }}`, in order of first use."""
        found = (name for step in self.steps for name in _names(step.arguments))
        return tuple(dict.fromkeys(found))

    def filled(self, arguments: Mapping[str, Json]) -> tuple[SavedStep, ...]:
        """The steps with their parameters replaced.

        Raises:
            InvalidArguments: one is missing, or there is no such parameter.
        """
        missing = [name for name in self.parameters if name not in arguments]
        unknown = [name for name in arguments if name not in self.parameters]
        if missing or unknown:
            wrong = f"needs {', '.join(missing)}" if missing else f"has no parameter {', '.join(unknown)}"
            known = ", ".join(self.parameters) or "none"
            raise InvalidArguments(f"Shortcut {self.command} {wrong}.", f"Its parameters: {known}.")
        return tuple(SavedStep(step.tool, _fill_object(step.arguments, arguments)) for step in self.steps)


class Shortcuts(Protocol):
    """Where they are kept."""

    def shortcuts(self) -> Sequence[Shortcut]:
        """All of them, by command."""
        ...

    def save_shortcut(self, shortcut: Shortcut) -> None: ...

    def remove_shortcut(self, shortcut_id: str) -> None: ...


def read_command(text: str) -> str:
    """Raises:
    InvalidArguments: nothing could be called so.
    """
    command = text.strip().removeprefix("/").lower()
    if not _COMMAND.fullmatch(command):
        raise InvalidArguments(
            f"{text!r} is not a valid name for a shortcut.", "Use letters, digits, - and _, at most 48 of them."
        )
    return command


def read_steps(value: Json, known: frozenset[str] | None = None) -> tuple[SavedStep, ...]:
    """Steps as somebody wrote them down.

    Raises:
        InvalidArguments: they are none, naming the first that is wrong.
    """
    listed = value.get("steps") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_STEPS:
        raise InvalidArguments(
            f"Steps are a list of 1 to {MAX_STEPS} calls.", 'Write [{"tool": "navigate", "arguments": {…}}, …].'
        )
    return tuple(_read_step(number, step, known) for number, step in enumerate(listed, 1))


def _read_step(number: int, step: Json, known: frozenset[str] | None) -> SavedStep:
    match step:
        case {"tool": str(tool), "arguments": dict(arguments)}:
            pass
        case {"tool": str(tool)} if "arguments" not in step:
            arguments = {}
        case _:
            raise InvalidArguments(f"Step {number} is not a call.", 'Write {"tool": "navigate", "arguments": {…}}.')
    if tool in NESTING:
        raise InvalidArguments(f"Step {number} is {tool}, which has steps itself.", "Write those steps instead.")
    if known is not None and tool not in known:
        raise InvalidArguments(f"Step {number}: there is no tool {tool!r}.", "See docs/tools.md for their names.")
    return SavedStep(tool, arguments)


def _names(value: Json) -> list[str]:
    match value:
        case str():
            return _PARAMETER.findall(value)
        case list():
            return [name for item in value for name in _names(item)]
        case dict():
            return [name for item in value.values() for name in _names(item)]
        case _:
            return []


def _fill_object(value: JsonObject, arguments: Mapping[str, Json]) -> JsonObject:
    return {key: _fill(item, arguments) for key, item in value.items()}


def _fill(value: Json, arguments: Mapping[str, Json]) -> Json:
    match value:
        case str() if (alone := _PARAMETER.fullmatch(value)) is not None:
            # a parameter that stands alone keeps its kind: a number stays one
            return arguments[alone[1]]
        case str():
            return _PARAMETER.sub(lambda found: _text(arguments[found[1]]), value)
        case list():
            return [_fill(item, arguments) for item in value]
        case dict():
            return _fill_object(value, arguments)
        case _:
            return value


def _text(value: Json) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
