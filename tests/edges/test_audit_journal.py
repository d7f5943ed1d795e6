"""What was done is with the system before it is answered, and in the record a moment later, once."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabwright.calls.audit import Entry, Event
from tabwright.edges.store.audit_journal import AuditJournal, unkept
from tabwright.edges.store.audit_store import AuditStore, broken_at, read_audit
from tabwright.model import SessionId, TabId
from tabwright.policy.actions import Allow
from tests.gateway import until


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(tmp_path / "x.db")
    yield made
    made.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.journal"


def journal(db: sqlite3.Connection, path: Path, at: float = 1.0) -> AuditJournal:
    return AuditJournal(AuditStore(db, lambda: at), path, lambda: at)


def call(tab: int) -> Entry:
    return Entry(SessionId("s1"), "Codex", "navigate", TabId(tab), "ok", 0.0123, "https://a.test", Allow("default"))


def written(path: Path) -> bytes:
    return path.read_bytes()


def write(path: Path, lines: bytes) -> None:
    path.write_bytes(lines)


def readers(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tabs(db: sqlite3.Connection) -> list[int]:
    return [entry.wire["tab"] for entry in read_audit(db)]


async def test_an_entry_is_in_the_file_at_once_and_in_the_record_a_moment_later(
    db: sqlite3.Connection, path: Path
) -> None:
    audit = journal(db, path, at=12.3456)
    audit.record(call(1))
    assert tabs(db) == []
    [noted] = unkept(path, 1)
    assert readers(path) == 0o600
    await asyncio.to_thread(until, lambda: written(path) == b"", 5)
    [entry] = read_audit(db)
    assert entry.wire == noted.wire
    assert entry.at == 12.346
    assert broken_at(db) is None


async def test_a_gateway_that_ends_leaves_nothing_to_another(db: sqlite3.Connection, path: Path) -> None:
    audit = journal(db, path)
    audit.record(call(1))
    audit.close()
    assert tabs(db) == [1]
    assert list(unkept(path, 1)) == []
    with pytest.raises(FileNotFoundError):
        written(path)


async def test_what_a_killed_gateway_noted_is_recorded_by_the_next(db: sqlite3.Connection, path: Path) -> None:
    killed = journal(db, path)
    killed.record(call(1))
    killed.catch_up()
    killed.record(call(2))
    killed.record(Event("approval", "s1", "Codex", {"tab": 3, "answer": "once"}))
    journal(db, path, at=9.0)
    assert tabs(db) == [1, 2, 3]
    assert [entry.at for entry in read_audit(db)] == [1.0, 1.0, 1.0]
    assert written(path) == b""
    assert broken_at(db) is None


async def test_what_was_recorded_before_the_gateway_was_killed_is_not_recorded_again(
    db: sqlite3.Connection, path: Path
) -> None:
    killed = journal(db, path)
    killed.record(call(1))
    lines = written(path)
    killed.catch_up()
    killed.record(call(2))
    write(path, lines + written(path))
    journal(db, path)
    assert tabs(db) == [1, 2]


@pytest.mark.parametrize(
    "line", [b'[2,1.0,"call","s1"', b'[2,1.0,"call","s1"\n', b"{}\n", b"\xff\n", b"[]\n\n", b"[1,2,3,4,5,6]\n"]
)
async def test_a_line_that_was_cut_short_costs_no_other(db: sqlite3.Connection, path: Path, line: bytes) -> None:
    killed = journal(db, path)
    killed.record(call(1))
    write(path, written(path) + line)
    after = journal(db, path)
    after.record(call(2))
    after.close()
    assert tabs(db) == [1, 2]


async def test_where_no_line_can_be_written_the_record_is_at_once(db: sqlite3.Connection, path: Path) -> None:
    audit = journal(db, path)
    audit.record(call(1))
    os.close(audit._file)  # pyright: ignore[reportPrivateUsage] - as a disk that takes nothing more
    audit.record(call(2))
    assert tabs(db) == [1, 2]
    assert broken_at(db) is None


async def test_a_name_that_is_no_text_is_recorded_all_the_same(db: sqlite3.Connection, path: Path) -> None:
    audit = journal(db, path)
    audit.record(Event("session", "s1", "half \ud800", {"tab": 1, "what": "opened\n\x1b"}))
    assert tabs(db) == [1]


async def test_after_what_was_lost_nothing_is_lost_or_recorded_twice(db: sqlite3.Connection, path: Path) -> None:
    killed = journal(db, path)
    db.execute("ALTER TABLE audit RENAME TO away")
    killed.record(call(1))
    killed.catch_up()
    db.execute("ALTER TABLE away RENAME TO audit")
    killed.record(call(2))
    lines = written(path)
    killed.catch_up()
    write(path, lines)
    journal(db, path)
    assert [(entry.kind, entry.wire.get("tab")) for entry in read_audit(db)] == [("lost", None), ("call", 2)]
    assert broken_at(db) is None
