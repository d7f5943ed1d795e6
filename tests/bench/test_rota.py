"""The order in which servers are measured gives none of them a fixed neighbour."""

from collections import Counter
from itertools import pairwise

import pytest

from bench.rota import order


@pytest.mark.parametrize("count", range(1, 9))
def test_all_come_once_a_round_and_each_is_first_as_often(count: int) -> None:
    rounds = [order(range(count), turn) for turn in range(2 * count)]
    assert all(sorted(each) == list(range(count)) for each in rounds)
    assert Counter(each[0] for each in rounds) == dict.fromkeys(range(count), 2)


@pytest.mark.parametrize("count", range(2, 9))
def test_each_comes_after_every_other_equally_often(count: int) -> None:
    rounds = [order(range(count), turn) for turn in range(2 * count)]
    met = Counter(pair for each in rounds for pair in pairwise(each))
    assert len(met) == count * (count - 1)
    assert set(met.values()) == {2}
