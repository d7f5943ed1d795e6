"""T01, T05: whatever betrays a browser is refused before anything is created, and no answer invites one."""

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.attacks.wire import INITIALIZE, MCP, nothing_came_of_it, request, upgrade
from tests.gateway import GatewayProcess

ORIGINS = (
    "http://evil.test",
    "https://localhost",
    "http://localhost:3000",
    "http://127.0.0.1.evil.test",
    "file://",
    "",
    "null",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    "chrome-extension://",
    f"chrome-extension://{extension_id()}.evil.test",
    f"chrome-extension://{extension_id()}/",
    f"chrome-extension://{extension_id().upper()}",
    f"moz-extension://{extension_id()}",
)
ROUTES = ("/", "/mcp", "/health", "/sse", "/message", "/tools", "/metrics", "/nothing-here")


def refused_lines(gateway: GatewayProcess) -> int:
    return gateway.log().count("refused ")


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_handshake_from_another_origin_ends_before_it_begins(target: GatewayProcess, origin: str) -> None:
    before = refused_lines(target)
    assert upgrade(target.extension_port, f"Origin: {origin}").status == 403
    assert refused_lines(target) == before + 1, "one line in the log for each"
    assert upgrade(target.extension_port, f"Origin: {origin}", target="/elsewhere").status == 403
    assert upgrade(target.port, f"Origin: {origin}", target="/mcp").status == 403


def test_two_origins_are_none(target: GatewayProcess) -> None:
    ours = f"Origin: chrome-extension://{extension_id()}"
    assert upgrade(target.extension_port, ours, "Origin: http://evil.test").status == 403
    assert upgrade(target.extension_port, "Origin: http://evil.test", ours).status == 403
    assert upgrade(target.extension_port, ours, ours).status == 403


def test_our_own_extension_reaches_the_handshake_and_only_at_its_path(target: GatewayProcess) -> None:
    ours = f"Origin: chrome-extension://{extension_id()}"
    assert upgrade(target.extension_port, ours).status == 101
    assert upgrade(target.extension_port, ours, target="/mcp").status == 404


def test_an_origin_cannot_write_the_log(target: GatewayProcess) -> None:
    assert upgrade(target.extension_port, "Origin: http://a\x9b31m\xa0b").status == 403
    assert request(target.port, "GET", "/x%0a%1b[31mforged", "Origin: x").status == 403
    assert target.log().isascii()
    assert all(char.isprintable() or char == "\n" for char in target.log())
    assert not any(line.startswith("forged") for line in target.log().splitlines())


@pytest.mark.parametrize("origin", ORIGINS)
def test_http_from_a_page_is_refused_on_every_route(target: GatewayProcess, origin: str) -> None:
    for route in ROUTES:
        answer = request(target.port, "POST", route, f"Origin: {origin}", *MCP, body=INITIALIZE)
        assert (answer.status, answer.allows_cors) == (403, False), route


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "none"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_sec_fetch_site_betrays_a_browser_without_origin(target: GatewayProcess, site: str, method: str) -> None:
    for route in ROUTES[1:]:
        told = request(target.port, method, route, f"Sec-Fetch-Site: {site}", "Sec-Fetch-Mode: no-cors")
        assert (told.status, told.allows_cors) == (403, False), route


@pytest.mark.parametrize("origin", ["http://evil.test", "http://localhost:9999", "null"])
def test_a_preflight_is_never_granted(target: GatewayProcess, origin: str) -> None:
    for route in ROUTES:
        asked = (f"Origin: {origin}", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x")
        answer = request(target.port, "OPTIONS", route, *asked, "Access-Control-Request-Private-Network: true")
        assert (answer.status, answer.allows_cors) == (403, False), route


def test_no_answer_ever_allows_another_origin(target: GatewayProcess) -> None:
    for method in ("GET", "POST", "OPTIONS", "DELETE", "PUT"):
        for route in ROUTES:
            accept = MCP if method == "POST" else ("Accept: application/json",)
            answer = request(target.port, method, route, *accept)
            assert not answer.allows_cors, (method, route)


def test_a_form_post_is_no_mcp(target: GatewayProcess) -> None:
    """Were a browser ever to send no Origin: the three body types a page may send without asking are refused."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = request(target.port, "POST", "/mcp", f"Content-Type: {kind}", MCP[1], body=INITIALIZE)
        assert answer.status in (400, 415), kind


def test_after_all_this_nothing_is_registered(target: GatewayProcess) -> None:
    assert nothing_came_of_it(target)
