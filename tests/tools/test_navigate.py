"""navigate: where a tab goes, and what is said of where it got."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess, browser_with_port, running, until
from tests.tools.told import tab_of, told
from tests.tools.web import Answer, Web, file, redirect

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A gateway whose browser saves files in a folder of the test's own."""
    folder = tmp_path_factory.mktemp("shared")
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder)), HOME=str(folder)) as made:
        yield made


async def test_the_first_address_opens_a_tab_of_the_sessions_own(agent: Agent, web: Web) -> None:
    web.answers["/"] = "<title>Home</title>"
    said = await told(agent, "navigate", url=web.host)
    assert said.startswith(f'Loaded {web.url}/ "Home" (HTTP 200) in tab ')
    assert "has 1 tab:" in await told(agent, "tabs_context_mcp")


async def test_without_a_tab_there_is_nowhere_to_go_back_to(agent: Agent) -> None:
    error = await agent.refused("navigate", url="back")
    assert (error["code"], error["next"]) == ("invalid_arguments", "Give an address; it opens in a new tab.")


async def test_history_is_walked_one_page_at_a_time(agent: Agent, web: Web) -> None:
    for name in ("one", "two"):
        web.answers[f"/{name}"] = f"<title>{name}</title>"
        await told(agent, "navigate", url=f"{web.url}/{name}")
    assert '/one "one"' in await told(agent, "navigate", url="back")
    assert '/two "two"' in await told(agent, "navigate", url="Forward")
    assert (await agent.refused("navigate", url="forward"))["message"].endswith("has no later page.")
    web.answers["/two"] = "<title>anew</title>"
    assert '/two "anew" (HTTP 200)' in await told(agent, "navigate", url="reload")


async def test_moving_within_a_page_is_told_apart_from_loading_it(agent: Agent, web: Web) -> None:
    web.answers["/long"] = "<title>Long</title><p id=end>end</p>"
    await told(agent, "navigate", url=f"{web.url}/long")
    said = await told(agent, "navigate", url=f"{web.url}/long#end")
    assert said.startswith(f'Same page, now at {web.url}/long#end "Long" in tab')


async def test_an_address_that_a_page_gives_itself_does_not_fill_the_answer(agent: Agent, web: Web) -> None:
    web.answers["/long"] = "<title>long</title><script>history.replaceState(0, '', '?' + 'a'.repeat(1e6))</script>"
    said = await told(agent, "navigate", url=f"{web.url}/long")
    assert f"Loaded {web.url}/long?aaa" in said
    assert len(said) < 10_000
    web.answers["/longer"] = "<title>longer</title><button onclick=\"location.hash = 'a'.repeat(1e6)\">Go</button>"
    await told(agent, "navigate", url=f"{web.url}/longer")
    said = await told(agent, "computer", action="left_click", coordinate=[20, 20])
    assert f"Now at {web.url}/longer#aaa" in said
    assert len(said) < 1_000


async def test_a_redirect_to_another_site_is_told(agent: Agent, web: Web) -> None:
    web.answers["/away"] = redirect(f"{web.other}/there")
    web.answers["/there"] = "<title>There</title>"
    said = (await told(agent, "navigate", url=f"{web.url}/away")).splitlines()
    assert said[0].startswith(f'Loaded {web.other}/there "There" (HTTP 200)')
    assert said[1] == f"{web.host} redirected to another site: {web.other_host}."


async def test_a_page_that_sends_the_tab_on_is_followed_to_where_it_stays(agent: Agent, web: Web) -> None:
    web.answers["/hop"] = "<title>Hop</title><script>location.replace('/skip')</script>"
    web.answers["/skip"] = "<title>Skip</title><meta http-equiv=refresh content='0; url=/stay'>"
    web.answers["/stay"] = Answer("<title>Stay</title>", 203)
    assert '/stay "Stay" (HTTP 203)' in await told(agent, "navigate", url=f"{web.url}/hop")
    web.answers["/fall"] = "<title>Fall</title><script>location.replace('http://no-such-host.invalid/')</script>"
    error = await agent.refused("navigate", url=f"{web.url}/fall")
    assert "no server has this name" in error["message"]


