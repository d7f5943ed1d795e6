"""The handshake's proofs against vectors computed here with nothing but hmac, and what refuses a hello."""

import hashlib
import hmac

import pytest

from tabwright.link.handshake import Handshake, HandshakeRefused, Hello, PairingOffer, key_for
from tabwright.model import Json, JsonObject

KEY = bytes(range(16))
EXTENSION = "abcdefghijklmnopabcdefghijklmnop"
PROFILE = "0123456789abcdef0123456789abcdef"
CLIENT_NONCE = "c" * 32
SERVER_NONCE = "s" * 32
MESSAGE: JsonObject = {
    "type": "hello", "protocol": 1, "extensionId": EXTENSION, "profileId": PROFILE, "nonce": CLIENT_NONCE,
}  # fmt: skip
HELLO = Hello(EXTENSION, PROFILE, CLIENT_NONCE, pairing=False)
HANDSHAKE = Handshake(KEY, HELLO, SERVER_NONCE)


def signed(purpose: str, key: bytes = KEY) -> str:
    said = f"{purpose}\n{EXTENSION}\n{PROFILE}\n{CLIENT_NONCE}\n{SERVER_NONCE}"
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def test_the_gateway_proves_itself_first() -> None:
    challenge = {"type": "challenge", "nonce": SERVER_NONCE, "proof": signed("tabwright server")}
    assert HANDSHAKE.challenge() == challenge


def test_the_extension_answers_with_a_proof_of_its_own() -> None:
    assert HANDSHAKE.extension_proof() == signed("tabwright extension")
    assert HANDSHAKE.accepts(signed("tabwright extension"))


@pytest.mark.parametrize(
    "proof",
    [None, 7, "", "é", signed("tabwright server"), signed("tabwright extension", b"other key"), signed("x")[:-1]],
)
def test_no_other_proof_is_accepted(proof: object) -> None:
    assert not HANDSHAKE.accepts(proof)


def test_a_pairing_leaves_a_key_and_six_digits_that_both_sides_compute() -> None:
    assert HANDSHAKE.pairing_key() == bytes.fromhex(signed("tabwright pairing"))
    assert HANDSHAKE.digits() == str(int(signed("tabwright digits")[:8], 16) % 10**6).rjust(6, "0")


def test_the_vectors_never_change() -> None:
    # literal values: every other implementation of either side is held to the same ones
    assert HANDSHAKE.challenge()["proof"] == "7dc0da7cc60d32867acf6d011658b5b8941af50990fcee89a20cbd75728cf5d8"
    assert HANDSHAKE.extension_proof() == "64c3956960a9463f3cdb2540be82efe1253e653ebe39250d1514ba73c14a563e"
    assert HANDSHAKE.pairing_key().hex() == "b80fab01877068c65bfa07afb527d241caf0798a465ccfee9d1215d5b6e94264"
    assert HANDSHAKE.digits() == "477583"


def test_a_hello_is_read() -> None:
    assert Hello.parse(MESSAGE) == HELLO
    assert Hello.parse({**MESSAGE, "pairing": True}).pairing
    assert not Hello.parse({**MESSAGE, "pairing": "yes"}).pairing


@pytest.mark.parametrize("protocol", [None, 0, 2, "1"])
def test_another_protocol_is_refused_with_what_to_do(protocol: Json) -> None:
    with pytest.raises(HandshakeRefused, match=r"speaks protocol 1.*Update"):
        Hello.parse({**MESSAGE, "protocol": protocol})


@pytest.mark.parametrize("field", ["extensionId", "profileId", "nonce"])
@pytest.mark.parametrize("value", [None, 7, "", "x" * 15, "x" * 65])
def test_a_field_that_is_missing_short_or_long_is_refused(field: str, value: Json) -> None:
    with pytest.raises(HandshakeRefused, match="hello carries"):
        Hello.parse({**MESSAGE, field: value})


def nobody(extension_id: str, profile_id: str) -> bytes | None:
    return None


def test_a_paired_browser_has_to_prove_its_own_key() -> None:
    asked: list[tuple[str, str]] = []

    def known(extension_id: str, profile_id: str) -> bytes | None:
        asked.append((extension_id, profile_id))
        return KEY

    assert key_for(HELLO, None, 0.0, known) == KEY
    assert asked == [(EXTENSION, PROFILE)]


def test_an_unpaired_browser_is_refused() -> None:
    with pytest.raises(HandshakeRefused, match=r"not paired.*tabwright pair"):
        key_for(HELLO, PairingOffer(KEY, 120.0), 0.0, nobody)


PAIRING = Hello(EXTENSION, PROFILE, CLIENT_NONCE, pairing=True)


def test_a_pairing_offer_is_good_for_five_tries() -> None:
    offer = PairingOffer(KEY, expires_at=120.0)
    assert [key_for(PAIRING, offer, 0.0, nobody) for _ in range(5)] == [KEY] * 5
    assert not offer.usable(0.0)
    with pytest.raises(HandshakeRefused, match="No pairing is under way"):
        key_for(PAIRING, offer, 0.0, nobody)


def test_a_pairing_offer_expires() -> None:
    offer = PairingOffer(KEY, expires_at=120.0)
    assert offer.usable(119.9)
    assert not offer.usable(120.0)
    with pytest.raises(HandshakeRefused, match="No pairing is under way"):
        key_for(PAIRING, offer, 120.0, nobody)
    assert offer.tries == 0


def test_nobody_pairs_without_an_offer_even_if_known() -> None:
    with pytest.raises(HandshakeRefused, match="No pairing is under way"):
        key_for(PAIRING, None, 0.0, lambda extension_id, profile_id: KEY)
