"""The dashboard: who is let in, and what a person sees and does there, in a real browser."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, browser_with_port, running, until

FLIGHTS = """<title>Flights</title><h1>Search flights</h1><form onsubmit="document.title = to.value; return false">
<label>To <input name=to required></label><button>Search flights</button></form>"""
BROWSER = {"Sec-Fetch-Site": "same-origin"}


def link(gateway: GatewayProcess) -> str:
    told = gateway.run("dashboard", "--print-only")
    assert told.returncode == 0, told.stderr
    return told.stdout.strip()


def cookie_of(gateway: GatewayProcess, client: httpx.Client) -> httpx.Response:
    return client.post("/api/enter", json={"code": link(gateway).partition("#")[2]}, headers=BROWSER)


@pytest.fixture
def client(gateway: GatewayProcess) -> Any:
    with httpx.Client(base_url=f"http://127.0.0.1:{gateway.port}") as made:
        yield made


def test_the_page_is_empty_for_whoever_has_no_link(gateway: GatewayProcess, client: httpx.Client) -> None:
    page = client.get("/", headers={"Sec-Fetch-Site": "none"})
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for path in ("state", "events", "log", "tabs/1/tools"):
        refused = client.get(f"/api/{path}", headers=BROWSER)
        assert refused.status_code == 401
        assert "tabwright dashboard" in refused.json()["error"]["message"]


def test_a_link_lets_one_browser_in_once(gateway: GatewayProcess, client: httpx.Client) -> None:
    code = link(gateway).partition("#")[2]
    entered = client.post("/api/enter", json={"code": code}, headers=BROWSER)
    assert entered.status_code == 204
    assert {"httponly", "samesite=strict", "path=/api"} <= {
        part.strip().lower() for part in entered.headers["set-cookie"].split(";")
    }
    assert client.get("/api/state", headers=BROWSER).json()["about"]["version"]
    with httpx.Client(base_url=client.base_url) as other:
        assert other.post("/api/enter", json={"code": code}, headers=BROWSER).status_code == 401
        assert other.get("/api/state", headers=BROWSER).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
        {"Host": "evil.example"},
    ],
)
def test_no_other_site_reaches_it_even_with_the_cookie(
    gateway: GatewayProcess, client: httpx.Client, headers: dict[str, str]
) -> None:
    assert cookie_of(gateway, client).status_code == 204
    for method, path in (("GET", "/"), ("GET", "/api/state"), ("POST", "/api/tabs/1/take-back")):
        assert client.request(method, path, headers=headers).status_code in (403, 421)


def test_the_cookie_opens_nothing_but_the_dashboard(gateway: GatewayProcess, client: httpx.Client) -> None:
    assert cookie_of(gateway, client).status_code == 204
    cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
    assert client.post("/mcp", json={}, headers=BROWSER | cookie).status_code == 403
    assert client.get("/tools", headers=BROWSER | cookie).status_code == 403


@pytest.mark.parametrize("name", ["../settings.toml", "%2e%2e%2fcli.py", "index.html", "nothing.js"])
def test_only_its_own_files_are_served(client: httpx.Client, name: str) -> None:
    assert client.get(f"/ui/{name}", headers=BROWSER).status_code in (403, 404)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"name": 1}', b'{"name": "x", "arguments": []}'])
def test_a_call_without_name_or_arguments_is_refused(
    gateway: GatewayProcess, client: httpx.Client, body: bytes
) -> None:
    assert cookie_of(gateway, client).status_code == 204
    assert client.post("/api/tabs/1/call", content=body, headers=BROWSER).status_code == 400


@pytest.mark.parametrize("path", ["questions/none", "grants/none/revoke"])
def test_what_is_not_there_cannot_be_answered_or_revoked(
    gateway: GatewayProcess, client: httpx.Client, path: str
) -> None:
    assert client.post(f"/api/{path}", json={"answer": "once"}, headers=BROWSER).status_code == 401
    assert cookie_of(gateway, client).status_code == 204
    for body in (b"", b"[]", b'{"answer": "once"}', b'{"answer": 1}', b'{"answer": ["once"]}'):
        assert client.post(f"/api/{path}", content=body, headers=BROWSER).status_code in (404, 409)


class Page:
    """The dashboard in a tab of the gateway's own browser."""

    def __init__(self, cdp: Cdp, address: str) -> None:
        self._cdp = cdp
        target = cdp.send("Target.createTarget", url=address)["targetId"]
        self._session = cdp.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def evaluate(self, expression: str) -> Any:
        return self._cdp.evaluate(self._session, expression)

    def shows(self, selector: str, *words: str) -> None:
        """Wait until an element says all this."""
        text = f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"
        try:
            until(lambda: all(word in self.evaluate(text) for word in words))
        except AssertionError:
            raise AssertionError(self.evaluate(text)) from None

    def press(self, selector: str) -> None:
        """Click until it is gone: what comes up under a hand takes no answer for a moment."""
        found = f"document.querySelector({json.dumps(selector)})"
        until(lambda: self.evaluate(f"{found} !== null"))
        until(lambda: self.evaluate(f"{found}?.click(), {found} === null"))

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


