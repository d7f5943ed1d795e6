"""LinkCore over every order of events: one answer a call, and nothing that acts is ever sent twice."""

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.link.commands import COMMANDS
from tabwright.link.core import Drop, Effect, LinkCore, Reject, Resolve, Send
from tabwright.link.local import LocalDialect

Step = tuple[str, Any]

_CALL_NUMBER = st.integers(1, 12)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), st.sampled_from(sorted(LocalDialect().commands))),
        st.tuples(st.just("answer"), _CALL_NUMBER),
        st.tuples(st.just("refuse"), _CALL_NUMBER),
        st.tuples(st.just("abandon"), _CALL_NUMBER),
        st.tuples(st.just("cut"), st.booleans()),
        st.tuples(st.just("attach"), st.none()),
        st.tuples(st.just("pass time"), st.floats(0.01, 60)),
        st.tuples(st.just("frame"), st.binary(max_size=8)),
        st.tuples(st.just("goodbye"), st.none()),
        st.tuples(st.just("end"), st.none()),
    ),
    max_size=40,
)


class Run:
    """Feeds one core as the edge would, and keeps count."""

    def __init__(self) -> None:
        self.core = LinkCore(5.0)
        self.now = 0.0
        self.commands: dict[int, str] = {}
        self.abandoned: set[int] = set()
        self.written: Counter[int] = Counter()
        self.answered: Counter[int] = Counter()

    def feed(self, step: Step) -> None:
        match step:
            case ("call", command):
                call_id, effects = self.core.call(command, {}, self.now)
                self.commands[call_id] = command
                self.count(effects)
            case ("answer", call_id):
                self.receive({"jsonrpc": "2.0", "id": call_id, "result": {}})
            case ("refuse", call_id):
                self.receive({"jsonrpc": "2.0", "id": call_id, "error": {"code": -32000, "message": "no"}})
            case ("abandon", call_id):
                if self.answered[call_id] == 0 and call_id in self.commands:
                    self.abandoned.add(call_id)
                self.count(self.core.abandoned(call_id))
            case ("cut", grace):
                self.count(self.core.cut(self.now, grace=grace))
            case ("attach", _):
                # the edge makes a new core for a browser that had ended, and cuts the old socket first
                if not self.core.ended:
                    self.count(self.core.cut(self.now))
                    self.count(self.core.attached(LocalDialect(), self.now))
            case ("pass time", seconds):
                self.now += seconds
                self.count(self.core.tick(self.now))
            case ("frame", data):
                self.count(self.core.received(data, self.now))
            case ("goodbye", _):
                self.receive({"type": "disconnected"})
            case _:
                self.count(self.core.end("over"))

    def receive(self, message: object) -> None:
        self.count(self.core.received(json.dumps(message), self.now))

    def count(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(text=text):
                    frame = json.loads(text)
                    if frame.get("method") in COMMANDS and "id" in frame:
                        self.written[frame["id"]] += 1
                case Resolve(call_id=call_id) | Reject(call_id=call_id):
                    self.answered[call_id] += 1
                case Drop():
                    self.count(self.core.cut(self.now))
                case _:
                    pass


def run(steps: list[Step]) -> Run:
    made = Run()
    for step in steps:
        made.feed(step)
    return made


@settings(deadline=None, max_examples=100)
@given(STEPS)
def test_every_call_is_answered_exactly_once_and_an_abandoned_one_never(steps: list[Step]) -> None:
    made = run([*steps, ("end", None)])
    for call_id in made.commands:
        assert made.answered[call_id] == (0 if call_id in made.abandoned else 1)


@settings(deadline=None, max_examples=100)
@given(STEPS)
def test_nothing_but_a_read_only_call_is_ever_written_twice(steps: list[Step]) -> None:
    made = run(steps)
    for call_id, command in made.commands.items():
        assert made.written[call_id] <= 1 or COMMANDS[command].repeatable


@settings(deadline=None, max_examples=50)
@given(STEPS)
def test_the_next_deadline_always_lies_ahead(steps: list[Step]) -> None:
    made = run([*steps, ("pass time", 0.01)])
    deadline = made.core.next_deadline()
    assert deadline is None or deadline > made.now


@settings(deadline=None, max_examples=50)
@given(STEPS)
def test_no_call_outlives_its_bound(steps: list[Step]) -> None:
    made = run(steps)
    if not made.core.ended:
        made.feed(("pass time", 66.0))
    for call_id in made.commands.keys() - made.abandoned:
        assert made.answered[call_id] == 1
