"""Addresses, read by one WHATWG parser and no second one.

Most that agents go to are plain: there is nothing in them that a browser would decode, fold, cut out or put right.
Their parts are where they stand, and the parser, 2 MB in memory, is loaded for the first that is not plain.
"""

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tabwright.errors import InvalidArguments

if TYPE_CHECKING:
    from ada_url import URL

# a scheme somebody wrote on purpose: `scheme://`, or one of the few that have no authority
_HAS_SCHEME: Final = re.compile(
    r"^(?:[a-z][a-z0-9+.-]*://|"
    r"(?:https?|wss?|ftp|about|blob|chrome|data|devtools|file|javascript|mailto|tel|view-source):)",
    re.I,
)
_WRAPPED: Final = re.compile(r"^(?:(?:view-source|blob):)+", re.I)
_WEB: Final = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]{1,5})?(?=/)", re.I)
_CHARS: Final = r"\w~!$&()*+,;=:@.-"
_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# hosts without Punycode whose last label is not a number, and IPv4 as it is written out; no segment begins with a dot
_PLAIN: Final = re.compile(
    r"(https?)://"
    rf"((?:(?!xn--)[a-z0-9-]++\.)*+(?!xn--)[a-z][a-z0-9-]*+|{_BYTE}(?:\.{_BYTE}){{3}})"
    r"(?::([1-9][0-9]{0,4}))?"
    rf"((?:/(?!\.|%2[eE])(?:['{_CHARS}]|%(?!2[eE]))*+)++(?:\?[/?%{_CHARS}]*+)?(?:\#[/?%{_CHARS}]*+)?)?",
    re.ASCII,
)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*(?=:)", re.I)
_HAVE_ORIGINS: Final = frozenset({"http", "https", "ws", "wss", "ftp", "blob"})
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
MAX_PORT: Final = 65535


def read_address(text: str) -> Address:
    """The address a person means: `https://` is added, plain `http://` for localhost and IP addresses.

    Raises:
        InvalidArguments: no browser could make sense of it.
    """
    written = text.strip()
    candidate = written if _HAS_SCHEME.match(written) else _with_scheme(written)
    try:
        return _read_plain(candidate) or _read_other(candidate)
    except ValueError:
        raise InvalidArguments(
            f"Not a valid URL: {written[:200]!r}.", "Give a full one like https://example.com/."
        ) from None


def parse(url: str) -> "URL":
    """By the parser itself.

    Raises:
        ValueError: no browser could make sense of it.
    """
    import ada_url

    return ada_url.URL(url)


def _read_plain(url: str) -> Address | None:
    found = _PLAIN.fullmatch(url)
    if found is None:
        return None
    scheme, host, told, rest = found.groups()
    default = _DEFAULT_PORTS[scheme]
    port = int(told) if told else default
    if port > MAX_PORT or (told and port == default):
        return None
    origin = f"{scheme}://{host}:{port}" if told else f"{scheme}://{host}"
    return Address(f"{origin}{rest or '/'}", scheme, host, port, origin)


def _read_other(url: str) -> Address:
    """Raises:
    ValueError: no browser could make sense of it.
    """
    read = parse(url)
    scheme = read.protocol.removesuffix(":")
    port = int(read.port) if read.port else _DEFAULT_PORTS.get(scheme)
    return Address(read.href, scheme, read.hostname, port, read.origin)


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
    scheme = _SCHEME.match(url)
    if scheme is not None and scheme[0].lower() not in _HAVE_ORIGINS:
        return ""
    try:
        origin = (_read_plain(url) or parse(url)).origin
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
        host = (_read_plain(https) or _read_other(https)).host
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
