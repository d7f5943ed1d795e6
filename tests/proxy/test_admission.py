"""Strangers at the door: how many at once, in all and from one address, and how fast."""

from tabwright.proxy import admission
from tabwright.proxy.admission import Door, DoorLimits
from tabwright.proxy.buckets import Bucket


def test_places_are_counted_in_all_and_for_each_address() -> None:
    door = Door(DoorLimits(strangers=5, strangers_per_address=3))
    assert [door.arrived("a", 0) for _ in range(3)] == [None] * 3
    assert "this address" in str(door.arrived("a", 0))
    assert [door.arrived("b", 0) for _ in range(2)] == [None] * 2
    assert "have not authenticated" in str(door.arrived("c", 0))
    door.left("a")
    door.left("a")
    assert door.strangers == 3
    assert door.arrived("a", 0) is None
    for address in ("a", "a", "b", "b"):
        door.left(address)
    assert door.strangers == 0


def test_connects_of_an_address_are_slowed_but_not_those_of_others() -> None:
    door = Door(DoorLimits(connects_per_address=10))
    passed = sum(door.arrived("a", 0) is None for _ in range(200))
    assert passed == 50
    assert door.arrived("b", 0) is None
    assert sum(door.arrived("a", 1) is None for _ in range(200)) == 10


def test_addresses_are_not_remembered_for_ever() -> None:
    door = Door(DoorLimits(strangers=10**9))
    for number in range(admission.MAX_ADDRESSES + 100):
        assert door.arrived(str(number), 0) is None
    assert len(door._rates) == admission.MAX_ADDRESSES  # pyright: ignore[reportPrivateUsage]


def test_a_rate_of_nothing_is_no_limit() -> None:
    bucket = Bucket(0, 0, 0)
    assert all(bucket.take(0) for _ in range(10_000))
    assert bucket.wait_s() == 0
    assert bucket.full(0)


def test_a_clock_that_steps_back_gives_nothing_away() -> None:
    bucket = Bucket(10, 5, 100)
    assert [bucket.take(100) for _ in range(6)] == [True] * 5 + [False]
    assert not bucket.take(50)
    assert bucket.wait_s() == 0.1
    assert bucket.take(100.2)
