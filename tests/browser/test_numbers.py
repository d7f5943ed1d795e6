"""Tab numbers: the browser's own where possible, unique always."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.browser.numbers import TabNumbers
from tabwright.errors import TabNotFound
from tabwright.model import BrowserId, TabId

ONE, TWO = BrowserId("one"), BrowserId("two")


def test_a_tab_is_shown_by_the_browsers_own_number() -> None:
    numbers = TabNumbers()
    assert numbers.shown(ONE, 42) == 42
    assert numbers.shown(ONE, 42) == 42
    assert numbers.raw(TabId(42)) == 42


def test_a_number_in_use_by_another_browser_becomes_the_next_free_one() -> None:
    numbers = TabNumbers()
    numbers.shown(ONE, 42)
    assert numbers.shown(TWO, 42) == 43
    assert numbers.raw(TabId(43)) == 42
    assert numbers.shown(ONE, 43) == 44


def test_a_tab_that_is_gone_is_not_found() -> None:
    numbers = TabNumbers()
    numbers.forget(numbers.shown(ONE, 42))
    with pytest.raises(TabNotFound, match="closed meanwhile"):
        numbers.raw(TabId(42))


def test_a_tab_never_shown_has_no_number() -> None:
    numbers = TabNumbers()
    assert numbers.known(ONE, 42) is None
    assert numbers.shown(ONE, 42) == numbers.known(ONE, 42)


def test_a_forgotten_number_is_free_again() -> None:
    numbers = TabNumbers()
    numbers.shown(ONE, 42)
    numbers.forget(TabId(42))
    numbers.forget(TabId(42))
    assert numbers.known(ONE, 42) is None
    assert numbers.shown(TWO, 42) == 42


STEPS = st.lists(
    st.tuples(st.sampled_from(["show", "forget"]), st.sampled_from([ONE, TWO, BrowserId("three")]), st.integers(1, 5))
)


@settings(deadline=None)
@given(STEPS)
def test_no_two_tabs_ever_share_a_number(steps: list[tuple[str, BrowserId, int]]) -> None:
    numbers, model = TabNumbers(), dict[tuple[BrowserId, int], TabId]()
    for what, browser, raw in steps:
        if what == "show":
            shown = numbers.shown(browser, raw)
            assert model.setdefault((browser, raw), shown) == shown
        elif (forgotten := model.pop((browser, raw), None)) is not None:
            numbers.forget(forgotten)
        assert len(set(model.values())) == len(model)
        assert all(numbers.raw(shown) == own for (_, own), shown in model.items())
