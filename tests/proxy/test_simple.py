"""proxy-simple.md in virtual time: the older dialect, alone and together with the newer one."""

from typing import Any

import pytest

from tabwright.proxy.model import CloseCode, Endpoint, PeerId
from tests.proxy.world import World


class Old(World):
    """Peers of the simple dialect, on an open proxy."""

    def __init__(self, *, needs_token: bool = False) -> None:
        super().__init__(needs_token=needs_token)

    def old_extension(self, endpoint: Endpoint = Endpoint.ANY) -> PeerId:
        peer = self.open(endpoint)
        self.heard(peer)
        self.say(peer, {"method": "extension_handshake", "params": {"name": "Chrome 141"}})
        assert self.heard(peer) == []
        return peer

    def old_client(self, endpoint: Endpoint = Endpoint.ANY) -> PeerId:
        peer = self.open(endpoint)
        self.say(peer, {"method": "mcp_handshake", "params": {"projectName": "my-project"}})
        assert self.heard(peer) == []
        return peer

    def old_connect(self, client: PeerId, tab: int | None = None, which: int = 0) -> str:
        listed = self.tell(client, "list_extensions", {})["extensions"]
        params = {"extensionId": listed[which]["id"], **({} if tab is None else {"tabId": tab})}
        return self.tell(client, "connect", params)["connectionId"]

    def tell(self, peer: PeerId, method: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
        self.say(peer, {"method": method, "params": params, **more})
        return self.heard(peer)[0]


@pytest.mark.parametrize("endpoint", [Endpoint.ANY, Endpoint.EXTENSION])
def test_an_old_extension_is_known_by_its_first_message(endpoint: Endpoint) -> None:
    world = Old()
    world.old_extension(endpoint)
    [row] = world.tell(world.old_client(), "list_extensions", {})["extensions"]
    assert (row["name"], row["connected"]) == ("Chrome 141", True)


@pytest.mark.parametrize("endpoint", [Endpoint.ANY, Endpoint.MCP])
def test_an_old_client_is_known_by_its_first_message(endpoint: Endpoint) -> None:
    assert Old().old_client(endpoint)


def test_at_the_root_the_newer_dialect_works_too() -> None:
    world = Old()
    client = world.open(Endpoint.ANY)
    assert world.ask(client, "mcp_handshake")["result"]["user_id"] == "local"


def test_without_tokens_being_optional_there_is_no_way_around_them() -> None:
    world = Old(needs_token=True)
    client = world.open(Endpoint.ANY)
    world.say(client, {"method": "mcp_handshake", "params": {"projectName": "p"}})
    assert "accessToken" in world.heard(client)[0]["error"]
    assert not world.router.roster.knows(client)
    world.say(client, {"method": "mcp_handshake", "params": {"projectName": "p", "accessToken": "bad"}})
    assert world.heard(client) == [{"error": "Authentication failed: Invalid token"}]
    assert world.closed[client][0] is CloseCode.UNAUTHORIZED
    extension = world.open(Endpoint.ANY)
    world.say(extension, {"method": "extension_handshake", "params": {"name": "x"}})
    assert world.closed[extension][0] is CloseCode.UNAUTHORIZED
    known = world.open(Endpoint.ANY)
    world.say(known, {"method": "mcp_handshake", "params": {"projectName": "p", "accessToken": "alice"}})
    assert world.router.roster.knows(known)


def test_connecting_to_what_is_not_there_fails_in_words() -> None:
    world = Old()
    client = world.old_client()
    told = world.tell(client, "connect", {"extensionId": "ext-none"})
    assert told == {"success": False, "error": "Extension not found or not accessible"}
    assert world.tell(client, "connect", {}, id=5)["id"] == 5
    assert world.tell(client, "forwardCDPCommand", {}) == {"error": "Send the connectionId that connect answered"}
    told = world.tell(client, "forwardCDPCommand", {}, connectionId="conn-x")
    assert told == {"connectionId": "conn-x", "error": "Connection not found or not accessible"}


def test_one_client_may_have_several_connections() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    first, second = world.old_connect(client, 1), world.old_connect(client, 2)
    for connection in (first, second):
        world.say(client, {"method": "click", "connectionId": connection, "params": {"x": 1}})
        assert world.heard(extension) == [{"method": "click", "connectionId": connection, "params": {"x": 1}}]
    for tab, connection in ((2, second), (1, first)):
        world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": tab}})
        told = {"method": "forwardCDPEvent", "connectionId": connection, "params": {"tabId": tab}}
        assert world.heard(client) == [told]
    assert world.tell(client, "disconnect", {}, connectionId=first) == {"success": True}
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 1}})
    assert world.heard(client) == []


