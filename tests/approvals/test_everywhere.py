"""What the policy denies or asks about is denied or asked about on every transport, before anything happens."""

import asyncio
import base64
import io
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import mcp_types as types
import pytest
from PIL import Image

from tests.cdp import Cdp
from tests.clients import Agent, Era, Transport, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, browser_with_port, running, until
from tests.proxy.far import SLOW_S, OptionsPage, behind

pytestmark = pytest.mark.browser

CHANGED_S = 30.0
WAYS: list[tuple[Transport, Era]] = [
    ("stdio", "legacy"),
    ("stdio", "modern"),
    ("sse", "legacy"),
    ("http", "legacy"),
    ("http", "modern"),
]
POLICY = """
[[site]]
match = ["closed.test", "*.closed.test"]
all = "deny"

[[site]]
match = "careful.test"
act = "ask"
script = "ask"
upload = "ask"
page_tool = "deny"

[categories]
banking = "deny"
"""
CAREFUL = """<title>careful</title><button onclick="document.title = 'changed'">Pay</button>
<label>Name <input oninput="document.title = 'changed'"></label><input type="file" aria-label="Letter">"""
SECRET = "<title>secret title</title><p>secret text</p>"


@dataclass(frozen=True)
class Ruled:
    """A gateway with the policy, and how it comes by its browser."""

    gateway: GatewayProcess
    cdp: Callable[[], Cdp]
    launch: bool

    @asynccontextmanager
    async def agent(self, transport: Transport = "stdio", era: Era = "legacy") -> AsyncGenerator[Agent]:
        async with connect(self.gateway, transport, era) as agent:
            await agent.call("connect_browser", **({"launch": True} if self.launch else {}))
            yield agent


@contextmanager
def launched(folder: Path) -> Generator[Ruled]:
    """The browser is the gateway's own."""
    _write_policy(folder / "home")
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
        yield Ruled(gateway, lambda: cdp_of(gateway), launch=True)


@contextmanager
def via(folder: Path) -> Generator[Ruled]:
    """The browser is behind a proxy, where another gateway launched it, which has no policy of its own."""
    with behind(folder) as made:
        with made.cdp() as cdp:
            page = OptionsPage(cdp)
            page.enter(made.url, made.extension_token())
            page.shows("Connected as alice")
            page.close()
        _write_policy(folder / "far")
        with made.far() as gateway:
            until(lambda: gateway.status()["browsers"], SLOW_S)
            yield Ruled(gateway, made.cdp, launch=False)


def _write_policy(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(POLICY)


@pytest.fixture(scope="module", params=[launched, via], ids=["direct", "via"])
def ruled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruled]:
    with request.param(tmp_path_factory.mktemp("ruled")) as made:
        yield made


def at(site: Site, host: str, path: str = "/") -> str:
    return site.url.replace("127.0.0.1", host) + path


@pytest.mark.parametrize(("transport", "era"), WAYS)
async def test_denied_addresses_are_not_opened(ruled: Ruled, site: Site, transport: Transport, era: Era) -> None:
    denied = [
        "file:///etc/passwd",
        "chrome://version",
        "javascript:document.title='x'",
        "java\nscript:alert(1)",
        "data:text/html,<p>x",
        "view-source:https://a.test/",
        "chrome-extension://abc/x.html",
        "devtools://devtools/bundled/inspector.html",
        "about:settings",
        "blob:https://a.test/1",
        "filesystem:https://a.test/temporary/x",
        f"http://127.1:{ruled.gateway.port}/",
        f"http://localhost.:{ruled.gateway.extension_port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:a9fe:a9fe]/",
        at(site, "closed.test"),
        at(site, "deep.closed.test."),
        "https://good.test@closed.test/",
        "https://www.paypal.com/",
    ]
    async with ruled.agent(transport, era) as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/start")))["tab"]["id"]
        with ruled.cdp() as cdp:
            before = sorted(target["url"] for target in cdp.targets())
            for url in denied:
                assert (await agent.refused("open_tab", url=url))["code"] in ("denied", "invalid_arguments"), url
                told = await agent.refused("navigate", url=url, tabId=tab)
                assert told["code"] in ("denied", "invalid_arguments"), url
                checked = await agent.result("permissions_check", url=url, action="navigate")
                assert checked.is_error or "denied" in str(checked.content), url
            assert sorted(target["url"] for target in cdp.targets()) == before
        await agent.call("close_tab", tabId=tab)


