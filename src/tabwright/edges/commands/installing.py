"""Writes tabwright into the configuration of an MCP client, or out of it, with a copy of what was there before."""

import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from tabwright.errors import GatewayError
from tabwright.install.clients import Client, Place
from tabwright.install.entries import NAME, NotEditable, Server, has_server, with_server, without_server
from tabwright.install.links import claude_arguments

COMMAND_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done for one client: a file to write, a command to run, or nothing."""

    client: Client
    kind: Literal["file", "command", "none"]
    file: Path
    text: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    deed: str = "add tabwright to"

    @property
    def told(self) -> str:
        """For the person who is asked."""
        lines = " and ".join(f"`{shlex.join(command)}`" for command in self.commands)
        return f"run {lines}" if self.kind == "command" else f"{self.deed} {self.file}"


def adding(client: Client, place: Place, server: Server) -> Change:
    """What makes the client know us.

    Raises:
        NotEditable: the client's file is not one that can be changed without harm.
    """
    file = client.config(place)
    before = _read(file)
    after = with_server(before, client.shape, server)
    if after == before:
        return Change(client, "none", file)
    if client.command_only:
        former = (_remove_command(client, place),) if has_server(before, client.shape) else ()
        return Change(client, "command", file, commands=(*former, _add_command(client, place, server)))
    return Change(client, "file", file, after)


def removing(client: Client, place: Place) -> Change:
    """What makes the client forget us."""
    file = client.config(place)
    before = _read(file)
    after = without_server(before, client.shape)
    if after == before:
        return Change(client, "none", file)
    if client.command_only:
        return Change(client, "command", file, commands=(_remove_command(client, place),))
    return Change(client, "file", file, after, deed="remove tabwright from")


def carry_out(change: Change, now: datetime) -> Path | None:
    """Do it. Answers the copy of the file as it was, if there was one.

    Raises:
        NotEditable: the file cannot be written; it is as it was.
    """
    for command in change.commands:
        _run(command)
    if change.kind != "file":
        return None
    backup = change.file.with_name(f"{change.file.name}.{now:%Y%m%d-%H%M%S}.bak") if change.file.exists() else None
    try:
        if backup is not None:
            shutil.copy2(change.file, backup)
        _write(change.file, change.text)
    except (OSError, UnicodeEncodeError) as exc:
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise NotEditable(f"it cannot be written ({exc.strerror if isinstance(exc, OSError) else exc})") from None
    return backup


def _add_command(client: Client, place: Place, server: Server) -> tuple[str, ...]:
    return (_program(client, place), *claude_arguments(server))


def _remove_command(client: Client, place: Place) -> tuple[str, ...]:
    return (_program(client, place), "mcp", "remove", "--scope", "user", NAME)


def _program(client: Client, place: Place) -> str:
    program = client.command(place)
    if program is None:
        raise NotEditable(f"{client.commands[0]} is not on PATH, and only it may write there")
    return program


def _run(command: tuple[str, ...]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise GatewayError(f"`{shlex.join(command)}` did not run: {exc}.", "Run it by hand.") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise GatewayError(
            f"`{shlex.join(command)}` failed: {said[-1] if said else done.returncode}.", "Run it by hand."
        )


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as exc:
        raise NotEditable(f"it cannot be read ({exc})") from None


def _write(file: Path, text: str) -> None:
    """Whole or not at all; through a link to where it points, with the rights the file had."""
    target = file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as fresh:
            fresh.write(text)
        if target.exists():
            shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
