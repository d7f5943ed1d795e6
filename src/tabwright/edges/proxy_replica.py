"""Makes a proxy one of many: the cluster's core, its broker, and how they meet the router and the sockets.

Imported only where a broker is configured, and with it everything of NATS.
"""

import asyncio
import secrets
import socket
import ssl
from pathlib import Path
from typing import Any

from tabwright import __version__
from tabwright.edges.proxy_broker import Broker
from tabwright.edges.proxy_tokens import Revocations
from tabwright.edges.proxy_ws import ProxyServer
from tabwright.proxy.cluster import Cluster
from tabwright.proxy.model import Effect
from tabwright.proxy.router import Router
from tabwright.proxy_settings import ProxySettings
from tabwright.settings import SettingsError


class Replica:
    def __init__(self, settings: ProxySettings, router: Router, server: ProxyServer, revocations: Revocations) -> None:
        self._router = router
        self._server = server
        self._revocations = revocations
        self._now = asyncio.get_running_loop().time
        self.cluster = Cluster(
            secrets.token_hex(8),
            f"{socket.gethostname()}:{settings.port}",
            __version__,
            router,
            settings.limits(),
            new_token=new_token,
            revoke=self._revoke,
            now=self._now(),
        )
        self.broker = Broker(self.cluster, server, settings.broker, credentials_of(settings), settings.broker_copies)
        router.roster.elsewhere = self.cluster
        server.elsewhere = self.broker.perform
        self.revoked()

    def revoked(self) -> None:
        """The file of revocations has changed."""
        self._server.perform(self.cluster.revoked(self._revocations.listed, self._now()))

    def numbers(self) -> dict[str, float]:
        """For its metrics."""
        aways = self.cluster.aways
        return {
            "broker_up": int(aways.up),
            "other_replicas": len(self.cluster.replicas),
            "calls_to_replicas": aways.pending,
        }

    def _revoke(self, entries: frozenset[str]) -> list[Effect]:
        self._revocations.hear(entries)
        return self._router.roster.revoked(entries)


def new_token() -> str:
    """128 random bits, as part of a subject."""
    return secrets.token_hex(16)


def credentials_of(settings: ProxySettings) -> dict[str, Any]:
    """What nats-py wants for `broker_credentials` and the certificates.

    Raises:
        SettingsError: a file cannot be used.
    """
    found: dict[str, Any] = {}
    if settings.broker_credentials is not None:
        user, colon, password = _read(settings.broker_credentials).partition(":")
        found |= {"user": user, "password": password} if colon else {"token": user}
    if settings.broker_ca is not None or settings.broker_cert is not None:
        found["tls"] = _tls(settings)
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as exc:
        raise SettingsError(f"broker_credentials cannot be read: {exc}.", "Look at its path.") from None


def _tls(settings: ProxySettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.broker_ca)
        if settings.broker_cert is not None:
            context.load_cert_chain(settings.broker_cert, settings.broker_key)
    except (OSError, ssl.SSLError) as exc:
        raise SettingsError(
            f"The broker's certificates cannot be used: {exc}.", "Look at broker_ca and broker_cert."
        ) from None
    return context
