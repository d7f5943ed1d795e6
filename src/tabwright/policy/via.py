"""Which proxy the gateway may give its token to: the configured address, and what the token says of itself.

The token is not verified here, as only the proxy can: its words are read to notice a wrong one before it is sent.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from tabwright.errors import InvalidArguments
from tabwright.policy.urls import Address, read_address

PATH: Final = "/mcp"
MAX_TOKEN_CHARS: Final = 8 * 1024
_PART: Final = re.compile(r"[A-Za-z0-9_-]+")


class WrongVia(Exception):
    """An address or a token that does not do, in words for the person."""


def read_via(text: str) -> str:
    """The address to connect to: the proxy's, with or without its path.

    Raises:
        WrongVia: it is no such address, or an unprotected one.
    """
    address = _address(text)
    if address is None or address.scheme not in ("ws", "wss"):
        raise WrongVia(f"{text!r} is not a WebSocket address: write it like wss://proxy.example.com")
    if address.scheme == "ws" and not address.loopback:
        raise WrongVia("ws:// is unencrypted and for this machine only: use wss://")
    # with a name and password in it, an address does not begin with its origin
    if address.href not in {f"{address.origin}{path}" for path in ("/", PATH, f"{PATH}/")}:
        raise WrongVia(f"{text!r}: nothing belongs into it but the proxy's name, its port and {PATH}")
    return f"{address.origin}{PATH}"


def proxy_origin(via: str) -> str:
    """Scheme, name and port of a proxy, as the extension writes them too."""
    return read_address(via).origin


def is_this_machine(via: str) -> bool:
    """Whether an address is a loopback one."""
    address = _address(via)
    return address is not None and address.loopback


def check_token(token: str, via: str, now: float) -> None:
    """Whether a token may be sent to the configured proxy, at this wall-clock time.

    Raises:
        WrongVia: it is for another place or side, has expired, or is no token.
    """
    claims = _claims(token)
    if claims.get("role", "mcp") != "mcp":
        raise WrongVia("the token is for a browser's extension: use the one for the gateway")
    expires = claims.get("exp")
    if isinstance(expires, int | float) and expires <= now:
        raise WrongVia("the token has expired: ask for a new one")
    told = claims.get("connection_url")
    if not isinstance(told, str):
        raise WrongVia("the token does not say which proxy it is for (connection_url)")
    # proxy protocol, Authentication: the address is embedded in the token; configuration decides, never the token
    place, wanted = _address(told), _address(via)
    if place is None or wanted is None or place.origin != wanted.origin:
        raise WrongVia(f"the token is for {told[:200]!r}, not for {via}")


def _claims(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    if len(token) > MAX_TOKEN_CHARS or len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts):
        raise WrongVia("this is not a token: one is a long line with two dots")
    try:
        claims: object = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise WrongVia("this is not a token: its middle part says nothing")
    return cast(dict[str, Any], claims)


def _address(text: str) -> Address | None:
    if "://" not in text:
        return None
    try:
        return read_address(text)
    except InvalidArguments:
        return None