@pytest.mark.browser
async def test_a_person_sees_calls_as_they_end_tries_a_tool_and_takes_a_tab_back(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/flights"] = FLIGHTS
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/flights"))["tab"]["id"]
        with cdp_of(shared) as cdp:
            page = await asyncio.to_thread(Page, cdp, link(shared))
            await asyncio.to_thread(page.shows, "#link", "Live")
            await asyncio.to_thread(page.shows, "#sessions", "mcp", "Flights", "in focus")
            await asyncio.to_thread(page.shows, "#calls tbody", "open_tab", "ok")
            assert page.evaluate("location.hash") == ""

            await agent.result("read_page")
            await asyncio.to_thread(page.shows, "#calls tbody tr", "read_page", "ok")

            row = f"#browsers [data-tab='{tab}']"
            await asyncio.to_thread(page.shows, row, "held by mcp")
            page.click(f"{row} [data-deed=takeBack]")
            await asyncio.to_thread(until, lambda: "held by" not in page.evaluate(
                f'document.querySelector("{row}").innerText'
            ))  # fmt: skip
            assert (await agent.refused("find", query="to"))["code"] in ("tab_not_held", "invalid_arguments")

            page.click(f"{row} [data-deed=tools]")
            await asyncio.to_thread(page.shows, "#panel-tools", "search_flights", "found in the page")
            page.evaluate("document.querySelector('#panel-tools details').open = true")
            page.evaluate("document.querySelector('#panel-tools textarea').value = '{\"query\": \"Oslo\"}'")
            page.click("#panel-tools .button")
            await asyncio.to_thread(page.shows, "#browsers", "Oslo")
            await asyncio.to_thread(page.shows, "#calls tbody", "dashboard", "call_page_tool")


@pytest.mark.browser
async def test_without_a_link_the_page_says_what_to_run(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        with cdp_of(shared) as cdp:
            page = await asyncio.to_thread(Page, cdp, f"http://localhost:{shared.port}/#used-long-ago")
            await asyncio.to_thread(page.shows, "#closed", "tabwright dashboard")


ASKS = '[[site]]\nmatch = "ask.test"\nscript = "ask"'


@pytest.mark.browser
async def test_a_person_is_asked_on_the_dashboard_and_takes_back_there_what_they_allowed(
    tmp_path: Path, site: Site
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(ASKS)
    script = {"text": "document.title = 'changed'; 40 + 2"}
    with running(home, TABWRIGHT_BROWSER=str(browser_with_port(tmp_path))) as gateway:
        async with connect(gateway) as agent:
            await agent.call("connect_browser", launch=True)
            await agent.call("open_tab", url=f"{site.url.replace('127.0.0.1', 'ask.test')}/a")
            refused = await agent.refused("javascript_tool", **script)
            assert refused["code"] == "nobody_to_ask", "the browser has no window that a person sees"
            with cdp_of(gateway) as cdp:
                page = await asyncio.to_thread(Page, cdp, link(gateway))
                await asyncio.to_thread(page.shows, "#link", "Live")
                await asyncio.to_thread(page.shows, "#grants", "Nothing was allowed")

                for answer, refuses in (("deny", True), ("session", False)):
                    calling = asyncio.create_task(agent.result("javascript_tool", **script))
                    await asyncio.to_thread(page.shows, "#questions", "May mcp run scripts", script["text"])
                    await asyncio.to_thread(page.press, f"#questions [data-answer={answer}]")
                    result = await calling
                    assert ("the person said no" in str(result.content)) is refuses
                await asyncio.to_thread(page.shows, "#grants", "ask.test", "run scripts", "mcp", "this session")
                assert page.evaluate("document.querySelector('#questions').hidden") is True

                assert not (await agent.result("javascript_tool", **script)).is_error, "not asked again"
                page.click("#grants [data-revoke]")
                await asyncio.to_thread(page.shows, "#grants", "Nothing was allowed")
                assert '"by": "dashboard"' in gateway.run("audit", "--kind", "grant", "--json").stdout
                calling = asyncio.create_task(agent.result("javascript_tool", **script))
                await asyncio.to_thread(page.press, "#questions [data-answer=deny]")
                assert (await calling).is_error
