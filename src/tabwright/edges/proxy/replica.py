"""Makes a proxy one of many: the cluster's core, its broker, and how they meet the router and the sockets.

Imported only where a broker is configured, and with it everything of NATS.
"""

import asyncio
import secrets
import socket
from collections.abc import Callable
from typing import Final

from tabwright import __version__
from tabwright.edges.proxy.broker import Broker
from tabwright.edges.proxy.credentials import Credentials
from tabwright.edges.proxy.tokens import Revocations
from tabwright.edges.proxy.ws import ProxyServer
from tabwright.proxy.cluster import Cluster
from tabwright.proxy.model import Effect
from tabwright.proxy.router import Router
from tabwright.proxy_settings import ProxySettings

TOKEN_BYTES: Final = 16
TOKENS_AT_ONCE: Final = 64


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
            new_token=tokens(),
            revoke=self._revoke,
            now=self._now(),
        )
        self.broker = Broker(self.cluster, server, settings, Credentials(settings))
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
            "broker_up": int(aways.reach.up),
            "other_replicas": len(self.cluster.replicas),
            "calls_to_replicas": aways.pending,
        }

    def _revoke(self, entries: frozenset[str]) -> list[Effect]:
        self._revocations.hear(entries)
        return self._router.roster.revoked(entries)


def tokens() -> Callable[[], str]:
    """Makes 128 random bits, as part of a subject; the system is asked for many at once, as every call takes one."""
    ready: list[str] = []

    def new_token() -> str:
        if not ready:
            drawn = secrets.token_hex(TOKEN_BYTES * TOKENS_AT_ONCE)
            size = 2 * TOKEN_BYTES
            ready.extend(drawn[at : at + size] for at in range(0, len(drawn), size))
        return ready.pop()

    return new_token
