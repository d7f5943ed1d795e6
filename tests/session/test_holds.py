"""Holds: never two holders, and every refusal names who or what to do."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.errors import TabHeld, TabNotHeld
from tabwright.model import SessionId, TabId
from tabwright.session.holds import Hold, Holds

ONE, TWO, TAB = SessionId("one"), SessionId("two"), TabId(42)
NAMES = {ONE: "Claude Code"}


def test_a_tab_taken_is_held_and_taking_it_again_is_no_news() -> None:
    holds = Holds()
    assert holds.take(ONE, TAB, claimed=False, names=NAMES)
    assert not holds.take(ONE, TAB, claimed=True, names=NAMES)
    assert holds.of(ONE) == ((TAB, Hold(ONE, claimed=False)),)
    holds.check(ONE, TAB, names=NAMES)
    assert holds.holder(TAB) == ONE


def test_a_tab_of_another_session_is_refused_naming_it() -> None:
    holds = Holds()
    holds.take(ONE, TAB, claimed=False, names=NAMES)
    for refused in (holds.check, holds.check_free):
        with pytest.raises(TabHeld, match=r"Tab 42 is held by another session \(Claude Code\)"):
            refused(TWO, TAB, names=NAMES)
    with pytest.raises(TabHeld, match="unnamed"):
        holds.take(TWO, TAB, claimed=True, names={})


def test_a_tab_of_nobody_is_free_but_not_to_act_on() -> None:
    holds = Holds()
    holds.check_free(ONE, TAB, names=NAMES)
    with pytest.raises(TabNotHeld, match=r"^Tab 42 is not yours\. Call focus_tab first\.$"):
        holds.check(ONE, TAB, names=NAMES)
    assert holds.holder(TAB) is None


def test_a_released_tab_tells_who_held_it() -> None:
    holds = Holds()
    holds.take(ONE, TAB, claimed=True, names=NAMES)
    assert holds.release(TAB) == ONE
    assert holds.release(TAB) is None
    assert holds.take(TWO, TAB, claimed=True, names=NAMES)


def test_releasing_all_of_a_session_leaves_the_other_its_own() -> None:
    holds = Holds()
    for number, session in ((1, ONE), (2, TWO), (3, ONE)):
        holds.take(session, TabId(number), claimed=False, names=NAMES)
    assert holds.release_all(ONE) == (1, 3)
    assert holds.of(ONE) == ()
    assert holds.holder(TabId(2)) == TWO


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "release", "release_all"]),
        st.sampled_from([ONE, TWO, SessionId("three")]),
        st.integers(1, 4).map(TabId),
    )
)


@settings(deadline=None)
@given(STEPS)
def test_a_tab_never_has_two_holders(steps: list[tuple[str, SessionId, TabId]]) -> None:
    holds, model = Holds(), dict[Any, SessionId]()
    for name, session, tab_id in steps:
        match name:
            case "take":
                with suppress(TabHeld):
                    holds.take(session, tab_id, claimed=False, names={})
                    assert model.setdefault(tab_id, session) == session
            case "release":
                assert holds.release(tab_id) == model.pop(tab_id, None)
            case _:
                held = {tab for tab, holder in model.items() if holder == session}
                assert set(holds.release_all(session)) == held
                model = {tab: holder for tab, holder in model.items() if holder != session}
        listed = [tab for holder in set(model.values()) for tab, _ in holds.of(holder)]
        assert sorted(listed) == sorted(model)
        assert {tab: holds.holder(tab) for tab in model} == model
