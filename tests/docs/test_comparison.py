"""docs/comparison.md: what it claims for us is shown by a test that exists."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[2]
WORDS: Final = {"yes", "part", "no", "?", "–"}


class Row(NamedTuple):
    number: str
    feature: str
    ours: str
    shown_by: str


def rows() -> list[Row]:
    """Each feature, from the table of features and from that of tests."""
    lines = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d+ \|", line)]
    shown = {each[0]: each[1] for each in cells if len(each) == 2}
    return [Row(each[0], each[1], each[2], shown[each[0]]) for each in cells if len(each) > 2]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.number} {row.feature[:30]}")
def test_what_we_claim_is_shown_by_a_test_that_exists(row: Row) -> None:
    assert row.ours in WORDS
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", row.shown_by)
    assert bool(named) == (row.ours in ("yes", "part")), "a claim names its test, and only a claim does"
    for file, test in named:
        assert re.search(rf"^(async )?def {test}\(", (ROOT / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_feature_is_there_once() -> None:
    assert [row.number for row in rows()] == [str(number) for number in range(1, 61)]
