"""Cached tools: what may outlive its tab does, over restarts too, and nothing runs under an old definition."""

import sqlite3
import time
from pathlib import Path

from tabwright.edges.store.store import Store
from tabwright.hub.memory import NoMemory
from tabwright.hub.places import Allowed
from tabwright.hub.registry import Registry
from tabwright.model import JsonObject, TabId, TabInfo
from tests.hub.test_registry import SITES, entry, place, registering, tell, tool

SITE = SITES[0]
CACHED: JsonObject = {"cache": True}
GET_CART = "website_tool_site0_example_get_cart"


def made(store: Store, *tabs: int, profile: str = "me") -> Registry:
    registry = Registry(profile, store.hub, Allowed())
    for number in tabs:
        registry.tab_seen(TabInfo(TabId(number), "", f"{SITE}/"), number)
    return registry


def test_a_cached_tool_stays_when_its_tab_goes_and_the_others_go(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    registry = made(store, 1)
    tell(
        registry, place(1), tool("get_cart", annotations=CACHED, title="Cart"), tool("other"), tabUrl=f"{SITE}/cart?x=1"
    )
    registry.tab_gone(TabId(1))
    snapshot = registry.snapshot()
    assert (set(snapshot.live), set(snapshot.cached)) == (set(), {GET_CART})
    assert [spec.description for spec in snapshot.specs] == ["[site0.example • opened when called] Does it."]

    again = made(Store(tmp_path / "db")).snapshot()
    assert again.cached[GET_CART].url == f"{SITE}/cart?x=1"
    assert again.cached[GET_CART].tool == snapshot.cached[GET_CART].tool
    assert again.fingerprint == snapshot.fingerprint
    assert not made(Store(tmp_path / "db"), profile="another").snapshot().cached
    assert set(Registry(None, store.hub, Allowed()).snapshot().cached) == {GET_CART}, "without a browser: all of them"


def test_what_the_page_no_longer_wants_kept_is_forgotten_and_what_changed_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    registry = made(store, 1)
    tell(registry, place(1), tool("get_cart", annotations=CACHED), tool("pay", annotations=CACHED))
    old = registry.snapshot().cached[GET_CART].tool.definition
    tell(registry, place(1), tool("get_cart", "Other.", annotations=CACHED), tool("pay"), update=True)
    assert set(registry.snapshot().cached) == {GET_CART}
    assert registry.snapshot().cached[GET_CART].tool.definition != old
    assert [cached.tool.description for cached in store.hub.cached("me")] == ["Other."]


def test_frames_are_never_cached_and_an_address_elsewhere_is_not_believed(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    registry = made(store, 1)
    tell(registry, place(1, 4, "ad", SITES[1]), tool("buy", annotations=CACHED))
    assert not registry.snapshot().cached
    for past in ("https://evil.example/", f"blob:{SITE}/4ff", "about:blank", "javascript:1"):
        tell(registry, place(1), tool("get_cart", annotations=CACHED), tabUrl=past)
        assert registry.snapshot().cached[GET_CART].url == f"{SITE}/"


def test_a_tab_keeps_its_number_over_a_restart_and_none_is_given_twice(tmp_path: Path) -> None:
    first = made(Store(tmp_path / "db"), 70, 71)
    first.told(place(70), registering(tool("a")), time.time())
    first.told(place(71), registering(tool("a")), time.time())
    first.tab_gone(TabId(70))

    second = made(Store(tmp_path / "db"), 71, 72)
    second.tabs_are([71, 72], time.time())
    tell(second, place(72), tool("a"))
    tell(second, place(71), tool("a"))
    assert entry(second, "website_tool_site0_example_tab2_a").place.tab_id == 71
    assert entry(second, "website_tool_site0_example_tab3_a").place.tab_id == 72


def test_tabs_not_seen_for_an_hour_are_given_up_and_cached_tools_are_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    registry = made(store, 70, 71)
    registry.told(place(70), registering(tool("a", annotations=CACHED)), 1_000.0)
    registry.told(place(71), registering(tool("b")), 4_000.0)
    store.hub.prune(5_000.0)
    assert store.hub.numbers("me") == ({71: 2}, 3)
    assert len(store.hub.cached("me")) == 1
    store.hub.seen("me", 9_000.0)
    store.hub.prune(9_000.0)
    assert store.hub.numbers("me") == ({71: 2}, 3)


def test_a_row_that_makes_no_sense_costs_only_itself(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    tell(made(store, 1), place(1), tool("a", annotations=CACHED), tool("b", annotations=CACHED))
    store.close()
    with sqlite3.connect(tmp_path / "db") as db:
        db.execute("UPDATE hub_cache SET definition = '{\"name\": 7}' WHERE tool = 'a'")
    db.close()
    assert [cached.tool.name for cached in Store(tmp_path / "db").hub.cached("me")] == ["b"]


def test_what_two_profiles_keep_is_listed_once_and_forgotten_whole(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    tell(made(store, 1), place(1), tool("get.cart", annotations=CACHED), tool("get_cart", annotations=CACHED))
    other = made(store, 1, profile="other")
    tell(other, place(1), tool("get_cart", annotations=CACHED), tool("get.cart", annotations=CACHED))
    everyone = Registry(None, store.hub, Allowed())
    assert len(everyone.snapshot().cached) == 2, "the same two, though their names are the other way round"
    everyone.cache.drop([cached.key for cached in everyone.cache.tools.values()] * 2)
    assert not everyone.snapshot().cached


def test_of_whoever_has_no_profile_nothing_is_cached() -> None:
    registry = Registry("", NoMemory(), Allowed(), salt="relay")
    registry.tab_seen(TabInfo(TabId(1), "", f"{SITE}/"), 1)
    tell(registry, place(1), tool("a", annotations=CACHED))
    assert (len(registry.snapshot().live), registry.snapshot().cached) == (1, {})
    assert registry.says == frozenset()


def test_clearing_forgets_all(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    tell(made(store, 1), place(1), tool("a", annotations=CACHED))
    assert (store.hub.clear(), store.hub.clear()) == (1, 0)


def test_a_tab_that_only_seemed_gone_has_its_number_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "db")
    registry = made(store, 70, 71)
    tell(registry, place(70), tool("a"))
    tell(registry, place(71), tool("a"))
    registry.tab_gone(TabId(70))
    registry.tab_seen(TabInfo(TabId(70), "", f"{SITE}/"), 70)
    registry.tabs_are([70, 71], 1.0)
    tell(registry, place(70), tool("a"))
    assert entry(registry, "website_tool_site0_example_tab1_a").place.tab_id == 70
    assert store.hub.numbers("me") == ({70: 1, 71: 2}, 3)
    registry.tab_gone(TabId(70))
    registry.tab_seen(TabInfo(TabId(70), "", f"{SITE}/"), 70)
    tell(registry, place(70), tool("a"))
    assert entry(registry, "website_tool_site0_example_tab3_a").place.tab_id == 70, "closed, and another one opened"