def test_two_connections_on_one_tab_both_get_its_events() -> None:
    world = Old()
    extension = world.old_extension()
    clients = [world.old_client() for _ in range(2)]
    connections = [world.old_connect(client, 7) for client in clients]
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 7}})
    for client, connection in zip(clients, connections, strict=True):
        assert [message["connectionId"] for message in world.heard(client)] == [connection]


def test_a_tab_is_learnt_from_the_first_message_unless_two_wait_for_theirs() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    first, second = world.old_connect(client), world.old_connect(client)
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 5}})
    assert world.heard(client) == []
    world.say(client, {"id": 1, "method": "createTab", "connectionId": second, "params": {}})
    world.say(extension, {"id": f"{second}:1", "result": {"tabId": 6}})
    world.heard(client)
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 5}})
    assert [message["connectionId"] for message in world.heard(client)] == [first]
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 6}})
    assert [message["connectionId"] for message in world.heard(client)] == [second]


def test_ids_are_echoed_and_mapped_where_given() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    assert world.tell(client, "list_extensions", {}, id="x")["id"] == "x"
    connection = world.old_connect(client)
    world.say(client, {"id": 9, "method": "getTabs", "connectionId": connection, "params": {}})
    [call] = world.heard(extension)
    assert call == {"id": f"{connection}:9", "method": "getTabs", "connectionId": connection, "params": {}}
    world.say(extension, {"id": call["id"], "result": {"tabs": []}})
    assert world.heard(client) == [{"id": 9, "connectionId": connection, "result": {"tabs": []}}]


def test_without_ids_one_call_at_a_time_is_answered_by_its_connection() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    connection = world.old_connect(client)
    world.say(client, {"method": "getTabs", "connectionId": connection, "params": {}})
    told = world.tell(client, "getTabs", {}, connectionId=connection)
    assert told == {"connectionId": connection, "error": "Busy: send an id"}
    assert len(world.heard(extension)) == 1
    world.say(extension, {"connectionId": connection, "result": {"tabs": []}})
    assert world.heard(client) == [{"connectionId": connection, "result": {"tabs": []}}]
    world.say(client, {"method": "getTabs", "connectionId": connection, "params": {}})
    world.say(extension, {"error": "no such tab"})
    assert world.heard(client) == [{"connectionId": connection, "error": "no such tab"}]


def test_all_are_told_when_the_extension_disconnects() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    connection = world.old_connect(client)
    world.say(client, {"id": 1, "method": "click", "connectionId": connection, "params": {}})
    world.leave(extension)
    lost, notice = world.heard(client)
    assert (lost["id"], lost["connectionId"], lost["error"]["code"]) == (1, connection, -32011)
    assert notice == {"connectionId": connection, "error": "Extension disconnected"}


def test_an_old_client_uses_a_newer_extension() -> None:
    world = Old()
    extension, _ = world.extension("local")
    client = world.old_client()
    connection = world.old_connect(client, 3)
    assert [message["method"] for message in world.heard(extension)] == ["status"]
    for request, answered in (({"id": "a"}, {"id": "a"}), ({}, {})):
        world.say(client, {**request, "method": "click", "connectionId": connection, "params": {}})
        assert "connectionId" not in world.answer(extension, {"ok": 1})
        assert world.heard(client) == [{**answered, "connectionId": connection, "result": {"ok": 1}}]
    world.say(extension, {"jsonrpc": "2.0", "method": "tabCreated", "params": {"tab": {}}})
    assert world.heard(client) == [{"method": "tabCreated", "connectionId": connection, "params": {"tab": {}}}]


