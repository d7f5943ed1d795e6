"""Tokens (T17 to T25): whatever is not exactly right is refused, and nobody can make the proxy fetch or trust a key."""

import asyncio
import base64
import json
import logging
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tabwright.edges.proxy.keys import Key, Keys, KeySet, KeyUnusable, OneKey, public_key, secret_key
from tabwright.edges.proxy.tokens import Grant, Revocations, Tokens, issue, revoke
from tabwright.proxy.claims import Rules
from tabwright.proxy.model import Identity, Refused, Role, UserId, handle, log_name

SECRET: Final = "s" * 32
RSA: Final = rsa.generate_private_key(65537, 2048)
EC: Final = ec.generate_private_key(ec.SECP256R1())
ED: Final = ed25519.Ed25519PrivateKey.generate()
OTHER: Final = rsa.generate_private_key(65537, 2048)
PEM: Final = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
KEYS: Final = {"EdDSA": ED, "ES256": EC, "RS256": RSA}


@dataclass(frozen=True)
class In:
    """A time so many seconds ahead, when it is needed."""

    seconds: int


def claims(**more: Any) -> dict[str, Any]:
    made = {"user_id": "alice", "connection_url": "wss://proxy.example.com/mcp", "exp": int(time.time()) + 60, **more}
    now = int(time.time())
    made = {name: now + value.seconds if isinstance(value, In) else value for name, value in made.items()}
    return {name: value for name, value in made.items() if value is not ...}


def verify(
    token: str, keys: Keys | None = None, rules: Rules | None = None, role: Role = Role.MCP
) -> Identity | Refused:
    tokens = Tokens(keys or OneKey(Key(RSA.public_key(), "RS256")), rules or Rules(), Revocations(None))
    return asyncio.run(tokens.verify(token, role))


def refused(outcome: Identity | Refused) -> bool:
    return isinstance(outcome, Refused)


