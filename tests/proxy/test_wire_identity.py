"""Attacks of users on users (T16 to T33) over real sockets, with a healthy pair beside them that must not feel it.

The same rules are proved case by case in virtual time; here a few of each are seen to hold on the wire.
"""

import json
import time
from typing import Any

import jwt
import pytest

from tests.gateway import until
from tests.proxy.server import SECRET, Bare, ProxyProcess, serve_forever, token

pytestmark = pytest.mark.usefixtures("beside")


def answer_authenticate(proxy: ProxyProcess, wire_id: object, access_token: str) -> Bare:
    peer = proxy.bare("/extension")
    peer.hear()
    peer.say({"jsonrpc": "2.0", "id": wire_id, "result": {"name": "x", "accessToken": access_token}})
    return peer


def refusal(proxy: ProxyProcess, access_token: str) -> str:
    """What a client with this token is told before it is closed with 4401."""
    peer = proxy.bare()
    peer.say({"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": access_token}})
    told = peer.hear()["error"]["message"]
    assert peer.close_code() == 4401
    return told


@pytest.mark.rule("T16")
def test_only_the_first_answer_to_authenticate_counts(proxy: ProxyProcess) -> None:
    for wire_id in ("proxy:2", 1, "proxy:1 "):
        assert answer_authenticate(proxy, wire_id, token("mallory")).close_code() == 1008
    peer = answer_authenticate(proxy, "proxy:1", token("mallory"))
    assert peer.hear()["params"]["user_id"] == "mallory"
    peer.say({"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "x", "accessToken": token("healthy")}})
    assert peer.close_code() == 1008


@pytest.mark.rule("T17")
@pytest.mark.rule("T19")
@pytest.mark.parametrize("wrong", [{"aud": "mail"}, {"nonce": "n"}, {"token_use": "id"}, {"role": "extension"}])
def test_a_token_for_something_else_opens_nothing_and_is_not_logged(proxy: ProxyProcess, wrong: dict[str, Any]) -> None:
    made = token("mallory", **wrong)
    assert refusal(proxy, made).startswith("Authentication failed: ")
    assert made[:40] not in proxy.log
    assert made.rpartition(".")[2] not in proxy.log


@pytest.mark.rule("T18")
def test_what_a_handshake_claims_besides_its_token_counts_for_nothing(proxy: ProxyProcess) -> None:
    peer = proxy.bare(additional_headers={"X-Tenant-Id": "healthy"})
    claims = {"user_id": "healthy", "scopes": ["cdp"], "__proto__": {"user_id": "healthy"}}
    told = peer.ask("mcp_handshake", {"accessToken": token("mallory"), **claims})
    assert told["user_id"] == "mallory"
    assert peer.ask("list_extensions") == {"extensions": []}


@pytest.mark.rule("T20")
@pytest.mark.rule("T21")
def test_forged_and_stale_tokens_open_nothing(proxy: ProxyProcess) -> None:
    good = {"user_id": "healthy", "connection_url": "wss://x/mcp", "exp": int(time.time()) + 60}
    table = [
        jwt.encode(good, "another secret of thirty-two bytes!", algorithm="HS256"),
        jwt.encode(good, SECRET, algorithm="HS512"),
        jwt.encode(good, "", algorithm="none"),
        jwt.encode({**good, "exp": int(time.time()) - 31}, SECRET, algorithm="HS256"),
        jwt.encode({**good, "exp": "4102444800"}, SECRET, algorithm="HS256"),
        jwt.encode({**good, "user_id": "healthy\x00"}, SECRET, algorithm="HS256"),
        jwt.encode(good, SECRET, algorithm="HS256", headers={"crit": ["x"], "x": 1}),
        "a.b.c",
        "x" * 9_000,
    ]
    for made in table:
        assert refusal(proxy, made).startswith("Authentication failed: ")


@pytest.mark.rule("T27")
def test_ids_come_back_as_they_were_or_are_refused(proxy: ProxyProcess) -> None:
    extension, client, _ = proxy.pair("numbers")
    serve_forever(extension)
    for raw in ("0", "1", '"1"', '"conn-x:1"', '"proxy:1"', '"ext:1"', '""', "9007199254740993", f'"{"x" * 254}"'):
        client.say(f'{{"jsonrpc":"2.0","id":{raw},"method":"click"}}')
        assert f'"id":{raw},' in str(client.socket.recv(5))
    for raw in ("1.0", "null", "{}", "[]", "true", f'"{"x" * 10_000}"'):
        client.say(f'{{"jsonrpc":"2.0","id":{raw},"method":"click"}}')
        assert client.hear()["error"]["code"] == -32600


@pytest.mark.rule("T28")
@pytest.mark.rule("T29")
def test_a_browser_that_lies_reaches_nobody_and_is_closed(proxy: ProxyProcess) -> None:
    extension, client, connection = proxy.pair("liar")
    client.say({"jsonrpc": "2.0", "id": 1, "method": "click"})
    assert extension.hear()["id"] == f"{connection}:1"
    for method in ("disconnected", "status", "authenticated"):
        extension.say({"jsonrpc": "2.0", "method": method, "params": {"connection_id": connection}})
    extension.say({"jsonrpc": "2.0", "id": "ext:1", "method": "connect", "params": {}})
    assert extension.hear()["error"]["code"] == -32601
    extension.say({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 99}})
    for number in range(20):
        extension.say({"jsonrpc": "2.0", "id": f"conn-foreign:{number}", "result": {}})
    assert extension.close_code() == 1008
    lost, notice = client.hear(), client.hear()
    assert (lost["id"], lost["error"]["code"], notice["method"]) == (1, -32011, "disconnected")


@pytest.mark.rule("T31")
def test_ten_thousand_calls_under_way_are_more_than_anybody_may_have(proxy: ProxyProcess) -> None:
    extension, client, _ = proxy.pair("hoarder")
    assert client.request("connect", {"extension_id": "x"})["error"]["code"] == -32001
    for number in range(10_001):
        client.say(json.dumps({"jsonrpc": "2.0", "id": f"h{number}", "method": "click"}))
    refused = [client.hear(20) for _ in range(9_001)]
    assert {message["error"]["code"] for message in refused} == {-32013}
    client.say({"jsonrpc": "2.0", "method": "disconnect"})
    lost = [client.hear() for _ in range(1_000)]
    assert {message["error"]["code"] for message in lost} == {-32011}
    extension.close()


@pytest.mark.rule("T32")
def test_late_events_of_a_tabs_former_client_reach_nobody(proxy: ProxyProcess) -> None:
    extension, former, _ = proxy.pair("heritage")
    former.say({"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    extension.say({"id": extension.hear()["id"], "result": {}})
    assert former.hear()["result"] == {}
    [row] = former.ask("list_extensions")["extensions"]
    heir = proxy.client("heritage")
    former.close()
    until(lambda: extension.hear()["params"]["connected"] is False)
    heir.ask("connect", {"extension_id": row["id"]})
    heir.say({"jsonrpc": "2.0", "id": 77, "method": "click", "params": {"tabId": 7}})
    assert extension.hear()["method"] == "status"
    call = extension.hear()
    extension.say({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 7, "method": "late"}})
    extension.say({"id": call["id"], "result": {}})
    extension.say({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 7, "method": "own"}})
    assert heir.hear()["method"] == "status"
    assert heir.hear()["id"] == 77
    assert heir.hear()["params"]["method"] == "own"


@pytest.mark.rule("T33")
def test_a_call_without_a_target_runs_in_no_browser(proxy: ProxyProcess) -> None:
    first, one = proxy.extension("two")
    second, other = proxy.extension("two")
    told = proxy.client("two").request("createTab")["error"]
    assert told["code"] == -32010
    assert one in told["message"]
    assert other in told["message"]
    for browser in (first, second):
        with pytest.raises(TimeoutError):
            browser.hear(0.2)
