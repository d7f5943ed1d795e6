import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import uvloop

import tabwright
from tabwright.edges.chrome.chrome import Chrome, LaunchPlan, command_line, wants_headless
from tabwright.edges.chrome.extension_files import extension_id_of
from tabwright.edges.chrome.finder import find_browser
from tabwright.edges.chrome.profile import copy_extension, prepare_profile
from tabwright.errors import LaunchFailed
from tests.gateway import executed

browser = pytest.mark.browser

MANIFEST = {
    "manifest_version": 3,
    "name": "probe",
    "version": "1.0",
    "permissions": ["storage"],
    "host_permissions": ["http://127.0.0.1/*"],
    "background": {"service_worker": "worker.js", "type": "module"},
}
# Reports to the test which code runs with which configuration; reloads itself once if told to.
WORKER = """
const config = await (await fetch(chrome.runtime.getURL("config.json"))).json();
const {reloaded} = await chrome.storage.local.get("reloaded");
if (config.url) await fetch(`${config.url}/${config.word}-CODE${reloaded ? "-reloaded" : ""}`, {mode: "no-cors"});
if (config.reload && !reloaded) {
  await chrome.storage.local.set({reloaded: true});
  // a reload in the middle of its own installation is lost by Chrome now and then
  setTimeout(() => chrome.runtime.reload(), 300);
}
"""


def write_extension(folder: Path, code: str = "one") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "worker.js").write_text(
        "(async () => {" + WORKER.replace("CODE", code) + "})();\nchrome.runtime.onInstalled.addListener(() => {});"
    )
    return folder


@pytest.fixture
def plan(tmp_path: Path) -> LaunchPlan:
    found = find_browser(os.environ.get("TABWRIGHT_BROWSER"), os.environ, sys.platform)
    assert found, "these tests need a browser"
    prepare_profile(tmp_path / "profile")
    copy_extension(write_extension(tmp_path / "source"), tmp_path / "extension", {})
    return LaunchPlan(found.path, tmp_path / "profile", tmp_path / "extension", headless=True)


@asynccontextmanager
async def launched(plan: LaunchPlan) -> AsyncGenerator[Chrome]:
    chrome = await Chrome.launch(plan)
    try:
        yield chrome
    finally:
        await chrome.close()


@asynccontextmanager
async def listener() -> AsyncGenerator[tuple[str, asyncio.Queue[str]]]:
    """A loopback HTTP server; what the extension asks it for is what it reports."""
    reports: asyncio.Queue[str] = asyncio.Queue()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reports.put_nowait((await reader.readline()).decode().split()[1].lstrip("/"))
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", reports


async def has_target(chrome: Chrome, kind: str) -> bool:
    answer = await chrome.pipe.request("Target.getTargets")
    return any(target["type"] == kind for target in cast("list[Mapping[str, object]]", answer["targetInfos"]))


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(5):
        while not await condition():  # noqa: ASYNC110 - processes and browsers announce nothing
            await asyncio.sleep(0.02)


