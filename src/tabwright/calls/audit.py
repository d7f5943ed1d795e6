"""What is kept of every session, call and approval: who, what, where, the decision, how it ended, how long it took.

Never arguments or page content: an argument may be a password, and a page's words are the page's.
"""

import logging
from dataclasses import dataclass, field
from typing import Protocol

from tabwright.calls.leisure import Leisure
from tabwright.model import Json, JsonObject, SessionId, TabId
from tabwright.policy.actions import Allow, Ask, Decision, Deny

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One call."""

    session: SessionId
    client: str
    tool: str
    tab_id: TabId | None
    outcome: str
    seconds: float
    origin: str = ""
    decision: Decision | None = None
    characters: int = 0
    """Of text in the answer: what the model has to read."""
    browser: str = ""
    """The browser its session worked in; empty while it had none."""
    changed: tuple[str, ...] = ()
    """Parts of the page's tool that are not as they were listed, for which it was not run."""

    @property
    def kind(self) -> str:
        return "call"

    @property
    def told(self) -> JsonObject:
        told: JsonObject = {"tool": self.tool, "tab": self.tab_id, "origin": self.origin}
        if self.decision is not None:
            told |= {"decision": decision_word(self.decision), "rule": self.decision.rule}
        if self.changed:
            told["changed"] = ", ".join(self.changed)
        return {**told, "outcome": self.outcome, "ms": round(self.seconds * 1000, 1)}


@dataclass(frozen=True, slots=True)
class Event:
    """Anything else: a session opened or closed, an approval, a grant given or revoked."""

    kind: str
    session: str
    client: str
    told: JsonObject = field(default_factory=dict[str, Json], hash=False)


class Audit(Protocol):
    def record(self, entry: Entry | Event) -> None: ...


class LogAudit:
    """One line each in the gateway's log."""

    def record(self, entry: Entry | Event) -> None:
        told = " ".join(f"{name}={value!r}" for name, value in entry.told.items() if value not in (None, ""))
        log.info("%s %s %r %s", entry.kind, entry.session, entry.client, told)


class Afterwards:
    """One that is told a moment later: no answer waits for it. What it did not hear yet when the process is killed it
    does not hear.
    """

    def __init__(self, audit: Audit) -> None:
        self._untold = Leisure[Entry | Event](audit.record)

    def record(self, entry: Entry | Event) -> None:
        self._untold.add(entry)

    def catch_up(self) -> None:
        """Tell it what it has not heard yet."""
        self._untold.catch_up()


class Audits:
    """Several at once."""

    def __init__(self, *audits: Audit) -> None:
        self._audits = audits

    def record(self, entry: Entry | Event) -> None:
        for audit in self._audits:
            audit.record(entry)


def decision_word(decision: Decision) -> str:
    match decision:
        case Allow():
            return "allow"
        case Ask():
            return "ask"
        case Deny():
            return "deny"
