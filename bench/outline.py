"""How many tokens one reading of a page costs, beside other servers, and whether it holds every visible control.

Each server reads each page the way it does by default. Whether tabwright's reading is complete, the browser's own
accessibility tree tells: every control in it that shows must have a ref.
"""

import contextlib
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench import tokens
from bench.driver import CallFailed
from bench.pages import Site
from bench.records import Record
from bench.servers import ADAPTERS, Adapter, Call, Tabwright
from bench.session import Session
from tests.tools.ax import INTERACTIVE, Inspector, without_ref

PART: Final = "outline"
RECALL, CONTROLS = "recall", "controls"
TREE: Final = "accessibility tree"
ROLES: Final = frozenset(role for role in INTERACTIVE if role.islower() or role == "DisclosureTriangle")
REFS: Final = {
    "playwright": re.compile(r"^\s*- '?(\w+)\b[^\n]*\[ref=", re.MULTILINE),
    "chrome-devtools": re.compile(r"^\s*uid=\S+ (\w+)", re.MULTILINE),
    "agent-browser": re.compile(r"^\s*- (\w+)\b[^\n]*ref=", re.MULTILINE),
}
SETTLING_S: Final = 20.0
CONTROLS_NOW: Final = "'controls:' + document.querySelectorAll('a,button,input,select,textarea,iframe,[role]').length"
# the debugging port is for the inspection alone
CONTENDERS: Final[tuple[Adapter, ...]] = (Tabwright(browser_flags=("--remote-debugging-port=0",)), *ADAPTERS[1:])


def measure(site: Site, folder: Path) -> list[Record]:
    with contextlib.ExitStack() as open_:
        sessions = [open_.enter_context(Session(each, folder / f"outline-{each.name}")) for each in CONTENDERS]
        for session in sessions:
            session.do(session.adapter.open(f"{site.shop_url}/work"))
        texts = {key: text for page, url in site.pages.items() for key, text in _read(sessions, page, url).items()}
        records = _counted(texts) + _listed(texts)
        for page, url in site.pages.items():
            records += _recall(sessions[0], page, url)
    return records


def _read(sessions: Sequence[Session], page: str, url: str) -> dict[tuple[str, str], str | None]:
    """By page and server; nothing of one that could not."""
    there = [session for session in sessions if _tried(session, session.adapter.navigate(url)) is not None]
    _settle(there)
    return {(page, each.adapter.name): _tried(each, each.adapter.outline()) for each in there}


def _tried(session: Session, call: Call) -> str | None:
    try:
        return session.do(call).text
    except CallFailed as failed:
        sys.stderr.write(f"  {session.adapter.name}: {failed}\n")
        return None


def _settle(sessions: Sequence[Session]) -> None:
    """Until the page adds no more controls: some build themselves long after they have loaded."""
    deadline = time.monotonic() + SETTLING_S
    before: dict[str, int] = {}
    waiting = list(sessions)
    while waiting and time.monotonic() < deadline:
        now = {each.adapter.name: _controls(each) for each in waiting}
        done = {name for name, count in now.items() if count and count == before.get(name)}
        waiting = [each for each in waiting if each.adapter.name not in done]
        before = now
        time.sleep(1 if waiting else 0)


def _controls(session: Session) -> int:
    """How many there are now; none while nothing can be asked."""
    found = re.search(r"controls:(\d+)", session.do(session.adapter.evaluate(CONTROLS_NOW)).text)
    return int(found[1]) if found else 0


def _counted(texts: dict[tuple[str, str], str | None]) -> list[Record]:
    read = {key: text for key, text in texts.items() if text is not None}
    counted = tokens.count(list(read.values()))
    return [Record(PART, page, name, each, "tokens") for (page, name), each in zip(read, counted, strict=True)]


def _listed(texts: dict[tuple[str, str], str | None]) -> list[Record]:
    """How many controls the peers' readings give a ref."""
    return [
        Record(CONTROLS, page, name, sum(role in ROLES for role in REFS[name].findall(text)), "controls")
        for (page, name), text in texts.items()
        if text is not None and name in REFS
    ]


def _recall(session: Session, page: str, url: str) -> list[Record]:
    """Share of the visible controls of the accessibility tree that have a ref."""
    session.do(session.adapter.navigate(url))
    _settle([session])
    session.do(session.adapter.outline())
    with Inspector(session.folder / "home" / "profiles" / "default") as cdp:
        found, missing = without_ref(cdp, url)
    for each in missing:
        sys.stderr.write(f"  without a ref on {page}: {each}\n")
    share = 1 - len(missing) / found if found else 0.0
    name = session.adapter.name
    return [
        Record(CONTROLS, page, TREE, found, "controls"),
        Record(CONTROLS, page, name, found - len(missing), "controls"),
        Record(RECALL, page, name, share, "share"),
    ]
