"""Which sites a rule is about: patterns of hosts and origins, read by the one URL parser."""

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tabwright.errors import InvalidArguments
from tabwright.policy.urls import KEPT, Address, parse, read_address

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# names that resolve to the address written in them, whoever asks
_NAMES_ITS_ADDRESS: Final = re.compile(r"(?:^|[.-])(\d{1,3}(?:[.-]\d{1,3}){3})\.(?:nip\.io|sslip\.io|xip\.io)$")
_NAMES_IT_IN_HEX: Final = re.compile(r"(?:^|[.-])([0-9a-f]{8})\.nip\.io$")
_METADATA_NAMES: Final = frozenset({"metadata.google.internal", "metadata", "instance-data", "metadata.goog"})
_METADATA: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::/32", "fe80::/10")
)


@dataclass(frozen=True, slots=True)
class SitePattern:
    """`example.com`: that host, any scheme and port. `*.example.com`: all below it. With a scheme: the exact origin."""

    written: str
    host: str
    below: bool
    scheme: str | None
    port: int | None

    def matches(self, site: Address) -> bool:
        host = plain_host(site)
        named = host.endswith(f".{self.host}") if self.below else host == self.host
        fits_scheme = self.scheme in (None, site.scheme)
        return (named or self.written == "*") and fits_scheme and self.port in (None, site.port)


def read_pattern(written: str) -> SitePattern:
    """Raises:
    ValueError: it is no pattern, saying why.
    """
    if written == "*":
        return SitePattern(written, "", below=True, scheme=None, port=None)
    scheme, has_scheme, rest = written.rpartition("://")
    below = rest.startswith("*.")
    try:
        url = parse(f"{scheme or 'https'}://{rest.removeprefix('*.')}")
    except ValueError:
        raise ValueError(
            f"{written!r} is not a site: write it like example.com, *.example.com or https://example.com"
        ) from None
    if (url.pathname, url.search, url.hash, url.username, url.password) != ("/", "", "", "", "") or "*" in url.host:
        raise ValueError(f"{written!r} is more than a site: rules are about whole sites, without a path")
    if has_scheme and scheme not in _DEFAULT_PORTS:
        raise ValueError(f"{written!r} is not a web site: use http or https")
    told = int(url.port) if url.port else None
    port = told or _DEFAULT_PORTS[scheme] if has_scheme else told
    return SitePattern(written, url.hostname.removesuffix("."), below, scheme if has_scheme else None, port)


def plain_host(site: Address) -> str:
    """The host as patterns and lists spell it: a dot at its end names the same."""
    return site.host.removesuffix(".")


@lru_cache(KEPT)
def site_of(origin: str) -> Address | None:
    """The address of an origin; None for a page that has none."""
    if not origin or origin == "null":
        return None
    try:
        return read_address(origin)
    except InvalidArguments:
        return None


def is_here(site: Address) -> bool:
    """Whether it is this machine, by its address or by a name that says it."""
    ip = _ip(site)
    return site.loopback or (ip is not None and (ip.is_loopback or ip.is_unspecified))


def host_here(site: Address) -> str | None:
    """The host under which this machine reaches a site of its own, whatever it is called; None: it is not its own."""
    if not is_here(site):
        return None
    ip = _ip(site)
    return plain_host(site) if ip is None else str(ip)


def is_metadata(site: Address) -> bool:
    """Whether it hands out a cloud machine's credentials to whoever asks from inside."""
    ip = _ip(site)
    return plain_host(site) in _METADATA_NAMES or (
        ip is not None and any(ip in network for network in _METADATA if network.version == ip.version)
    )


def is_private(site: Address) -> bool:
    """Whether it is a machine of the local network, this one apart."""
    ip = _ip(site)
    local_name = "." not in plain_host(site) or plain_host(site).endswith((".local", ".lan", ".internal", ".home.arpa"))
    return not site.loopback and (ip.is_private if ip is not None else local_name)


def _ip(site: Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    return _read_ip(plain_host(site))


@lru_cache(KEPT)
def _read_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    host = host.strip("[]")
    if (named := _NAMES_ITS_ADDRESS.search(host)) is not None:
        host = named[1].replace("-", ".")
    elif (named := _NAMES_IT_IN_HEX.search(host)) is not None:
        return ipaddress.IPv4Address(int(named[1], 16))
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip
