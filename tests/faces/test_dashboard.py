"""The dashboard: who is let in, and what a person sees and does there, in a browser of their own."""

import asyncio
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest
from playwright.async_api import Page, expect

from tabwright.edges.dashboard.routes import SHARED_FILES, WEB
from tests.clients import connect
from tests.conftest import Site
from tests.faces.person import Person
from tests.gateway import GatewayProcess, browser_with_port, running

loop = pytest.mark.asyncio(loop_scope="module")
FLIGHTS = """<title>Flights</title><h1>Search flights</h1><form onsubmit="document.title = to.value; return false">
<label>To <input name=to required></label><button>Search flights</button></form>"""
BROWSER = {"Sec-Fetch-Site": "same-origin"}


def told(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def link(gateway: GatewayProcess) -> str:
    told = gateway.run("dashboard", "--print-only")
    assert told.returncode == 0, told.stderr
    return told.stdout.strip()


def cookie_of(gateway: GatewayProcess, client: httpx.Client) -> httpx.Response:
    return client.post("/api/enter", json={"code": link(gateway).partition("#")[2]}, headers=BROWSER)


@pytest.fixture
def client(gateway: GatewayProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{gateway.port}") as made:
        yield made


def test_the_page_is_empty_for_whoever_has_no_link(gateway: GatewayProcess, client: httpx.Client) -> None:
    page = client.get("/", headers={"Sec-Fetch-Site": "none"})
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    paths = (
        "state",
        "events",
        "log",
        "calls",
        "settings",
        "recordings",
        "recordings/a/b.gif",
        "thumbnails/1",
        "tabs/1/tools",
    )
    for path in paths:
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


@pytest.mark.parametrize("path", ["questions/none", "grants/none/revoke", "recordings/none/a.gif/delete"])
def test_what_is_not_there_cannot_be_answered_or_revoked(
    gateway: GatewayProcess, client: httpx.Client, path: str
) -> None:
    assert client.post(f"/api/{path}", json={"answer": "once"}, headers=BROWSER).status_code == 401
    assert cookie_of(gateway, client).status_code == 204
    for body in (b"", b"[]", b'{"answer": "once"}', b'{"answer": 1}', b'{"answer": ["once"]}'):
        assert client.post(f"/api/{path}", content=body, headers=BROWSER).status_code in (404, 409)


def test_what_is_asked_for_wrongly_is_refused(gateway: GatewayProcess, client: httpx.Client) -> None:
    assert cookie_of(gateway, client).status_code == 204
    for before in ("", "x", "-1", "1e9", "²", "9" * 30):
        assert client.get("/api/calls", params={"before": before}, headers=BROWSER).status_code == 400
    assert client.get("/api/calls?before=9", headers=BROWSER).json() == {"calls": [], "older": False}
    assert client.get("/api/thumbnails/1", headers=BROWSER).status_code == 404
    for name in ("a.gif", "..%2f..%2fpolicy.toml", "%2e%2e", "x%00.gif"):
        assert client.get(f"/api/recordings/{'a' * 32}/{name}", headers=BROWSER).status_code in (400, 404)


def test_settings_are_told_without_secrets(tmp_path: Path) -> None:
    secret = "s3cret-" + "x" * 30
    with (
        running(tmp_path / "home", TABWRIGHT_AUTH_TOKEN=secret) as gateway,
        httpx.Client(base_url=f"http://127.0.0.1:{gateway.port}") as client,
    ):
        assert cookie_of(gateway, client).status_code == 204
        told = client.get("/api/settings", headers=BROWSER)
    assert secret not in told.text
    settings = {each["name"]: each["value"] for each in told.json()["settings"]}
    assert (settings["auth"], settings["auth_token"], settings["via_token"]) == ("token", "set", None)
    assert told.json()["files"]["policy"] == str(tmp_path / "home" / "policy.toml")


def test_the_log_is_told_from_a_level_on_with_secrets_masked(gateway: GatewayProcess, client: httpx.Client) -> None:
    assert cookie_of(gateway, client).status_code == 204
    with open(gateway.home / "logs" / "gateway.log", "a") as log:
        log.write("2026-01-01 00:00:00,000 INFO tabwright.x: calm\n")
        log.write("2026-01-01 00:00:00,000 WARNING tabwright.x: token=abcdefgh12345 was seen\nTraceback: more\n")
    everything = client.get("/api/log", headers=BROWSER).json()["records"]
    warnings = client.get("/api/log?level=warning", headers=BROWSER).json()["records"]
    assert "calm" in [record["text"] for record in everything]
    assert {record["level"] for record in warnings} <= {"WARNING", "ERROR", "CRITICAL"}
    assert warnings[-1]["text"] == "token=[masked] was seen\nTraceback: more"


async def entered(person: Person, gateway: GatewayProcess) -> Page:
    page = await person.visit(await asyncio.to_thread(link, gateway))
    await expect(page.locator("#link")).to_have_text("Live")
    return page


@loop
@pytest.mark.browser
async def test_a_person_sees_calls_as_they_end_tries_a_tool_and_takes_a_tab_back(
    shared: GatewayProcess, site: Site, person: Person
) -> None:
    site.pages["/flights"] = FLIGHTS
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/flights"))["tab"]["id"]
        page = await entered(person, shared)
        assert await page.evaluate("location.hash") == ""
        await expect(page.locator("#sessions")).to_contain_text(re.compile("mcp.*stdio.*MCP 20.*Flights.*in focus"))
        await expect(page.locator("#calls tbody tr", has_text="open_tab")).to_contain_text("done")

        await agent.result("read_page")
        await expect(page.locator("#calls tbody tr").first).to_contain_text("read_page")

        row = page.locator(f"#browsers [data-tab='{tab}']")
        await expect(row).to_contain_text("held by mcp")
        await row.locator("[data-deed=takeBack]").click()
        await expect(row).not_to_contain_text("held by")
        assert (await agent.refused("find", query="to"))["code"] in ("tab_not_held", "invalid_arguments")

        await row.locator("[data-deed=tools]").click()
        tool = page.locator("#panel-tools > details", has_text="search_flights")
        await expect(tool).to_contain_text("found in the page")
        await tool.locator("summary").first.click()
        await tool.locator("input").first.fill("Oslo")
        await tool.get_by_text("Try it").click()
        await expect(tool.locator(".answer")).to_contain_text("It answered")
        await page.keyboard.press("Escape")
        await expect(page.locator("#browsers")).to_contain_text("Oslo")
        await expect(page.locator("#calls tbody tr").first).to_contain_text(re.compile("call_page_tool.*dashboard"))


@loop
@pytest.mark.browser
async def test_a_tab_is_pictured_after_an_action_while_somebody_looks_and_never_where_policy_closes_it(
    tmp_path: Path, site: Site, person: Person
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text('[[site]]\nmatch = "closed.test"\nread = "deny"\n[default]\nscript = "allow"')
    site.pages["/flights"] = FLIGHTS
    with running(home, TABWRIGHT_BROWSER=str(browser_with_port(tmp_path))) as gateway:
        async with connect(gateway) as agent:
            await agent.call("connect_browser", launch=True)
            await agent.call("open_tab", url=f"{site.url}/flights")
            await agent.result("computer", action="screenshot")
            page = await entered(person, gateway)
            await expect(page.locator("#calls tbody tr")).to_have_count(3)
            assert await page.locator("#main img.shot").count() == 0, "nobody looked then"
            await agent.result("computer", action="screenshot")
            await expect(page.locator("#calls tbody tr").first.locator("img")).to_be_visible()
            size = "(img) => img.decode().then(() => Math.max(img.naturalWidth, img.naturalHeight))"
            assert await page.locator("#browsers img.shot").evaluate(size) == 320

            before = await page.locator("#calls tbody img").count()
            closed = f"{site.url.replace('127.0.0.1', 'closed.test')}/secret"
            for tool, given in (("navigate", {"url": closed}), ("javascript_tool", {"text": f"location = '{closed}'"})):
                await agent.result(tool, **given)
                await expect(page.locator("#calls tbody tr").first).to_contain_text(tool)
            await expect(page.locator("#browsers")).to_contain_text("closed.test")
            await agent.refused("computer", action="screenshot")
            await expect(page.locator("#calls tbody tr").first).to_contain_text("denied")
            assert await page.locator("#calls tbody img").count() == before


@loop
@pytest.mark.browser
async def test_recordings_are_looked_at_and_deleted_on_the_second_press(
    shared: GatewayProcess, site: Site, person: Person
) -> None:
    site.pages["/flights"] = FLIGHTS
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/flights")
        await agent.result("gif_creator", action="start_recording")
        page = await entered(person, shared)
        await page.click("#nav [data-view=recordings]")
        await expect(page.locator("#recordings")).to_contain_text("mcp records Flights: 1 frame")
        await agent.result("gif_creator", action="export", filename="tour")
        film = page.locator("#recordings .film", has_text="tour.gif")
        await expect(film.locator("img")).to_have_js_property("complete", True)
        async with page.expect_download() as download:
            await film.get_by_text("Download").click()
        saved = await (await download.value).path()
        assert saved.read_bytes().startswith(b"GIF89a")
        await film.get_by_label("Look at tour.gif").click()
        await expect(page.locator("#panel img")).to_be_visible()
        await page.keyboard.press("Escape")
        await film.get_by_label("Delete tour.gif").click()
        await expect(film.get_by_text("Really delete?")).to_be_visible()
        await film.get_by_label("Delete tour.gif").click()
        await expect(film).to_have_count(0)
        assert list((shared.home / "output").glob("*/tour.gif")) == []


@loop
@pytest.mark.browser
async def test_who_the_agents_are_and_how_they_came(gateway: GatewayProcess, person: Person) -> None:
    first, second = await entered(person, gateway), await entered(person, gateway)
    async with connect(gateway) as one, connect(gateway, "http", "modern") as two, connect(gateway, "sse") as three:
        for agent in (one, two, three):
            await agent.refused("list_tabs" if agent is not three else "find")
        for page in (first, second):
            sessions = page.locator("#sessions")
            for words in ("stdio · MCP", "HTTP · MCP 2026-07-28", "HTTP+SSE · MCP"):
                await expect(sessions).to_contain_text(words)
            await expect(sessions.locator("article").first).to_contain_text(re.compile("Calls1, 1 failed"))
    await expect(first.locator("#sessions article")).to_have_count(1)
    # it comes and goes with each request, and is kept for the next
    await expect(first.locator("#sessions")).to_contain_text("MCP 2026-07-28")


@loop
@pytest.mark.browser
async def test_without_a_link_or_with_a_used_one_the_page_says_what_to_run(
    gateway: GatewayProcess, person: Person
) -> None:
    address = await asyncio.to_thread(link, gateway)
    for where, head in ((address.partition("#")[0], "needs a link of its own"), (address, "Live")):
        page = await person.visit(where)
        await expect(page.locator("body")).to_contain_text(head)
    again = await person.visit(address)
    await expect(again.locator("#closed")).to_contain_text(told("was used before.*tabwright dashboard"))
    await page.reload()
    await expect(page.locator("#link")).to_have_text("Live")
    fresh = await asyncio.to_thread(link, gateway)
    await again.goto(fresh)
    await expect(again.locator("#link")).to_have_text("Live")


@loop
@pytest.mark.browser
async def test_a_gateway_that_is_gone_is_told_and_one_that_started_anew_asks_for_a_new_link(
    gateway: GatewayProcess, person: Person
) -> None:
    page = await entered(person, gateway)
    await asyncio.to_thread(gateway.stop)
    await expect(page.locator("#lost")).to_contain_text(re.compile("Trying again … What you see is from"))
    await asyncio.to_thread(gateway.start)
    await expect(page.locator("#closed")).to_contain_text(told("It was restarted.*tabwright dashboard"))
    await page.goto(await asyncio.to_thread(link, gateway))
    await expect(page.locator("#link")).to_have_text("Live")


def test_without_a_display_the_link_is_printed_and_a_gateway_started_for_it(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        env = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY"), "")
        gateway.stop()
        gateway.env |= {"TABWRIGHT_PORT": str(gateway.port), "TABWRIGHT_EXTENSION_PORT": str(gateway.extension_port)}
        printed = gateway.run("dashboard", **env)
        try:
            assert printed.returncode == 0, printed.stderr
            assert re.fullmatch(rf"http://127\.0\.0\.1:{gateway.port}/#\S+\n", printed.stdout), printed.stdout
            assert "within two minutes" in printed.stderr
        finally:
            assert gateway.run("stop").returncode == 0
            gateway.start()


async def test_a_dashboard_that_does_not_read_holds_nobody_up(gateway: GatewayProcess, client: httpx.Client) -> None:
    assert cookie_of(gateway, client).status_code == 204
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    with socket.create_connection(("127.0.0.1", gateway.port)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        asked = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{gateway.port}\r\nCookie: {cookie}\r\n"
        deaf.sendall(f"{asked}Sec-Fetch-Site: same-origin\r\n\r\n".encode())
        async with connect(gateway, "http") as agent:
            for _ in range(300):
                await agent.refused("list_tabs")
        told = client.get("/api/state", headers=BROWSER).json()
        assert len(told["calls"]) >= 300


ASKS = '[[site]]\nmatch = "ask.test"\nscript = "ask"'


@loop
@pytest.mark.browser
async def test_a_person_is_asked_on_the_dashboard_and_takes_back_there_what_they_allowed(
    tmp_path: Path, site: Site, person: Person
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
            page = await entered(person, gateway)
            grants = page.locator("#grants")
            await page.click("#nav [data-view=permissions]")
            await expect(grants).to_contain_text("Nothing is allowed for longer than one call")

            for answer, refuses in (("deny", True), ("session", False)):
                calling = asyncio.create_task(agent.result("javascript_tool", **script))
                await expect(page.locator("#questions")).to_contain_text(re.compile("May mcp run scripts"))
                await expect(page.locator("#questions pre")).to_have_text(script["text"])
                await pressed(page, answer)
                assert ("the person said no" in str((await calling).content)) is refuses
            await expect(grants).to_contain_text(re.compile("ask.test.*run scripts.*mcp.*this session"))
            await expect(page.locator("#questions")).to_be_hidden()

            assert not (await agent.result("javascript_tool", **script)).is_error, "not asked again"
            await grants.locator("[data-revoke]").click()
            await expect(grants).to_contain_text("Nothing is allowed for longer than one call")
            audit = await asyncio.to_thread(gateway.run, "audit", "--kind", "grant", "--json")
            assert '"by": "dashboard"' in audit.stdout
            calling = asyncio.create_task(agent.result("javascript_tool", **script))
            await pressed(page, "deny")
            assert (await calling).is_error


async def pressed(page: Page, answer: str) -> None:
    """Press until it is gone: what comes up under a hand takes no answer for a moment."""
    button = page.locator(f"#questions [data-answer={answer}]")
    await expect(button).to_be_visible()
    async with asyncio.timeout(10):
        while await button.count():
            await page.evaluate(f"document.querySelector('#questions [data-answer={answer}]')?.click()")


def test_its_colours_are_those_of_the_extension() -> None:
    own = "".join(file.read_text() for file in WEB.glob("*.css"))
    assert SHARED_FILES["theme.css"].name == "theme.css"
    assert not re.search(r"--[\w-]+\s*:", own), "tokens are made in the shared theme alone"
    made = set(re.findall(r"(--[\w-]+)\s*:", SHARED_FILES["theme.css"].read_text()))
    assert set(re.findall(r"var\((--[\w-]+)", own)) <= made


def test_no_script_of_it_makes_markup_of_words() -> None:
    for file in WEB.glob("*.js"):
        banned = re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", file.read_text()
        )
        assert banned is None, file.name
