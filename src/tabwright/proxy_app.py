"""The hosted proxy's composition root: builds its parts from ProxySettings, runs them, ends them in order."""

import asyncio
import contextlib
import secrets
import signal
import ssl
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.ports import listen
from tabwright.edges.proxy import metrics
from tabwright.edges.proxy.doors import Doors
from tabwright.edges.proxy.keys import Key, Keys, KeySet, KeyUnusable, OneKey, public_key, secret_key
from tabwright.edges.proxy.metrics import Metrics
from tabwright.edges.proxy.tokens import Revocations, Tokens
from tabwright.edges.proxy.ws import ProxyServer
from tabwright.proxy.admission import Door
from tabwright.proxy.router import Router
from tabwright.proxy_settings import ProxySettings
from tabwright.settings import SettingsError

if TYPE_CHECKING:
    from tabwright.edges.proxy.replica import Replica

LOOK_S: Final = 1.0
LEAVE_S: Final = 3.0
MIN_METRICS_TOKEN: Final = 22


class ProxyFolder:
    """Where `proxy init` and `token` keep keys and revocations."""

    def __init__(self, home: Path) -> None:
        self.path = home / "proxy"
        self.private_key = self.path / "key.pem"
        self.public_key = self.path / "public.pem"
        self.revoked = self.path / "revoked"


class Proxy:
    def __init__(self, settings: ProxySettings, folder: ProxyFolder) -> None:
        self._settings = settings
        self._revocations = Revocations(settings.revocations or folder.revoked)
        self._revocations.changed()
        self._keys = keys_of(settings, folder)
        tokens = Tokens(self._keys, settings.rules(), self._revocations)
        self._router = Router(
            settings.limits(),
            new_id=new_id,
            wall=timestamp,
            needs_token=settings.auth,
            allow_cdp=settings.allow_cdp,
        )
        door = Door(settings.door_limits())
        self._metrics = Metrics(self._router, door)
        self._server = ProxyServer(
            self._router,
            tokens,
            door,
            doors_of(settings),
            client_bytes=settings.client_frame_bytes,
            extension_bytes=settings.extension_frame_bytes,
            queue_bytes=settings.queue_bytes,
            silence_s=settings.silence_s,
            metrics=self._metrics.text,
            metrics_token=_metrics_token(settings.metrics_token_file),
        )
        self._replica = self._join(settings) if settings.broker else None

    def _join(self, settings: ProxySettings) -> "Replica":
        # a proxy by itself has no use for NATS
        from tabwright.edges.proxy.replica import Replica

        replica = Replica(settings, self._router, self._server, self._revocations)
        self._metrics.more = replica.numbers
        return replica

    async def run(self, tell: Callable[[int, int | None], None]) -> None:
        """Serve until SIGTERM or SIGINT; then let calls end."""
        tls = tls_of(self._settings)
        listener = listen(self._settings.host, self._settings.port, "--port")
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        if isinstance(self._keys, KeySet):
            await self._keys.refresh()
        server = await self._server.listen(listener, tls)
        async with self._metrics_listener() as metrics_port, asyncio.TaskGroup() as tasks:
            background = (
                tasks.create_task(self._server.tick_forever()),
                tasks.create_task(self._watch_revocations()),
                *((tasks.create_task(self._replica.broker.run()),) if self._replica is not None else ()),
            )
            tell(listener.getsockname()[1], metrics_port)
            await stop.wait()
            server.close(close_connections=False)
            with contextlib.suppress(TimeoutError):
                await self._server.drain(self._settings.drain_s + LEAVE_S)
            if self._replica is not None:
                await self._replica.broker.leave()
            for task in background:
                task.cancel()

    async def _watch_revocations(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if self._revocations.changed():
                self._server.revoke(self._revocations.listed)
                if self._replica is not None:
                    self._replica.revoked()

    @contextlib.asynccontextmanager
    async def _metrics_listener(self) -> AsyncGenerator[int | None]:
        if self._settings.metrics_port is None:
            yield None
            return
        listener = listen("127.0.0.1", self._settings.metrics_port, "--metrics-port")
        # whoever may listen, a page that took a name of this machine's address may not
        doors = Doors("127.0.0.1", None, frozenset(), extension_id(), open_to_strangers=False, behind_proxy=False)
        async with await metrics.listen(listener, self._metrics.text, doors):
            yield listener.getsockname()[1]


def keys_of(settings: ProxySettings, folder: ProxyFolder) -> Keys | None:
    """What checks tokens; None where none are asked for.

    Raises:
        SettingsError: there is nothing to check them with.
    """
    if not settings.auth:
        return None
    if settings.jwks is not None:
        return KeySet(settings.jwks)
    return OneKey(_key_of(settings, folder))


def _key_of(settings: ProxySettings, folder: ProxyFolder) -> Key:
    try:
        if settings.jwt_secret_file is not None:
            return secret_key(settings.jwt_secret_file)
        if settings.public_key is not None:
            return public_key(settings.public_key)
        if folder.public_key.exists():
            return public_key(folder.public_key)
    except KeyUnusable as exc:
        raise SettingsError(exc.message, exc.next_step) from None
    raise SettingsError(
        "There is no key to check tokens with.",
        "Run `tabwright proxy init`, or give --public-key, --jwks or --jwt-secret-file.",
    )


def doors_of(settings: ProxySettings) -> Doors:
    return Doors(
        host=settings.host,
        public_url=settings.public_url,
        origins=frozenset(settings.origins),
        own_extension=extension_id(),
        open_to_strangers=not settings.auth,
        behind_proxy=settings.behind_proxy,
    )


def tls_of(settings: ProxySettings) -> ssl.SSLContext | None:
    """Raises:
    SettingsError: the certificate or its key cannot be used.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ssl.SSLError) as exc:
        raise SettingsError(f"The TLS certificate cannot be used: {exc}.", "Look at tls_cert and tls_key.") from None
    return context


def _metrics_token(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        token = path.read_bytes().strip()
    except OSError as exc:
        raise SettingsError(f"metrics_token_file cannot be read: {exc.strerror}.", "Look at its path.") from None
    if len(token) < MIN_METRICS_TOKEN:
        raise SettingsError(f"A metrics token has at least {MIN_METRICS_TOKEN} characters.", "openssl rand -hex 16")
    return token


def new_id(kind: str) -> str:
    """`conn-` and 128 random bits, in the shape the protocol prints."""
    bits = secrets.token_hex(16)
    return f"{kind}-{bits[:8]}-{bits[8:12]}-{bits[12:16]}-{bits[16:20]}-{bits[20:]}"


def timestamp() -> str:
    now = datetime.now().astimezone()
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}{now:%z}"