@pytest.mark.parametrize(("transport", "era"), WAYS)
async def test_what_must_be_asked_about_does_not_happen_where_nobody_can_be_asked(
    ruled: Ruled, site: Site, transport: Transport, era: Era
) -> None:
    site.pages["/careful"] = CAREFUL
    async with ruled.agent(transport, era) as agent:
        tab = (await agent.call("open_tab", url=at(site, "careful.test", "/careful")))["tab"]["id"]
        outline = _text(await agent.result("read_page", tabId=tab))
        assert "Pay" in outline, "looking is allowed"
        button, field, file = _refs(outline, "Pay", "Name", "Letter")
        calls = [
            ("computer", {"action": "left_click", "ref": button}),
            ("computer", {"action": "type", "text": "x", "ref": field}),
            ("form_input", {"ref": field, "value": "x"}),
            ("javascript_tool", {"text": "document.title = 'changed'"}),
            ("file_upload", {"ref": file, "paths": ["/etc/hostname"]}),
            ("browser_batch", {"steps": [{"tool": "computer", "arguments": {"action": "left_click", "ref": button}}]}),
        ]
        for name, arguments in calls:
            where = {} if name == "browser_batch" else {"tabId": tab}
            told = await agent.refused(name, **arguments, **where)
            assert told["code"] == "nobody_to_ask", (name, told)
        told = await agent.refused("javascript_tool", text="1", tabId=tab)
        assert f"`tabwright grant {at(site, 'careful.test', '')} script --client mcp`" in told["next"]
        shot = await agent.result("computer", action="screenshot", tabId=tab)
        assert not shot.is_error, "a picture is a look"
        with ruled.cdp() as cdp:
            assert cdp.in_page("/careful", "document.title") == "careful"
        await agent.call("close_tab", tabId=tab)


async def test_a_grant_typed_by_the_person_opens_exactly_that(ruled: Ruled, site: Site) -> None:
    async with ruled.agent() as agent:
        await agent.call("open_tab", url=at(site, "careful.test", "/granted"))
        told = await agent.refused("javascript_tool", text="6 * 7")
        words = told["next"].partition("`tabwright ")[2].partition("`")[0].split()
        assert ruled.gateway.run(*words).returncode == 0
        assert "42" in str((await agent.result("javascript_tool", text="6 * 7")).content)
        assert (await agent.refused("computer", action="key", text="a"))["code"] == "nobody_to_ask"
        [grant] = json.loads(ruled.gateway.run("grants", "--json").stdout)
        assert ruled.gateway.run("grants", "revoke", grant["id"]).returncode == 0
        assert (await agent.refused("javascript_tool", text="6 * 7"))["code"] == "nobody_to_ask", "at once"
        await agent.call("close_tab")


