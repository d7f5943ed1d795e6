"""Who may knock: the table of Host, Origin and Sec-Fetch-Site."""

import pytest

from tabwright.policy.doors import Knock, Refusal, allowed_hosts, check_extension, check_host, check_http

HOSTS = allowed_hosts(3456, ["gateway.internal"])
ORIGINS = frozenset({"https://app.test"})
OURS = "abcdefghijklmnopabcdefghijklmnop"
HOST = ("Host", "127.0.0.1:3456")

Headers = list[tuple[str, str]]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:3456", "localhost:3456", "LocalHost:3456", "[::1]:3456", "gateway.internal:3456"]
)
def test_our_own_hosts_are_served(host: str) -> None:
    assert check_host(Knock.of([("Host", host)]), HOSTS) is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 400),
        ([HOST, HOST], 400),
        ([HOST, ("host", "evil.test")], 400),
        ([("Host", "evil.test:3456")], 421),
        ([("Host", "127.0.0.1")], 421),
        ([("Host", "127.0.0.1:3457")], 421),
        ([("Host", "127.0.0.1:3456.evil.test")], 421),
        ([("Host", "localhost.evil.test:3456")], 421),
        ([("Host", "")], 421),
        ([("Host", "127.0.0.2:3456")], 421),
    ],
)
def test_any_other_host_is_refused(headers: Headers, status: int) -> None:
    for refusal in (
        check_host(Knock.of(headers), HOSTS),
        check_http(Knock.of(headers), HOSTS, ORIGINS),
        check_extension(Knock.of(headers), HOSTS, [OURS]),
    ):
        assert isinstance(refusal, Refusal)
        assert refusal.status == status


@pytest.mark.parametrize(
    ("headers", "served"),
    [
        ([], True),
        ([("Sec-Fetch-Mode", "cors")], True),
        ([("Origin", "https://app.test")], True),
        ([("Origin", "https://app.test"), ("Sec-Fetch-Site", "cross-site")], True),
        ([("Origin", "https://APP.test")], False),
        ([("Origin", "https://app.test.evil.test")], False),
        ([("Origin", "http://app.test")], False),
        ([("Origin", "https://app.test:8443")], False),
        ([("Origin", "null")], False),
        ([("Origin", "")], False),
        ([("Origin", "http://127.0.0.1:3456")], False),
        ([("Origin", "https://app.test"), ("Origin", "https://app.test")], False),
        ([("Origin", "https://evil.test"), ("Origin", "https://app.test")], False),
        ([("Sec-Fetch-Site", "none")], False),
        ([("Sec-Fetch-Site", "same-origin")], False),
        ([("Sec-Fetch-Dest", "empty")], False),
        ([("sec-fetch-user", "?1")], False),
        ([("Origin", f"chrome-extension://{OURS}")], False),
    ],
)
def test_a_browser_is_served_over_http_only_from_an_exactly_configured_origin(headers: Headers, served: bool) -> None:
    refusal = check_http(Knock.of([HOST, *headers]), HOSTS, ORIGINS)
    assert (refusal is None) is served
    assert refusal is None or refusal.status == 403


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ([], None),
        ([("Sec-Fetch-Mode", "websocket")], None),
        ([("Origin", f"chrome-extension://{OURS}")], OURS),
        ([("Origin", f"chrome-extension://{OURS}"), ("Sec-Fetch-Site", "none")], OURS),
        ([("Origin", "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba")], 403),
        ([("Origin", f"chrome-extension://{OURS}x")], 403),
        ([("Origin", f"moz-extension://{OURS}")], 403),
        ([("Origin", "https://app.test")], 403),
        ([("Origin", "http://127.0.0.1:3456")], 403),
        ([("Origin", "null")], 403),
        ([("Origin", f"chrome-extension://{OURS}")] * 2, 403),
        ([("Sec-Fetch-Site", "cross-site")], 403),
    ],
)
def test_only_a_known_extension_or_no_browser_at_all_reaches_the_extension_port(
    headers: Headers, verdict: str | int | None
) -> None:
    told = check_extension(Knock.of([HOST, *headers]), HOSTS, [OURS])
    assert (told.status if isinstance(told, Refusal) else told) == verdict


def test_a_header_is_found_however_it_is_spelled_and_every_time() -> None:
    knock = Knock.of([("ORIGIN", "a"), ("x", "y"), ("origin", "b")])
    assert knock.values("origin") == ("a", "b")
    assert knock.from_browser
