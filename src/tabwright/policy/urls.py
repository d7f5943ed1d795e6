"""Addresses, read by one WHATWG parser and no second one."""

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import ada_url

from tabwright.errors import InvalidArguments

# a scheme somebody wrote on purpose: `scheme://`, or one of the few that have no authority
_HAS_SCHEME: Final = re.compile(
    r"^(?:[a-z][a-z0-9+.-]*://|"
    r"(?:https?|wss?|ftp|about|blob|chrome|data|devtools|file|javascript|mailto|tel|view-source):)",
    re.I,
)
_WRAPPED: Final = re.compile(r"^(?:(?:view-source|blob):)+", re.I)
_WEB: Final = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]{1,5})?(?=/)", re.I)
KEPT: Final = 256
"""How many answers about hosts are remembered: every call asks the same of the same few pages, several times."""
_NOWHERE: Final = ("about:blank", "")
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URL: what a browser would make of it."""

    href: str
    scheme: str
    host: str
    port: int | None
    origin: str

    @property
    def loopback(self) -> bool:
        return _is_loopback(self.host)


_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def read_address(text: str) -> Address:
    """The address a person means: `https://` is added, plain `http://` for localhost and IP addresses.

    Raises:
        InvalidArguments: no browser could make sense of it.
    """
    written = text.strip()
    candidate = written if _HAS_SCHEME.match(written) else _with_scheme(written)
    try:
        url = ada_url.URL(candidate)
    except ValueError:
        raise InvalidArguments(
            f"Not a valid URL: {written[:200]!r}.", "Give a full one like https://example.com/."
        ) from None
    scheme = url.protocol.removesuffix(":")
    return Address(
        href=url.href,
        scheme=scheme,
        host=url.hostname,
        port=int(url.port) if url.port else _DEFAULT_PORTS.get(scheme),
        origin=url.origin,
    )


def origin_of(url: str) -> str:
    """The origin of a page's URL; empty for what has none."""
    if url in _NOWHERE:
        return ""
    web = _WEB.match(url)
    # what follows the host changes nothing, and may be a secret that nobody should remember
    return _read_origin(url) if web is None else _web_origin(web[0])


def scheme_of(url: str) -> str:
    """The scheme of a page's URL, of whatever it is a view or a part of; empty for what has none."""
    inner = _WRAPPED.sub("", url.strip())
    return inner.partition(":")[0].lower() if ":" in inner else ""


@lru_cache(KEPT)
def _web_origin(start: str) -> str:
    return _read_origin(start)


def _read_origin(url: str) -> str:
    try:
        origin = ada_url.URL(url).origin
    except ValueError:
        return ""
    return "" if origin == "null" else origin


@lru_cache(KEPT)
def _is_loopback(host: str) -> bool:
    host = host.strip("[]").removesuffix(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_loopback or ip.is_unspecified


def _with_scheme(written: str) -> str:
    https = f"https://{written}"
    try:
        host = ada_url.URL(https).hostname
    except ValueError:
        return https
    plain = host.startswith("[") or host == "localhost" or host.endswith(".localhost") or _is_ipv4(host)
    return f"http://{written}" if plain else https


def _is_ipv4(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True
