"""Calls that count, and those that the host of a virtual machine disturbed."""

from bench.undisturbed import Undisturbed, stolen_s


def test_calls_from_which_least_was_taken_count() -> None:
    found = Undisturbed[str](2)
    found.add("long, much taken", 0.5, 0.1)
    found.add("short, some taken", 0.1, 0.01)
    assert not found.are_enough
    found.add("free", 0.1, 0)
    assert found.kept == ["free", "short, some taken"]
    found.add("long, hardly any taken", 0.5, 0.01)
    assert found.are_enough
    assert found.kept == ["free", "long, hardly any taken"]


def test_on_a_machine_of_its_own_the_first_calls_count() -> None:
    found = Undisturbed[int](3)
    for number in range(5):
        found.add(number, 0.1, 0)
    assert found.kept == [0, 1, 2]


def test_what_was_taken_so_far_never_shrinks() -> None:
    first = stolen_s()
    assert 0 <= first <= stolen_s()
