"""The servers that are compared: how each is started, and what it calls the same handful of deeds.

An adapter is told what to do and returns the call that does it; `Session` makes the calls. Every server gets the same
Chromium, headless, with a viewport of 1280 by 900, and a folder of its own to write in.
"""

import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from bench.driver import Command
from tests.gateway import TABWRIGHT

PEERS: Final = Path(__file__).parent / "peers"
WIDTH, HEIGHT = 1280, 900
FRAME: Final = 87
"""What a headless window of this browser is higher than its page."""

Call = tuple[str, dict[str, Any]]


def chromium() -> str:
    found = shutil.which("google-chrome") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("There is no Chrome or Chromium on this machine; `scripts/setup --browser` brings one.")
    return found


def peer(name: str) -> str:
    """Where a peer's command is; of the one that comes as a binary that itself, not what looks for it."""
    path = PEERS / "node_modules" / ".bin" / name
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    native = path.resolve().parent / f"{name}-{platform.system().lower()}-{machine}"
    path = native if native.exists() else path
    if not path.exists():
        raise SystemExit(
            "Run `scripts/setup --bench` first: it brings the servers to measure against and the tokenizer."
        )
    return str(path)


class Adapter(Protocol):
    """What a server calls things."""

    @property
    def name(self) -> str: ...
    def command(self, folder: Path) -> Command: ...
    def open(self, url: str) -> Call: ...
    def navigate(self, url: str) -> Call: ...
    def outline(self) -> Call: ...
    def click(self, ref: str) -> Call: ...
    def fill(self, ref: str, value: str) -> Call: ...
    def screenshot(self) -> Call: ...
    def evaluate(self, expression: str) -> Call: ...
    def ref(self, outline: str, role: str, name: str) -> str: ...
    def close(self) -> Call | None: ...


@dataclass(frozen=True)
class Tabwright:
    """Through the pump, to a gateway that it starts when there is none, which launches the browser."""

    options: tuple[str, ...] = ("--list", "stable")
    browser_flags: tuple[str, ...] = ()
    name: str = "tabwright"

    def command(self, folder: Path) -> Command:
        flags = " ".join((f"--window-size={WIDTH},{HEIGHT + FRAME}", *self.browser_flags))
        ports = {"TABWRIGHT_PORT": "0", "TABWRIGHT_EXTENSION_PORT": "0", "TABWRIGHT_HEADLESS": "true"}
        places = {"TABWRIGHT_HOME": str(folder / "home"), "TABWRIGHT_UPLOAD_DIRS": str(folder)}
        variables = {**ports, **places, "TABWRIGHT_BROWSER": chromium(), "TABWRIGHT_BROWSER_ARGS": flags}
        return Command((TABWRIGHT, "stdio", *self.options), variables, folder)

    def open(self, url: str) -> Call:
        return self.navigate(url)

    def navigate(self, url: str) -> Call:
        return "navigate", {"url": url}

    def outline(self) -> Call:
        return "read_page", {}

    def click(self, ref: str) -> Call:
        return "computer", {"action": "left_click", "ref": ref}

    def fill(self, ref: str, value: str) -> Call:
        return "form_input", {"ref": ref, "value": value}

    def screenshot(self) -> Call:
        return "computer", {"action": "screenshot"}

    def evaluate(self, expression: str) -> Call:
        return "javascript_tool", {"text": expression}

    def ref(self, outline: str, role: str, name: str) -> str:
        return found(rf'{role} "{name}[^"]*" (e\d+)', outline)

    def close(self) -> Call | None:
        return None


