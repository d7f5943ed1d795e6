"""Launches a browser of our own, with the extension in it, and ends it without a trace.

Owns the command line and the life of one launched browser. Finding the executable, preparing its folders, the
process and the pipe have modules of their own (`finder`, `profile`, `process`, `pipe`).

1. The profile must be free: a browser that is just leaving gets a moment, the lock of a dead one is removed.
2. The browser is spawned without a window and asked for its version over the pipe. While it starts, its copy of the
   extension is made.
3. The pipe loads the extension; a browser that refuses is started again with `--load-extension`.
4. It lives until `close`, until somebody ends it, or until this process dies and its pipe closes.
"""

import asyncio
import codecs
import locale
import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self, cast

from tabwright.edges.chrome.extension_files import extension_id_of
from tabwright.edges.chrome.pipe import CommandRefused, PipeClosed
from tabwright.edges.chrome.process import BrowserProcess
from tabwright.edges.chrome.profile import (
    clear_lock,
    copy_extension,
    forget_old_worker,
    live_holder,
)
from tabwright.errors import LaunchFailed

log = logging.getLogger(__name__)

PROFILE_FREE_S: Final = 2.0
TERMINATE_S: Final = 1.0
KILL_S: Final = 2.0
EXTENSION_RUNS_S: Final = 5.0
POLL_S: Final = 0.05

