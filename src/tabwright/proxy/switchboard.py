"""Calls, answers and events between connected peers: the one table of calls under way.

A call ends in exactly one of: the extension's result or error, `timeout`, `outcome_unknown`. Answers are found by
(extension socket, wire id); whatever is not in that table is dropped and counted, and never reaches anybody.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, Raw

from tabwright.errors import INVALID_REQUEST
from tabwright.proxy import tabs
from tabwright.proxy.counts import Counts
from tabwright.proxy.envelope import Frame, Said, tab_of, text_of, wire_id, wire_prefix
from tabwright.proxy.model import CDP, Effect, Gone, Limits, Send
from tabwright.proxy.peers import Call, Connection, Extension

DENIED: Final = -32006
OUTCOME_UNKNOWN: Final = -32011
LIMIT: Final = -32013
TIMEOUT: Final = -32014
_NULL: Final = Raw(b"null")
LOST: Final = "The connection broke while the call was under way; it may or may not have happened"
_CDP_COMMAND: Final = "forwardCDPCommand"
_CDP_EVENT: Final = "forwardCDPEvent"
# their results name the tab that the caller works in from now on
_NAME_A_TAB: Final = frozenset({"createTab", "selectTab"})
RESERVED: Final = frozenset(
    {
        "authenticate",
        "authenticated",
        "connect",
        "disconnect",
        "disconnected",
        "extension_handshake",
        "list_extensions",
        "mcp_handshake",
        "status",
    }
)
"""The proxy's own words: they are passed on from neither side. An extension asked to `authenticate` gives its token."""


