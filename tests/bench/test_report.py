"""From figures to the page: goals judged, tables and plots written."""

from pathlib import Path
from xml.etree import ElementTree

from bench import goals, latency, lists, overhead, report
from bench.records import Outcome, Record, Results, load, merged, save, timed

ABOUT = {"date": "2026-01-01"}


def results(ours_ms: float) -> Results:
    records = (
        Record(latency.PART, "click", "tabwright", ours_ms, "ms", ours_ms * 2),
        Record(latency.PART, "click", "playwright", 700.0, "ms", 900.0),
        Record(latency.PART, "click", "agent-browser", 50.0, "ms", 90.0),
        Record(lists.PART, lists.BEFORE, "tabwright", 53, "tokens"),
    )
    return Results(ABOUT, records, (Outcome("find", True, "229 queries: first 95 %"),))


def told(which: Results) -> dict[str, bool]:
    return {goal.what: goal.reached for goal in goals.judged(which)}


def test_a_deed_has_to_be_faster_than_the_fastest_peer() -> None:
    assert told(results(40.0)) == {
        "tokens, before connecting": True,
        "click, median to the fastest peer": True,
        "click, p95 to the fastest peer": True,
        "How often `find` is right (`bench.find`)": True,
    }
    slow = told(results(49.0))
    assert slow["click, median to the fastest peer"]
    assert not slow["click, p95 to the fastest peer"]


def test_the_gateway_may_add_a_millisecond_to_a_command() -> None:
    def added(ms: float) -> bool:
        figures = (Record(overhead.PART, overhead.ADDED, "tabwright", ms, "ms", 9.0),)
        return all(told(Results(ABOUT, figures, ())).values())

    assert added(0.9)
    assert not added(1.1)


def test_the_page_holds_goals_tables_scripts_and_well_formed_plots(tmp_path: Path) -> None:
    report.write(tmp_path, results(60.0))
    page = (tmp_path / "benchmarks.md").read_text()
    assert "2 of 4 are reached." in page
    assert "| latency | click, median to the fastest peer | 1.20 | < 1.00 | ✗ |" in page
    assert "| click | 60 (120) | 700 (900) | 50 (90) | 1.20 |" in page
    assert "229 queries: first 95 %" in page
    assert "![Latency](images/bench-latency.svg)" in page
    words = [each.text for each in ElementTree.parse(tmp_path / "images" / "bench-latency.svg").iter() if each.text]
    assert {"click", "tabwright", "60", "700", "50"} <= set(words)


def test_a_part_measured_anew_takes_the_place_of_its_old_figures_alone(tmp_path: Path) -> None:
    path = tmp_path / "build" / "bench.json"
    assert load(path) is None
    save(path, results(60.0))
    again = Results(ABOUT, (Record(latency.PART, "click", "tabwright", 30.0, "ms"),), ())
    both = merged(load(path), again)
    assert both.servers(latency.PART) == ["tabwright"]
    assert both.value(lists.PART, lists.BEFORE, "tabwright") == Record(
        lists.PART, lists.BEFORE, "tabwright", 53, "tokens"
    )
    assert both.outcomes == results(60.0).outcomes


def test_times_are_told_as_median_and_95th_percentile() -> None:
    record = timed("latency", "click", "tabwright", [each / 1000 for each in range(1, 22)])
    assert (round(record.value, 6), record.unit, record.p95) == (11.0, "ms", 20.0)
