"""Calls, answers and events between connected peers: the one table of calls under way.

A call ends in exactly one of: the extension's result or error, `timeout`, `outcome_unknown`. Answers are found by
(extension socket, wire id); whatever is not in that table is dropped and counted, and never reaches anybody.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from tabwright.errors import INVALID_REQUEST
from tabwright.proxy.counts import Counts
from tabwright.proxy.envelope import Frame, tab_of, text_of
from tabwright.proxy.model import CDP, Effect, Gone, Limits, Send
from tabwright.proxy.peers import Call, Connection, Extension

DENIED: Final = -32006
OUTCOME_UNKNOWN: Final = -32011
LIMIT: Final = -32013
TIMEOUT: Final = -32014
_LOST: Final = "The connection broke while the call was under way; it may or may not have happened"
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
"""The proxy's own words: an extension that says them is not passed on."""


class Switchboard:
    def __init__(self, limits: Limits, counts: Counts, *, allow_cdp: bool) -> None:
        self._limits = limits
        self._counts = counts
        self._allow_cdp = allow_cdp
        self._busy: dict[Extension, None] = {}

    @property
    def pending(self) -> int:
        return sum(len(extension.calls) for extension in self._busy)

    def forward(self, connection: Connection, frame: Frame, raw_id: bytes, now: float) -> list[Effect]:
        """A client's message for its extension."""
        assert frame.method is not UNSET
        client, extension = connection.client, connection.extension
        if frame.method == _CDP_COMMAND and not self._allow_cdp and CDP not in client.identity.scopes:
            message = "This token has no scope cdp: raw DevTools commands are not allowed"
            return self._refuse(connection, raw_id, DENIED, message, "denied")
        params = bytes(frame.params)
        tab = tab_of(params)
        if not raw_id and not client.dialect.simple:
            self._counts.notifications += 1
            self.name(connection, tab)
            return [Send(extension.peer, extension.dialect.call(connection.id, None, frame.method, params))]
        wire_id = f"{connection.id}:{raw_id.decode()}"
        refusal = self._check(connection, raw_id, wire_id)
        if refusal:
            return refusal
        call = Call(connection, wire_id, raw_id, frame.method, now + self._limits.call_s)
        extension.calls[wire_id] = connection.calls[wire_id] = call
        self._busy[extension] = None
        self._counts.calls += 1
        self.name(connection, tab, wire_id)
        # a simple extension gets a message without id as its protocol prints it; it answers by connectionId
        sent_id = wire_id if raw_id or not extension.dialect.simple else None
        return [Send(extension.peer, extension.dialect.call(connection.id, sent_id, frame.method, params))]

    def answered(self, extension: Extension, frame: Frame, key: str | None, now: float) -> list[Effect]:
        """An extension's response, under the id it gave, if that was a string. No effects if it answers nothing."""
        if not frame.id and extension.dialect.simple:
            key = self._unnumbered(extension, frame)
        call = None if key is None else extension.calls.get(key)
        if call is None:
            return self._nobodys(extension, key, now)
        if bool(frame.result) == bool(frame.error):
            return self._nobodys(extension, None, now)
        connection = call.connection
        extension.end(call)
        self._rest(extension)
        self._counts.answers += 1
        if connection.claims:
            self._settle(connection, call.wire_id)
        client = connection.client
        if call.method in _NAME_A_TAB or (client.dialect.simple and connection.unbound):
            self.name(connection, tab_of(frame.result))
        kind, body = (b"result", frame.result) if frame.result else (b"error", frame.error)
        return [Send(client.peer, client.dialect.answer(call.raw_id, connection.id, kind, bytes(body)))]

    def told(self, extension: Extension, frame: Frame, now: float) -> list[Effect]:
        """An extension's notification, for those it concerns."""
        assert frame.method is not UNSET
        if frame.method in RESERVED or not extension.bucket.take(now):
            self._counts.dropped_events += 1
            return []
        listeners: Iterable[Connection] = extension.connections.values()
        if frame.method == _CDP_EVENT:
            listeners = self._listeners(extension, tab_of(frame.params))
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
        effects = self._lose(connection)
        extension = connection.extension
        extension.leave(connection.tabs)
        del extension.connections[connection.id]
        del connection.client.connections[connection.id]
        return effects

    def gone(self, connection: Connection, why: Gone) -> list[Effect]:
        """A connection ends on the extension's side: its calls first, then the notice."""
        effects = self.abandon(connection)
        client = connection.client
        return [*effects, Send(client.peer, client.dialect.gone(connection.id, why.value))]

    def name(self, connection: Connection, tab: int | None, wire_id: str | None = None) -> None:
        """A connection has named a tab, perhaps by a call: its events are for this connection from now on."""
        if tab is None or tab in connection.tabs or len(connection.tabs) >= self._limits.tabs_per_connection:
            return
        left = connection.extension.left_tabs
        if left is not None and tab in left:
            # events of whoever had it may still be on their way; the answer to us comes after them
            claims = connection.claims = connection.claims or {}
            claims.setdefault(tab, wire_id)
            return
        connection.tabs.add(tab)

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

    def _check(self, connection: Connection, raw_id: bytes, wire_id: str) -> list[Effect]:
        """Why a call must not go out, if so."""
        client, extension = connection.client, connection.extension
        if wire_id in extension.calls:
            if not raw_id:
                return self._refuse(connection, raw_id, INVALID_REQUEST, "Busy: send an id", "busy")
            message = "Invalid Request: this id is in use by a call under way"
            return self._refuse(connection, raw_id, INVALID_REQUEST, message, "duplicate_id")
        pending = client.pending if client.dialect.simple else len(connection.calls)
        if pending >= self._limits.pending_per_client or len(extension.calls) >= self._limits.pending_per_extension:
            self._counts.limited += 1
            message = "Too many calls under way; wait for answers"
            return self._refuse(connection, raw_id, LIMIT, message, "limit")
        return []

    def _refuse(self, connection: Connection, raw_id: bytes, code: int, message: str, word: str) -> list[Effect]:
        client = connection.client
        if not raw_id and not client.dialect.simple:
            return []
        return [Send(client.peer, client.dialect.failure(raw_id, connection.id, code, message, word, 0.0))]

    def _lose(self, connection: Connection) -> list[Effect]:
        effects: list[Effect] = []
        for call in list(connection.calls.values()):
            connection.extension.end(call)
            self._counts.unknown_outcomes += 1
            if call.raw_id:
                effects += self._refuse(connection, call.raw_id, OUTCOME_UNKNOWN, _LOST, "outcome_unknown")
        self._rest(connection.extension)
        return effects

    def _rest(self, extension: Extension) -> None:
        if not extension.calls:
            self._busy.pop(extension, None)

    @staticmethod
    def _unnumbered(extension: Extension, frame: Frame) -> str | None:
        told = text_of(frame.connection_id)
        if told is not None:
            return f"{told}:"
        waiting = [key for key, call in extension.calls.items() if not call.raw_id]
        return waiting[0] if len(waiting) == 1 else None

    def _nobodys(self, extension: Extension, key: str | None, now: float) -> list[Effect]:
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

    @staticmethod
    def _settle(connection: Connection, wire_id: str) -> None:
        """An answer has come: what was named before it is this connection's own."""
        claims, left = connection.claims or {}, connection.extension.left_tabs or {}
        for tab in [tab for tab, by in claims.items() if by in (None, wire_id)]:
            del claims[tab]
            connection.tabs.add(tab)
            left.pop(tab, None)

    def _listeners(self, extension: Extension, tab: int | None) -> list[Connection]:
        if tab is None:
            return []
        named = [connection for connection in extension.connections.values() if tab in connection.tabs]
        if named or (extension.left_tabs is not None and tab in extension.left_tabs):
            return named
        unbound = [connection for connection in extension.connections.values() if connection.unbound]
        if len(unbound) != 1:
            return []
        unbound[0].tabs.add(tab)
        return unbound
