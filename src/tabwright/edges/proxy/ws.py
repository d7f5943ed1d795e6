"""The proxy's listener: lets sockets in, feeds the router what they say, performs what it decides.

Lifecycle of a socket: Host and Origin -> place for one more stranger -> handshake -> router `opened` -> messages and
effects -> closed by either side. One task for each socket sleeps until its end; everything else happens in callbacks.
"""

import asyncio
import hmac
import logging
import ssl
from collections import deque
from collections.abc import Callable, Container, Iterable
from functools import partial
from http import HTTPStatus
from socket import socket as Socket
from typing import Final, Protocol, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from tabwright.edges.proxy.doors import Doors
from tabwright.edges.proxy.pressure import Pressure
from tabwright.edges.proxy.rounds import Rounds
from tabwright.edges.proxy.socket import PeerSocket, address_of
from tabwright.policy.doors import Knock, Refusal
from tabwright.proxy.admission import Door
from tabwright.proxy.model import (
    Close,
    Effect,
    Endpoint,
    Gone,
    Identity,
    PeerId,
    Refused,
    Role,
    Send,
    Verify,
    log_name,
)
from tabwright.proxy.router import Router

log = logging.getLogger(__name__)
_wire = logging.getLogger(f"{__name__}.wire")
# every garbled handshake would be a traceback
_wire.setLevel(logging.CRITICAL)

OPEN_S: Final = 5.0
BACKLOG: Final = 2048
"""After a restart everybody comes back at once."""
TICK_S: Final = 0.25
VERIFY_S: Final = 5.0
OVERLOAD: Final = 1013
ENDPOINTS: Final = {endpoint.value: endpoint for endpoint in Endpoint}


class Verifier(Protocol):
    async def verify(self, token: str | None, role: Role) -> Identity | Refused: ...

    @property
    def ready(self) -> bool: ...


