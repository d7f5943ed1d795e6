"""A browser process with everything that hangs on it: its debugging pipe, its stderr, its children.

Owns spawning, signalling and reaping. What is said over the pipe is left to `chrome`.

1. `start` spawns the browser as leader of its own process group, with the debugging pipe on descriptors 3 and 4.
2. A thread waits for its end, however that comes.
3. Its children get a moment to leave and are killed otherwise; then `ended` resolves with the exit status.

If this process dies instead, the pipe closes with it and the browser ends by itself.
"""

import asyncio
import logging
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Self

from tabwright.edges.chrome.pipe import CdpPipe

log = logging.getLogger(__name__)

STDERR_LINES: Final = 50
STDERR_LINE_LENGTH: Final = 1000
# Children flush cookies and caches after the browser process itself has gone.
CHILDREN_LEAVE_S: Final = 1.0
# "[pid:tid:date/time:LEVEL:source.cc:line] " before the words that matter
_LOG_PREFIX: Final = re.compile(r"^\[[^\]]*\] ")
# A machine without a desktop has no message bus; every browser complains about it and none needs it.
_NOISE: Final = "dbus/"

_Open = tuple[int, int, str, int, int]


class StderrTail(asyncio.Protocol):
    """The last lines a browser wrote to its stderr.

    `closed` is called at its end: every descendant inherits it, even those that leave the process group as crash
    handlers do, so that is when the last of them has gone. Process tables would show orphaned zombies as well.
    """

    def __init__(self, closed: Callable[[], None]) -> None:
        self.lines: deque[str] = deque(maxlen=STDERR_LINES)
        self._begun = b""
        self._closed = closed

    def data_received(self, data: bytes) -> None:
        *complete, rest = (self._begun + data).split(b"\n")
        self._begun = rest[:STDERR_LINE_LENGTH]
        for line in complete:
            self._add(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self._add(self._begun)
        self._closed()

    def last_words(self) -> str:
        """The last line that tells something, without its log prefix; empty if there is none."""
        telling = [line for line in self.lines if _NOISE not in line]
        return _LOG_PREFIX.sub("", (telling or self.lines)[-1]) if self.lines else ""

    def _add(self, line: bytes) -> None:
        if text := line[:STDERR_LINE_LENGTH].decode(errors="replace").strip():
            self.lines.append(text)
            log.debug("browser: %s", text)


class BrowserProcess:
    """A spawned browser. Made by `start`."""

    def __init__(self, pid: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._status: int | None = None
        self._childless = False
        self.pid: Final = pid
        self.stderr: Final = StderrTail(self._children_left)
        self.ended: Final[asyncio.Future[int]] = self._loop.create_future()
        self.pipe: CdpPipe

    @classmethod
    async def start(cls, argv: list[str], environ: Mapping[str, str]) -> Self:
        """Spawn the browser.

        Raises:
            OSError: the executable cannot be run.
        """
        pid, answers, commands, errors = _spawn(argv, environ)
        process = cls(pid)
        threading.Thread(target=process._reap, name=f"browser-{pid}", daemon=True).start()
        stderr = os.fdopen(errors, "rb", buffering=0)
        try:
            process.pipe = await CdpPipe.open(answers, commands)
            transport, _ = await process._loop.connect_read_pipe(lambda: process.stderr, stderr)
        except BaseException:
            process.signal(signal.SIGKILL)
            stderr.close()
            raise
        process.ended.add_done_callback(lambda _: (transport.close(), process.pipe.close()))
        return process

    def signal(self, number: signal.Signals) -> None:
        """Signal the browser and the children of its process group; nothing happens if all are gone."""
        if not self.ended.done():
            with suppress(ProcessLookupError, PermissionError):  # macOS: "not permitted" of a group of mere zombies
                os.killpg(self.pid, number)

    async def ends_within(self, seconds: float) -> bool:
        """Wait for the end, at most so long; whether it came."""
        await asyncio.wait((self.ended,), timeout=seconds)
        return self.ended.done()

    def _reap(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._exited, os.waitstatus_to_exitcode(status))

    def _exited(self, status: int) -> None:
        self._status = status
        if self._childless:
            self._end()
        else:
            self._loop.call_later(CHILDREN_LEAVE_S, self._end)

    def _children_left(self) -> None:
        self._childless = True
        if self._status is not None:
            self._end()

    def _end(self) -> None:
        if not self._childless:
            self.signal(signal.SIGKILL)
        if self._status is not None and not self.ended.done():
            self.ended.set_result(self._status)


def _spawn(argv: list[str], environ: Mapping[str, str]) -> tuple[int, int, int, int]:
    """Start argv; return its process id, and our ends of its answers, commands and stderr."""
    # The browser wants its pipe on descriptors 3 and 4. `preexec_fn` would run Python between fork and exec, which
    # can deadlock in a process with threads, and `pass_fds` keeps the numbers as they are; posix_spawn renumbers in C.
    # Our own ends, like all that Python opens, are closed on exec: no child keeps the pipe open after us.
    opened: list[int] = []
    try:
        for _ in range(3):
            opened += os.pipe()
        their_commands, commands, answers, their_answers, errors, their_errors = opened
        pid = os.posix_spawn(
            argv[0],
            argv,
            environ,
            file_actions=_file_actions({their_commands: 3, their_answers: 4, their_errors: 2}, _inheritable()),
            setpgroup=0,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores them, and ignoring is inherited
            setsigmask=(),
        )
    except BaseException:
        for fd in opened:
            os.close(fd)
        raise
    for fd in (their_commands, their_answers, their_errors):
        os.close(fd)
    return pid, answers, commands, errors


def _file_actions(wanted: Mapping[int, int], inheritable: list[int]) -> list[tuple[int, ...] | _Open]:
    """What the child does to its descriptors: each key becomes its value, and nothing else of ours stays open."""
    # By way of numbers above all others, or filling 3 could overwrite the very descriptor meant for 4.
    aside = max(*wanted, *inheritable, 2) + 1
    return [
        *((os.POSIX_SPAWN_DUP2, fd, aside + n) for n, fd in enumerate(wanted)),
        *((os.POSIX_SPAWN_CLOSE, fd) for fd in inheritable),
        *((os.POSIX_SPAWN_DUP2, aside + n, number) for n, number in enumerate(wanted.values())),
        *((os.POSIX_SPAWN_CLOSE, aside + n) for n in range(len(wanted))),
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]


def _inheritable() -> list[int]:
    """What we ourselves were started with, beyond the standard streams: others' files, not the browser's."""
    found: list[int] = []
    for fd in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):  # the listing's own descriptor is closed by now
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
    return found
