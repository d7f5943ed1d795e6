"""Pages without the extension: the WebSocket that the script of `@mcp-b/webmcp-local-relay` looks for (9333-9348).

Off unless asked for. Lifecycle of a socket: guard (Host, an exactly configured Origin or a process of the same user)
-> our `server-hello` -> the page's `hello` (who it is) -> `tools/list`, `tools/changed` from it, `invoke` to it ->
`ping` every 15 s, dead after 25 s without a word. A page's own word on its origin counts only if that origin is
configured too: whoever may knock here must still not speak for others.
"""

import asyncio
import itertools
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tabwright import __version__, jsonrpc
from tabwright.edges.links.outbox import Outbox
from tabwright.edges.peers import same_user
from tabwright.edges.ports import PortTaken, listen
from tabwright.errors import GatewayError, OutcomeUnknown, StaleTarget, TimedOut
from tabwright.hub.places import Place
from tabwright.hub.transport import BrowserSeen, News, TabGone, TabSeen
from tabwright.model import BrowserId, DocumentId, Json, JsonObject, TabId, TabInfo
from tabwright.policy.doors import Knock, Refusal, allowed_hosts, check_http
from tabwright.policy.urls import origin_of

log = logging.getLogger(__name__)

PORTS: Final = range(9333, 9349)
SUBPROTOCOLS: Final = (Subprotocol("webmcp.v1"), Subprotocol("webmcp-discovery.v1"))
RELAY: Final = BrowserId("relay")
MAX_BYTES: Final = 1024 * 1024
MAX_PAGES: Final = 64
HELLO_S: Final = 5.0
PING_S: Final = 15.0
DEAD_S: Final = 25.0


@dataclass(eq=False, slots=True)
class _Page:
    """One page's socket, once it has said who it is."""

    place: Place
    outbox: Outbox
    calls: dict[str, asyncio.Future[JsonObject]] = field(default_factory=dict[str, "asyncio.Future[JsonObject]"])


