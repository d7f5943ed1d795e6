"""The load of `proxy.py`: WebSocket ends on raw sockets, callers that keep calls under way, and those who answer."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any


def masked(data: bytes) -> bytes:
    """A text frame with an all-zero mask: legal, and the generator need not spend time on it."""
    if len(data) < 126:
        return bytes((0x81, 0x80 | len(data))) + b"\0\0\0\0" + data
    return bytes((0x81, 0xFE)) + len(data).to_bytes(2, "big") + b"\0\0\0\0" + data


def bare(data: bytes) -> bytes:
    return (
        bytes((0x81, len(data))) + data if len(data) < 126 else bytes((0x81, 126)) + len(data).to_bytes(2, "big") + data
    )


class Peer(asyncio.Protocol):
    """One end of a WebSocket: whole frames in, whatever side it is on."""

    def __init__(self, on_frame: Callable[["Peer", bytes], bytes | None], *, serves: bool = False) -> None:
        self._on_frame = on_frame
        self._serves = serves
        self._open = False
        self._buffer: bytes = b""
        self.opened = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(f"refused: {self._buffer[:80]!r}"))

    def hello(self, path: str, port: int) -> None:
        lines = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
        head = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *lines, "Sec-WebSocket-Version: 13", "", ""]
        self.transport.write("\r\n".join(head).encode())

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data
        if not self._open:
            head, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = data
                return
            if self._serves:
                lines = (
                    b"Upgrade: websocket",
                    b"Connection: Upgrade",
                    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                )
                self.transport.write(b"\r\n".join((b"HTTP/1.1 101 Switching Protocols", *lines, b"", b"")))
            assert self._serves or b" 101 " in head, head
            self._open, data = True, rest
            self.opened.set_result(None)
        answers: list[bytes] = []
        at, size = 0, len(data)
        while size - at >= 2:
            length, start = data[at + 1] & 127, at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if data[at + 1] & 128:
                start += 4
            if size < start + length:
                break
            payload = data[start : start + length]
            # a ping is answered: whoever gives no sign of life is cut
            answer = (
                self._on_frame(self, payload)
                if data[at] == 0x81
                else bytes((0x8A, 0x80 | length)) + b"\0\0\0\0" + payload
            )
            if data[at] not in (0x81, 0x89):
                answer = None
            if answer is not None:
                answers.append(answer)
            at = start + length
        self._buffer = data[at:]
        if answers:
            self.transport.write(b"".join(answers))


async def dial(port: int, path: str, on_frame: Callable[[Peer, bytes], bytes | None]) -> Peer:
    _, peer = await asyncio.get_running_loop().create_connection(lambda: Peer(on_frame), "127.0.0.1", port)
    peer.hello(path, port)
    await peer.opened
    return peer


def mailbox() -> tuple["asyncio.Queue[Any]", Callable[[Peer, bytes], None]]:
    queue: asyncio.Queue[Any] = asyncio.Queue()
    return queue, lambda _, data: queue.put_nowait(json.loads(data))


class Caller:
    """Keeps so many calls under way until it has made its share."""

    def __init__(self, calls: int, done: Callable[[], None]) -> None:
        self.left = self.out = calls
        self._done = done
        self._number = 1000
        self._sent: dict[int, float] = {}
        self.took: list[float] = []
        """Seconds of each call."""

    def next(self) -> bytes:
        self.left -= 1
        self._number += 1
        self._sent[self._number] = time.perf_counter()
        params = b'{"selector":"#search-button","tabId":42}'
        return masked(b'{"jsonrpc":"2.0","id":%d,"method":"click","params":%b}' % (self._number, params))

    def answered(self, _: Peer, data: bytes) -> bytes | None:
        if b'"result"' not in data:
            assert b'"status"' in data, data
            return None
        # {"jsonrpc":"2.0","id":N,"result":…}
        self.took.append(time.perf_counter() - self._sent.pop(int(data[22 : data.index(b",", 22)])))
        self.out -= 1
        if self.out == 0:
            self._done()
        return self.next() if self.left > 0 else None


def reply(data: bytes, frame: Callable[[bytes], bytes]) -> bytes | None:
    if not data.startswith(b'{"jsonrpc":"2.0","id":'):
        return None
    raw_id = data[22 : data.index(b',"method"')]
    return frame(b'{"jsonrpc":"2.0","id":%b,"result":{"ok":true}}' % raw_id)
