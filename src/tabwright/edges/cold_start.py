"""Where no gateway runs yet: the pump starts one and serves its client as well as can be until it is there."""

import os
import time
from _socket import SHUT_WR, socket
from _thread import allocate_lock, start_new_thread
from typing import Final

from tabwright.edges.early_answers import EarlyAnswers, Memory
from tabwright.edges.gateway_start import NotStarted, start_and_connect
from tabwright.edges.stdio_pump import CHUNK, DRAIN_S, SESSION_OPTIONS, fail, greeting, write

BACKLOG: Final = 1 << 20
"""How much is read of a client while there is no gateway to give it to."""


def start(home: str, options: dict[str, str], done: list[bool]) -> tuple[socket, EarlyAnswers]:
    """The new gateway's socket, what the client sent so far given to it; and what stands between the two for now."""
    early = EarlyAnswers(Memory(home, options))
    way = _WayIn(early)
    start_new_thread(_feed, (way, done))
    gateway = _connect(home, options)
    gateway.sendall(greeting(options).encode())
    way.open(gateway)
    return gateway, early


class _WayIn:
    """To the gateway: what is sent before it is there waits."""

    def __init__(self, early: EarlyAnswers) -> None:
        self.early = early
        self._gateway: socket | None = None
        self._waiting = b""
        self._ended = False
        self._lock = allocate_lock()

    def open(self, gateway: socket) -> None:
        with self._lock:
            gateway.sendall(self._waiting)
            self._waiting = b""
            self._gateway = gateway
            if self._ended:
                gateway.shutdown(SHUT_WR)

    def send(self, data: bytes) -> None:
        while len(self._waiting) > BACKLOG and self._gateway is None:
            time.sleep(0.01)
        with self._lock:
            known = self.early.heard(data, alone=self._gateway is None)
            if self._gateway is None:
                self._waiting += data
                write(known)
                return
        self._gateway.sendall(data)

    def end(self) -> None:
        """The client sends no more. Returns when the gateway knows; if none comes, the process ends meanwhile."""
        with self._lock:
            self._ended = True
            if self._gateway is not None:
                self._gateway.shutdown(SHUT_WR)
        while self._gateway is None:
            time.sleep(0.01)


def _feed(way: _WayIn, done: list[bool]) -> None:
    try:
        while data := os.read(0, CHUNK):
            way.send(data)
        done.append(True)
        way.end()
    except OSError:
        return
    if way.early.owing:
        time.sleep(DRAIN_S)
    os._exit(0)


def _connect(home: str, options: dict[str, str]) -> socket:
    try:
        return start_and_connect(home, {name: value for name, value in options.items() if name not in SESSION_OPTIONS})
    except NotStarted as exc:
        fail(str(exc))
