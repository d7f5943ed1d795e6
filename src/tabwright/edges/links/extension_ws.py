"""The WebSocket server the extension connects to (:8765).

Lifecycle of a socket: guard (Host, Origin, same user) -> first message -> our own extension proves its pairing key and
the gateway its own, or a peer that is no browser speaks plain tabs.md -> its link carries commands and events -> cut,
with grace for a browser that can come back by name.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from socket import socket as Socket
from typing import Final, Protocol, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tabwright import jsonrpc
from tabwright.browser.browsers import Browsers
from tabwright.edges.links.link import SocketLink
from tabwright.edges.links.outbox import Outbox
from tabwright.edges.links.prompt_socket import PromptSocket
from tabwright.edges.peers import same_user
from tabwright.errors import GatewayError
from tabwright.link.dialect import Dialect
from tabwright.link.foreign import ForeignDialect
from tabwright.link.handshake import Handshake, HandshakeRefused, Hello, PairingOffer, key_for, offer_for
from tabwright.link.local import LocalDialect
from tabwright.model import BrowserId, Json, JsonObject
from tabwright.policy.doors import Knock, Refusal, allowed_hosts, check_extension

log = logging.getLogger(__name__)

HELLO_S: Final = 5.0
FIRST_WORD_S: Final = 0.3
PRE_AUTH_BYTES: Final = 8 * 1024
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""A full-page screenshot in base64 passes; nothing larger is ever asked for."""
UNAUTHORIZED: Final = 4401
TOO_LATE: Final = 4408