def signed(payload: Any, **header: Any) -> str:
    """Rightly signed, whatever the payload: our own library would refuse to write some of it."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    parts = [_b64(json.dumps({"alg": "HS256", "typ": "JWT", **header}).encode()), _b64(text.encode())]
    signature = jwt.get_algorithm_by_name("HS256").sign(".".join(parts).encode(), SECRET.encode())
    return ".".join((*parts, _b64(signature)))


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


HS: Final = OneKey(Key(SECRET.encode(), "HS256"))


@pytest.mark.parametrize("algorithm", KEYS)
def test_the_smallest_token_of_each_kind_of_key_is_taken(algorithm: str, tmp_path: Path) -> None:
    pem = (
        KEYS[algorithm]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    (tmp_path / "key.pem").write_bytes(pem)
    keys = OneKey(public_key(tmp_path / "key.pem"))
    outcome = verify(jwt.encode(claims(), KEYS[algorithm], algorithm=algorithm), keys)
    assert isinstance(outcome, Identity)
    assert (outcome.user, outcome.scopes) == ("alice", frozenset())
    assert outcome.lives_s is not None
    assert 55 < outcome.lives_s <= 60


def test_sub_does_as_well_as_user_id_and_both_must_agree() -> None:
    assert isinstance(verify(signed(claims(user_id=..., sub="bob")), HS), Identity)
    assert isinstance(verify(signed(claims(sub="alice")), HS), Identity)
    assert refused(verify(signed(claims(sub="bob")), HS))
    assert refused(verify(signed(claims(user_id=...)), HS))


@pytest.mark.parametrize(
    "user",
    ["anna.b+c@example.org", "auth0|5f7c8ec7", "https://id.example.com/users/7", "Ann Müller", "*.>", "x" * 256],
)
def test_users_are_called_what_their_issuer_calls_them(user: str) -> None:
    outcome = verify(signed(claims(user_id=..., sub=user)), HS)
    assert isinstance(outcome, Identity)
    assert outcome.user == user


@pytest.mark.rule("T34")
def test_what_stands_for_a_user_elsewhere_holds_no_odd_character() -> None:
    users = ["alice", "anna@example.org", "a.b", "a.*", ">", "a b", "a\r\nb", "a\x00", "a:b", "ä", "x" * 256]
    for name in users:
        assert re.fullmatch(r"[a-z0-9-]{1,40}", handle(name))
        assert re.fullmatch(r"[A-Za-z0-9_@.+:|~-]{1,80}", log_name(name))
    assert len({handle(name) for name in users}) == len(users)
    assert log_name("anna@example.org") == "anna@example.org"


@pytest.mark.rule("T34")
@pytest.mark.parametrize("name", ["ext-a.b-12345678", "ext->", "ext-*", "ext-a b c d e f", "ext-\r\n12345678", "1234"])
def test_an_extensions_name_is_letters_digits_and_dashes(name: str) -> None:
    assert refused(verify(signed(claims(role="extension", extension_id=name)), HS, role=Role.EXTENSION))


@pytest.mark.rule("T20")
def test_no_forged_signature_is_believed() -> None:
    good = jwt.encode(claims(), RSA, algorithm="RS256")
    head, body, signature = good.split(".")
    unsigned = [_b64(json.dumps({"alg": told, "typ": "JWT"}).encode()) for told in ("none", "NoNe", "")]
    jwk = json.loads(jwt.get_algorithm_by_name("RS256").to_jwk(OTHER.public_key()))
    confused = jwt.get_algorithm_by_name("HS256")
    by_pem = f"{_b64(json.dumps({'alg': 'HS256'}).encode())}.{body}"
    table = [
        *(f"{told}.{body}." for told in unsigned),
        *(f"{told}.{body}.{signature}" for told in unsigned),
        f"{_b64(b'{}')}.{body}.{signature}",
        f"{by_pem}.{_b64(confused.sign(by_pem.encode(), base64.b64encode(PEM)))}",
        f"{by_pem}.{_b64(__import__('hmac').digest(PEM, by_pem.encode(), 'sha256'))}",
        jwt.encode(claims(), EC, algorithm="ES256"),
        jwt.encode(claims(), RSA, algorithm="RS512"),
        jwt.encode(claims(), RSA, algorithm="PS256"),
        "",
        "..",
        "a.b.c",
        f"{good}.x",
        good[:-3],
        f"{head}.{body[:-2]}.{signature}",
        f" {good}",
        good + "é",
        "x" * 2_000_000,
        f"{_b64(b'[' * 6_000)}.{body}.{signature}",
        jwt.encode(claims(), OTHER, algorithm="RS256"),
        jwt.encode(claims(), OTHER, algorithm="RS256", headers={"jwk": jwk}),
        jwt.encode(claims(), OTHER, algorithm="RS256", headers={"x5c": ["AAAA"]}),
        jwt.encode(claims(), OTHER, algorithm="RS256", headers={"kid": "../../x"}),
        jwt.encode(claims(), OTHER, algorithm="RS256", headers={"kid": "' OR 1=1 --"}),
        jwt.encode(claims(), OTHER, algorithm="RS256", headers={"kid": "k" * 10_000}),
        jwt.encode(claims(), RSA, algorithm="RS256", headers={"crit": ["x"], "x": 1}),
        jwt.encode(claims(), RSA, algorithm="RS256", headers={"typ": "dpop+jwt"}),
    ]
    assert [number for number, token in enumerate(table) if not refused(verify(token))] == []
    assert not refused(verify(good))


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    "wrong",
    [
        {"exp": ...},
        {"exp": In(-31)},
        {"exp": "4102444800"},
        {"exp": math.nan},
        {"exp": math.inf},
        {"exp": True},
        {"exp": None},
        {"exp": [1]},
        {"nbf": In(300)},
        {"nbf": "soon"},
        {"iat": In(3600)},
        {"user_id": 7},
        {"user_id": ""},
        {"user_id": "x" * 2_000},
        {"user_id": None},
        {"user_id": ["alice"]},
        *({"user_id": f"a{char}b"} for char in "\x00\n\r\x1b\u202e\u2028"),
        {"user_id": " alice"},
        {"user_id": "x" * 257},
        {"connection_url": ...},
        {"connection_url": 7},
        {"connection_url": "https://proxy.example.com"},
        {"connection_url": "ws://[bad"},
        {"role": "extension"},
        {"role": 7},
        {"aud": "somebody-else"},
        {"aud": ["a", "b"]},
        {"iss": "https://unknown"},
        {"jti": 7},
        {"jti": "a b"},
        {"nonce": "n"},
        {"at_hash": "h"},
        {"token_use": "id"},
    ],
)
def test_a_claim_that_is_not_right_is_refused(wrong: dict[str, Any]) -> None:
    assert refused(verify(signed(claims(**wrong)), HS))


@pytest.mark.rule("T21")
def test_numbers_beyond_all_bounds_and_bodies_that_are_no_objects_are_refused() -> None:
    base = json.dumps(claims(exp=0))
    for text in (base.replace(" 0}", " 1e999}"), base.replace(" 0}", f" {'9' * 400}}}"), "[]", "7", '"x"', "[" * 3_000):
        assert refused(verify(signed(text), HS))


@pytest.mark.rule("T17")
def test_audience_issuer_and_role_count_where_they_are_configured() -> None:
    rules = Rules(audience="mine", issuer="https://me", require_role=True)
    right = {"aud": "mine", "iss": "https://me", "role": "mcp"}
    assert not refused(verify(signed(claims(**right)), HS, rules))
    assert not refused(verify(signed(claims(**{**right, "aud": ["other", "mine"]})), HS, rules))
    for name, value in (("aud", "other"), ("aud", ...), ("iss", "https://me.evil"), ("iss", ...), ("role", ...)):
        assert refused(verify(signed(claims(**{**right, name: value})), HS, rules)), (name, value)
    assert not refused(verify(signed(claims(aud="tabwright-proxy")), HS))


@pytest.mark.rule("T17")
def test_a_token_for_another_proxy_is_refused_where_ours_is_known() -> None:
    rules = Rules(public_url="wss://proxy.example.com")
    assert not refused(verify(signed(claims()), HS, rules))
    assert refused(verify(signed(claims(connection_url="wss://other.example.com/mcp")), HS, rules))
    assert refused(verify(signed(claims(connection_url="ws://proxy.example.com/mcp")), HS, rules))


def test_the_port_that_goes_without_saying_need_not_be_said() -> None:
    for ours, theirs in (("wss://proxy.example.com:443", ""), ("wss://proxy.example.com", ":443")):
        rules = Rules(public_url=ours)
        assert not refused(verify(signed(claims(connection_url=f"wss://proxy.example.com{theirs}/mcp")), HS, rules))
        for other in (":80", ":8443", ":443:443"):
            url = f"wss://proxy.example.com{other}/mcp"
            assert refused(verify(signed(claims(connection_url=url)), HS, rules)), url


@pytest.mark.rule("T19")
def test_a_token_of_one_side_is_no_token_of_the_other() -> None:
    for role, other in ((Role.MCP, Role.EXTENSION), (Role.EXTENSION, Role.MCP)):
        token = signed(claims(role=role.value))
        assert not refused(verify(token, HS, role=role))
        assert refused(verify(token, HS, role=other))


def test_an_extension_needs_no_connection_url_and_may_have_a_name() -> None:
    outcome = verify(signed(claims(connection_url=..., extension_id="ext-12345678")), HS, role=Role.EXTENSION)
    assert isinstance(outcome, Identity)
    assert outcome.extension_id == "ext-12345678"
    assert refused(verify(signed(claims(extension_id="x" * 100)), HS, role=Role.EXTENSION))


@pytest.mark.rule("T25")
def test_a_revoked_token_is_refused_and_the_file_is_read_when_it_changes(tmp_path: Path) -> None:
    revocations = Revocations(tmp_path / "revoked")
    tokens = Tokens(HS, Rules(), revocations)
    token = issue(Grant(UserId("alice"), Role.MCP, 60, "wss://x/mcp"), HS.key)
    jti = jwt.decode(token, options={"verify_signature": False})["jti"]
    assert not revocations.changed()
    assert not refused(asyncio.run(tokens.verify(token, Role.MCP)))
    revoke(tmp_path / "revoked", jti)
    assert revocations.changed()
    assert not revocations.changed()
    assert asyncio.run(tokens.verify(token, Role.MCP)) == Refused("Token revoked", "revoked")
    revoke(tmp_path / "revoked", "user:bob")
    assert revocations.changed()
    assert refused(asyncio.run(tokens.verify(signed(claims(user_id="bob")), Role.MCP)))


@pytest.mark.rule("T50")
def test_nothing_of_a_token_is_ever_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for token in (
        signed(claims(user_id="x" * 999)),
        "canary.canary.canary",
        jwt.encode(claims(), OTHER, algorithm="RS256"),
    ):
        assert refused(verify(token, HS))
        told = " ".join(str(record.__dict__) for record in caplog.records)
        assert not any(part in told for part in token.split(".") if len(part) > 10)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 31, b" " * 40])
def test_a_weak_secret_is_no_key(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(KeyUnusable):
        secret_key(tmp_path / "secret")


def test_weak_and_strange_keys_are_no_keys(tmp_path: Path) -> None:
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    weak = rsa.generate_private_key(65537, 1024).public_key().public_bytes(*form)
    strange = ec.generate_private_key(ec.SECP384R1()).public_key().public_bytes(*form)
    for content in (weak, strange, b"not a key", b""):
        (tmp_path / "key").write_bytes(content)
        with pytest.raises(KeyUnusable):
            public_key(tmp_path / "key")
    with pytest.raises(KeyUnusable):
        public_key(tmp_path / "none")


# --- key sets


@dataclass
class Publisher:
    """An address that publishes keys, and counts who asks."""

    keys: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: int = 0
    down: bool = False
    nonsense: bytes | None = None
    """Instead of a key set."""
    url: str = ""


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    made = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked += 1
            entries: list[dict[str, Any]] = []
            for name, key in made.keys.items():
                algorithm = {RSA: "RS256", OTHER: "RS256", EC: "ES256", ED: "EdDSA"}[key]
                as_jwk: Any = jwt.get_algorithm_by_name(algorithm)
                entries.append({**json.loads(as_jwk.to_jwk(key.public_key())), "kid": name, "alg": algorithm})
            body = json.dumps(
                {"keys": [*entries, {"kty": "oct", "k": "AAAA", "kid": "secret"}, {"kty": "new"}]}
            ).encode()
            if made.nonsense is not None:
                body = made.nonsense
            self.send_response(503 if made.down else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}/jwks.json"
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join(5)


def named(name: str, key: Any, algorithm: str) -> str:
    return jwt.encode(claims(), key, algorithm=algorithm, headers={"kid": name})


@pytest.mark.rule("T22")
async def test_a_key_set_is_fetched_rarely_kept_while_down_and_follows_rotation(publisher: Publisher) -> None:
    publisher.keys = {"one": RSA, "two": EC, "three": ED}
    now = [0.0]
    keys = KeySet(publisher.url, lambda: now[0])
    tokens = Tokens(keys, Rules(), Revocations(None))

    async def takes(token: str) -> bool:
        return isinstance(await tokens.verify(token, Role.MCP), Identity)

    assert not tokens.ready
    assert await takes(named("one", RSA, "RS256"))
    assert await takes(named("two", EC, "ES256"))
    assert await takes(named("three", ED, "EdDSA"))
    assert tokens.ready
    for number in range(200):
        assert not await takes(named(f"random-{number}", OTHER, "RS256"))
    assert publisher.asked == 1
    assert not await takes(named("one", EC, "ES256"))
    assert not await takes(named("one", OTHER, "RS256"))
    assert not await takes(jwt.encode(claims(), "A" * 32, algorithm="HS256", headers={"kid": "secret"}))
    publisher.down = True
    now[0] += 600
    assert await takes(named("one", RSA, "RS256"))
    publisher.down = False
    publisher.keys = {"new": OTHER}
    assert not await takes(named("new", OTHER, "RS256"))
    now[0] += 31
    assert await takes(named("new", OTHER, "RS256"))
    assert not await takes(named("one", RSA, "RS256"))
    assert await takes(jwt.encode(claims(), OTHER, algorithm="RS256")), "a lone key needs no name"


@pytest.mark.rule("T22")
@pytest.mark.parametrize("nonsense", [b"{}", b"[]", b'{"keys":5}', b"[" * 200_000, b"<html>"])
async def test_what_is_no_key_set_costs_no_key_and_fails_nobody(publisher: Publisher, nonsense: bytes) -> None:
    publisher.nonsense = nonsense
    now = [0.0]
    keys = KeySet(publisher.url, lambda: now[0])
    await keys.refresh()
    assert not keys.ready
    publisher.nonsense, publisher.keys = None, {"one": RSA, "two": EC}
    now[0] += 31
    assert await keys.find("one")
    publisher.nonsense = nonsense
    now[0] += 600
    assert await keys.find("one")


@pytest.mark.rule("T20")
async def test_no_token_makes_the_proxy_fetch_anything(publisher: Publisher) -> None:
    tokens = Tokens(OneKey(Key(RSA.public_key(), "RS256")), Rules(), Revocations(None))
    for header in ({"jku": publisher.url}, {"x5u": publisher.url}, {"kid": publisher.url}):
        token = jwt.encode(claims(), OTHER, algorithm="RS256", headers=header)
        assert isinstance(await tokens.verify(token, Role.MCP), Refused)
    assert publisher.asked == 0


@pytest.mark.rule("T24")
def test_names_are_random_and_never_repeat() -> None:
    from tabwright.proxy_app import new_id

    made = [new_id("conn") for _ in range(10_000)]
    assert len(set(made)) == 10_000
    assert made != sorted(made)
    assert all(len(name.removeprefix("conn-").replace("-", "")) == 32 for name in made)
