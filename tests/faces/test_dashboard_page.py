"""How the dashboard's page looks and behaves: for eyes, keys and screen readers, whatever there is to show."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.faces.person import Person, focus, violations
from tests.faces.stage import EMPTY, TOOL, Stage, busy, call, session, tab

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.browser]

SECTIONS = ("", "performance", "permissions", "recordings", "log", "settings")
HOSTILE = "<img src=x onerror=hit=1><script>hit=1</script>\u202e\"'><svg onload=hit=1>{{7*7}}"


async def live(person: Person, stage: Stage, **look: Any) -> Page:
    page = await person.visit(stage.url, **look)
    await expect(page.locator("#link")).to_have_text("Live")
    return page


async def go(page: Page, section: str) -> None:
    await page.evaluate(f"location.hash = '#/{section}'")
    await expect(page.locator(f"#view-{section or 'activity'}")).to_be_visible()
    await expect(page.locator("#main")).not_to_contain_text("Looking …")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
async def test_axe_finds_nothing_wrong_in_any_section(person: Person, scheme: str, width: int) -> None:
    async with busy().open() as stage:
        page = await live(person, stage, scheme=scheme, width=width, motion="reduce")
        for section in SECTIONS:
            await go(page, section)
            assert await violations(page) == [], section


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_wrong_where_there_is_nothing_or_something_in_front(
    person: Person, scheme: str
) -> None:
    async with Stage(EMPTY, []).open() as stage:
        page = await live(person, stage, scheme=scheme, motion="reduce")
        for section in SECTIONS[:4]:
            await go(page, section)
            assert await violations(page) == [], section
    await expect(page.locator("#lost")).to_be_visible()
    assert await violations(page) == []
    async with busy().open() as stage:
        page = await live(person, stage, scheme=scheme, motion="reduce")
        await page.click("[data-tab='1'] [data-deed=tools]")
        await page.click("#panel-tools > details > summary")
        await page.click("text=What it takes")
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        await page.click("#calls tbody tr")
        await expect(page.locator("#panel")).to_contain_text("rule: default")
        assert await violations(page) == []


async def test_it_fits_from_small_to_large_windows(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        for width in (360, 768, 1000, 1280, 1600):
            await page.set_viewport_size({"width": width, "height": 800})
            for section in SECTIONS:
                await go(page, section)
                wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, f"{section} at {width}"
            await go(page, "")
            cut = await page.locator("#calls").evaluate("it => it.scrollWidth - it.parentElement.clientWidth")
            assert cut <= 0, f"calls at {width}"


async def test_in_a_narrow_window_the_section_and_what_is_allowed_are_read_whole(person: Person) -> None:
    async with busy().open() as stage:
        stage.view["grants"] = [
            {"id": kind, "origin": "https://a-rather-long-name.shop.example", "class": kind, "client": "Claude Code",
             "tool": "", "where": "your own browser", "scope": "session"}
            for kind in ("read", "act", "script")
        ]  # fmt: skip
        page = await live(person, stage, width=360)
        for section in reversed(SECTIONS):
            await go(page, section)
            current = page.locator("#nav [aria-current=page]")
            assert await current.evaluate("it => it.getBoundingClientRect().right <= innerWidth"), section
            assert await current.evaluate("it => it.getBoundingClientRect().left >= 0"), section
        await go(page, "permissions")
        await expect(page.locator("#grants li")).to_have_count(3)
        for words in await page.locator("#grants .tab > *").all():
            assert await words.evaluate("it => it.scrollWidth <= it.clientWidth")


async def test_what_colours_tell_is_seen_where_the_system_chooses_them(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        await page.emulate_media(forced_colors="active")
        ground = "it => getComputedStyle(it).backgroundColor"
        assert await page.locator("#link .mark").evaluate(ground) != await page.locator("body").evaluate(ground)
        await expect(page.locator("#nav [aria-current]")).to_have_css("outline-style", "solid")


async def test_everything_is_reached_by_keys_alone_and_focus_is_seen(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        await page.keyboard.press("Tab")
        assert (await focus(page))["id"] == "skip"
        await page.keyboard.press("Enter")
        assert (await focus(page))["id"] == "main"
        names: list[str] = []
        for _ in range(80):
            await page.keyboard.press("Tab")
            now = await focus(page)
            if now["tag"] == "body" or now["id"] == "skip":
                break
            assert now["seen"], now
            names.append(now["id"] or now["name"])
        wanted = {
            "Allow once",
            "Don't allow",
            "3 tools of Shop, page 1",
            "Take back Shop, page 1",
            "by-session",
            "by-tool",
        }
        assert wanted <= set(names)
        assert sum(name in ("read_page", "find", "computer", "navigate") for name in names) == 1, (
            "one stop for all calls"
        )


async def test_calls_are_walked_by_arrows_opened_by_enter_and_left_by_escape(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        await page.focus("#calls button.name[tabindex='0']")
        for key, call_number in (("ArrowDown", 199), ("ArrowDown", 198), ("ArrowUp", 199), ("End", 101), ("Home", 200)):
            await page.keyboard.press(key)
            there = "document.activeElement.closest('tr').dataset.call"
            assert await page.evaluate(there) == str(call_number), key
        stage.tell("calls", [call(201)])
        await expect(page.locator("#calls [data-call='201']")).to_be_visible()
        assert await page.evaluate(there) == "200", "a new call does not take the focus away"
        await page.keyboard.press("Enter")
        await expect(page.locator("#panel-where")).to_contain_text("Call 200")
        await page.keyboard.press("Escape")
        await expect(page.locator("#panel")).not_to_be_visible()
        assert await page.evaluate(there) == "200"


async def test_calls_are_filtered_by_agent_tool_and_outcome(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        stage.tell("calls", [call(201, session="b" * 32, client="Cursor", tool="find", outcome="timeout")])
        await page.select_option("#by-session", label="Cursor")
        await expect(page.locator("#calls tbody tr")).to_have_count(1)
        await page.select_option("#by-tool", "navigate")
        await expect(page.locator("#no-calls")).to_contain_text("No call is like that")
        await page.click("text=Show all calls")
        await page.select_option("#by-outcome", "failed")
        await expect(page.locator("#calls tbody tr")).to_have_count(200 // 17 + 1)
        await expect(page.locator("#calls-told")).to_have_text("12 calls")


async def test_ten_thousand_calls_a_hundred_tabs_and_a_thousand_tools_stay_light(person: Person) -> None:
    stage = busy(calls=10_000, tabs=100)
    stage.told["tabs/1/tools"] = {"tools": [TOOL | {"name": f"tool_{number}"} for number in range(1000)]}
    async with stage.open():
        page = await live(person, stage)
        await expect(page.locator("#calls tbody tr")).to_have_count(100)
        await expect(page.locator("#browsers li")).to_have_count(12)
        await page.click("#more-calls button")
        await expect(page.locator("#calls tbody tr")).to_have_count(200)
        await page.click("#browsers [data-deed=more]")
        await expect(page.locator("#browsers li")).to_have_count(100)
        await page.click("[data-tab='1'] [data-deed=tools]")
        await expect(page.locator("#panel-tools > details")).to_have_count(50)
        await page.fill("#tool-search", "tool_999")
        await expect(page.locator("#panel-tools > details")).to_have_count(1)
        await page.keyboard.press("Escape")
        for number in range(10_001, 10_051):
            stage.tell("calls", [call(number)])
        await expect(page.locator("#calls tbody tr").first).to_have_attribute("data-call", "10050")
        assert await page.evaluate("document.querySelectorAll('*').length") < 5000


async def test_hostile_words_are_words(person: Person) -> None:
    view = {
        "browsers": [{"id": "b", "name": HOSTILE, "version": HOSTILE, "launched": True,
                      "tabs": [tab(1, title=HOSTILE, url=f"javascript:{HOSTILE}")]}],
        "sessions": [session(0, client=HOSTILE, version=HOSTILE)],
        "grants": [{"id": "g", "origin": HOSTILE, "class": HOSTILE, "client": HOSTILE, "tool": HOSTILE,
                    "where": HOSTILE, "scope": "always"}],
        "questions": [{"id": "q", "client": HOSTILE, "origin": HOSTILE, "tool": HOSTILE, "kind": HOSTILE,
                       "question": HOSTILE, "details": [{"name": HOSTILE, "value": HOSTILE}], "lasting": True,
                       "until": 1.0}],
    }  # fmt: skip
    schema = {"properties": {HOSTILE: {"type": "string", "enum": [HOSTILE], "description": HOSTILE}, "x": None}}
    stage = Stage(view, [call(1, tool=HOSTILE, client=HOSTILE, origin=HOSTILE, outcome=HOSTILE, rule=HOSTILE)])
    stage.told["tabs/1/tools"] = {"tools": [TOOL | {"name": HOSTILE, "description": HOSTILE, "inputSchema": schema}]}
    stage.told["tabs/1/call"] = {"isError": False, "text": HOSTILE, "pictures": [], "hidden": 0}
    record = {"time": HOSTILE, "level": HOSTILE, "source": HOSTILE, "text": HOSTILE}
    stage.told |= {"log": {"records": [record]}, "recordings": {"recordings": [
        {"session": HOSTILE, "name": HOSTILE, "size": 1, "saved": 1.0}]}}  # fmt: skip
    async with stage.open():
        page = await live(person, stage)
        await expect(page.locator("#browsers li")).to_contain_text("<script>")
        await page.click("[data-deed=tools]")
        await page.click("#panel-tools summary")
        await page.click("#panel-tools .primary")
        await expect(page.locator(".answer")).to_contain_text("<script>")
        await page.keyboard.press("Escape")
        await page.click("#calls tbody tr")
        await page.keyboard.press("Escape")
        for section in SECTIONS[:-1]:
            await go(page, section)
        assert await page.evaluate("typeof hit") == "undefined"
        assert (
            await page.evaluate("document.querySelectorAll('main script, main [onerror], main [onload]').length") == 0
        )


async def test_a_tool_is_tried_with_a_form_made_of_its_schema(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        await page.click("[data-tab='1'] [data-deed=tools]")
        await page.click("#panel-tools > details > summary")
        await page.click("text=Try it")
        assert (await focus(page))["id"] == await page.get_attribute("[data-field=to]", "id"), "the first that is wrong"
        await expect(page.locator(".field:has([data-field=to]) .wrong")).to_have_text("This is required.")
        await page.fill("[data-field=to]", "Oslo")
        await page.fill("[data-field=people]", "12")
        await page.fill("[data-field=stops]", "[not json")
        await page.click("text=Try it")
        await expect(page.locator(".field:has([data-field=people]) .wrong")).not_to_be_empty()
        await expect(page.locator(".field:has([data-field=stops]) .wrong")).to_contain_text("not JSON")
        assert not [path for path, _ in stage.posted if path.endswith("call")]
        await page.fill("[data-field=people]", "2")
        await page.fill("[data-field=stops]", '["Bergen"]')
        await page.select_option("[data-field=class]", label="business")
        await page.select_option("[data-field=direct]", label="no")
        await page.keyboard.press("Enter")
        await page.click("text=Try it")
        await expect(page.locator(".answer")).to_contain_text("Found 3 flights")
        given = {"to": "Oslo", "people": 2, "stops": ["Bergen"], "class": "business", "direct": False}
        assert ("tabs/1/call", {"name": "search_flights", "arguments": given}) in stage.posted


async def test_charts_say_the_same_in_words_and_in_a_table(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage)
        await go(page, "performance")
        await expect(
            page.get_by_role("img", name=re.compile("Time a call takes, all tools: the median of 200 calls"))
        ).to_be_visible()
        await page.click("#latency summary")
        await expect(page.locator("#latency tbody tr")).to_have_count(24)
        await page.select_option("#chart-tool", "find")
        await expect(
            page.get_by_role("img", name=re.compile("Time a call takes, find: the median of 50 calls"))
        ).to_be_visible()
        await expect(page.locator("#tools-table tbody tr")).to_have_count(4)


async def test_a_question_is_answered_in_front_of_an_open_panel(person: Person) -> None:
    stage = busy()
    questions, stage.view["questions"] = stage.view["questions"], []
    async with stage.open():
        page = await live(person, stage)
        await page.click("#calls tbody tr")
        stage.tell("view", stage.view | {"questions": questions})
        await expect(page.locator("#panel #questions")).to_be_visible()
        await page.wait_for_function("document.title === '(1) tabwright asks'")
        async with asyncio.timeout(10):
            # what comes up under a hand takes no answer for a moment
            while ("questions/q1", {"answer": "deny"}) not in stage.posted:
                await page.click("#panel [data-answer=deny]")


async def test_nothing_moves_for_whoever_wants_that(person: Person) -> None:
    async with busy().open() as stage:
        page = await live(person, stage, motion="reduce")
        await page.click("#calls tbody tr")
        assert await page.evaluate("document.getAnimations().length") == 0
