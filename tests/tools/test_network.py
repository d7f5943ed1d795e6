"""read_network_requests: what pages ask of servers; and that no secret is in any answer or log."""

import asyncio

import pytest

from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess
from tests.tools.told import told
from tests.tools.web import Answer, Web, redirect

pytestmark = pytest.mark.browser

JSON = {"Content-Type": "application/json"}


async def lines(agent: Agent, **arguments: object) -> list[str]:
    return (await told(agent, "read_network_requests", **arguments)).splitlines()[1:]


async def recording(agent: Agent, web: Web, html: str, path: str = "/page") -> None:
    """A page that is loaded once more while its requests are recorded."""
    web.answers[path] = f"<title>Page</title>{html}"
    await told(agent, "navigate", url=f"{web.url}{path}")
    await told(agent, "read_network_requests", clear=True)
    await told(agent, "navigate", url="reload")


async def test_the_first_call_starts_recording_and_tells_what_the_page_remembers(agent: Agent, web: Web) -> None:
    web.answers["/first"] = "<title>First</title><script src=/first.js></script>"
    web.answers["/first.js"] = Answer("1", headers={"Content-Type": "text/javascript"})
    await told(agent, "navigate", url=f"{web.url}/first")
    said = await told(agent, "read_network_requests")
    assert "0 requests." in said.splitlines()[0]
    assert f"200 script {web.url}/first.js" in said


async def test_requests_are_listed_with_method_status_type_size_and_time(agent: Agent, web: Web) -> None:
    web.answers["/data"] = Answer('{"ok": true}', headers=JSON)
    web.answers["/moved"] = redirect("/data")
    await recording(
        agent,
        web,
        """<script>
        const get = (url, init) => fetch(url, init).then((answer) => answer.text(), () => '');
        addEventListener('load', async () => {
            await get('/data', {method: 'POST', body: 'x=1'}); await get('/moved'); await get('/nowhere');
            await get('http://127.0.0.1:9/'); });</script>""",
    )
    said = await lines(agent)
    assert any(line.startswith("r") and f"GET 200 document {web.url}/page " in line for line in said)
    assert any(f"POST 200 fetch {web.url}/data " in line and line.endswith(" ms") for line in said)
    assert any(f"GET 302 fetch {web.url}/moved" in line for line in said)
    assert any(f"GET 404 fetch {web.url}/nowhere" in line for line in said)
    assert any("GET failed (net::ERR_UNSAFE_PORT) fetch http://127.0.0.1:9/" in line for line in said)
    assert len(await lines(agent, resourceTypes=["FETCH"], urlPattern="/DATA$")) == 2
    head = (await told(agent, "read_network_requests", limit=1)).splitlines()
    assert head[0].endswith("the latest 1 follow.")
    assert len(head) == 2


async def test_one_request_is_shown_with_headers_and_bodies(agent: Agent, web: Web) -> None:
    web.answers["/order"] = Answer('{"number": 17}', headers=JSON)
    await recording(
        agent,
        web,
        """<script>
        const order = {method: 'POST', body: '{"item":"tea"}'};
        addEventListener('load', () => fetch('/order', order).then((it) => it.json()));
        </script>""",
    )
    [line] = await lines(agent, urlPattern="order")
    said = await told(agent, "read_network_requests", requestId=line.partition(" ")[0])
    assert 'Request body:\n{"item":"tea"}\n' in said
    assert "  Content-Type: application/json\n" in said
    assert said.endswith('Response body:\n{"number": 17}')
    assert (await agent.refused("read_network_requests", requestId="r999"))["code"] == "invalid_arguments"


async def test_pictures_are_not_poured_out_and_long_answers_are_cut(agent: Agent, web: Web) -> None:
    web.answers["/dot.png"] = Answer("not really", headers={"Content-Type": "image/png"})
    web.answers["/long"] = Answer("word " * 20_000, headers={"Content-Type": "text/plain"})
    await recording(agent, web, "<img src=/dot.png><script>fetch('/long').then((it) => it.text())</script>")
    [picture] = await lines(agent, urlPattern="dot")
    assert "image/png, not shown" in await told(agent, "read_network_requests", requestId=picture.split()[0])
    [long] = await lines(agent, urlPattern="long")
    said = await told(agent, "read_network_requests", requestId=long.split()[0])
    assert "\n[cut: 80000 of 100000 characters left out]\n[end " in said


async def test_frames_of_other_sites_and_workers_are_heard_too(agent: Agent, web: Web) -> None:
    web.answers["/inner"] = "<script>fetch('/inner-data').then((it) => it.text())</script>"
    web.answers["/worker.js"] = Answer(
        "fetch('/worker-data').then((it) => it.text())", headers={"Content-Type": "text/javascript"}
    )
    web.answers["/inner-data"] = web.answers["/worker-data"] = Answer("{}", headers=JSON)
    await recording(agent, web, f"<iframe src='{web.other}/inner'></iframe><script>new Worker('/worker.js')</script>")
    # of what was sent before it could be listened to, the kind may be unknown
    wanted = {f"200 {web.other}/inner-data", f"200 {web.url}/worker-data"}
    heard: set[str] = set()
    async with asyncio.timeout(10):
        while not wanted <= heard:
            heard = {f"{status} {url}" for _, _, status, _, url, *_ in map(str.split, await lines(agent))}


async def test_no_secret_is_in_any_answer_or_in_the_log(agent: Agent, web: Web, shared: GatewayProcess) -> None:
    secrets = {
        name: f"{name}-S3CR3T"
        for name in ("cookie", "set", "header", "key", "query", "field", "form", "answer", "user")
    }
    web.answers["/login"] = Answer(
        f'{{"access_token": "{secrets["answer"]}", "name": "Ann"}}',
        headers={**JSON, "Set-Cookie": f"session={secrets['set']}"},
    )
    await recording(agent, web, "<form><input type=password name=p><input name=n></form>", "/signin")
    with cdp_of(shared) as cdp:
        cdp.in_page(
            "/signin",
            f"""(async () => {{
            document.cookie = 'id={secrets["cookie"]}';
            document.querySelector('[name=p]').value = '{secrets["field"]}';
            console.log('{web.url}/?token={secrets["query"]}', 'Bearer {secrets["header"]}');
            const headers = {{Authorization: 'Bearer {secrets["header"]}', 'X-Api-Key': '{secrets["key"]}'}};
            const body = JSON.stringify({{user: 'ann', password: '{secrets["field"]}'}});
            const url = '/login?access_token={secrets["query"]}&q=tea';
            await (await fetch(url, {{method: 'POST', headers, body}})).text();
            const form = new URLSearchParams({{user: 'ann', password: '{secrets["form"]}'}});
            await (await fetch('/login', {{method: 'POST', body: form}})).text();
            history.replaceState(null, '', '/signin?q=tea');
        }})()""",
        )
    listed = await lines(agent, urlPattern="login")
    details = [await told(agent, "read_network_requests", requestId=line.split()[0]) for line in listed]
    console = await told(agent, "read_console_messages")
    others = [await told(agent, name) for name in ("tabs_context", "get_page_text", "read_page", "dev_utils")]
    everything = "\n".join([*listed, *details, console, *others])
    assert "q=tea" in everything
    assert '"name": "Ann"' in everything
    assert everything.count("[masked]") >= 8
    assert [name for name, secret in secrets.items() if secret in everything] == []
    assert [name for name, secret in secrets.items() if secret in shared.log()] == []
