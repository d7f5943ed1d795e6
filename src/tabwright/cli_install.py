"""`tabwright install` and `uninstall`: MCP clients learn of tabwright, browsers of the host that starts it for the
extension, and the extension gets a place that stays.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tabwright.cli_flags import Switch
from tabwright.edges.chrome.extension_files import FOLDER, is_current, unpack_extension, version_of
from tabwright.edges.chrome.show_page import show_page
from tabwright.edges.commands.doctor_browsers import loaded_copies
from tabwright.edges.commands.installing import Change, adding, carry_out, removing
from tabwright.edges.commands.native_files import put_up_host, take_down_host
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.install.browsers import BROWSERS, user_data_folders
from tabwright.install.clients import CLIENTS, Client, Place, named
from tabwright.install.entries import NotEditable, Server, with_server
from tabwright.install.links import links

PrintFlag = Annotated[bool, Parameter(name="--print", negative="", show_default=False)]
LinksFlag = Annotated[bool, Parameter(name="--links", negative="", show_default=False)]
Folders = Annotated[tuple[Path, ...], Parameter(name="--user-data-dir", negative="", show_default=False)]


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
            _say(f"{client.name}: {self._done(client)}")
        except NotEditable as exc:
            _say(f"{client.name}: left alone, {exc.message}. By hand: {self.instead(client)}")

    def _done(self, client: Client) -> str:
        """What became of it."""
        change = self.plan(client)
        if change.kind == "none":
            return self.nothing
        if not (self.sure or _asked(f"{client.name}: {change.told}?")):
            return "left as it is"
        backup = carry_out(change, datetime.now())
        return f"done; the file as it was: {backup}" if backup else "done"


def install(
    *clients: str,
    yes: Switch = False,
    print_: PrintFlag = False,
    links_: LinksFlag = False,
    user_data_dirs: Folders = (),
) -> None:
    """Set up the MCP clients on this machine for tabwright, and prepare your own browser.

    Parameters
    ----------
    clients
        claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini; by default those found on this machine.
    yes
        Do not ask before each change.
    print_
        Print what belongs in each configuration file, and change nothing.
    links_
        Print links and commands that add tabwright to a client in one step, and change nothing.
    user_data_dirs
        User data folder of a browser that keeps its profiles in an unusual place.
    """
    place, server = _place(), _server()
    if links_:
        _say_links(server)
        return

    def by_hand(client: Client) -> str:
        ways = "".join(f"or by {name}\n\n{way}\n\n" for name, way in links(server).get(client.id, {}).items())
        return f"put this into {client.config(place)}\n\n{with_server('', client.shape, server)}\n{ways}"

    errand = _Errand(lambda client: adding(client, place, server), by_hand, "knows tabwright already", yes, print_)
    chosen = _chosen(clients, place)
    if not chosen:
        _say(
            "No MCP client was found here. `tabwright install cursor --print` shows what to put into one; "
            f"any client that starts its servers with a command takes {shlex.quote(server.command)}"
        )
    for client in chosen:
        errand.run(client)
    if not print_:
        _prepare_browsers(place, user_data_dirs, server, sure=yes)


def uninstall(*clients: str, yes: Switch = False, user_data_dirs: Folders = ()) -> None:
    """Remove tabwright from the configuration of MCP clients; without names, from the browsers too.

    Parameters
    ----------
    clients
        As for install; by default all that have tabwright, and the browsers.
    yes
        Do not ask before each change.
    user_data_dirs
        As for install.
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
    if not clients:
        _leave_browsers(place, user_data_dirs)


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


def _say_links(server: Server) -> None:
    ways = [(client.name, *way) for client in CLIENTS for way in links(server).get(client.id, {}).items()]
    _say("\n\n".join(f"{client}, {name}:\n\n{way}" for client, name, way in ways))


def _prepare_browsers(place: Place, told: tuple[Path, ...], server: Server, *, sure: bool) -> None:
    home = Home(Path(home_folder()))
    home.prepare()
    found = [*user_data_folders(place), *(("The browser there", folder.expanduser().absolute()) for folder in told)]
    pairs = _put_up(home, found, server, sure=sure) if found else False
    _unpack(home)
    if any(copy.folder == home.extension and not copy.disabled for copy in loaded_copies(place)):
        _say("\nYour browser has the extension. `tabwright doctor` checks that everything works.")
        return
    _lead_to_loading(home, then="It then pairs by itself." if pairs else "Then run `tabwright pair`.")
    _say_path(server)


def _lead_to_loading(home: Home, then: str) -> None:
    """In words, and as a page where a person sits at a display: none may open chrome://extensions for them."""
    _say(
        "\nOne step is left, which only you can take. In your own browser, open\n\n"
        "  chrome://extensions\n\nswitch on Developer mode, choose Load unpacked, and select the folder\n\n"
        f"  {home.extension}\n\n{then} Without the extension, agents use a browser that tabwright launches.\n"
        "`tabwright doctor` checks that everything works."
    )
    if sys.stdin.isatty() and show_page((home.extension / "ui" / "load.html").as_uri()):
        _say("The same is shown in your browser now, with buttons to copy.")


def _say_path(server: Server) -> None:
    if shutil.which("tabwright") is None:
        _say(f"`tabwright` is not on your PATH. Where you are told to run it, type {shlex.quote(server.command)}")


def _put_up(home: Home, found: list[tuple[str, Path]], server: Server, *, sure: bool) -> bool:
    names = ", ".join(name for name, _ in found)
    if not sure and not _asked(f"{names}: let the extension start tabwright, and pair with it by itself?"):
        _say(f"{names}: left as it is")
        return False
    try:
        changed = put_up_host(home, [folder for _, folder in found], server.env)
    except OSError as exc:
        _say(f"{names}: {exc.filename} cannot be written: {exc.strerror}")
        return False
    _say(f"{names}: " + ("done; the extension may start tabwright" if changed else "may start tabwright already"))
    return True


def _unpack(home: Home) -> None:
    before = version_of(home.extension)
    if before is not None and is_current(home.extension):
        _say(f"Extension: {before}, up to date")
        return
    unpack_extension(home.extension)
    now = version_of(FOLDER)
    if before is None:
        _say(f"Extension: {now} is in place")
    else:
        _say(f"Extension: {before} replaced by {now}; press the reload arrow on its card in chrome://extensions")


def _leave_browsers(place: Place, told: tuple[Path, ...]) -> None:
    home = Home(Path(home_folder()))
    folders = [browser.user_data(place) for browser in BROWSERS]
    removed = take_down_host(home, [*folders, *(folder.expanduser().absolute() for folder in told)])
    _say(f"Browsers: {'done; they cannot start tabwright any more' if removed else 'none could start tabwright'}")
    if home.extension.exists():
        _say(f"Remove the extension in chrome://extensions; then {home.path} can be deleted.")


def _asked(question: str) -> bool:
    if not sys.stdin.isatty():
        raise GatewayError("There is nobody to ask.", "Say --yes to go ahead, or --print to see what belongs where.")
    try:
        return input(f"{question} [Y/n] ").strip().casefold() in ("", "y", "yes")
    except EOFError:
        return False


def _say(line: str) -> None:
    sys.stdout.write(line.rstrip() + "\n")
