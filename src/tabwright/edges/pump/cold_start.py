"""Where no gateway runs yet: the pump starts one and serves its client as well as can be until it is there.

What that takes (JSON, processes, what was answered before) would stay in memory for as long as the client does. So once
the client's first requests are answered, the pump executes itself again and only the connection remains.
"""

import os
import sys
import time
from _socket import SHUT_WR, socket, socketpair
from _thread import allocate_lock, start_new_thread
from collections.abc import Iterator
from select import select
from typing import Final, NoReturn

from tabwright.edges.pump.early_answers import EarlyAnswers, Memory
from tabwright.edges.pump.gateway_start import NotStarted, start_and_connect
from tabwright.edges.pump.stdio_pump import (
    CHUNK,
    CONNECTED,
    DRAIN_S,
    SESSION_OPTIONS,
    drain,
    fail,
    first_words_of,
    go_on,
    greeting,
    write,
)

BACKLOG: Final = 1 << 20
"""How much is read of a client while there is no gateway to give it to."""


def start(home: str, options: dict[str, str]) -> NoReturn:
    """Serve the client: what is known already, then what the new gateway answers, then as ever."""
    done: list[bool] = []
    early = EarlyAnswers(Memory(home, options))
    way = _WayIn(early)
    start_new_thread(_feed, (way, done))
    gateway = _connect(home, options)
    gateway.sendall(greeting(options).encode())
    way.open(gateway)
    drain(_news(gateway, first_words_of(gateway), early, way), done)


def _news(gateway: socket, rest: bytes, early: EarlyAnswers, way: "_WayIn") -> Iterator[bytes]:
    yield early.came(rest)
    while not early.over:
        data = gateway.recv(CHUNK)
        if not data:
            return
        yield early.came(data)
    way.ask_to_leave()
    # the reader of the client may be busy, and must not find us asleep: both ways go on until it has left
    while way not in select((gateway, way), (), ())[0]:
        data = gateway.recv(CHUNK)
        if not data:
            return
        yield data
    _become_small(gateway)


def _become_small(gateway: socket) -> NoReturn:
    """The same command line, process and connection, without what was needed only to get here."""
    os.set_inheritable(gateway.fileno(), True)
    os.environ[CONNECTED] = str(gateway.fileno())
    try:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    except OSError:
        # its files were replaced just now; large is better than gone
        go_on(gateway)


class _WayIn:
    """To the gateway: what is sent before it is there waits.

    Its reader is a thread of its own, which leaves when it is asked to, with nothing in hand.
    """

    def __init__(self, early: EarlyAnswers) -> None:
        self.early = early
        self._gateway: socket | None = None
        self._waiting = b""
        self._ended = False
        self._lock = allocate_lock()
        self._asking, self._leaving = socketpair()

    def fileno(self) -> int:
        """Readable when the reader has left."""
        return self._asking.fileno()

    def ask_to_leave(self) -> None:
        self._asking.send(b".")

    def leave(self) -> None:
        self._leaving.send(b".")

    def read(self) -> bytes | None:
        """From the client: nothing at its end, None when the reader is to leave."""
        ready, _, _ = select((0, self._leaving), (), ())
        return None if self._leaving in ready else os.read(0, CHUNK)

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
        while data := way.read():
            way.send(data)
        if data is None:
            way.leave()
            return
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
