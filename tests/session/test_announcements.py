"""When a client is told that its list changed: never without a change, never in a storm."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.session.announcements import WINDOW_S, Announcer, Verdict


def test_an_unchanged_list_is_never_told() -> None:
    announcer = Announcer("a")
    assert announcer.changed("a", 0.0) is Verdict.SILENT
    announcer.call_began()
    assert announcer.call_ended("a", 1.0) is Verdict.SILENT


def test_the_first_change_after_quiet_is_told_at_once() -> None:
    announcer = Announcer("a")
    assert announcer.changed("b", 10.0) is Verdict.NOW
    assert announcer.changed("b", 10.0) is Verdict.SILENT
    assert announcer.changed("c", 10.5) is Verdict.NOW


def test_more_changes_in_the_window_become_one_at_its_end() -> None:
    announcer = Announcer("a")
    announcer.changed("b", 10.0)
    assert announcer.changed("c", 10.1) is Verdict.LATER
    assert announcer.changed("d", 10.2) is Verdict.LATER
    assert announcer.due_at == 10.5
    assert announcer.changed("d", announcer.due_at) is Verdict.NOW


def test_a_change_undone_within_the_window_is_not_told() -> None:
    announcer = Announcer("a")
    announcer.changed("b", 10.0)
    assert announcer.changed("c", 10.1) is Verdict.LATER
    assert announcer.changed("b", 10.5) is Verdict.SILENT


def test_a_list_the_client_fetched_is_not_announced_any_more() -> None:
    announcer = Announcer("a")
    announcer.fetched("b")
    assert announcer.changed("b", 0.0) is Verdict.SILENT
    assert announcer.changed("a", 0.0) is Verdict.NOW


def test_changes_during_an_own_call_are_told_when_it_ends() -> None:
    announcer = Announcer("a")
    announcer.call_began()
    assert announcer.changed("b", 0.0) is Verdict.SILENT
    assert announcer.call_ended("b", 0.1) is Verdict.NOW


def test_an_own_change_is_told_at_once_even_within_the_window() -> None:
    announcer = Announcer("a")
    announcer.changed("b", 0.0)
    announcer.call_began()
    assert announcer.call_ended("c", 0.1) is Verdict.NOW
    assert announcer.changed("d", 0.2) is Verdict.LATER


def test_a_moved_focus_is_told_even_if_the_lists_are_equal() -> None:
    announcer = Announcer("a")
    announcer.call_began()
    assert announcer.call_ended("a", 0.0, moved=True) is Verdict.NOW


def test_two_own_calls_hold_back_until_each_ends() -> None:
    announcer = Announcer("a")
    announcer.call_began()
    announcer.call_began()
    assert announcer.call_ended("a", 0.0) is Verdict.SILENT
    assert announcer.changed("b", 0.1) is Verdict.SILENT
    assert announcer.call_ended("b", 0.2) is Verdict.NOW


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["changed", "changed", "changed", "fetched", "began", "ended", "moved"]),
        st.sampled_from("abc"),
        st.floats(0.0, 0.7),
    ),
    max_size=60,
)


@settings(deadline=None, max_examples=200)
@given(STEPS)
def test_outside_changes_are_told_at_most_once_a_window_and_only_when_the_list_is_another(
    steps: list[tuple[str, str, float]],
) -> None:
    announcer, known, running = Announcer("a"), "a", 0
    now, last_told = 0.0, float("-inf")
    for what, fingerprint, passed in steps:
        now += passed
        verdict = Verdict.SILENT
        match what:
            case "fetched":
                announcer.fetched(fingerprint)
                known = fingerprint
            case "began":
                announcer.call_began()
                running += 1
            case "changed":
                verdict = announcer.changed(fingerprint, now)
                assert verdict is Verdict.SILENT or (fingerprint != known and running == 0)
                assert verdict is not Verdict.NOW or now >= last_told + WINDOW_S
                assert verdict is not Verdict.LATER or announcer.due_at == last_told + WINDOW_S
            case _ if running:
                moved = what == "moved"
                verdict = announcer.call_ended(fingerprint, now, moved=moved)
                running -= 1
                assert (verdict is Verdict.NOW) == (moved or fingerprint != known)
            case _:
                continue
        if verdict is Verdict.NOW:
            known, last_told = fingerprint, now


def test_what_is_minor_is_told_alone_at_most_every_five_seconds_and_with_the_rest_at_once() -> None:
    announcer = Announcer("a")
    assert announcer.changed("a", 10.0, "tab 1") is Verdict.NOW
    assert announcer.changed("a", 11.0, "tab 2") is Verdict.LATER
    assert announcer.due_at == 15.0
    assert announcer.changed("a", 15.0, "tab 2") is Verdict.NOW
    assert announcer.changed("a", 16.0, "tab 3") is Verdict.LATER
    assert announcer.changed("a", 16.0, "tab 2") is Verdict.SILENT, "back where the client knows it"
    assert announcer.changed("b", 16.0, "tab 3") is Verdict.NOW, "a change of the tools takes it along"
    assert announcer.changed("b", 99.0, "tab 3") is Verdict.SILENT
    announcer.fetched("b", "tab 4")
    assert announcer.changed("b", 200.0, "tab 4") is Verdict.SILENT
