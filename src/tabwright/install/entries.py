"""A client's configuration with tabwright in it, and without: text in, text out, and everything else stays as it was.

What cannot be read is not touched: people keep comments in these files, and a client that finds its configuration
broken starts without any server.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from tabwright.errors import GatewayError

NAME: Final = "tabwright"
Format = Literal["json", "toml"]


class NotEditable(GatewayError):
    """The file is no plain JSON or TOML, or not shaped as its client says."""


@dataclass(frozen=True, slots=True)
class Server:
    """The program that a client runs."""

    command: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    args: tuple[str, ...] = ()

    def as_json(self, *, typed: bool) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "stdio"} if typed else {}
        entry |= {"command": self.command, "args": list(self.args)}
        return entry | ({"env": dict(self.env)} if self.env else {})

    def as_toml(self, key: str) -> str:
        # TOML's basic strings are JSON's, apart from characters that no path holds
        lines = [f"[{key}.{NAME}]", f"command = {json.dumps(self.command)}", f"args = {json.dumps(list(self.args))}"]
        if self.env:
            pairs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in self.env.items())
            lines.append(f"env = {{ {pairs} }}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Shape:
    """How a client writes its servers down: the format, the table's name, whether an entry names its transport."""

    format: Format
    key: str
    typed: bool = False


def with_server(text: str, shape: Shape, server: Server) -> str:
    """The configuration with our entry, the same text if it is there already."""
    if shape.format == "toml":
        return _edited(text, lambda plain: _toml_with(plain, shape.key, server))
    return _edited(text, lambda plain: _json_with(plain, shape, server))


def without_server(text: str, shape: Shape) -> str:
    """The configuration without our entry, the same text if there is none."""
    if shape.format == "toml":
        return _edited(text, lambda plain: _toml_without(plain, shape.key))
    return _edited(text, lambda plain: _json_without(plain, shape.key))


def has_server(text: str, shape: Shape) -> bool:
    """Whether the configuration has an entry of our name, be it the same or another."""
    return server_entry(text, shape) is not None


def server_entry(text: str, shape: Shape) -> dict[str, Any] | None:
    """The entry of our name, whatever it says."""
    whole = _toml(text) if shape.format == "toml" else _json(text)
    entry = _table(whole, shape.key).get(NAME)
    return cast(dict[str, Any], entry) if isinstance(entry, dict) else None


def _edited(text: str, edit: Callable[[str], str]) -> str:
    """Its lines end as they did."""
    plain = text.replace("\r\n", "\n")
    made = edit(plain)
    if made == plain:
        return text
    return made if plain == text else made.replace("\n", "\r\n")


def _json_with(text: str, shape: Shape, server: Server) -> str:
    whole = _json(text)
    servers = _table(whole, shape.key)
    entry = server.as_json(typed=shape.typed)
    if _said(servers.get(NAME)) == _said(entry):
        return text
    return _written(whole | {shape.key: servers | {NAME: entry}}, text)


def _json_without(text: str, key: str) -> str:
    whole = _json(text)
    servers = _table(whole, key)
    if NAME not in servers:
        return text
    left = {name: entry for name, entry in servers.items() if name != NAME}
    return _written(whole | {key: left}, text)


def _said(entry: Any) -> Any:
    """An entry without what says nothing: clients write an empty `env` of their own accord."""
    if not isinstance(entry, dict):
        return entry
    return {name: value for name, value in cast(dict[str, Any], entry).items() if value not in ({}, [], None)}


def _json(text: str) -> dict[str, Any]:
    try:
        whole: Any = json.loads(text.strip() or "{}")
    except ValueError as exc:
        raise NotEditable(f"it is not plain JSON, perhaps because of comments ({exc})") from None
    if not isinstance(whole, dict):
        raise NotEditable("it holds no JSON object")
    return cast(dict[str, Any], whole)


def _table(whole: Mapping[str, Any], key: str) -> dict[str, Any]:
    servers = whole.get(key, {})
    if not isinstance(servers, dict):
        raise NotEditable(f"its {key!r} is no object")
    return cast(dict[str, Any], servers)


def _written(whole: Mapping[str, Any], before: str) -> str:
    """With the indentation that the file had."""
    found = re.search(r"^([ \t]+)\S", before, re.MULTILINE)
    return json.dumps(whole, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _toml_with(text: str, key: str, server: Server) -> str:
    bare = _toml_without(text, key)
    entry = server.as_toml(key)
    made = f"{bare.rstrip()}\n\n{entry}" if bare.strip() else entry
    parsed = _toml(made)
    return text if text.strip() and _toml(text) == parsed else made


def _toml_without(text: str, key: str) -> str:
    """TOML has no writer that keeps comments, so the lines of our tables are cut, and what is left is checked."""
    whole = _toml(text)
    if NAME not in _table(whole, key):
        return text
    head = re.compile(rf"\[\s*{re.escape(key)}\s*\.\s*[\"']?{NAME}[\"']?\s*[\].]")
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            ours = head.match(line.lstrip()) is not None
        if not ours:
            kept.append(line)
    left = "".join(kept).rstrip() + "\n" if "".join(kept).strip() else ""
    servers = {name: entry for name, entry in _table(whole, key).items() if name != NAME}
    expected = {name: value for name, value in whole.items() if name != key} | ({key: servers} if servers else {})
    found = _toml(left)
    if {name: value for name, value in found.items() if value or name != key} != expected:
        raise NotEditable(f"its table {key}.{NAME} is written in an unusual way")
    return left


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise NotEditable(f"it is not valid TOML ({exc})") from None
