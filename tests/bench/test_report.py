"""From figures to the page: goals judged, tables and plots written."""

import json
from pathlib import Path
from xml.etree import ElementTree

from bench import goals, latency, lists, overhead, report
from bench.handover import Check, Plot
from bench.records import Outcome, Record, Results, Run, load, merged, save, timed

ABOUT = {"machine": "2 cores"}
RUNS = {"latency": Run("2026-01-01 12:00", 60.0, 0.05, 25, 0.3)}
FOUND = Outcome(
    "find",
    reached=True,
    printed="600 queries: first 93.7%",
    checks=(Check("the element meant comes first", 93.7, 90.0, "%", at_least=True),),
    plots=(Plot("bench-find", "Right over queries", "%", "queries", {"first": [(1, 90.0), (600, 93.7)]}),),
)


def results(ours_ms: float) -> Results:
    records = (
        Record(latency.PART, "click", "tabwright", ours_ms, "ms", ours_ms * 2),
        Record(latency.PART, "click", "playwright", 700.0, "ms", 900.0),
        Record(latency.PART, "click", "agent-browser", 50.0, "ms", 90.0),
        Record(lists.PART, lists.BEFORE, "tabwright", 53, "tokens"),
    )
    return Results(ABOUT, records, (FOUND,), RUNS)


def told(which: Results) -> dict[str, bool]:
    return {goal.what: goal.reached for goal in goals.judged(which)}


def test_a_deed_has_to_be_faster_than_the_fastest_peer() -> None:
    assert told(results(40.0)) == {
        "tokens, before connecting": True,
        "click, median to the fastest peer": True,
        "click, p95 to the fastest peer": True,
        "the element meant comes first": True,
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


def test_the_page_says_first_how_each_area_stands_by_its_tightest_goal(tmp_path: Path) -> None:
    report.write(tmp_path, results(60.0))
    answer, _, rest = (tmp_path / "benchmarks.md").read_text().partition("\n## ")
    assert "2 of 4 goals are reached." in answer
    assert "| [Latency](#latency) | click, p95 to the fastest peer | 1.33 | < 1.00 | ✗ | 0 of 2 |" in answer
    assert "| [Find](#find) | the element meant comes first | 93.7 % | ≥ 90 % | ✓ | 1 of 1 |" in answer
    assert "- latency: click, median to the fastest peer: 1.20 (goal < 1.00)" in answer
    assert "busy" not in answer
    assert "| latency | click, median to the fastest peer | 1.20 | < 1.00 | ✗ |" in rest


def test_each_area_has_its_tables_what_its_scripts_printed_and_their_plots(tmp_path: Path) -> None:
    report.write(tmp_path, results(60.0))
    page = (tmp_path / "benchmarks.md").read_text()
    assert "| click | 60 (120) | 700 (900) | 50 (90) | 1.20 |" in page
    assert "| tabwright, before connecting | – | 53 |" in page
    assert "600 queries: first 93.7%" in page
    assert "| latency | 2026-01-01 12:00 | 25 | 60 s | 5% | 30% |" in page
    for image in ("images/bench-latency.svg", "images/bench-find.svg"):
        assert f"]({image})" in page
    assert {"click", "tabwright", "60", "700", "50"} <= words(tmp_path / "images" / "bench-latency.svg")
    assert {"Right over queries (%)", "queries", "94"} <= words(tmp_path / "images" / "bench-find.svg")


def words(path: Path) -> set[str]:
    return {each.text for each in ElementTree.parse(path).iter() if each.text}


def test_a_page_measured_beside_other_work_says_so(tmp_path: Path) -> None:
    calm = results(60.0)
    report.write(tmp_path, Results(calm.about, calm.records, calm.outcomes, {"latency": Run("", 60.0, 0.7, 25)}))
    assert "The machine had other work to do just before latency" in (tmp_path / "benchmarks.md").read_text()


def test_a_script_that_cannot_run_misses_a_goal_and_one_without_its_program_is_not_judged() -> None:
    broken = Outcome("growth", reached=False, printed="AssertionError: the gateway did not start")
    absent = Outcome("proxy", reached=None, printed="Not measured: haproxy is not installed on this machine.")
    assert told(Results(ABOUT, (), (broken, absent))) == {"`bench.growth` runs to its end": False}


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
    assert (both.outcomes[0].checks, both.runs) == (FOUND.checks, RUNS)


def test_figures_kept_by_another_version_of_the_bench_are_let_go(tmp_path: Path) -> None:
    kept: dict[str, object] = {
        "about": ABOUT,
        "records": [],
        "outcomes": [],
        "runs": {"latency": "2026-01-01, load 0.3, --rounds 40"},
    }
    (tmp_path / "bench.json").write_text(json.dumps(kept))
    assert load(tmp_path / "bench.json") is None


def test_times_are_told_as_median_and_95th_percentile() -> None:
    record = timed("latency", "click", "tabwright", [each / 1000 for each in range(1, 22)])
    assert (round(record.value, 6), record.unit, record.p95) == (11.0, "ms", 20.0)
