"""Finding tools among many, page by page, and choosing the tab for a call that names none."""

import pytest

from tabwright.errors import InvalidArguments
from tabwright.hub.entries import Entry
from tabwright.hub.memory import NoMemory
from tabwright.hub.places import Allowed
from tabwright.hub.registry import Registry
from tabwright.hub.routing import best
from tabwright.hub.snapshot import View, search
from tabwright.model import TabId, TabInfo
from tabwright.policy.cursors import read_cursor, write_cursor
from tabwright.session.listing import HUB_PAGE, Listing
from tests.hub.test_registry import SITES, entry, place, registering, registry, tell, tool


def crowd() -> Registry:
    """Six tabs of three sites with sixty tools each."""
    made = registry()
    for number in range(1, 7):
        site = SITES[number % 3]
        made.tab_seen(TabInfo(TabId(number), "", f"{site}/"), number)
        tools = [tool(f"tool_{each:02}", f"Word{each} here") for each in range(60)]
        tell(made, place(number, origin=site), *tools)
    return made


def found(view: View, query: str = "", domain: str = "") -> list[str]:
    """All names, over all pages."""
    names: list[str] = []
    cursor: str | None = None
    while True:
        page = search(view, query, domain, cursor)
        names += [spec.name for spec, _ in page.tools]
        cursor = page.cursor
        if cursor is None:
            assert page.total == len(names)
            return names


def test_every_tool_is_reached_once_page_by_page() -> None:
    view = View((crowd().snapshot(),))
    names = found(view)
    assert names == sorted(view.parts[0].live)
    assert len(search(view, "", "", None).tools) == 50


def test_words_and_sites_narrow_it() -> None:
    view = View((crowd().snapshot(),))
    assert len(found(view, "WORD7 here")) == 6
    assert len(found(view, "word7 tab2")) == 1
    assert len(found(view, domain="site1.example")) == 120
    assert len(found(view, domain="site1_example")) == 120
    assert len(found(view, domain="example")) == 360, "any domain above"
    assert found(view, domain="ite1.example") == []
    assert found(view, "no such word") == []


@pytest.mark.parametrize(
    ("origin", "domain"),
    [
        ("https://xn--bcher-kva.example", "bücher.example"),
        ("https://xn--bcher-kva.example", "https://BÜCHER.example/cart?x=1"),
        ("http://localhost:3000", "localhost"),
        ("http://localhost:3000", "localhost:3000"),
        ("http://localhost:3000", "http://localhost:3000/cart"),
        ("http://localhost:3000", "localhost_3000"),
        ("http://[::1]:8080", "[::1]"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://shop.example", "https://shop.example/"),
        ("https://www.shop.example:8443", "shop.example"),
    ],
)
def test_a_site_is_found_however_it_is_written(origin: str, domain: str) -> None:
    made = registry(1, origin=origin)
    tell(made, place(1, origin=origin), tool("get_cart"))
    view = View((made.snapshot(),))
    assert len(found(view, domain=domain)) == 1
    assert found(view, domain=f"not-{domain.rpartition('/')[2] or 'it'}") == []
    assert found(view, domain="localhost:3001") == []


def test_a_name_is_found_in_either_spelling() -> None:
    made = registry(1)
    tell(made, place(1), tool("get_cart"), tool("addItem"), tool("list.all-things"))
    view = View((made.snapshot(),))
    for query, name in (("getCart", "get_cart"), ("add_item", "addItem"), ("listAllThings", "list_all-things")):
        assert [each.partition("tab1_")[2] for each in found(view, query)] == [name]
    assert found(view, "_.-") == []


def test_a_page_after_a_name_that_went_begins_where_it_would_have_been() -> None:
    made = crowd()
    first = search(View((made.snapshot(),)), "", "", None)
    made.tab_gone(TabId(1))
    made.tab_gone(TabId(4))
    assert first.cursor is not None
    rest = search(View((made.snapshot(),)), "", "", first.cursor)
    assert rest.tools[0][0].name > first.tools[-1][0].name


def test_a_cursor_is_read_as_it_was_written_and_no_other() -> None:
    assert read_cursor(write_cursor("website_tool_a")) == "website_tool_a"
    for nonsense in ("", "?", "YWJj", "after:x", "ÿ"):
        with pytest.raises(InvalidArguments):
            read_cursor(nonsense)


def test_the_list_comes_in_pages_with_ours_on_the_first() -> None:
    view = View((crowd().snapshot(),))
    listing = Listing((view.specs[0],), hub=view)
    first, cursor = listing.page(None)
    assert (len(first), cursor is None) == (HUB_PAGE + 1, False)
    second, end = listing.page(cursor)
    assert ([*first[1:], *second], end) == ([*view.specs], None)
    assert listing.specs == (*first, *second)
    assert Listing(first).page(None) == (first, None)
    assert listing.with_hub(View(())).fingerprint != listing.fingerprint
    assert listing.with_hub(None).minor == ""


def test_two_registries_are_one_list_in_order() -> None:
    one, two = registry(1), Registry("", NoMemory(), Allowed(), salt="relay")
    two.tab_seen(TabInfo(TabId(-1), "", f"{SITES[0]}/"), -1)
    tell(one, place(1), tool("a"), tool("z"))
    tell(two, place(-1), tool("a"))
    view = View((one.snapshot(), two.snapshot()))
    names = [spec.name for spec in view.specs]
    assert names == sorted(names)
    assert len(set(names)) == 3
    assert [view.find(name) is not None for name in names] == [True] * 3
    assert view.find("website_tool_none") is None


def routed(*entries: Entry, active: int = 0, held: int = 0, definition: str | None = None) -> int | None:
    chosen = best(entries, definition=definition, is_free=lambda tab: tab != held, is_active=lambda tab: tab == active)
    return None if chosen is None else chosen.place.tab_id


def test_the_active_tab_is_best_then_the_one_that_changed_last_and_never_another_sessions() -> None:
    made = registry(1, 2, 3)
    for tab, at in ((1, 5.0), (2, 9.0), (3, 7.0)):
        made.told(place(tab), registering(tool("a", f"In {tab}.")), at)
    entries = tuple(made.group(SITES[0], "a"))
    assert routed(*entries) == 2
    assert routed(*entries, active=3) == 3
    assert routed(*entries, active=3, held=3) == 2
    assert routed(*entries, active=3, definition=entries[0].tool.definition) == 1, "the same definition, or none"
    assert routed(*entries[:1], held=1) is None
    assert made.tabless("website_tool_site0_example_a") == ((SITES[0], "a"),)
    offered = entry(made, "website_tool_site0_example_tab2_a")
    assert made.offered_by(TabId(2), SITES[0], "a") is offered
    assert made.again(offered) is offered
    made.tab_gone(TabId(2))
    assert made.again(offered) is None
