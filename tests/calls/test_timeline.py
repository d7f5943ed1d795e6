"""The latest calls are kept in order, no more than so many, and told to whoever listens."""

from tabwright.calls.audit import Entry, Event
from tabwright.calls.timeline import KEPT, PastCall, Timeline, Total
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


def test_calls_are_found_after_and_before_one_the_newest_where_there_are_too_many() -> None:
    timeline = Timeline()
    assert (timeline.last, timeline.after(0, 9), timeline.before(9, 9)) == (0, (), ())
    for _ in range(6):
        timeline.record(entry())
    assert [call.number for call in timeline.after(2, 3)] == [4, 5, 6]
    assert [call.number for call in timeline.before(3, 9)] == [1, 2]
    assert [call.number for call in timeline.before(7, 2)] == [5, 6]
    assert (timeline.last, timeline.after(6, 9)) == (6, ())


def test_a_session_has_a_total_until_it_is_closed() -> None:
    timeline = Timeline()
    for outcome in ("ok", "denied", "stopped"):
        timeline.record(Entry(SessionId("s"), "client", "find", None, outcome, 0.1, characters=10))
    assert timeline.total("s") == Total(calls=3, failed=1, characters=30)
    timeline.record(Event("session", "s", "client", {"what": "closed"}))
    assert timeline.total("s") == Total()