def processes_of(profile: Path, group: int = -1) -> list[str]:
    """Command lines of the live processes that name this profile or belong to this process group."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes()
            state, _, member_of, *_ = (process / "stat").read_text().rpartition(")")[2].split()
            named = os.fsencode(profile) in command and int(process.name) != os.getpid()
            # one without a command line has given back its memory and is on its way out
            if state != "Z" and command and (named or int(member_of) == group):
                found.append(command.replace(b"\0", b" ").decode())
    return found


async def has_renderer(plan: LaunchPlan, chrome: Chrome) -> bool:
    return any("--type=renderer" in each for each in processes_of(plan.profile, chrome.pid))


def write_program(path: Path, text: str) -> Path:
    path.write_text(textwrap.dedent(text).lstrip())
    path.chmod(0o755)
    return path


def test_display_and_setting_decide_about_headless() -> None:
    assert wants_headless({}, "linux", None)
    assert not wants_headless({"DISPLAY": ":0"}, "linux", None)
    assert not wants_headless({"WAYLAND_DISPLAY": "wayland-0"}, "linux", None)
    assert not wants_headless({}, "darwin", None)
    assert wants_headless({"DISPLAY": ":0"}, "linux", True)
    assert not wants_headless({}, "linux", False)


def test_command_line_follows_the_plan() -> None:
    plan = LaunchPlan(Path("/b"), Path("/p"), Path("/e"), headless=False)
    headed = command_line(plan, as_root=False)
    assert headed[:2] == ["/b", "--user-data-dir=/p"]
    assert {"--remote-debugging-pipe", "--no-startup-window", "--silent-debugger-extension-api"} <= set(headed)
    assert not any(flag.startswith(("--headless", "--no-sandbox", "--load-extension")) for flag in headed)
    assert "--disable-extensions" not in headed
    unseen = command_line(replace(plan, headless=True), as_root=False)
    assert {"--headless=new", "--animation-duration-scale=0"} <= set(unseen)
    assert "--animation-duration-scale=0" not in headed, "who looks at a window sees what it does"
    assert "--no-sandbox" in command_line(plan, as_root=True)
    by_flag = command_line(plan, as_root=False, load_by_flag=True)
    assert "--load-extension=/e" in by_flag
    assert any("DisableLoadExtensionCommandLineSwitch" in flag for flag in by_flag)


def test_arguments_of_the_person_come_after_ours_and_take_no_feature_back() -> None:
    given = ("--window-size=1440,900", "--disable-features=Vulkan", "--enable-features=WebMCP")
    plan = LaunchPlan(Path("/b"), Path("/p"), Path("/e"), headless=True, extra_args=given)
    line = command_line(plan, as_root=False)
    sizes = [flag for flag in line if flag.startswith("--window-size=")]
    assert sizes == ["--window-size=1280,887", "--window-size=1440,900"], "the browser takes the last"
    last = dict(flag.split("=", 1) for flag in line if "=" in flag)
    assert {"Translate", "Vulkan"} <= set(last["--disable-features"].split(","))
    assert {"CDPScreenshotNewSurface", "WebMCP"} <= set(last["--enable-features"].split(","))


@browser
@pytest.mark.parametrize("headless", [True, False], ids=["headless", "headed"])
async def test_browser_starts_without_a_tab_and_outlives_its_last_one(
    plan: LaunchPlan, headless: bool, display: None
) -> None:
    async with launched(replace(plan, headless=headless)) as chrome:
        assert chrome.version.split(".")[0].isdecimal()
        assert chrome.extension_id == extension_id_of(plan.extension)
        await eventually(lambda: has_target(chrome, "service_worker"))
        assert not await has_target(chrome, "page")

        opened = await chrome.pipe.request("Target.createTarget", {"url": "about:blank"})
        assert await has_target(chrome, "page")
        await chrome.pipe.request("Target.closeTarget", {"targetId": opened["targetId"]})
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(chrome.wait_closed(), 0.5)
        assert not await has_target(chrome, "page")
        assert await has_target(chrome, "service_worker")

    assert await chrome.wait_closed() == 0
    assert processes_of(plan.profile, chrome.pid) == []
    await chrome.close()


@browser
async def test_pages_of_the_browsers_own_frame_take_no_process(plan: LaunchPlan) -> None:
    async with launched(plan) as chrome:
        await chrome.pipe.request("Target.createTarget", {"url": "data:text/html,<p>here"})
        # those of the frame are there before the first page is
        await eventually(lambda: has_target(chrome, "page"))
        await eventually(lambda: has_renderer(plan, chrome))
        assert not any("--top-chrome-webui" in each for each in processes_of(plan.profile, chrome.pid))


@browser
async def test_bundled_extension_loads_under_the_id_of_its_key(plan: LaunchPlan) -> None:
    bundled = Path(tabwright.__file__).parent / "extension"
    assert "key" in json.loads((bundled / "manifest.json").read_text())
    copy_extension(bundled, plan.extension, {})
    async with launched(plan) as chrome:
        assert chrome.extension_id == extension_id_of(plan.extension)
        await eventually(lambda: has_target(chrome, "service_worker"))


@browser
async def test_browser_dies_with_a_killed_gateway(plan: LaunchPlan) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        from tabwright.edges.chrome.chrome import Chrome, LaunchPlan

        async def main():
            chrome = await Chrome.launch(LaunchPlan(*map(Path, sys.argv[1:]), headless=True))
            await chrome.pipe.request("Target.createTarget", {"url": "about:blank"})
            print(chrome.pid, flush=True)
            await chrome.wait_closed()

        asyncio.run(main())
    """
    gateway = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", textwrap.dedent(program), plan.binary, plan.profile, plan.extension),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert gateway.stdout
    async with asyncio.timeout(10):
        pid = int(await gateway.stdout.readline())
    assert len(processes_of(plan.profile, pid)) > 3
    gateway.send_signal(signal.SIGKILL)

    async def all_gone() -> bool:
        return processes_of(plan.profile, pid) == []

    await eventually(all_gone)
    await gateway.wait()


@browser
async def test_killed_browser_is_noticed_and_leaves_nothing(plan: LaunchPlan) -> None:
    async with launched(plan) as chrome:
        os.kill(chrome.pid, signal.SIGKILL)
        async with asyncio.timeout(5):
            assert await chrome.wait_closed() == -signal.SIGKILL
        assert processes_of(plan.profile, chrome.pid) == []


