"""How far a grant reaches: to every session of its client at once, whatever they speak; and to no other gateway."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.approvals.test_everywhere import WAYS, at, launched
from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, until
from tests.proxy.far import SLOW_S, OptionsPage, behind

pytestmark = [pytest.mark.browser, pytest.mark.rule("T94")]

ASKS = '[[site]]\nmatch = "careful.test"\nscript = "ask"\n'


async def may(agent: Agent) -> bool:
    # more than a port can be, which is in the refusal
    result = await agent.result("javascript_tool", text="600_000 + 7")
    assert result.is_error != ("600007" in str(result.content))
    return not result.is_error


def grant(gateway: GatewayProcess, site: Site) -> None:
    given = gateway.run("grant", at(site, "careful.test", ""), "script", "--client", "mcp")
    assert given.returncode == 0, given.stderr


async def test_a_grant_and_its_end_are_everybodys_with_the_next_call(tmp_path: Path, site: Site) -> None:
    with launched(tmp_path) as ruled:
        async with AsyncExitStack() as clients:
            agents = [await clients.enter_async_context(ruled.agent(*way)) for way in WAYS]
            for number, agent in enumerate(agents):
                await agent.call("open_tab", url=at(site, "careful.test", f"/{number}"))
            assert not any([await may(agent) for agent in agents])
            grant(ruled.gateway, site)
            assert all([await may(agent) for agent in agents])
            assert ruled.gateway.run("grants", "revoke", "--all").returncode == 0
            assert not any([await may(agent) for agent in agents])


async def test_a_grant_of_one_gateway_is_nothing_to_another_at_the_same_browser(tmp_path: Path, site: Site) -> None:
    with behind(tmp_path) as made:
        with made.cdp() as cdp:
            page = OptionsPage(cdp)
            page.enter(made.url, made.extension_token())
            page.shows("Connected as alice")
            page.close()
        for name in ("one", "two"):
            (tmp_path / name).mkdir(mode=0o700)
            (tmp_path / name / "policy.toml").write_text(ASKS)
        with made.far(name="one") as one, made.far(name="two") as two:
            for gateway in (one, two):
                until(lambda gateway=gateway: gateway.status()["browsers"], SLOW_S)
            grant(one, site)
            async with connect(one) as first, connect(two) as second:
                for agent in (first, second):
                    await agent.call("connect_browser")
                    await agent.call("open_tab", url=at(site, "careful.test", "/x"))
                assert await may(first)
                assert not await may(second)