class Switchboard:
    def __init__(self, limits: Limits, counts: Counts, *, allow_cdp: bool) -> None:
        self._limits = limits
        self._counts = counts
        self._allow_cdp = allow_cdp
        self._busy: dict[Extension, None] = {}
        self._left: set[Extension] = set()
        """With tabs that are nobody's for a moment."""

    @property
    def pending(self) -> int:
        return sum(len(extension.calls) for extension in self._busy)

    def forward(self, connection: Connection, frame: Said, raw_id: bytes, now: float) -> list[Effect]:
        """A client's message for its extension."""
        assert frame.method is not UNSET
        client, extension = connection.client, connection.extension
        if frame.method == _CDP_COMMAND and not self._allow_cdp and CDP not in client.identity.scopes:
            message = "This token has no scope cdp: raw DevTools commands are not allowed"
            return self._refuse(connection, raw_id, DENIED, message, "denied")
        params = bytes(frame.params)
        tab = tab_of(params)
        if tab is not None and tab not in connection.tabs:
            self.name(connection, tab)
        if not raw_id and not client.dialect.simple:
            self._counts.notifications += 1
            return [Send(extension.peer, extension.dialect.call(connection.id, None, frame.method, params))]
        key = wire_id(connection.prefix, raw_id)
        limits = self._limits
        if (
            key in extension.calls
            or (client.pending if client.dialect.simple else len(connection.calls)) >= limits.pending_per_client
            or len(extension.calls) >= limits.pending_per_extension
        ):
            return self._not_now(connection, raw_id, key)
        call = Call(connection, key, raw_id, frame.method, now + limits.call_s)
        extension.calls[key] = connection.calls[key] = call
        self._busy[extension] = None
        self._counts.calls += 1
        # a simple extension gets a message without id as its protocol prints it; it answers by connectionId
        sent_id = key if raw_id or not extension.dialect.simple else None
        return [Send(extension.peer, extension.dialect.call(connection.id, sent_id, frame.method, params))]

    def answered(self, extension: Extension, frame: Frame, key: bytes, now: float) -> list[Effect]:
        """An extension's response, under the id it gave. No effects if it answers nothing."""
        if not frame.id and extension.dialect.simple:
            key = self._unnumbered(extension, frame)
        call = extension.calls.get(key)
        if call is None:
            return self._nobodys(extension, key, now)
        kind, body = (b"result", frame.result) if frame.result and not frame.error else _outcome(frame)
        if not body:
            # whose it is, is known; what it says, is not
            self._counts.malformed += 1
            return []
        connection = call.connection
        extension.end(call)
        if not extension.calls:
            self._busy.pop(extension, None)
        self._counts.answers += 1
        if connection.claims:
            tabs.answered(connection, call.wire_id)
        client = connection.client
        if call.method in _NAME_A_TAB or (client.dialect.simple and connection.unbound):
            self.name(connection, tab_of(frame.result))
        return [Send(client.peer, client.dialect.answer(call.raw_id, connection.id, kind, bytes(body)), call.raw_id)]

    def told(self, extension: Extension, frame: Frame, now: float) -> list[Effect]:
        """An extension's notification, for those it concerns."""
        assert frame.method is not UNSET
        if frame.method in RESERVED or not extension.bucket.take(now):
            self._counts.dropped_events += 1
            return []
        listeners: Iterable[Connection] = extension.connections.values()
        if frame.method == _CDP_EVENT:
            listeners = tabs.listeners(extension, tab_of(frame.params))
        params = bytes(frame.params)
        effects: list[Effect] = [
            Send(listener.client.peer, listener.client.dialect.event(listener.id, frame.method, params))
            for listener in listeners
        ]
        self._counts.events += len(effects)
        self._counts.dropped_events += not effects
        return effects

    def abandon(self, connection: Connection) -> list[Effect]:
        """A connection ends on the client's side; effects for the client, if it is still there to hear them."""
        effects = self.lose(connection)
        extension = connection.extension
        tabs.leave(connection)
        if extension.left_tabs is not None:
            self._left.add(extension)
        del extension.connections[connection.id]
        del connection.client.connections[connection.id]
        connection.client.only = None
        return effects

    def gone(self, connection: Connection, why: Gone) -> list[Effect]:
        """A connection ends on the extension's side: its calls first, then the notice."""
        effects = self.abandon(connection)
        client = connection.client
        return [*effects, Send(client.peer, client.dialect.gone(connection.id, why.value))]

    def name(self, connection: Connection, tab: int | None) -> None:
        """A connection has named a tab whose events it wants."""
        tabs.name(connection, tab, self._limits.tabs_per_connection)

    def unreadable(self, extension: Extension, now: float) -> None:
        """An extension sent what is no message: that may have been anybody's answer."""
        self._suspect(extension, now)

    def forges(self, extension: Extension, now: float) -> bool:
        """Whether an extension has answered what it was never asked too often."""
        times = extension.forged_at
        return times is not None and len(times) >= self._limits.forged and times[0] > now - self._limits.forged_s

    def tick(self, now: float) -> list[Effect]:
        """End the calls that are late."""
        effects: list[Effect] = []
        for extension in list(self._busy):
            late: list[Call] = []
            for call in extension.calls.values():
                if call.deadline > now:
                    break
                late.append(call)
            for call in late:
                extension.end(call)
                self._counts.timeouts += 1
                message = f"The extension did not answer within {self._limits.call_s:g} s; it may still happen"
                effects += self._refuse(call.connection, call.raw_id, TIMEOUT, message, "timeout")
            self._rest(extension)
        return effects

    def pass_moment(self) -> None:
        """Called once a second: tabs that somebody has left are soon anybody's."""
        for extension in self._left:
            tabs.pass_moment(extension)
        self._left = {extension for extension in self._left if extension.left_tabs is not None}

    def _not_now(self, connection: Connection, raw_id: bytes, key: bytes) -> list[Effect]:
        """Why a call does not go out."""
        if key not in connection.extension.calls:
            self._counts.limited += 1
            message = "Too many calls under way; wait for answers"
            return self._refuse(connection, raw_id, LIMIT, message, "limit")
        if not raw_id:
            return self._refuse(connection, raw_id, INVALID_REQUEST, "Busy: send an id", "busy")
        message = "Invalid Request: this id is in use by a call under way"
        return self._refuse(connection, raw_id, INVALID_REQUEST, message, "duplicate_id")

    def _refuse(self, connection: Connection, raw_id: bytes, code: int, message: str, word: str) -> list[Effect]:
        client = connection.client
        if not raw_id and not client.dialect.simple:
            return []
        return [Send(client.peer, client.dialect.failure(raw_id, connection.id, code, message, word, 0.0))]

    def lose(self, connection: Connection) -> list[Effect]:
        """Whatever is under way on a connection ends, its outcome unknown."""
        effects: list[Effect] = []
        for call in list(connection.calls.values()):
            connection.extension.end(call)
            self._counts.unknown_outcomes += 1
            if call.raw_id:
                effects += self._refuse(connection, call.raw_id, OUTCOME_UNKNOWN, LOST, "outcome_unknown")
        self._rest(connection.extension)
        return effects

    def _rest(self, extension: Extension) -> None:
        if not extension.calls:
            self._busy.pop(extension, None)

    @staticmethod
    def _unnumbered(extension: Extension, frame: Frame) -> bytes:
        told = text_of(frame.connection_id)
        if told is not None:
            return wire_id(wire_prefix(told), b"")
        waiting = [key for key, call in extension.calls.items() if not call.raw_id]
        return waiting[0] if len(waiting) == 1 else b""

    def _nobodys(self, extension: Extension, key: bytes, now: float) -> list[Effect]:
        if key and extension.ended is not None and key in extension.ended:
            self._counts.late_answers += 1
            return []
        self._counts.forged_answers += 1
        self._suspect(extension, now)
        return []

    def _suspect(self, extension: Extension, now: float) -> None:
        if extension.forged_at is None:
            extension.forged_at = deque(maxlen=self._limits.forged)
        extension.forged_at.append(now)


def _outcome(frame: Frame) -> tuple[bytes, Raw]:
    """What a response says; an empty body if both or neither. A member that is null beside the other says nothing."""
    result, error = frame.result, Raw() if frame.error == _NULL else frame.error
    if not error:
        return b"result", result
    if not result or result == _NULL:
        return b"error", error
    return b"", Raw()
