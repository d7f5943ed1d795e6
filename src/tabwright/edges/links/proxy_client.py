"""The gateway's way to browsers behind a hosted proxy (`serve --via`).

Lifecycle: the scout opens a socket and asks again and again which extensions there are; each gets a socket of its own:
connect -> introduce -> its link carries commands and events -> gone, or the proxy is. The scout comes back with growing
pauses, partly by chance, and finds the browsers again by their profiles; their links are suspended meanwhile.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from websockets.exceptions import ConnectionClosed, WebSocketException

from tabwright.browser.browsers import Browsers
from tabwright.edges.links.link import SocketLink
from tabwright.edges.links.outbox import Outbox
from tabwright.edges.links.proxy_calls import NotWanted, ProxyCalls, ProxyDoor, ProxyRefused
from tabwright.edges.links.via_state import ViaState
from tabwright.errors import METHOD_NOT_FOUND, GatewayError
from tabwright.link.proxied import Introduction, ProxiedDialect, read_introduction, read_stranger
from tabwright.model import BrowserId, JsonObject
from tabwright.policy.via import proxy_origin

if TYPE_CHECKING:
    from tabwright.edges.links.gateway_key import GatewayKey

log = logging.getLogger(__name__)

FIRST_S: Final = 0.2
LONGEST_S: Final = 10.0
REFUSED_S: Final = 60.0
NONE_YET_S: Final = 1.0
POLL_S: Final = 5.0
INTRODUCE_S: Final = 8.0
AGAIN_S: Final = 5.0
SAME_S: Final = 30.0
PROXY_GRACE_S: Final = 60.0
"""A proxy that restarts takes longer to be back than a browser's extension."""
MAX_BROWSERS: Final = 50


@dataclass(frozen=True, slots=True)
class _Listed:
    id: str
    name: str