@browser
async def test_browser_that_does_not_react_is_killed(plan: LaunchPlan) -> None:
    async with launched(plan) as chrome:
        os.killpg(chrome.pid, signal.SIGSTOP)
        async with asyncio.timeout(20):
            await asyncio.gather(chrome.close(grace_s=0.1), chrome.close(grace_s=0.1))
        assert processes_of(plan.profile, chrome.pid) == []


@browser
@pytest.mark.parametrize("host", [os.uname().nodename, "another-container"])
async def test_lock_of_a_dead_browser_does_not_prevent_a_start(plan: LaunchPlan, host: str) -> None:
    (plan.profile / "SingletonLock").symlink_to(f"{host}-1")
    (plan.profile / "SingletonSocket").symlink_to(plan.profile / "gone")
    async with launched(plan) as chrome:
        assert chrome.pid


@browser
async def test_profile_in_use_is_refused_by_name(plan: LaunchPlan) -> None:
    async with launched(plan) as chrome:
        with pytest.raises(LaunchFailed, match=f"process {chrome.pid}.*using the profile"):
            await Chrome.launch(plan, timeout_s=0.2)
        assert not await has_target(chrome, "page")


@browser
async def test_profile_may_be_launched_again_at_once_with_changed_code_and_configuration(
    plan: LaunchPlan, tmp_path: Path
) -> None:
    async with listener() as (url, reports), asyncio.timeout(15):
        for code in ("one", "two"):
            write_extension(tmp_path / "source", code)
            copy_extension(tmp_path / "source", plan.extension, {"url": url, "word": f"word-{code}"})
            prepare_profile(plan.profile)
            async with launched(plan):
                assert await reports.get() == f"word-{code}-{code}"


@browser
async def test_copy_of_the_extension_is_made_while_the_browser_starts(plan: LaunchPlan, tmp_path: Path) -> None:
    async with listener() as (url, reports), asyncio.timeout(15):
        for code in ("one", "two"):
            source = write_extension(tmp_path / "source", code)
            copy = tmp_path / "copy"
            fresh = replace(plan, extension=copy, source=source, config={"url": url, "word": f"word-{code}"})
            async with launched(fresh):
                assert await reports.get() == f"word-{code}-{code}"


@browser
async def test_copy_that_cannot_be_made_ends_the_launch_and_the_browser(plan: LaunchPlan, tmp_path: Path) -> None:
    (tmp_path / "source" / "gone.js").symlink_to(tmp_path / "nowhere")
    with pytest.raises(LaunchFailed, match=r"not in order: .*gone\.js"):
        await Chrome.launch(replace(plan, extension=tmp_path / "copy", source=tmp_path / "source"))
    assert processes_of(plan.profile) == []
    assert not (tmp_path / "copy").exists()


@browser
async def test_extension_is_still_enabled_after_reloading_itself(plan: LaunchPlan, tmp_path: Path) -> None:
    async with listener() as (url, reports), asyncio.timeout(10):
        copy_extension(tmp_path / "source", plan.extension, {"url": url, "word": "hello", "reload": True})
        async with launched(plan):
            assert await reports.get() == "hello-one"
            assert await reports.get() == "hello-one-reloaded"


# Stands between us and the real browser and garbles one command, so that the browser itself refuses it.
REFUSING_BROWSER = """
    #!{python}
    import fcntl, os, subprocess, sys, threading

    def relay(source, sink, change):
        while data := os.read(source, 1 << 16):
            os.write(sink, change(data))
        os._exit(0)

    commands, answers = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (3, 4))
    their_commands, onward = os.pipe()
    back, their_answers = os.pipe()
    os.dup2(their_commands, 3), os.dup2(their_answers, 4)
    subprocess.Popen(["{binary}", *sys.argv[1:]], pass_fds=(3, 4))
    for end in (3, 4, their_commands, their_answers):
        os.close(end)
    threading.Thread(target=relay, args=(back, answers, bytes), daemon=True).start()
    relay(commands, onward, lambda data: data.replace(b"Extensions.loadUnpacked", b"Extensions.loadForbidden"))
"""


@browser
async def test_extension_is_loaded_by_flag_when_the_pipe_refuses(plan: LaunchPlan, tmp_path: Path) -> None:
    text = REFUSING_BROWSER.format(python=sys.executable, binary=plan.binary)
    refusing = replace(plan, binary=write_program(tmp_path / "browser", text))
    async with listener() as (url, reports), asyncio.timeout(15):
        copy_extension(tmp_path / "source", plan.extension, {"url": url, "word": "flag"})
        async with launched(refusing) as chrome:
            assert chrome.extension_id == extension_id_of(plan.extension)
            assert await reports.get() == "flag-one"
    assert processes_of(plan.profile, chrome.pid) == []


