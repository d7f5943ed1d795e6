"""The registry against a model: whatever tabs and pages do, it holds what they offer, under names that stay."""

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tabwright.hub.entries import Entry
from tabwright.hub.memory import NoMemory
from tabwright.hub.places import Allowed, Place
from tabwright.hub.registry import MAX_OF_ORIGIN, Ignored, Registered, Registry
from tabwright.hub.tools import MAX_IN_FRAME
from tabwright.model import BrowserId, DocumentId, Json, JsonObject, TabId, TabInfo

CHROME = BrowserId("chrome")
SITES = [f"https://site{number}.example" for number in range(3)]
NAMES = ["add", "get.cart", "get_cart", "a_tool_whose_name_is_long_enough_to_be_cut_in_half"]
VALID = re.compile(r"website_tool_[A-Za-z0-9_-]{1,35}")


def place(tab: int, frame: int = 0, document: str = "d", origin: str = SITES[0]) -> Place:
    return Place(CHROME, TabId(tab), frame, DocumentId(document), origin)


def tool(name: str, description: str = "Does it.", **more: Json) -> JsonObject:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


def registering(*tools: JsonObject, update: bool = False, **more: Json) -> JsonObject:
    method = "browser/updateTools" if update else "browser/registerTools"
    return {"jsonrpc": "2.0", "method": method, "params": {"tools": [*tools], **more}}


def registry(*tabs: int, origin: str = SITES[0], **options: frozenset[str]) -> Registry:
    made = Registry("profile", NoMemory(), Allowed(**options))
    for number in tabs:
        made.tab_seen(TabInfo(TabId(number), "", f"{origin}/"), number)
    return made


def tell(made: Registry, where: Place, *tools: JsonObject, update: bool = False, **more: Json) -> Registered:
    outcome = made.told(where, registering(*tools, update=update, **more), 1.0)
    assert isinstance(outcome, Registered), outcome
    return outcome


def entry(made: Registry, name: str) -> Entry:
    found = made.find(name)
    assert found is not None, sorted(made.snapshot().live)
    return found


Offer = tuple[str, str, dict[str, str]]


@dataclass
class Page:
    document: str
    origin: str
    frames: dict[int, tuple[str, str, dict[str, str]]] = field(
        default_factory=dict[int, tuple[str, str, dict[str, str]]]
    )
    """By frame: its document, its origin, and its tools with their descriptions."""


