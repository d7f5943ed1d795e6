"""How long single deeds take, each server's in turns: pages loaded and read, clicks, fields, scripts, pictures."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench import rota
from bench.pages import Site
from bench.records import Record, timed
from bench.servers import ADAPTERS, Adapter, Call
from bench.session import Session
from bench.undisturbed import MOST, Undisturbed, stolen_s

PART: Final = "latency"
FIRST: Final = "first page, with the browser's start"
ROUNDS, WARM = 25, 3
OFTEN: Final = 2
"""So many times as often as others are done what no server waits long for: the 95th of a hundred wants many."""
STILL_OFTENER: Final = 8
"""And what takes a frame or two: the 95th of a hundred such calls differs by half from one run to the next."""

Deed = Callable[[Session, int], Call]


def measure(site: Site, folder: Path, rounds: int = ROUNDS, adapters: Sequence[Adapter] = ADAPTERS) -> list[Record]:
    with contextlib.ExitStack() as open_:
        sessions = [open_.enter_context(Session(adapter, folder / f"latency-{adapter.name}")) for adapter in adapters]
        records: list[Record] = [_first(session, f"{site.shop_url}/work") for session in sessions]
        run = functools.partial(_in_turns, sessions, rounds * OFTEN)
        records += run("navigate", _going_to(f"{site.shop_url}/work"))
        records += run("outline, 100 links", lambda session, _: session.adapter.outline())
        records += _on_the_page(sessions, rounds)
        rows = _going_to(site.pages["Django admin, 200 rows"].replace("all=", "all"))
        records += run("navigate, 200 rows", rows)
        records += run("outline, 200 rows", lambda session, _: session.adapter.outline())
        quick = functools.partial(_in_turns, sessions, rounds * STILL_OFTENER)
        records += quick("screenshot, 200 rows", lambda session, _: session.adapter.screenshot())
    return records


def _first(session: Session, url: str) -> Record:
    """The first page, which starts the browser."""
    return timed(PART, FIRST, session.adapter.name, [session.do(session.adapter.open(url)).seconds])


def _going_to(url: str) -> Deed:
    # another address each time, so that each is a load
    return lambda session, turn: session.adapter.navigate(f"{url}{'&' if '?' in url else '?'}turn={turn}")


def _on_the_page(sessions: Sequence[Session], rounds: int) -> list[Record]:
    outlines = {id(session): session.do(session.adapter.outline()).text for session in sessions}

    def ref(session: Session, role: str, name: str) -> str:
        return session.adapter.ref(outlines[id(session)], role, name)

    often = functools.partial(_in_turns, sessions, rounds * OFTEN)
    quick = functools.partial(_in_turns, sessions, rounds * STILL_OFTENER)
    latest: dict[str, int] = {}

    def click(session: Session, turn: int) -> Call:
        latest["click"] = turn
        return session.adapter.click(ref(session, "button", "Count"))

    def fill(session: Session, turn: int) -> Call:
        latest["fill"] = turn
        return session.adapter.fill(ref(session, "textbox", "Note"), f"note {turn}")

    records = often("click", click) + quick("fill", fill)
    for session in sessions:
        # a quick answer counts only if the deed was done
        done = session.do(session.adapter.evaluate("out.textContent + '/' + note.value")).text
        wanted = f"{latest['click'] + 1}/note {latest['fill']}"
        assert wanted in done, f"{session.adapter.name}: {wanted} is not in {done}"
    records += _in_turns(sessions, rounds, "evaluate", lambda s, _: s.adapter.evaluate("document.title"))
    records += quick("screenshot", lambda s, _: s.adapter.screenshot())
    return records


def _in_turns(sessions: Sequence[Session], rounds: int, row: str, deed: Deed) -> list[Record]:
    """Each server once a round: whatever slows the machine slows all."""
    took = [Undisturbed[float](rounds) for _ in sessions]
    for turn, order in rota.rounds(range(len(sessions)), WARM + rounds * MOST):
        for index in order:
            before = stolen_s()
            seconds = sessions[index].do(deed(sessions[index], turn)).seconds
            if turn >= WARM:
                took[index].add(seconds, seconds, stolen_s() - before)
        if all(each.are_enough for each in took):
            break
    return [timed(PART, row, session.adapter.name, each.kept) for session, each in zip(sessions, took, strict=True)]
