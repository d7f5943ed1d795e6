"""Whose socket it is: over both families, by the kernel's answer and by its tables; nobody's when nobody is there."""

import os
import socket
from collections.abc import Callable
from contextlib import closing

import pytest

from tabwright.edges import peers
from tabwright.edges.peers import owner_of, same_user

Address = tuple[str, int]
WAYS: list[Callable[[Address, Address], int | None]] = [
    owner_of,
    vars(peers)["_ask_kernel"],
    vars(peers)["_read_tables"],
]


def loopback(family: socket.AddressFamily) -> socket.socket:
    host = "::1" if family is socket.AF_INET6 else "127.0.0.1"
    try:
        return socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"this machine has no {host}")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_peer_of_our_own_user_is_known_over_both_families(
    family: socket.AddressFamily, way: Callable[[Address, Address], int | None]
) -> None:
    with loopback(family) as listener:
        here: Address = listener.getsockname()[:2]
        with socket.create_connection(here) as peer, listener.accept()[0] as ours:
            there: Address = peer.getsockname()[:2]
            assert ours.getpeername()[:2] == there
            assert way(there, here) == os.geteuid()
            assert way((there[0], 1), here) is None, "nobody"
            assert way(here, there) == os.geteuid(), "our own end is ours too"


@pytest.mark.parametrize("way", WAYS)
def test_a_peer_on_a_socket_of_the_other_family_is_known(way: Callable[[Address, Address], int | None]) -> None:
    with loopback(socket.AF_INET) as listener, closing(socket.socket(socket.AF_INET6)) as peer:
        here: Address = listener.getsockname()
        peer.connect((f"::ffff:{here[0]}", here[1]))
        accepted, there = listener.accept()
        with accepted:
            assert way(there, here) == os.geteuid()


@pytest.mark.parametrize("way", WAYS)
def test_a_listener_is_no_peer(way: Callable[[Address, Address], int | None]) -> None:
    with loopback(socket.AF_INET) as listener:
        assert way(listener.getsockname(), ("127.0.0.1", 9)) is None


def test_without_addresses_nobody_is_the_same_user() -> None:
    assert not same_user(None, ("127.0.0.1", 1))
    assert not same_user(("127.0.0.1", 1), None)
