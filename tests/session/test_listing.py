"""The list by face, toolsets, state, page and number of browsers."""

import pytest

from tabwright.model import BrowserId, Face, PageTool, SessionId, TabId, Toolset
from tabwright.session.listing import Listing, list_tools
from tabwright.session.page_names import page_entries
from tabwright.session.workspace import Group, Options, Workspace
from tabwright.tools import TOOLS
from tests.fakes import tool

FOCUS, AUTOMATION, HUB = Toolset.FOCUS, Toolset.AUTOMATION, Toolset.HUB
CORE = ["list_tabs", "open_tab", "focus_tab", "close_tab"]
CHOICE = ["list_connected_browsers", "select_browser"]
STABLE = ["connect_browser", *CORE, "page_tools", "call_page_tool"]
AUTOMATIC = [entry.name for entry in TOOLS if entry.toolset is AUTOMATION and not entry.chooses_browser]


def workspace(face: Face, *toolsets: Toolset) -> Workspace:
    return Workspace(SessionId("s"), "agent", Options(frozenset(toolsets), face), Group("agent", "blue"))


def focused(face: Face, *toolsets: Toolset) -> Workspace:
    made = workspace(face, *toolsets)
    made.connected(BrowserId("b"), [])
    made.focused(TabId(1))
    return made


def listed(made: Workspace, *page: PageTool, origin: str = "https://a.test", browsers: int = 1) -> Listing:
    pages = page_entries(TabId(1), origin, page, frozenset(entry.name for entry in TOOLS))
    return list_tools(made, TOOLS, pages, browsers)


def names(listing: Listing) -> list[str]:
    return [spec.name for spec in listing.specs]


def test_a_dynamic_list_grows_with_the_state() -> None:
    made = workspace(Face.DYNAMIC, FOCUS, AUTOMATION)
    assert names(listed(made)) == ["connect_browser"]
    made.connected(BrowserId("b"), [])
    assert names(listed(made)) == CORE[:2]
    made.tab_opened(TabId(1))
    assert names(listed(made)) == CORE[:3]
    made.focused(TabId(1))
    assert names(listed(made)) == [*CORE, *AUTOMATIC]


def test_page_tools_follow_the_core_tools_in_a_focused_dynamic_list() -> None:
    listing = listed(focused(Face.DYNAMIC, FOCUS), tool("star"), tool("fork"))
    assert names(listing) == [*CORE, "star", "fork"]
    assert list(listing.pages) == ["star", "fork"]


def test_a_stable_list_is_the_same_in_every_state_and_on_every_page() -> None:
    made = workspace(Face.STABLE, FOCUS, AUTOMATION)
    first = listed(made)
    assert names(first) == [*STABLE, *AUTOMATIC]
    made.connected(BrowserId("b"), [TabId(1)])
    made.focused(TabId(1))
    assert listed(made, tool("star")) == first
    assert listed(made, tool("star")).fingerprint == first.fingerprint


@pytest.mark.parametrize("face", list(Face))
@pytest.mark.parametrize("toolsets", [(FOCUS,), (AUTOMATION,), (FOCUS, AUTOMATION), (HUB,)])
def test_a_choice_of_browsers_is_shown_only_while_there_is_one(face: Face, toolsets: tuple[Toolset, ...]) -> None:
    made = workspace(face, *toolsets)
    assert set(CHOICE).isdisjoint(names(listed(made, browsers=0)) + names(listed(made, browsers=1)))
    assert [name for name in names(listed(made, browsers=2)) if name in CHOICE] == CHOICE


def test_a_list_without_focus_has_neither_its_tools_nor_the_pages() -> None:
    assert names(listed(focused(Face.DYNAMIC, AUTOMATION), tool("star"))) == AUTOMATIC
    assert names(listed(workspace(Face.STABLE, HUB))) == ["hub_list_tools", "hub_call_tool"]


def test_the_fingerprint_tells_lists_apart_by_all_that_matters() -> None:
    made = focused(Face.DYNAMIC, FOCUS)
    prints = {
        listed(made).fingerprint,
        listed(made, tool("a"), tool("b")).fingerprint,
        listed(made, tool("b"), tool("a")).fingerprint,
        listed(made, tool("a", "Other words."), tool("b")).fingerprint,
        listed(made, tool("a", "", x={"type": "string"}), tool("b")).fingerprint,
        listed(made, tool("a"), tool("b"), origin="https://b.test").fingerprint,
        listed(made, browsers=2).fingerprint,
    }
    assert len(prints) == 7
    assert listed(made, tool("a")).fingerprint == listed(made, tool("a")).fingerprint


class _Automation:
    """A tool of the automation set, as the catalogue will hold more of."""

    spec = TOOLS[0].spec
    toolset = Toolset.AUTOMATION
    faces = frozenset(Face)
    chooses_browser = False


def test_automation_comes_into_view_with_the_focus() -> None:
    catalog = (_Automation(),)
    made = workspace(Face.DYNAMIC, FOCUS, AUTOMATION)
    assert not list_tools(made, catalog, {}, 1).specs
    made = focused(Face.DYNAMIC, FOCUS, AUTOMATION)
    assert list_tools(made, catalog, {}, 1).specs == (_Automation.spec,)


def test_automation_alone_is_always_in_view() -> None:
    assert list_tools(workspace(Face.DYNAMIC, AUTOMATION), (_Automation(),), {}, 1).specs == (_Automation.spec,)
