"""The gateway's Unix socket: where the stdio pump and the command line come in.

The first line is the peer's: a greeting with session options (then MCP, in the bytes of the client), or control
requests of the command line, each answered in one line. The socket lies in a folder only this user may enter, so
whoever connects is this user.
"""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, cast

from tabwright import __version__, jsonrpc
from tabwright.edges.mcp.exchange import STOPPING
from tabwright.edges.mcp.server import McpServer
from tabwright.edges.mcp.stream import MAX_LINE, MessageStream
from tabwright.errors import GatewayError
from tabwright.home import reachable
from tabwright.model import Json, JsonObject
from tabwright.settings import SettingsError

log = logging.getLogger(__name__)

GREETING_S: Final = 5.0
USAGE: Final = 2
_FOR_THE_ASKER: Final = frozenset({"shortcuts-run"})
"""Control requests that are not worth finishing when nobody waits for them any more."""
Control = Callable[[str, JsonObject], Awaitable[JsonObject]]
Greeted = Callable[[Mapping[str, str], Mapping[str, str]], str | None]
"""Checks a pump's session and gateway options; a notice for its user, or None. Raises GatewayError to refuse."""


class UnixSocket:
    """All local clients: one MCP session each, or a few control requests."""

    def __init__(self, server: McpServer, control: Control, greeted: Greeted) -> None:
        self._server = server
        self._control = control
        self._greeted = greeted
        self._clients: set[asyncio.Task[None]] = set()
        self._streams: set[MessageStream] = set()
        self._idle_since = time.monotonic()

    async def listen(self, path: Path) -> asyncio.Server:
        # ours by the lock: what lies here was left by a gateway that is gone
        await asyncio.to_thread(path.unlink, missing_ok=True)
        listening = await asyncio.start_unix_server(self._accept, reachable(str(path)), limit=MAX_LINE)
        os.chmod(path, 0o600)
        return listening

    @property
    def idle_since(self) -> float | None:
        """Since when no MCP client has been connected here; None while one is."""
        return None if self._streams else self._idle_since

    async def close(self) -> None:
        """End every client, whatever it is doing; what it has asked is answered."""
        await asyncio.gather(*(stream.interrupt(STOPPING) for stream in tuple(self._streams)))
        for client in tuple(self._clients):
            client.cancel()
        if self._clients:
            await asyncio.wait(self._clients, timeout=2)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            await self._serve(reader, writer)
        except asyncio.CancelledError:
            # only `close` cancels this task, and it waits for nothing but its end
            log.debug("a local client was ended")
        except Exception as exc:
            if _is_departure(exc):
                log.info("a local client is gone without a goodbye")
            else:
                log.exception("a local client failed")
        finally:
            self._clients.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(GREETING_S):
                line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as exc:
            if exc.partial:
                raise
            # the command line only looked whether a gateway is here
            return
        try:
            greeting = jsonrpc.decode_object(line)
            if "control" in greeting:
                await self._serve_control(greeting, reader, writer)
                return
            asked = _strings(greeting.get("options"))
            notice = self._admit(greeting, asked)
        except SettingsError as exc:
            await _answer(writer, {"error": exc.message, "next": exc.next_step, "exit": USAGE})
            return
        except GatewayError as exc:
            await _answer(writer, {"error": exc.message, "next": exc.next_step})
            return
        await _answer(writer, {"ok": True, "version": __version__, **({"notice": notice} if notice else {})})
        stream = MessageStream(reader, writer)
        self._streams.add(stream)
        try:
            await stream.serve(self._server, asked)
        finally:
            self._streams.discard(stream)
            self._idle_since = time.monotonic()

    def _admit(self, greeting: JsonObject, asked: Mapping[str, str]) -> str | None:
        theirs = greeting.get("version")
        if not isinstance(theirs, str) or greeting.get("tabwright") != 1:
            raise GatewayError("This is not a greeting of tabwright.", "Connect with `tabwright stdio`.")
        if theirs.partition(".")[0] != __version__.partition(".")[0]:
            raise GatewayError(
                f"The gateway that runs is version {__version__}, this is {theirs}.",
                "Run `tabwright stop` and try again.",
            )
        return self._greeted(asked, _strings(greeting.get("gateway")))

    async def _serve_control(
        self, request: JsonObject, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            method, params = request.get("control"), request.get("params", {})
            following = asyncio.ensure_future(reader.readline())
            try:
                if not isinstance(method, str) or not isinstance(params, dict):
                    raise GatewayError("A control request is {control, params}.")
                answering = self._control(method, params)
                # what answers at once is answered before it takes effect: `stop` ends this connection too
                result = await (_unless_gone(answering, following) if method in _FOR_THE_ASKER else answering)
                await _answer(writer, {"ok": True, "version": __version__, "result": result})
            except GatewayError as exc:
                await _answer(writer, {"error": exc.message, "next": exc.next_step})
            line = await following
            if not line:
                return
            request = jsonrpc.decode_object(line)


async def _unless_gone(control: Awaitable[JsonObject], following: "asyncio.Future[bytes]") -> JsonObject:
    """The answer; if whoever asked goes meanwhile, what is being done for it is stopped.

    Raises:
        ConnectionResetError: it went.
    """
    answering = asyncio.ensure_future(control)
    await asyncio.wait({answering, following}, return_when=asyncio.FIRST_COMPLETED)
    if not answering.done() and not following.result():
        answering.cancel()
        await asyncio.wait({answering})
        raise ConnectionResetError("the command line is gone")
    return await answering


def _is_departure(exc: BaseException) -> bool:
    if isinstance(exc, BaseExceptionGroup):
        inner = cast(BaseExceptionGroup[BaseException], exc).exceptions
        return all(map(_is_departure, inner))
    return isinstance(exc, TimeoutError | ConnectionError | asyncio.IncompleteReadError | asyncio.LimitOverrunError)


async def _answer(writer: asyncio.StreamWriter, value: JsonObject) -> None:
    writer.write(jsonrpc.encode(value).encode() + b"\n")
    await writer.drain()


def _strings(value: Json) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {key: inner for key, inner in value.items() if isinstance(inner, str)}
