"""Which proxy a gateway may give its token to."""

import base64
import json

import pytest

from tabwright.policy.via import WrongVia, check_token, is_this_machine, proxy_origin, read_via

VIA = "wss://proxy.example.com/mcp"


def made(**claims: object) -> str:
    told = {"connection_url": VIA, "exp": 2_000, **claims}
    body = {name: value for name, value in told.items() if value is not None}
    return f"eyJh.{base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip('=')}.c2ln"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("wss://proxy.example.com", VIA),
        (" WSS://Proxy.Example.com:443/ ", VIA),
        ("wss://proxy.example.com/mcp/", VIA),
        ("wss://proxy.example.com:8443/mcp", "wss://proxy.example.com:8443/mcp"),
        ("ws://127.0.0.1:8787", "ws://127.0.0.1:8787/mcp"),
        ("ws://localhost", "ws://localhost/mcp"),
        ("ws://[::1]:9/mcp", "ws://[::1]:9/mcp"),
    ],
)
def test_an_address_is_read_with_or_without_its_path(written: str, read: str) -> None:
    assert read_via(written) == read
    assert read == f"{proxy_origin(read)}/mcp"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("proxy.example.com", "not a WebSocket address"),
        ("https://proxy.example.com", "not a WebSocket address"),
        ("wss://", "not a WebSocket address"),
        ("ws://proxy.example.com", "unencrypted"),
        ("ws://127.0.0.1.example.com", "unencrypted"),
        ("wss://user:secret@proxy.example.com", "nothing belongs"),
        ("wss://proxy.example.com/extension", "nothing belongs"),
        ("wss://proxy.example.com/mcp?token=1", "nothing belongs"),
    ],
)
def test_another_address_is_refused_with_what_to_write(written: str, words: str) -> None:
    with pytest.raises(WrongVia, match=words):
        read_via(written)


def test_this_machine_is_told_from_others() -> None:
    assert is_this_machine("ws://127.0.0.1:1/mcp")
    assert not is_this_machine(VIA)
    assert not is_this_machine("nothing")


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"role": "mcp"},
        {"connection_url": "wss://PROXY.example.com:443"},
        {"connection_url": "wss://proxy.example.com/elsewhere"},
        {"exp": None},
    ],
)
def test_a_token_for_this_proxy_may_be_sent(claims: dict[str, object]) -> None:
    check_token(made(**claims), VIA, now=1_000)


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"connection_url": "wss://evil.example/mcp"}, "is for 'wss://evil.example/mcp', not for"),
        ({"connection_url": "ws://proxy.example.com/mcp"}, "not for"),
        ({"connection_url": "wss://proxy.example.com:8443/mcp"}, "not for"),
        ({"connection_url": "wss://proxy.example.com@evil.example/mcp"}, "not for"),
        ({"connection_url": "not an address"}, "not for"),
        ({"connection_url": "wss://[broken"}, "not for"),
        ({"connection_url": None}, "which proxy"),
        ({"role": "extension"}, "for a browser's extension"),
        ({"exp": 999}, "expired"),
    ],
)
def test_a_token_for_another_place_side_or_time_stays_here(claims: dict[str, object], words: str) -> None:
    with pytest.raises(WrongVia, match=words):
        check_token(made(**claims), VIA, now=1_000)


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c.d", "a.!.c", "a.b.c", "eyJh.WzFd.c2ln", f"{'x' * 9_000}.b.c"])
def test_what_is_no_token_stays_here(token: str) -> None:
    with pytest.raises(WrongVia, match="not a token"):
        check_token(token, VIA, now=1_000)
