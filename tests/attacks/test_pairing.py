"""T09, T11: a key is for one extension, is guessed five times at most, and is used once."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.commands.control_client import ask
from tabwright.edges.runtime import Home
from tabwright.link.handshake import MAX_TRIES, Handshake, Hello
from tests.attacks.wire import status
from tests.gateway import GatewayProcess, until

PROFILE = "a-profile-of-the-test"
OTHER_ID = "abcdefghijklmnopabcdefghijklmnop"
NONCE = "0" * 32


class Refused(Exception):
    """What the gateway said, and the code it closed with."""

    def __init__(self, message: dict[str, Any], code: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@contextmanager
def extension(gateway: GatewayProcess, origin: str | None = None) -> Generator[ClientConnection]:
    """A socket as our extension's service worker opens it."""
    told = f"chrome-extension://{origin or extension_id()}"
    address = f"ws://127.0.0.1:{gateway.extension_port}"
    with connect(address, origin=told, compression=None, proxy=None) as socket:  # pyright: ignore[reportArgumentType]
        yield socket


def shake(socket: ClientConnection, key: bytes, *, pairing: bool, said_id: str | None = None) -> tuple[Handshake, Any]:
    """The extension's part of the handshake with this key: how it ended.

    Raises:
        Refused: the gateway would not have it.
    """
    hello = Hello(said_id or extension_id(), PROFILE, NONCE, pairing)
    said = {"type": "hello", "protocol": 1, "extensionId": hello.extension_id, "profileId": PROFILE, "nonce": NONCE}
    socket.send(json.dumps(said | ({"pairing": True} if pairing else {})))
    challenge = answer(socket)
    handshake = Handshake(key, hello, challenge["nonce"])
    socket.send(json.dumps({"type": "proof", "proof": handshake.extension_proof()}))
    return handshake, answer(socket)


def answer(socket: ClientConnection) -> dict[str, Any]:
    told = json.loads(socket.recv(timeout=5))
    if told["type"] in ("challenge", "welcome"):
        return told
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=5)
    assert closed.value.rcvd is not None
    raise Refused(told, closed.value.rcvd.code)


def offer(gateway: GatewayProcess) -> bytes:
    told = ask(Home(gateway.home), "pair")
    assert told["page"] == f"chrome-extension://{extension_id()}/ui/pair.html#{told['key']}"
    key = bytes.fromhex(told["key"])
    assert len(key) == 16, "128 bits, out of reach of guessing"
    return key


def guess(gateway: GatewayProcess, key: bytes) -> tuple[Handshake, Any]:
    with extension(gateway) as socket:
        return shake(socket, key, pairing=True)


def test_five_wrong_proofs_and_the_offer_is_dead(target: GatewayProcess) -> None:
    key = offer(target)
    for _ in range(MAX_TRIES):
        with pytest.raises(Refused) as wrong:
            guess(target, b"a wrong key here")
        assert wrong.value.code == 4401
    assert MAX_TRIES == 5
    with pytest.raises(Refused) as late:
        guess(target, key)
    assert late.value.code == 4401
    assert key.hex() not in str(late.value.message)
    assert key.hex() not in target.log()


def test_a_key_pairs_once_and_what_it_left_behind_opens_the_door(target: GatewayProcess) -> None:
    key = offer(target)
    handshake, welcome = guess(target, key)
    assert welcome == {"type": "welcome", "digits": handshake.digits()}
    with pytest.raises(Refused):
        guess(target, key)

    with extension(target) as socket:
        _, again = shake(socket, handshake.pairing_key(), pairing=False)
        assert again == {"type": "welcome"}
        socket.send(json.dumps({"type": "connected", "browser": {"name": "Test", "version": "1"}, "tabs": []}))
        until(lambda: [browser["id"] for browser in status(target)["browsers"]] == [PROFILE])
    with extension(target) as socket, pytest.raises(Refused):
        shake(socket, key, pairing=False)


def test_a_new_offer_voids_the_former(target: GatewayProcess) -> None:
    former, latter = offer(target), offer(target)
    with pytest.raises(Refused):
        guess(target, former)
    guess(target, latter)


def test_an_unpaired_profile_is_told_to_pair_and_nothing_else(target: GatewayProcess) -> None:
    with extension(target) as socket:
        hello = {"type": "hello", "protocol": 1, "extensionId": extension_id(), "profileId": "p" * 20, "nonce": NONCE}
        socket.send(json.dumps(hello))
        with pytest.raises(Refused) as told:
            answer(socket)
    assert told.value.code == 4401
    assert "tabwright pair" in str(told.value.message)


@pytest.mark.parametrize(
    "first",
    [
        "not json",
        "[]",
        '{"type":"hello"}',
        '{"type":"hello","protocol":2}',
        '{"type":"connected","browser":{"name":"Evil"},"tabs":[]}',
        '{"type":"hello","protocol":1,"extensionId":"' + "a" * 5000 + '","profileId":"x","nonce":"x"}',
        b"\x00\x01",
    ],
)
def test_our_extension_id_alone_is_worth_nothing(target: GatewayProcess, first: str | bytes) -> None:
    before = status(target)["browsers"]
    with extension(target) as socket:
        socket.send(first)
        with pytest.raises(Refused) as told:
            answer(socket)
        assert told.value.code == 4401
    assert status(target)["browsers"] == before


def test_before_the_proof_no_large_message_is_read(target: GatewayProcess) -> None:
    with extension(target) as socket:
        socket.send("x" * 20_000)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=5)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_another_extension_is_refused_and_our_key_does_not_help_it(target: GatewayProcess) -> None:
    handshake, _ = guess(target, offer(target))
    with pytest.raises(InvalidStatus) as stranger, extension(target, OTHER_ID):
        pass
    assert stranger.value.response.status_code == 403
    with extension(target) as socket, pytest.raises(Refused):
        # its own id in the hello, ours in the Origin
        shake(socket, handshake.pairing_key(), pairing=False, said_id=OTHER_ID)


def test_an_extension_the_person_admitted_needs_no_key(gateway: GatewayProcess) -> None:
    with pytest.raises(InvalidStatus), extension(gateway, OTHER_ID):
        pass
    assert gateway.run("pair", "--extension-id", "too-short").returncode == 1
    assert gateway.run("pair", "--extension-id", OTHER_ID).returncode == 0
    with extension(gateway, OTHER_ID) as socket:
        socket.send(json.dumps({"type": "connected", "browser": {"name": "Other", "version": "1"}, "tabs": []}))
        until(lambda: [browser["name"] for browser in status(gateway)["browsers"]] == ["Other"])