class Tabs(RuleBasedStateMachine):
    """A browser whose tabs open, close, load, register, update and come to the front at random."""

    def __init__(self) -> None:
        super().__init__()
        self.registry = registry()
        self.model: dict[int, Page] = {}
        self.documents = 0
        self.opened = 0
        self.numbers: dict[int, int] = {}
        self.names: dict[tuple[int, int, str, str], str] = {}

    def document(self) -> str:
        self.documents += 1
        return f"doc{self.documents}"

    def seen(self, tab: int, *, active: bool = False) -> None:
        page = self.model[tab]
        info = TabInfo(TabId(tab), "", f"{page.origin}/", active, 1, document_id=DocumentId(page.document))
        self.registry.tab_seen(info, tab, activated=active)

    @rule(site=st.sampled_from(SITES))
    def open(self, site: str) -> None:
        self.opened += 1
        self.model[self.opened] = Page(self.document(), site)
        self.seen(self.opened)

    @precondition(lambda self: bool(self.model))
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        tab = data.draw(st.sampled_from(sorted(self.model)))
        del self.model[tab]
        self.numbers.pop(tab, None)
        self.registry.tab_gone(TabId(tab))

    @precondition(lambda self: bool(self.model))
    @rule(data=st.data(), tools=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["Does.", "Other."])),
          update=st.booleans(), frame=st.integers(0, 2), site=st.sampled_from(SITES))  # fmt: skip
    def register(self, data: st.DataObject, tools: dict[str, str], update: bool, frame: int, site: str) -> None:
        tab = data.draw(st.sampled_from(sorted(self.model)))
        page = self.model[tab]
        known = page.frames.get(frame)
        if frame == 0:
            document, origin = page.document, page.origin
        else:
            document, origin = known[:2] if known is not None else (self.document(), site)
        where = place(tab, frame, document, origin)
        self.registry.told(where, registering(*(tool(*each) for each in tools.items()), update=update), self.documents)
        if not tools and not update:
            return
        page.frames[frame] = (document, origin, tools)
        if not tools:
            del page.frames[frame]

    @precondition(lambda self: bool(self.model))
    @rule(data=st.data(), site=st.sampled_from(SITES))
    def navigate(self, data: st.DataObject, site: str) -> None:
        tab = data.draw(st.sampled_from(sorted(self.model)))
        for frame, (document, _, _) in self.model[tab].frames.items():
            if frame:
                self.registry.frame_gone(TabId(tab), frame, DocumentId(document))
        self.model[tab] = Page(self.document(), site)
        self.seen(tab)

    @precondition(lambda self: bool(self.model))
    @rule(data=st.data())
    def activate(self, data: st.DataObject) -> None:
        tab = data.draw(st.sampled_from(sorted(self.model)))
        before = self.registry.snapshot().fingerprint
        self.seen(tab, active=True)
        assert self.registry.snapshot().fingerprint == before, "that alone is not what the tools are"
        assert [other for other in self.model if self.registry.is_active(TabId(other))] == [tab]

    @rule(frame=st.integers(0, 2), tab=st.integers(1, 9))
    def a_late_word_of_a_document_that_left(self, frame: int, tab: int) -> None:
        self.registry.frame_gone(TabId(tab), frame, DocumentId("long gone"))

    @invariant()
    def it_holds_what_the_tabs_offer(self) -> None:
        offered = {
            place(tab, frame, document, origin): tools
            for tab, page in self.model.items()
            for frame, (document, origin, tools) in page.frames.items()
        }
        held = {
            where: {name: entry.tool.description for name, entry in entries.items()}
            for where, entries in self.registry.frames().items()
        }
        assert held == offered

    @invariant()
    def every_name_is_valid_and_leads_to_its_own_tool(self) -> None:
        snapshot = self.registry.snapshot()
        entries = [entry for entries in self.registry.frames().values() for entry in entries.values()]
        assert len(snapshot.live) == len(entries)
        for entry in entries:
            assert self.registry.find(entry.name) is entry
            assert VALID.fullmatch(entry.name), entry.name
        assert snapshot.fingerprint == sum(entry.digest for entry in entries) % 2**128
        assert len({spec.name for spec in snapshot.specs}) == len(entries)

    @invariant()
    def numbers_and_names_stay(self) -> None:
        names = {
            (where.tab_id, where.frame_id, where.origin, name): entry
            for where, entries in self.registry.frames().items()
            for name, entry in entries.items()
        }
        for key, entry in names.items():
            assert self.numbers.setdefault(key[0], entry.number) == entry.number
            assert self.names.get(key, entry.name) == entry.name
        self.names = {key: entry.name for key, entry in names.items()}
        assert len(set(self.numbers.values())) == len(self.numbers)


TestTabs = Tabs.TestCase
TestTabs.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_the_same_registration_twice_changes_nothing() -> None:
    made = registry(1)
    assert tell(made, place(1), tool("a"), tool("b")).added == 2
    before = made.version
    assert tell(made, place(1), tool("b"), tool("a")) == Registered(kept=2)
    assert made.version == before


def test_an_update_replaces_what_changed_and_leaves_the_rest_as_it_was() -> None:
    made = registry(1)
    tell(made, place(1), tool("a"), tool("b"), tool("c"))
    kept = entry(made, "website_tool_site0_example_tab1_a")
    outcome = tell(made, place(1), tool("a"), tool("b", "Other."), update=True)
    assert (outcome.added, outcome.removed, outcome.kept) == (1, 2, 1)
    assert entry(made, kept.name) is kept
    assert entry(made, "website_tool_site0_example_tab1_b").tool.description == "Other."


def test_a_reload_takes_the_place_of_what_was_there_without_another_list() -> None:
    made = registry(1)
    tell(made, place(1), tool("a"))
    before = made.snapshot().fingerprint
    tell(made, place(1, document="d2"), tool("a"))
    assert made.snapshot().fingerprint == before
    assert entry(made, "website_tool_site0_example_tab1_a").place.document_id == "d2"
    assert made.frame_gone(TabId(1), 0, DocumentId("d")) == [], "the old document's end is no news"


def frame_names(made: Registry) -> dict[str, str]:
    """The tools of frames: the tool, and the name it has."""
    return {each.tool.name: each.name for each in made.snapshot().live.values() if not each.place.is_page}


def test_frames_keep_their_names_over_a_reload_whatever_the_browser_calls_them() -> None:
    made = registry(1)
    for frame, path in ((5, "0"), (6, "1"), (7, "1.0")):
        tell(made, _framed(frame, f"d{frame}", path), tool(f"in_{path.replace('.', '_')}"))
    before = frame_names(made)
    assert len(set(before.values())) == 3
    for frame in (5, 6, 7):
        made.frame_gone(TabId(1), frame, DocumentId(f"d{frame}"))
    for frame, path in ((12, "1.0"), (11, "1"), (15, "0")):
        tell(made, _framed(frame, f"d{frame}", path), tool(f"in_{path.replace('.', '_')}"))
    assert frame_names(made) == before