@browser
async def test_broken_extension_is_reported_in_the_browsers_words(plan: LaunchPlan) -> None:
    (plan.extension / "manifest.json").write_text('{"manifest_version": 3, "version": "1.0"}')
    with pytest.raises(LaunchFailed, match=r"did not load the extension.*name"):
        await Chrome.launch(plan, timeout_s=6)
    assert processes_of(plan.profile) == []


@browser
async def test_headed_launch_without_a_display_names_the_setting(
    plan: LaunchPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(LaunchFailed, match=r"ended with status.*TABWRIGHT_HEADLESS=1"):
        await Chrome.launch(replace(plan, headless=False))


@browser
def test_browser_finds_a_home_with_an_umlaut_in_a_locale_that_is_missing(tmp_path: Path) -> None:
    with executed(tmp_path / "Müller", "--launch", LC_ALL="de_XX.UTF-8") as gateway:
        assert gateway.process is not None
        assert gateway.process.stderr is not None
        outcome = next(line for line in gateway.process.stderr if "launched" in line)
        assert outcome.startswith("browser launched")


@browser
def test_browser_launches_under_uvloop(plan: LaunchPlan) -> None:
    async def launch_and_close() -> None:
        async with launched(plan) as chrome:
            assert not await has_target(chrome, "page")
        assert await chrome.wait_closed() == 0

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(launch_and_close())


async def test_last_words_of_a_browser_that_ends_at_once_are_told(plan: LaunchPlan, tmp_path: Path) -> None:
    failing = write_program(
        tmp_path / "browser",
        """
        #!/bin/sh
        echo '[7:7:1115/1:FATAL:main.cc:1] the flux is low' >&2
        echo '[7:7:1115/1:ERROR:dbus/bus.cc:405] Failed to connect to the bus' >&2
        exit 3
        """,
    )
    with pytest.raises(LaunchFailed, match=r"^The browser ended with status 3 while starting: the flux is low"):
        await Chrome.launch(replace(plan, binary=failing))


@pytest.mark.parametrize("how", ["timeout", "cancelled"])
async def test_failed_launch_leaves_no_process(plan: LaunchPlan, tmp_path: Path, how: str) -> None:
    mute = write_program(tmp_path / "browser", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nsleep 60 & sleep 60\n")
    launching = asyncio.ensure_future(Chrome.launch(replace(plan, binary=mute), timeout_s=0.5))

    async def spawned() -> bool:
        return (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text())

    await eventually(spawned)
    if how == "cancelled":
        launching.cancel()
    with pytest.raises(LaunchFailed if how == "timeout" else asyncio.CancelledError):
        await launching
    assert processes_of(plan.profile, int((tmp_path / "pid").read_text())) == []


async def test_unreadable_extension_is_named(plan: LaunchPlan) -> None:
    (plan.extension / "manifest.json").write_text("{")
    with pytest.raises(LaunchFailed, match="folders are not in order"):
        await Chrome.launch(plan)
    (plan.extension / "manifest.json").unlink()
    with pytest.raises(LaunchFailed, match=r"manifest\.json"):
        await Chrome.launch(plan)


async def test_unusable_executable_is_named(plan: LaunchPlan, tmp_path: Path) -> None:
    with pytest.raises(LaunchFailed, match=r"no-browser could not be started.*TABWRIGHT_BROWSER"):
        await Chrome.launch(replace(plan, binary=tmp_path / "no-browser"))


async def test_browser_inherits_its_pipe_but_none_of_our_files_and_settings(
    plan: LaunchPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABWRIGHT_AUTH_TOKEN", "secret")
    curious = write_program(
        tmp_path / "browser",
        f"""
        #!{sys.executable}
        import json, os
        descriptors = os.listdir("/proc/self/fd")
        with open("{tmp_path}/seen", "w") as seen:
            json.dump([descriptors, dict(os.environ)], seen)
        """,
    )
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with pytest.raises(LaunchFailed):
        await Chrome.launch(replace(plan, binary=curious))
    descriptors, environ = json.loads((tmp_path / "seen").read_text())
    assert set(descriptors) == {"0", "1", "2", "3", "4", "5"}  # 5 reads the list
    assert environ["PATH"] == os.environ["PATH"]
    assert not any(name.startswith("TABWRIGHT") for name in environ)
    os.close(ours)
    os.close(theirs)
