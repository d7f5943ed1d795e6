"""Shortcuts: saved, listed, run and recorded by the command line and by clients, and never with a secret."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import TABWRIGHT, GatewayProcess, running, until

pytestmark = pytest.mark.browser

LOGIN = """<title>Log in</title>
<form onsubmit="event.preventDefault(); said.textContent = `Hello ${user.value}/${pass.value.length}`">
<label>User <input id=user></label><label>Password <input id=pass type=password></label><button>Log in</button></form>
<output id=said></output>"""
PASSWORD = "correct-horse-7"


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def steps_file(folder: Path, steps: Any) -> str:
    path = folder / "steps.json"
    path.write_text(json.dumps(steps))
    return str(path)


def greeting(site: Site) -> list[dict[str, Any]]:
    site.pages["/login"] = LOGIN
    return [
        {"tool": "navigate", "arguments": {"url": f"{site.url}/login"}},
        {"tool": "form_input", "arguments": {"ref": "find:user field", "value": "{{name}}"}},
        {"tool": "computer", "arguments": {"action": "left_click", "ref": "find:log in button"}},
        {"tool": "get_page_text"},
    ]


def test_the_command_line_saves_shows_and_removes(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        file = steps_file(tmp_path, greeting(site))
        added = gateway.run("shortcuts", "add", "Greet", "--steps", file, "--description", "Logs in.")
        assert (added.returncode, added.stdout.strip()) == (0, "Saved greet: 4 steps, parameters: name.")
        again = gateway.run("shortcuts", "add", "greet", "--steps", file)
        assert again.returncode == 1
        assert "--replace" in again.stderr
        assert gateway.run("shortcuts", "add", "greet", "--steps", file, "--replace").returncode == 0
        assert gateway.run("shortcuts", "list").stdout.strip() == "greet name=…"
        shown = json.loads(gateway.run("shortcuts", "show", "greet").stdout)
        assert shown["steps"][3] == {"tool": "get_page_text", "arguments": {}}
        copied = steps_file(tmp_path, {**shown, "description": "A copy."})
        assert gateway.run("shortcuts", "add", "copy", "--steps", copied).returncode == 0
        gateway.stop()
        gateway.start()
        listed = json.loads(gateway.run("shortcuts", "list", "--json").stdout)
        assert [(each["command"], each["description"]) for each in listed] == [("copy", "A copy."), ("greet", "")]
        assert gateway.run("shortcuts", "remove", "copy").stdout.strip() == "Removed copy."
        assert gateway.run("shortcuts", "remove", "copy").returncode == 1


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([], "1 to 50 calls"),
        ([{"tool": "no_such"}], "no tool 'no_such'"),
        ([{"tool": "browser_batch"}], "has steps itself"),
        ("nonsense", "1 to 50 calls"),
    ],
)
def test_steps_that_cannot_run_are_not_saved(shared: GatewayProcess, tmp_path: Path, steps: Any, problem: str) -> None:
    told = shared.run("shortcuts", "add", "wrong", "--steps", steps_file(tmp_path, steps))
    assert told.returncode == 1
    assert problem in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert shared.run("shortcuts", "add", "wrong", "--steps", str(tmp_path / "none.json")).returncode == 1


async def test_a_client_runs_what_the_person_saved(shared: GatewayProcess, site: Site, tmp_path: Path) -> None:
    assert shared.run("shortcuts", "add", "hi", "--steps", steps_file(tmp_path, greeting(site))).returncode == 0
    async with connect(shared, toolsets="automation", list="stable") as agent:
        assert "hi (name)" in text_of(await agent.result("shortcuts_list"))
        result = await agent.result("shortcuts_execute", command="hi", arguments={"name": "Ann"})
        assert not result.is_error, result.content
        assert "Hello Ann/0" in text_of(result)
        error = await agent.refused("shortcuts_execute", command="hi")
        assert "needs name" in error["message"]


def test_the_command_line_runs_one_in_a_session_of_its_own(shared: GatewayProcess, site: Site, tmp_path: Path) -> None:
    assert shared.run("shortcuts", "add", "hey", "--steps", steps_file(tmp_path, greeting(site))).returncode == 0
    told = shared.run("shortcuts", "run", "hey", "--arg", "name=Bob=by")
    assert told.returncode == 0, told.stderr
    assert "Hello Bob=by/0" in told.stdout
    assert shared.status()["sessions"] == []
    failed = shared.run("shortcuts", "run", "hey")
    assert failed.returncode == 1
    assert "needs name" in failed.stdout


async def test_what_a_client_did_becomes_a_shortcut_without_its_secrets(shared: GatewayProcess, site: Site) -> None:
    site.pages["/login"] = LOGIN
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/login")
        found = await agent.result("find", query="user field")
        assert found.structured_content is not None
        user = found.structured_content["matches"][0]["ref"]
        await agent.result("form_input", ref=user, value="ann")
        password = (await agent.result("find", query="password field")).structured_content
        assert password is not None
        await agent.result("form_input", ref=password["matches"][0]["ref"], value=PASSWORD)
        await agent.result("form_input", ref="e999", value="fails")
        await agent.result("computer", action="left_click", ref=password["matches"][0]["ref"])
        await agent.result("computer", action="type", text=PASSWORD)
        button = (await agent.result("find", query="log in button")).structured_content
        assert button is not None
        await agent.result("computer", action="left_click", ref=button["matches"][0]["ref"])
        await agent.result("computer", action="screenshot")

        recorded = shared.run("shortcuts", "record", "enter", "--last", "6", "--description", "Logs in.")
        assert recorded.returncode == 0, recorded.stderr
        shown = json.loads(shared.run("shortcuts", "show", "enter").stdout)
        assert [(step["tool"], step["arguments"]) for step in shown["steps"]] == [
            ("navigate", {"url": f"{site.url}/login"}),
            ("form_input", {"ref": 'find:textbox "User"', "value": "ann"}),
            ("form_input", {"ref": 'find:textbox "Password"', "value": "{{secret}}"}),
            ("computer", {"action": "left_click", "ref": 'find:textbox "Password"'}),
            ("computer", {"action": "type", "text": "{{secret}}"}),
            ("computer", {"action": "left_click", "ref": 'find:button "Log in"'}),
        ]
        assert PASSWORD not in (recorded.stdout + shared.log())

        replayed = await agent.result("shortcuts_execute", command="enter", arguments={"secret": "four"})
        assert not replayed.is_error, replayed.content
        assert "Hello ann/8" in text_of(await agent.result("get_page_text"))


async def test_a_tab_that_was_opened_is_where_the_shortcut_begins(shared: GatewayProcess, site: Site) -> None:
    site.pages["/login"] = LOGIN
    async with connect(shared, toolsets="focus,automation", list="stable") as agent:
        await agent.result("connect_browser", launch=True)
        await agent.result("open_tab", url=f"{site.url}/login?token={PASSWORD}")
        found = (await agent.result("find", query="user field")).structured_content
        assert found is not None
        await agent.result("form_input", ref=found["matches"][0]["ref"], value="ann")
        assert shared.run("shortcuts", "record", "begin").returncode == 0
    shown = json.loads(shared.run("shortcuts", "show", "begin").stdout)
    assert [(step["tool"], step["arguments"]) for step in shown["steps"]] == [
        ("navigate", {"url": f"{site.url}/login?token={{{{secret}}}}"}),
        ("form_input", {"ref": 'find:textbox "User"', "value": "ann"}),
    ]
    told = shared.run("shortcuts", "run", "begin", "--arg", "secret=x")
    assert told.returncode == 0, told.stdout


async def test_no_way_of_giving_a_secret_gets_it_into_a_shortcut(shared: GatewayProcess, site: Site) -> None:
    site.pages["/login"] = LOGIN + "<button onclick=\"document.querySelector('#pass').type = 'text'\">Show</button>"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/login?access_token={PASSWORD}&q=tea")
        refs: dict[str, str] = {}
        for name in ("user", "password", "show"):
            found = (await agent.result("find", query=name)).structured_content
            assert found is not None
            refs[name] = found["matches"][0]["ref"]
        await agent.result("computer", action="left_click", ref=refs["show"])
        await agent.result("computer", action="left_click", ref=refs["user"])
        # the caret is elsewhere when these are asked about
        await agent.result("computer", action="type", ref=refs["password"], text=PASSWORD)
        await agent.result("computer", action="type", ref=refs["user"], text="ann")
        await agent.result("javascript_tool", text=f"document.querySelector('#pass').value = '{PASSWORD}'")
        assert shared.run("shortcuts", "record", "shown", "--last", "6").returncode == 0
        shown = shared.run("shortcuts", "show", "shown").stdout
        assert PASSWORD not in shown
        steps = [step["arguments"] for step in json.loads(shown)["steps"]]
        assert steps[0] == {"url": f"{site.url}/login?access_token={{{{secret}}}}&q=tea"}
        assert [step.get("text") for step in steps[3:]] == [
            "{{secret}}", "ann", "document.querySelector('#pass').value = \"{{secret}}\"",
        ]  # fmt: skip


async def test_recording_needs_somebody_who_did_something(shared: GatewayProcess) -> None:
    nobody = shared.run("shortcuts", "record", "x", "--session", "no-such-client")
    assert nobody.returncode == 1
    assert "No session no-such-client is there." in nobody.stderr
    assert "No client is connected. Let one act" in shared.run("shortcuts", "record", "x").stderr
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("shortcuts_list")
        idle = shared.run("shortcuts", "record", "x")
        assert idle.returncode == 1
        assert "done nothing yet" in idle.stderr


def test_a_run_that_is_interrupted_stops_in_the_browser(shared: GatewayProcess, site: Site, tmp_path: Path) -> None:
    site.pages["/type"] = "<title>Type</title><textarea aria-label=Text autofocus></textarea>"
    steps = [
        {"tool": "navigate", "arguments": {"url": f"{site.url}/type"}},
        {"tool": "computer", "arguments": {"action": "left_click", "ref": "find:text"}},
        *[{"tool": "computer", "arguments": {"action": "type", "text": "x" * 400}}] * 20,
    ]
    assert shared.run("shortcuts", "add", "type", "--steps", steps_file(tmp_path, steps)).returncode == 0
    with (
        cdp_of(shared) as browser,
        subprocess.Popen([TABWRIGHT, "shortcuts", "run", "type"], env=shared.env, stderr=subprocess.DEVNULL) as command,
    ):
        until(lambda: browser.in_page("/type", "document.querySelector('textarea')?.value.length ?? 0"))
        command.send_signal(signal.SIGINT)
        assert command.wait(10) == 130
        until(lambda: not shared.status()["sessions"])
        assert browser.in_page("/type", "document.querySelector('textarea').value.length") < 20 * 400
