"""The record: append-only, chained, whole after a kill, bounded, and without arguments."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabwright.calls.audit import Entry, Event
from tabwright.edges.store.audit_store import ROTATED_AT_ONCE, AuditStore, Recorded, broken_at, read_audit
from tabwright.model import SessionId, TabId
from tabwright.policy.actions import Allow, Deny


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(tmp_path / "x.db")
    made.execute("PRAGMA journal_mode=WAL")
    yield made
    made.close()


def call(number: int) -> Entry:
    decision = Allow("default") if number % 3 else Deny("rule", "because")
    return Entry(SessionId("s1"), "Codex", "navigate", TabId(number), "ok", 0.0123, "https://a.test", decision)


def test_who_what_where_the_decision_and_the_outcome_are_kept(db: sqlite3.Connection) -> None:
    AuditStore(db, lambda: 12.3456).record(call(1))
    [entry] = read_audit(db)
    assert entry.wire == {
        "number": 1,
        "at": 12.346,
        "kind": "call",
        "session": "s1",
        "client": "Codex",
        "tool": "navigate",
        "tab": 1,
        "origin": "https://a.test",
        "decision": "allow",
        "rule": "default",
        "outcome": "ok",
        "ms": 12.3,
    }


def test_a_thousand_entries_are_whole_and_one_that_was_changed_or_taken_out_shows(db: sqlite3.Connection) -> None:
    store = AuditStore(db, lambda: 1.0)
    for number in range(1000):
        store.record(call(number) if number % 2 else Event("approval", "s1", "Codex", {"answer": "once"}))
    assert broken_at(db) is None
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute("UPDATE audit SET told = '{}' WHERE number = 500")
    db.execute("DROP TRIGGER audit_is_append_only")
    db.execute("UPDATE audit SET told = replace(told, 'navigate', 'read_page') WHERE number = 500")
    assert broken_at(db) == 500
    db.rollback()
    assert broken_at(db) is None
    db.execute("DELETE FROM audit WHERE number = 700")
    assert broken_at(db) == 700


@pytest.mark.rule("T79")
@pytest.mark.parametrize("where", ["number > 7", "number > 0"])
def test_an_end_that_was_cut_off_shows_even_after_the_record_went_on(db: sqlite3.Connection, where: str) -> None:
    store = AuditStore(db, lambda: 1.0)
    for number in range(10):
        store.record(call(number))
    with db:
        db.execute(f"DELETE FROM audit WHERE {where}")
    left = int(where.rpartition(" ")[2])
    assert broken_at(db) == left + 1
    AuditStore(db, lambda: 2.0).record(call(11))
    told = [(entry.number, entry.kind, json.loads(entry.told).get("count")) for entry in read_audit(db)][left:]
    assert told == [(left + 1, "cut", 10 - left), (left + 2, "call", None)]
    assert broken_at(db) == left + 1


@pytest.mark.parametrize("client", ["Codex", 'a "b" \\ é \t 漢 \x1b', ""])
@pytest.mark.parametrize("at", [0.0, 12.346, 1794817892.834, 1e21])
def test_an_entry_is_sealed_as_in_all_versions(client: str, at: float) -> None:
    made = Recorded(7, at, "call", "s1", client, '{"tool": "x"}', "")
    told = json.dumps(["before", 7, at, "call", "s1", client, '{"tool": "x"}'], ensure_ascii=False)
    assert made.sealed_after("before") == hashlib.sha256(told.encode()).hexdigest()


def test_a_record_of_an_older_version_is_whole_and_kept_from_then_on(db: sqlite3.Connection) -> None:
    store = AuditStore(db, lambda: 1.0)
    store.record(call(1))
    db.execute("DROP TABLE audit_end")
    assert broken_at(db) is None
    AuditStore(db, lambda: 1.0).record(call(2))
    with db:
        db.execute("DELETE FROM audit WHERE number = 2")
    assert broken_at(db) == 2


def test_a_new_gateway_goes_on_where_the_last_one_was_killed(tmp_path: Path) -> None:
    for _ in range(3):
        db = sqlite3.connect(tmp_path / "x.db")
        AuditStore(db, lambda: 1.0).record(call(1))
        db.close()
    db = sqlite3.connect(tmp_path / "x.db")
    assert [entry.number for entry in read_audit(db)] == [1, 2, 3]
    assert broken_at(db) is None
    db.close()


def test_the_oldest_are_let_go_and_the_rest_still_proves_itself(db: sqlite3.Connection) -> None:
    store = AuditStore(db, lambda: 1.0, most=50)
    for number in range(2 * ROTATED_AT_ONCE + 10):
        store.record(call(number))
    kept = [entry.number for entry in read_audit(db)]
    assert kept[0] == 2 * ROTATED_AT_ONCE - 49
    assert len(kept) == 60
    assert broken_at(db) is None
    again = AuditStore(db, lambda: 2.0)
    again.record(call(1))
    assert broken_at(db) is None


def test_what_could_not_be_kept_is_told_next_and_fails_nobody(db: sqlite3.Connection) -> None:
    store = AuditStore(db, lambda: 1.0)
    store.record(call(1))
    db.execute("ALTER TABLE audit RENAME TO away")
    store.record(call(2))
    store.record(call(3))
    db.execute("ALTER TABLE away RENAME TO audit")
    store.record(call(4))
    kinds = [(entry.kind, json.loads(entry.told).get("count")) for entry in read_audit(db)]
    assert kinds[0] == ("call", None)
    assert kinds[1] == ("lost", 2)
    assert broken_at(db) is None


def test_no_name_breaks_a_line_or_grows_without_end(db: sqlite3.Connection) -> None:
    name = "evil\n\x1b[31m\u202e" + "x" * 10_000
    AuditStore(db, lambda: 1.0).record(Event("session", "s1", name, {"what": name, "lone": "\ud800"}))
    [entry] = read_audit(db)
    assert len(entry.client) <= 500
    assert "\n" not in entry.client
    assert "\x1b" not in entry.told
    assert broken_at(db) is None
