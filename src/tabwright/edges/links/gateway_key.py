"""The gateway's own key, by which extensions behind a proxy know it: made on first use, kept in the home folder.

An extension trusts a key once its person said so (`extension/background/gateways.js`). What is signed holds the
proxy's address, the extension's nonce, the connection and the browser's profile, so that no other client can use it;
nor can a proxy that we were led to show it at another one.
"""

import base64
import hashlib
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tabwright.edges.runtime import create_private
from tabwright.errors import GatewayError
from tabwright.model import JsonObject

PURPOSE: Final = "tabwright gateway 2"
BYTES: Final = 32


class KeyUnreadable(GatewayError):
    """The file is no such key."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is not a P-256 key.", "Remove it; browsers will ask again whether to trust the gateway."
        )


@dataclass(frozen=True, slots=True)
class GatewayKey:
    """A P-256 key. `digits` is what both sides show of it, `fingerprint` what an operator writes down."""

    private: ec.EllipticCurvePrivateKey
    name: str

    def proof(self, proxy: str, nonce: str, connection: str, profile: str) -> JsonObject:
        """What `prove` takes: who we are, and that this is so at this proxy (its origin), connection and browser."""
        text = "\n".join((PURPOSE, proxy, nonce, connection, profile))
        r, s = decode_dss_signature(self.private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        x, y = self._point
        return {"name": self.name, "x": x, "y": y, "signature": _base64url(r.to_bytes(BYTES) + s.to_bytes(BYTES))}

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(".".join(self._point).encode()).hexdigest()

    @property
    def digits(self) -> str:
        """So many that nobody finds another key with the same ones: six would take seconds."""
        shown = f"{int(self.fingerprint, 16) % 10**20:020}"
        return " ".join(shown[start : start + 5] for start in range(0, 20, 5))

    @property
    def _point(self) -> tuple[str, str]:
        numbers = self.private.public_key().public_numbers()
        return _base64url(numbers.x.to_bytes(BYTES)), _base64url(numbers.y.to_bytes(BYTES))


def gateway_key(path: Path) -> GatewayKey:
    """The key in this file, or a new one.

    Raises:
        UnsafeFiles: a link or somebody else's file lies there.
        KeyUnreadable: what is there is no key of this kind.
    """
    create_private(path)
    kept = path.read_bytes()
    if not kept:
        private = ec.generate_private_key(ec.SECP256R1())
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        path.write_bytes(private.private_bytes(*form))
        return GatewayKey(private, socket.gethostname())
    try:
        read = serialization.load_pem_private_key(kept, None)
    except (ValueError, TypeError):
        raise KeyUnreadable(path) from None
    if not isinstance(read, ec.EllipticCurvePrivateKey) or not isinstance(read.curve, ec.SECP256R1):
        raise KeyUnreadable(path)
    return GatewayKey(read, socket.gethostname())


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
