"""A real browser behind a real proxy, and gateways that reach it from afar."""

import json
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.gateway import GatewayProcess, browser_with_port, running, until
from tests.proxy.server import ProxyProcess, token

EXTENSION: Final = extension_id()
SLOW_S: Final = 30.0


class Behind:
    """A proxy, and a browser whose extension is to use it. The browser has a gateway of its own beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.proxy = ProxyProcess(folder / "proxy")
        self.port = self.proxy.port
        self.near = GatewayProcess(folder / "near", "--launch", TABWRIGHT_BROWSER=str(browser_with_port(folder)))

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def stop_proxy(self, number: int = signal.SIGKILL) -> None:
        self.proxy.stop(number)

    def start_proxy(self) -> None:
        self.proxy = ProxyProcess(self.folder / "proxy", port=self.port)

    def extension_token(self, user: str = "alice", **claims: Any) -> str:
        return token(user, "extension", **{"connection_url": f"{self.url}/extension", **claims})

    def token_file(self, user: str = "alice", **claims: Any) -> Path:
        """A file with a gateway's token."""
        path = self.folder / f"{user}.token"
        path.write_text(token(user, "mcp", **{"connection_url": f"{self.url}/mcp", "scope": "cdp", **claims}))
        path.chmod(0o600)
        return path

    @contextmanager
    def far(self, user: str = "alice", name: str = "far", **variables: str) -> Generator[GatewayProcess]:
        """A gateway that knows the browser only through the proxy."""
        flags = ("--via", self.url, "--via-token-file", str(self.token_file(user)))
        with running(self.folder / name, *flags, **variables) as gateway:
            yield gateway

    def cdp(self) -> Cdp:
        return Cdp(self.near.home / "profiles" / "default")

    def stop(self) -> None:
        self.near.stop()
        self.proxy.stop()


@contextmanager
def behind(folder: Path) -> Generator[Behind]:
    made = Behind(folder)
    try:
        until(lambda: made.near.status()["browsers"], SLOW_S)
        yield made
    finally:
        made.stop()


class OptionsPage:
    """The extension's options page, or another page of its own, used as a person does."""

    def __init__(self, cdp: Cdp, name: str = "options.html", shown: str = "#form") -> None:
        self._cdp = cdp
        target = cdp.send("Target.createTarget", url=f"chrome-extension://{EXTENSION}/ui/{name}")["targetId"]
        self._target = target
        self._session = cdp.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        until(lambda: self.run(f"document.readyState === 'complete' && !!document.querySelector('{shown}')"))

    def run(self, expression: str) -> Any:
        return self._cdp.evaluate(self._session, expression)

    def enter(self, url: str, token: str) -> None:
        for field, value in (("url", url), ("token", token)):
            self.run(
                f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
                " field.dispatchEvent(new Event('input', { bubbles: true })); })()"
            )
        self.run("document.getElementById('save').click()")

    def press(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def error(self, field: str) -> str:
        return until(lambda: self.run(f"document.getElementById('{field}-error').textContent"))

    @property
    def text(self) -> str:
        return self.run("document.body?.innerText ?? ''")

    def shows(self, words: str, seconds: float = SLOW_S) -> None:
        until(lambda: words in self.text, seconds)

    def close(self) -> None:
        self._cdp.send("Target.closeTarget", targetId=self._target)
