"""What a tab's recorded requests hold in memory is bounded, however much pages send."""

from collections.abc import Callable
from typing import Any, cast

from tabwright.browser.debugger.children import Children
from tabwright.browser.debugger.network import KEPT, KEPT_POST, KEPT_URL, Network
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject


class Heard:
    """What a tab's debugger would tell."""

    def __init__(self) -> None:
        self.tell: Callable[[CdpEvent], None] = lambda _: None

    def listen(self, prefix: str, heard: Callable[[CdpEvent], None]) -> None:
        self.tell = heard

    def greet(self, domain: str, greeting: object) -> None:
        """Nobody joins."""

    def sent(self, number: int, **request: Any) -> None:
        told: JsonObject = {
            "requestId": str(number),
            "request": {"method": "POST", "url": "https://a.test/", **request},
        }
        self.tell(CdpEvent(1, "Network.requestWillBeSent", told))


def test_long_addresses_and_what_was_sent_along_are_not_kept_whole() -> None:
    heard = Heard()
    network = Network(cast(Children, heard))
    network.began = 1.0
    heard.sent(1, url="data:image/png;base64," + "A" * 5_000_000, postData="x" * (KEPT_POST + 1))
    heard.sent(2, postData="a=1")
    long, short = network.requests()
    assert (len(long.url), long.post_data, short.post_data) == (KEPT_URL, None, "a=1")


def test_the_oldest_requests_go_first() -> None:
    heard = Heard()
    network = Network(cast(Children, heard))
    network.began = 1.0
    for number in range(KEPT + 2):
        heard.sent(number)
    assert (len(network.requests()), network.dropped, network.requests()[0].id) == (KEPT, 2, "r3")