_FLAGS: Final = (
    "--remote-debugging-pipe",
    "--enable-unsafe-extension-debugging",  # up to about 148 the pipe loads no extension without it
    "--silent-debugger-extension-api",  # no debugging bar: it would move every page by 56 pixels
    "--no-startup-window",  # and the browser then outlives its last window
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
    "--noerrdialogs",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--password-store=basic",  # neither the Linux key ring nor the macOS key chain may ask for a password
    "--use-mock-keychain",
)
_HEADLESS_FLAGS: Final = (
    "--headless=new",
    "--screen-info={1920x1080}",
    "--window-size=1280,887",  # a page of 1280 by 800: by itself it is 945 wide, where many sites hide their menus
    "--mute-audio",
    "--animation-duration-scale=0",  # of the window's own frame, whose tabs would slide for 0.2 s after each page
)
_WITH, _WITHOUT = "--enable-features=", "--disable-features="
_FEATURES: Final = (
    "CDPScreenshotNewSurface",  # a picture is of the next frame drawn, not of the one after it: 7 ms sooner
)
_NO_FEATURES: Final = (
    "Translate",
    "MediaRouter",
    # pages of the address bar, where nobody types: a process of 48 MB, and a tenth of the time to the first page
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
# Chrome 137 to 141 ignore --load-extension unless told not to; later ones ignore it anyway, Chromium never does.
_LOAD_BY_FLAG: Final = "DisableLoadExtensionCommandLineSwitch"

_OUR_SETTINGS: Final = ("TABWRIGHT_", "CLAUDE_BROWSER_")  # the tokens among them are not the browser's business
_NEXT_STEPS: Final = (
    ("Missing X server", "Set TABWRIGHT_HEADLESS=1, or start from a desktop session."),
    ("platform failed to initialize", "Set TABWRIGHT_HEADLESS=1, or start from a desktop session."),
    ("ProcessSingleton", "Close the browser that uses this profile."),
    ("No usable sandbox", "Allow unprivileged user namespaces, or install a browser package with its own sandbox."),
    ("error while loading shared libraries", "Install that library, or another browser."),
)
_NEXT_STEP: Final = "Run `tabwright doctor`, or set TABWRIGHT_BROWSER to another browser."


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What to launch: the executable, its prepared profile, the copy of the extension to load; all absolute."""

    binary: Path
    profile: Path
    extension: Path
    headless: bool
    extra_args: tuple[str, ...] = ()
    source: Path | None = None
    """What the copy is made of while the browser starts; None: it is there."""
    config: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the copy's `config.json` says."""

    def copy(self) -> None:
        if self.source is not None:
            copy_extension(self.source, self.extension, self.config)


def wants_headless(environ: Mapping[str, str], platform: str, configured: bool | None) -> bool:
    """As configured (TABWRIGHT_HEADLESS); by default headless where there is no display to show a window on."""
    if configured is not None:
        return configured
    return platform == "linux" and not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def command_line(plan: LaunchPlan, *, as_root: bool, load_by_flag: bool = False) -> list[str]:
    """The arguments a browser is started with. Of a switch given twice the browser takes the last."""

    def asked(switch: str) -> list[str]:
        return [given.removeprefix(switch) for given in plan.extra_args if given.startswith(switch)]

    features = (*_FEATURES, *asked(_WITH))
    no_features = (*_NO_FEATURES, *((_LOAD_BY_FLAG,) if load_by_flag else ()), *asked(_WITHOUT))
    return [
        str(plan.binary),
        f"--user-data-dir={plan.profile}",
        *_FLAGS,
        *(_HEADLESS_FLAGS if plan.headless else ()),
        *(("--no-sandbox",) if as_root else ()),  # browsers refuse to run as root otherwise
        *((f"--load-extension={plan.extension}",) if load_by_flag else ()),
        *plan.extra_args,
        f"{_WITH}{','.join(features)}",
        f"{_WITHOUT}{','.join(no_features)}",
    ]


class Chrome:
    """One running browser process. Made by `launch`."""

    def __init__(self, process: BrowserProcess, version: str, extension_id: str) -> None:
        self._process = process
        self._closing = asyncio.Lock()
        self.pid: Final = process.pid
        self.pipe: Final = process.pipe
        self.version: Final = version
        self.extension_id: Final = extension_id

    @classmethod
    async def launch(cls, plan: LaunchPlan, timeout_s: float = 20) -> Self:
        """Start a browser and load the extension into it; nothing is left running if that fails.

        Raises:
            LaunchFailed: saying why, in the browser's last words if it had any, and what to do.
        """
        if not hasattr(os, "posix_spawn"):
            raise LaunchFailed("This system cannot launch a browser.", "Start one and run `tabwright pair`.")
        deadline = asyncio.get_running_loop().time() + timeout_s
        await _free_profile(plan.profile, deadline)
        shipped = plan.source or plan.extension
        try:
            await asyncio.to_thread(extension_id_of, shipped)  # its manifest can be read
            await asyncio.to_thread(forget_old_worker, plan.profile, shipped)
        except (OSError, ValueError) as error:
            raise disorder(error) from error
        copying = asyncio.create_task(asyncio.to_thread(plan.copy))
        try:
            return await cls._start_either_way(plan, deadline, copying)
        finally:
            # whoever launches next must not find it half-way
            await asyncio.wait((copying,), timeout=_left(deadline))

    @classmethod
    async def _start_either_way(cls, plan: LaunchPlan, deadline: float, copying: asyncio.Task[None]) -> Self:
        try:
            return await cls._start(plan, deadline, copying, load_by_flag=False)
        except CommandRefused as refusal:
            log.info("the browser refused the extension over its pipe (%s), trying its command line", refusal.message)
            first_refusal = refusal
        await _copied(copying, deadline)
        try:
            return await cls._start(plan, deadline, copying, load_by_flag=True)
        except (_ExtensionMissing, CommandRefused):
            raise LaunchFailed(
                f"The browser did not load the extension: {first_refusal.message.rstrip('.')}.",
                "Use Chromium or a current Chrome (TABWRIGHT_BROWSER), or load the extension by hand.",
            ) from first_refusal

    @classmethod
    async def _start(
        cls, plan: LaunchPlan, deadline: float, copying: asyncio.Task[None], *, load_by_flag: bool
    ) -> Self:
        argv = command_line(plan, as_root=os.geteuid() == 0, load_by_flag=load_by_flag)
        try:
            process = await BrowserProcess.start(argv, _environment(plan.profile))
        except OSError as error:
            raise LaunchFailed(
                f"{plan.binary} could not be started: {error.strerror}.",
                "Set TABWRIGHT_BROWSER to the executable of Chrome, Chromium, Edge or Brave.",
            ) from error
        started = False
        try:
            version = await _version(process, deadline)
            await _copied(copying, deadline)
            extension_id = await (_await_extension if load_by_flag else _load_extension)(process, plan, deadline)
            started = True
        except TimeoutError as error:
            raise _failure(process, "did not answer in time") from error
        except PipeClosed as error:
            await process.ends_within(TERMINATE_S)  # for its exit status and last words
            status = f" with status {process.ended.result()}" if process.ended.done() else ""
            raise _failure(process, f"ended{status} while starting") from error
        finally:
            if not started:
                await _kill(process)
        return cls(process, version, extension_id)

    async def wait_closed(self) -> int:
        """Wait until the browser has ended, however that came; its exit status, negative for a signal."""
        return await asyncio.shield(self._process.ended)

    async def close(self, grace_s: float = 3) -> None:
        """End the browser and all its children: asked first, then told, then killed. Idempotent."""
        async with self._closing:
            try:
                if await self._leaves_when_asked(grace_s):
                    return
                log.warning("browser %d does not close when asked", self.pid)
                self._process.signal(signal.SIGTERM)
                await self._process.ends_within(TERMINATE_S)
            finally:
                await _kill(self._process)

    async def _leaves_when_asked(self, grace_s: float) -> bool:
        deadline = asyncio.get_running_loop().time() + grace_s
        with suppress(CommandRefused, PipeClosed, TimeoutError):  # it is gone already, or will be told next
            await self.pipe.request("Browser.close", timeout=grace_s)
        return await self._process.ends_within(_left(deadline))


def _environment(profile: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OUR_SETTINGS)}
    if codecs.lookup(locale.getencoding()).name != sys.getfilesystemencoding():
        # Python takes names of files for UTF-8 in a locale that is missing or C; the browser finds no "Müller" there.
        own["LC_ALL"] = "C.UTF-8"
    # Else reports of crashes, with what was in memory, go to the folder of the person's own browser.
    return own | {"BREAKPAD_DUMP_LOCATION": str(profile / "Crash Reports")}


