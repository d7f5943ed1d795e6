"""A server at work: its processes from start to end, and a log of what a model would have paid for."""

import itertools
import json
import os
import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bench.driver import Answer, Command, Driver
from bench.processes import Memory, marked, memory
from bench.servers import Adapter, Call

MARK: Final = "BENCH_SERVER"
"""A variable that every process of a server inherits, so that all of them are found again."""
ENDING_S: Final = 10.0
_numbers = itertools.count(1)


class Session:
    """One server, initialized. `spoken` holds the words of each call: its name, its arguments, its answer."""

    def __init__(self, adapter: Adapter, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.adapter = adapter
        self.folder = folder
        self.mark = f"{MARK}={os.getpid()}-{next(_numbers)}"
        self.spoken: list[str] = []
        started = adapter.command(folder)
        name, _, value = self.mark.partition("=")
        self.driver = Driver(Command(started.line, {**started.variables, name: value}, started.folder))
        try:
            self.driver.initialize()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def do(self, call: Call) -> Answer:
        tool, arguments = call
        answer = self.driver.call(tool, arguments)
        self.spoken += [tool, json.dumps(arguments, ensure_ascii=False), answer.text]
        return answer

    def call(self, tool: str, /, **arguments: Any) -> str:
        return self.do((tool, arguments)).text

    def memory(self) -> Memory:
        return memory(self.mark)

    def close(self) -> None:
        """End the server and whatever of it stayed: daemons, gateways, browsers."""
        self.driver.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in marked(self.mark):
                os.kill(pid, number)
            deadline = time.monotonic() + ENDING_S
            while any(marked(self.mark)) and time.monotonic() < deadline:
                time.sleep(0.02)
