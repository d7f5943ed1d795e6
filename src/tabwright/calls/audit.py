"""What is kept of every call: who, what, where, how it ended, how long it took. Never arguments or page content."""

import logging
from dataclasses import dataclass
from typing import Protocol

from tabwright.model import SessionId, TabId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    session: SessionId
    client: str
    tool: str
    tab_id: TabId | None
    outcome: str
    seconds: float
    characters: int = 0
    """Of text in the answer: what the model has to read."""


class Audit(Protocol):
    def record(self, entry: Entry) -> None: ...


class LogAudit:
    """One line a call in the gateway's log."""

    def record(self, entry: Entry) -> None:
        where = "-" if entry.tab_id is None else entry.tab_id
        log.info(
            "call %s %r %s tab=%s %s %.1f ms",
            entry.session, entry.client, entry.tool, where, entry.outcome, entry.seconds * 1000,
        )  # fmt: skip
