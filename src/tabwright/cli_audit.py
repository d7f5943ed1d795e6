"""`tabwright audit`: what agents did, from the record and from what a gateway that was killed noted last."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from cyclopts import App, Group
from cyclopts.types import NonNegativeInt

from tabwright.cli_flags import Json, Switch
from tabwright.edges.commands.grant_control import open_database
from tabwright.edges.runtime import Home
from tabwright.edges.store.audit_journal import unkept
from tabwright.edges.store.audit_store import broken_at, read_audit
from tabwright.errors import GatewayError

Kind = Literal["session", "call", "approval", "grant", "download"]


def add_audit_command(app: App, group: Group, home: Callable[[], Home], show: Callable[[str], None]) -> None:
    """Add the command. `show` prints a line for people."""

    @app.command(group=group)
    def audit(
        *,
        client: str | None = None,
        session: str | None = None,
        tool: str | None = None,
        origin: str | None = None,
        kind: Kind | None = None,
        outcome: str | None = None,
        decision: Literal["allow", "ask", "deny"] | None = None,
        since: str | None = None,
        limit: NonNegativeInt = 100,
        json_: Json = False,
        verify: Switch = False,
    ) -> None:
        """Show what agents did: sessions, calls, questions and answers, newest last.

        Parameters
        ----------
        client
            The name it calls itself, as `tabwright status` shows it.
        session
            Its id, as `--json` shows it.
        tool
            The tool's name.
        origin
            The site, like https://example.com.
        kind
            What the entry is about.
        outcome
            How the call ended: ok, error, cancelled, or the word of an error (docs/errors.md).
        decision
            What the policy said.
        since
            How far back: 30m, 12h, 7d.
        limit
            Show at most this many, the newest; 0 shows all.
        verify
            Check that no entry was changed or removed.
        """
        asked = {
            "client": client, "session": session, "tool": tool, "origin": origin, "kind": kind, "outcome": outcome,
            "decision": decision,
        }  # fmt: skip
        place = home()
        if not place.database.exists():
            raise GatewayError("Nothing has been recorded yet.", "It begins with the first gateway.")
        with closing(open_database(place)) as db:
            if verify:
                show(_verified(db))
                return
            found = list(_matching(_entries(db, place.audit_journal), asked, _ago(since)))
        for entry in found[-limit:] if limit else found:
            if json_:
                print(json.dumps(entry, ensure_ascii=False))  # noqa: T201 - for programs
            else:
                show(_audit_line(entry))
        if not found and not json_:
            show("No entry matches." if any(asked.values()) or since else "Nothing is on record yet.")


def _matching(
    entries: Iterator[dict[str, Any]], asked: dict[str, str | None], since: float
) -> Iterator[dict[str, Any]]:
    wanted = {name: value for name, value in asked.items() if value is not None}
    for entry in entries:
        if entry["at"] >= since and all(entry.get(name) == value for name, value in wanted.items()):
            yield entry


def _entries(db: sqlite3.Connection, journal: Path) -> Iterator[dict[str, Any]]:
    """The record, and what a gateway that was killed noted last."""
    last = 0
    try:
        for entry in read_audit(db):
            last = entry.number
            yield entry.wire
    except sqlite3.OperationalError:
        # written by a gateway that kept no record yet
        return
    for noted in unkept(journal, last + 1):
        yield noted.wire


def _verified(db: sqlite3.Connection) -> str:
    broken = broken_at(db)
    if broken is not None:
        raise GatewayError(f"The record is not whole: entry {broken} was changed or is missing.")
    return "The record is whole."


def _ago(text: str | None) -> float:
    if text is None:
        return 0.0
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86_400}.get(text[-1:])
    if seconds is None or not text[:-1].isdecimal():
        raise GatewayError(f"{text!r} is not a time.", "Write it like 30m, 12h or 7d.")
    return time.time() - int(text[:-1]) * seconds


def _audit_line(entry: dict[str, Any]) -> str:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["at"]))
    shown = ("tool", "what", "origin", "class", "decision", "answer", "outcome", "changed", "ms")
    said = " ".join(
        f"{entry[name]}{' ms' if name == 'ms' else ''}" for name in shown if entry.get(name) not in (None, "")
    )
    return f"{at}  {entry['kind']:8} {entry['client'] or '-'}  {said}"
