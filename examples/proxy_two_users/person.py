"""What a person does by hand in the browser: open the extension's options page and paste a token.

The example has nobody to do it, so it does it over the browser's debugging port.
"""

import itertools
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

OPTIONS = "chrome-extension://dpkekkdbbmdkdninljfoipajbjonchlb/ui/options.html"
BROWSERS = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge", "brave-browser")


def browser_with_port(folder: Path) -> Path:
    """A command that starts the installed browser with a debugging port."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise SystemExit("No Chrome or Chromium found.")
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\nexec {found} --remote-debugging-port=0 "$@"\n')
    script.chmod(0o755)
    return script


def enter_token(profile: Path, token: str, user: str) -> None:
    """Paste the token on the options page, and wait until the page says whose browser it is."""
    port = profile / "DevToolsActivePort"
    where = until("the browser to start", lambda: port.exists() and port.read_text().split())
    with connect(f"ws://127.0.0.1:{where[0]}{where[1]}") as browser:
        page = Page(browser)
        until(
            "the options page",
            lambda: page.run("document.readyState === 'complete' && !!document.querySelector('#token')"),
        )
        page.run(f"document.querySelector('#token').value = {json.dumps(token)}")
        page.run("document.querySelector('#token').dispatchEvent(new Event('input', { bubbles: true }))")
        page.run("document.querySelector('#save').click()")
        until("the proxy's welcome", lambda: page.run(f"document.body.innerText.includes('Connected as {user}')"))
        page.close()


class Page:
    """The options page in a tab of its own."""

    def __init__(self, browser: ClientConnection) -> None:
        self._browser = browser
        self._ids = itertools.count(1)
        self._target = self._send("Target.createTarget", url=OPTIONS)["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]

    def run(self, script: str) -> Any:
        told = self._send("Runtime.evaluate", self._session, expression=script, returnByValue=True)
        return told["result"].get("value")

    def close(self) -> None:
        self._send("Target.closeTarget", targetId=self._target)

    def _send(self, method: str, session: str | None = None, **params: Any) -> Any:
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        self._browser.send(json.dumps(message))
        while (answer := json.loads(self._browser.recv(timeout=20))).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


def until(awaited: str, look: Callable[[], Any], seconds: float = 90) -> Any:
    """Look again until it is there, but not for ever."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    raise SystemExit(f"Waited {seconds:g} seconds for {awaited}.")