@dataclass(frozen=True)
class Playwright:
    name: str = "playwright"

    def command(self, folder: Path) -> Command:
        flags = ("--headless", "--isolated", "--no-sandbox", "--executable-path", chromium())
        return Command((peer("playwright-mcp"), *flags, "--viewport-size", f"{WIDTH},{HEIGHT}"), {}, folder)

    def open(self, url: str) -> Call:
        return self.navigate(url)

    def navigate(self, url: str) -> Call:
        return "browser_navigate", {"url": url}

    def outline(self) -> Call:
        return "browser_snapshot", {}

    def click(self, ref: str) -> Call:
        return "browser_click", {"target": ref}

    def fill(self, ref: str, value: str) -> Call:
        return "browser_type", {"target": ref, "text": value}

    def screenshot(self) -> Call:
        return "browser_take_screenshot", {}

    def evaluate(self, expression: str) -> Call:
        return "browser_evaluate", {"function": f"() => {expression}"}

    def ref(self, outline: str, role: str, name: str) -> str:
        return found(rf'{role} "{name}[^"]*"(?: \[[a-z=\d]+\])*? \[ref=(\w+)\]', outline)

    def close(self) -> Call | None:
        return "browser_close", {}


@dataclass(frozen=True)
class DevTools:
    """Each call names its page: the first that a client opens is its second."""

    name: str = "chrome-devtools"

    def command(self, folder: Path) -> Command:
        flags = ("--headless", "--isolated", "--executablePath", chromium(), "--chromeArg=--no-sandbox")
        # it sends usage figures to its maker unless told not to
        quiet = ("--no-usage-statistics", "--no-performance-crux")
        return Command((peer("chrome-devtools-mcp"), *flags, *quiet, "--viewport", f"{WIDTH}x{HEIGHT}"), {}, folder)

    def open(self, url: str) -> Call:
        return "new_page", {"url": url}

    def navigate(self, url: str) -> Call:
        return "navigate_page", {"pageId": 2, "url": url}

    def outline(self) -> Call:
        return "take_snapshot", {"pageId": 2}

    def click(self, ref: str) -> Call:
        return "click", {"pageId": 2, "uid": ref}

    def fill(self, ref: str, value: str) -> Call:
        return "fill", {"pageId": 2, "uid": ref, "value": value}

    def screenshot(self) -> Call:
        return "take_screenshot", {"pageId": 2}

    def evaluate(self, expression: str) -> Call:
        return "evaluate_script", {"pageId": 2, "function": f"() => {expression}"}

    def ref(self, outline: str, role: str, name: str) -> str:
        return found(rf'uid=(\w+) {role} "{name}', outline)

    def close(self) -> Call | None:
        return None


@dataclass(frozen=True)
class AgentBrowser:
    """The native binary; `profiles` are the sets of tools it lists."""

    profiles: str = "core"
    name: str = "agent-browser"

    def command(self, folder: Path) -> Command:
        flags = f"--no-sandbox,--window-size={WIDTH},{HEIGHT + FRAME}"
        variables = {"AGENT_BROWSER_EXECUTABLE_PATH": chromium(), "AGENT_BROWSER_ARGS": flags, "HOME": str(folder)}
        return Command((peer("agent-browser"), "mcp", "--tools", self.profiles), variables, folder)

    def open(self, url: str) -> Call:
        return self.navigate(url)

    def navigate(self, url: str) -> Call:
        return "agent_browser_open", {"url": url}

    def outline(self) -> Call:
        return "agent_browser_snapshot", {}

    def click(self, ref: str) -> Call:
        return "agent_browser_click", {"selector": ref}

    def fill(self, ref: str, value: str) -> Call:
        return "agent_browser_fill", {"selector": ref, "text": value}

    def screenshot(self) -> Call:
        return "agent_browser_screenshot", {}

    def evaluate(self, expression: str) -> Call:
        return "agent_browser_eval", {"script": expression}

    def ref(self, outline: str, role: str, name: str) -> str:
        return "@" + found(rf'{role} "{name}[^"]*" \[[^\]]*ref=(\w+)\]', outline)

    def close(self) -> Call | None:
        # its browser outlives the server otherwise
        return "agent_browser_close", {}


ADAPTERS: Final[tuple[Adapter, ...]] = (Tabwright(), Playwright(), DevTools(), AgentBrowser())
NODE: Final = ("playwright", "chrome-devtools")


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"{pattern} is not in {text[:2000]}"
    return match[1]
