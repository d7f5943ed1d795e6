"""A hundred thousand calls between peers that lie, dawdle and vanish: none misrouted, repeated, lost or hung."""

import pytest

from tests.proxy.chaos import run


@pytest.mark.parametrize("seed", range(4))
def test_every_call_ends_exactly_once_and_at_its_caller(seed: int) -> None:
    made = run(25_000, seed)
    for outcome in ("result", "error", "outcome_unknown", "timeout"):
        assert made.book.outcomes[outcome] > 20, "each kind of end must have been tried"
    counts = made.world.router.counts
    assert counts.late_answers > 100
    assert counts.forged_answers > 100
