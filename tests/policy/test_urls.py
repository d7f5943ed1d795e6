"""Addresses as a person means them and a browser reads them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.errors import InvalidArguments
from tabwright.policy.urls import Address, origin_of, read_address


@pytest.mark.parametrize(
    ("written", "href"),
    [
        ("https://a.test", "https://a.test/"),
        ("  https://a.test/x  ", "https://a.test/x"),
        ("a.test", "https://a.test/"),
        ("a.test:8080/x?q#f", "https://a.test:8080/x?q#f"),
        ("localhost:3000", "http://localhost:3000/"),
        ("app.localhost", "http://app.localhost/"),
        ("127.0.0.1:80", "http://127.0.0.1/"),
        ("127.1", "http://127.0.0.1/"),
        ("[::1]:3000", "http://[::1]:3000/"),
        ("HTTP://A.Test/", "http://a.test/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("about:blank", "about:blank"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("user:pass@a.test", "https://user:pass@a.test/"),
    ],
)
def test_an_address_is_completed_as_a_person_means_it(written: str, href: str) -> None:
    assert read_address(written).href == href


@pytest.mark.parametrize("written", ["", "   ", "not a url", "https://", "http://[", "foo:bar", "https://a b/", "//"])
def test_what_no_browser_could_open_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(InvalidArguments, match=r"Not a valid URL.*https://example\.com/"):
        read_address(written)


def test_an_address_knows_its_parts() -> None:
    address = read_address("https://A.test:8443/x")
    assert address == Address("https://a.test:8443/x", "https", "a.test", 8443, "https://a.test:8443")


@pytest.mark.parametrize(("written", "port"), [("http://a.test", 80), ("https://a.test", 443), ("data:,x", None)])
def test_a_default_port_is_told(written: str, port: int | None) -> None:
    assert read_address(written).port == port


@pytest.mark.parametrize(
    ("written", "loopback"),
    [
        ("http://localhost/", True),
        ("http://x.localhost/", True),
        ("http://127.0.0.1/", True),
        ("http://127.9.9.9/", True),
        ("http://0.0.0.0/", True),
        ("http://[::1]/", True),
        ("http://[::]/", True),
        ("http://[::ffff:7f00:1]/", True),
        ("http://[::ffff:808:808]/", False),
        ("http://8.8.8.8/", False),
        ("http://localhost.test/", False),
        ("http://notlocalhost/", False),
    ],
)
def test_this_machine_is_recognised(written: str, loopback: bool) -> None:
    assert read_address(written).loopback is loopback


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.test/x?y", "https://a.test"),
        ("http://a.test:80/", "http://a.test"),
        ("https://a.test:8443/", "https://a.test:8443"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_an_origin_is_told_or_empty(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = read_address(text)
    except InvalidArguments:
        return
    assert read_address(address.href) == address
    assert isinstance(address.loopback, bool)