@pytest.mark.parametrize(
    "leading",
    [
        "<script>location.replace('{closed}')</script>",
        '<meta http-equiv="refresh" content="0; url={closed}">',
        '<form action="{closed}"></form><script>document.forms[0].submit()</script>',
    ],
    ids=["script", "refresh", "form"],
)
async def test_a_page_that_leads_elsewhere_is_asked_about_where_it_led(ruled: Ruled, site: Site, leading: str) -> None:
    site.pages["/secret"] = SECRET
    site.pages["/lead"] = leading.format(closed=at(site, "closed.test", "/secret"))
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/start")))["tab"]["id"]
        first = await agent.result("navigate", url=at(site, "open.test", "/lead"), tabId=tab)
        assert "secret" not in str(first.content).replace("/secret", "")
        with ruled.cdp() as cdp:
            assert cdp.in_page("/secret", "document.title") == "secret title", "it got there"
        for name, arguments in [
            ("read_page", {}),
            ("get_page_text", {}),
            ("find", {"query": "secret"}),
            ("computer", {"action": "screenshot"}),
            ("javascript_tool", {"text": "document.title"}),
            ("read_console_messages", {}),
            ("focus_tab", {}),
        ]:
            told = await agent.refused(name, tabId=tab, **arguments)
            assert told["code"] == "denied", name
            assert "policy.toml: site closed.test" in told["next"], name
        assert not (await agent.result("navigate", url=at(site, "open.test", "/start"), tabId=tab)).is_error, "left"
        assert not (await agent.result("read_page", tabId=tab)).is_error
        await agent.call("close_tab", tabId=tab)


async def test_a_frame_of_a_closed_site_is_left_out_of_the_page_around_it(ruled: Ruled, site: Site) -> None:
    site.pages["/inner"] = "<title>secret</title><p>secret text</p><button>secret button</button>"
    site.pages["/framed"] = f'''<h1>Welcome</h1><iframe src="{at(site, "closed.test", "/inner")}"></iframe>
        <iframe src="{at(site, "friend.test", "/friend")}"></iframe>'''
    site.pages["/friend"] = "<p>friendly text</p><button>friendly button</button>"
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/framed")))["tab"]["id"]
        said = [
            _text(await agent.result("read_page", filter="all", tabId=tab)),
            _text(await agent.result("get_page_text", tabId=tab)),
            _text(await agent.result("find", query="secret button", tabId=tab)),
        ]
        assert "friendly" in said[0]
        assert "friendly" in said[1]
        assert "secret text" not in str(said)
        assert 'button "secret' not in str(said)
        await agent.call("close_tab", tabId=tab)


async def test_a_frame_of_a_closed_site_is_blank_in_pictures_and_nothing_reaches_it(ruled: Ruled, site: Site) -> None:
    site.pages["/red"] = """<title>red</title><body style="margin: 0; background: rgb(255, 0, 0)"
        onclick="document.title = 'clicked'" onkeydown="document.title = 'typed'" onwheel="document.title = 'scrolled'">
        <input style="position: fixed; left: 0; top: 0; width: 90px; height: 90px; background: rgb(255, 0, 0)">"""
    site.pages["/around"] = f'''<body style="margin: 0; background: rgb(0, 255, 0)">
        <iframe src="{at(site, "closed.test", "/red")}" style="position: absolute; border: 0; left: 100px; top: 100px;
        width: 200px; height: 200px"></iframe>'''
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/around")))["tab"]["id"]
        with ruled.cdp() as cdp:
            await asyncio.to_thread(until, lambda: cdp.targets("iframe", "/red"))
            shot = await agent.result("computer", action="screenshot", tabId=tab)
            picture = _picture(shot)
            assert "closed to agents" in _text(shot)
            # colours of a JPEG run over an edge
            inside = _extremes(picture.crop((120, 120, 280, 280)))
            assert all(low > 90 and high < 170 for low, high in inside), inside
            assert _extremes(picture.crop((20, 20, 80, 80)))[1] > (200, 200), "the page around is as it was"
            for arguments in (
                {"action": "left_click", "coordinate": [150, 150]},
                {"action": "hover", "coordinate": [150, 150]},
                {"action": "scroll", "coordinate": [150, 150], "scroll_direction": "down"},
                {"action": "type", "coordinate": [150, 150], "text": "x"},
                {"action": "left_click_drag", "start_coordinate": [50, 50], "coordinate": [150, 150]},
            ):
                told = await agent.refused("computer", tabId=tab, **arguments)
                assert told["code"] == "denied", arguments
            assert cdp.in_page("/red", "document.title", "iframe") == "red"
            # the person has put the caret there; keys are not for the agent then
            cdp.in_page("/red", "document.querySelector('input').focus()", "iframe")
            cdp.in_page("/around", "document.querySelector('iframe').focus()")
            for arguments in ({"action": "type", "text": "x"}, {"action": "key", "text": "Enter"}):
                assert (await agent.refused("computer", tabId=tab, **arguments))["code"] == "denied", arguments
            assert cdp.in_page("/red", "document.title", "iframe") == "red"
            assert not (await agent.result("computer", action="left_click", coordinate=[50, 50], tabId=tab)).is_error
        await agent.call("close_tab", tabId=tab)


