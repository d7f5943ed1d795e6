"""What every chaos of calls has in common: callers, browsers, and a book in which each call has one end.

A call is known by a nonce that travels in its params and comes back in its result, so a single misrouted, repeated or
lost answer is seen.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tabwright.proxy.model import PeerId

USERS: Final = ("alice", "bob")
CLIENTS, BROWSERS, IDS = 3, 2, 1_000


@dataclass(slots=True)
class Caller:
    """Numbers its calls 0 to 999, as all others do."""

    user: str
    peer: PeerId
    number: int = 0
    connected: bool = False
    waiting: dict[int, str] = field(default_factory=dict[int, str])

    def take_number(self, nonce: str) -> int:
        """For a new call; one whose call is under way is passed over."""
        while self.number in self.waiting:
            self.number = (self.number + 1) % IDS
        taken, self.number = self.number, (self.number + 1) % IDS
        self.waiting[taken] = nonce
        return taken

    def come_back(self, peer: PeerId) -> None:
        """As somebody who has asked for nothing yet."""
        self.peer, self.connected, self.waiting = peer, False, {}


@dataclass(slots=True)
class Browser:
    user: str
    peer: PeerId
    id: str
    todo: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    done: list[str] = field(default_factory=list[str])


class Book:
    """Whose each call is, how often a browser did it, and how it ended."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.calls = 0
        self.owner: dict[str, str] = {}
        self.executed: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()

    def begin(self, caller: Caller) -> tuple[int, str]:
        """Its number and its nonce."""
        nonce = f"{caller.user}/{self.calls}/{self.random.getrandbits(64):016x}"
        self.calls += 1
        self.owner[nonce] = caller.user
        return caller.take_number(nonce), nonce

    def reached(self, browser: Browser, messages: Iterable[Mapping[str, Any]]) -> None:
        for message in messages:
            if "id" in message and "method" in message:
                nonce = message["params"]["nonce"]
                assert self.owner[nonce] == browser.user, "a call reached another user's browser"
                self.executed[nonce] += 1
                browser.todo.append((message["id"], nonce))

    def end(self, nonce: str, outcome: str) -> None:
        self.ends[nonce] += 1
        self.outcomes[outcome] += 1

    def end_all(self, caller: Caller, outcome: str) -> None:
        for nonce in caller.waiting.values():
            self.end(nonce, outcome)

    def close(self, callers: Iterable[Caller]) -> None:
        """Every call has had its one end."""
        assert all(not caller.waiting for caller in callers), "silently lost"
        assert len(self.ends) == self.calls, "silently lost"
        assert set(self.ends.values()) == {1}, "ended twice"
        assert max(self.executed.values()) == 1, "executed twice"


def command(run: Callable[[int, int], tuple[Book, dict[str, object]]]) -> None:
    """`python -m … calls [seed]`: prints the seed first, then what happened."""
    calls = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
    began = time.monotonic()
    sys.stdout.write(f"seed {seed}\n")
    book, more = run(calls, seed)
    told = {"calls": book.calls, **book.outcomes, **more, "seconds": round(time.monotonic() - began, 1)}
    sys.stdout.write(json.dumps(told) + "\n")
