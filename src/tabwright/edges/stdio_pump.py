"""stdio to the gateway, byte for byte: what an MCP client starts.

Lifecycle: connect to the gateway's Unix socket (starting the gateway first if there is none, and telling the client
meanwhile what is known) -> one line of our own each way -> bytes both ways until stdin ends (exit 0) or the gateway
does (exit 4). Cold start is a headline figure, so nothing heavy is imported here: no json, no asyncio, no argument
parser on the fast path, and of `socket` its C half.
"""

from __future__ import annotations

import os
import sys
import time
from _json import encode_basestring_ascii as quote
from _socket import SHUT_WR
from _thread import start_new_thread

from tabwright import __version__
from tabwright.edges.local_socket import connect
from tabwright.home import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import Final, NoReturn

    from tabwright.edges.early_answers import EarlyAnswers

GATEWAY_LOST: Final = 4
INTERRUPTED: Final = 130
DRAIN_S: Final = 0.9
"""After stdin ended: how long answers still under way may take to come out."""
CHUNK: Final = 65536
SESSION_OPTIONS: Final = (
    "toolsets",
    "list",
    "activate-on-focus",
    "follow-active-tab",
    "close-group-on-end",
    "upload-dirs",
    "output-dir",
)


def pump(options: dict[str, str]) -> NoReturn:
    """Serve this process's stdio until one side ends. `options` are flags as given, without their dashes."""
    _occupy_standard_descriptors()
    try:
        _pump(options)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except OSError as exc:
        fail(f"{exc.filename or 'stdio'}: {exc.strerror}")


def _pump(options: dict[str, str]) -> NoReturn:
    home = home_folder()
    done: list[bool] = []
    early: EarlyAnswers | None = None
    gateway = connect(home)
    if gateway is not None:
        gateway.sendall(greeting(options).encode())
        start_new_thread(_feed, (gateway, done))
    else:
        from tabwright.edges.cold_start import start

        gateway, early = start(home, options, done)
    answer, rest = _first_line(gateway)
    _check(answer)
    _drain(gateway, rest, done, early)
    os._exit(0)


def _occupy_standard_descriptors() -> None:
    """Where stdin, stdout or stderr is closed, our socket would take its number and be taken for it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # the lowest free number, which is this one
            os.open(os.devnull, os.O_RDWR)


def greeting(options: dict[str, str]) -> str:
    session = {name: value for name, value in options.items() if name in SESSION_OPTIONS}
    gateway = {name: value for name, value in options.items() if name not in SESSION_OPTIONS}
    for name, value in os.environ.items():
        if name.startswith("TABWRIGHT_"):
            option = name[10:].lower().replace("_", "-")
            (session if option in SESSION_OPTIONS else gateway).setdefault(option, value)
    # secrets stay where they are: the gateway that runs has its own
    gateway.pop("auth-token", None)
    try:
        cwd = quote(os.getcwd())
    except FileNotFoundError:
        cwd = '""'
    return (
        f'{{"tabwright":1,"version":"{__version__}","pid":{os.getpid()},"cwd":{cwd},'
        f'"options":{_object(session)},"gateway":{_object(gateway)}}}\n'
    )


def _object(values: dict[str, str]) -> str:
    return "{" + ",".join(f"{quote(name)}:{quote(value)}" for name, value in values.items()) + "}"


def _feed(gateway: socket, done: list[bool]) -> None:
    """stdin to the gateway, in a thread of its own: a full pipe one way never blocks the other."""
    try:
        while data := os.read(0, CHUNK):
            gateway.sendall(data)
        done.append(True)
        gateway.shutdown(SHUT_WR)
    except OSError:
        # the gateway is gone; the main thread sees that too and says so
        return
    time.sleep(DRAIN_S)
    os._exit(0)


def _first_line(gateway: socket) -> tuple[bytes, bytes]:
    received = b""
    while b"\n" not in received:
        data = gateway.recv(CHUNK)
        if not data:
            fail("the gateway closed the connection at once; run `tabwright doctor`", GATEWAY_LOST)
        received += data
    line, _, rest = received.partition(b"\n")
    return line, rest


def _check(answer: bytes) -> None:
    if answer.startswith(b'{"ok":true') and b'"notice"' not in answer:
        return
    import json

    told = json.loads(answer)
    if not told.get("ok"):
        fail(f"{told.get('error', 'refused')} {told.get('next', '')}".strip(), told.get("exit", 1))
    print(f"tabwright: {told['notice']}", file=sys.stderr)  # noqa: T201 - stderr is ours, stdout is the protocol's


def _drain(gateway: socket, rest: bytes, done: list[bool], early: EarlyAnswers | None) -> None:
    data = rest
    try:
        while True:
            write(data if early is None or early.over else early.came(data))
            data = gateway.recv(CHUNK)
            if not data:
                break
    except BrokenPipeError:
        # the client stopped reading: it is gone
        os._exit(0)
    except OSError:
        pass
    if not done:
        fail("the gateway ended; start the client's server again to get a new one", GATEWAY_LOST)


def write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def fail(reason: str, code: int = 1) -> NoReturn:
    sys.stderr.write(f"tabwright: {reason}\n")
    sys.stderr.flush()
    os._exit(code)