def test_a_newer_client_uses_an_old_extension() -> None:
    world = Old()
    extension = world.old_extension()
    client = world.client("local")
    connection = world.connect(client, world.ask(client, "list_extensions")["result"]["extensions"][0]["id"])
    world.heard(client)
    assert world.heard(extension) == []
    world.say(client, {"jsonrpc": "2.0", "id": 4, "method": "click", "params": {"tabId": 1}})
    assert world.heard(extension) == [
        {"id": f"{connection}:4", "method": "click", "connectionId": connection, "params": {"tabId": 1}}
    ]
    world.say(extension, {"id": f"{connection}:4", "result": {}})
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 4, "result": {}}]
    world.say(extension, {"method": "forwardCDPEvent", "params": {"tabId": 1}})
    assert world.heard(client) == [{"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 1}}]


@pytest.mark.parametrize(
    ("said", "message"), [('"No such \\"tab\\""', 'No such "tab"'), ("7", "7"), ('["x"]', '["x"]'), ('""', '""')]
)
def test_a_failure_in_words_is_an_error_to_a_newer_client(said: str, message: str) -> None:
    world = Old()
    extension = world.old_extension()
    client = world.client("local")
    connection = world.connect(client, world.ask(client, "list_extensions")["result"]["extensions"][0]["id"])
    world.heard(client)
    world.say(client, {"jsonrpc": "2.0", "id": 4, "method": "click", "params": {}})
    world.say(extension, f'{{"id":"{connection}:4","error":{said}}}')
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 4, "error": {"code": -32000, "message": message}}]


@pytest.mark.rule("T32")
def test_an_heir_of_a_tab_does_not_hear_what_was_meant_for_another() -> None:
    world = Old()
    extension, former, heir = world.old_extension(), world.old_client(), world.old_client()
    world.old_connect(former, 7)
    world.leave(former)
    connection = world.old_connect(heir, 7)
    event = {"method": "forwardCDPEvent", "params": {"tabId": 7}}
    world.say(extension, event)
    assert world.heard(heir) == []
    world.say(heir, {"id": 1, "method": "click", "connectionId": connection, "params": {}})
    world.say(extension, {"id": f"{connection}:1", "result": {}})
    world.heard(heir)
    world.say(extension, event)
    assert [message["connectionId"] for message in world.heard(heir)] == [connection]


def test_a_client_has_so_many_connections_and_no_more() -> None:
    world = Old()
    world.old_extension()
    client = world.old_client()
    for tab in range(64):
        world.old_connect(client, tab)
    listed = world.tell(client, "list_extensions", {})["extensions"]
    assert world.tell(client, "connect", {"extensionId": listed[0]["id"]}) == {
        "success": False,
        "error": "Too many connections",
    }


def test_events_without_a_tab_and_answers_to_nobody_reach_nobody() -> None:
    world = Old()
    extension, client = world.old_extension(), world.old_client()
    world.old_connect(client, 1)
    world.say(extension, {"method": "forwardCDPEvent", "params": {}})
    world.say(extension, {"result": {}})
    world.say(extension, "nonsense")
    assert world.heard(client) == []
    assert world.heard(extension) == []


def test_an_unanswered_message_without_id_ends_too() -> None:
    world = Old()
    world.old_extension()
    client = world.old_client()
    connection = world.old_connect(client, 1)
    world.say(client, {"method": "click", "connectionId": connection, "params": {}})
    world.wait(121)
    [told] = world.heard(client)
    assert told["connectionId"] == connection
    assert "did not answer" in told["error"]


def test_a_connection_that_names_its_tab_hears_it_at_once_and_needs_no_call() -> None:
    world = Old()
    extension, former = world.old_extension(), world.old_client()
    event = {"method": "forwardCDPEvent", "params": {"tabId": 7}}
    connection = world.old_connect(former, 7)
    world.say(extension, event)
    assert [message["connectionId"] for message in world.heard(former)] == [connection]
    world.leave(former)
    heir = world.old_client()
    connection = world.old_connect(heir, 7)
    for _ in range(3):
        world.wait(1)
    world.say(extension, event)
    assert [message["connectionId"] for message in world.heard(heir)] == [connection]
