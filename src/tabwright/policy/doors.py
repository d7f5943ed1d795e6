"""Who may knock: Host, Origin and Sec-Fetch-Site of a request, before anything else is read.

Localhost is no boundary: every page, every extension and every user of the machine reaches it. So each listener asks
for an exact Host (DNS rebinding), no browser but an exactly known one (cross-site requests), and a secret or the same
user (checked by the caller, who knows the peer).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
# not sec-fetch-mode: Node's fetch sends that one too, on every request, and no page can send it alone
_BROWSERS_SEND: Final = frozenset({"origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"})
_EXTENSION: Final = "chrome-extension://"


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Knock:
    """The headers that tell who knocks. `values` gives every occurrence, so a duplicate is seen."""

    headers: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, headers: Iterable[tuple[str, str]]) -> "Knock":
        return cls(tuple((name.lower(), value) for name, value in headers))

    def values(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.headers if key == name)

    @property
    def from_browser(self) -> bool:
        return any(key in _BROWSERS_SEND for key, _ in self.headers)


def allowed_hosts(port: int, extra: Iterable[str] = ()) -> frozenset[str]:
    return frozenset({f"{host}:{port}" for host in (*_LOOPBACK, *extra)})


def check_host(knock: Knock, hosts: frozenset[str]) -> Refusal | None:
    """Exactly one Host, exactly one of ours."""
    told = knock.values("host")
    if len(told) != 1:
        return Refusal(400, "One Host header, please.")
    if told[0].lower() not in hosts:
        return Refusal(421, "This Host is not served here.")
    return None


def check_http(knock: Knock, hosts: frozenset[str], origins: frozenset[str]) -> Refusal | None:
    """A request to the HTTP face: browsers only from origins configured to the letter."""
    refusal = check_host(knock, hosts)
    if refusal is not None or not knock.from_browser:
        return refusal
    told = knock.values("origin")
    if len(told) == 1 and told[0] in origins:
        return None
    return Refusal(403, "Browsers are not served here, unless their exact origin is configured.")


def check_own_page(knock: Knock, hosts: frozenset[str]) -> Refusal | None:
    """A request to the dashboard: a person's own, or one of its own page; never on behalf of another site."""
    refusal = check_host(knock, hosts)
    if refusal is not None:
        return refusal
    own = {f"http://{host}" for host in knock.values("host")}
    if set(knock.values("sec-fetch-site")) <= {"none", "same-origin"} and set(knock.values("origin")) <= own:
        return None
    return Refusal(403, "The dashboard is opened by `tabwright dashboard`, not from another page.")


def check_extension(knock: Knock, hosts: frozenset[str], extension_ids: Iterable[str]) -> Refusal | str | None:
    """A handshake on the extension port: the id of the extension it is from, or None for a peer that is no browser."""
    refusal = check_host(knock, hosts)
    if refusal is not None:
        return refusal
    if not knock.from_browser:
        return None
    told = knock.values("origin")
    known = {f"{_EXTENSION}{extension_id}" for extension_id in extension_ids}
    if len(told) == 1 and told[0] in known:
        return told[0].removeprefix(_EXTENSION)
    return Refusal(403, "Only a paired tabwright extension may connect here.")
