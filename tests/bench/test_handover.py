"""What scripts of the bench hand over besides what they print, and how lines are drawn from it."""

from pathlib import Path

import pytest

from bench.axes import Axis
from bench.handover import FILE, Check, Handover, Plot, read


def test_goals_and_plots_arrive_as_they_were_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE, str(tmp_path / "handover.json"))
    to = Handover()
    assert to.most("a call", 1.2, 1.5, "times")
    assert not to.least("right", 80.0, 90.0, "%")
    to.plots.append(Plot("bench-hour", "Memory", "MB", "calls", {"gateway": [(1, 80.0), (2, 81.0)]}))
    assert to.status() == 1
    given = read(tmp_path / "handover.json")
    assert given.checks == [Check("a call", 1.2, 1.5, "times"), Check("right", 80.0, 90.0, "%", at_least=True)]
    assert [(plot.name, [tuple(point) for point in plot.lines["gateway"]]) for plot in given.plots] == [
        ("bench-hour", [(1, 80.0), (2, 81.0)])
    ]


def test_a_script_by_itself_only_says_whether_all_goals_were_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FILE, raising=False)
    to = Handover()
    to.most("a call", 1.0, 1.0)
    assert to.status() == 0
    assert read(tmp_path / "none.json").checks == []


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([0, 336.0], [0, 100, 200, 300, 400]),
        ([1, 3], [1, 2, 3]),
        ([0, 1.39], [0, 0.5, 1.0, 1.5]),
        ([7, 7], [6, 8]),
        ([0, 0], [0]),
    ],
)
def test_an_axis_is_marked_at_round_values_that_hold_all(values: list[float], marks: list[float]) -> None:
    axis = Axis(values, 0, 100)
    assert axis.marks == marks
    assert all(0 <= axis.at(value) <= 100 for value in values)


def test_a_wide_axis_has_steps_of_equal_ratio() -> None:
    axis = Axis([1, 100, 10_000], 0, 100, wide=True)
    assert [axis.at(value) for value in (1, 100, 10_000)] == [0, 50, 100]
    assert axis.marks == [1, 100, 10_000]