class _ExtensionMissing(Exception):
    """The command line named the extension, but it does not run."""


async def _free_profile(profile: Path, deadline: float) -> None:
    """Wait for a leaving browser, e.g. that of a gateway killed just now, and clear away a dead one's lock."""
    patience = asyncio.get_running_loop().time() + min(PROFILE_FREE_S, _left(deadline))
    while (holder := await asyncio.to_thread(live_holder, profile)) is not None:
        if not _left(patience):
            raise LaunchFailed(
                f"Another browser (process {holder}) is using the profile {profile}.",
                "Close it, or give this gateway a TABWRIGHT_HOME of its own.",
            )
        await asyncio.sleep(POLL_S)
    await asyncio.to_thread(clear_lock, profile)


async def _version(process: BrowserProcess, deadline: float) -> str:
    answer = await process.pipe.request("Browser.getVersion", timeout=_left(deadline))
    return str(answer.get("product", "")).rpartition("/")[2]


async def _copied(copying: asyncio.Task[None], deadline: float) -> None:
    await asyncio.wait((copying,), timeout=_left(deadline))
    if not copying.done():
        raise disorder("the copy of the extension takes too long")
    try:
        copying.result()
    except (OSError, ValueError) as error:
        raise disorder(error) from error


def disorder(reason: Exception | str) -> LaunchFailed:
    """What a launch comes to where its files cannot be read or written."""
    return LaunchFailed(f"The browser's folders are not in order: {reason}.", "Run `tabwright doctor`.")


async def _load_extension(process: BrowserProcess, plan: LaunchPlan, deadline: float) -> str:
    path = {"path": os.fspath(plan.extension)}
    answer = await process.pipe.request("Extensions.loadUnpacked", path, _left(deadline))
    return str(answer.get("id", ""))


async def _await_extension(process: BrowserProcess, plan: LaunchPlan, deadline: float) -> str:
    """The id of the extension named on the command line, once its service worker runs."""
    extension_id = extension_id_of(plan.extension)
    patience = asyncio.get_running_loop().time() + min(EXTENSION_RUNS_S, _left(deadline))
    while _left(patience):
        answer = await process.pipe.request("Target.getTargets", timeout=_left(deadline))
        targets = cast("list[Mapping[str, object]]", answer.get("targetInfos", []))
        if any(str(target.get("url")).startswith(f"chrome-extension://{extension_id}/") for target in targets):
            return extension_id
        await asyncio.sleep(POLL_S)
    raise _ExtensionMissing


def _left(deadline: float) -> float:
    return max(0.0, deadline - asyncio.get_running_loop().time())


async def _kill(process: BrowserProcess) -> None:
    process.signal(signal.SIGKILL)
    process.pipe.close()
    if not await process.ends_within(KILL_S):
        log.error("browser %d is still there after SIGKILL", process.pid)


def _failure(process: BrowserProcess, what: str) -> LaunchFailed:
    words = process.stderr.last_words()
    said = "\n".join(process.stderr.lines)
    next_step = next((step for symptom, step in _NEXT_STEPS if symptom in said), _NEXT_STEP)
    return LaunchFailed(f"The browser {what}: {words}" if words else f"The browser {what}.", next_step)
