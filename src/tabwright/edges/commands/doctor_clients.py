"""The doctor's look at the MCP clients: what each is told to start or to call, and with which token."""

import http.client
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any, Final, cast
from urllib.parse import urlsplit

from tabwright.edges.commands.doctor_gateway import Gateway
from tabwright.install import troubles
from tabwright.install.clients import CLIENTS, Client, Place
from tabwright.install.entries import NotEditable, server_entry
from tabwright.install.troubles import Finding
from tabwright.settings import Settings

PATIENCE_S: Final = 3.0
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def token_findings(gateway: Gateway, settings: Settings, place: Place) -> Iterator[Finding]:
    """Whether the gateway that runs takes the tokens that are around."""
    if gateway.port is None:
        return
    if settings.auth_token is not None and not _accepts(gateway.port, settings.auth_token.get_secret_value()):
        yield Finding("the token set here is not the one of the gateway that runs", troubles.TOKEN_WRONG)
    for client, entry in _entries(place):
        if _port_of(entry) == gateway.port and not _accepts(gateway.port, _bearer(entry)):
            told = "a token that the gateway does not take" if _bearer(entry) else "no token, but the gateway wants one"
            yield Finding(f"{client.name} has {told}: {client.config(place)}", troubles.TOKEN_WRONG)


def client_findings(gateway: Gateway, place: Place) -> Iterator[Finding]:
    known = list(_entries(place))
    if not known:
        yield Finding("no MCP client on this machine knows tabwright", troubles.CLIENTS_NONE, note=True)
    for client, entry in known:
        fault = _fault(entry, gateway, place)
        if fault is None:
            yield Finding(f"{client.name} knows tabwright")
        else:
            yield Finding(f"{client.name}: {fault} ({client.config(place)})", troubles.CLIENT_BROKEN)


def _entries(place: Place) -> Iterator[tuple[Client, dict[str, Any]]]:
    for client in CLIENTS:
        try:
            entry = server_entry(client.config(place).read_text(encoding="utf-8-sig"), client.shape)
        except (OSError, UnicodeError, NotEditable):
            continue
        if entry is not None:
            yield client, entry


def _fault(entry: dict[str, Any], gateway: Gateway, place: Place) -> str | None:
    command, port = entry.get("command"), _port_of(entry)
    if isinstance(command, str):
        found = os.access(command, os.X_OK) if os.path.isabs(command) else shutil.which(command, path=_path(place))
        return None if found else f"{command} is not there"
    if port is not None and gateway.port is not None and port != gateway.port:
        return f"it looks for the gateway on port {port}, which listens on {gateway.port}"
    return None


def _path(place: Place) -> str:
    return place.environ.get("PATH", "")


def _url(entry: dict[str, Any]) -> str:
    return next((str(entry[key]) for key in ("url", "httpUrl", "serverUrl") if entry.get(key)), "")


def _port_of(entry: dict[str, Any]) -> int | None:
    """The port of this machine that an entry for HTTP leads to."""
    try:
        parts = urlsplit(_url(entry))
        return parts.port if parts.hostname in _LOOPBACK else None
    except ValueError:
        return None


def _bearer(entry: dict[str, Any]) -> str:
    headers = entry.get("headers") or entry.get("http_headers")
    sent = cast(dict[str, Any], headers) if isinstance(headers, dict) else {}
    told = next((str(value) for name, value in sent.items() if name.lower() == "authorization"), "")
    scheme, _, token = told.partition(" ")
    return token if scheme.lower() == "bearer" else ""


def _accepts(port: int, token: str) -> bool:
    """Whether the gateway knows who we are: `/health` says more to those it does. No answer is no fault of a token."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        asked.request("GET", "/health", headers={"Authorization": f"Bearer {token}"} if token else {})
        return "version" in json.loads(asked.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException):
        return True
    finally:
        asked.close()
