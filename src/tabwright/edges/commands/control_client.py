"""The command line's side of the gateway's Unix socket."""

import json
import socket
from typing import Any

from tabwright import __version__
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.home import reachable


class NoGateway(GatewayError):
    """Nothing answers on this home's socket."""


def ask(home: Home, method: str, params: dict[str, Any] | None = None, timeout_s: float = 10) -> dict[str, Any]:
    """One control request, one answer.

    Raises:
        NoGateway: none runs.
        GatewayError: it said no.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gateway:
        gateway.settimeout(timeout_s)
        request = {"tabwright": 1, "version": __version__, "control": method, "params": params or {}}
        try:
            gateway.connect(reachable(str(home.socket)))
            gateway.sendall(json.dumps(request).encode() + b"\n")
            with gateway.makefile("rb") as answers:
                line = answers.readline()
        except TimeoutError:
            raise GatewayError("The gateway does not answer.", "See its log, or run `tabwright stop`.") from None
        except OSError:
            raise NoGateway(
                "No gateway is running.", "The next MCP client starts one, or `tabwright serve` does."
            ) from None
    answer: dict[str, Any] = json.loads(line) if line else {"error": "The gateway ended."}
    if "error" in answer:
        raise GatewayError(answer["error"], answer.get("next", ""))
    return answer["result"]
