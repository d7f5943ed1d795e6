"""One `/mcp` socket of a hosted proxy: opening it with the token, and the proxy's own requests on it.

The address is the configured one and no other: redirects are not followed, as the token would follow them.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tabwright import __version__, jsonrpc
from tabwright.errors import GatewayError
from tabwright.model import JsonObject
from tabwright.policy.via import MAX_TOKEN_CHARS, WrongVia, check_token, is_this_machine

log = logging.getLogger(__name__)

OPEN_S: Final = 10.0
ANSWER_S: Final = 10.0
PING_S: Final = 20.0
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
UNAUTHORIZED: Final = 4401
TOO_MANY: Final = 4429
TOKEN_HINT: Final = "Give --via-token-file FILE or TABWRIGHT_VIA_TOKEN."


class ProxyRefused(GatewayError):
    """The proxy, or the extension behind it, answered with an error."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.answered = code


class NotWanted(GatewayError):
    """The token is not accepted, or must not be used: only the person can change that."""


def read_token(path: Path) -> str:
    """Raises:
    OSError, UnicodeError: it cannot be read.
    """
    with path.open(encoding="ascii") as file:
        return file.read(MAX_TOKEN_CHARS + 1).strip()


def warn_of_readers(path: Path) -> None:
    """Say it once if a token lies open."""
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            log.warning("%s can be read by other users: `chmod 600` it", path)


class _Direct(connect):
    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class ProxyDoor:
    """How to reach the configured proxy. The token is read anew each time: its file may have been renewed."""

    def __init__(self, via: str, token: Callable[[], str]) -> None:
        self.via = via
        self._token = token

    @property
    def far(self) -> bool:
        """Whether the browsers behind it may be on other machines; at a loopback address there is only this one."""
        return not is_this_machine(self.via)

    def token(self) -> str:
        """Raises:
        NotWanted: there is none that may be sent there.
        """
        try:
            token = self._token()
            if token:
                check_token(token, self.via, time.time())
        except (OSError, UnicodeError) as exc:
            raise NotWanted(f"The proxy's token cannot be read: {exc}.", "Set via_token_file to its file.") from None
        except WrongVia as exc:
            raise NotWanted(f"The proxy {self.via} is not asked: {exc}.") from None
        if not token and not is_this_machine(self.via):
            raise NotWanted(f"The proxy {self.via} wants a token, and the gateway has none.", TOKEN_HINT)
        return token

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["ProxyCalls"]:
        """A socket on which the proxy knows us.

        Raises:
            NotWanted: it does not take the token.
            OSError, TimeoutError, WebSocketException: it is not there.
        """
        token = self.token()
        proxy = None if is_this_machine(self.via) else True
        async with _Direct(
            self.via,
            proxy=proxy,
            compression=None,
            max_size=MAX_MESSAGE_BYTES,
            max_queue=64,
            open_timeout=OPEN_S,
            close_timeout=1,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            user_agent_header=f"tabwright/{__version__}",
        ) as socket:
            calls = ProxyCalls(socket)
            await calls.shake_hands(token)
            yield calls


class ProxyCalls:
    """Requests before the socket carries a browser's calls, one at a time."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.user = ""
        self._last_id = 0

    async def shake_hands(self, token: str) -> None:
        params: JsonObject = {"accessToken": token} if token else {}
        try:
            told = await self.ask("mcp_handshake", params)
        except ProxyRefused as exc:
            if not token:
                raise NotWanted("The proxy wants a token, and the gateway has none.", TOKEN_HINT) from None
            raise NotWanted(f"The proxy refuses us: {exc.message}") from None
        except ConnectionClosed as exc:
            if exc.rcvd is not None and exc.rcvd.code in (UNAUTHORIZED, TOO_MANY):
                raise NotWanted(f"The proxy refuses us: {exc.rcvd.reason}") from None
            raise
        self.user = str(told.get("user_id", ""))[:256]

    async def ask(self, method: str, params: JsonObject, within_s: float = ANSWER_S) -> JsonObject:
        """Raises:
        ProxyRefused: it answered with an error.
        TimeoutError: it did not answer.
        ConnectionClosed: it left.
        """
        self._last_id += 1
        async with asyncio.timeout(within_s):
            await self.socket.send(jsonrpc.encode(jsonrpc.request(self._last_id, method, params)))
            while True:
                answer = _read(await self.socket.recv())
                if isinstance(answer, jsonrpc.Response) and answer.id == self._last_id:
                    return answer.result if isinstance(answer.result, dict) else {}
                if isinstance(answer, jsonrpc.Failure) and answer.id in (self._last_id, None):
                    raise ProxyRefused(answer.message, answer.code)


def _read(text: str | bytes) -> object:
    """Whatever is no answer is passed over: news that came before anybody listens."""
    try:
        return jsonrpc.parse(jsonrpc.decode_object(text))
    except GatewayError:
        return None
