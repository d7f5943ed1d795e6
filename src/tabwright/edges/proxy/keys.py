"""Keys that sign and check tokens: files, and key sets fetched from an address. One key, one algorithm.

A key's algorithm follows from its type and from nothing a token says. A fetched set is kept while its address does not
answer, and asked for at most once in thirty seconds, however many unknown key ids arrive.
"""

import asyncio
import json
import logging
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Protocol

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tabwright.edges.runtime import create_private
from tabwright.errors import GatewayError
from tabwright.proxy_settings import MIN_SECRET_BYTES
from tabwright.settings import SettingsError

log = logging.getLogger(__name__)

FETCH_S: Final = 3.0
COOLDOWN_S: Final = 30.0
STALE_S: Final = 120.0
MAX_SET_BYTES: Final = 256 * 1024
MIN_RSA_BITS: Final = 2048


class KeyUnusable(GatewayError):
    """A key that does not do; the proxy does not start."""


@dataclass(frozen=True, slots=True)
class Key:
    """Something that checks (or signs) tokens, and the only algorithm it does that with."""

    material: Any = field(repr=False)
    algorithm: str


class Keys(Protocol):
    async def find(self, key_id: str | None) -> Key | None:
        """The key a token may be signed with; its `kid` is a look-up key and nothing else."""
        ...

    @property
    def ready(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class OneKey:
    """A key of our own: whatever `kid` a token names."""

    key: Key
    ready: bool = True

    async def find(self, key_id: str | None) -> Key | None:
        return self.key


def secret_key(path: Path) -> Key:
    """Raises:
    KeyUnusable: it cannot be read, or is too short to withstand guessing.
    """
    secret = _read(path).strip()
    if len(secret) < MIN_SECRET_BYTES:
        raise KeyUnusable(
            f"{path} holds {len(secret)} bytes.", f"A secret has at least {MIN_SECRET_BYTES}: openssl rand -hex 32."
        )
    return Key(secret, "HS256")


def public_key(path: Path) -> Key:
    """Raises:
    KeyUnusable: it is no public key of a kind we take.
    """
    try:
        return _key(serialization.load_pem_public_key(_read(path)), str(path))
    except (ValueError, TypeError) as exc:
        raise KeyUnusable(f"{path} is not a public key in PEM: {exc}.", "Run `tabwright proxy init`.") from None


def private_key(path: Path) -> Key:
    """Raises:
    KeyUnusable: it is no private key of a kind we take.
    """
    try:
        loaded: Any = serialization.load_pem_private_key(_read(path), password=None)
        return Key(loaded, _key(loaded.public_key(), str(path)).algorithm)
    except (ValueError, TypeError) as exc:
        raise KeyUnusable(f"{path} is not a private key in PEM: {exc}.", "Run `tabwright proxy init`.") from None


def make_pair(private: Path, public: Path) -> bool:
    """A new pair, unless there is one: tokens that are out must stay good.

    Raises:
        SettingsError: half a pair is there, which a new one would overwrite.
    """
    if private.exists() and public.exists():
        return False
    for half in (private, public):
        if half.exists():
            raise SettingsError(
                f"{half} is there without its other half, and is left as it is.",
                "Put the other half back, or move this one away for new keys: tokens signed so far end with it.",
            )
    private.parent.mkdir(mode=0o700, exist_ok=True)
    key, form = ed25519.Ed25519PrivateKey.generate(), serialization
    create_private(private)
    private.write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))
    create_private(public)
    public.write_bytes(key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    return True


def _key(loaded: object, name: str) -> Key:
    match loaded:
        case ed25519.Ed25519PublicKey():
            return Key(loaded, "EdDSA")
        case ec.EllipticCurvePublicKey() if isinstance(loaded.curve, ec.SECP256R1):
            return Key(loaded, "ES256")
        case rsa.RSAPublicKey() if loaded.key_size >= MIN_RSA_BITS:
            return Key(loaded, "RS256")
        case _:
            raise KeyUnusable(f"{name} is of a kind not taken.", "Use Ed25519, P-256, or RSA of 2048 bits or more.")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise KeyUnusable(f"{path} cannot be read: {exc.strerror}.", "Look at its path and rights.") from None


class KeySet:
    """Keys at an address."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._keys: dict[str | None, Key] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching = asyncio.Lock()

    @property
    def ready(self) -> bool:
        return bool(self._keys)

    async def find(self, key_id: str | None) -> Key | None:
        if key_id not in self._keys or self._clock() - self._fetched_at > STALE_S:
            await self.refresh()
        return self._keys.get(key_id)

    async def refresh(self) -> None:
        """Fetch the set, unless that was tried a moment ago."""
        async with self._fetching:
            now = self._clock()
            if now - self._tried_at < COOLDOWN_S:
                return
            self._tried_at = now
            try:
                async with asyncio.timeout(FETCH_S + 1):
                    self._keys = _parse_set(await asyncio.to_thread(_fetch, self._url))
                self._fetched_at = now
            except (OSError, ValueError, RecursionError, HTTPException) as exc:
                log.warning("the key set cannot be fetched: %s", type(exc).__name__)


class _NoDetours(urllib.request.HTTPRedirectHandler):
    """Keys come from the configured address or not at all."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


def _fetch(url: str) -> bytes:
    opener = urllib.request.build_opener(_NoDetours)
    with opener.open(url, timeout=FETCH_S) as answer:
        data: bytes = answer.read(MAX_SET_BYTES + 1)
    if len(data) > MAX_SET_BYTES:
        raise ValueError("too large")
    return data


def _parse_set(data: bytes) -> dict[str | None, Key]:
    """The usable keys of a set by id; a lone one answers for tokens that name none, too.

    Raises:
        ValueError: it is no key set.
    """
    found: dict[str | None, Key] = {}
    match json.loads(data):
        case {"keys": [*entries]}:
            pass
        case _:
            raise ValueError("no key set")
    for entry in entries:
        key = _parse_jwk(entry)
        if key is not None:
            found[entry.get("kid")] = key
    if len(found) == 1:
        found[None] = next(iter(found.values()))
    return found


def _parse_jwk(entry: dict[str, Any]) -> Key | None:
    try:
        if entry.get("use", "sig") != "sig" or "d" in entry or not isinstance(entry.get("kid"), str | None):
            return None
        key = _key(jwt.PyJWK.from_dict(entry).key, "a key of the set")
        return key if entry.get("alg", key.algorithm) == key.algorithm else None
    except (jwt.PyJWTError, KeyUnusable, ValueError, TypeError, AttributeError):
        return None
