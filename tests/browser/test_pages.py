"""What pages offer: registered by frames, found by looking, gone with their documents; and calling it."""

import asyncio

import pytest

from tabwright.browser.downloads import Downloads
from tabwright.browser.numbers import TabNumbers
from tabwright.browser.pages import Pages, Waits
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, TabNotFound
from tabwright.link import events
from tabwright.model import BrowserId, DocumentId, Json, JsonObject, PageTool, TabId, TabInfo
from tests.fakes import FakeLink, tab, tool

ONE = TabId(1)
A, B = DocumentId("a"), DocumentId("b")


class Watched:
    """The pages of a browser with one tab, and what they say has changed."""

    def __init__(self) -> None:
        self.link = FakeLink()
        self.tabs: dict[TabId, TabInfo] = {ONE: tab(1, document_id=A)}
        self.changed: list[TabId] = []
        numbers = TabNumbers()
        numbers.shown(BrowserId("b"), 1)
        self.tab = Tab(self.link, ONE, 1, Downloads(), lambda opened: asyncio.sleep(0, ()))
        self.pages = Pages(self.link, numbers, BrowserId("b"), self.tabs, self.changed.append, lambda _: self.tab)

    def names(self) -> list[str]:
        return [tool.name for tool in self.pages.tools(ONE)]

    def told(self, *tools: str, frame: int = 0, document: DocumentId = A, method: str = "registerTools") -> None:
        listed: list[Json] = [{"name": name, "description": "d", "inputSchema": {}} for name in tools]
        message: JsonObject = {"jsonrpc": "2.0", "method": f"browser/{method}", "params": {"tools": listed}}
        self.pages.apply(events.TabMessage(1, frame, document, f"https://{frame}.test", message))


def found(name: str, document: DocumentId = A) -> PageTool:
    return PageTool(name, "d", {}, source="introspection", document_id=document)


def test_registered_tools_come_first_the_top_frames_before_those_of_its_frames() -> None:
    watched = Watched()
    watched.pages.apply(events.ToolsReported(1, (found("search"), found("buy"))))
    watched.told("pay", frame=7, document=B)
    watched.told("buy")
    assert watched.names() == ["buy", "search", "pay"], "what is registered hides what was found under its name"
    assert [tool.origin for tool in watched.pages.tools(ONE)] == ["https://0.test", "", "https://7.test"]
    assert watched.changed == [ONE] * 3


def test_a_frame_never_hides_what_the_page_itself_offers() -> None:
    watched = Watched()
    watched.pages.apply(events.ToolsReported(1, (found("log_in"),)))
    watched.told("log_in", frame=7, document=B)
    assert [(tool.name, tool.frame_id) for tool in watched.pages.tools(ONE)] == [("log_in", 0), ("log_in", 7)]


def test_the_same_list_again_is_no_change() -> None:
    watched = Watched()
    watched.told("buy")
    watched.told("buy", method="updateTools")
    assert watched.changed == [ONE]


def test_a_frame_offers_what_it_said_last_and_nothing_once_it_is_gone() -> None:
    watched = Watched()
    watched.told("a", "b")
    watched.told("b", "c", method="updateTools")
    assert watched.names() == ["b", "c"]
    watched.told("d", document=B)
    assert watched.names() == ["d"], "a frame shows one document at a time"
    watched.pages.apply(events.FrameGone(1, 0, A))
    assert watched.names() == ["d"], "that one was gone already"
    watched.pages.apply(events.FrameGone(1, 0, B))
    assert watched.names() == []


@pytest.mark.parametrize(
    "message",
    [
        {"method": "browser/registerTools", "params": {"tools": "none"}},
        {"method": "browser/registerTools"},
        {"method": "browser/somethingElse", "params": {"tools": []}},
        {},
    ],
)
def test_what_makes_no_sense_is_ignored(message: JsonObject) -> None:
    watched = Watched()
    watched.told("a")
    watched.pages.apply(events.TabMessage(1, 0, A, "https://0.test", message))
    assert watched.names() == ["a"]


def test_found_tools_outlive_their_document_only_while_the_next_one_loads() -> None:
    watched = Watched()
    watched.pages.apply(events.ToolsReported(1, (found("search"),)))
    watched.tabs[ONE] = tab(1, document_id=B, loading=True)
    assert watched.names() == ["search"]
    watched.tabs[ONE] = tab(1, document_id=B)
    assert watched.names() == []


async def test_looking_at_a_page_finds_its_tools_and_watches_it() -> None:
    watched = Watched()
    watched.link.answers["introspect"] = {"documentId": "a", "tools": [{"name": "search", "source": "introspection"}]}
    await watched.pages.look_at(ONE)
    await watched.pages.look_away(ONE)
    assert watched.names() == ["search"]
    assert watched.link.asked("introspect") == [{"tabId": 1, "watch": True}, {"tabId": 1, "watch": False}]


async def test_a_survey_looks_at_loaded_tabs_and_wakes_none() -> None:
    watched = Watched()
    watched.tabs[TabId(2)] = tab(2, discarded=True)
    await watched.pages.survey()
    assert watched.link.asked("introspect") == [{"tabId": 1}]


async def test_a_page_that_never_answers_costs_one_survey_and_is_waited_for_again_once_it_does() -> None:
    watched = Watched()
    gate = watched.link.gates["introspect"] = asyncio.Event()
    watched.pages.waits = Waits(survey_s=0.01)
    await watched.pages.survey()
    watched.pages.waits = Waits(survey_s=60)
    async with asyncio.timeout(5):
        for _ in range(10):
            await watched.pages.survey()
        assert watched.link.asked("introspect") == [{"tabId": 1}], "nor is it asked again while it has not answered"
        gate.set()
        watched.link.answers["introspect"] = {"documentId": "a", "tools": [{"name": "search", "source": "generic"}]}
        for _ in range(10):
            await asyncio.sleep(0)
        assert watched.names() == ["search"], "what it says late counts"
        gate.clear()
        watched.link.reached.clear()
        again = asyncio.create_task(watched.pages.survey())
        await watched.link.reached.wait()
        await asyncio.sleep(0)
        assert not again.done(), "it was in time, and is waited for"
        gate.set()
        await again


