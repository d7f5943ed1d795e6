"""The gateway's own key: made once, for its user alone, and what it signs is checked with the public half."""

import base64
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from tabwright.edges.links.gateway_key import KeyUnreadable, gateway_key
from tabwright.edges.runtime import UnsafeFiles


def number(text: object) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(f"{text}="))


def test_a_proof_is_for_one_proxy_nonce_connection_and_browser(tmp_path: Path) -> None:
    proof = gateway_key(tmp_path / "key").proof("wss://p.test", "n", "conn-1", "profile")
    raw = base64.urlsafe_b64decode(f"{proof['signature']}==")
    signature = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    public = ec.EllipticCurvePublicNumbers(number(proof["x"]), number(proof["y"]), ec.SECP256R1()).public_key()
    public.verify(signature, b"tabwright gateway 2\nwss://p.test\nn\nconn-1\nprofile", ec.ECDSA(hashes.SHA256()))
    for other in (b"wss://p.test\nn\nconn-2\nprofile", b"wss://q.test\nn\nconn-1\nprofile", b"n\nconn-1\nprofile"):
        with pytest.raises(InvalidSignature):
            public.verify(signature, b"tabwright gateway 2\n" + other, ec.ECDSA(hashes.SHA256()))


def test_it_is_the_same_after_a_restart_and_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "key"
    assert gateway_key(path).digits == gateway_key(path).digits
    assert len(bytes.fromhex(gateway_key(path).fingerprint)) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert gateway_key(tmp_path / "other").digits != gateway_key(path).digits


def test_what_is_no_key_or_a_link_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("no key")
    with pytest.raises(KeyUnreadable, match="Remove it"):
        gateway_key(tmp_path / "key")
    (tmp_path / "link").symlink_to(tmp_path / "key")
    with pytest.raises(UnsafeFiles):
        gateway_key(tmp_path / "link")
