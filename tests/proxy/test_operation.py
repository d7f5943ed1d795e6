"""Running it: health, metrics, logs, TLS, what it refuses to do, and the files under deploy/ at work."""

import configparser
import datetime
import json
import os
import shlex
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.sync.client import connect

from tabwright.proxy_settings import ProxySettings, load_proxy, variable
from tabwright.settings import SettingsError
from tests.attacks.command import refused
from tests.gateway import until
from tests.proxy.server import ProxyProcess, proxying, serve_forever, token

DEPLOY = Path(__file__).parent.parent.parent / "deploy"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number(), now, now + datetime.timedelta(1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return cert_file, key_file


def get(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as exc:
        return exc.code, exc.read().decode()


def handshake(url: str, tls: ssl.SSLContext, user: str = "alice") -> dict[str, object]:
    with connect(url, ssl=tls, compression=None, open_timeout=5) as peer:
        message = {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": token(user)}}
        peer.send(json.dumps(message))
        return json.loads(peer.recv(5))["result"]


# --- what it tells


def test_health_and_readiness_tell_no_more_than_that(proxy: ProxyProcess) -> None:
    base = f"http://127.0.0.1:{proxy.port}"
    assert get(f"{base}/health") == (200, '{"status":"ok"}\n')
    assert get(f"{base}/ready") == (200, '{"ready":true}\n')
    assert get(f"{base}/metrics")[0] == 404
    assert get(f"{base}/nothing")[0] == 404


def test_it_is_not_ready_before_it_has_keys(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--jwks", "http://127.0.0.1:9/jwks.json") as proxy:
        assert get(f"http://127.0.0.1:{proxy.port}/ready")[0] == 503
        assert get(f"http://127.0.0.1:{proxy.port}/health")[0] == 200


def test_metrics_need_a_token_on_the_main_port_and_count_what_happens(tmp_path: Path) -> None:
    secret = tmp_path / "metrics-token"
    secret.write_text("metrics-token-of-22-chars-or-more\n")
    with proxying(tmp_path / "home", "--metrics-token-file", str(secret), "--metrics-port", "0") as proxy:
        url = f"http://127.0.0.1:{proxy.port}/metrics"
        assert get(url)[0] == 401
        assert get(url, Authorization="Bearer wrong")[0] == 401
        assert get(url, Authorization=f"Bearer {secret.read_text().strip()}")[0] == 200
        line = until(lambda: next((line for line in proxy.lines if line.startswith("metrics http")), None))
        port = int(line.strip().removesuffix("/metrics").rpartition(":")[2])
        extension, client, _ = proxy.pair()
        serve_forever(extension)
        for _ in range(3):
            client.ask("click")
        told = proxy.metrics(port)
        for name, value in (
            ("clients", 1),
            ("extensions", 1),
            ("pending", 0),
            ("calls_total", 3),
            ("answers_total", 3),
        ):
            assert told[f"tabwright_proxy_{name}"] == value
        assert token("alice")[:30] not in json.dumps(told)
        assert get(f"http://127.0.0.1:{port}/else")[0] == 404


@pytest.mark.rule("T03")
def test_the_port_for_metrics_serves_this_machine_and_no_page(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--metrics-port", "0") as proxy:
        line = until(lambda: next((line for line in proxy.lines if line.startswith("metrics http")), None))
        url = line.split()[1]
        assert get(url)[0] == 200
        assert get(url, Host="localhost:1")[0] == 200
        assert get(url, Host="evil.test:80")[0] == 421
        assert get(url, Origin="http://evil.test")[0] == 403
        assert get(url, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert get(url.removesuffix("metrics"))[0] == 404


def test_a_proxy_is_reached_with_or_without_the_port_that_goes_without_saying(tmp_path: Path) -> None:
    for url in ("wss://proxy.example.com:443", "wss://proxy.example.com"):
        with proxying(tmp_path / "home", "--public-url", url) as proxy:
            health = f"http://127.0.0.1:{proxy.port}/health"
            for host in ("proxy.example.com", "Proxy.Example.com:443"):
                assert get(health, Host=host)[0] == 200, (url, host)
            for host in ("proxy.example.com:80", "proxy.example.com/:443", "evil.test:443"):
                assert get(health, Host=host)[0] == 421, (url, host)


def test_every_log_line_is_json_or_said_to_a_person(proxy: ProxyProcess) -> None:
    proxy.pair("logged")
    lines = until(lambda: [json.loads(line) for line in proxy.lines if line.startswith("{") and '"logged"' in line])
    assert {"time", "level", "event", "peer", "user", "role"} <= set(lines[0])


# --- what it refuses


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    "flags",
    [
        ("--host", "0.0.0.0"),
        ("--host", "::"),
        ("--host", "192.168.1.5"),
        ("--no-auth", "--host", "0.0.0.0"),
        ("--no-auth", "--host", "0.0.0.0", "--behind-proxy"),
        ("--no-auth", "--jwks", "https://example.com/jwks.json"),
        ("--jwks", "https://a/", "--public-key", "/x"),
        ("--jwks", "http://example.com/jwks.json"),
        ("--tls-cert", "/x"),
        ("--tls-cert", "/no/such", "--tls-key", "/no/such"),
        ("--jwt-secret-file", "/no/such"),
        ("--public-key", "/no/such"),
        ("--public-url", "https://proxy.example.com"),
        ("--port", "high"),
        ("--rate", "-1"),
        ("--nonsense",),
        (),
    ],
)
def test_a_setting_that_is_unsafe_or_makes_no_sense_stops_the_start(tmp_path: Path, flags: tuple[str, ...]) -> None:
    told = refused(tmp_path, "proxy", *flags)
    assert told.code == 2
    assert "See `tabwright" in told.line or "Run `tabwright" in told.line or "Look at" in told.line


def test_flags_win_over_variables_and_those_over_the_file() -> None:
    text = "port = 1\nrate = 5\naudience = 'file'\n"
    environ = {variable("port"): "2", variable("rate"): "6", "TABWRIGHT_PORT": "9"}
    made = load_proxy({"port": "3", "host": None}, environ, text)
    assert (made.port, made.rate, made.audience) == (3, 6, "file")
    for wrong in ("nonsense = 1", "port = 'high'", "port = "):
        with pytest.raises(SettingsError):
            load_proxy({}, {}, wrong)


def test_no_secret_is_a_flag() -> None:
    assert not [name for name in ProxySettings.model_fields if name.endswith(("secret", "token", "password"))]


# --- TLS and deploy/


@pytest.mark.rule("T52")
def test_tls_is_spoken_where_a_certificate_is_given(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    flags = ("--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1]), "--host", "0.0.0.0")
    with proxying(tmp_path / "home", *flags) as proxy:
        trusting = ssl.create_default_context(cafile=str(certificate[0]))
        assert handshake(f"wss://localhost:{proxy.port}/mcp", trusting)["user_id"] == "alice"
        with socket.create_connection(("127.0.0.1", proxy.port), 5) as plain:
            plain.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"200" not in _rest(plain)
        trusting.maximum_version = ssl.TLSVersion.TLSv1_2
        assert handshake(f"wss://localhost:{proxy.port}/mcp", trusting)["user_id"] == "alice"


def _rest(peer: socket.socket) -> bytes:
    try:
        return peer.recv(1000)
    except ConnectionResetError:
        return b""


@pytest.fixture
def fronted(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[tuple[ProxyProcess, str, ssl.SSLContext]]:
    """A proxy behind haproxy with deploy/haproxy.cfg."""
    if shutil.which("haproxy") is None:
        pytest.skip("no haproxy on this machine, and no right to install it")
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(certificate[0].read_bytes() + certificate[1].read_bytes())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    flags = (
        "--behind-proxy",
        "--public-url",
        "wss://proxy.example.com",
        "--strangers-per-address",
        "3",
        "--log-level",
        "debug",
    )
    with proxying(tmp_path / "home", *flags) as proxy:
        env = {
            **os.environ,
            "LISTEN": f"127.0.0.1:{port}",
            "TLS_PEM": str(bundle),
            "BACKEND": f"127.0.0.1:{proxy.port}",
        }
        check = subprocess.run(["haproxy", "-c", "-f", str(DEPLOY / "haproxy.cfg")], env=env, capture_output=True)
        assert check.returncode == 0, check.stderr
        with subprocess.Popen(
            ["haproxy", "-db", "-f", str(DEPLOY / "haproxy.cfg")],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as front:
            trusting = ssl.create_default_context(cafile=str(certificate[0]))
            until(lambda: _listens(port))
            yield proxy, f"wss://localhost:{port}", trusting
            front.terminate()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def test_behind_haproxy_everything_works_and_the_inside_stays_inside(
    fronted: tuple[ProxyProcess, str, ssl.SSLContext],
) -> None:
    proxy, url, tls = fronted
    answer = until(lambda: handshake_or_none(f"{url}/mcp", tls))
    assert answer["user_id"] == "alice"
    for path in ("/health", "/ready", "/metrics"):
        request = urllib.request.Request(f"{url.replace('wss', 'https')}{path}")
        with pytest.raises(HTTPError) as told:
            urllib.request.urlopen(request, context=tls, timeout=5)
        assert told.value.code == 404
        told.value.close()
    # its log is written beside its work
    until(lambda: '"address": "127.0.0.1"' in proxy.log)


def handshake_or_none(url: str, tls: ssl.SSLContext) -> dict[str, object] | None:
    try:
        return handshake(url, tls)
    except Exception:
        # haproxy has not seen it ready yet
        return None


def test_only_the_front_server_says_whose_a_socket_is(proxy: ProxyProcess) -> None:
    from tests.proxy.server import upgraded

    upgraded(proxy, more="X-Forwarded-For: 203.0.113.9\r\n").close()
    time.sleep(0)
    assert "203.0.113.9" not in proxy.log


def test_the_service_starts_what_exists_and_gives_it_time_to_drain() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "tabwright-proxy.service")
    program, command, *flags = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, command) == ("tabwright", "proxy")
    given: dict[str, object] = {}
    names = iter(flags)
    for flag in names:
        name = flag.removeprefix("--").replace("-", "_")
        given[name] = True if name == "behind_proxy" else next(names)
    settings = load_proxy(given, {})
    assert settings.behind_proxy
    assert int(unit["Service"]["TimeoutStopSec"]) > settings.drain_s + 3
    if shutil.which("systemd-analyze"):
        told = subprocess.run(
            ["systemd-analyze", "verify", str(DEPLOY / "tabwright-proxy.service")], capture_output=True, text=True
        )
        assert "Unknown" not in told.stderr
