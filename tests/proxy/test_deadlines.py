"""Who must go when, without a look at everybody each second."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from tabwright.edges.proxy.rounds import Rounds
from tabwright.proxy.deadlines import AHEAD_S, Deadlines
from tabwright.proxy.model import CloseCode, Endpoint, Identity, Limits, PeerId, UserId
from tests.proxy.world import World


@dataclass
class Phase:
    ends_at: float | None


class Peers(dict[PeerId, Phase]):
    looks = 0

    def __iter__(self) -> Iterator[PeerId]:
        self.looks += 1
        return super().__iter__()


def test_peers_at_rest_are_looked_at_once_a_minute() -> None:
    peers = Peers({PeerId(number): Phase(10_000.0) for number in range(1_000)})
    deadlines = Deadlines(peers)
    for second in range(600):
        assert deadlines.due(float(second)) == []
    assert peers.looks == 600 / AHEAD_S


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("enter"), st.integers(1, 6), st.one_of(st.none(), st.floats(0, 200))),
        st.tuples(st.just("leave"), st.integers(1, 6), st.none()),
        st.tuples(st.just("pass time"), st.floats(0.2, 90), st.none()),
    ),
    max_size=40,
)


@given(STEPS)
def test_everybody_goes_at_the_first_look_after_the_end(steps: list[tuple[str, float, float | None]]) -> None:
    peers: dict[PeerId, Phase] = {}
    deadlines, now = Deadlines(peers), 0.0
    for what, which, after in steps:
        peer = PeerId(int(which))
        if what == "enter":
            peers[peer] = Phase(None if after is None else now + after)
            deadlines.note(peer, peers[peer].ends_at)
        elif what == "leave":
            peers.pop(peer, None)
        else:
            now += which
            ended = sorted(peer for peer, phase in peers.items() if phase.ends_at is not None and phase.ends_at <= now)
            assert deadlines.due(now) == ended
            for peer in ended:
                del peers[peer]


def test_each_token_ends_in_its_own_second() -> None:
    world = World(Limits(auth_s=5))
    lives = {f"user{number}": number * 7.0 + 1 for number in range(40)}
    for user, seconds in lives.items():
        world.identities[user] = Identity(UserId(user), lives_s=seconds)
    ends = {world.extension(user)[0]: seconds for user, seconds in lives.items()}
    late = world.open(Endpoint.MCP)
    while world.now < 300:
        world.wait(1)
        assert {peer for peer in ends if peer in world.closed} == {
            peer for peer, seconds in ends.items() if seconds <= world.now
        }
        assert (late in world.closed) == (world.now >= 5)
    assert world.closed[late][0] is CloseCode.TOO_LATE
    assert {world.closed[peer][0] for peer in ends} == {CloseCode.UNAUTHORIZED}
    assert world.router.roster.users == 0


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0.1, 40)), max_size=30))
def test_a_round_comes_to_each_once_and_within_a_second(visits: list[tuple[float, float]]) -> None:
    rounds, seen = Rounds(), list[PeerId]()
    for number, (at, _) in enumerate(visits):
        rounds.expect(PeerId(number), at)
    now = 0.0
    for _, step in visits:
        now += step
        seen += rounds.due(now)
        assert {number for number, (at, _) in enumerate(visits) if at + 1 <= now} <= set(seen)
        assert all(visits[peer][0] <= now for peer in seen)
    seen += rounds.due(200.0)
    assert sorted(seen) == list(range(len(visits)))