async def test_a_server_that_sends_the_tab_on_with_its_page_is_followed(agent: Agent, web: Web) -> None:
    web.answers["/from"] = Answer("<title>From</title><p>Wait", headers={"Refresh": "0; url=/to"})
    web.answers["/to"] = "<title>To</title>"
    for _ in range(3):
        assert '/to "To"' in await told(agent, "navigate", url=f"{web.url}/from")


async def test_what_a_page_does_as_it_is_first_drawn_is_read_by_whoever_asks_next(agent: Agent, web: Web) -> None:
    web.answers["/drawn"] = """<title>Drawn</title><div id=box style="width:50px">box</div><script>
        new ResizeObserver(() => { box.innerHTML = "<button>Measured</button>" }).observe(box)</script>"""
    for _ in range(3):
        where = await told(agent, "navigate", url=f"{web.url}/drawn")
        assert '"Drawn"' in where
        assert "Measured" in await told(agent, "read_page")


async def test_a_page_of_the_gateway_reached_by_a_redirect_is_not_told_and_may_only_be_left(
    agent: Agent, web: Web, shared: GatewayProcess
) -> None:
    web.answers["/trap"] = redirect(f"http://127.0.0.1:{shared.port}/health")
    web.answers["/"] = "<title>Home</title>"
    await told(agent, "navigate", url=web.url)
    assert (await agent.refused("navigate", url=f"{web.url}/trap"))["code"] == "denied"
    assert (await agent.refused("read_console_messages"))["code"] == "denied"
    assert '"Home"' in await told(agent, "navigate", url="back")


async def test_the_servers_own_error_page_is_a_page_with_its_status(agent: Agent, web: Web) -> None:
    assert '"No such page" (HTTP 404)' in await told(agent, "navigate", url=f"{web.url}/nowhere")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://no-such-host.invalid/", "no server has this name (net::ERR_NAME_NOT_RESOLVED)"),
        ("http://127.0.0.1:9/", "browsers open no pages on this port"),
        ("localhost:59999", "nothing listens at this address (net::ERR_CONNECTION_REFUSED)"),
    ],
)
async def test_an_error_page_is_told_with_its_reason(agent: Agent, address: str, reason: str) -> None:
    error = await agent.refused("navigate", url=address)
    assert error["code"] == "navigation_failed"
    assert reason in error["message"]
    assert error["next"]


async def test_an_empty_error_answer_and_a_locked_page_are_told_by_their_status(agent: Agent, web: Web) -> None:
    web.answers["/gone"] = Answer(status=410)
    web.answers["/locked"] = Answer(status=401, headers={"WWW-Authenticate": "Basic realm=x"})
    assert "answered HTTP 410 with an empty page" in (await agent.refused("navigate", url=f"{web.url}/gone"))["message"]
    assert "asks for a user name" in (await agent.refused("navigate", url=f"{web.url}/locked"))["message"]


async def test_an_answer_without_content_leaves_the_tab_where_it_is(agent: Agent, web: Web) -> None:
    web.answers["/"] = "<title>Home</title>"
    web.answers["/nothing"] = Answer(status=204)
    await told(agent, "navigate", url=web.url)
    said = await told(agent, "navigate", url=f"{web.url}/nothing")
    assert said.startswith("The server sent no page (HTTP 204); tab ")
    assert said.endswith(f"still shows {web.url}/.")


@pytest.mark.parametrize("path", ["/report", "/moved"])
async def test_a_file_instead_of_a_page_is_told_with_its_place_and_size(agent: Agent, web: Web, path: str) -> None:
    web.answers["/"] = "<title>Home</title>"
    web.answers["/report"] = file("report.csv", "x" * 2500)
    web.answers["/moved"] = redirect("/report")
    await told(agent, "navigate", url=web.url)
    said = (await told(agent, "navigate", url=f"{web.url}{path}")).splitlines()
    assert said[0].startswith("That is a file, not a page; tab ")
    assert said[1].startswith("Downloaded /")
    assert "/report" in said[1]
    assert said[1].endswith("(2.5 KB).")
    assert said[1] in await told(agent, "tabs_context")


