"""Whole errands: what all calls and their answers cost a model, how many there are, how long they take together."""

import contextlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench import errands, tokens
from bench.driver import CallFailed
from bench.errands import Book, Errand, Script
from bench.pages import Site
from bench.records import Record
from bench.scripts import agent_browser, devtools, playwright, tabwright
from bench.servers import AgentBrowser, DevTools, Playwright, Tabwright
from bench.session import Session

PART: Final = "tasks"
ROUNDS: Final = 3
TOKENS, CALLS, SECONDS, DONE = "tokens", "calls", "s", "done"
SETTLED_S: Final = 5.0
# uploads are in a profile of agent-browser that its default list leaves out
CONTENDERS: Final = (
    (Tabwright(), tabwright.SCRIPTS),
    (Playwright(), playwright.SCRIPTS),
    (DevTools(), devtools.SCRIPTS),
    (AgentBrowser("core,debug"), agent_browser.SCRIPTS),
)


@dataclass(frozen=True)
class Run:
    server: str
    name: str
    spoken: str
    calls: int
    seconds: float
    done: bool


def measure(site: Site, home: Path, folder: Path, rounds: int = ROUNDS) -> list[Record]:
    book = Book(home / "users.sqlite3", site.shop)
    runs: list[Run] = []
    number = 10
    for turn in range(rounds):
        with contextlib.ExitStack() as open_:
            at_work = [
                (open_.enter_context(Session(adapter, folder / f"tasks-{adapter.name}-{turn}")), scripts)
                for adapter, scripts in CONTENDERS
            ]
            for session, _ in at_work:
                # the browser's start is no part of an errand
                session.do(session.adapter.open(f"{site.shop_url}/work"))
            for name in errands.EVERY:
                for session, scripts in at_work:
                    number += 1
                    file = session.folder / f"paper{number}.txt"
                    file.write_text(f"Paper of {number}\n")
                    errand = Errand(f"{site.admin}/admin", site.shop_url, file, number)
                    runs.append(_run(session, scripts[name], name, errand, book))
    return _records(runs)


def _run(session: Session, script: Script, name: str, errand: Errand, book: Book) -> Run:
    book.forget()
    session.spoken.clear()
    began = time.perf_counter()
    try:
        answer = script(session, errand)
    except (CallFailed, AssertionError) as failed:
        sys.stderr.write(f"  {session.adapter.name} could not {name}: {failed}\n")
        answer = ""
    took = time.perf_counter() - began
    done = bool(answer) and _settled(book, name, errand, answer)
    if not done:
        sys.stderr.write(f"  {session.adapter.name} did not {name}: {answer[:500]}\n")
    return Run(session.adapter.name, name, "\n".join(session.spoken), len(session.spoken) // 3, took, done)


def _settled(book: Book, name: str, errand: Errand, answer: str) -> bool:
    """Not every server waits for what it set off."""
    deadline = time.monotonic() + SETTLED_S
    while not (done := book.is_done(name, errand, answer)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return done


def _records(runs: Sequence[Run]) -> list[Record]:
    counted = dict(zip(runs, tokens.count([run.spoken for run in runs]), strict=True))
    records: list[Record] = []
    for name in errands.EVERY:
        for adapter, _ in CONTENDERS:
            these = [run for run in runs if (run.name, run.server) == (name, adapter.name)]
            figures = {
                TOKENS: median(counted[run] for run in these),
                CALLS: median(run.calls for run in these),
                SECONDS: median(run.seconds for run in these),
                DONE: sum(run.done for run in these) / len(these),
            }
            records += [Record(PART, f"{name}, {unit}", adapter.name, each, unit) for unit, each in figures.items()]
    return records
