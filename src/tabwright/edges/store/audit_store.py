"""The audit record in the one SQLite file: append-only, each entry sealed with the one before it.

An entry's seal is a digest of the entry and of the seal before, so that one that was changed or taken out shows; the
last one's number and seal are kept a second time, so that the end cannot just be cut off. A record that goes on after
such a cut says so in its next entry. It is no signature: whoever may write the file may write it all anew. The oldest
entries are let go when there are too many; the seal of the last of them is kept, so that what is left still proves
itself.
"""

import hashlib
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Final, Literal

from tabwright import jsonrpc
from tabwright.calls.audit import Entry, Event
from tabwright.model import JsonObject
from tabwright.policy.text import clean

log = logging.getLogger(__name__)

MOST_ENTRIES: Final = 100_000
ROTATED_AT_ONCE: Final = 1_000
MAX_FIELD: Final = 500
CUT: Final = "cut"
"""The kind of the entry that says that entries are missing before it."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS audit (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
    told TEXT NOT NULL, seal TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit_start (number INTEGER NOT NULL, seal TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit_end (number INTEGER NOT NULL, seal TEXT NOT NULL);
CREATE TRIGGER IF NOT EXISTS audit_is_append_only BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit record is append-only'); END;
"""
_COLUMNS: Final = "number, at, kind, session, client, told, seal"


@dataclass(frozen=True, slots=True)
class Noted:
    """One entry that is to be kept; its number, if it is the next."""

    number: int
    at: float
    kind: str
    session: str
    client: str
    told: JsonObject

    @property
    def wire(self) -> dict[str, Any]:
        about = {"at": round(self.at, 3), "kind": self.kind, "session": self.session, "client": _plain(self.client)}
        return {"number": self.number, **about, **self.plain}

    @property
    def plain(self) -> JsonObject:
        """What it tells, in words that can be kept and shown."""
        return {name: _plain(value) if isinstance(value, str) else value for name, value in self.told.items()}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry as it was kept."""

    number: int
    at: float
    kind: str
    session: str
    client: str
    told: str
    seal: str

    @property
    def wire(self) -> dict[str, Any]:
        about = {"at": self.at, "kind": self.kind, "session": self.session, "client": self.client}
        return {"number": self.number, **about, **json.loads(self.told)}

    def sealed_after(self, before: str) -> str:
        """Of all of it as a JSON array, put together by hand: every call is sealed."""
        words = ", ".join(map(encode_basestring, (self.kind, self.session, self.client, self.told)))
        told = f"[{encode_basestring(before)}, {self.number}, {self.at!r}, {words}]"
        return hashlib.sha256(told.encode()).hexdigest()


class AuditStore:
    """Behind `Audit`. A call is never failed because it cannot be recorded; that it was not is recorded next."""

    def __init__(self, db: sqlite3.Connection, now: Callable[[], float], most: int = MOST_ENTRIES) -> None:
        self._db = db
        self._now = now
        self._most = most
        self._lost = 0
        db.executescript(SCHEMA)
        last = db.execute(f"SELECT {_COLUMNS} FROM audit ORDER BY number DESC LIMIT 1").fetchone()
        self._number, self._seal = _place(db, "audit_start") if last is None else (last[0], last[6])
        if _is_cut(db, self._number, self._seal):
            missing = _place(db, "audit_end")[0] - self._number
            self._append(self._note(CUT, {"count": missing}))

    @property
    def next(self) -> int:
        """The number of the next entry, behind one of what was lost."""
        return self._number + (2 if self._lost else 1)

    def record(self, entry: Entry | Event) -> None:
        self.keep(Noted(self.next, self._now(), entry.kind, entry.session, entry.client, entry.told))

    def keep(self, noted: Noted) -> None:
        if self._lost and self._append(self._note("lost", {"count": self._lost})):
            self._lost = 0
        if not self._append(noted):
            self._lost += 1

    def _note(self, kind: str, told: JsonObject) -> Noted:
        """Something about the record itself."""
        return Noted(self._number + 1, self._now(), kind, "", "", told)

    def _append(self, noted: Noted) -> bool:
        kind, session, client = noted.kind, noted.session, _plain(noted.client)
        text = jsonrpc.encode(noted.plain)
        made = Recorded(self._number + 1, round(noted.at, 3), kind, session, client, text, "")
        seal = made.sealed_after(self._seal)
        try:
            with self._db:
                self._db.execute(
                    f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (made.number, made.at, kind, session, client, text, seal),
                )
                self._end_at(made.number, seal)
                if made.number % ROTATED_AT_ONCE == 0:
                    self._rotate(made.number - self._most)
        except sqlite3.Error as exc:
            log.warning("an audit entry is lost: %s", exc)
            return False
        self._number, self._seal = made.number, seal
        return True

    def _end_at(self, number: int, seal: str) -> None:
        end = (number, seal)
        if not self._db.execute("UPDATE audit_end SET number = ?, seal = ?", end).rowcount:
            self._db.execute("INSERT INTO audit_end VALUES (?, ?)", end)

    def _rotate(self, last: int) -> None:
        found = self._db.execute("SELECT seal FROM audit WHERE number = ?", (last,)).fetchone()
        if found is not None:
            self._db.execute("DELETE FROM audit_start")
            self._db.execute("INSERT INTO audit_start VALUES (?, ?)", (last, found[0]))
            self._db.execute("DELETE FROM audit WHERE number <= ?", (last,))


def _plain(text: str) -> str:
    """One line of characters that every file and terminal takes."""
    return clean(text.encode("utf-8", "replace").decode(), MAX_FIELD)


def read_audit(db: sqlite3.Connection) -> Iterator[Recorded]:
    """Every entry, oldest first."""
    for row in db.execute(f"SELECT {_COLUMNS} FROM audit ORDER BY number"):
        yield Recorded(*row)


def broken_at(db: sqlite3.Connection) -> int | None:
    """The number of the first entry that is not as it was recorded, or is missing; None: the record is whole."""
    number, seal = _place(db, "audit_start")
    for entry in read_audit(db):
        if entry.number != number + 1 or entry.seal != entry.sealed_after(seal) or entry.kind == CUT:
            return number + 1
        number, seal = entry.number, entry.seal
    return number + 1 if _is_cut(db, number, seal) else None


def _is_cut(db: sqlite3.Connection, number: int, seal: str) -> bool:
    """Whether this, where the record ends, is not where it ended when it was written last."""
    end = _place(db, "audit_end")
    return end not in ((0, ""), (number, seal))


def _place(db: sqlite3.Connection, table: Literal["audit_start", "audit_end"]) -> tuple[int, str]:
    """Where the record begins or ends by what is kept beside it; a record of an older version may not say."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is None:
        return 0, ""
    found = db.execute(f"SELECT number, seal FROM {table}").fetchone()
    return (0, "") if found is None else (found[0], found[1])
