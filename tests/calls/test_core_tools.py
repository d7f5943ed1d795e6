"""The five core tools: answers in tabs.md's shapes, the list they leave behind, and what is told when."""

from tabwright.errors import CommandFailed, NoBrowserInstalled, TimedOut
from tabwright.link import events
from tabwright.model import TabId, Toolset
from tests.calls.world import CORE, world
from tests.fakes import settle, tab, tool


async def test_the_walk_of_the_specification_is_told_step_by_step() -> None:
    async with world() as made:
        made.chrome().link()
        agent = made.client()
        assert agent.names == ["connect_browser"]

        assert await agent.call("connect_browser") == {
            "connected": True,
            "browser": {"name": "Chrome", "version": "120.0.0"},
            "tabCount": 0,
        }
        assert (agent.told, agent.names) == (1, CORE[:2])

        opened = await agent.call("open_tab", url="https://a.test", focus=False)
        first = opened["tab"]["id"]
        assert opened == {
            "tab": {"id": first, "title": "Loading...", "url": "https://a.test/"},
            "focused": False,
            "toolsAvailable": [],
        }
        assert (agent.told, agent.names) == (2, CORE[:3])
        await agent.call("open_tab", url="https://b.test", focus=False)
        assert agent.told == 2, "another tab without focus is no news"

        await agent.call("focus_tab", tabId=first)
        assert (agent.told, agent.names) == (3, CORE)
        await agent.call("focus_tab", tabId=first)
        assert agent.told == 3, "focusing the focused tab is no news"

        assert await agent.call("close_tab") == {"closed": True, "tabId": first}
        assert (agent.told, agent.names) == (4, CORE[:3])
        await agent.call("close_tab")
        assert (agent.told, agent.names) == (5, CORE[:2])


async def test_opening_with_focus_answers_with_the_tools_of_the_page() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link()
        agent = made.client()
        await agent.call("connect_browser")
        chrome.new_page = (tool("click_button"), tool("fill_form"))
        assert await agent.call("open_tab", url="https://a.test/") == {
            "tab": {"id": 101, "title": "Loading...", "url": "https://a.test/"},
            "focused": True,
            "toolsAvailable": ["click_button", "fill_form"],
        }
        assert agent.told == 2
        assert agent.names == [*CORE, "click_button", "fill_form"]


async def test_focusing_answers_with_the_tab_and_its_tools() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1, "https://mail.test/", "Inbox\n(3)"), tab(2))
        chrome.offer(1, tool("compose_email"), tool("list_tabs"))
        agent = made.client()
        await agent.call("connect_browser")
        assert await agent.call("focus_tab", tabId=1) == {
            "success": True,
            "tab": {"id": 1, "title": "Inbox (3)", "url": "https://mail.test/"},
            "toolsAvailable": ["compose_email", "page_list_tabs"],
        }
        assert agent.names == [*CORE, "compose_email", "page_list_tabs"]
        told = agent.told
        await agent.call("focus_tab", tabId=2)
        assert (agent.told, agent.names) == (told + 1, CORE)


async def test_focus_on_another_tab_is_told_even_if_the_lists_are_equal() -> None:
    async with world() as made:
        made.chrome().link(tab(1), tab(2))
        agent = made.client()
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        told = agent.told
        await agent.call("focus_tab", tabId=2)
        assert agent.told == told + 1


async def test_listing_tabs_shows_focus_and_counts() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link(tab(1, title="Inbox"), tab(2, "https://b.test/", "x" * 500))
        chrome.offer(1, tool("a"), tool("not valid"), tool("b"))
        agent = made.client()
        await agent.call("connect_browser")
        listed = await agent.call("list_tabs")
        assert listed == {
            "tabs": [
                {"id": 1, "title": "Inbox", "url": "https://example.com/", "focused": False, "toolCount": 2},
                {"id": 2, "title": "x" * 199 + "…", "url": "https://b.test/", "focused": False, "toolCount": 0},
            ],
            "focusedTabId": None,
        }
        await agent.call("focus_tab", tabId=2)
        listed = await agent.call("list_tabs")
        assert (listed["focusedTabId"], [row["focused"] for row in listed["tabs"]]) == (2, [False, True])


async def test_no_browser_is_an_answer_and_no_error() -> None:
    async with world() as made:
        agent = made.client()
        assert await agent.call("connect_browser") == {
            "connected": False,
            "error": "No browser found",
            "instructions": "Please open Chrome with the Browser Tools extension enabled, or call with launch=true",
        }
        assert (agent.told, agent.names) == (0, ["connect_browser"])
        assert made.launcher.launched == 0


async def test_no_browser_behind_a_proxy_is_answered_with_what_keeps_it_away() -> None:
    async with world() as made:
        made.browsers.trouble = "The proxy refuses us: Token revoked"
        told = await made.client().call("connect_browser")
        assert (told["connected"], told["instructions"]) == (False, "The proxy refuses us: Token revoked")


