"""T03, T06: only our own names are served, and only on loopback."""

import re
from pathlib import Path

import pytest

import tabwright.edges
from tests.attacks.command import refused_start
from tests.attacks.wire import exchange, listening, nothing_came_of_it, request, upgrade
from tests.gateway import GatewayProcess

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
HOSTS = (
    "Host: evil.test:PORT",
    "Host: 0.0.0.0:PORT",
    "Host: localhost:evil.test",
    "Host: 127.1:PORT",
    "Host: 2130706433:PORT",
    "Host: localhost.:PORT",
    "Host: localhost.",
    "Host: localhost",
    "Host: 127.0.0.1:1",
    "Host: 127.0.0.1.evil.test:PORT",
    "Host: evil.test@127.0.0.1:PORT",
    "Host: 127.0.0.1:PORT,evil.test",
    "Host: [::ffff:127.0.0.1]:PORT",
    "Host:",
    "",
    "Host: 127.0.0.1:PORT\r\nHost: evil.test",
    "Host: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT",
)


def routes() -> list[str]:
    """Every route there is in the source, so that a new one is attacked too, and some that are not there."""
    sources = Path(tabwright.edges.__file__).parent.rglob("*.py")
    found = {route for source in sources for route in re.findall(r'(?:Route|Mount)\("(/[^"]*)"', source.read_text())}
    assert {"/mcp", "/health"} <= found
    return sorted({*found, "/", "/sse", "/message", "/tools", "/metrics", "/nowhere"})


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: repr(host)[1:-1] or "missing")
def test_another_host_is_not_served_on_any_route_by_any_method(target: GatewayProcess, host: str) -> None:
    told = host.replace("PORT", str(target.port))
    for route in routes():
        for method in METHODS:
            answer = request(target.port, method, route, host=told)
            assert answer.status in (400, 421), (method, route)
            assert not answer.allows_cors


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: repr(host)[1:-1] or "missing")
def test_nor_on_the_extension_port(target: GatewayProcess, host: str) -> None:
    told = host.replace("PORT", str(target.extension_port))
    assert upgrade(target.extension_port, host=told).status in (400, 421)


def test_an_absolute_target_names_a_host_of_its_own(target: GatewayProcess) -> None:
    for route in routes():
        for method in METHODS:
            for name in ("evil.test", f"127.0.0.1:{target.port}"):
                assert request(target.port, method, f"http://{name}{route}").status == 400, (method, route)
    assert request(target.port, "OPTIONS", "*").status == 400


def test_http_1_0_without_a_host_is_refused(target: GatewayProcess) -> None:
    assert exchange(target.port, b"GET /health HTTP/1.0\r\n\r\n").status == 400
    assert exchange(target.port, b"GET /health HTTP/1.0\r\nHost: evil.test\r\n\r\n").status == 421


def test_our_own_names_are_served(target: GatewayProcess) -> None:
    for name in ("127.0.0.1", "localhost", "LocalHost"):
        assert request(target.port, host=f"Host: {name}:{target.port}").status == 200


def test_the_gateway_listens_on_loopback_alone(target: GatewayProcess) -> None:
    assert sorted(listening(target.pid)) == sorted([("0100007F", target.port), ("0100007F", target.extension_port)]), (
        "two listeners on 127.0.0.1 and no other"
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "*", "192.0.2.1", "evil.test"])
def test_another_address_is_refused_at_the_start(tmp_path: Path, host: str) -> None:
    told = refused_start(tmp_path, "--host", host)
    assert told.code == 2
    assert "loopback" in told.line


def test_after_all_this_nothing_is_registered(target: GatewayProcess) -> None:
    assert nothing_came_of_it(target)
