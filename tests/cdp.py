"""What a person or a fault does to the browser, done over its debugging port: typing, stopping workers, crashes."""

import itertools
import json
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from websockets.sync.client import connect

from tests.gateway import until

GONE: Final = -32001
"""What Chrome says of a session whose target is no more."""


class Gone(AssertionError):
    """It went before it was asked: nothing was done."""


class Cdp:
    """A DevTools connection to a whole browser."""

    def __init__(self, profile: Path) -> None:
        told = until(lambda: _read(profile / "DevToolsActivePort"))
        port, path = told.split()[:2]
        self.address = f"ws://127.0.0.1:{port}{path}"
        self._closing = ExitStack()
        self._socket = self._closing.enter_context(connect(self.address, max_size=None, compression=None))
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        sent = next(self._ids)
        message = {"id": sent, "method": method, "params": params, **({"sessionId": session} if session else {})}
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=10))
            if answer.get("id") == sent:
                if "error" in answer:
                    kind = Gone if answer["error"].get("code") == GONE else AssertionError
                    raise kind(f"{method}: {answer['error']}")
                return answer["result"]

    def targets(self, kind: str = "page", containing: str = "") -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.send("Target.getTargets", filter=[{}])["targetInfos"]
        return [target for target in listed if target["type"] == kind and containing in target["url"]]

    def attach(self, target: dict[str, Any]) -> str:
        return self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def evaluate(self, session: str, expression: str, world: int | None = None) -> Any:
        where = {} if world is None else {"contextId": world}
        told = self.send(
            "Runtime.evaluate", session, expression=expression, returnByValue=True, awaitPromise=True, **where
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def isolated_world(self, session: str) -> int:
        """The world that our extension has in the main frame of a page."""
        self.send("Runtime.disable", session)
        sent = next(self._ids)
        self._socket.send(json.dumps({"id": sent, "method": "Runtime.enable", "sessionId": session}))
        worlds: list[int] = []
        while (heard := json.loads(self._socket.recv(timeout=10))).get("id") != sent:
            context = heard.get("params", {}).get("context", {})
            if str(context.get("origin", "")).startswith("chrome-extension://"):
                worlds.append(context["id"])
        return worlds[0]

    def in_page(self, containing: str, expression: str, kind: str = "page") -> Any:
        """Evaluate in the one page whose URL contains this, or in a frame with a process of its own (`iframe`)."""
        return self._evaluated(until(lambda: self.targets(kind, containing))[0], expression)

    def in_extension(self, extension_id: str, expression: str) -> Any:
        """Evaluate in a page of the extension, whichever is there; in another one if it is just being closed."""
        try:
            return self._evaluated(self._extension_page(extension_id), expression)
        except Gone:
            return self._evaluated(self._extension_page(extension_id), expression)

    def _evaluated(self, target: dict[str, Any], expression: str) -> Any:
        session = self.attach(target)
        told = self.evaluate(session, expression)
        self.send("Target.detachFromTarget", sessionId=session)
        return told

    def crash(self, containing: str) -> None:
        """Crash the renderer of a page, and wait until it has: whoever hangs up before may be too quick for it."""
        session = self.attach(until(lambda: self.targets("page", containing))[0])
        self.send("Inspector.enable", session)
        # the answer never comes: whoever would give it is gone
        self._socket.send(json.dumps({"id": next(self._ids), "method": "Page.crash", "sessionId": session}))
        while json.loads(self._socket.recv(timeout=10)).get("method") != "Inspector.targetCrashed":
            pass

    def stop_workers(self, extension_id: str) -> None:
        """Stop the extension's service worker as Chrome does."""
        session = self.attach(self._extension_page(extension_id))
        self.send("ServiceWorker.enable", session)
        self.send("ServiceWorker.stopAllWorkers", session)
        self.send("Target.detachFromTarget", sessionId=session)

    def _extension_page(self, extension_id: str) -> dict[str, Any]:
        origin = f"chrome-extension://{extension_id}/"
        return next(
            target
            for kind in ("page", "background_page", "other", "tab", "offscreen_document")
            for target in self.targets(kind, origin)
            if kind != "tab"
        )


def _read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
