"""The latest calls are kept in order, no more than so many, and told to whoever listens."""

from tabwright.calls.audit import Entry, Event
from tabwright.calls.timeline import KEPT, PastCall, Timeline
from tabwright.model import SessionId


def entry(tool: str = "find") -> Entry:
    return Entry(SessionId("s"), "client", tool, None, "ok", 0.01)


def test_a_call_is_kept_and_told_until_nobody_listens() -> None:
    heard: list[PastCall] = []
    timeline = Timeline(clock=lambda: 7.0)
    leave = timeline.listen(heard.append)
    timeline.record(entry("one"))
    leave()
    timeline.record(entry("two"))
    assert heard == [PastCall(1, 7.0, entry("one"))]
    assert [call.entry.tool for call in timeline.calls] == ["one", "two"]


def test_the_oldest_calls_go_first() -> None:
    timeline = Timeline()
    for _ in range(KEPT + 3):
        timeline.record(entry())
    assert [timeline.calls[0].number, timeline.calls[-1].number] == [4, KEPT + 3]


def test_what_is_no_call_is_left_to_the_record() -> None:
    timeline = Timeline()
    timeline.record(Event("session", "s", "client"))
    assert timeline.calls == ()
