"""Who hears a tab's DevTools events: the connections that have named it.

A tab whose connection has ended is nobody's for a moment, because events meant for that one may still be on their way.
A connection that names it then has a claim, which becomes good with the first answer to anything asked after that, or
when the moment has passed: a call that opens a dialog ends only after somebody has heard of the dialog.
"""

from typing import Final

from tabwright.proxy.peers import Connection, Extension

LEFT_KEPT: Final = 1_000


def name(connection: Connection, tab: int | None, most: int) -> None:
    """A connection has named a tab: its events are for this connection from now on, or as soon as it is free."""
    if tab is None or tab in connection.tabs or len(connection.tabs) >= most:
        return
    left = connection.extension.left_tabs
    if left is None or tab not in left:
        connection.tabs.add(tab)
        return
    claims = connection.claims = connection.claims or {}
    # answers to what was asked before prove nothing
    claims.setdefault(tab, set(connection.calls))


def answered(connection: Connection, wire_id: bytes) -> None:
    """An answer has come for a connection with claims: what was sent before it has come too."""
    for tab, earlier in list((connection.claims or {}).items()):
        if wire_id in earlier:
            earlier.discard(wire_id)
        else:
            _grant(connection, tab)


def leave(connection: Connection) -> None:
    """A connection ends: its tabs are nobody's for a moment."""
    extension = connection.extension
    if not connection.tabs:
        return
    left = extension.left_tabs = extension.left_tabs or {}
    left.update(dict.fromkeys(connection.tabs, False))
    while len(left) > LEFT_KEPT:
        _free(extension, next(iter(left)))


def pass_moment(extension: Extension) -> None:
    """Called once a second: what has been nobody's since before the last time is free."""
    left = extension.left_tabs or {}
    for tab, old in list(left.items()):
        if old:
            _free(extension, tab)
        else:
            left[tab] = True
    if not left:
        extension.left_tabs = None


def listeners(extension: Extension, tab: int | None) -> list[Connection]:
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


def _free(extension: Extension, tab: int) -> None:
    if extension.left_tabs is not None:
        extension.left_tabs.pop(tab, None)
    for connection in extension.connections.values():
        if connection.claims and tab in connection.claims:
            _grant(connection, tab)


def _grant(connection: Connection, tab: int) -> None:
    if connection.claims is not None:
        del connection.claims[tab]
    connection.tabs.add(tab)
    if connection.extension.left_tabs is not None:
        connection.extension.left_tabs.pop(tab, None)
