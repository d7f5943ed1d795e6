"""The store: shortcuts outlive the gateway, and one that cannot be read harms no other."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tabwright.edges.store.store import Store, StoreInUse
from tabwright.tools.shortcut import SavedStep, Shortcut

FIRST = Shortcut("sc_1", "first", "One.", (SavedStep("navigate", {"url": "https://a.test/é"}),))
SECOND = Shortcut("sc_2", "second", "", (SavedStep("find", {"query": "{{what}}"}), SavedStep("get_page_text", {})))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tabwright.db"


def test_shortcuts_are_kept_by_command(path: Path) -> None:
    store = Store(path)
    store.save_shortcut(SECOND)
    store.save_shortcut(FIRST)
    store.close()
    again = Store(path)
    assert list(again.shortcuts()) == [FIRST, SECOND]
    again.remove_shortcut("sc_1")
    again.remove_shortcut("sc_9")
    assert list(again.shortcuts()) == [SECOND]
    again.close()


def test_a_shortcut_of_the_same_name_is_replaced(path: Path) -> None:
    store = Store(path)
    store.save_shortcut(FIRST)
    store.save_shortcut(Shortcut("sc_3", "first", "Three.", SECOND.steps))
    assert [(each.id, each.parameters) for each in store.shortcuts()] == [("sc_3", ("what",))]
    store.close()


@pytest.mark.parametrize("steps", ["not json", "[]", '[{"tool": 5}]', '{"a": 1}'])
def test_a_shortcut_that_cannot_be_read_is_left_out(path: Path, steps: str) -> None:
    store = Store(path)
    store.save_shortcut(FIRST)
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO shortcuts VALUES ('sc_4', 'broken', '', ?, 0)", (steps,))
    db.close()
    assert list(store.shortcuts()) == [FIRST]
    store.close()


def test_a_store_of_an_older_version_gets_what_it_lacks(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE admitted (extension_id TEXT PRIMARY KEY, admitted_at REAL NOT NULL)")
        db.execute("INSERT INTO admitted VALUES ('abc', 0)")
    db.close()
    store = Store(path)
    assert (store.admitted(), list(store.shortcuts())) == (frozenset({"abc"}), [])
    store.close()


def test_a_store_that_somebody_else_has_locked_stays_where_it_is(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreInUse, match="locked"):
            Store(path)
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]
    Store(path).close()


def test_a_store_with_other_tables_than_ours_is_set_aside(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE audit (something TEXT)")
    store = Store(path)
    store.save_shortcut(FIRST)
    assert list(store.shortcuts()) == [FIRST]
    store.close()
    assert len(list(path.parent.glob("*.damaged-*"))) == 1