class ProxyClient:
    """All browsers of one user behind one proxy."""

    def __init__(
        self,
        door: ProxyDoor,
        browsers: Browsers,
        *,
        grace_s: float,
        key: "GatewayKey | None" = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._door = door
        self._browsers = browsers
        self._grace_s = grace_s
        self._key = key
        self._chance = chance
        self._links: dict[BrowserId, SocketLink] = {}
        self._serving: dict[str, BrowserId | None] = {}
        """Extensions with a socket here, and which browser each is, once that is known."""
        self._not_before: dict[str, float] = {}
        self._hidden: dict[str, str] = {}
        """Extensions that are the same browser as another one, which is served in their place."""
        self._news = asyncio.Event()
        self._pause = FIRST_S
        self.state = self._state("looking")
        browsers.trouble = self.state.trouble

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                try:
                    await self._scout(tasks)
                except NotWanted as exc:
                    self._tell(self._state("refused", reason=str(exc)))
                    self._pause = max(self._pause, LONGEST_S)
                except (OSError, TimeoutError, WebSocketException, ProxyRefused) as exc:
                    self._tell(self._state("looking", reason=_why(exc)))
                wait = self._pause * (1 - 0.5 * self._chance())
                self._pause = min(self._pause * 2, REFUSED_S if self.state.state == "refused" else LONGEST_S)
                await asyncio.sleep(wait)

    def end_all(self, reason: str) -> None:
        for link in self._links.values():
            link.end(reason)
        self._links.clear()

    # --- finding browsers

    async def _scout(self, tasks: asyncio.TaskGroup) -> None:
        async with self._door.open() as calls:
            self._pause = FIRST_S
            self._tell(self._state("connected", user=calls.user))
            while True:
                self._news.clear()
                for listed in _listed(await calls.ask("list_extensions", {})):
                    if self._wants(listed.id):
                        self._serving[listed.id] = None
                        tasks.create_task(self._serve(listed))
                await self._pass_time(calls)

    async def _pass_time(self, calls: ProxyCalls) -> None:
        """Until it is time to ask again; news of a browser that left is a reason to."""
        seconds = POLL_S if any(self._serving.values()) else NONE_YET_S
        waits = {asyncio.create_task(self._news.wait()), asyncio.create_task(calls.socket.wait_closed())}
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _wants(self, extension_id: str) -> bool:
        if extension_id in self._serving or len(self._serving) >= MAX_BROWSERS:
            return False
        if self._hidden.get(extension_id) in self._serving:
            return False
        return self._not_before.get(extension_id, 0.0) <= asyncio.get_running_loop().time()

    # --- one browser

    async def _serve(self, listed: _Listed) -> None:
        """A socket for one extension, from opening to its end. Fails for itself alone."""
        rest_s = 0.0
        try:
            async with self._door.open() as calls:
                connected = await calls.ask("connect", {"extension_id": listed.id})
                told = await self._introduce(calls, listed)
                await self._prove(calls, str(connected.get("connection_id", "")), told)
                if self._is_linked_here(told):
                    log.info("browser %s is linked directly: not used through the proxy", told.profile)
                    rest_s = SAME_S
                else:
                    rest_s = FIRST_S
                    with suppress(ConnectionClosed):
                        await self._converse(calls, listed, told)
        except (OSError, TimeoutError, WebSocketException, GatewayError) as exc:
            log.info("browser %s behind the proxy: %s", listed.id, _why(exc))
            rest_s = AGAIN_S
        except Exception:
            log.exception("browser %s behind the proxy failed", listed.id)
            rest_s = SAME_S
        finally:
            self._rest(listed.id, rest_s)

    def _rest(self, extension_id: str, seconds: float) -> None:
        now = asyncio.get_running_loop().time()
        self._serving.pop(extension_id, None)
        self._not_before = {name: until for name, until in self._not_before.items() if until > now}
        self._hidden = {name: other for name, other in self._hidden.items() if other in self._serving}
        if seconds:
            self._not_before[extension_id] = now + seconds
        self._news.set()

    async def _introduce(self, calls: ProxyCalls, listed: _Listed) -> Introduction:
        """Raises:
        GatewayError: what is there makes no sense.
        """
        try:
            return read_introduction(await calls.ask("introduce", {}, INTRODUCE_S))
        except ProxyRefused as exc:
            if exc.answered != METHOD_NOT_FOUND:
                raise
        return read_stranger(listed.name, await calls.ask("getTabs", {}, INTRODUCE_S))

    async def _prove(self, calls: ProxyCalls, connection: str, told: Introduction) -> None:
        """Show the extension which gateway this is: one that its person trusts is asked about nothing there."""
        if self._key is None or told.nonce is None or told.profile is None:
            return
        proof = self._key.proof(proxy_origin(self._door.via), told.nonce, connection, told.profile)
        try:
            trusted = (await calls.ask("prove", proof, INTRODUCE_S)).get("trusted") is True
        except ProxyRefused as exc:
            log.warning("browser %s does not take our proof: %s", told.profile, exc.message)
            return
        if not trusted:
            log.info(
                "browser %s will ask its person whether to trust this gateway (%s)", told.profile, self._key.digits
            )

    def _is_linked_here(self, told: Introduction) -> bool:
        return any(browser.id == told.profile for browser in self._browsers.all())

    async def _converse(self, calls: ProxyCalls, listed: _Listed, told: Introduction) -> None:
        browser_id = BrowserId(f"via-{told.profile or listed.id}")
        dialect = ProxiedDialect(told.commands)
        async with _writing(calls) as outbox:
            link = self._link_for(browser_id, told)
            self._take_over(browser_id, listed.id)
            link.attach(dialect, outbox, grace=True)
            link.tell(told.first)
            log.info("link %s is up, through the proxy", browser_id)
            try:
                async for text in calls.socket:
                    link.received(outbox, text)
                    if dialect.gone is not None:
                        break
            finally:
                log.info("link %s is down (%s)", browser_id, dialect.gone or calls.socket.close_code)
                link.cut(outbox, self._grace_s if dialect.browser_left else max(self._grace_s, PROXY_GRACE_S))

    def _take_over(self, browser_id: BrowserId, extension_id: str) -> None:
        """The newest socket of a browser counts; the other must not come back to throw this one out."""
        for other, known in self._serving.items():
            if known == browser_id:
                self._hidden[other] = extension_id
        self._serving[extension_id] = browser_id

    def _link_for(self, browser_id: BrowserId, told: Introduction) -> SocketLink:
        link = self._links.get(browser_id)
        if link is None or link.ended:
            # an extension that tells no profile has another id each time it comes: what has ended is not kept
            self._links = {known: other for known, other in self._links.items() if not other.ended}
            link = self._links[browser_id] = SocketLink(browser_id, self._grace_s, remote=True)
            browser = self._browsers.add(browser_id, link, launched=told.launched, far=self._door.far)
            browser.seen = told.seen
            link.listen(browser.apply)
        return link

    def _state(self, state: str, *, user: str = "", reason: str = "") -> ViaState:
        known = ("", "") if self._key is None else (self._key.digits, self._key.fingerprint)
        return ViaState(self._door.via, state, user, reason, *known)

    def _tell(self, state: ViaState) -> None:
        if state == self.state:
            return
        self.state, self._browsers.trouble = state, state.trouble
        level = logging.WARNING if state.state == "refused" else logging.INFO
        log.log(level, "proxy %s: %s%s", state.url, state.state, f" ({state.reason})" if state.reason else "")


@asynccontextmanager
async def _writing(calls: ProxyCalls) -> AsyncGenerator[Outbox]:
    outbox = Outbox(calls.socket)
    writer = asyncio.create_task(outbox.run())
    try:
        yield outbox
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError, ConnectionClosed):
            await writer


def _listed(told: JsonObject) -> list[_Listed]:
    rows = told.get("extensions")
    found: list[_Listed] = []
    for row in rows if isinstance(rows, list) else []:
        match row:
            case {"id": str(extension_id), "name": str(name)} if row.get("connected") is not False:
                found.append(_Listed(extension_id[:200], name[:200]))
            case _:
                pass
    return found


def _why(exc: BaseException) -> str:
    if isinstance(exc, ConnectionClosed) and exc.rcvd is not None:
        return f"closed with {exc.rcvd.code} {exc.rcvd.reason}".strip()
    return str(exc) or type(exc).__name__
