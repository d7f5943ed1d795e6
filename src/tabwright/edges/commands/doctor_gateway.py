"""The doctor's look at the gateway of this home, at its ports, and at the browsers that are linked to it."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tabwright import __version__
from tabwright.edges.commands.control_client import NoGateway, ask
from tabwright.edges.ports import PortTaken, check
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.install import troubles
from tabwright.install.troubles import Finding
from tabwright.settings import Settings, flag

PATIENCE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Gateway:
    """What there is of one. `told` is its own word on `running`, else what its files say."""

    state: Literal["running", "hung", "dead", "none"]
    told: dict[str, Any]

    @property
    def browsers(self) -> Sequence[dict[str, Any]]:
        return self.told.get("browsers", ()) if self.state == "running" else ()

    @property
    def port(self) -> int | None:
        return self.told["port"] if self.state == "running" else None


def look_at_gateway(home: Home) -> Gateway:
    try:
        return Gateway("running", ask(home, "status", timeout_s=PATIENCE_S))
    except NoGateway:
        told = home.running() or {}
        if _is_locked(home):
            return Gateway("hung", told)
        return Gateway("dead" if home.gateway_file.exists() else "none", told)
    except GatewayError:
        return Gateway("hung", home.running() or {})


def gateway_findings(gateway: Gateway, settings: Settings, home: Home) -> Iterator[Finding]:
    """The gateway itself, and whether one could start."""
    told = gateway.told
    match gateway.state:
        case "hung":
            yield Finding(f"a gateway has this home but does not answer (pid {told.get('pid')})", troubles.GATEWAY_HUNG)
        case "running":
            runs = f"gateway {told['version']} runs (pid {told['pid']}, http://127.0.0.1:{told['port']})"
            yield Finding(runs)
            if told["version"] != __version__:
                differs = f"it is version {told['version']}, this is {__version__}"
                yield Finding(differs, troubles.GATEWAY_OTHER_VERSION)
        case "dead" | "none":
            if gateway.state == "dead":
                yield Finding(
                    f"{home.gateway_file} was left by a gateway that is gone", troubles.GATEWAY_DEAD, note=True
                )
            yield Finding("no gateway runs; the first client starts one")
            yield from _ports(settings)


def _ports(settings: Settings) -> Iterator[Finding]:
    for port, name in ((settings.port, "port"), (settings.extension_port, "extension_port")):
        try:
            check(settings.host, port, flag(name))
        except PortTaken as exc:
            yield Finding(exc.message, troubles.PORT_TAKEN)


def link_findings(gateway: Gateway, copies: Sequence[object], *, paired: bool) -> Iterator[Finding]:
    """The browsers that agents can use now. `copies`: where the extension is loaded."""
    for browser in gateway.browsers:
        tabs = "1 tab" if browser["tabCount"] == 1 else f"{browser['tabCount']} tabs"
        yield Finding(f"linked: {browser['name']} {browser['version']}, {tabs}")
    via = gateway.told.get("via") if gateway.state == "running" else None
    if via is not None:
        up = via["state"] == "connected"
        detail = f"as {via['user']}" if up else via["reason"] or "no answer yet"
        yield Finding(f"proxy {via['url']}: {via['state']}, {detail}", None if up else troubles.PROXY_AWAY)
        if not gateway.browsers:
            yield Finding("no browser is connected to the proxy", troubles.PROXY_EMPTY)
    elif not paired and not gateway.browsers:
        # whoever has not got the extension may mean to use launched browsers alone
        yield Finding("no browser of yours is paired; one can be launched", troubles.NOT_PAIRED, note=not copies)
    elif gateway.state == "running" and not gateway.browsers:
        yield Finding("no browser is linked, though one is paired", troubles.BROWSER_AWAY)


def _is_locked(home: Home) -> bool:
    """Whether a process has this home: the lock lives and dies with it."""
    try:
        lock = os.open(home.lock_file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
