"""stdio to the gateway, byte for byte: what an MCP client starts.

Lifecycle: connect to the gateway's Unix socket -> one line of our own each way -> bytes both ways until stdin ends
(exit 0) or the gateway does (exit 4). Where no gateway runs, `cold_start` does the first two; then it executes this
program again, with the connection, so that a pump is as small in the end as if there had been one.

Cold start is a headline figure, so nothing heavy is imported here: no json, no asyncio, no argument parser on the fast
path, and of `socket` its C half.
"""

from __future__ import annotations

import os
import sys
import time
from _json import encode_basestring_ascii as quote
from _socket import SHUT_WR, socket
from _thread import start_new_thread

from tabwright import __version__
from tabwright.edges.pump.local_socket import connect
from tabwright.home import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final, NoReturn

GATEWAY_LOST: Final = 4
INTERRUPTED: Final = 130
DRAIN_S: Final = 0.9
"""After stdin ended: how long answers still under way may take to come out."""
GREETED_S: Final = 15.0
"""A gateway that says nothing for so long stands still."""
CHUNK: Final = 65536
PIPE_BYTES: Final = 4 * CHUNK
"""Enough for most pictures; a user's pipes share some ten megabytes."""
CONNECTED: Final = "TABWRIGHT_CONNECTED"
"""A variable: the descriptor of the gateway's socket, where the greetings were exchanged already."""
SESSION_OPTIONS: Final = (
    "toolsets",
    "list",
    "activate-on-focus",
    "follow-active-tab",
    "close-group-on-end",
    "upload-dirs",
    "output-dir",
    "session",
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
    connected = os.environ.get(CONNECTED)
    if connected is not None:
        go_on(socket(fileno=int(connected)))
    home = home_folder()
    gateway = connect(home)
    if gateway is None:
        from tabwright.edges.pump.cold_start import start

        start(home, options)
    gateway.sendall(greeting(options).encode())
    done: list[bool] = []
    start_new_thread(_feed, (gateway, done))
    drain(_received(gateway, first_words_of(gateway)), done)


def go_on(gateway: socket) -> NoReturn:
    """Bytes both ways, with a gateway that knows us."""
    done: list[bool] = []
    start_new_thread(_feed, (gateway, done))
    drain(_received(gateway, b""), done)


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


def first_words_of(gateway: socket, within_s: float = GREETED_S) -> bytes:
    """Hears whether we are welcome. What came behind that is for the client."""
    received = b""
    gateway.settimeout(within_s)
    try:
        while b"\n" not in received:
            data = gateway.recv(CHUNK)
            if not data:
                fail("the gateway closed the connection at once; run `tabwright doctor`", GATEWAY_LOST)
            received += data
    except TimeoutError:
        fail("the gateway does not answer; run `tabwright stop`, then start the client's server again", GATEWAY_LOST)
    gateway.settimeout(None)
    line, _, rest = received.partition(b"\n")
    _check(line)
    return rest


def _check(answer: bytes) -> None:
    if answer.startswith(b'{"ok":true') and b'"notice"' not in answer:
        return
    import json

    told = json.loads(answer)
    if not told.get("ok"):
        fail(f"{told.get('error', 'refused')} {told.get('next', '')}".strip(), told.get("exit", 1))
    print(f"tabwright: {told['notice']}", file=sys.stderr)  # noqa: T201 - stderr is ours, stdout is the protocol's


def _received(gateway: socket, rest: bytes) -> Iterator[bytes]:
    yield rest
    is_wide = False
    while data := gateway.recv(CHUNK):
        if len(data) == CHUNK and not is_wide:
            _widen_stdout()
            is_wide = True
        yield data


def _widen_stdout() -> None:
    """A pipe holds 64 KB: for a picture the client had to be waited for again and again."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        fcntl(1, F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, OSError):
        # another system, no pipe, or no room for a larger one
        return


def drain(news: Iterator[bytes], done: list[bool]) -> NoReturn:
    """To the client, until there is no more. `done`: it is the client that ended it."""
    try:
        for data in news:
            write(data)
    except BrokenPipeError:
        # the client stopped reading: it is gone
        os._exit(0)
    except OSError:
        pass
    if not done:
        fail("the gateway ended; start the client's server again to get a new one", GATEWAY_LOST)
    os._exit(0)


def write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def fail(reason: str, code: int = 1) -> NoReturn:
    sys.stderr.write(f"tabwright: {reason}\n")
    sys.stderr.flush()
    os._exit(code)
