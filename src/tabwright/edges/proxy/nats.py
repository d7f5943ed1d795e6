"""The connection to NATS: nats-py for all but the path that every call takes, which is short and never waits.

nats-py connects, authenticates, pings, reconnects and speaks to JetStream. What is published here goes straight to the
transport, once for each turn of the event loop, and never into a queue that would send it later, after a reconnect:
a call that was given up must not happen then. What arrives for `listen` is handed on as it is parsed, without a task
or a queue for each subscription, of which there is one for every extension.

Leans on parts of nats-py that are private to its minor version, which the requirements pin.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from nats.aio.client import Client

from tabwright.edges.proxy.credentials import Credentials
from tabwright.edges.proxy.nats_stream import DirectTransport, WireParser
from tabwright.proxy.cluster_wire import INBOXES

log = logging.getLogger(__name__)

PING_S: Final = 1
PINGS_LOST: Final = 3
"""A broker that hangs is noticed within four seconds."""
RECONNECT_S: Final = 0.2
CONNECT_S: Final = 2
LINGER_S: Final = 5.0
CATCH_UP_S: Final = 1.0
MAX_WAITING: Final = 64 << 20
"""What may wait to be written before the broker counts as gone."""

Handler = Callable[[str, str, bytes | None], None]
"""Subject, reply, data; None: nobody listens where we published."""


class Interest:
    """A subscription as nats-py replays it after a reconnect, without its queue."""

    __slots__ = ("_received", "_subject")
    _queue = ""
    _max_msgs = 0
    _jsi = _wait_for_msgs_task = _message_iterator = _pending_next_msgs_calls = None

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._received = 0


class NatsWire(Client):
    """One replica's connection."""

    def __init__(self, handler: Handler, before_write: Callable[[], None]) -> None:
        super().__init__()
        self._handler = handler
        self._before_write = before_write
        # asking for the running loop is a system call, and this is for every message
        self._soon = asyncio.get_running_loop().call_soon
        self._interests: dict[str, int] = {}
        self.ours: set[bytes] = set()
        """Subscriptions whose messages are handed on here, by number as the broker writes it."""
        self._unwritten: list[bytes] = []
        self._told = False
        """Whether it was said that this connection is up."""
        self._ps: Any = WireParser(self)

    async def open(
        self,
        servers: Sequence[str],
        *,
        name: str,
        up: Callable[[], None],
        down: Callable[[], None],
        wrong: Callable[[Exception], None],
        credentials: Credentials,
    ) -> None:
        """Connect, however long that takes; back when nats-py has given up for good, as after a change of password."""
        self._credentials = credentials
        self._up = up
        closed = asyncio.Event()

        async def went_up() -> None:
            self._is_there()

        async def went_down() -> None:
            self._unwritten.clear()
            down()

        async def went_wrong(exc: Exception) -> None:
            wrong(exc)

        async def was_closed() -> None:
            closed.set()

        self._server_pool = []
        self._status = Client.DISCONNECTED
        connect: Any = self.connect  # fractions of a second are fine, whatever its annotations say
        await connect(
            list(servers),
            name=name,
            reconnected_cb=went_up,
            disconnected_cb=went_down,
            error_cb=went_wrong,
            closed_cb=was_closed,
            reconnect_time_wait=RECONNECT_S,
            connect_timeout=CONNECT_S,
            max_reconnect_attempts=-1,
            ping_interval=PING_S,
            max_outstanding_pings=PINGS_LOST,
            allow_reconnect=True,
            # what nats-py itself would keep for later is JetStream's: told again anyway
            pending_size=1 << 20,
            inbox_prefix=INBOXES,
            tls=credentials.tls,
            **credentials.shown,
        )
        # after a reconnect nats-py says these again itself; one that is said twice counts once
        for subject, sid in self._interests.items():
            self._subs[sid] = Interest(subject)  # type: ignore[assignment]
            self._put(b"SUB %b  %d\r\n" % (subject.encode(), sid))
        self._is_there()
        await closed.wait()

    def _is_there(self) -> None:
        if not self._told:
            self._told = True
            self._up()

    # --- the short path

    def send(self, subject: str, data: bytes, reply: str = "") -> bool:
        """Publish now or not at all: whether it was."""
        if self._status != Client.CONNECTED or len(data) > self._max_payload:
            return False
        unwritten = self._unwritten
        if not unwritten:
            self._soon(self._write)
        unwritten += (f"PUB {subject} {reply} {len(data)}\r\n".encode(), data, b"\r\n")
        return True

    def listen(self, subject: str) -> None:
        self._sid += 1
        self._interests[subject] = self._sid
        self.ours.add(b"%d" % self._sid)
        self._subs[self._sid] = Interest(subject)  # type: ignore[assignment]
        if self.is_connected:
            self._put(b"SUB %b  %d\r\n" % (subject.encode(), self._sid))

    def unlisten(self, subject: str) -> None:
        sid = self._interests.pop(subject, None)
        if sid is None:
            return
        self._subs.pop(sid, None)
        # what was on its way is still answered: that it came too late
        asyncio.get_running_loop().call_later(LINGER_S, self.ours.discard, b"%d" % sid)
        if self.is_connected:
            self._put(b"UNSUB %d \r\n" % sid)

    def _put(self, command: bytes) -> None:
        if not self._unwritten:
            self._soon(self._write)
        self._unwritten.append(command)

    def wake(self) -> None:
        """There is something to settle at the end of this turn, whether or not something is to be written."""
        if not self._unwritten:
            self._soon(self._write)

    def _write(self) -> None:
        self._before_write()
        commands, self._unwritten = self._unwritten, []
        if not commands or not self.is_connected or self._transport is None:
            return
        self._transport.write(b"".join(commands))
        writer = self._stream
        if writer is not None and writer.get_write_buffer_size() > MAX_WAITING:
            writer.abort()

    def deliver(self, subject: bytes, reply: bytes, data: bytes | None) -> None:
        if not self._told:
            # after a reconnect nats-py says so a while after the first messages can come: not before we may answer
            if self._status != Client.CONNECTED:
                return
            self._is_there()
        try:
            self._handler(subject.decode(), reply.decode(), data)
        except Exception:
            # nats-py would stop reading for good
            log.exception("a message of the broker could not be handled")

    # --- from nats-py

    def _connect_command(self) -> bytes:
        shown = self._credentials.shown
        self.options.update({name: shown.get(name) for name in ("user", "password", "token")})
        self._user_credentials = shown.get("user_credentials")
        self._nkeys_seed_str = shown.get("nkeys_seed_str")
        self._signature_cb = self._user_jwt_cb = None
        if self._user_credentials is not None or self._nkeys_seed_str is not None:
            self._setup_nkeys_connect()
        return super()._connect_command()

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None) -> None:
        if b"%d" % sid not in self.ours:
            await super()._process_msg(sid, subject, reply, data, headers or b"")
            return
        nobody = headers is not None and headers.startswith(b"NATS/1.0 503")
        self.deliver(subject, reply, None if nobody else data)

    async def _connect_to_server(self, s: Any) -> None:
        # whatever is left of another connection is not this one's
        self._told = False
        self._transport = DirectTransport(self._ps)
        await super()._connect_to_server(s)

    async def _attempt_reconnect(self) -> None:
        # a broker that hangs never takes what waits to be written, and closing would wait for that
        if self._stream is not None:
            self._stream.abort()
        await super()._attempt_reconnect()

    async def catch_up(self) -> None:
        """The broker has all that we said, and we have answered all that it had for us before."""
        if not self.is_connected:
            return
        with suppress(Exception):
            async with asyncio.timeout(CATCH_UP_S):
                # nats-py writes its question past what is not written yet
                self._write()
                await self.flush()
                self._write()

    async def leave(self) -> None:
        """When the broker has what is left, go."""
        await self.catch_up()
        with suppress(Exception):
            async with asyncio.timeout(CATCH_UP_S):
                await self.close()

    @property
    def _stream(self) -> asyncio.WriteTransport | None:
        writer = getattr(self._transport, "_io_writer", None)
        return None if writer is None else writer.transport
