"""A client on one replica, a browser on another: everything is as if both were on one."""

from tests.gateway import until
from tests.proxy.server import Bare, ProxyProcess, serve_forever

Replicas = tuple[ProxyProcess, ProxyProcess]


def listed(client: Bare) -> list[str]:
    return [row["id"] for row in client.ask("list_extensions")["extensions"]]


def far_pair(replicas: Replicas, user: str) -> tuple[Bare, Bare, str]:
    """An extension on the second replica and a client of the first, connected."""
    extension, extension_id = replicas[1].extension(user)
    client = replicas[0].client(user)
    until(lambda: listed(client) == [extension_id])
    connection = client.ask("connect", {"extension_id": extension_id})["connection_id"]
    assert client.hear()["method"] == extension.hear()["method"] == "status"
    return extension, client, connection


def test_a_call_reaches_a_browser_on_another_replica_and_its_answer_the_caller(pair_of_replicas: Replicas) -> None:
    extension, client, connection = far_pair(pair_of_replicas, "anna")
    client.say({"jsonrpc": "2.0", "id": "1", "method": "click", "params": {"tabId": 7}})
    call = extension.hear()
    assert call == {"jsonrpc": "2.0", "id": f'{connection}:"1"', "method": "click", "params": {"tabId": 7}}
    extension.say({"jsonrpc": "2.0", "id": call["id"], "result": {"ok": True}})
    assert client.hear() == {"jsonrpc": "2.0", "id": "1", "result": {"ok": True}}


def test_what_a_browser_tells_reaches_its_clients_wherever_they_are(pair_of_replicas: Replicas) -> None:
    extension, far, _ = far_pair(pair_of_replicas, "bert")
    near = pair_of_replicas[1].client("bert")
    near.ask("connect", {"extension_id": listed(near)[0]})
    assert near.hear()["params"]["peer_count"] == 2
    assert extension.hear()["params"]["peer_count"] == 2
    extension.say({"jsonrpc": "2.0", "method": "tabCreated", "params": {"tabId": 7}})
    assert far.hear() == near.hear() == {"jsonrpc": "2.0", "method": "tabCreated", "params": {"tabId": 7}}
    for client, tab in ((far, 7), (near, 8)):
        client.say({"jsonrpc": "2.0", "id": 1, "method": "getTabs", "params": {"tabId": tab}})
        extension.say({"jsonrpc": "2.0", "id": extension.hear()["id"], "result": {}})
        assert client.hear()["result"] == {}
    for tab in (7, 8):
        extension.say({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": tab}})
    assert far.hear()["params"] == {"tabId": 7}
    assert near.hear()["params"] == {"tabId": 8}


def test_a_client_is_told_when_a_browser_elsewhere_goes_and_may_take_another(pair_of_replicas: Replicas) -> None:
    extension, client, connection = far_pair(pair_of_replicas, "cleo")
    client.say({"jsonrpc": "2.0", "id": 5, "method": "click"})
    extension.hear()
    extension.close()
    assert client.hear()["error"]["data"]["code"] == "outcome_unknown"
    gone = client.hear()
    assert gone["method"] == "disconnected"
    assert gone["params"] == {"connection_id": connection, "reason": "Extension closed"}
    _, other = pair_of_replicas[1].extension("cleo")
    until(lambda: listed(client) == [other])
    assert client.ask("connect", {"extension_id": other})["extension_id"] == other


def test_a_browser_is_told_when_a_client_elsewhere_leaves_and_the_client_may_come_back(
    pair_of_replicas: Replicas,
) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "dora")
    assert client.ask("disconnect") == {"disconnected": True}
    assert client.hear()["params"]["connected"] is False
    assert extension.hear()["params"]["peer_count"] == 0
    answer = client.request("click")
    assert answer["error"]["data"]["code"] == "not_connected"
    client.ask("connect", {"extension_id": listed(client)[0]})
    assert extension.hear()["params"]["peer_count"] == 1
    client.close()
    assert extension.hear()["params"]["peer_count"] == 0


def test_nobody_reaches_another_users_browser_from_anywhere(pair_of_replicas: Replicas) -> None:
    _, extension_id = pair_of_replicas[1].extension("emil")
    stranger = pair_of_replicas[0].client("fritz")
    assert listed(stranger) == []
    answers = [stranger.request("connect", {"extension_id": name}) for name in (extension_id, "ext-0")]
    assert answers[0]["error"] == answers[1]["error"]
    assert answers[0]["error"]["message"] == "Extension not found or not accessible"


def test_a_second_connect_and_a_repeated_id_are_refused_as_on_one_replica(pair_of_replicas: Replicas) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "gerda")
    assert client.request("connect", {"extension_id": "ext-0"})["error"]["code"] == -32001
    for _ in range(2):
        client.say({"jsonrpc": "2.0", "id": "x", "method": "click"})
    assert client.hear()["error"]["data"]["code"] == "duplicate_id"
    extension.say({"jsonrpc": "2.0", "id": extension.hear()["id"], "result": {"once": True}})
    assert client.hear() == {"jsonrpc": "2.0", "id": "x", "result": {"once": True}}


def test_ids_with_the_brokers_own_characters_reach_only_their_own(pair_of_replicas: Replicas) -> None:
    for user, other in (("a:b|c", "a:b"), ("u=*"[:2] + "~", "u")):
        extension, client, _ = far_pair(pair_of_replicas, user)
        serve_forever(extension)
        assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}
        assert listed(pair_of_replicas[0].client(other)) == []


def test_a_big_answer_travels_whole(pair_of_replicas: Replicas) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "hans")
    client.say({"jsonrpc": "2.0", "id": 1, "method": "screenshot"})
    picture = "x" * 7_000_000
    extension.say({"jsonrpc": "2.0", "id": extension.hear()["id"], "result": {"data": picture}})
    answer = client.hear(20)
    assert "result" in answer, answer
    assert answer["result"]["data"] == picture


def test_the_simple_dialect_works_over_replicas(pair_of_replicas: Replicas) -> None:
    extension, extension_id = pair_of_replicas[1].extension("ida")
    client = pair_of_replicas[0].client("ida")
    until(lambda: listed(client) == [extension_id])
    from tests.proxy.server import token

    simple = pair_of_replicas[0].bare("/")
    simple.say({"method": "mcp_handshake", "params": {"accessToken": token("ida"), "projectName": "p"}})
    simple.say({"method": "connect", "params": {"extensionId": extension_id, "tabId": 3}})
    joined = simple.hear()
    assert joined["success"] is True
    assert extension.hear()["method"] == "status"
    for extra in ({}, {"id": 9}):
        simple.say({"method": "click", "connectionId": joined["connectionId"], "params": {"tabId": 3}, **extra})
        call = extension.hear()
        extension.say({"jsonrpc": "2.0", "id": call["id"], "result": {"ok": 1}})
        assert simple.hear() == {"connectionId": joined["connectionId"], "result": {"ok": 1}, **extra}
    extension.say({"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 3}})
    assert simple.hear()["method"] == "forwardCDPEvent"
    simple.say({"method": "disconnect", "connectionId": joined["connectionId"]})
    assert simple.hear() == {"success": True}
