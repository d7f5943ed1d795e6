"""What outlives the gateway, in one SQLite file: pairings, admitted extensions, shortcuts, grants, what the hub keeps.

A damaged file is set aside and the gateway starts with an empty one; nothing is lost that could still be read by hand.
One that is only in use by somebody else, or on a full disk, stays where it is, and the gateway does not start.
"""

import json
import logging
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tabwright.edges.runtime import create_private
from tabwright.edges.store.audit_store import AuditStore
from tabwright.edges.store.grant_store import GrantStore
from tabwright.edges.store.hub_store import HubStore
from tabwright.errors import GatewayError, InvalidArguments
from tabwright.tools.shortcut import Shortcut, read_steps

log = logging.getLogger(__name__)

VERSION: Final = 1
CACHE_KB: Final = 256
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pairings (
    extension_id TEXT NOT NULL, profile_id TEXT NOT NULL, key BLOB NOT NULL, paired_at REAL NOT NULL,
    PRIMARY KEY (extension_id, profile_id));
CREATE TABLE IF NOT EXISTS admitted (extension_id TEXT PRIMARY KEY, admitted_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS shortcuts (
    id TEXT PRIMARY KEY, command TEXT NOT NULL UNIQUE, description TEXT NOT NULL, steps TEXT NOT NULL,
    saved_at REAL NOT NULL);
"""


# not that it is locked, that there is no room, or no right to write
_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
_PRIMARY: Final = 0xFF
_Open = tuple[sqlite3.Connection, HubStore, GrantStore, AuditStore]


class StoreInUse(GatewayError):
    """The file cannot be used now, and there is nothing wrong with what is in it."""

    def __init__(self, path: Path, reason: sqlite3.DatabaseError) -> None:
        super().__init__(
            f"{path} cannot be used: {reason}.",
            "Close what else has it open, or make room on the disk; nothing is lost.",
        )


class Store:
    """The open file. Writes are small and rare, so they happen in place."""

    def __init__(self, path: Path) -> None:
        self._db, self.hub, self.grants, self.audit = _open(path)

    def close(self) -> None:
        self._db.close()

    def pairing_key(self, extension_id: str, profile_id: str) -> bytes | None:
        row = self._db.execute(
            "SELECT key FROM pairings WHERE extension_id = ? AND profile_id = ?", (extension_id, profile_id)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def remember_pairing(self, extension_id: str, profile_id: str, key: bytes) -> None:
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO pairings VALUES (?, ?, ?, ?)", (extension_id, profile_id, key, time.time())
            )

    def has_pairings(self) -> bool:
        return self._db.execute("SELECT 1 FROM pairings LIMIT 1").fetchone() is not None

    def admit(self, extension_id: str) -> None:
        """Another extension may connect without proof: the person said so."""
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO admitted VALUES (?, ?)", (extension_id, time.time()))

    def admitted(self) -> frozenset[str]:
        return frozenset(row[0] for row in self._db.execute("SELECT extension_id FROM admitted"))

    def shortcuts(self) -> Sequence[Shortcut]:
        rows = self._db.execute("SELECT id, command, description, steps FROM shortcuts ORDER BY command")
        return [read for row in rows if (read := _read_shortcut(*row)) is not None]

    def save_shortcut(self, shortcut: Shortcut) -> None:
        """One that has the same id or is called the same is replaced."""
        steps = json.dumps([step.wire for step in shortcut.steps], ensure_ascii=False)
        row = (shortcut.id, shortcut.command, shortcut.description, steps, time.time())
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO shortcuts VALUES (?, ?, ?, ?, ?)", row)

    def remove_shortcut(self, shortcut_id: str) -> None:
        with self._db:
            self._db.execute("DELETE FROM shortcuts WHERE id = ?", (shortcut_id,))


def _read_shortcut(shortcut_id: str, command: str, description: str, steps: str) -> Shortcut | None:
    try:
        return Shortcut(shortcut_id, command, description, read_steps(json.loads(steps)))
    except (ValueError, InvalidArguments) as exc:
        # one that cannot be read must not keep the others from being used
        log.warning("shortcut %s cannot be read: %s", command, exc)
        return None


def is_damage(exc: sqlite3.DatabaseError) -> bool:
    """Whether the file's content is at fault. One that is locked, or has no room to grow, is as good as ever."""
    code: int = getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & _PRIMARY in _DAMAGE


def _open(path: Path) -> _Open:
    create_private(path)
    try:
        return _connect(path)
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise StoreInUse(path, exc) from exc
        _set_aside(path, exc)
        create_private(path)
        return _connect(path)


def _set_aside(path: Path, exc: sqlite3.DatabaseError) -> None:
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    log.warning("%s is damaged (%s): set aside as %s", path, exc, aside.name)
    path.rename(aside)
    for leftover in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(leftover).unlink(missing_ok=True)


def _connect(path: Path) -> _Open:
    db = sqlite3.connect(path, timeout=2)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        # of two megabytes, which the audit would fill with pages that nobody reads again
        db.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        db.executescript(_SCHEMA)
        if db.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("quick_check failed")
        db.execute(f"PRAGMA user_version={VERSION}")
        hub = HubStore(db)
        hub.prune(time.time())
        return db, hub, GrantStore(db), AuditStore(db, time.time)
    except sqlite3.DatabaseError:
        db.close()
        raise