async def test_a_page_that_never_finishes_loading_is_told_as_it_is(agent: Agent, web: Web) -> None:
    web.answers["/endless"] = Answer("", after=threading.Event())
    web.answers["/slow"] = "<title>Slow</title><p>text</p><img src=/endless>"
    said = (await told(agent, "navigate", url=f"{web.url}/slow")).splitlines()
    assert '"Slow" (HTTP 200)' in said[0]
    assert said[1].startswith("It is still loading")


async def test_what_a_page_fetches_to_show_itself_is_waited_for(agent: Agent, web: Web) -> None:
    gate = threading.Event()
    web.answers["/data"] = Answer("Fetched", after=gate)
    web.answers["/app"] = """<title>App</title><script>
        addEventListener('load', async () => { document.title = await (await fetch('/data')).text(); });</script>"""
    threading.Timer(0.3, gate.set).start()
    assert '"Fetched"' in await told(agent, "navigate", url=f"{web.url}/app")


async def test_what_a_page_imports_to_show_itself_is_waited_for(agent: Agent, web: Web) -> None:
    gate, script = threading.Event(), {"Content-Type": "text/javascript"}
    web.answers["/first.js"] = Answer("import('/second.js')", headers=script)
    web.answers["/second.js"] = Answer("document.title = 'Shown'", headers=script, after=gate)
    web.answers["/modules"] = "<title>Empty</title><script type=module src=/first.js></script>"
    threading.Timer(0.3, gate.set).start()
    assert '/modules "Shown"' in await told(agent, "navigate", url=f"{web.url}/modules")


async def test_what_scripts_import_one_after_the_other_is_waited_for(agent: Agent, web: Web) -> None:
    script = {"Content-Type": "text/javascript"}
    for here, following in ((1, 2), (2, 3), (3, 4)):
        web.answers[f"/{here}.js"] = Answer(f"import('/{following}.js')", headers=script)
    web.answers["/4.js"] = Answer("document.title = await (await fetch('/word')).text()", headers=script)
    web.answers["/word"] = "Shown"
    web.answers["/chain"] = "<title>Empty</title><script type=module src=/1.js></script>"
    assert '/chain "Shown"' in await told(agent, "navigate", url=f"{web.url}/chain")


@pytest.mark.parametrize(
    "steps",
    [
        "const ends = new MessageChannel(); ends.port1.onmessage = step; const more = () => ends.port2.postMessage(0);",
        "addEventListener('message', step); const more = () => postMessage(0, '*');",
        "onmessage = step; const more = () => postMessage(0, '*');",
        "const more = () => scheduler.postTask(step);",
    ],
    ids=["channel", "listener", "handler", "scheduler"],
)
async def test_what_a_page_builds_in_many_small_steps_once_it_has_loaded_is_told(
    agent: Agent, web: Web, steps: str
) -> None:
    web.answers["/steps"] = f"""<title>Empty</title><script>
        let left = 6;
        function step() {{
            for (const until = performance.now() + 4; performance.now() < until;);
            if (left-- > 0) more(); else document.title = 'Built';
        }}
        {steps}
        addEventListener('load', () => more());</script>"""
    assert '/steps "Built"' in await told(agent, "navigate", url=f"{web.url}/steps")


@pytest.mark.parametrize("event", ["load", "pageshow"])
async def test_what_a_page_shows_as_its_last_events_come_is_told(agent: Agent, web: Web, event: str) -> None:
    web.answers["/last"] = (
        f"<title>Not yet</title><script>addEventListener('{event}', () => document.title = 'Built')</script>"
    )
    assert '/last "Built"' in await told(agent, "navigate", url=f"{web.url}/last")


async def test_what_a_page_does_as_soon_as_it_has_loaded_is_told(agent: Agent, web: Web) -> None:
    web.answers["/late"] = """<title>Not yet</title><script>
        addEventListener('load', () => setTimeout(() => setTimeout(() => { document.title = 'Built' })));</script>"""
    assert '/late "Built"' in await told(agent, "navigate", url=f"{web.url}/late")