async def test_a_page_that_told_its_tools_before_is_not_waited_for_while_it_is_busy() -> None:
    watched = Watched()
    watched.link.answers["introspect"] = {"documentId": "a", "tools": [{"name": "search", "source": "generic"}]}
    await watched.pages.survey()
    gate = watched.link.gates["introspect"] = asyncio.Event()
    watched.pages.waits = Waits(survey_s=60)
    async with asyncio.timeout(5):
        await watched.pages.survey()
    assert watched.names() == ["search"], "what it said last counts"
    assert not gate.is_set()


async def test_a_document_that_never_told_its_tools_is_waited_for_though_the_one_before_it_did() -> None:
    watched = Watched()
    watched.link.answers["introspect"] = {"documentId": "a", "tools": []}
    await watched.pages.survey()
    watched.tabs[ONE] = tab(1, document_id=B)
    gate = watched.link.gates["introspect"] = asyncio.Event()
    watched.pages.waits = Waits(survey_s=60, fresh_s=0.001)
    survey = asyncio.create_task(watched.pages.survey())
    await asyncio.wait({survey}, timeout=0.05)
    assert not survey.done()
    watched.link.answers["introspect"] = {"documentId": "b", "tools": [{"name": "buy", "source": "generic"}]}
    gate.set()
    async with asyncio.timeout(5):
        await survey
    assert watched.names() == ["buy"]


async def test_a_found_tool_runs_in_the_document_it_was_found_in() -> None:
    watched = Watched()
    watched.link.answers["runTool"] = {"result": {"content": []}}
    assert await watched.pages.call(ONE, found("search"), {"query": "x"}) == {"content": []}
    where: JsonObject = {"tabId": 1, "frameId": 0, "documentId": "a"}
    assert watched.link.asked("runTool") == [{**where, "name": "search", "arguments": {"query": "x"}}]


async def test_a_found_tool_that_is_another_by_now_is_refused_and_looked_for_again() -> None:
    watched = Watched()
    listed: JsonObject = {"name": "search", "source": "introspection", "documentId": "a", "digest": "old"}
    watched.link.answers["introspect"] = {"documentId": "a", "tools": [listed]}
    await watched.pages.look_at(ONE)
    [known] = watched.pages.tools(ONE)
    watched.link.answers["introspect"] = {"documentId": "a", "tools": [{**listed, "name": "find", "digest": "new"}]}
    watched.link.answers["runTool"] = CommandFailed("not as it was listed", -32015, "stale_target")
    with pytest.raises(CommandFailed, match="not as it was listed"):
        await watched.pages.call(ONE, known, {})
    assert [params["digest"] for params in watched.link.asked("runTool")] == ["old"]
    assert watched.names() == ["find"]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"jsonrpc": "2.0", "id": "1", "result": {"success": True, "payload": {"content": []}}}, {"content": []}),
        ({"success": True, "payload": "done"}, "done"),
        (
            {"result": {"success": False, "payload": "no stock"}},
            {"content": [{"type": "text", "text": "no stock"}], "isError": True},
        ),
        ({"result": {"success": False, "payload": {"content": []}}}, {"content": [], "isError": True}),
    ],
)
async def test_a_registered_tool_is_called_in_the_hub_protocol(answer: JsonObject, result: Json) -> None:
    watched = Watched()
    watched.link.answers["tabMessage"] = answer
    registered = PageTool("buy", "d", {}, source="webmcp", frame_id=7, document_id=B)
    assert await watched.pages.call(ONE, registered, {"n": 1}) == result
    [sent] = watched.link.asked("tabMessage")
    assert {key: sent[key] for key in ("tabId", "frameId", "documentId")} == {
        "tabId": 1,
        "frameId": 7,
        "documentId": "b",
    }
    message = sent["message"]
    assert isinstance(message, dict)
    assert message["method"] == "browser/executeTool"
    assert message["params"] == {"toolName": "buy", "args": {"n": 1}}


def test_a_tool_without_an_origin_of_its_own_is_the_tabs() -> None:
    assert tool("x").origin == ""


@pytest.mark.parametrize("answered", [False, True])
async def test_a_call_whose_tab_goes_is_answered_or_its_outcome_unknown(answered: bool) -> None:
    watched = Watched()
    watched.pages.waits = Waits(last_word_s=5.0 if answered else 0.01)
    gate = watched.link.gates["runTool"] = asyncio.Event()
    watched.link.answers["runTool"] = {"result": {"content": []}}
    calling = asyncio.create_task(watched.pages.call(ONE, found("pay"), {}))
    await watched.link.reached.wait()
    watched.tab.cdp.over(TabNotFound(1, closed=True))
    if answered:
        # on its way before the tab went, read after
        gate.set()
        assert await calling == {"content": []}
        return
    with pytest.raises(CommandFailed, match="closed") as caught:
        await calling
    assert caught.value.word == "outcome_unknown"


async def test_a_call_for_a_tab_that_is_gone_already_was_not_made() -> None:
    watched = Watched()
    watched.link.answers["runTool"] = TabNotFound(1)
    with pytest.raises(TabNotFound):
        await watched.pages.call(ONE, found("pay"), {})
