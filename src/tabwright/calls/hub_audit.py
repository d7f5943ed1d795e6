"""What is kept of the hub: every registration and every execution. Never arguments or page content."""

import logging
from dataclasses import dataclass
from typing import Protocol

from tabwright.hub.places import Place
from tabwright.hub.registry import Registered

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Executed:
    place: Place
    tool: str
    """As the page calls it."""
    outcome: str
    seconds: float


class HubAudit(Protocol):
    def registered(self, place: Place, outcome: Registered, seconds: float) -> None: ...
    def executed(self, executed: Executed) -> None: ...


class LogHubAudit:
    """A line each in the gateway's log."""

    def registered(self, place: Place, outcome: Registered, seconds: float) -> None:
        log.info(
            "hub registered tab=%s frame=%s origin=%s added=%d removed=%d kept=%d rejected=%d %.1f ms",
            place.tab_id, place.frame_id, place.origin[:200], outcome.added, outcome.removed, outcome.kept,
            len(outcome.rejected), seconds * 1000,
        )  # fmt: skip
        for name, reason in outcome.rejected[:5]:
            log.warning("hub: tool %r of %s is rejected: %s", name[:80], place.origin[:200], reason)

    def executed(self, executed: Executed) -> None:
        place = executed.place
        log.info(
            "hub executed tab=%s frame=%s origin=%s tool=%s %s %.1f ms",
            place.tab_id, place.frame_id, place.origin[:200], executed.tool, executed.outcome, executed.seconds * 1000,
        )  # fmt: skip
