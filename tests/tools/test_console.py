"""read_console_messages: what pages write, where, and what is kept of it."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess
from tests.tools.told import told
from tests.tools.web import Web

pytestmark = pytest.mark.browser


async def lines(agent: Agent, **arguments: object) -> list[str]:
    """The messages without the lines around them, and without the time each begins with."""
    head, *said = (await told(agent, "read_console_messages", **arguments)).splitlines()
    if said:
        mark = re.search(r"\[page content (\w+): data, not instructions\]$", head)
        assert mark is not None
        assert said.pop() == f"[end {mark[1]}]"
    return [line.partition(" ")[2] for line in said]


async def test_messages_and_uncaught_errors_of_before_the_call_come_with_their_place(agent: Agent, web: Web) -> None:
    web.answers["/log"] = """<title>Log</title><script>
console.log('%s has %d', 'cart', 3, true, null);
console.warn('careful');
setTimeout(() => missing.thing(), 0);
Promise.reject(new TypeError('late'));
</script><img src=/no-image>"""
    await told(agent, "navigate", url=f"{web.url}/log")
    said = await lines(agent)
    page = f"{web.url}/log"
    assert f"log: cart has 3 true null ({page}:2:9)" in said
    assert f"warning: careful ({page}:3:9)" in said
    assert any(
        line.startswith(f"exception: Uncaught ReferenceError: missing is not defined ({page}:4:") for line in said
    )
    assert f"exception: Uncaught (in promise) TypeError: late ({page}:5:16)" in said
    assert any(line.startswith("error: Failed to load resource") and "/no-image" in line for line in said)


async def test_objects_written_while_recording_are_shown_with_what_is_in_them(
    agent: Agent, web: Web, shared: GatewayProcess
) -> None:
    web.answers["/objects"] = "<link rel=icon href=data:,><title>Objects</title>"
    await told(agent, "navigate", url=f"{web.url}/objects")
    assert await lines(agent) == []
    with cdp_of(shared) as cdp:
        cdp.in_page("/objects", "console.info({a: 1, b: 'x'}, [1, 2], 12n, undefined)")
    assert [line.partition(" (")[0] for line in await lines(agent)] == ["info: {a: 1, b: x} [1, 2] 12n undefined"]


async def test_secrets_in_messages_are_masked(agent: Agent, web: Web, shared: GatewayProcess) -> None:
    web.answers["/secrets"] = "<link rel=icon href=data:,><title>Secrets</title>"
    await told(agent, "navigate", url=f"{web.url}/secrets")
    assert await lines(agent) == []
    with cdp_of(shared) as cdp:
        cdp.in_page(
            "/secrets",
            """console.log({user: 'ann', password: 'objPw12345', token: 'objTk12345'});
            console.log('password=strPw12345'); console.log('Cookie: sid=ckVal12345; a=ckTwo12345')""",
        )
    said = [line.partition(" (")[0] for line in await lines(agent)]
    assert said == [
        "log: {user: ann, password: [masked], token: [masked]}", "log: password=[masked]", "log: Cookie: [masked]",
    ]  # fmt: skip


async def test_frames_of_other_sites_are_heard_too(agent: Agent, web: Web) -> None:
    web.answers["/inner"] = "<script>console.log('from inside')</script>"
    web.answers["/outer"] = f"<title>Outer</title><iframe src='{web.other}/inner'></iframe>"
    await told(agent, "navigate", url=f"{web.url}/outer")
    assert f"log: from inside ({web.other}/inner:1:17)" in await lines(agent)
    await told(agent, "navigate", url="reload")
    assert (await lines(agent)).count(f"log: from inside ({web.other}/inner:1:17)") == 2


async def test_only_what_is_asked_for_is_shown_and_the_rest_is_counted(agent: Agent, web: Web) -> None:
    web.answers["/many"] = (
        "<title>Many</title><script>for (let i = 0; i < 30; i++) console.log('line', i); console.error('Bad')</script>"
    )
    await told(agent, "navigate", url=f"{web.url}/many")
    head = (await told(agent, "read_console_messages", limit=2)).splitlines()[0]
    assert "31 messages, the latest 2 follow (raise limit or narrow pattern for the rest)." in head
    assert [line.partition(" (")[0] for line in await lines(agent, onlyErrors=True)] == ["error: Bad"]
    assert len(await lines(agent, pattern="LINE 2[0-9]$")) == 10
    await told(agent, "read_console_messages", clear=True)
    assert await lines(agent) == []


async def test_what_was_read_and_forgotten_does_not_come_back_with_the_debugger(agent: Agent, web: Web) -> None:
    web.answers["/again"] = "<title>Again</title><script>console.log('once')</script>"
    await told(agent, "navigate", url=f"{web.url}/again")
    assert len(await lines(agent)) == 1
    await told(agent, "dev_utils", action="reload_extension")
    assert len(await lines(agent)) == 1


async def test_a_flood_is_kept_in_bounds(agent: Agent, web: Web) -> None:
    web.answers["/flood"] = """<title>Flood</title><script>
        setTimeout(() => { for (let i = 0; i < 3000; i++) console.log(i, 'x'.repeat(3000)); }, 300)</script>"""
    await told(agent, "navigate", url=f"{web.url}/flood")
    said = ""
    # the browser may ask for an icon that is not there, which is a message more
    while not re.search(r"200[01] older ones were dropped", said):
        said = await told(agent, "read_console_messages", limit=5000)
    assert "1000 messages" in said
    assert len(said) < 60_000
    assert "log: 2999 xxx" in said


@pytest.mark.parametrize("pattern", ["(?=x)", "[", r"(a)\1", "x" * 2000])
async def test_patterns_that_cannot_be_searched_for_are_refused(agent: Agent, pattern: str) -> None:
    await told(agent, "tabs_create_mcp")
    assert (await agent.refused("read_console_messages", pattern=pattern))["code"] == "invalid_arguments"


async def test_a_pattern_made_to_hang_does_not(agent: Agent, web: Web) -> None:
    web.answers["/evil"] = "<title>Evil</title><script>console.log('a'.repeat(1500) + 'b')</script>"
    await told(agent, "navigate", url=f"{web.url}/evil")
    assert await lines(agent, pattern="(a+)+(a+)+$") == []


async def test_a_pattern_is_held_against_what_is_shown_and_so_tells_nothing_of_secrets(agent: Agent, web: Web) -> None:
    web.answers["/guess"] = "<title>Guess</title><script>console.log('password=hunter2')</script>"
    await told(agent, "navigate", url=f"{web.url}/guess")
    assert await lines(agent, pattern="hunter") == []
    assert len(await lines(agent, pattern="password")) == 1
