"""Every way in which a broker may ask who we are: two replicas get in with it, find one another and pass a call on."""

import base64
import importlib
import json
import secrets
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tabwright.proxy_settings import load_proxy
from tabwright.settings import SettingsError
from tests.cluster.broker import NatsProcess, certify, free_port
from tests.cluster.conftest import Start
from tests.cluster.test_calls import far_pair
from tests.gateway import TABWRIGHT, until
from tests.proxy.server import serve_forever

nkeys: Any = importlib.import_module("nkeys")  # it has no types


class Nkey:
    """A key pair of NATS: its seed, its public name, and its signature."""

    def __init__(self, prefix: int) -> None:
        self.seed: str = nkeys.encode_seed(secrets.token_bytes(32), prefix).decode()
        self._pair = nkeys.from_seed(bytearray(self.seed.encode()))
        self.name: str = self._pair.public_key.decode()

    def claims(self, subject: str, kind: str, **more: object) -> str:
        """A JWT about somebody, signed by us, as NATS wants it."""
        nats = {"type": kind, "version": 2, **more}
        body = {"jti": secrets.token_hex(16), "iat": int(time.time()), "iss": self.name, "sub": subject, "nats": nats}
        head = {"typ": "JWT", "alg": "ed25519-nkey"}
        told = ".".join(_base64(json.dumps(part).encode()) for part in (head, body))
        return f"{told}.{_base64(self._pair.sign(told.encode()))}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def users_nkey() -> Nkey:
    return Nkey(nkeys.PREFIX_BYTE_USER)


