"""`tabwright cache`: through the gateway if one runs, so that it forgets too; else in the file itself."""

import sqlite3
from contextlib import closing
from typing import Any

from tabwright.edges.commands.control_client import NoGateway, ask
from tabwright.edges.runtime import Home
from tabwright.edges.store.hub_store import HubStore
from tabwright.errors import GatewayError


def list_cached(home: Home) -> list[dict[str, Any]]:
    """Every cached tool, newest first. Reading beside a running gateway harms nobody."""
    if not home.database.exists():
        return []
    with closing(_open(home)) as db:
        kept = HubStore(db).cached(None)
    return [
        {
            "name": tool.name,
            "origin": tool.origin,
            "tool": tool.tool.name,
            "description": tool.tool.description,
            "url": tool.url,
            "updatedAt": tool.updated_at,
        }
        for tool in kept
    ]


def clear_cached(home: Home) -> int:
    """How many there were."""
    try:
        return int(ask(home, "cache-clear")["count"])
    except NoGateway:
        if not home.database.exists():
            return 0
        with closing(_open(home)) as db:
            return HubStore(db).clear()


def _open(home: Home) -> sqlite3.Connection:
    try:
        return sqlite3.connect(home.database, timeout=2)
    except sqlite3.DatabaseError as exc:
        raise GatewayError(
            f"{home.database} cannot be read: {exc}.", "Start the gateway, which sets it aside."
        ) from exc
