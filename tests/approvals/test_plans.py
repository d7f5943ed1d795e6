"""A plan is agreed to site by site: in the window, on the dashboard, in the client; what is struck out stays closed."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.approvals.test_prompt import PROMPT, paired, press, prompted, visit
from tests.attacks.wire import INITIALIZE
from tests.clients import Agent, Era, Transport, connect
from tests.edges.test_unix_socket import GREETING, Lines, request
from tests.gateway import GatewayProcess, running
from tests.hub.peer import peer

SITES = ("https://a.test", "https://b.test", "https://c.test")
PLAN: dict[str, Any] = {"domains": ["a.test", "b.test", "c.test"], "approach": ["Compare the prices"]}
LEFT = {"approved": True, "domains": ["a.test", "c.test"], "struck": ["b.test"]}


def opened(gateway: GatewayProcess) -> set[str]:
    told = gateway.run("grants").stdout
    return {site for site in SITES if f" on {site} " in told}


async def planned(agent: Agent) -> Any:
    return (await agent.result("update_plan", **PLAN)).structured_content


@pytest.mark.browser
async def test_what_is_struck_out_in_the_window_is_not_granted(tmp_path: Path) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway, toolsets="focus,automation") as agent:
        await agent.call("connect_browser")
        calling = asyncio.create_task(planned(agent))
        said = await prompted(cdp)
        assert all(site in said for site in SITES)
        cdp.in_page(PROMPT, "document.querySelector('#choices input[value=\"https://b.test\"]').click()")
        await press(cdp, "once")
        assert await calling == LEFT
        assert opened(gateway) == {"https://a.test", "https://c.test"}


@pytest.mark.browser
async def test_what_is_struck_out_on_the_dashboard_is_not_granted(tmp_path: Path) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway, toolsets="focus,automation") as agent:
        await agent.call("connect_browser")
        with visit(gateway) as client:
            calling = asyncio.create_task(planned(agent))
            await prompted(cdp)
            (question,) = client.get("/api/state").json()["questions"]
            assert question["choices"] == [*SITES]
            pressed = {"answer": "once", "chosen": [SITES[0], SITES[2]]}
            assert client.post(f"/api/questions/{question['id']}", json=pressed).status_code == 204
            assert await calling == LEFT
        assert opened(gateway) == {"https://a.test", "https://c.test"}


class Person:
    """Fills in the client's form: the boxes of these sites are left unticked."""

    def __init__(self, *struck: str, fills: bool = True) -> None:
        self.struck = struck
        self.fills = fills
        self.shown: list[str] = []

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.message == "The agent plans to work on a.test, b.test, c.test: Compare the prices. Agree?"
        boxes = params.requested_schema["properties"]
        assert all(box["type"] == "boolean" and box["default"] for box in boxes.values())
        self.shown = [box["title"] for box in boxes.values()]
        filled: dict[str, Any] | None = (
            {name: box["title"] not in self.struck for name, box in boxes.items()} if self.fills else None
        )
        return types.ElicitResult(action="accept", content=filled)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("plans") / "home", TABWRIGHT_CONNECT_WAIT_S="0.5") as made:
        yield made


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("sse", "legacy"), ("http", "modern")])
@pytest.mark.parametrize(
    ("person", "left"),
    [
        (Person(SITES[1]), (SITES[0], SITES[2])),
        (Person(fills=False), SITES),
        (Person(*SITES), ()),
    ],
    ids=["some", "unfilled", "none"],
)
async def test_a_client_s_form_has_a_box_for_each_site(
    gateway: GatewayProcess, transport: Transport, era: Era, person: Person, left: Sequence[str]
) -> None:
    # a session that has just ended may still be kept for its client
    gateway.run("grants", "revoke", "--all")
    async with peer(gateway), connect(gateway, transport, era, person, toolsets="focus,automation") as agent:
        await agent.call("connect_browser")
        result = await agent.result("update_plan", **PLAN)
        assert person.shown == [*SITES]
        assert result.is_error == (not left)
        assert opened(gateway) == set(left)


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("stdio", "modern"), ("http", "modern")])
async def test_a_plan_within_a_batch_has_its_boxes(gateway: GatewayProcess, transport: Transport, era: Era) -> None:
    gateway.run("grants", "revoke", "--all")
    person = Person(SITES[1])
    async with peer(gateway), connect(gateway, transport, era, person, toolsets="focus,automation") as agent:
        await agent.call("connect_browser")
        steps = [{"tool": "tabs_context"}, {"tool": "update_plan", "arguments": PLAN}]
        result = await agent.result("browser_batch", steps=steps)
        assert person.shown == [*SITES]
        assert "stay away from there" in str(result.content)
        assert opened(gateway) == {SITES[0], SITES[2]}


@pytest.mark.browser
@pytest.mark.parametrize("answer", [{"action": 7}, {}, {"action": "accept", "content": {"site_1": {"yes": True}}}])
def test_an_answer_that_is_none_is_taken_for_a_client_that_cannot_ask(
    shared: GatewayProcess, answer: dict[str, Any]
) -> None:
    lines = Lines(shared)
    try:
        lines.ask({**GREETING, "options": {"toolsets": "automation", "list": "stable"}})
        lines.ask({**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {"elicitation": {}}}})
        question = lines.ask(request(2, "tools/call", name="update_plan", arguments=PLAN))
        assert question["method"] == "elicitation/create"
        told = lines.ask({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        assert told["result"]["structuredContent"]["error"]["code"] == "nobody_to_ask"
    finally:
        lines.close()
    assert "ERROR" not in shared.log()
