"""One-time codes and the visits that come of them."""

import pytest

from tabwright.edges.dashboard.door import CODE_S, MAX_CODES, VISIT_S, DashboardDoor


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def visit(door: DashboardDoor) -> tuple[str, ...]:
    cookie = door.enter(door.code())
    assert cookie is not None
    return (f"{door.cookie_name}={cookie}",)


def test_a_code_works_once() -> None:
    door = DashboardDoor(1)
    code = door.code()
    assert door.enter(code) is not None
    assert door.enter(code) is None


def test_a_code_grows_old() -> None:
    clock = Clock()
    door = DashboardDoor(1, clock)
    code = door.code()
    clock.now = CODE_S + 1
    assert door.enter(code) is None


def test_a_visit_grows_old() -> None:
    clock = Clock()
    door = DashboardDoor(1, clock)
    cookies = visit(door)
    assert door.knows(cookies)
    clock.now = VISIT_S + 1
    assert not door.knows(cookies)


def test_of_many_unused_codes_the_latest_work() -> None:
    door = DashboardDoor(1)
    codes = [door.code() for _ in range(MAX_CODES + 1)]
    assert door.enter(codes[0]) is None
    assert door.enter(codes[-1]) is not None


@pytest.mark.parametrize("cookies", [(), ("",), ("a=b",), ("tabwright-1=",), ("tabwright-1=x; y",), ("=;=",)])
def test_other_cookies_are_nobody(cookies: tuple[str, ...]) -> None:
    assert not DashboardDoor(1).knows(cookies)


def test_a_visit_to_another_port_is_none_to_this() -> None:
    assert not DashboardDoor(2).knows(visit(DashboardDoor(1)))


def test_whoever_waits_for_a_visit_is_told_once_it_comes() -> None:
    door, come = DashboardDoor(1), list[str]()
    page = door.page()
    door.await_visit(page, lambda: come.append("first"))
    door.enter(door.code())
    assert come == [], "somebody else came"
    door.enter(page.rpartition("#")[2])
    assert come == ["first"]
    door.await_visit(page, lambda: come.append("late"))
    assert come == ["first", "late"], "it had come already"
