"""What listens at a port of this machine, by how it answers a plain HTTP request: a web server, or something else.

Debuggers of browsers and of Node give whoever reaches them everything, and have no other guard than that nobody knows
where they listen; brokers and the like speak no HTTP. None of them has pages for agents.
"""

import json
from enum import Enum
from typing import Final, cast

ASKED: Final = "/json/version"
"""Where every debugger of this kind tells what it is; a web server has nothing there, or something of its own."""
_TLS: Final = (0x15, 0x16)


class Listener(Enum):
    WEB = "a web server"
    DEBUGGER = "a debugger"
    OTHER = "something that is no web server"


def listener(answer: bytes) -> Listener:
    """Who gives this answer to `GET /json/version`. Silence is taken for a slow web server."""
    if not answer or answer[0] in _TLS:
        return Listener.WEB
    if not answer.startswith(b"HTTP/"):
        return Listener.OTHER
    return Listener.DEBUGGER if _names_a_debugger(answer.partition(b"\r\n\r\n")[2]) else Listener.WEB


def _names_a_debugger(body: bytes) -> bool:
    try:
        told: object = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(told, dict):
        return False
    return {"Browser", "Protocol-Version"} <= cast(dict[str, object], told).keys()
