"""Twenty thousand calls between replicas that die, hang and are cut off: none misrouted, repeated, lost or hung."""

import pytest

from tests.cluster.chaos import run


@pytest.mark.parametrize("seed", range(4))
def test_every_call_between_replicas_ends_exactly_once_and_at_its_caller(seed: int) -> None:
    made = run(5_000, seed)
    assert made.crossed > 1_000
    for outcome in ("result", "error", "outcome_unknown", "unavailable"):
        assert made.book.outcomes[outcome] > 20, "each kind of end must have been tried"
    assert len(made.faults) == 6
