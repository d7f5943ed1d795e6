"""Grants that do not end by themselves, in the one SQLite file."""

import logging
import sqlite3
from collections.abc import Sequence
from typing import Final

from tabwright.policy.actions import Access
from tabwright.policy.grants import Grant, GrantKey, Scope

log = logging.getLogger(__name__)

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS grants (
    origin TEXT NOT NULL, access TEXT NOT NULL, client TEXT NOT NULL, profile TEXT NOT NULL, tool TEXT NOT NULL,
    label TEXT NOT NULL, given_at REAL NOT NULL, PRIMARY KEY (origin, access, client, profile, tool));
"""


class GrantStore:
    """Behind `GrantMemory`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.executescript(SCHEMA)

    def grants(self) -> Sequence[Grant]:
        rows = self._db.execute("SELECT origin, access, client, profile, tool, label, given_at FROM grants")
        return [grant for row in rows if (grant := _read(*row)) is not None]

    def keep_grant(self, grant: Grant) -> None:
        row = (*_columns(grant.key), grant.label, grant.given_at)
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def drop_grant(self, key: GrantKey) -> None:
        where = "origin = ? AND access = ? AND client = ? AND profile = ? AND tool = ?"
        with self._db:
            self._db.execute(f"DELETE FROM grants WHERE {where}", _columns(key))


def _columns(key: GrantKey) -> tuple[str, str, str, str, str]:
    return key.origin, key.access.value, key.client, key.profile, key.tool


def _read(origin: str, access: str, client: str, profile: str, tool: str, label: str, given_at: float) -> Grant | None:
    try:
        return Grant(GrantKey(origin, Access(access), client, profile, tool), Scope.ALWAYS, given_at, label=label)
    except ValueError:
        # of a class that this version does not know: nobody is allowed anything by it
        log.warning("a grant for %s on %s is not understood", access[:40], origin[:200])
        return None
