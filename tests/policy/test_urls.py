"""Addresses as a person means them and a browser reads them."""

import subprocess
import sys

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.errors import InvalidArguments
from tabwright.policy.categories import categories_of
from tabwright.policy.sites import host_here, is_metadata
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
        ("https://user:word@a.test/x", "https://a.test"),
        ("https://a.test@b.test/", "https://b.test"),
        ("https://a.test\\@b.test/", "https://a.test"),
        ("https://a.test:99999/", ""),
        ("https://[::1]:3000/x", "https://[::1]:3000"),
        ("HTTPS://A.Test./x", "https://a.test."),
        ("blob:https://a.test/2b1c", "https://a.test"),
    ],
)
def test_an_origin_is_told_or_empty(url: str, origin: str) -> None:
    assert origin_of(url) == origin


_PARTS = st.sampled_from(
    ["a.test", "127.1", "0x7f.1", "@", ":", "80", "/", "\\\\", "?", "#", "[::1]", "%2e", "\t", "xn--", "ü"]
)


@settings(deadline=None)
@given(st.sampled_from(["http://", "https://", "HTTPS:", "blob:https://"]), st.lists(_PARTS, max_size=6))
def test_an_origin_is_the_one_of_the_whole_address(scheme: str, parts: list[str]) -> None:
    url = scheme + "".join(parts)
    whole = ada_url.URL(url).origin if ada_url.check_url(url) else ""
    assert origin_of(url) == whole.replace("null", "")


_HOSTS = ["a", "b.c", "1.2", "127.0.0.1", "256.1.1.1", "01.2.3.4", "0x7f", "-", "--", "xn--a", "ü", "A", ".", "..", " "]
_ENDS = ["@", ":", ":80", ":443", ":8080", ":65536", "/", "/.", "/..x", "x.", "%2e", "%2E", "%20", "%", "\\", "\n"]
_PLAIN_PARTS = st.sampled_from([*_HOSTS, *_ENDS, "?", "#", "'", "(", "~", "_", "|", "[", "^", "/path", "=", "&", "+"])


@settings(deadline=None, max_examples=500)
@given(st.sampled_from(["http://", "https://"]), st.lists(_PLAIN_PARTS, min_size=1, max_size=6))
def test_what_is_read_without_the_parser_is_what_the_parser_reads(scheme: str, parts: list[str]) -> None:
    url = (scheme + "".join(parts)).strip()
    if not ada_url.check_url(url):
        with pytest.raises(InvalidArguments):
            read_address(url)
        return
    read, told = ada_url.URL(url), read_address(url)
    port = int(read.port) if read.port else {"http:": 80, "https:": 443}[read.protocol]
    assert told == Address(read.href, read.protocol.removesuffix(":"), read.hostname, port, read.origin)


_USUAL = [
    "https://example.com",
    "https://www.example.co.uk/a/b.html?q=two+words&x=%C3%BC#part-2",
    "http://localhost:3000/",
    "http://127.0.0.1:8000/admin/auth/user/?all&turn=3",
    "https://a-b.example/~user/file%20name.pdf",
]


def test_usual_addresses_are_read_without_the_parser() -> None:
    script = (
        "import sys; from tabwright.policy.urls import origin_of, read_address\n"
        f"for url in {_USUAL!r}: assert origin_of(read_address(url).href)\n"
        "for url in ('chrome://newtab/', 'chrome-extension://abc/x.html', 'data:,x'): assert not origin_of(url)\n"
        "print('ada_url' in sys.modules, read_address('https://bücher.example').host, 'ada_url' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.split() == ["False", "xn--bcher-kva.example", "True"]


@pytest.mark.parametrize("secret", ["one-time-code", "?token=one-time-code", "#one-time-code"])
def test_no_more_of_an_address_is_remembered_than_its_host(secret: str) -> None:
    url = f"https://a.test/{secret}"
    address = read_address(url)
    held = sys.getrefcount(url), sys.getrefcount(address)
    origin_of(url)
    is_metadata(address)
    categories_of(address)
    assert (sys.getrefcount(url), sys.getrefcount(address)) == held


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = read_address(text)
    except InvalidArguments:
        return
    assert read_address(address.href) == address
    assert isinstance(address.loopback, bool)


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("http://localhost.:3000", "localhost"),
        ("http://app.localhost", "app.localhost"),
        ("http://[::1]:3000", "::1"),
        ("http://127.0.0.2", "127.0.0.2"),
        ("http://app-127-0-0-2.nip.io", "127.0.0.2"),
        ("http://7f000001.nip.io", "127.0.0.1"),
        ("http://10.0.0.1.nip.io", None),
        ("http://a.test", None),
    ],
)
def test_this_machine_knows_under_which_host_it_reaches_what_is_its_own(written: str, host: str | None) -> None:
    assert host_here(read_address(written)) == host
