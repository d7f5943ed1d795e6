"""What is wrong here, and what to do about it: every check in the order in which things depend on one another.

Owns the order and the checks of the home folder; the gateway, the browsers and the clients have files of their own.
Nothing is changed and nothing started, but for a ping to the browsers' native host.
"""

import sqlite3
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from tabwright import __version__
from tabwright.edges.chrome.extension_files import FOLDER, extension_id
from tabwright.edges.chrome.finder import BrowserNotFound, find_browser
from tabwright.edges.commands.doctor_browsers import extension_findings, host_findings, loaded_copies
from tabwright.edges.commands.doctor_clients import client_findings, token_findings
from tabwright.edges.commands.doctor_gateway import gateway_findings, link_findings, look_at_gateway
from tabwright.edges.runtime import Home, UnsafeFiles
from tabwright.edges.store.policy_file import PolicyFile
from tabwright.edges.store.store import is_damage
from tabwright.errors import GatewayError
from tabwright.install import troubles
from tabwright.install.clients import Place
from tabwright.install.troubles import Finding
from tabwright.policy.rules import Rules
from tabwright.settings import Settings, SettingsError, load


def examine(home: Home, place: Place) -> Iterator[Finding]:
    """Findings one by one; what the former ones make pointless is left out."""
    yield Finding(f"tabwright {__version__}, Python {sys.version.split()[0]}, extension {extension_id()} in {FOLDER}")
    try:
        home.check()
    except UnsafeFiles as exc:
        yield Finding(exc.message, troubles.HOME_UNUSABLE)
        return
    yield from _home(home)
    try:
        settings = load({}, place.environ, home.settings_text())
    except SettingsError as exc:
        yield Finding(str(exc), troubles.SETTINGS_WRONG)
        return
    yield Finding(f"settings from {home.settings_file}" if home.settings_file.exists() else "settings: the defaults")
    yield from _policy(home)
    paired, found = _store(home)
    yield from found
    yield _browser(settings, place.environ)
    gateway = look_at_gateway(home)
    yield from gateway_findings(gateway, settings, home)
    copies = list(loaded_copies(place))
    yield from extension_findings(copies, gateway, home, paired=paired)
    yield from host_findings(copies, place)
    yield from link_findings(gateway, copies, paired=paired)
    yield from token_findings(gateway, settings, place)
    yield from client_findings(gateway, place)


def _home(home: Home) -> Iterator[Finding]:
    if not home.path.exists():
        yield Finding(f"home {home.path}, made by the first start")
        return
    private = (home.path, home.token_file, home.database)
    shown = [path for path in private if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    if shown:
        yield Finding(f"others may open {', '.join(map(str, shown))}", troubles.HOME_OPEN)
    else:
        yield Finding(f"home {home.path}")


def _policy(home: Home) -> Iterator[Finding]:
    try:
        PolicyFile(home.policy_file, Rules())
    except GatewayError as exc:
        yield Finding(str(exc), troubles.POLICY_WRONG)
    else:
        if home.policy_file.exists():
            yield Finding(f"rules from {home.policy_file}")


def _store(home: Home) -> tuple[bool, list[Finding]]:
    """Whether a browser was ever paired, and how the database is."""
    if not home.database.exists():
        return False, []
    try:
        return _read_store(home.database), [Finding(f"database {home.database}")]
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            return False, [Finding(f"{home.database} cannot be read now: {exc}")]
        return False, [Finding(f"{home.database} is damaged: {exc}", troubles.STORE_DAMAGED)]


def _read_store(path: Path) -> bool:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=2)) as store:
        [verdict] = store.execute("PRAGMA quick_check").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(str(verdict).splitlines()[0])
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
        return "pairings" in tables and store.execute("SELECT 1 FROM pairings LIMIT 1").fetchone() is not None


def _browser(settings: Settings, environ: Mapping[str, str]) -> Finding:
    try:
        binary = find_browser(settings.browser, environ, sys.platform)
    except BrowserNotFound as exc:
        return Finding(str(exc), troubles.NO_BROWSER)
    if binary is None:
        return Finding("no browser was found", troubles.NO_BROWSER)
    return Finding(f"browser to launch: {binary.name} at {binary.path}")
