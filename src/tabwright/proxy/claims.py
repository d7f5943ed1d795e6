"""What a token must say, once its signature is known to be right: claims in, identity or refusal out."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from tabwright.proxy.model import ExtensionId, Identity, Refused, Role, UserId

LEEWAY_S: Final = 30.0
AUDIENCE: Final = "tabwright-proxy"
"""The one audience known without being configured."""
MAX_USER_CHARS: Final = 256
_DEFAULT_PORTS: Final = {"ws": ":80", "wss": ":443"}
_EXTENSION: Final = re.compile(r"ext-[A-Za-z0-9-]{8,64}")
_TOKEN_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
# an OpenID Connect identity token tells who somebody is, not what its bearer may do
_ID_TOKEN: Final = ("nonce", "at_hash", "c_hash")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator asks of every token."""

    audience: str | None = None
    issuer: str | None = None
    require_role: bool = False
    public_url: str | None = None


class Unfit(Exception):
    """A claim that does not do: for the log. `told` is what the peer hears."""

    def __init__(self, reason: str, told: str = "Invalid token") -> None:
        super().__init__(reason)
        self.told = told


def identify(claims: Mapping[str, Any], role: Role, rules: Rules, wall: float) -> Identity | Refused:
    """The identity that verified claims give a peer that wants this role, at this wall-clock time."""
    try:
        return _identify(claims, role, rules, wall)
    except Unfit as exc:
        return Refused(exc.told, str(exc))


def _identify(claims: Mapping[str, Any], role: Role, rules: Rules, wall: float) -> Identity:
    lives_s = _lifetime(claims, wall)
    _check_audience(claims.get("aud"), rules)
    _check_issuer(claims.get("iss"), rules)
    _check_role(claims, role, rules)
    _check_url(claims.get("connection_url"), role, rules)
    if claims.get("token_use") == "id" or any(name in claims for name in _ID_TOKEN):
        raise Unfit("this is an identity token")
    scope = claims.get("scope", "")
    return Identity(
        user=_user(claims),
        scopes=frozenset(scope.split()) if isinstance(scope, str) else frozenset(),
        lives_s=lives_s,
        token_id=_optional(claims, "jti", _TOKEN_ID),
        extension_id=_extension(claims, role),
    )


def _lifetime(claims: Mapping[str, Any], wall: float) -> float:
    expires = _time(claims, "exp")
    if expires is None:
        raise Unfit("exp is missing")
    if expires + LEEWAY_S <= wall:
        raise Unfit("expired", "Token expired")
    for name in ("nbf", "iat"):
        begins = _time(claims, name)
        if begins is not None and begins - LEEWAY_S > wall:
            raise Unfit(f"{name} lies ahead")
    left = expires - wall
    return left if left > 0 else left + LEEWAY_S


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    if name not in claims:
        return None
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit(f"{name} is not a number")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise Unfit(f"{name} is not a finite number")
    return seconds


def _user(claims: Mapping[str, Any]) -> UserId:
    told = [claims[name] for name in ("user_id", "sub") if name in claims]
    if not told:
        raise Unfit("neither user_id nor sub")
    for value in told:
        if not isinstance(value, str) or not is_user(value):
            raise Unfit(f"user_id or sub is not a printable name of 1 to {MAX_USER_CHARS} characters")
    if len(set(told)) > 1:
        raise Unfit("user_id and sub differ")
    return UserId(told[0])


def is_user(name: str) -> bool:
    """Whatever an issuer calls people: e-mail addresses, `auth0|…`, URLs. Printable, so one line anywhere."""
    return 0 < len(name) <= MAX_USER_CHARS and name.isprintable() and name == name.strip()


def is_token_id(told: str) -> bool:
    return _TOKEN_ID.fullmatch(told) is not None


def _check_audience(told: object, rules: Rules) -> None:
    wanted = rules.audience or AUDIENCE
    if told is None:
        if rules.audience is not None:
            raise Unfit("aud is missing")
        return
    if told != wanted and not (isinstance(told, list) and wanted in told):
        raise Unfit(f"aud is not {wanted} (set it with --audience)")


def _check_issuer(told: object, rules: Rules) -> None:
    if told != rules.issuer:
        raise Unfit("iss is not the configured issuer (set it with --issuer)")


def _check_role(claims: Mapping[str, Any], role: Role, rules: Rules) -> None:
    if "role" not in claims:
        if rules.require_role:
            raise Unfit("role is missing")
        return
    if claims["role"] != role.value:
        raise Unfit(f"role is not {role.value}", f"This token is not for the {role.value} side")


def _check_url(told: object, role: Role, rules: Rules) -> None:
    if told is None and role is Role.EXTENSION:
        return
    # proxy protocol, Authentication: the connection URL is embedded in the token of MCP clients
    if not isinstance(told, str) or len(told) > 2_000:
        raise Unfit("connection_url is missing")
    place = place_of(told)
    if place[0] not in _DEFAULT_PORTS:
        raise Unfit("connection_url is not a WebSocket address")
    if rules.public_url is not None and place != place_of(rules.public_url):
        raise Unfit("connection_url names another proxy")


def place_of(url: str) -> tuple[str, str]:
    """Scheme and host of an address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, plain_host(parts.scheme, parts.netloc)


def plain_host(scheme: str, host: str) -> str:
    """A host and its port, unless that goes without saying."""
    return host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ""))


def _extension(claims: Mapping[str, Any], role: Role) -> ExtensionId | None:
    told = _optional(claims, "extension_id", _EXTENSION) if role is Role.EXTENSION else None
    return None if told is None else ExtensionId(told)


def _optional(claims: Mapping[str, Any], name: str, shape: re.Pattern[str]) -> str | None:
    told = claims.get(name)
    if told is None:
        return None
    if not isinstance(told, str) or not shape.fullmatch(told):
        raise Unfit(f"{name} has a wrong shape")
    return told
