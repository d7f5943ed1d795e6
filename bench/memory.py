"""What servers hold in memory without their browser: before any work, and after some."""

import contextlib
from pathlib import Path
from typing import Final

from bench.pages import Site
from bench.records import Record
from bench.servers import ADAPTERS
from bench.session import Session

PART: Final = "memory"
IDLE, AFTER = "idle", "after work"
ROUNDS: Final = 30
SHARES: Final = ", shared pages divided"


def measure(site: Site, folder: Path, rounds: int = ROUNDS) -> list[Record]:
    with contextlib.ExitStack() as open_:
        sessions = [open_.enter_context(Session(each, folder / f"memory-{each.name}")) for each in ADAPTERS]
        for session in sessions:
            session.driver.tools()
        records = [record for session in sessions for record in _held(session, IDLE)]
        for session in sessions:
            session.do(session.adapter.open(f"{site.shop_url}/work"))
        for turn in range(rounds):
            for session in sessions:
                _work(session, site, turn)
        return records + [record for session in sessions for record in _held(session, AFTER)]


def _work(session: Session, site: Site, turn: int) -> None:
    adapter = session.adapter
    for call in (
        adapter.navigate(f"{site.pages['Django admin, 200 rows']}&turn={turn}".replace("all=&", "all&")),
        adapter.outline(),
        adapter.screenshot(),
        adapter.evaluate("document.title"),
    ):
        session.do(call)


def _held(session: Session, when: str) -> list[Record]:
    held, name = session.memory(), session.adapter.name
    return [
        Record(PART, when, name, held.resident, "MB"),
        Record(PART, when + SHARES, name, held.proportional, "MB"),
    ]
