"""The proxy dialect: an extension behind the hosted proxy, as its MCP side speaks to it (proxy.md).

Commands are JSON-RPC requests with numbers as ids, which the proxy maps; the typed messages of tabs.md arrive as
notifications of the same names. What the proxy itself refuses is told apart from what the browser refuses: a call that
was not forwarded waits for the next connection. The edge has shaken hands and connected before this speaks.
"""

from dataclasses import dataclass
from typing import Final

from tabwright import jsonrpc
from tabwright.errors import CommandFailed, GatewayError, InvalidRequest, OutcomeUnknown
from tabwright.link.dialect import Incoming, Lost, Refused, Told, Undelivered
from tabwright.link.events import Connected
from tabwright.link.local import OWN_COMMANDS, read_answer
from tabwright.link.wire import parse_cdp_event, parse_event
from tabwright.model import JsonObject

STANDARD_COMMANDS: Final = frozenset(
    {
        "createTab",
        "getTabs",
        "selectTab",
        "activateTab",
        "closeTab",
        "browser_navigate",
        "goBack",
        "goForward",
        "forwardCDPCommand",
        "click",
        "type",
        "hover",
        "screenshot",
    }
)
"""What proxy.md asks of every extension."""
MAX_CHARS: Final = 1_000_000
"""The proxy takes messages of 1 MiB from its clients, and closes on longer ones."""
_BROWSER_LEFT: Final = frozenset({"Extension closed", "Extension timed out"})
# said by the proxy before it forwards anything
_NOT_FORWARDED: Final = frozenset({"not_connected", "shutting_down"})


@dataclass(frozen=True, slots=True)
class Introduction:
    """Who is at the other end of a connection, and the tabs there."""

    profile: str | None
    """Its name over reconnects; None where it does not say."""
    launched: bool
    seen: bool
    """Whether a person may be looking at it."""
    commands: frozenset[str]
    first: Connected
    nonce: str | None = None
    """What a gateway signs to show which one it is."""


def read_introduction(result: JsonObject) -> Introduction:
    """Our own extension's answer to `introduce`.

    Raises:
        InvalidRequest: it has another shape.
    """
    first, profile = parse_event({**result, "type": "connected"}), result.get("profileId")
    if not isinstance(first, Connected) or not isinstance(profile, str) or not 0 < len(profile) <= 100:
        raise InvalidRequest("introduce answers profileId, browser {name, version} and tabs [].")
    launched, seen = result.get("launched") is True, result.get("seen") is not False
    nonce = result.get("nonce")
    nonce = nonce if isinstance(nonce, str) and 0 < len(nonce) <= 100 else None
    return Introduction(profile, launched, seen, OWN_COMMANDS, first, nonce)


def read_stranger(name: str, result: JsonObject) -> Introduction:
    """Another extension's answer to `getTabs`, and the name it gave the proxy: "Chrome 141".

    Raises:
        InvalidRequest: it has another shape.
    """
    title, _, version = name.rpartition(" ")
    known = title and version[:1].isdigit()
    browser: JsonObject = {"name": title if known else name, "version": version if known else ""}
    first = parse_event({"type": "connected", "browser": browser, "tabs": result.get("tabs", [])})
    assert isinstance(first, Connected)
    return Introduction(None, False, True, STANDARD_COMMANDS, first)


class ProxiedDialect:
    """One connection to one extension. `gone` is why the proxy ended it, once it has."""

    def __init__(self, commands: frozenset[str]) -> None:
        self._commands = commands
        self.gone: str | None = None

    @property
    def browser_left(self) -> bool:
        """Whether it was the browser that went, by the word of a proxy that stays."""
        return self.gone in _BROWSER_LEFT

    @property
    def commands(self) -> frozenset[str]:
        return self._commands

    @property
    def silence_s(self) -> None:
        # the proxy looks after the extension's socket, and the edge after ours
        return None

    def encode(self, call_id: int, command: str, params: JsonObject) -> list[str]:
        text = jsonrpc.encode(jsonrpc.request(call_id, command, params))
        if len(text) > MAX_CHARS:
            size = f"{len(text) / 1e6:.1f} MB"
            raise CommandFailed(
                f"This takes a message of {size}, and the proxy passes on 1 MB at most. Do it in parts."
            )
        return [text]

    def decode(self, text: str | bytes) -> list[Incoming]:
        try:
            return self._decode(jsonrpc.decode_object(text))
        except GatewayError:
            # extensions hear of no faults of theirs through a proxy, and nobody waits for an answer to this
            return []

    def waiting(self, call_id: int) -> bool:
        return False

    def abandon(self, call_id: int) -> list[str]:
        # with an id of its own, by which the extension knows whose call is meant; its answer is nobody's
        return [jsonrpc.encode(jsonrpc.request(f"cancel-{call_id}", "cancel", {"id": call_id}))]

    def _decode(self, message: JsonObject) -> list[Incoming]:
        match jsonrpc.parse(message):
            case jsonrpc.Response() | jsonrpc.Failure() as answer:
                return [] if (read := read_answer(answer)) is None else [_judge(read)]
            case jsonrpc.Notification(method="forwardCDPEvent", params=params):
                return [Told(parse_cdp_event(params))]
            case jsonrpc.Notification(method="disconnected", params=params):
                self.gone = str(params.get("reason", "Extension closed"))[:200]
                return []
            case jsonrpc.Notification(method=method, params=params):
                event = parse_event({**params, "type": method})
                return [] if event is None else [Told(event)]
            case _:
                return []


def _judge(read: Incoming) -> Incoming:
    match read:
        case Refused(call_id=call_id, word=word) if word in _NOT_FORWARDED:
            return Undelivered(call_id)
        case Refused(word=OutcomeUnknown.word):
            return Lost(read)
        case _:
            return read