class ProxyServer:
    """All sockets of one proxy process."""

    def __init__(
        self,
        router: Router,
        verifier: Verifier,
        door: Door,
        doors: Doors,
        *,
        client_bytes: int,
        extension_bytes: int,
        queue_bytes: int,
        silence_s: float,
        metrics: Callable[[], str],
        metrics_token: bytes | None = None,
    ) -> None:
        self._router = router
        self._verifier = verifier
        self._door = door
        self._doors = doors
        self._bytes = {Endpoint.MCP: client_bytes, Endpoint.EXTENSION: extension_bytes, Endpoint.ANY: extension_bytes}
        self._silence_s = silence_s
        self._rounds = Rounds()
        self._pressure = Pressure(queue_bytes, router.roster.talks_only_with)
        self._unwritten: dict[PeerSocket, PeerSocket | None] = {}
        """Who has been told something in this turn of the loop, and by whom last."""
        self._metrics = metrics
        self._metrics_token = metrics_token
        self._sockets: dict[PeerId, PeerSocket] = {}
        self._opening: set[PeerSocket] = set()
        self._max_opening = door.limits.strangers
        self._all: set[PeerSocket] = set()
        self._todo: deque[Effect] = deque()
        self._performing = False
        self._verifications: set[asyncio.Task[None]] = set()
        self._next_peer = 1
        self._draining = False
        self.elsewhere: Callable[[Effect], None] | None = None
        """Who performs what concerns no socket of ours."""
        self._now = asyncio.get_running_loop().time
        self._soon = asyncio.get_running_loop().call_soon

    async def listen(self, listener: Socket, tls: ssl.SSLContext | None = None) -> Server:
        return await serve(
            self._serve,
            sock=listener,
            ssl=tls,
            backlog=BACKLOG,
            process_request=self._knock,
            create_connection=cast(type[ServerConnection], partial(PeerSocket, self)),
            logger=_wire,
            compression=None,
            max_size=max(self._bytes.values()),
            open_timeout=OPEN_S,
            close_timeout=1,
            ping_interval=None,
            server_header=None,
        )

    @property
    def sockets(self) -> int:
        return len(self._all)

    async def tick_forever(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.tick()

    def tick(self) -> None:
        now = self._now()
        self.perform(self._router.tick(now))
        for socket in self._pressure.stalled(now):
            self._cut_off(socket)
        for peer in self._rounds.due(now):
            if (socket := self._sockets.get(peer)) is not None:
                self._look_after(socket, now)

    def revoke(self, tokens: Container[str]) -> None:
        self.perform(self._router.roster.revoked(tokens))

    async def drain(self, seconds: float) -> None:
        """No new sockets and no new work; back when the last socket is gone."""
        self._draining = True
        self.perform(self._router.drain(self._now()))
        async with asyncio.timeout(seconds):
            while self._all:
                await asyncio.sleep(0.02)
                self.perform(self._router.tick(self._now()))

    # --- other replicas

    def hold(self, peer: PeerId) -> None:
        """A peer waits for an answer from elsewhere: it is not heard meanwhile."""
        if (socket := self._sockets.get(peer)) is not None:
            socket.hold()

    def release(self, peer: PeerId) -> None:
        if (socket := self._sockets.get(peer)) is not None:
            socket.release()

    # --- doors

    def accepted(self, socket: PeerSocket) -> bool:
        self._opening.add(socket)
        return len(self._opening) <= self._max_opening

    def ended(self, socket: PeerSocket) -> None:
        self._opening.discard(socket)
        self._is_stranger_no_more(socket)

    def caught_up(self, socket: PeerSocket) -> None:
        self._pressure.relieved(socket)

    def flush(self) -> None:
        unwritten, self._unwritten = self._unwritten, {}
        for reader, speaker in unwritten.items():
            try:
                size, waiting = reader.flush()
                if waiting and not self._pressure.wrote(reader, speaker, size, waiting, self._now()):
                    self._cut_off(reader)
            except Exception:
                self._fail(reader, "a message could not be written")

    def _is_stranger_no_more(self, socket: PeerSocket) -> None:
        if socket.address:
            self._door.left(socket.address)
            socket.address = ""

    def _knock(self, connection: ServerConnection, request: Request) -> Response | None:
        socket = cast(PeerSocket, connection)
        path = request.path.partition("?")[0]
        knock = Knock.of(request.headers.raw_items())
        refusal = self._doors.check(knock, socket.remote_address, socket.local_address)
        if refusal is None and path in ("/health", "/ready", "/metrics"):
            return self._tell(socket, path, knock)
        if refusal is None and path not in ENDPOINTS:
            refusal = Refusal(404, "Connect to /mcp or /extension.")
        if refusal is None and self._draining:
            refusal = Refusal(503, "Server shutting down")
        address = self._doors.address(knock, address_of(socket.transport))
        if refusal is None and (full := self._door.arrived(address, self._now())) is not None:
            refusal = Refusal(429, full)
        if refusal is None:
            socket.address = address
            socket.protocol.max_message_size = self._bytes[ENDPOINTS[path]]
            return None
        log.info("refused", extra={"status": refusal.status, "reason": refusal.reason, "address": address})
        response = socket.respond(HTTPStatus(refusal.status), f"{refusal.reason}\n")
        if refusal.status in (429, 503):
            response.headers["Retry-After"] = "1"
        return response

    def _tell(self, socket: PeerSocket, path: str, knock: Knock) -> Response:
        if path == "/health":
            return _answer(socket, 200, '{"status":"ok"}\n', "application/json")
        if path == "/ready":
            ready = self._verifier.ready and not self._draining
            return _answer(socket, 200 if ready else 503, f'{{"ready":{str(ready).lower()}}}\n', "application/json")
        if self._metrics_token is None:
            return _answer(socket, 404, "Metrics need metrics_token_file or metrics_port.\n")
        told = knock.values("authorization")
        scheme, _, token = told[0].partition(" ") if len(told) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.encode(), self._metrics_token):
            return _answer(socket, 401, "Send the metrics token as Authorization: Bearer.\n")
        return _answer(socket, 200, self._metrics(), "text/plain; version=0.0.4; charset=utf-8")

    # --- a socket's life

    async def _serve(self, connection: ServerConnection) -> None:
        socket = cast(PeerSocket, connection)
        assert socket.request is not None
        peer, self._next_peer = PeerId(self._next_peer), self._next_peer + 1
        endpoint = ENDPOINTS[socket.request.path.partition("?")[0]]
        self._sockets[peer] = socket
        self._rounds.expect(peer, self._now() + self._silence_s)
        self._opening.discard(socket)
        self._all.add(socket)
        try:
            log.debug("opened", extra={"peer": peer, "endpoint": endpoint.value, "address": socket.address})
            self.perform(self._router.opened(peer, endpoint, self._now()))
            socket.start(peer, self._deliver)
            await socket.wait_closed()
        finally:
            self._all.discard(socket)
            self._lost(socket)
            log.debug("closed", extra={"peer": peer, "code": socket.close_code})

    def _deliver(self, socket: PeerSocket, message: bytes, now: float) -> None:
        try:
            effects = self._router.received(socket.peer, message, now)
            if (
                len(effects) == 1
                and isinstance(effect := effects[0], Send)
                and not self._performing
                and (reader := self._sockets.get(effect.peer)) is not None
            ):
                # a call or its answer between sockets of ours, as nearly all are
                self._say(reader, effect.data, socket)
            else:
                self.perform(effects, socket)
        except Exception:
            self._fail(socket, "a message could not be handled")

    def _fail(self, socket: PeerSocket, what: str) -> None:
        """Our own bug must not take the others down."""
        log.exception(what, extra={"peer": socket.peer})
        socket.shut(1011, "internal error")
        self._lost(socket)

    def _lost(self, socket: PeerSocket) -> None:
        if self._sockets.pop(socket.peer, None) is not None:
            self.perform(self._router.roster.closed(socket.peer, Gone.TIMED_OUT if socket.timed_out else Gone.CLOSED))
        self._pressure.relieved(socket)

    def _cut_off(self, socket: PeerSocket) -> None:
        log.info("cut: cannot keep up", extra={"peer": socket.peer})
        socket.shut(OVERLOAD, "cannot keep up")
        self._lost(socket)

    def _look_after(self, socket: PeerSocket, now: float) -> None:
        """Signs of life, and messages that never end."""
        began, silence_s = socket.fragment_since, self._silence_s
        if socket.pinged_at is not None and socket.heard_at >= socket.pinged_at:
            socket.pinged_at = None
        if socket.stopped:
            # what it sends lies in its own buffers: no sign of anything
            since = now
        elif began is not None and now - began >= silence_s:
            socket.shut(1008, "unfinished message")
            self._lost(socket)
            return
        elif now - socket.heard_at < silence_s:
            since = socket.heard_at if began is None else began
        elif socket.pinged_at is None:
            socket.ping()
            since = now
        elif now - socket.pinged_at >= silence_s:
            socket.timed_out = True
            socket.shut(1011, "no sign of life")
            self._lost(socket)
            return
        else:
            since = socket.pinged_at
        self._rounds.expect(socket.peer, since + silence_s)

    # --- effects

    def perform(self, effects: Iterable[Effect], speaker: PeerSocket | None = None) -> None:
        """In order, also those that follow from performing: a reader that is cut changes what others are told."""
        if self._performing:
            self._todo.extend(effects)
            return
        self._performing = True
        try:
            for effect in effects:
                self._do(effect, speaker)
            while self._todo:
                self._do(self._todo.popleft(), None)
        finally:
            self._performing = False

    def _do(self, effect: Effect, speaker: PeerSocket | None) -> None:
        socket = self._sockets.get(effect.peer)
        if socket is None:
            if self.elsewhere is not None:
                self.elsewhere(effect)
            return
        if isinstance(effect, Send):
            self._say(socket, effect.data, speaker)
        elif isinstance(effect, Verify):
            socket.hold()
            task = asyncio.get_running_loop().create_task(self._verify(socket, effect))
            self._verifications.add(task)
            task.add_done_callback(self._verifications.discard)
        elif isinstance(effect, Close):
            self._close(socket, effect)

    def _say(self, socket: PeerSocket, data: bytes, speaker: PeerSocket | None) -> None:
        if not self._unwritten:
            self._soon(self.flush)
        self._unwritten[socket] = speaker
        socket.say(data)

    def _close(self, socket: PeerSocket, effect: Close) -> None:
        del self._sockets[effect.peer]
        self._pressure.relieved(socket)
        log.info("closing", extra={"peer": effect.peer, "code": effect.code.value, "reason": effect.reason})
        socket.shut(effect.code.value, effect.reason)

    async def _verify(self, socket: PeerSocket, effect: Verify) -> None:
        try:
            async with asyncio.timeout(VERIFY_S):
                outcome = await self._verifier.verify(effect.token, effect.role)
        except TimeoutError:
            outcome = Refused("Try again later", "the keys did not come in time")
        except Exception:
            log.exception("a token could not be checked", extra={"peer": effect.peer})
            outcome = Refused(reason="internal error")
        self.perform(self._router.verified(effect.peer, outcome, self._now()))
        if self._router.roster.knows(effect.peer) and isinstance(outcome, Identity):
            socket.trust()
            self._is_stranger_no_more(socket)
            log.info(
                "authenticated", extra={"peer": effect.peer, "role": effect.role.value, "user": log_name(outcome.user)}
            )
        socket.release()


def _answer(socket: ServerConnection, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> Response:
    response = socket.respond(HTTPStatus(status), text)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = kind
    return response
