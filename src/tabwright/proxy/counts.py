"""What the proxy counts of itself, for its operator."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Counters only grow; each becomes a metric of the same name."""

    calls: int = 0
    answers: int = 0
    unknown_outcomes: int = 0
    timeouts: int = 0
    events: int = 0
    notifications: int = 0
    late_answers: int = 0
    forged_answers: int = 0
    dropped_events: int = 0
    malformed: int = 0
    refused: int = 0
    limited: int = 0
    authenticated: int = 0
    unauthenticated: int = 0
    overtime: int = 0
