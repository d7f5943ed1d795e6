"""A session's latest calls: which are kept, how elements are named in them, and that secrets are not."""

import pytest

from tabwright.browser.refs import Target
from tabwright.browser.tab import Tab
from tabwright.calls.history import MAX_CALLS, History, is_read_alone
from tabwright.errors import CommandFailed
from tabwright.model import DocumentId, JsonObject, TabId
from tabwright.tools.shortcut import SavedStep
from tests.calls.world import World, world
from tests.fakes import FakeChrome, tab


def page(made: World) -> tuple[Tab, FakeChrome]:
    chrome = made.chrome()
    chrome.link(tab(1))
    return chrome.browser.at(TabId(1)), chrome


def ref(of: Tab, role: str, name: str, number: int = 1) -> str:
    return of.refs.give(Target(0, DocumentId("d"), "1-2", number, "#x", role, name))


async def test_refs_become_words_that_find_the_element_again() -> None:
    async with world() as made:
        at, _ = page(made)
        save, icon = ref(at, "button", 'Say "hi"', 1), ref(at, "img", "", 2)
        history = History()
        step = await history.read(
            "computer", {"action": "left_click_drag", "start_ref": icon, "ref": save, "tabId": 1}, at
        )
        assert step == SavedStep(
            "computer", {"action": "left_click_drag", "start_ref": "find:img", "ref": 'find:button "Say hi"'}
        )
        unknown = await history.read("computer", {"action": "left_click", "ref": "e99"}, at)
        assert unknown == SavedStep("computer", {"action": "left_click", "ref": "e99"})


@pytest.mark.parametrize(
    ("told", "kept"),
    [('{"secret":true}', "{{secret}}"), ('{"secret":false}', "ann"), ("null", "{{secret}}"), ("{}", "{{secret}}")],
)
async def test_a_value_is_kept_only_where_the_field_is_known_to_be_no_secret(told: str, kept: str) -> None:
    async with world() as made:
        at, chrome = page(made)
        chrome.answers["askFrame"] = {"json": told}
        step = await History().read("form_input", {"ref": ref(at, "textbox", "Name"), "value": "ann"}, at)
        assert step is not None
        assert step.arguments["value"] == kept
        chrome.answers["askFrame"] = CommandFailed("gone")
        step = await History().read("form_input", {"ref": ref(at, "textbox", "Name"), "value": "ann"}, at)
        assert step is not None
        assert step.arguments["value"] == "{{secret}}"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find", {"query": "x"}),
        ("read_page", {}),
        ("computer", {"action": "screenshot"}),
        ("browser_batch", {"steps": []}),
        ("shortcuts_execute", {"command": "x"}),
        ("javascript_tool", {"text": "x" * 30_000}),
    ],
)
async def test_looks_sequences_and_giants_are_not_kept(tool: str, arguments: JsonObject) -> None:
    assert await History().read(tool, arguments, None) is None


async def test_what_a_call_says_by_itself_is_kept_in_order_and_without_secrets() -> None:
    history = History()
    script: JsonObject = {"text": "login({password: 'hunter2'})", "tabId": 1}
    assert is_read_alone("javascript_tool", script)
    history.worked("javascript_tool", script)
    history.worked("find", {"query": "x"})
    history.keep(SavedStep("computer", {"action": "key", "text": "Enter"}))
    history.worked("navigate", {"url": "http://a.test/"})
    assert [step.tool for step in history.steps()] == ["javascript_tool", "computer", "navigate"]
    assert "hunter2" not in str(history.steps())
    assert "tabId" not in history.steps()[0].arguments


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("form_input", {"ref": "e1", "value": "x"}),
        ("computer", {"action": "type", "text": "x"}),
        ("computer", {"action": "left_click", "ref": "e1"}),
    ],
)
def test_what_the_page_must_tell_of_a_call_is_asked_before_it(tool: str, arguments: JsonObject) -> None:
    assert not is_read_alone(tool, arguments)


def test_only_the_latest_are_kept() -> None:
    history = History()
    for number in range(MAX_CALLS + 10):
        history.keep(SavedStep("navigate", {"url": str(number)}))
    assert len(history.steps()) == MAX_CALLS
    assert [step.arguments["url"] for step in history.steps(2)] == ["58", "59"]
