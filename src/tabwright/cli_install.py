"""`tabwright install` and `uninstall`: MCP clients learn of tabwright, the extension gets a place that stays."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tabwright.edges.extension_files import FOLDER
from tabwright.edges.installing import Change, adding, carry_out, removing, unpack_extension
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.install.clients import CLIENTS, Client, Place, named
from tabwright.install.entries import NotEditable, Server, with_server

Flag = Annotated[bool, Parameter(negative="")]
PrintFlag = Annotated[bool, Parameter(name="--print", negative="")]


class UnknownClient(GatewayError):
    """No client of that name is known."""


@dataclass(frozen=True, slots=True)
class _Errand:
    """One run: what is to change for a client, and how much is asked."""

    plan: Callable[[Client], Change]
    instead: Callable[[Client], str]
    nothing: str
    sure: bool
    only_print: bool

    def run(self, client: Client) -> None:
        if self.only_print:
            _say(f"{client.name}: {self.instead(client)}")
            return
        try:
            change = self.plan(client)
        except NotEditable as exc:
            _say(f"{client.name}: left alone, {exc.message}. By hand: {self.instead(client)}")
            return
        if change.kind == "none":
            _say(f"{client.name}: {self.nothing}")
        elif self.sure or _asked(f"{client.name}: {change.told}?"):
            backup = carry_out(change, datetime.now())
            _say(f"{client.name}: done" + (f"; as it was before: {backup}" if backup else ""))
        else:
            _say(f"{client.name}: left as it is")


def install(*clients: str, yes: Flag = False, print_: PrintFlag = False) -> None:
    """Tell the MCP clients on this machine about tabwright, and put the extension where it stays.

    Parameters
    ----------
    clients
        claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini; without any, those that are found here.
    yes
        Do not ask before each change.
    print_
        Print what belongs into each configuration, and change nothing.
    """
    place, server = _place(), _server()

    def by_hand(client: Client) -> str:
        return f"put this into {client.config(place)}\n\n{with_server('', client.shape, server)}"

    errand = _Errand(lambda client: adding(client, place, server), by_hand, "knows tabwright already", yes, print_)
    chosen = _chosen(clients, place)
    if not chosen:
        _say("No MCP client was found here. Name one (`tabwright install cursor --print`), or see `tabwright serve`.")
    for client in chosen:
        errand.run(client)
    if not print_:
        _unpack()


def uninstall(*clients: str, yes: Flag = False) -> None:
    """Take tabwright out of the configuration of MCP clients.

    Parameters
    ----------
    clients
        As for install; without any, all that know tabwright.
    yes
        Do not ask before each change.
    """
    place = _place()
    errand = _Errand(
        lambda client: removing(client, place),
        lambda client: f"take the entry tabwright out of {client.config(place)}",
        "does not know tabwright",
        yes,
        False,
    )
    for client in _chosen(clients, place):
        errand.run(client)


def _chosen(wanted: tuple[str, ...], place: Place) -> list[Client]:
    if not wanted:
        return [client for client in CLIENTS if client.here(place)]
    found: list[Client] = []
    for name in wanted:
        client = named(name)
        if client is None:
            known = ", ".join(client.id for client in CLIENTS)
            raise UnknownClient(f"No client is called {name!r}.", f"Known: {known}.")
        found.append(client)
    return found


def _place() -> Place:
    return Place(Path.home(), sys.platform, os.environ)


def _server() -> Server:
    """This very program by its full path: clients start without the shell's PATH."""
    started = Path(sys.argv[0])
    command = str(started.absolute()) if started.name == "tabwright" else shutil.which("tabwright") or "tabwright"
    told = os.environ.get("TABWRIGHT_HOME")
    return Server(command, {"TABWRIGHT_HOME": str(Path(told).expanduser().absolute())} if told else {})


def _unpack() -> None:
    home = Home(Path(home_folder()))
    home.prepare()
    unpack_extension(FOLDER, home.extension)
    _say(
        f"\nFor your own browser: open chrome://extensions, switch on Developer mode, choose Load unpacked and\n"
        f"  {home.extension}\nThen run `tabwright pair`. Without it, agents use a browser that tabwright launches."
    )


def _asked(question: str) -> bool:
    if not sys.stdin.isatty():
        raise GatewayError("There is nobody to ask.", "Say --yes to go ahead, or --print to see what belongs where.")
    try:
        return input(f"{question} [Y/n] ").strip().casefold() in ("", "y", "yes")
    except EOFError:
        return False


def _say(line: str) -> None:
    sys.stdout.write(line.rstrip() + "\n")
