"""One WebSocket of the proxy, on `websockets`: whole text messages in, frames out.

The library does the handshake, the closing, and every frame that is not a plain masked text message of a fitting size;
those, nearly all there are, are taken out here (`frames`). Messages are handed on as they arrive, without a task
or a queue for each socket. What is said to a peer in one turn of the event loop is written at its end: one write for
each peer and all of them in a row, which costs less than to handle and to write by turns. What a slow reader makes us
keep is in the transport's buffer; while that is more than a little, nothing is read from the peer either: one that does
not listen cannot make us answer.

Nearly every message comes alone and whole on a socket that is open, known and at rest. That this is so is kept as one
flag (`_clear`), which every other path sets anew when it is done.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.protocol import OPEN, Event

from tabwright.edges.proxy.frames import Splitter, lone_text, text_frame
from tabwright.proxy.model import PeerId

MAX_FRAGMENTS: Final = 256
STRANGERS_MESSAGE_BYTES: Final = 10 * 1024
"""A token of 8 KiB and what is around it."""
STRANGERS_BYTES: Final = 128 * 1024
"""All that may come before a peer is known: its handshake, and what it sends without waiting for the answer."""
CLOSE_S: Final = 1.0
_PING: Final = b"\x89\x00"
_PONG: Final = b"\x8a\x80"
_PONG_BYTES: Final = 6
"""The answer to ours: empty, but for its mask."""
UNSUPPORTED, BAD_TEXT, TOO_BIG = 1003, 1007, 1009


class Arrivals(Protocol):
    """Who keeps count of sockets."""

    def accepted(self, socket: "PeerSocket") -> bool:
        """A socket is there: whether there is room for it."""
        ...

    def ended(self, socket: "PeerSocket") -> None: ...

    def caught_up(self, socket: "PeerSocket") -> None:
        """It has read nearly all that waited for it."""
        ...

    def flush(self) -> None:
        """Much may have been said to others: it is written now, not at the end of the turn."""
        ...


class PeerSocket(ServerConnection):
    """A socket from the moment it is accepted; `peer` is set once its handshake is done."""

    # what every message touches, close together; the rest is in the library's dictionary
    __slots__ = ("_clear", "_deliver", "_time", "_unwritten", "heard_at", "paused", "peer", "transport")
    transport: asyncio.Transport

    def __init__(self, arrivals: Arrivals, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arrivals = arrivals
        self.peer = PeerId(0)
        self.address = ""
        """Whose it is, for limits."""
        self._unproved_bytes: int | None = 0
        self.heard_at = self.loop.time()
        self.pinged_at: float | None = None
        self.fragment_since: float | None = None
        self.timed_out = False
        self._splitter = Splitter()
        self._fragments: list[bytes] = []
        self._deferred: list[bytes] | None = []
        """Messages that came while nobody may hear them: before the handler runs, and during a verification."""
        self._deliver: Deliver | None = None
        self._reading_held = False
        self.stopped = False
        """Not read for the time being, because somebody it speaks to cannot keep up."""
        self._clear = False
        self._unwritten: list[bytes] = []
        self._time = self.loop.time

    # --- for the server

    def start(self, peer: PeerId, deliver: "Deliver") -> None:
        """From now on messages go to `deliver`."""
        self.peer, self._deliver = peer, deliver
        self.release()

    def say(self, data: bytes) -> None:
        """Send a text message with the next `flush`."""
        if self._clear or self.protocol.state is OPEN:
            size = len(data)
            self._unwritten.append(b"\x81%c%b" % (size, data) if size < 126 else text_frame(data))

    def flush(self) -> tuple[int, int]:
        """Write what was said: how much that was, and what now waits, if that is more than a little."""
        unwritten = self._unwritten
        if not unwritten:
            return 0, 0
        data = unwritten[0] if len(unwritten) == 1 else b"".join(unwritten)
        unwritten.clear()
        self.transport.write(data)
        return len(data), self.transport.get_write_buffer_size() if self.paused else 0

    def send_data(self) -> None:
        # what the library says comes after what we have said
        self.flush()
        super().send_data()

    @property
    def waiting_bytes(self) -> int:
        return self.transport.get_write_buffer_size()

    def stop(self) -> None:
        """Read nothing until `go_on`."""
        self.stopped = True
        self._pause()

    def go_on(self) -> None:
        """Read again. What it could not send meanwhile is not held against it."""
        self.stopped, self.pinged_at = False, None
        self.heard_at = self._time()
        if self.fragment_since is not None:
            self.fragment_since = self.heard_at
        self._resume()

    def shut(self, code: int, reason: str) -> None:
        """Say goodbye, and leave soon whether or not the peer answers."""
        self._clear = False
        if self.protocol.state is OPEN:
            self.protocol.send_close(code, _shortened(reason))
            self.send_data()
        self.loop.call_later(CLOSE_S, self.transport.abort)

    def ping(self, *args: Any, **kwargs: Any) -> Any:
        """Ask for a sign of life; any counts."""
        self.pinged_at = self._time()
        if self.protocol.state is OPEN:
            self.flush()
            self.transport.write(_PING)

    def hold(self) -> None:
        """Deliver nothing until `release`."""
        if self._deferred is None:
            self._deferred = []
        self._clear = False
        self._reading_held = True
        self._pause()

    def release(self) -> None:
        """Deliver what has come meanwhile, and read on; unless what came asks for another hold."""
        waiting, self._deferred = self._deferred or [], None
        self._reading_held = False
        while waiting and self._deferred is None:
            self._hand_on(waiting.pop(0), self._time())
        if self._deferred is not None:
            self._deferred[:0] = waiting
        else:
            self._resume()
        self._look()

    def trust(self) -> None:
        """The peer has proved who it is: it may send more than a stranger."""
        self._unproved_bytes = None
        self._look()

    # --- from the library

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not self._arrivals.accepted(self):
            self.transport.abort()

    def eof_received(self) -> None:
        super().eof_received()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear = False
        self._unwritten.clear()
        super().connection_lost(exc)
        self._arrivals.ended(self)

    def process_event(self, event: Event) -> None:
        if self.request is None or not isinstance(event, Frame):
            super().process_event(event)
        elif event.opcode in DATA_OPCODES:
            self._receive(event)

    def data_received(self, data: bytes) -> None:
        now = self.heard_at = self._time()
        if self._clear and self._deliver:
            if (message := lone_text(data)) is not None:
                self._deliver(self, message, now)
                return
            if len(data) == _PONG_BYTES and data.startswith(_PONG):
                # that it came is all there is to it
                return
        # the library would take the limit of the next message before anybody could change it, so this one is ours
        if self._unproved_bytes is not None:
            self._unproved_bytes += len(data)
            if self._unproved_bytes > STRANGERS_BYTES:
                self._fail(TOO_BIG, "too much before authentication")
                return
        if self.request is None or self.protocol.state is not OPEN:
            super().data_received(self._splitter.rest() + data)
        else:
            self._split(data, now)
            self._arrivals.flush()
        self._look()

    def _look(self) -> None:
        """Whether the next message, if it comes alone and whole, may go straight on."""
        self._clear = (
            self._deferred is None
            and self._unproved_bytes is None
            and not self._splitter.waiting
            and self.protocol.current_size is None
            and self.protocol.state is OPEN
        )

    def _split(self, data: bytes, now: float) -> None:
        splitter, protocol = self._splitter, self.protocol
        ended = False
        for plain, piece in splitter.feed(data, protocol.max_message_size or 0):
            if protocol.state is not OPEN:
                return
            ended = True
            # while a message in fragments is under way, a plain one is an error that the library knows
            if plain and protocol.current_size is None:
                self._take(piece, now)
            else:
                super().data_received(splitter.as_frame(piece) if plain else piece)
        if not self._fragments and (ended or not splitter.waiting):
            self.fragment_since = None
        if splitter.waiting:
            self.fragment_since = self.fragment_since or now

    def pause_writing(self) -> None:
        super().pause_writing()
        self._pause()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._arrivals.caught_up(self)
        self._resume()

    def _receive(self, frame: Frame) -> None:
        if self.protocol.state is not OPEN:
            return
        if frame.opcode is Opcode.BINARY:
            self._fail(UNSUPPORTED, "text messages only")
            return
        message = bytes(frame.data)
        if self._fragments or not frame.fin:
            self._fragments.append(message)
            if len(self._fragments) > MAX_FRAGMENTS:
                self._fail(TOO_BIG, "too many fragments")
                return
            if not frame.fin:
                self.fragment_since = self.fragment_since or self.loop.time()
                return
            message = b"".join(self._fragments)
            self._fragments.clear()
            self.fragment_since = None
        self._take(message, self.heard_at)

    def _take(self, message: bytes, now: float) -> None:
        if self._unproved_bytes is not None and self._deferred is None and len(message) > STRANGERS_MESSAGE_BYTES:
            self._fail(TOO_BIG, "too big before authentication")
            return
        if not message.isascii() and not _is_utf8(message):
            self._fail(BAD_TEXT, "not UTF-8")
            return
        self._hand_on(message, now)

    def _hand_on(self, message: bytes, now: float) -> None:
        if self._deferred is not None:
            self._deferred.append(message)
        elif self._deliver is not None:
            self._deliver(self, message, now)

    def _fail(self, code: int, reason: str) -> None:
        self._fragments.clear()
        self._clear = False
        if self.protocol.state is not OPEN:
            self.transport.abort()
            return
        self.protocol.fail(code, reason)
        self.send_data()
        self.loop.call_later(CLOSE_S, self.transport.abort)

    def _pause(self) -> None:
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def _resume(self) -> None:
        if not (self.paused or self.stopped or self._reading_held or self.transport.is_closing()):
            self.transport.resume_reading()


Deliver: TypeAlias = Callable[[PeerSocket, bytes, float], None]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shortened(reason: str) -> str:
    """A close frame holds 123 bytes of reason."""
    return reason.encode()[:120].decode(errors="ignore")


def address_of(socket: asyncio.BaseTransport) -> str:
    name = socket.get_extra_info("peername")
    return str(name[0]) if name else "unknown"