class Pairings(Protocol):
    """What is known of browsers that were paired."""

    def pairing_key(self, extension_id: str, profile_id: str) -> bytes | None: ...
    def remember_pairing(self, extension_id: str, profile_id: str, key: bytes) -> None: ...
    def admitted(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Paired:
    profile_id: str
    digits: str


class ExtensionServer:
    """All sockets of extensions, and the links they speak for."""

    def __init__(
        self,
        browsers: Browsers,
        pairings: Pairings,
        own_id: str,
        *,
        grace_s: float,
        launched: Callable[[str], bool],
        open_to_all_users: bool = False,
        hub_origins: Sequence[str] = (),
    ) -> None:
        self._browsers = browsers
        self._pairings = pairings
        self._own_id = own_id
        self._grace_s = grace_s
        self._launched = launched
        self._open_to_all_users = open_to_all_users
        self._hub_origins = list[Json](hub_origins)
        self._links: dict[BrowserId, SocketLink] = {}
        self._offers: list[PairingOffer] = []
        self._paired: asyncio.Future[Paired] | None = None
        self.port = 0

    async def listen(self, listener: Socket) -> Server:
        self.port = listener.getsockname()[1]
        return await serve(
            self._serve,
            sock=listener,
            process_request=self._guard,
            compression=None,
            max_size=PRE_AUTH_BYTES,
            max_queue=64,
            create_connection=PromptSocket,
            open_timeout=HELLO_S,
            close_timeout=1,
            ping_interval=None,
            server_header=None,
        )

    def offer_pairing(self, seconds: float) -> tuple[str, "asyncio.Future[Paired]"]:
        """A new one-time key for whoever has it, and what comes of it. The former of this kind, if any, is void."""
        if self._paired is not None and not self._paired.done():
            self._paired.cancel()
        self._paired = asyncio.get_running_loop().create_future()
        return self._offer(seconds, None), self._paired

    def offer_pairing_to(self, profile_id: str, seconds: float) -> str:
        """A new one-time key for this browser alone; other offers stay as they are."""
        return self._offer(seconds, profile_id)

    def _offer(self, seconds: float, profile_id: str | None) -> str:
        now = asyncio.get_running_loop().time()
        offer = PairingOffer(secrets.token_bytes(16), now + seconds, profile_id)
        self._offers = [other for other in self._offers if other.usable(now) and other.profile_id != profile_id]
        self._offers.append(offer)
        return offer.key.hex()

    @property
    def pairing(self) -> bool:
        """Whether somebody is pairing a browser right now."""
        now = asyncio.get_running_loop().time()
        return any(offer.usable(now) for offer in self._offers)

    def end(self, browser_id: str, reason: str) -> None:
        """A browser's process has ended: no grace."""
        link = self._links.pop(BrowserId(browser_id), None)
        if link is not None:
            link.end(reason)

    def end_all(self, reason: str) -> None:
        for browser_id in list(self._links):
            self.end(browser_id, reason)

    # --- a socket's life

    def _guard(self, socket: ServerConnection, request: Request) -> Response | None:
        knock = Knock.of(request.headers.raw_items())
        known = {self._own_id, *self._pairings.admitted()}
        verdict = check_extension(knock, allowed_hosts(self.port), known)
        if not isinstance(verdict, Refusal) and request.path != "/":
            verdict = Refusal(404, "The extension connects to /.")
        # our own extension proves its key; whoever is no browser can say any Origin
        proves = isinstance(verdict, Refusal) or verdict == self._own_id
        if not proves and not self._open_to_all_users and not same_user(_peer(socket), _local(socket)):
            verdict = Refusal(403, "Only processes of the same user may connect without a pairing key.")
        if isinstance(verdict, Refusal):
            origin = ascii(", ".join(knock.values("origin")))[:200]
            log.warning("refused a socket on the extension port: %s (origin %s)", verdict.reason, origin)
            return socket.respond(verdict.status, f"{verdict.reason}\n")
        # kept with the socket: not all that knock go on to be one
        cast(PromptSocket, socket).extension_id = verdict
        return None

    async def _serve(self, socket: ServerConnection) -> None:
        extension_id = cast(PromptSocket, socket).extension_id
        outbox = Outbox(socket)
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(outbox.run())
            try:
                if extension_id == self._own_id:
                    await self._serve_own(socket, outbox)
                else:
                    await self._serve_other(socket, outbox)
            except ConnectionClosed:
                pass
            except TimeoutError:
                outbox.close(TOO_LATE, "no hello in time")
            except HandshakeRefused as exc:
                log.warning("refused an extension: %s", exc)
                outbox.send(jsonrpc.encode({"type": "error", "message": str(exc)}))
                outbox.close(UNAUTHORIZED, exc.message[:100])
            except Exception:
                log.exception("a socket on the extension port failed")
                outbox.close(1011, "internal error")
            else:
                outbox.close(1000, "")
            await asyncio.wait({writer}, timeout=2)
            writer.cancel()

    async def _serve_own(self, socket: ServerConnection, outbox: Outbox) -> None:
        async with asyncio.timeout(HELLO_S):
            first = await _receive(socket, "hello", "knock")
            if first["type"] == "knock":
                # the first-run page looks whether we are there, and whether a key waits to be entered; not which
                outbox.send(jsonrpc.encode({"type": "here", "pairing": self.pairing}))
                return
            hello = await self._shake_hands(socket, outbox, first)
            if hello.extension_id != self._own_id:
                raise HandshakeRefused("hello names another extension than its Origin.")
        await self._converse(socket, outbox, BrowserId(hello.profile_id), LocalDialect, grace=True)

    async def _serve_other(self, socket: ServerConnection, outbox: Outbox) -> None:
        """A peer that is no browser, or another extension the person admitted: our hello, or plain tabs.md."""
        # tabs.md tells nobody's name, so this browser cannot come back as the same one
        browser_id = BrowserId(f"tabs-{secrets.token_hex(8)}")
        _raise_limit(socket)
        try:
            async with asyncio.timeout(FIRST_WORD_S):
                first = (await socket.recv(),)
        except TimeoutError:
            # tabs.md's extension may wait to be asked
            first = ()
        message = _object(first[0]) if first else None
        if message is not None and message.get("type") == "hello":
            async with asyncio.timeout(HELLO_S):
                hello = await self._shake_hands(socket, outbox, message)
            await self._converse(socket, outbox, BrowserId(hello.profile_id), LocalDialect, grace=True)
        else:
            await self._converse(socket, outbox, browser_id, ForeignDialect, first=first, grace=False)

    async def _shake_hands(self, socket: ServerConnection, outbox: Outbox, first: JsonObject) -> Hello:
        """Raises:
        HandshakeRefused: the peer could not prove the key.
        """
        hello = Hello.parse(first)
        now = asyncio.get_running_loop().time()
        offer = offer_for(hello, self._offers, now)
        key = key_for(hello, offer, now, self._pairings.pairing_key)
        handshake = Handshake(key, hello, secrets.token_hex(16))
        outbox.send(jsonrpc.encode(handshake.challenge()))
        answer = await _receive(socket, "proof")
        if not handshake.accepts(answer.get("proof")):
            raise HandshakeRefused("The proof does not fit the pairing key.", "Run `tabwright pair`.")
        welcome: JsonObject = {"type": "welcome"}
        if self._hub_origins:
            # pages that may not register are not even spoken to
            welcome["hubOrigins"] = self._hub_origins
        if hello.pairing and offer is not None:
            welcome["digits"] = self._settle_pairing(handshake, offer)
        outbox.send(jsonrpc.encode(welcome))
        _raise_limit(socket)
        return hello

    def _settle_pairing(self, handshake: Handshake, offer: PairingOffer) -> str:
        if offer not in self._offers:
            # somebody else proved the same key a moment ago
            raise HandshakeRefused("This pairing key is used up.", "Run `tabwright pair`.")
        hello, digits = handshake.hello, handshake.digits()
        self._pairings.remember_pairing(hello.extension_id, hello.profile_id, handshake.pairing_key())
        self._offers.remove(offer)
        if offer.profile_id is None and self._paired is not None and not self._paired.done():
            self._paired.set_result(Paired(hello.profile_id, digits))
        return digits

    async def _converse(
        self,
        socket: ServerConnection,
        outbox: Outbox,
        browser_id: BrowserId,
        dialect: Callable[[], Dialect],
        *,
        first: Sequence[str | bytes] = (),
        grace: bool,
    ) -> None:
        assert isinstance(socket, PromptSocket), "they are made in `listen`"
        link = self._attach(browser_id, dialect(), outbox, grace=grace)

        def heard(text: str | bytes) -> None:
            nonlocal link
            if link.ended:
                # it said goodbye and speaks again: the same browser, anew
                link = self._attach(browser_id, dialect(), outbox, grace=grace)
            link.received(outbox, text)

        try:
            for text in first:
                heard(text)
            await socket.listen(heard)
        finally:
            log.info("link %s is down (%s)", browser_id, socket.close_code)
            link.cut(outbox)

    def _attach(self, browser_id: BrowserId, dialect: Dialect, outbox: Outbox, *, grace: bool) -> SocketLink:
        link = self._link_for(browser_id)
        link.attach(dialect, outbox, grace=grace)
        log.info("link %s is up", browser_id)
        return link

    def _link_for(self, browser_id: BrowserId) -> SocketLink:
        link = self._links.get(browser_id)
        if link is None or link.ended:
            # a peer of tabs.md has another id each time it comes: what has ended is not kept
            self._links = {known: other for known, other in self._links.items() if not other.ended}
            link = self._links[browser_id] = SocketLink(browser_id, self._grace_s)
            browser = self._browsers.add(browser_id, link, launched=self._launched(browser_id))
            link.listen(browser.apply)
        return link


async def _receive(socket: ServerConnection, *kinds: str) -> JsonObject:
    try:
        message = jsonrpc.decode_object(await socket.recv())
    except GatewayError as exc:
        raise HandshakeRefused(f"Expected {kinds[0]}: {exc.message}") from exc
    if message.get("type") not in kinds:
        raise HandshakeRefused(f"Expected a message of type {kinds[0]}.")
    return message


def _object(text: str | bytes) -> JsonObject | None:
    try:
        return jsonrpc.decode_object(text)
    except GatewayError:
        return None


def _raise_limit(socket: ServerConnection) -> None:
    """Before it has proved who it is, a peer gets no large buffers; afterwards it may send screenshots."""
    socket.protocol.max_message_size = MAX_MESSAGE_BYTES


def _peer(socket: ServerConnection) -> tuple[str, int] | None:
    address = socket.remote_address
    return None if address is None else (address[0], address[1])


def _local(socket: ServerConnection) -> tuple[str, int] | None:
    address = socket.local_address
    return None if address is None else (address[0], address[1])
