"""Who may knock at the proxy: Host and Origin, before anything else is read, and whose address counts.

Tokens travel inside messages, so a page cannot borrow them; but without tokens (`--no-auth`) a page, another extension
or another user of the machine must stay out.
"""

import re
from dataclasses import dataclass
from typing import Final

from tabwright.edges.peers import same_user
from tabwright.policy.doors import Knock, Refusal
from tabwright.proxy.claims import place_of, plain_host

_EXTENSION: Final = re.compile(r"chrome-extension://[a-p]{32}|moz-extension://[0-9a-f-]{36}")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Doors:
    host: str
    """The address listened on."""
    public_url: str | None
    origins: frozenset[str]
    own_extension: str
    open_to_strangers: bool
    """No tokens are asked for."""
    behind_proxy: bool

    def check(self, knock: Knock, peer: tuple[str, int] | None, local: tuple[str, int] | None) -> Refusal | None:
        hosts = knock.values("host")
        if len(hosts) != 1:
            return Refusal(400, "One Host header, please.")
        if not self._is_ours(hosts[0].lower()):
            return Refusal(421, "This Host is not served here; the operator sets public_url.")
        if knock.from_browser and not self._admits(knock.values("origin"), hosts[0].lower()):
            return Refusal(403, "Browsers (any Origin) are not served here, except extensions and configured origins.")
        if self.open_to_strangers and not knock.from_browser and not same_user(_plain(peer), _plain(local)):
            return Refusal(403, "Without tokens only processes of the same user may connect.")
        return None

    def address(self, knock: Knock, socket_address: str) -> str:
        """Whose it is, for limits: the socket's peer, or what our own front server says of it."""
        if not self.behind_proxy:
            return socket_address
        told = [part.strip() for value in knock.values("x-forwarded-for") for part in value.split(",")]
        return told[-1][:64] if told and told[-1] else socket_address

    def _is_ours(self, host: str) -> bool:
        if self.public_url is not None:
            scheme, public = place_of(self.public_url)
            if plain_host(scheme, host) == public:
                return True
        name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        if not colon:
            name, port = host, "443"
        # the name is what rebinding changes; a port may be a tunnel's
        return _PORT.fullmatch(port) is not None and (name in _LOOPBACK or name == self.host.lower())

    def _admits(self, origins: tuple[str, ...], host: str) -> bool:
        if len(origins) != 1:
            return False
        if origins[0] in self.origins:
            return True
        if self.open_to_strangers:
            return origins[0] == f"chrome-extension://{self.own_extension}"
        # several WebSocket libraries send the address they connect to as their origin; no page has ours
        if origins[0].lower() in (f"http://{host}", f"https://{host}"):
            return True
        return _EXTENSION.fullmatch(origins[0]) is not None


def _plain(address: tuple[str, int] | None) -> tuple[str, int] | None:
    return None if address is None else (address[0], address[1])
