"""The hub's memory in the one SQLite file: cached tools of pages, and the numbers of tabs."""

import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tabwright import jsonrpc
from tabwright.errors import GatewayError
from tabwright.hub.memory import CachedTool
from tabwright.hub.tools import restored
from tabwright.model import JsonObject

log = logging.getLogger(__name__)

UNSEEN_S: Final = 3600.0
"""Numbers of tabs that nobody has seen for so long are given up when the gateway starts."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS hub_cache (
    profile TEXT NOT NULL, origin TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL,
    url TEXT NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (profile, origin, tool));
CREATE TABLE IF NOT EXISTS hub_tabs (
    profile TEXT NOT NULL, tab INTEGER NOT NULL, number INTEGER NOT NULL, seen_at REAL NOT NULL,
    PRIMARY KEY (profile, tab));
CREATE TABLE IF NOT EXISTS hub_counts (profile TEXT PRIMARY KEY, next INTEGER NOT NULL);
"""


class HubStore:
    """Behind `HubMemory`. Writes are small; a registration that changes nothing writes nothing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.executescript(SCHEMA)

    def prune(self, now: float) -> None:
        """On start: give up the numbers of tabs that have not been seen for long."""
        self._change("DELETE FROM hub_tabs WHERE seen_at < ?", [(now - UNSEEN_S,)])

    def cached(self, profile: str | None) -> Sequence[CachedTool]:
        where, given = ("", ()) if profile is None else ("WHERE profile = ?", (profile,))
        rows = self._db.execute(
            f"SELECT name, origin, definition, url, updated_at FROM hub_cache {where} ORDER BY updated_at DESC", given
        )
        return [cached for row in rows if (cached := _read(*row)) is not None]

    def keep(self, profile: str, tools: Iterable[CachedTool]) -> None:
        self._change(
            "INSERT OR REPLACE INTO hub_cache VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (profile, kept.origin, kept.tool.name, kept.name, _write(kept), kept.url, kept.updated_at)
                for kept in tools
            ],
        )

    def drop(self, profile: str, keys: Iterable[tuple[str, str]]) -> None:
        self._change(
            "DELETE FROM hub_cache WHERE profile = ? AND origin = ? AND tool = ?",
            [(profile, origin, tool) for origin, tool in keys],
        )

    def clear(self) -> int:
        """Forget every cached tool; how many there were."""
        with self._db:
            return self._db.execute("DELETE FROM hub_cache").rowcount

    def numbers(self, profile: str) -> tuple[Mapping[int, int], int]:
        rows = self._db.execute("SELECT tab, number FROM hub_tabs WHERE profile = ?", (profile,)).fetchall()
        row = self._db.execute("SELECT next FROM hub_counts WHERE profile = ?", (profile,)).fetchone()
        return dict(rows), 1 if row is None else row[0]

    def number(self, profile: str, tab: int, number: int, now: float) -> None:
        self._change("INSERT OR REPLACE INTO hub_tabs VALUES (?, ?, ?, ?)", [(profile, tab, number, now)])
        self._change(
            "INSERT INTO hub_counts VALUES (?, ?) ON CONFLICT (profile) DO UPDATE SET next = max(next, excluded.next)",
            [(profile, number + 1)],
        )

    def forget_tabs(self, profile: str, tabs: Iterable[int]) -> None:
        self._change("DELETE FROM hub_tabs WHERE profile = ? AND tab = ?", [(profile, tab) for tab in tabs])

    def seen(self, profile: str, now: float) -> None:
        self._change("UPDATE hub_tabs SET seen_at = ? WHERE profile = ?", [(now, profile)])

    def _change(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """Write; a full disk or a locked file costs what would have been kept, not the tools that are there."""
        try:
            with self._db:
                self._db.executemany(statement, rows)
        except sqlite3.Error as exc:
            log.warning("the hub's memory could not be written: %s", exc)


def _write(cached: CachedTool) -> str:
    tool = cached.tool
    told: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": tool.annotations,
        "_meta": tool.meta,
        "title": tool.title,
    }
    return jsonrpc.encode(told)


def _read(name: Any, origin: Any, definition: Any, url: Any, updated_at: Any) -> CachedTool | None:
    try:
        told = jsonrpc.decode_object(str(definition))
    except GatewayError:
        log.warning("a cached tool of %s cannot be read and is left out", origin)
        return None
    match told:
        case {
            "name": str(tool),
            "description": str(description),
            "inputSchema": dict(schema),
            "annotations": dict(annotations),
            "_meta": dict(meta),
        }:
            title = told.get("title")
            made = restored(tool, description, schema, annotations, meta, title if isinstance(title, str) else "")
            return CachedTool(str(name), str(origin), made, str(url), float(updated_at))
        case _:
            return None
