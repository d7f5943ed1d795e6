"""Sequences of calls: order, refs of earlier finds, the first failure, bounds, shortcuts and their parameters."""

from typing import Any

import pytest
from pydantic import Field

from tabwright.calls.context import Catalog
from tabwright.errors import CommandFailed, InvalidArguments
from tabwright.model import Audio, Image, Json, JsonObject, Resource, TabId, Text, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools import browser_batch, shortcuts_execute, shortcuts_list
from tabwright.tools.shortcut import SavedStep, Shortcut, read_command, read_steps
from tabwright.tools.steps import MAX_CHARS, MAX_IMAGES
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool
from tests.calls.world import Client, World, world
from tests.fakes import tab

Call = tuple[str, JsonObject]


class Note(Params):
    text: str = "x"
    ref: str = ""
    start_ref: str = ""
    count: int = 1
    tabId: TabNumber | None = None


class Query(Params):
    query: str = Field()
    tabId: TabNumber | None = None


class Bench:
    """Tools that note what they were asked."""

    def __init__(self) -> None:
        self.asked: list[Call] = []
        self.hits: dict[str, list[Json]] = {"save": [{"ref": "e5"}, {"ref": "e6"}]}

    def catalog(self) -> Catalog:
        return Catalog(
            (
                self._tool("note", Note, self._note),
                self._tool("find", Query, self._find),
                self._tool("fail", Note, self._fail),
                self._tool("picture", Note, self._picture),
                self._tool("sound", Note, self._sound),
                browser_batch.TOOL,
                shortcuts_list.TOOL,
                shortcuts_execute.TOOL,
            )
        )

    def _tool(self, name: str, params: type[Any], run: Any) -> Tool[Any]:
        return Tool(
            name=name, description=name, params=params, access=Access.ACT, run=run,
            toolset=Toolset.AUTOMATION, hold=Hold.HELD,
        )  # fmt: skip

    async def _note(self, desk: Desk, params: Note) -> ToolResult:
        self.asked.append(("note", {**params.model_dump(exclude_defaults=True), "tabId": desk.target}))
        await desk.progress(1, 2, "half way")
        return ToolResult((Text(f"noted {params.text * params.count}"),))

    async def _find(self, desk: Desk, params: Query) -> ToolResult:
        self.asked.append(("find", {"query": params.query, "tabId": desk.target}))
        hits = self.hits.get(params.query, [])
        return ToolResult((Text(f"{len(hits)} hits"),), {"matches": hits})

    async def _fail(self, desk: Desk, params: Note) -> ToolResult:
        raise CommandFailed("The page said no.")

    async def _picture(self, desk: Desk, params: Note) -> ToolResult:
        return ToolResult((Text("a picture"), Image("QUJD", "image/png")))

    async def _sound(self, _desk: Desk, _params: Note) -> ToolResult:
        return ToolResult((Audio("QUJD", "audio/wav"), Resource("note:1", "a note")))


async def at_work(made: World) -> Client:
    made.chrome().link(tab(1), tab(2))
    agent = made.client(Toolset.AUTOMATION)
    await agent.session.call("note", {})  # fails for want of a tab, but connects
    for number in (1, 2):
        agent.session.context.holds.take(agent.session.workspace.id, TabId(number), claimed=True, names={})
    agent.session.workspace.current = None
    return agent


def step(tool: str, **arguments: Json) -> Json:
    return {"tool": tool, "arguments": arguments}


async def batch(agent: Client, *steps: Json) -> ToolResult:
    return await agent.session.call("browser_batch", {"steps": list(steps)})


def text_of(result: ToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, Text))


async def test_steps_run_in_order_and_are_told_by_number() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(agent, step("note", text="a", tabId=1), step("note", text="b", tabId=2))
        assert not result.is_error
        assert text_of(result) == "1. note: noted a\n2. note: noted b"
        assert bench.asked == [("note", {"text": "a", "tabId": 1}), ("note", {"text": "b", "tabId": 2})]
        assert made.audit.outcomes[-3:] == [("note", "ok"), ("note", "ok"), ("browser_batch", "ok")]


async def test_refs_of_an_earlier_find_are_used_by_later_steps() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(
            agent, step("find", query="save", tabId=2), step("note", ref="$1.1", start_ref="$1", text="$1.0")
        )
        assert not result.is_error
        assert bench.asked[1] == ("note", {"ref": "e6", "start_ref": "e5", "text": "$1.0", "tabId": 2})


async def test_a_ref_may_be_words_to_find() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        await batch(agent, step("note", ref="find: save", tabId=2))
        assert bench.asked == [
            ("find", {"query": "save", "tabId": 2}),
            ("note", {"ref": "e5", "tabId": 2}),
        ]
        result = await batch(agent, step("note", ref="find:nothing like it", tabId=2), step("note", tabId=2))
        assert result.is_error
        assert 'no hit 0 of find "nothing like it"' in text_of(result)
        assert len(bench.asked) == 3


async def test_the_first_failure_ends_it_and_says_where() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(agent, *(step(name, tabId=1) for name in ("note", "note", "fail", "note", "note")))
        assert result.is_error
        assert text_of(result).splitlines()[2:] == [
            "3. fail failed: The page said no.",
            "Stopped at step 3 of 5: steps 1–2 done, steps 4–5 not run.",
        ]
        assert result.structured == {
            "error": {"code": "failed", "message": "The page said no.", "next": ""},
            "failedStep": 3,
        }
        assert len(bench.asked) == 2
        result = await batch(agent, step("no_such_tool"), step("note", tabId=1))
        assert "Unknown tool: no_such_tool" in text_of(result)
        assert "nothing before it, step 2 not run" in text_of(result)


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([step("browser_batch", steps=[])], "has steps itself"),
        ([step("shortcuts_execute", command="x")], "has steps itself"),
        ([step("note"), step("note", ref="$1.0")], "names no find before it"),
        ([step("note", ref="$1.0"), step("find", query="save")], "names no find before it"),
        ([step("find", query="save"), step("note", ref="$2")], "names no find before it"),
        ([], "at least 1 item"),
        ([step("note")] * 26, "at most 25 items"),
        ([{"arguments": "none"}], "steps.0.tool"),
    ],
)
async def test_a_batch_that_makes_no_sense_runs_nothing(steps: list[Json], problem: str) -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(agent, *steps)
        assert result.is_error
        assert problem in text_of(result)
        assert bench.asked == []


