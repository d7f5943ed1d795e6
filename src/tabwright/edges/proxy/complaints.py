"""What the broker does not let us do, in words that name the next step, and each only now and then."""

import logging
import re
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Final

import nats.errors
from nats.js.errors import APIError, ServiceUnavailableError

log = logging.getLogger(__name__)

AGAIN_S: Final = 60.0
RIGHTS: Final = "give it the rights that `replica` has in deploy/nats.conf"
_DENIED: Final = re.compile(r"permissions violation for (.*)", re.I)
_REFUSED: Final = ("authorization violation", "authentication")


class Complaints:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def hear(self, exc: Exception) -> None:
        """Of the connection."""
        told = explain(exc)
        if told is None:
            log.debug("broker: %s", type(exc).__name__)
        else:
            self._say(told)

    def hear_store(self, exc: Exception) -> None:
        """Of presence: without it, nobody on another replica finds a browser here."""
        if isinstance(exc, ServiceUnavailableError):
            self._say("broker has no JetStream, so browsers here are found by nobody elsewhere: enable jetstream in it")
        elif isinstance(exc, APIError):
            self._say(f"broker keeps no presence: {exc.description}; look at broker_copies and its jetstream limits")
        else:
            log.info("presence cannot be reached", extra={"reason": type(exc).__name__})

    def away(self, servers: Sequence[str]) -> None:
        """It has not been met since the start; one that refused us has been, and that was told."""
        if not self._said:
            self._say(
                f"broker does not answer at {', '.join(servers)}: look at broker; until it does, this replica "
                "serves its own users alone",
                logging.WARNING,
            )

    def carries(self, most: int, wanted: int) -> None:
        if most < wanted:
            self._say(
                f"broker passes on {most} bytes at most, so larger answers between replicas are refused: "
                f"set max_payload: {wanted} in it",
                logging.WARNING,
            )

    def _say(self, told: str, level: int = logging.ERROR) -> None:
        now = self._clock()
        if now - self._said.get(told, -AGAIN_S) < AGAIN_S:
            return
        if len(self._said) > 100:
            self._said.clear()
        self._said[told] = now
        log.log(level, told)


def explain(exc: Exception) -> str | None:
    """What went wrong and what to do about it; None: it is only away."""
    text = str(exc)
    denied = _DENIED.search(text)
    if denied is not None:
        return f"broker forbids our user {denied[1].strip()}: {RIGHTS}"
    if isinstance(exc, nats.errors.AuthorizationError) or any(word in text.lower() for word in _REFUSED):
        return "broker does not let us in: look at broker_credentials"
    if isinstance(exc, ssl.SSLError):
        return f"broker cannot be trusted, or does not trust us ({exc.reason}): look at broker_ca and broker_cert"
    if isinstance(exc, nats.errors.SecureConnRequiredError):
        return "broker asks for TLS: say tls:// in broker, and broker_ca where its certificate is your own"
    return None
