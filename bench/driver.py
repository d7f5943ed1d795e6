"""The one client that drives every server: raw JSON-RPC lines over stdio, so that its own cost is small and the same.

It owns a server's process. What is asked and answered is left to `servers`.
"""

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ANSWER_S: Final = 60.0
ENDING_S: Final = 10.0
CLIENT: Final = {"name": "bench", "version": "1"}


class NoAnswer(Exception):
    """A server ended or kept silent."""


class CallFailed(Exception):
    """A tool answered that it failed."""


@dataclass(frozen=True)
class Answer:
    """What a model would get of a call: the text, and how many pictures."""

    text: str
    pictures: int
    seconds: float


@dataclass(frozen=True)
class Command:
    """How a server is started."""

    line: tuple[str, ...]
    variables: Mapping[str, str]
    folder: Path


class Driver:
    """A server of its own process, and one request at a time."""

    def __init__(self, command: Command) -> None:
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command.line,
            cwd=command.folder,
            env={**os.environ, **command.variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        self._ids = itertools.count(1)
        self._read = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    def initialize(self) -> dict[str, Any]:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
        told = self.request("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return told

    def tools(self) -> list[dict[str, Any]]:
        """Every page of the list."""
        told = self.request("tools/list", {})
        listed = list(told["tools"])
        while cursor := told.get("nextCursor"):
            told = self.request("tools/list", {"cursor": cursor})
            listed += told["tools"]
        return listed

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Run a tool.

        Raises:
            CallFailed: it says that it failed.
        """
        began = time.perf_counter()
        result = self.request("tools/call", {"name": tool, "arguments": dict(arguments)})
        seconds = time.perf_counter() - began
        parts = result.get("content", [])
        text = "\n".join(part["text"] for part in parts if part["type"] == "text")
        if result.get("isError"):
            raise CallFailed(f"{tool}: {text[:500]}")
        return Answer(text, sum(part["type"] == "image" for part in parts), seconds)

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        deadline = time.monotonic() + ANSWER_S
        while True:
            message = json.loads(self._line(deadline))
            if "method" in message:
                self._refuse(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise CallFailed(f"{method}: {message['error']}")
                return message["result"]

    def _refuse(self, message: Mapping[str, Any]) -> None:
        """Of what servers ask of clients this one can only be pinged; notices are let go."""
        if "id" in message:
            refusal = {"error": {"code": -32601, "message": "not offered"}}
            self._send(
                {"jsonrpc": "2.0", "id": message["id"]} | ({"result": {}} if message["method"] == "ping" else refusal)
            )

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        line = memoryview(json.dumps(message).encode() + b"\n")
        while line:
            line = line[self._process.stdin.write(line) :]

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        pieces = [self._read]
        while b"\n" not in pieces[-1]:
            ready = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]
            piece = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            if not piece:
                raise NoAnswer("the server ended" if ready else f"no answer within {ANSWER_S:g} s")
            pieces.append(piece)
        line, _, self._read = b"".join(pieces).partition(b"\n")
        return line

    def close(self) -> None:
        """Close its input and wait; a server that stays is ended with its process group."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(ENDING_S)
        self._process.stdout.close()
