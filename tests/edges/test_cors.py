"""CORS: exactly the configured origins may ask and read, and they still need the token."""

from collections.abc import Iterator

import pytest

from tests.attacks.wire import Answer, request
from tests.gateway import GatewayProcess, running
from tests.streams import JSON, stream

PAGE = "http://localhost:3000"
ROUTES = ("/sse", "/message", "/tools", "/mcp", "/health")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("cors") / "home", "--cors-origins", PAGE) as made:
        yield made


@pytest.fixture(scope="module")
def token(served: GatewayProcess) -> str:
    return f"Authorization: Bearer {(served.home / 'token').read_text().strip()}"


def preflight(gateway: GatewayProcess, route: str, origin: str, method: str = "POST", headers: str = "") -> Answer:
    asked = (f"Origin: {origin}", f"Access-Control-Request-Method: {method}")
    named = (f"Access-Control-Request-Headers: {headers}",) if headers else ()
    return request(gateway.port, "OPTIONS", route, *asked, *named)


def words(value: str | None) -> set[str]:
    return {word.strip().lower() for word in (value or "").split(",")}


def test_a_preflight_of_the_configured_origin_is_granted_without_token(served: GatewayProcess) -> None:
    for route in ROUTES:
        granted = preflight(served, route, PAGE, headers="content-type,authorization,mcp-session-id")
        assert granted.status == 200
        assert granted.header("access-control-allow-origin") == PAGE
        assert {"get", "post", "options"} <= words(granted.header("access-control-allow-methods"))
        assert {"content-type", "authorization"} <= words(granted.header("access-control-allow-headers"))
        assert "origin" in words(granted.header("vary"))
        assert granted.header("access-control-allow-credentials") is None


@pytest.mark.parametrize("origin", ["http://localhost:3001", "https://localhost:3000", "http://evil.test", "null"])
def test_any_other_origin_gets_neither_preflight_nor_headers(served: GatewayProcess, token: str, origin: str) -> None:
    for route in ROUTES:
        for answer in (
            preflight(served, route, origin),
            request(served.port, "GET", route, f"Origin: {origin}", token),
        ):
            assert (answer.status, answer.allows_cors) == (403, False)


def test_a_method_or_header_nobody_needs_is_not_granted(served: GatewayProcess) -> None:
    assert preflight(served, "/mcp", PAGE, "PATCH").status == 400
    assert preflight(served, "/mcp", PAGE, headers="x-evil").status == 400


def test_options_without_an_origin_is_not_answered(served: GatewayProcess) -> None:
    for route in ROUTES:
        answer = request(served.port, "OPTIONS", route, "Access-Control-Request-Method: POST")
        assert (answer.status, answer.allows_cors) == (405, False), route


def test_a_page_needs_the_token_and_can_read_that_it_does(served: GatewayProcess) -> None:
    refused = request(served.port, "GET", "/tools", f"Origin: {PAGE}", "Sec-Fetch-Site: cross-site")
    assert refused.status == 401, "the person's own user is not the page's"
    assert refused.header("access-control-allow-origin") == PAGE
    assert "www-authenticate" in words(refused.header("access-control-expose-headers"))


def test_a_page_with_the_token_has_a_session(served: GatewayProcess, token: str) -> None:
    page = (f"Origin: {PAGE}", "Sec-Fetch-Site: cross-site", token)
    with stream(served.port, "?toolsets=focus", *page) as opened:
        assert opened.header("access-control-allow-origin") == PAGE
        assert "x-session-id" in words(opened.header("access-control-expose-headers"))
        opened.initialize()
        assert opened.ask("ping")["result"] == {}
        stranger = request(served.port, "POST", f"/message?sessionId={opened.id}", JSON, body=b"{}")
        assert stranger.status == 404, "the session is the page's, not this user's other programs'"


def test_nothing_of_cors_is_said_to_who_is_no_browser(served: GatewayProcess) -> None:
    for route in ROUTES:
        answer = request(served.port, "GET", route)
        assert not answer.allows_cors
        assert answer.header("vary") is None