async def test_a_timer_that_is_due_right_after_a_page_has_loaded_is_waited_for(agent: Agent, web: Web) -> None:
    web.answers["/timer"] = """<title>Not yet</title><script>
        addEventListener('load', () => setTimeout(() => { document.title = 'Built' }, 3));</script>"""
    assert '/timer "Built"' in await told(agent, "navigate", url=f"{web.url}/timer")


async def test_a_page_that_stops_its_own_loading_is_told_as_it_is(agent: Agent, web: Web) -> None:
    web.answers["/stops"] = "<title>Stops</title><p>Enough</p><script>stop()</script><p>Never</p>"
    assert '/stops "Stops"' in await told(agent, "navigate", url=f"{web.url}/stops")


async def test_a_page_that_greets_with_a_dialog_says_so_at_once(agent: Agent, web: Web) -> None:
    web.answers["/alert"] = "<title>Alert</title><script>alert('Welcome')</script>"
    error = await agent.refused("navigate", url=f"{web.url}/alert")
    assert error["code"] == "dialog_open"
    assert '"Welcome"' in error["message"]


async def test_a_page_that_asks_whether_to_leave_it_holds_the_tab(
    agent: Agent, web: Web, shared: GatewayProcess
) -> None:
    web.answers["/draft"] = (
        "<title>Draft</title><h1>Draft</h1><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    await told(agent, "navigate", url=f"{web.url}/draft")
    with cdp_of(shared) as cdp:
        # only a page that a person has touched may ask
        session = cdp.attach(cdp.targets("page", "/draft")[0])
        for kind in ("mousePressed", "mouseReleased"):
            cdp.send("Input.dispatchMouseEvent", session, type=kind, x=20, y=20, button="left", clickCount=1)
        until(lambda: cdp.evaluate(session, "navigator.userActivation.hasBeenActive"))
    error = await agent.refused("navigate", url=f"{web.url}/")
    assert (error["code"], "beforeunload" in error["message"]) == ("dialog_open", True)


async def test_addresses_that_are_none_or_not_for_agents_are_refused(agent: Agent, shared: GatewayProcess) -> None:
    assert (await agent.refused("navigate", url="http://"))["code"] == "invalid_arguments"
    for address in ("chrome://version", "file:///etc/passwd", "javascript:1", f"127.0.0.1:{shared.port}"):
        assert (await agent.refused("navigate", url=address))["code"] == "denied", address


async def test_a_blank_page_loads_at_once(agent: Agent) -> None:
    assert (await told(agent, "navigate", url="about:blank")).startswith("Loaded about:blank in tab")


async def crashed(agent: Agent, web: Web, gateway: GatewayProcess, path: str) -> int:
    """A tab whose page has crashed."""
    web.answers[path] = f"<title>{path[1:]}</title>"
    tab_id = tab_of(await told(agent, "navigate", url=f"{web.url}{path}"))
    with cdp_of(gateway) as cdp:
        cdp.crash(path)
    async with asyncio.timeout(5):
        while "crashed" not in await told(agent, "tabs_context"):
            pass
    return tab_id


@pytest.mark.parametrize("way", ["reload", "address"])
async def test_a_tab_whose_page_crashed_stays_and_can_be_loaded_anew(
    agent: Agent, web: Web, shared: GatewayProcess, way: str
) -> None:
    tab_id = await crashed(agent, web, shared, f"/crash-{way}")
    error = await agent.refused("read_page")
    assert error["code"] == "unreachable_page"
    assert "crashed" in error["message"]
    url = "reload" if way == "reload" else f"{web.url}/crash-{way}"
    assert f'"crash-{way}" (HTTP 200) in tab {tab_id}' in await told(agent, "navigate", url=url)
    assert await told(agent, "javascript_tool", text="document.title") == f"crash-{way}"


async def test_a_tab_whose_page_crashed_can_be_closed(agent: Agent, web: Web, shared: GatewayProcess) -> None:
    tab_id = await crashed(agent, web, shared, "/crash-close")
    assert f"Closed tab {tab_id}" in await told(agent, "tabs_close_mcp", tabId=tab_id)
    assert str(tab_id) not in await told(agent, "tabs_context")
