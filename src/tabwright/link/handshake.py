"""Who is at the other end of :8765: mutual proof of the pairing key, before anything else is said.

hello -> challenge (the gateway proves itself first, so a squatter on the port learns nothing) -> proof -> welcome.
A pairing in progress uses the one-time key in place of the pairing key and leaves a new pairing key behind.
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright.errors import GatewayError
from tabwright.model import JsonObject

PROTOCOL: Final = 1
MAX_TRIES: Final = 5
_ID_CHARS: Final = 64


class HandshakeRefused(GatewayError):
    """The peer is not who it must be; the socket closes with 4401."""

    code = -32000
    word = "unauthorized"


@dataclass(frozen=True, slots=True)
class Hello:
    extension_id: str
    profile_id: str
    nonce: str
    pairing: bool

    @classmethod
    def parse(cls, message: JsonObject) -> "Hello":
        """Raises:
        HandshakeRefused: a field is missing, too long, or of another protocol.
        """
        told = message.get("protocol")
        if told != PROTOCOL or type(told) is not int:
            raise HandshakeRefused(
                f"This gateway speaks protocol {PROTOCOL}.", "Update the tabwright extension or the gateway."
            )
        values = [message.get(key) for key in ("extensionId", "profileId", "nonce")]
        fields = [value for value in values if isinstance(value, str) and 16 <= len(value) <= _ID_CHARS]
        if len(fields) != 3:
            raise HandshakeRefused("hello carries extensionId, profileId and nonce.")
        return cls(fields[0], fields[1], fields[2], message.get("pairing") is True)


@dataclass(frozen=True, slots=True)
class Handshake:
    """One connection's proof, on both sides of the same key."""

    key: bytes
    hello: Hello
    nonce: str

    def challenge(self) -> JsonObject:
        return {"type": "challenge", "nonce": self.nonce, "proof": self._sign("tabwright server")}

    def accepts(self, proof: object) -> bool:
        return isinstance(proof, str) and hmac.compare_digest(
            proof.encode(), self._sign("tabwright extension").encode()
        )

    def extension_proof(self) -> str:
        """What the extension has to answer: for tests and for other implementations of the far side."""
        return self._sign("tabwright extension")

    def pairing_key(self) -> bytes:
        """The key both sides keep after a pairing with a one-time key."""
        return bytes.fromhex(self._sign("tabwright pairing"))

    def digits(self) -> str:
        """Six digits both sides show for comparison. Never a key: a million codes fall to brute force."""
        return f"{int(self._sign('tabwright digits')[:8], 16) % 1_000_000:06d}"

    def _sign(self, purpose: str) -> str:
        fields = (purpose, self.hello.extension_id, self.hello.profile_id, self.hello.nonce, self.nonce)
        return hmac.new(self.key, "\n".join(fields).encode(), hashlib.sha256).hexdigest()


@dataclass(slots=True)
class PairingOffer:
    """A one-time key: two minutes, five tries, one use; for whoever has it, or for one browser alone."""

    key: bytes
    expires_at: float
    profile_id: str | None = None
    tries: int = 0

    def usable(self, now: float) -> bool:
        return now < self.expires_at and self.tries < MAX_TRIES

    def suits(self, hello: Hello) -> bool:
        return self.profile_id in (None, hello.profile_id)


def offer_for(hello: Hello, offers: Sequence[PairingOffer], now: float) -> PairingOffer | None:
    """The offer that this hello takes up, of those made so far: the latest that it can."""
    return next((offer for offer in reversed(offers) if offer.usable(now) and offer.suits(hello)), None)


def key_for(hello: Hello, offer: PairingOffer | None, now: float, known: Callable[[str, str], bytes | None]) -> bytes:
    """The key this hello has to prove.

    Raises:
        HandshakeRefused: nobody is pairing, or this profile was never paired.
    """
    if hello.pairing:
        if offer is None or not offer.usable(now):
            raise HandshakeRefused("No pairing is under way, or its key is used up.", "Run `tabwright pair`.")
        offer.tries += 1
        return offer.key
    key = known(hello.extension_id, hello.profile_id)
    if key is None:
        raise HandshakeRefused("This browser is not paired with this gateway.", "Run `tabwright pair`.")
    return key