async def test_images_keep_their_place_and_answers_their_bounds() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(agent, step("note", tabId=1), step("picture", tabId=1), step("note", tabId=1))
        assert [type(part).__name__ for part in result.content] == ["Text", "Image", "Text"]
        result = await batch(agent, *[step("picture", tabId=1)] * (MAX_IMAGES + 2))
        assert sum(isinstance(part, Image) for part in result.content) == MAX_IMAGES
        assert text_of(result).count("image left out") == 2
        many = [step("note", count=MAX_CHARS // 2, tabId=1)] * 3 + [step("fail", tabId=1)]
        result = await batch(agent, *many)
        assert len(text_of(result)) < MAX_CHARS + 1000
        assert "[cut: " in text_of(result)
        assert "4. fail failed: The page said no." in text_of(result)


async def test_other_parts_keep_their_bounds_as_images_do() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        result = await batch(agent, *[step("sound", tabId=1)] * (MAX_IMAGES + 2))
        assert sum(isinstance(part, Audio) for part in result.content) == MAX_IMAGES
        assert text_of(result).count("audio left out") == 2
        assert text_of(result).count("a note") == MAX_IMAGES + 2


async def test_progress_only_ever_grows() -> None:
    told: list[tuple[float, float | None, str]] = []

    async def progress(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))

    bench = Bench()
    async with world(bench.catalog()) as made:
        agent = await at_work(made)
        steps = [step("note", tabId=1), step("note", tabId=1)]
        await agent.session.call("browser_batch", {"steps": steps}, progress)
    assert told == [
        (0, 2, "1. note"), (0.5, 2, "half way"), (1, 2, "2. note"), (1.5, 2, "half way"), (2, 2, ""),
    ]  # fmt: skip


GREET = Shortcut(
    "sc_1", "greet", "Says hello.",
    (
        SavedStep("note", {"text": "hello {{ name }}!", "count": "{{times}}"}),
        SavedStep("note", {"text": "{{name}} again"}),
    ),
)  # fmt: skip


async def test_a_shortcut_runs_with_its_parameters_by_command_or_id() -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        made.shortcuts.save_shortcut(GREET)
        agent = await at_work(made)
        listed = await agent.session.call("shortcuts_list", {})
        assert text_of(listed) == "greet (name, times): Says hello. [sc_1]"
        assert listed.structured == {
            "shortcuts": [
                {"id": "sc_1", "command": "greet", "description": "Says hello.", "parameters": ["name", "times"]}
            ]
        }
        for named in ({"command": "/Greet"}, {"shortcutId": "sc_1"}):
            bench.asked.clear()
            result = await agent.session.call(
                "shortcuts_execute", {**named, "arguments": {"name": "Ann", "times": 2}, "tabId": 2}
            )
            assert not result.is_error, text_of(result)
            assert bench.asked == [
                ("note", {"text": "hello Ann!", "count": 2, "tabId": 2}),
                ("note", {"text": "Ann again", "tabId": 2}),
            ]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({}, "Name one shortcut"),
        ({"command": "greet", "shortcutId": "sc_1"}, "Name one shortcut"),
        ({"command": "gret"}, "There are: greet"),
        ({"command": "greet"}, "needs name, times. Its parameters: name, times"),
        ({"command": "greet", "arguments": {"name": "A", "times": 1, "age": 3}}, "has no parameter age"),
    ],
)
async def test_a_shortcut_called_wrongly_runs_nothing(asked: JsonObject, problem: str) -> None:
    bench = Bench()
    async with world(bench.catalog()) as made:
        made.shortcuts.save_shortcut(GREET)
        agent = await at_work(made)
        result = await agent.session.call("shortcuts_execute", {**asked, "tabId": 1})
        assert result.is_error
        assert problem in text_of(result)
        assert bench.asked == []


@pytest.mark.parametrize(
    "steps", [None, [], {}, {"steps": []}, ["note"], [{"tool": 1}], [{"tool": "a", "arguments": 1}]]
)
def test_steps_that_are_none_are_refused(steps: Json) -> None:
    with pytest.raises(InvalidArguments):
        read_steps(steps)


def test_steps_are_read_from_a_list_or_what_show_prints() -> None:
    listed: Json = [{"tool": "note"}, {"tool": "note", "arguments": {"text": "a"}}]
    expected = (SavedStep("note", {}), SavedStep("note", {"text": "a"}))
    assert read_steps(listed) == read_steps({"steps": listed, "id": "x"}) == expected
    with pytest.raises(InvalidArguments, match="Step 1: there is no tool"):
        read_steps(listed, frozenset({"find"}))
    with pytest.raises(InvalidArguments, match="which has steps itself"):
        read_steps([{"tool": "browser_batch"}])


def test_names_of_shortcuts_are_plain_words() -> None:
    assert read_command("/Log-In_2") == "log-in_2"
    for bad in ("", "a b", "-a", "ü", "x" * 49):
        with pytest.raises(InvalidArguments):
            read_command(bad)
