"""The latest calls are kept in order, no more than so many, and told to whoever listens."""

from tabwright.calls.audit import Entry
from tabwright.calls.timeline import KEPT, PastCall, Timeline
from tabwright.model import SessionId


class Kept:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def record(self, entry: Entry) -> None:
        self.entries.append(entry)


def entry(tool: str = "find") -> Entry:
    return Entry(SessionId("s"), "client", tool, None, "ok", 0.01)


def test_a_call_is_written_and_kept_and_told_until_nobody_listens() -> None:
    audit, heard = Kept(), list[PastCall]()
    timeline = Timeline(audit, clock=lambda: 7.0)
    leave = timeline.listen(heard.append)
    timeline.record(entry("one"))
    leave()
    timeline.record(entry("two"))
    assert [kept.tool for kept in audit.entries] == ["one", "two"]
    assert heard == [PastCall(1, 7.0, entry("one"))]
    assert [call.entry.tool for call in timeline.calls] == ["one", "two"]


def test_the_oldest_calls_go_first() -> None:
    timeline = Timeline(Kept())
    for _ in range(KEPT + 3):
        timeline.record(entry())
    assert [timeline.calls[0].number, timeline.calls[-1].number] == [4, KEPT + 3]