def creds(jwt: str, seed: str) -> str:
    return (
        f"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
        f"************************* IMPORTANT *************************\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )


@contextmanager
def asking(folder: Path, auth: str) -> Generator[NatsProcess]:
    made = NatsProcess(folder / "nats", auth=auth)
    try:
        yield made
    finally:
        made.stop()


def meet(start: Start, url: str, *flags: str) -> str:
    """Two replicas pass a call on; what they logged."""
    near, far = start("--broker", url, *flags), start("--broker", url, *flags)
    extension, client, _ = far_pair((near, far), "meet")
    serve_forever(extension)
    assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}
    told = subprocess.run(
        [TABWRIGHT, "proxy", "status", "--json", "--broker", url, *flags],
        env=near.env,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert len(json.loads(told.stdout)) == 2, told.stderr
    return near.log + far.log


def written(folder: Path, text: str) -> tuple[str, str]:
    (folder / "shown").write_text(text)
    return "--broker-credentials", str(folder / "shown")


def test_a_user_and_password(tmp_path: Path, start: Start) -> None:
    with asking(tmp_path, 'authorization { user: proxy, password: "a:b c" }') as broker:
        log = meet(start, broker.url, *written(tmp_path, "proxy:a:b c\n"))
        assert "a:b c" not in log


def test_a_token(tmp_path: Path, start: Start) -> None:
    with asking(tmp_path, "authorization { token: s3cr3ttoken }") as broker:
        assert "s3cr3t" not in meet(start, broker.url, *written(tmp_path, "s3cr3ttoken"))


def test_an_nkey_seed(tmp_path: Path, start: Start) -> None:
    key = users_nkey()
    with asking(tmp_path, f"authorization {{ users: [ {{ nkey: {key.name} }} ] }}") as broker:
        assert key.seed not in meet(start, broker.url, *written(tmp_path, f"{key.seed}\n"))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_creds_file_with_jwt_and_seed(tmp_path: Path, start: Start, line_end: str) -> None:
    operator, account, user = Nkey(nkeys.PREFIX_BYTE_OPERATOR), Nkey(nkeys.PREFIX_BYTE_ACCOUNT), users_nkey()
    system = Nkey(nkeys.PREFIX_BYTE_ACCOUNT)
    unlimited = dict.fromkeys(("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1)
    limits = {**unlimited, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1, "wildcards": True}
    auth = (
        f"operator: {operator.claims(operator.name, 'operator')}\nresolver: MEMORY\nsystem_account: {system.name}\n"
        f"resolver_preload: {{\n {account.name}: {operator.claims(account.name, 'account', limits=limits)}\n"
        f" {system.name}: {operator.claims(system.name, 'account', limits=unlimited)}\n}}"
    )
    jwt = account.claims(user.name, "user", subs=-1, data=-1, payload=-1)
    (tmp_path / "shown.creds").write_bytes(creds(jwt, user.seed).replace("\n", line_end).encode())
    with asking(tmp_path, auth) as broker:
        log = meet(start, broker.url, "--broker-credentials", str(tmp_path / "shown.creds"))
        assert user.seed not in log
        assert jwt not in log


def test_tls_and_a_certificate_of_ours(tmp_path: Path, start: Start) -> None:
    (tmp_path / "broker").mkdir()
    (tmp_path / "ours").mkdir()
    _, theirs = certify(tmp_path / "broker")
    _, ours = certify(tmp_path / "ours")
    tls = f'tls {{ cert_file: "{theirs}", key_file: "{theirs.with_name("key.pem")}", ca_file: "{ours}", verify: true }}'
    with asking(tmp_path, tls) as broker:
        url = f"tls://localhost:{broker.port}"
        pair = ("--broker-cert", str(ours), "--broker-key", str(ours.with_name("key.pem")))
        meet(start, url, "--broker-ca", str(theirs), *pair)
        bare = start("--broker", url, "--broker-ca", str(theirs))
        until(lambda: "broker" in bare.log)
        assert "broker is there" not in bare.log


def test_an_address_where_no_broker_is_is_told(start: Start) -> None:
    nowhere = f"nats://127.0.0.1:{free_port()}"
    alone = start("--broker", nowhere)
    until(lambda: f"broker does not answer at {nowhere}" in alone.log)
    assert "broker is gone" not in alone.log


def test_several_servers_of_which_one_is_not_there(tmp_path: Path, start: Start) -> None:
    with asking(tmp_path, "") as broker:
        meet(start, f"nats://127.0.0.1:{free_port()},{broker.url}")


def test_a_password_that_is_changed_on_both_sides_needs_no_restart(tmp_path: Path, start: Start) -> None:
    old, new = (f"authorization {{ user: proxy, password: {word} }}" for word in ("hunter-2", "hunter-3"))
    with asking(tmp_path, old) as broker:
        flags = written(tmp_path, "proxy:hunter-2")
        near, far = (start("--broker", broker.url, *flags) for _ in range(2))
        extension, client, _ = far_pair((near, far), "rotate")
        serve_forever(extension)
        broker.configure(new)
        broker.reload()
        until(lambda: "does not let us in: look at broker_credentials" in near.log)
        written(tmp_path, "proxy:hunter-3")
        until(lambda: "result" in client.request("click"), 10)
        # told now and then, not with every attempt
        assert near.log.count("does not let us in") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (creds("a.b.c", "SUAB").replace("SUAB", users_nkey().seed[:-1] + "1"), "lacks its seed"),
        (creds("a.b.c", users_nkey().seed).partition("-----BEGIN USER")[0], "lacks its seed"),
        (creds("a.b.c", Nkey(nkeys.PREFIX_BYTE_ACCOUNT).seed), "no user's"),
        (Nkey(nkeys.PREFIX_BYTE_ACCOUNT).seed, "no user's"),
        (users_nkey().seed[:20] + "AAAAAAAA" + users_nkey().seed[28:], "damaged"),
    ],
    ids=["nothing", "odd seed", "no seed", "an account's creds", "an account's seed", "two halves"],
)
def test_credentials_that_cannot_be_right_are_told_before_anything_is_served(
    tmp_path: Path, text: str, said: str
) -> None:
    from tabwright.edges.proxy.credentials import Credentials

    (tmp_path / "shown").write_text(text)
    settings = load_proxy({"broker": "nats://broker", "broker_credentials": str(tmp_path / "shown")}, {})
    with pytest.raises(SettingsError) as refused:
        Credentials(settings)
    assert said in str(refused.value)
    assert not text or text[:30] not in str(refused.value)