async def test_a_click_that_leads_to_a_closed_page_tells_nothing_of_it(ruled: Ruled, site: Site) -> None:
    site.pages["/secret"] = SECRET
    site.pages["/link"] = f'<a href="{at(site, "closed.test", "/secret")}">Onward</a>'
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/link")))["tab"]["id"]
        outline = _text(await agent.result("read_page", tabId=tab))
        [ref] = _refs(outline, "Onward")
        told = await agent.refused("computer", action="left_click", ref=ref, tabId=tab)
        assert told["code"] == "denied"
        assert told["message"].startswith(f"Done, but tab {tab} was led to a page that is closed to agents")
        assert "secret title" not in json.dumps(told)
        assert (await agent.call("close_tab", tabId=tab))["closed"] is True


async def test_a_changed_file_is_in_force_without_a_restart_and_a_broken_one_changes_nothing(
    tmp_path: Path, site: Site
) -> None:
    with running(tmp_path / "home", TABWRIGHT_BROWSER=str(browser_with_port(tmp_path))) as gateway:
        policy = tmp_path / "home" / "policy.toml"
        async with connect(gateway) as agent:
            await agent.call("connect_browser", launch=True)
            await agent.call("open_tab", url=at(site, "open.test", "/x"))

            async def check() -> str:
                result = await agent.result("permissions_check", url=at(site, "open.test"), action="act")
                return str(result.content)

            async def until_told(word: str) -> None:
                over = time.monotonic() + CHANGED_S
                while word not in (told := await check()):
                    assert time.monotonic() < over, told

            policy.write_text('[[site]]\nmatch = "open.test"\nact = "deny"\n')
            await until_told("denied")
            policy.write_text("[[site]\n")
            policy.write_text('[[site]]\nmatch = "open.test"\nact = "allow"\n')
            await until_told("allowed")


def _picture(result: types.CallToolResult) -> Image.Image:
    [shown] = [part for part in result.content if isinstance(part, types.ImageContent)]
    return Image.open(io.BytesIO(base64.b64decode(shown.data))).convert("RGB")


def _extremes(picture: Image.Image) -> list[tuple[int, int]]:
    """The least and the most of red, green and blue."""
    return [cast(tuple[int, int], band.getextrema()) for band in picture.split()]


def _text(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def _refs(outline: str, *names: str) -> list[str]:
    """The refs of what has these names."""
    return [found[1] for name in names if (found := re.search(rf'"{name}" (e\d+)', outline)) is not None]


@pytest.mark.rule("T64")
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_lists_of_tabs_tell_nothing_of_closed_pages_but_where_they_are_from(
    ruled: Ruled, site: Site, era: Era
) -> None:
    closed = at(site, "deep.closed.test", "/account/4711")
    site.pages["/account/4711"] = SECRET
    site.pages["/opens"] = f"""<title>opens</title><button style="width: 200px; height: 40px"
        onclick="window.open('{closed}')">Open</button>"""
    async with ruled.agent(era=era) as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/opens")))["tab"]["id"]
        said = await agent.result("computer", action="left_click", coordinate=[30, 30], tabId=tab)
        lists = [await agent.result(name) for name in ("list_tabs", "tabs_context", "tabs_context_mcp")]
        for told in (said, *lists):
            assert "secret" not in str(told)
            assert "4711" not in str(told)
            assert at(site, "deep.closed.test", "") in str(told)
        assert "closed to agents" in str(lists[0])
        assert "/opens" in str(lists[0])
