"""What the browser runs for the extension: starts the gateway and hands over its port and a one-time pairing key.

Chrome starts it for our extension alone (`allowed_origins` of the host manifest), as the person it runs for. It reads
one message and writes one answer, each JSON behind its length in four bytes, and ends:

    {"ask": "start"}                    -> {"port", "httpPort"}         the gateway runs, and listens there
    {"ask": "pair", "profileId": "…"}   -> {"port", "httpPort", "key"}  it takes this key once, from this browser, soon
    {"ask": "ping"}                     -> {"version"}                  nothing is started
    anything else, or a failure         -> {"error", "next"}

The key passes through pipes only. A person waits for this, so nothing heavy is imported.
"""

from __future__ import annotations

import json
import os
import sys

from tabwright import __version__
from tabwright.edges.pump.gateway_start import NotStarted, start_and_connect
from tabwright.home import home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MAX_MESSAGE: Final = 4096
ANSWER_S: Final = 10.0


class Refused(Exception):
    """What the extension is told instead, and what helps."""

    def __init__(self, why: str, helps: str = "Run `tabwright doctor`.") -> None:
        super().__init__(why)
        self.helps = helps


def main() -> None:
    """Serve one message on stdio."""
    try:
        answer = respond(_read())
    except Refused as exc:
        answer = {"error": str(exc), "next": exc.helps}
    except NotStarted as exc:
        answer = {"error": str(exc), "next": "Run `tabwright doctor`."}
    except OSError as exc:
        answer = {"error": f"{exc.filename or 'the gateway'}: {exc.strerror or exc}", "next": "Run `tabwright doctor`."}
    _write(answer)


def respond(message: Any) -> dict[str, Any]:
    """Raises:
    Refused: it asks for nothing we know, or the gateway says no.
    NotStarted: there is no gateway, and none came up.
    """
    match message:
        case {"ask": "ping"}:
            return {"version": __version__}
        case {"ask": "start"}:
            return _bootstrap({})
        case {"ask": "pair", "profileId": str(profile_id)}:
            return _bootstrap({"profileId": profile_id})
        case _:
            raise Refused("The native host knows start, pair and ping.", "Update the tabwright extension.")


def _bootstrap(params: dict[str, str]) -> dict[str, Any]:
    request = {"tabwright": 1, "version": __version__, "control": "bootstrap", "params": params}
    gateway = start_and_connect(home_folder(), {})
    gateway.settimeout(ANSWER_S)
    gateway.sendall(json.dumps(request).encode() + b"\n")
    received = b""
    while not received.endswith(b"\n"):
        data = gateway.recv(MAX_MESSAGE)
        if not data:
            raise Refused("The gateway ended before it answered.")
        received += data
    answer = json.loads(received)
    if "error" in answer:
        raise Refused(answer["error"], answer.get("next") or "Run `tabwright doctor`.")
    return answer["result"]


def _read() -> Any:
    length = int.from_bytes(_exactly(4), sys.byteorder)
    if length > MAX_MESSAGE:
        raise Refused("The message is too long.")
    try:
        return json.loads(_exactly(length))
    except (ValueError, RecursionError):
        raise Refused("The message is not JSON.") from None


def _exactly(count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            raise Refused("The message ends too early.")
        data += more
    return data


def _write(answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode()
    os.write(1, len(data).to_bytes(4, sys.byteorder) + data)


if __name__ == "__main__":
    main()
