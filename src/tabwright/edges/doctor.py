"""What is wrong here, and what to do about it: every check in the order in which things depend on one another."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tabwright import __version__
from tabwright.edges.chrome_finder import BrowserNotFound, find_browser
from tabwright.edges.control_client import NoGateway, ask
from tabwright.edges.extension_files import FOLDER, extension_id
from tabwright.edges.ports import holder_of
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.settings import Settings, SettingsError, load


@dataclass(frozen=True, slots=True)
class Finding:
    good: bool
    what: str
    fix: str = ""


def examine(home: Home, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Findings one by one; a check that the former one makes pointless is left out."""
    yield Finding(True, f"tabwright {__version__}, Python {sys.version.split()[0]}")
    try:
        home.prepare()
        yield Finding(True, f"home {home.path}")
        settings = load({}, environ, home.settings_text())
        yield Finding(True, "settings")
    except SettingsError as exc:
        yield Finding(False, exc.message, exc.next_step)
        return
    except (GatewayError, OSError) as exc:
        yield Finding(False, str(exc), "Set TABWRIGHT_HOME to a folder of your own.")
        return
    yield Finding(True, f"extension {extension_id()} in {FOLDER}")
    yield _browser(settings, environ)
    yield from _gateway(settings, home)


def _browser(settings: Settings, environ: Mapping[str, str]) -> Finding:
    try:
        binary = find_browser(settings.browser, environ, sys.platform)
    except BrowserNotFound as exc:
        return Finding(False, str(exc), "Set TABWRIGHT_BROWSER to the path of Chrome, Chromium, Edge or Brave.")
    if binary is None:
        return Finding(False, "no browser to launch", "Install Chrome or Chromium, or set TABWRIGHT_BROWSER.")
    return Finding(True, f"browser to launch: {binary.name} at {binary.path}")


def _gateway(settings: Settings, home: Home) -> Iterator[Finding]:
    try:
        told = ask(home, "status")
    except NoGateway:
        yield Finding(True, "no gateway runs; the first client starts one")
        for port, flag in ((settings.port, "--port"), (settings.extension_port, "--extension-port")):
            holder = holder_of(port) if port else None
            if holder is not None:
                yield Finding(False, f"port {port} is taken by {holder}", f"Stop it, or choose another with {flag}.")
        return
    except GatewayError as exc:
        yield Finding(False, exc.message, exc.next_step or f"Look at {home.log_file}.")
        return
    yield Finding(True, f"gateway {told['version']} runs (pid {told['pid']}, http://127.0.0.1:{told['port']})")
    if told["version"] != __version__:
        yield Finding(False, f"it is version {told['version']}, this is {__version__}", "Run `tabwright stop`.")
    if (via := told["via"]) is not None:
        up = via["state"] == "connected"
        detail = f"as {via['user']}" if up else via["reason"] or "no answer yet"
        fix = "" if up else "See docs/proxy.md: address, token, and whether the proxy runs."
        yield Finding(up, f"proxy {via['url']}: {via['state']}, {detail}", fix)
    for browser in told["browsers"]:
        yield Finding(True, f"linked: {browser['name']} {browser['version']}, {browser['tabCount']} tabs")
    if not told["browsers"] and via is not None:
        fix = "In the browser: tabwright's popup, Servers…, switch the proxy on."
        yield Finding(False, "no browser is connected to the proxy", fix)
    elif not told["browsers"]:
        fix = "Open the browser; its tabwright popup tells why it does not connect." if told["paired"] else ""
        what = "no browser is linked" + (
            "" if told["paired"] else "; none is paired (`tabwright pair`), one can be launched"
        )
        yield Finding(not told["paired"], what, fix)
