"""HTTP+SSE on bare sockets: a stream read event by event, exactly as it comes over the wire."""

import json
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from tests.attacks.wire import TIMEOUT_S, Answer, request

JSON: Final = "Content-Type: application/json"


class Event(NamedTuple):
    name: str
    data: str


class Stream:
    """`GET /sse`. `head` and `seen` are the bytes as they came, chunk framing taken off."""

    def __init__(self, port: int, query: str = "", *headers: str, seconds: float = TIMEOUT_S) -> None:
        self.port = port
        self._headers = headers
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        lines = (f"GET /sse{query} HTTP/1.1", f"Host: localhost:{port}", "Accept: text/event-stream", *headers)
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._file = self._socket.makefile("rb")
        self.head = b"".join(iter(self._file.readline, b"\r\n"))
        self.status = int(self.head.split()[1])
        self.seen = b""
        self._unread = b""
        self.id = ""
        if self.status == 200:
            endpoint = self.next()
            assert endpoint.name == "endpoint"
            self.id = endpoint.data.partition("sessionId=")[2]

    def header(self, name: str) -> str | None:
        lines = [line.partition(": ") for line in self.head.decode().split("\r\n")[1:]]
        return next((value for key, _, value in lines if key.lower() == name), None)

    def next(self) -> Event:
        """The next event; EOFError when the server has ended the stream."""
        while b"\n\n" not in self._unread:
            chunk = self._chunk()
            self.seen += chunk
            self._unread += chunk
        block, _, self._unread = self._unread.partition(b"\n\n")
        name, data = block.split(b"\n")
        assert name.startswith(b"event: ")
        assert data.startswith(b"data: ")
        return Event(name[7:].decode(), data[6:].decode())

    def message(self) -> Any:
        """The next message, whatever pings there are before it."""
        while (told := self.next()).name == "ping":
            pass
        assert told.name == "message", told
        return json.loads(told.data)

    def post(self, body: bytes | dict[str, Any] | list[Any], *headers: str) -> Answer:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return request(self.port, "POST", f"/message?sessionId={self.id}", JSON, *self._headers, *headers, body=sent)

    def ask(self, method: str, request_id: int | str = 1, **params: Any) -> Any:
        """Post a request and read the answer to it, past whatever else is said."""
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
        answer = self.post({**asked, "params": params} if params else asked)
        assert (answer.status, answer.body) == (202, b'{"status": "accepted"}'), answer
        while True:
            told = self.message()
            if not isinstance(told, list) and told.get("id") == request_id:  # a list answers a batch
                return told

    def initialize(self, version: str = "2024-11-05") -> Any:
        client = {"name": "raw", "version": "1"}
        told = self.ask("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=client)
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return told["result"]

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def _chunk(self) -> bytes:
        size = int(self._file.readline() or b"0", 16)
        chunk = self._file.read(size)
        self._file.readline()
        if not chunk:
            raise EOFError("the server has ended the stream")
        return chunk


@contextmanager
def stream(port: int, query: str = "?toolsets=focus", *headers: str, seconds: float = TIMEOUT_S) -> Generator[Stream]:
    opened = Stream(port, query, *headers, seconds=seconds)
    try:
        yield opened
    finally:
        opened.close()