def test_where_nobody_tells_places_frames_are_told_apart_by_their_order() -> None:
    made = Registry("profile", NoMemory(), Allowed(), tells_frames=False)
    made.tab_seen(TabInfo(TabId(1), "", f"{SITES[0]}/"), 1)
    tell(made, place(1), tool("page"))
    tell(made, place(1, 5, "f5"), tool("a"))
    tell(made, place(1, 6, "f6"), tool("b"))
    before = frame_names(made)
    assert tell(made, place(1, document="d2"), tool("page")).gone == (place(1), place(1, 5, "f5"), place(1, 6, "f6"))
    assert frame_names(made) == {}
    tell(made, place(1, 8, "f8"), tool("a"))
    tell(made, place(1, 9, "f9"), tool("b"))
    assert frame_names(made) == before


def test_a_frame_that_stands_where_another_stood_has_a_name_of_its_own() -> None:
    made = registry(1)
    tell(made, _framed(5, "d5", "0"), tool("a"))
    assert tell(made, _framed(6, "d6", "0"), tool("a")).added == 1
    assert len(made.snapshot().live) == 2


def _framed(frame: int, document: str, path: str) -> Place:
    return Place(CHROME, TabId(1), frame, DocumentId(document), SITES[0], path)


def test_frames_go_with_their_page_where_nobody_tells_of_them() -> None:
    for page_offers in (True, False):
        made = Registry("profile", NoMemory(), Allowed(), tells_frames=False)
        made.tab_seen(TabInfo(TabId(1), "", f"{SITES[0]}/"), 1)
        if page_offers:
            tell(made, place(1), tool("a"))
        tell(made, place(1, 5, "ad", SITES[1]), tool("b"))
        assert made.tab_seen(TabInfo(TabId(1), "Title", f"{SITES[0]}/elsewhere"), 1) == []
        gone = made.tab_seen(TabInfo(TabId(1), "", "https://evil.example/"), 1)
        assert place(1, 5, "ad", SITES[1]) in gone
        assert not made.snapshot().live


def test_a_browser_that_tells_of_frames_is_believed() -> None:
    made = registry(1)
    tell(made, place(1), tool("a"))
    tell(made, place(1, 5, "new"), tool("b"))
    assert made.tab_seen(TabInfo(TabId(1), "", f"{SITES[0]}/", document_id=DocumentId("d2")), 1) == [place(1)]
    assert len(made.snapshot().live) == 1, "a frame of the new page may have spoken before its tab was told"


def test_a_name_without_a_tab_that_two_tools_could_have_stands_for_both_until_one_goes() -> None:
    made = registry(1)
    tell(made, place(1), tool("get.cart"), tool("get_cart"))
    alias = "website_tool_site0_example_get_cart"
    assert set(made.tabless(alias)) == {(SITES[0], "get.cart"), (SITES[0], "get_cart")}
    tell(made, place(1), tool("get.cart"), update=True)
    assert made.tabless(alias) == ((SITES[0], "get.cart"),)
    made.tab_gone(TabId(1))
    assert made.tabless(alias) == ()


def test_an_empty_first_list_is_no_registration_and_gives_no_number() -> None:
    made = registry(1, 2)
    assert tell(made, place(1)) == Registered()
    tell(made, place(2), tool("a"))
    assert entry(made, "website_tool_site0_example_tab1_a").place.tab_id == 2


def test_the_quotas_hold() -> None:
    made = registry(*range(1, 8))
    outcome = tell(made, place(1), *(tool(f"t{number}") for number in range(MAX_IN_FRAME + 6)))
    assert (outcome.added, len(outcome.rejected)) == (MAX_IN_FRAME, 6)
    for tab in range(2, 6):
        tell(made, place(tab), *(tool(f"t{number}") for number in range(MAX_IN_FRAME)))
    assert len(made.snapshot().live) == MAX_OF_ORIGIN
    refused = tell(made, place(6), tool("one_more"))
    assert refused.rejected == (("one_more", f"an origin may register {MAX_OF_ORIGIN}"),)
    made.tab_gone(TabId(5))
    made.tab_gone(TabId(4))
    assert tell(made, place(6), tool("one_more")).added == 1