class LocalRelay:
    """A TabHubTransport whose tabs are sockets. Their numbers are negative, so that no browser's are meant."""

    def __init__(self, origins: frozenset[str], ports: range = PORTS) -> None:
        self._origins = origins
        self._ports = ports
        self._pages: dict[TabId, _Page] = {}
        self._sockets = 0
        """Those that have not said who they are included."""
        self._numbers = itertools.count(1)
        self._instance = secrets.token_hex(8)
        self._server: Server | None = None
        self.port = 0
        self._tell: Callable[[News], None] = lambda news: None
        self._hear: Callable[[Place, JsonObject], None] = lambda place, message: None

    async def listen(self, host: str) -> None:
        """On the first free port of those the script tries.

        Raises:
            PortTaken: none is free.
        """
        for port in self._ports:
            try:
                listener = listen(host, port, "--local-relay")
            except PortTaken:
                continue
            self.port = listener.getsockname()[1]
            self._server = await serve(
                self._serve,
                sock=listener,
                process_request=self._guard,
                subprotocols=SUBPROTOCOLS,
                select_subprotocol=_chosen,
                compression=None,
                max_size=MAX_BYTES,
                max_queue=64,
                open_timeout=HELLO_S,
                close_timeout=1,
                ping_interval=None,
                server_header=None,
            )
            self._tell(BrowserSeen(RELAY, ""))
            log.info("local relay on port %d", self.port)
            return
        raise PortTaken("No port from 9333 to 9348 is free for the local relay.", "Stop what uses them.")

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    # --- the hub's side

    async def send_request(self, place: Place, message: JsonObject, timeout_s: float) -> JsonObject:
        page = self._pages.get(place.tab_id)
        if page is None or page.place != place:
            raise StaleTarget("The tool", "its page is gone.")
        call_id, params = message.get("id"), message.get("params")
        if not isinstance(call_id, str) or not isinstance(params, dict):
            # the relay's protocol has no other words for pages
            return {}
        answered: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        page.calls[call_id] = answered
        told: JsonObject = {"type": "invoke", "callId": call_id, "toolName": params["toolName"], "args": params["args"]}
        page.outbox.send(jsonrpc.encode(told))
        try:
            async with asyncio.timeout(timeout_s):
                return await answered
        except TimeoutError:
            raise TimedOut("invoke", timeout_s) from None
        finally:
            page.calls.pop(call_id, None)

    def on_message(self, callback: Callable[[Place, JsonObject], None]) -> None:
        self._hear = callback

    def on_news(self, callback: Callable[[News], None]) -> None:
        self._tell = callback

    def disconnect(self, browser: BrowserId, tab_id: TabId) -> None:
        page = self._pages.get(tab_id)
        if page is not None:
            page.outbox.close(1000, "disconnected by the hub")

    # --- a socket's life

    def _guard(self, socket: ServerConnection, request: Request) -> Response | None:
        knock = Knock.of(request.headers.raw_items())
        verdict = check_http(knock, allowed_hosts(self.port), self._origins)
        if verdict is None and not knock.from_browser and not same_user(socket.remote_address, socket.local_address):
            verdict = Refusal(403, "Only processes of the same user may connect without a browser.")
        if verdict is None and self._sockets >= MAX_PAGES:
            verdict = Refusal(503, "Too many pages are connected.")
        if verdict is None:
            return None
        log.warning("refused a page at the local relay: %s (origin %.200s)", verdict.reason, knock.values("origin"))
        return socket.respond(verdict.status, f"{verdict.reason}\n")

    async def _serve(self, socket: ServerConnection) -> None:
        self._sockets += 1
        try:
            await self._attend(socket)
        finally:
            self._sockets -= 1

    async def _attend(self, socket: ServerConnection) -> None:
        outbox = Outbox(socket)
        page: _Page | None = None
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(outbox.run())
            pinger = tasks.create_task(_ping(outbox))
            try:
                outbox.send(jsonrpc.encode(self._hello()))
                page = await self._meet(socket, outbox)
                await self._converse(socket, page)
            except (ConnectionClosed, TimeoutError):
                pass
            except Exception:
                log.exception("a socket of the local relay failed")
            finally:
                pinger.cancel()
                if page is not None:
                    self._left(page)
                outbox.close(1000, "")
                await asyncio.wait({writer}, timeout=2)
                writer.cancel()

    def _hello(self) -> JsonObject:
        return {
            "type": "server-hello",
            "service": "webmcp-local-relay",
            "version": 1,
            "host": "127.0.0.1",
            "instanceId": self._instance,
            "port": self.port,
            "label": f"tabwright {__version__}",
        }

    async def _meet(self, socket: ServerConnection, outbox: Outbox) -> _Page:
        async with asyncio.timeout(HELLO_S):
            while (hello := _object(await socket.recv())).get("type") != "hello":
                pass
        number = TabId(-next(self._numbers))
        origin = self._origin(socket, hello)
        place = Place(RELAY, number, 0, DocumentId(secrets.token_hex(8)), origin)
        url, title = hello.get("url"), hello.get("title")
        shown = url if isinstance(url, str) and origin_of(url) == origin else f"{origin}/"
        page = self._pages[number] = _Page(place, outbox)
        self._tell(TabSeen(RELAY, TabInfo(number, title if isinstance(title, str) else "", shown), number))
        return page

    def _origin(self, socket: ServerConnection, hello: JsonObject) -> str:
        """Whose page it is: the browser's word, or the page's where that is configured too, or no browser is there."""
        claimed = hello.get("origin")
        assert socket.request is not None
        stamped = socket.request.headers.get("Origin")
        if isinstance(claimed, str) and (stamped is None or claimed in self._origins):
            return claimed
        return stamped or ""

    async def _converse(self, socket: ServerConnection, page: _Page) -> None:
        while True:
            async with asyncio.timeout(DEAD_S):
                message = _object(await socket.recv())
            match message:
                case {"type": "tools/list" | "tools/changed", "tools": list(tools)}:
                    self._hear(page.place, _registration(tools))
                case {"type": "result", "callId": str(call_id)}:
                    answered = page.calls.get(call_id)
                    if answered is not None and not answered.done():
                        answered.set_result({"result": {"success": True, "payload": message.get("result")}})
                case {"type": "pong"}:
                    pass
                case _:
                    log.info("local relay: a message of type %.40r is ignored", message.get("type"))

    def _left(self, page: _Page) -> None:
        self._pages.pop(page.place.tab_id, None)
        for answered in page.calls.values():
            if not answered.done():
                answered.set_exception(OutcomeUnknown("invoke"))
        self._tell(TabGone(RELAY, page.place.tab_id))


def _registration(tools: list[Json]) -> JsonObject:
    """The relay's list in the hub's words. Its tools may lack a schema; a claimed origin is not taken over."""
    plain: JsonObject = {"type": "object", "properties": {}}
    given: list[Json] = [
        {"inputSchema": plain, **{key: value for key, value in tool.items() if key != "origin"}}
        for tool in tools
        if isinstance(tool, dict)
    ]
    return {"jsonrpc": "2.0", "method": "browser/updateTools", "params": {"tools": given}}


async def _ping(outbox: Outbox) -> None:
    while True:
        await asyncio.sleep(PING_S)
        outbox.send('{"type":"ping"}')


def _chosen(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Ours if it is offered; a page that offers none is served all the same."""
    return next((known for known in SUBPROTOCOLS if known in offered), None)


def _object(text: str | bytes) -> JsonObject:
    try:
        return jsonrpc.decode_object(text)
    except GatewayError:
        return {}
