"""Grants in the person's hands: on the dashboard, and on the command line through the gateway if one runs, else in the
file itself."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from tabwright.calls.audit import Audit, Event
from tabwright.edges.commands.control_client import NoGateway, ask
from tabwright.edges.runtime import Home, create_private
from tabwright.edges.store.audit_store import AuditStore
from tabwright.edges.store.grant_store import GrantStore
from tabwright.errors import GatewayError, InvalidArguments
from tabwright.model import Json, JsonObject
from tabwright.policy.actions import LAUNCHED, Access
from tabwright.policy.grants import ANY, Grant, GrantKey, Grants, Scope
from tabwright.policy.urls import origin_of, read_address

COMMAND_LINE = "command line"


class GrantControl:
    """Answers `grants-list`, `grants-give` and `grants-revoke`. `by` is where the person does it, for the record."""

    def __init__(self, grants: Grants, audit: Audit, by: str = COMMAND_LINE) -> None:
        self._grants = grants
        self._audit = audit
        self._by = by

    def knows(self, method: str) -> bool:
        return method in ("grants-list", "grants-give", "grants-revoke")

    def handle(self, method: str, params: JsonObject) -> JsonObject:
        """Raises:
        GatewayError: there is nothing like that.
        """
        match method:
            case "grants-give":
                given = [self._give(key) for key in _keys(params)]
                return {"grants": _described(given)}
            case "grants-revoke":
                gone = self._grants.revoke(_chosen(params))
                for grant in gone:
                    self._note("revoked", grant)
                return {"grants": _described(gone)}
            case _:
                return {"grants": _described(self._grants.listed())}

    def _give(self, key: GrantKey) -> Grant:
        grant = Grant(key, Scope.ALWAYS, time.time())
        self._grants.give(grant)
        self._note("given", grant)
        return grant

    def _note(self, what: str, grant: Grant) -> None:
        key = grant.key
        told: JsonObject = {
            "what": what,
            "id": key.id,
            "origin": key.origin,
            "class": key.access.value,
            "by": self._by,
        }
        self._audit.record(Event("grant", grant.session, key.client, told))


def request(home: Home, method: str, params: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Ask the gateway of this home, or do it in its file.

    Raises:
        GatewayError: it said no.
    """
    try:
        return ask(home, method, params)["grants"]
    except NoGateway:
        home.prepare()
        create_private(home.database)
        with closing(open_database(home)) as db:
            grants = Grants(GrantStore(db), time.time)
            answer = GrantControl(grants, AuditStore(db, time.time)).handle(method, params or {})
        found: Any = answer["grants"]
        return found


def open_database(home: Home) -> sqlite3.Connection:
    """Raises:
    GatewayError: it is none, or not to be opened.
    """
    try:
        return sqlite3.connect(home.database, timeout=2)
    except sqlite3.DatabaseError as exc:
        raise GatewayError(f"{home.database} cannot be read: {exc}.", "Start the gateway, which mends it.") from exc


def _keys(params: JsonObject) -> list[GrantKey]:
    site, client, profile = (str(params.get(name) or "") for name in ("site", "client", "profile"))
    classes = params.get("classes")
    if not isinstance(classes, list) or not classes:
        raise GatewayError("A grant names at least one class.", f"One of {', '.join(a.value for a in Access)}.")
    origin = read_origin(site)
    return [GrantKey(origin, _access(str(name)), client or ANY, profile or ANY) for name in classes]


def read_origin(site: str) -> str:
    """The exact origin a person means; `example.com` is `https://example.com`.

    Raises:
        GatewayError: that is none.
    """
    try:
        origin = origin_of(read_address(site).href)
    except InvalidArguments as exc:
        raise GatewayError(exc.message, exc.next_step) from None
    if "*" in origin:
        # no page is ever there: it would allow nothing, and say that it did
        raise GatewayError(
            f"{site!r} is not one site, and a grant is for exactly one.", "Write a rule for many into policy.toml."
        )
    if not origin.startswith(("http://", "https://")):
        raise GatewayError(f"{site!r} is not a web site.", "Give one like https://example.com.")
    return origin


def _access(name: str) -> Access:
    try:
        return Access(name)
    except ValueError:
        known = ", ".join(access.value for access in Access)
        raise GatewayError(f"There is no class {name!r}.", f"It is one of {known}.") from None


def _chosen(params: JsonObject) -> Callable[[Grant], bool]:
    """Which grants a person means: by id, by site, by client, or all of them."""
    grant_id, site, client = params.get("id"), params.get("site"), params.get("client")
    if params.get("all") is True:
        return lambda grant: True
    if not any((grant_id, site, client)):
        raise GatewayError("Which grants?", "Name an id of `tabwright grants`, --site, --client, or --all.")
    origin = None if not site else read_origin(str(site))

    def chosen(grant: Grant) -> bool:
        key = grant.key
        return grant_id in (None, key.id) and origin in (None, key.origin) and client in (None, key.client)

    return chosen


def _described(grants: Sequence[Grant]) -> list[Json]:
    return [
        {
            "id": grant.key.id,
            "origin": grant.key.origin,
            "class": grant.key.access.value,
            "client": grant.key.client,
            "profile": grant.key.profile,
            "tool": grant.label,
            "scope": grant.scope.value,
            "session": grant.session,
            "givenAt": grant.given_at,
        }
        for grant in grants
    ]


def described_profile(profile: str) -> str:
    """A profile as people call it."""
    return {ANY: "any browser", LAUNCHED: "the launched browser"}.get(profile, f"browser {profile[:12]}")
