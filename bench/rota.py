"""Who comes when: another one first each round, and each after every other equally often.

What one server leaves to do, in its browser or its own processes, slows whoever comes next. One that always came after
the same other would be measured with that other's work. Between rounds all rest, so that who is first comes after
nobody.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

REST_S: Final = 0.1

T = TypeVar("T")


def rounds(members: Sequence[T], most: int) -> Iterator[tuple[int, list[T]]]:
    """The number and the order of each round, when it may begin."""
    for turn in range(most):
        time.sleep(REST_S)
        yield turn, order(members, turn)


def order(members: Sequence[T], turn: int) -> list[T]:
    """Of one round; balanced over as many rounds as members, twice as many where these are odd."""
    count = len(members)
    # 0, 1, n-1, 2, n-2 ...: the steps from each to the next are all different
    zigzag = [(each + 1) // 2 if each % 2 else -each // 2 for each in range(count)]
    # those of an odd number of members differ only with the same the other way round
    way = -1 if count % 2 and turn // count % 2 else 1
    return [members[(step + turn) % count] for step in zigzag[::way]]
