"""Names of hub tools: short enough for every client, unique, stable, and readable while there is room."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.hub.names import MAX_NAME, Identity, domain_of, name_of

SHOP = "https://shop.example"
WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=40).map(lambda word: f"a{word}a")
TOOLS = st.text("ABCabc019_.-", min_size=1, max_size=128)


@pytest.mark.parametrize(
    ("origin", "domain"),
    [
        ("https://example.com", "example_com"),
        ("https://example.com:8443", "example_com_8443"),
        ("http://localhost:3000", "localhost_3000"),
        ("http://example.com:80", "example_com"),
        ("https://xn--bcher-kva.example", "xn__bcher_kva_example"),
        ("http://[::1]:8080", "___1__8080"),
        ("null", "null"),
    ],
)
def test_the_domain_is_the_host_with_an_unusual_port(origin: str, domain: str) -> None:
    assert domain_of(origin) == domain


def test_a_name_says_site_tab_and_tool() -> None:
    cart = Identity(SHOP, "", "getCart")
    assert name_of(cart, 1) == "website_tool_shop_example_tab1_getCart"
    assert name_of(cart, None) == "website_tool_shop_example_getCart"
    assert name_of(Identity(SHOP, "", "cart.add"), 12) == "website_tool_shop_example_tab12_cart_add"


def test_too_long_a_name_loses_its_domain_first_and_the_tools_middle_then() -> None:
    long_domain = name_of(Identity("https://a.very.long.domain.example", "", "get_cart"), 3)
    assert re.fullmatch(r"website_tool_a_very_[a-z_]*_[0-9a-f]{6}_tab3_get_cart", long_domain), long_domain
    long_tool = name_of(Identity(SHOP, "", "begin_of_a_very_long_name_with_an_end"), 3)
    assert re.fullmatch(r"website_tool_shop_e_[0-9a-f]{6}_tab3_begin_\w*end", long_tool), long_tool
    assert max(len(long_domain), len(long_tool)) <= MAX_NAME


@given(host=WORDS, tool=TOOLS, tab=st.none() | st.integers(1, 10**6), frame=st.sampled_from(["", "7"]))
def test_every_name_is_valid_for_every_client(host: str, tool: str, tab: int | None, frame: str) -> None:
    identity = Identity(f"https://{host}.example", frame, tool)
    for distinct in (False, True):
        name = name_of(identity, tab, distinct=distinct)
        assert re.fullmatch(r"website_tool_[A-Za-z0-9_-]+", name)
        assert len(name) <= MAX_NAME
        assert name == name_of(identity, tab, distinct=distinct), "the same again"
        assert tab is None or f"_tab{tab}_" in name


def test_the_hash_tells_apart_origins_frames_and_tools() -> None:
    first = Identity("https://one.a.very.long.domain.example", "", "get_cart")
    names = {
        name_of(identity, 1, distinct=True)
        for identity in (
            first,
            Identity("https://two.a.very.long.domain.example", "", "get_cart"),
            Identity(first.origin, "4", "get_cart"),
            Identity(first.origin, "", "get.cart"),
        )
    }
    assert len(names) == 4