async def test_launching_brings_a_browser_once() -> None:
    async with world() as made:
        made.launcher.starts = lambda: made.chrome(launched=True).link(tab(1))
        agent = made.client()
        assert (await agent.call("connect_browser", launch=True))["tabCount"] == 1
        assert (await agent.call("connect_browser", launch=True))["tabCount"] == 1
        assert (await made.client().call("connect_browser", launch=True))["connected"] is True
        assert made.launcher.launched == 1


async def test_no_browser_is_launched_for_what_needs_a_tab() -> None:
    async with world() as made:
        made.launcher.starts = lambda: made.chrome(launched=True).link(tab(1))
        steps = {Toolset.FOCUS: "Call connect_browser first.", Toolset.HUB: "Call navigate with a url."}
        for beside, step in steps.items():
            result = await made.client(Toolset.AUTOMATION, beside).session.call("read_page", {})
            assert result.structured == {
                "error": {"code": "browser_not_connected", "message": "No browser is connected.", "next": step}
            }
        assert made.launcher.launched == 0


async def test_a_machine_without_a_browser_says_what_to_install() -> None:
    async with world() as made:

        def starts() -> None:
            raise NoBrowserInstalled("No Chrome here.")

        made.launcher.starts = starts
        told = await made.client().call("connect_browser", launch=True)
        assert told["connected"] is False
        assert told["next"].startswith("No Chrome here. Install one")


async def test_a_launched_browser_is_brought_to_the_front_and_the_persons_is_not() -> None:
    async with world() as made:
        own, launched = made.chrome("own"), made.chrome("launched", launched=True)
        own.link(tab(1))
        launched.link(tab(2))
        quiet, loud = made.client(), made.client(activate_on_focus=True)
        await quiet.call("select_browser", browserId="own")
        await quiet.call("focus_tab", tabId=1)
        assert own.asked("activateTab") == []
        await quiet.call("select_browser", browserId="launched")
        await quiet.call("focus_tab", tabId=2)
        assert launched.asked("activateTab") == [{"tabId": 2}]
        await loud.call("select_browser", browserId="own")
        await loud.call("focus_tab", tabId=1)
        assert own.asked("activateTab") == [{"tabId": 1}]


async def test_opened_tabs_share_the_sessions_group() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        agent = made.client(name="Claude Code")
        await agent.call("connect_browser")
        first = (await agent.call("open_tab", url="https://a.test"))["tab"]["id"]
        second = (await agent.call("open_tab", url="https://b.test"))["tab"]["id"]
        look = {"title": "Claude Code", "color": "blue"}
        assert chrome.asked("groupTabs") == [{"tabIds": [first], **look}, {"tabIds": [second], **look, "groupId": 7}]


async def test_a_tab_that_cannot_be_grouped_is_open_all_the_same() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.answers["groupTabs"] = CommandFailed("Tabs cannot be edited right now.")
        agent = made.client()
        await agent.call("connect_browser")
        assert (await agent.call("open_tab", url="https://a.test"))["focused"] is True


async def test_a_page_that_does_not_tell_its_tools_in_time_is_focused_and_tells_them_later() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1))
        chrome.answers["focusTab"] = TimedOut("focusTab", 3)
        agent = made.client()
        await agent.call("connect_browser")
        assert (await agent.call("focus_tab", tabId=1))["toolsAvailable"] == []
        told = agent.told
        chrome.offer(1, tool("late"))
        await agent.notices.reach(told + 1)
        assert agent.names == [*CORE, "late"]


async def test_the_answer_may_overtake_the_report_of_a_new_tab() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.report_late = True
        agent = made.client()
        await agent.call("connect_browser")
        opened = await agent.call("open_tab", url="https://a.test/", focus=False)
        assert opened["tab"] == {"id": 101, "title": "Loading...", "url": "https://a.test/"}
        chrome.tell(events.TabCreated(tab(101, "https://a.test/", "A")))
        await settle()
        assert (await agent.call("focus_tab", tabId=101))["tab"]["title"] == "A"


async def test_a_tab_gone_before_it_could_be_focused_is_not_found_and_not_held() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.report_late = True
        agent = made.client()
        await agent.call("connect_browser")
        assert await agent.refused("open_tab", url="https://a.test/") == "tab_not_found"
        assert made.sessions.held(agent.session) == ()
        assert agent.names == CORE[:2]


async def test_a_focused_tab_that_cannot_be_looked_at_again_stays_held_and_focused() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        chrome.answers["focusTab"] = CommandFailed("Chrome forbids it.")
        assert await agent.refused("focus_tab", tabId=1) == "failed"
        assert made.sessions.held(agent.session) == (1,)
        assert (await agent.call("list_tabs"))["focusedTabId"] == 1
        assert agent.session.tools.entries(TabId(99)) == {}
