"""Access tokens (JWT): checked strictly, issued, and revoked by a file of token ids."""

import json
import logging
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jwt

from tabwright.edges.proxy.keys import Key, Keys
from tabwright.edges.runtime import create_private
from tabwright.proxy.claims import Rules, identify
from tabwright.proxy.model import CDP, Identity, Refused, Role, UserId
from tabwright.proxy.roster import is_revoked

log = logging.getLogger(__name__)

MAX_TOKEN_CHARS: Final = 8 * 1024
MAX_KEY_ID_CHARS: Final = 256
# times are checked with the claims, where each is looked at as what it is
_UNCHECKED: Final = ("verify_exp", "verify_nbf", "verify_iat", "verify_aud", "verify_iss", "verify_sub", "verify_jti")
LOCAL: Final = Identity(UserId("local"), frozenset({CDP}))


class Revocations:
    """A file of revoked token ids and `user:NAME`s, a line each; read again when it changes."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._read_at: tuple[int, int] | None = None
        self._filed: frozenset[str] = frozenset()
        self._heard: frozenset[str] = frozenset()

    @property
    def listed(self) -> frozenset[str]:
        return self._filed | self._heard

    def hear(self, entries: frozenset[str]) -> None:
        """What is revoked on other replicas."""
        self._heard |= entries

    def changed(self) -> bool:
        """Look at the file: whether it lists something else than before."""
        if self._path is None:
            return False
        try:
            found = self._path.stat()
            if (mark := (found.st_mtime_ns, found.st_size)) == self._read_at:
                return False
            lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return False
        self._read_at = mark
        before, self._filed = self._filed, frozenset(line.strip() for line in lines if line.strip())
        return before != self._filed


class Tokens:
    """Checks tokens with the configured keys."""

    def __init__(self, keys: Keys | None, rules: Rules, revocations: Revocations) -> None:
        self._keys = keys
        self._rules = rules
        self._revocations = revocations

    @property
    def ready(self) -> bool:
        return self._keys is None or self._keys.ready

    async def verify(self, token: str | None, role: Role) -> Identity | Refused:
        """Who the bearer is. Without keys everyone is the one local user."""
        if self._keys is None:
            return LOCAL
        try:
            outcome = await self._verify(token or "", role)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, RecursionError) as exc:
            # the exception may quote the token
            outcome = Refused(reason=type(exc).__name__)
        if isinstance(outcome, Refused):
            log.info("token refused", extra={"reason": outcome.reason, "role": role.value})
        return outcome

    async def _verify(self, token: str, role: Role) -> Identity | Refused:
        assert self._keys is not None
        if len(token) > MAX_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
            return Refused(reason="no token of a plausible shape")
        header = jwt.get_unverified_header(token)
        key_id = header.get("kid")
        if "crit" in header or not isinstance(key_id, str | None) or len(key_id or "") > MAX_KEY_ID_CHARS:
            return Refused(reason="a header that is not understood")
        if str(header.get("typ", "JWT")).lower() not in ("jwt", "at+jwt", "application/at+jwt"):
            return Refused(reason="no access token")
        key = await self._keys.find(key_id)
        if key is None:
            return Refused(reason="unknown key")
        claims = decode(token, key)
        identity = identify(claims, role, self._rules, time.time())
        if isinstance(identity, Identity) and is_revoked(identity, self._revocations.listed):
            return Refused("Token revoked", "revoked")
        return identity


def decode(token: str, key: Key) -> dict[str, Any]:
    """The claims of a token whose signature is right.

    Raises:
        PyJWTError: it is not.
    """
    options: Any = {**dict.fromkeys(_UNCHECKED, False), "verify_signature": True}
    return jwt.decode(token, key.material, algorithms=[key.algorithm], options=options)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token is issued for."""

    user: UserId
    role: Role
    ttl_s: float
    connection_url: str
    scope: str = ""
    audience: str | None = None
    issuer: str | None = None
    extension_id: str | None = None


def issue(grant: Grant, key: Key) -> str:
    now = int(time.time())
    claims: dict[str, Any] = {
        "user_id": grant.user,
        "sub": grant.user,
        "connection_url": grant.connection_url,
        "role": grant.role.value,
        "iat": now,
        "exp": now + int(grant.ttl_s),
        "jti": secrets.token_hex(16),
    }
    more = {
        "scope": grant.scope,
        "aud": grant.audience,
        "iss": grant.issuer,
        "extension_id": grant.extension_id,
    }
    claims.update({name: value for name, value in more.items() if value})
    return jwt.encode(claims, key.material, algorithm=key.algorithm)


def peek(token: str) -> dict[str, Any]:
    """Header and claims of a token, believed or not.

    Raises:
        PyJWTError: it is no token.
    """
    return {
        "header": jwt.get_unverified_header(token),
        "claims": jwt.decode(token, options={"verify_signature": False}),
    }


def revoke(path: Path, entry: str) -> None:
    """Add a line to the revocation file; one write, so that a reader never sees half of it."""
    create_private(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{entry}\n")


def shown(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, default=str)