def test_a_frame_cannot_take_the_name_of_its_page_nor_speak_for_it() -> None:
    look_alike = "https://my-bank.example"
    made = registry(1, origin="https://my.bank.example")
    tell(made, place(1, 3, "ad", look_alike), tool("pay", origin="https://my.bank.example"))
    tell(made, place(1, 0, "d", "https://my.bank.example"), tool("pay"))
    ours = entry(made, "website_tool_my_bank_example_tab1_pay")
    assert ours.place.frame_id == 0
    [theirs] = [each for each in made.snapshot().live.values() if each is not ours]
    assert theirs.origin == look_alike, "a frame's word on whose tool it is does not count"
    assert theirs.spec.description.startswith("[my-bank.example • Tab 1, in a frame]")
    tell(made, place(1, 3, "ad", look_alike), update=True)
    assert made.find(ours.name) is ours


LOOK_ALIKES = [
    ("https://a_b.com", "pay"), ("https://a.b.com", "pay"), ("https://a-b.com", "pay"), ("https://a.b.com:8443", "pay"),
    ("http://a.b.com", "pay"), ("http://a.b.com:8443", "pay"), ("https://a.b", "com_pay"),
    ("https://a.b.com.evil", "pay"), ("https://evil.com", "a_b_com_pay"), ("https://evil.com", "a_b_com_tab1_pay"),
    (f"https://{'l' * 62}a.com", "pay"), (f"https://{'l' * 62}b.com", "pay"),
]  # fmt: skip


@pytest.mark.rule("T55")
def test_sites_that_spell_alike_have_tools_of_their_own_and_each_name_leads_to_its_own() -> None:
    made = Registry("profile", NoMemory(), Allowed())
    for number, (origin, name) in enumerate(LOOK_ALIKES, 1):
        made.tab_seen(TabInfo(TabId(number), "", f"{origin}/"), number)
        tell(made, place(number, origin=origin, document=str(number)), tool(name))
    live = made.snapshot().live
    assert len(live) == len(LOOK_ALIKES)
    led = {name: (entry(made, name).origin, entry(made, name).tool.name) for name in live}
    assert sorted(led.values()) == sorted(LOOK_ALIKES)
    assert all(each.place.tab_id == TabId(int(each.place.document_id)) for each in live.values())


@pytest.mark.rule("T55")
def test_frames_of_one_tab_that_spell_alike_have_tools_of_their_own() -> None:
    made = registry(1, origin=LOOK_ALIKES[0][0])
    for number, (origin, name) in enumerate(LOOK_ALIKES):
        tell(made, place(1, number, str(number), origin), tool(name))
    led = {(each.origin, each.tool.name): each.place.frame_id for each in made.snapshot().live.values()}
    assert led == {told: number for number, told in enumerate(LOOK_ALIKES)}


@pytest.mark.rule("T57")
@pytest.mark.parametrize(
    "changed",
    [
        tool("pay", "Sends money to us."),
        tool("pay", inputSchema={"type": "object", "properties": {"to": {"type": "string"}}}),
        tool("pay", annotations={"readOnlyHint": True}),
        tool("pay", _meta={"x": 1}),
    ],
    ids=["description", "schema", "annotations", "meta"],
)
def test_whatever_of_a_tool_changes_makes_it_another_one_and_its_list_too(changed: JsonObject) -> None:
    made = registry(1)
    tell(made, place(1), tool("pay"))
    [before], list_before = made.snapshot().live.values(), made.snapshot().fingerprint
    tell(made, place(1), changed, update=True)
    [after] = made.snapshot().live.values()
    assert after.tool.definition != before.tool.definition
    assert not after.same_as(before)
    assert made.snapshot().fingerprint != list_before
    tell(made, place(1, document="next"), tool("pay"))
    [back] = made.snapshot().live.values()
    assert back.tool.definition == before.tool.definition, "in another document it is the same only if it says the same"


def test_only_allowed_origins_register() -> None:
    made = registry(1, patterns=frozenset({"https://a.example", "https://*.b.example"}))
    for origin, is_allowed in [
        ("https://a.example", True), ("https://x.b.example", True), ("https://b.example", False),
        ("http://a.example", False), ("https://a.example.evil.test", False), ("null", False),
        ("chrome-extension://abc", False), ("", False), ("https://a.example/", False),
    ]:  # fmt: skip
        outcome = made.told(place(1, origin=origin), registering(tool("a")), 1.0)
        assert isinstance(outcome, Registered) == is_allowed, origin
    assert isinstance(registry(1).told(place(1, origin="file://"), registering(tool("a")), 1.0), Ignored)


def test_what_pages_say_of_their_capabilities_adds_up() -> None:
    made = registry(1, 2)
    assert made.says == frozenset()
    tell(made, place(1), tool("a"), extensions={"browser": {"elicitation": True, "madeUp": True}})
    assert made.says == {"elicitation"}
    tell(made, place(2), tool("b", annotations={"cache": True}))
    assert made.says == {"elicitation", "cacheSupported"}
