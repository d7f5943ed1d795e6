"""Which clients hear what an extension tells (proxy.md in virtual time)."""

from typing import Any

import pytest

from tabwright.proxy.model import Limits, PeerId
from tests.proxy.world import World, error


@pytest.mark.rule("T29")
def test_browser_wide_events_reach_the_clients_of_that_extension_alone() -> None:
    world = World()
    extension, client, _ = world.pair()
    bystander = world.client()
    _, foreign, _ = world.pair("bob")
    for method in ("tabCreated", "tabUpdated", "tabClosed", "toolsChanged", "tabMessage"):
        event = {"jsonrpc": "2.0", "method": method, "params": {"tabId": 5}}
        world.say(extension, event)
        assert world.heard(client) == [event]
    assert (world.heard(bystander), world.heard(foreign)) == ([], [])


@pytest.mark.rule("T29")
def test_devtools_events_reach_those_who_named_the_tab() -> None:
    world = World()
    extension, client, _ = world.pair()
    other = world.client()
    world.connect(other, world.ask(other, "list_extensions")["result"]["extensions"][0]["id"])
    for peer in (extension, client, other):
        world.heard(peer)

    def event(tab: int) -> None:
        params: dict[str, Any] = {"tabId": tab, "method": "Page.loadEventFired", "params": {}}
        world.say(extension, {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": params})

    event(42)
    assert (world.heard(client), world.heard(other)) == ([], [])
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "createTab", "params": {}})
    world.answer(extension, {"tabId": 42})
    world.say(other, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.heard(client)
    event(42)
    event(7)
    event(8)
    assert [message["params"]["tabId"] for message in world.heard(client)] == [42]
    assert [message["params"]["tabId"] for message in world.heard(other)] == [7]


@pytest.mark.rule("T32")
def test_late_events_of_a_tabs_former_client_do_not_reach_its_next() -> None:
    world = World()
    extension, former, _ = world.pair()
    world.say(former, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.answer(extension)
    world.leave(former)
    heir = world.client()
    world.connect(heir, world.ask(heir, "list_extensions")["result"]["extensions"][0]["id"])
    world.heard(extension)
    world.say(heir, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.heard(heir)
    event = {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 7}}
    world.say(extension, event)
    assert world.heard(heir) == []
    world.answer(extension)
    world.heard(heir)
    world.say(extension, event)
    assert world.heard(heir) == [event]


@pytest.mark.rule("T29")
def test_an_extension_can_neither_ask_nor_speak_for_the_proxy() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(extension, {"jsonrpc": "2.0", "id": "ext:1", "method": "connect", "params": {}})
    assert error(world.heard(extension)[0])[0] == -32601
    for method in ("disconnected", "status", "authenticated", "connect"):
        world.say(extension, {"jsonrpc": "2.0", "method": method, "params": {"connection_id": connection}})
    assert world.heard(client) == []
    assert not world.closed


def test_only_so_many_tabs_of_former_clients_are_remembered() -> None:
    world = World(Limits(user_rate=0, tabs_per_connection=3_000))
    extension, client, _ = world.pair()
    for tab in range(2_000):
        world.say(client, {"jsonrpc": "2.0", "method": "click", "params": {"tabId": tab}})
    world.leave(client)
    heir = world.client()
    world.connect(heir, world.ask(heir, "list_extensions")["result"]["extensions"][0]["id"])
    heard: list[int] = []
    for tab in (0, 1_999):
        world.say(heir, {"jsonrpc": "2.0", "method": "click", "params": {"tabId": tab}})
        world.heard(heir)
        world.say(extension, {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": tab}})
        heard += [message["params"]["tabId"] for message in world.heard(heir)]
    assert heard == [0]


def reconnected(world: World) -> tuple[PeerId, PeerId]:
    """A client that named tab 7 is gone, and another is there: the extension and the heir."""
    extension, former, _ = world.pair()
    world.say(former, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.answer(extension)
    world.leave(former)
    heir = world.client()
    world.connect(heir, world.ask(heir, "list_extensions")["result"]["extensions"][0]["id"])
    for peer in (extension, heir):
        world.heard(peer)
    return extension, heir


EVENT = {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 7}}


def test_a_first_call_that_never_ends_does_not_keep_a_tabs_events_away() -> None:
    world = World()
    extension, heir = reconnected(world)
    # such as one that opens a dialog: it ends when somebody has heard of the dialog and closed it
    world.say(heir, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.say(extension, EVENT)
    assert world.heard(heir) == []
    for _ in range(3):
        world.wait(1)
    world.say(extension, EVENT)
    assert world.heard(heir) == [EVENT]


def test_the_answer_to_any_later_call_proves_that_late_events_have_passed() -> None:
    world = World()
    extension, heir = reconnected(world)
    world.say(heir, {"jsonrpc": "2.0", "id": 0, "method": "getTabs"})
    [earlier] = world.heard(extension)
    for number in (1, 2):
        world.say(heir, {"jsonrpc": "2.0", "id": number, "method": "click", "params": {"tabId": 7}})
    _, later = world.heard(extension)
    world.say(extension, {"id": earlier["id"], "result": {}})
    world.heard(heir)
    world.say(extension, EVENT)
    assert world.heard(heir) == []
    world.say(extension, {"id": later["id"], "result": {}})
    world.heard(heir)
    world.say(extension, EVENT)
    assert world.heard(heir) == [EVENT]


def test_a_tab_that_was_left_long_ago_is_bound_at_once() -> None:
    world = World()
    extension, heir = reconnected(world)
    for _ in range(3):
        world.wait(1)
    world.say(heir, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.say(extension, EVENT)
    assert world.heard(heir) == [EVENT]
