"""The command line. Errors are one line on stderr; exit codes: 0, 1 failure, 2 usage, 3 port taken, 4 gateway lost."""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

from cyclopts import App, CycloptsError, Group, Parameter, UnknownCommandError, UnusedCliTokensError
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from tabwright import __version__, serving
from tabwright.cli_audit import add_audit_command
from tabwright.cli_flags import Json, Switch, flags_of
from tabwright.cli_policy import add_policy_commands
from tabwright.cli_shortcuts import shortcuts_app
from tabwright.edges.commands.control_client import NoGateway, ask
from tabwright.edges.pump.gateway_start import NotStarted, start_and_connect
from tabwright.edges.runtime import Home, wait_for_end
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.settings import SECRET_FIELDS, SESSION_FIELDS, Settings, flag, load, variable

ANSWER_S: Final = 5.0
STOP_S: Final = 8.0

FIRST: Final = Group("Setting up", sort_key=1)
WATCHING: Final = Group("What agents do, and may do", sort_key=2)
GATEWAY: Final = Group("The gateway", sort_key=3)
ELSEWHERE: Final = Group("Browsers on other machines", sort_key=4)

app = App(
    name="tabwright",
    help="Your own browser as MCP tools. Start with `tabwright install`. Without a command, as MCP clients run it, it "
    "speaks MCP on stdin and stdout.",
    version=__version__,
    version_flags=["--version"],
    help_flags=["--help", "-h"],
)
app["--help"].group = app["--version"].group = Group("Options", sort_key=9)
# by name, so that only those who run a proxy wait for what it imports
app.command(
    "tabwright.cli_proxy:proxy_app", name="proxy", help="Run the hosted proxy, for browsers on other machines.",
    group=ELSEWHERE,
)  # fmt: skip
app.command(
    "tabwright.cli_proxy:token_app", name="token", help="Issue, inspect and revoke the proxy's access tokens.",
    group=ELSEWHERE,
)  # fmt: skip
app.command(
    "tabwright.cli_install:install", name="install",
    help="Set up the MCP clients on this machine, and your own browser.", group=FIRST, sort_key=1,
)  # fmt: skip
app.command(
    "tabwright.cli_install:uninstall", name="uninstall",
    help="Undo `install`, in MCP clients and browsers.", group=FIRST, sort_key=4,
)  # fmt: skip
# programs that read our output get whole lines; what stands in brackets is somebody's path or name
out = Console(soft_wrap=True, markup=False, width=None if sys.stdout.isatty() else 160)


if TYPE_CHECKING:

    class ServeFlags(BaseModel): ...

    class StdioFlags(BaseModel): ...
else:
    ServeFlags = flags_of(Settings, (name for name in Settings.model_fields if name not in SECRET_FIELDS))
    StdioFlags = flags_of(Settings, (name for name in Settings.model_fields if name in SESSION_FIELDS))


@app.command(group=GATEWAY)
def serve(
    *,
    flags: Annotated[ServeFlags | None, Parameter(name="*")] = None,
    started_by_pump: Annotated[bool, Parameter(show=False, negative="")] = False,
) -> None:
    """Run the gateway in the foreground: MCP on http://127.0.0.1:3456/mcp and on stdio, the extension on :8765."""
    serving.serve({} if flags is None else flags.model_dump(), started_by_pump=started_by_pump)


@app.command(group=GATEWAY)
def stdio(*, flags: Annotated[StdioFlags | None, Parameter(name="*")] = None) -> None:
    """Speak MCP on stdin and stdout, as an MCP client wants it. Starts the gateway if none is running."""
    from tabwright.edges.pump.stdio_pump import pump

    given: dict[str, Any] = {} if flags is None else flags.model_dump(exclude_none=True)
    pump(
        {
            name.replace("_", "-"): str(value).lower() if value in (True, False) else value
            for name, value in given.items()
        }
    )


@app.command(group=GATEWAY)
def status(*, json_: Json = False) -> None:
    """Show the running gateway: ports, browsers, sessions and the tabs they hold."""
    told = ask(_home(), "status")
    if json_:
        print(json.dumps(told, indent=2))  # noqa: T201 - for programs
        return
    out.print(f"tabwright {told['version']}, pid {told['pid']}, since {told['startedAt']}")
    out.print(f"  MCP        http://127.0.0.1:{told['port']}/mcp and `tabwright` on stdio")
    out.print(f"  extension  ws://127.0.0.1:{told['extensionPort']}")
    if (via := told["via"]) is not None:
        detail = f" as {via['user']}" if via["user"] else f": {via['reason']}" if via["reason"] else ""
        out.print(f"  proxy      {via['url']}, {via['state']}{detail}")
        out.print(f"             browsers there know this gateway by the number {via['digits']}")
    for browser in told["browsers"]:
        kind = "through the proxy" if browser["remote"] else "launched" if browser["launched"] else "paired"
        tabs = "1 tab" if browser["tabCount"] == 1 else f"{browser['tabCount']} tabs"
        tabs = tabs if browser["reachable"] else "link down, may come back"
        out.print(f"  browser    {browser['name']} {browser['version']} ({kind}), {tabs}")
    if not told["browsers"]:
        out.print(
            "  browser    none linked"
            + ("" if told["paired"] or told["via"] else " (run `tabwright pair`, or let connect_browser launch one)")
        )
    for session in told["sessions"]:
        held = ", ".join(map(str, session["tabsHeld"])) or "none"
        out.print(f"  session    {session['client']}: {session['state']}, tabs held: {held}")


@app.command(group=GATEWAY)
def stop() -> None:
    """Stop the running gateway, and the browser it launched."""
    home = _home()
    pid: int | None = None
    try:
        pid = int(ask(home, "status", timeout_s=ANSWER_S)["pid"])
        ask(home, "stop", timeout_s=ANSWER_S)
    except GatewayError as exc:
        told = None if isinstance(exc, NoGateway) else home.running()
        if told is not None:
            # it does not answer; signals reach it all the same
            pid = int(told["pid"])
            _signal(pid, signal.SIGTERM)
        if pid is None:
            raise
        # else it has ended since: killed, or told to by somebody else
    for number in (signal.SIGKILL, None):
        if wait_for_end(home, pid, STOP_S):
            out.print("stopped")
            return
        if number is not None:
            _signal(pid, number)
    raise GatewayError(f"The gateway (pid {pid}) does not end.", f"Look at {home.log_file}.")


@app.command(group=WATCHING)
def dashboard(*, print_only: Switch = False) -> None:
    """Open a page that shows live what agents do in your browsers.

    Parameters
    ----------
    print_only
        Print the page's address instead of opening it. It works once, within two minutes.
    """
    import webbrowser

    from tabwright.edges.chrome.show_page import has_display

    home = _home()
    home.prepare()
    _ensure_gateway(home)
    page = ask(home, "dashboard")["page"]
    if not print_only and has_display() and webbrowser.open(page):
        out.print("Opening the dashboard in your browser ...")
        # whoever opens pages here says that he will, not that he did
        if ask(home, "await-visit", {"page": page}, timeout_s=15)["come"]:
            out.print("It is open.")
            return
    if not print_only:
        print("No browser has opened it. Open this in one on this machine, within two minutes:", file=sys.stderr)  # noqa: T201
    print(page)  # noqa: T201 - for $(...)


@app.command(group=FIRST, sort_key=2)
def pair(*, extension_id: str | None = None, print_only: Switch = False) -> None:
    """Pair your browser's extension with the gateway; needed once, if it has not paired by itself.

    Parameters
    ----------
    extension_id
        Admit another extension that speaks the same protocol, by its id.
    print_only
        Print the pairing page's address instead of opening it.
    """
    home = _home()
    home.prepare()
    _ensure_gateway(home)
    if extension_id is not None:
        ask(home, "admit", {"extensionId": extension_id})
        out.print(f"Extension {extension_id} may connect now.")
        return
    from tabwright.edges.chrome.show_page import show_page

    offer = ask(home, "pair")
    opened = not print_only and show_page(offer["page"])
    out.print(
        "Opened this page in your browser; if it did not appear, paste it there:"
        if opened
        else "Open this page in your browser:"
    )
    out.print(f"\n  {offer['page']}\n", soft_wrap=True, highlight=False)
    out.print(f"Waiting for the extension ({offer['seconds']:g} s) …")
    paired = ask(home, "await-pairing", timeout_s=offer["seconds"] + 5)
    out.print(f"Paired. The pairing page shows the same number: {paired['digits'][:3]} {paired['digits'][3:]}")


add_policy_commands(app, WATCHING, lambda: _home(), lambda line: _show(line))
add_audit_command(app, WATCHING, lambda: _home(), lambda line: _show(line))
app.command(shortcuts_app(WATCHING, lambda: _home(), lambda home: _ensure_gateway(home), lambda line: _show(line)))


app.command(
    "tabwright.cli_doctor:doctor",
    name="doctor",
    help="Check everything, and say how to fix what is wrong.",
    group=FIRST,
    sort_key=3,
)


@app.command(group=GATEWAY)
def config(
    *,
    token: Switch = False,
    json_: Json = False,
) -> None:
    """Show every setting: its value and what it means.

    Parameters
    ----------
    token
        Print only the access token, for clients that need one.
    """
    home = _home()
    home.prepare()
    if token:
        print(home.token())  # noqa: T201 - for $(...)
        return
    values = _settings(home, {}).model_dump(mode="json")
    if json_:
        print(json.dumps(values, indent=2))  # noqa: T201 - for programs
        return
    out.print(f"Settings file: {home.settings_file}" + ("" if home.settings_file.exists() else " (does not exist)"))
    example = "extension_port"
    out.print(f"{example}, for instance, is also {flag(example)} of `tabwright serve`, and {variable(example)}.\n")
    table = Table(box=None, pad_edge=False)
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold", max_width=28)
    table.add_column("meaning")
    for name, info in Settings.model_fields.items():
        table.add_row(name, json.dumps(values[name]), info.description)
    out.print(table)


cache = App(
    name="cache", help="List or forget the page tools that are kept after their tabs were closed.", group=GATEWAY
)
app.command(cache)


@cache.command(name="list")
def cache_list(*, json_: Json = False) -> None:
    """Show the cached tools."""
    from tabwright.edges.commands.cache_admin import list_cached

    tools = list_cached(_home())
    if json_:
        print(json.dumps(tools, indent=2))  # noqa: T201 - for programs
        return
    for tool in tools:
        out.print(f"{tool['name']}  {tool['url']}", highlight=False)
    if not tools:
        out.print("Nothing is cached.")


@cache.command(name="clear")
def cache_clear() -> None:
    """Forget the cached tools."""
    from tabwright.edges.commands.cache_admin import clear_cached

    count = clear_cached(_home())
    out.print(f"{count} tool{'' if count == 1 else 's'} forgotten")


@app.command(show=False)
def version() -> None:
    """Print the version."""
    print(__version__)  # noqa: T201 - for programs


def run(arguments: list[str]) -> NoReturn:
    """The one funnel from exceptions to exit codes."""
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        # a sign that the terminal does not have is no reason to fail
        reconfigure(errors="replace")
    try:
        app(arguments, exit_on_error=False, print_error=False)
        sys.stdout.flush()
        code = 0
    except CycloptsError as exc:
        code = _complain(_misuse(exc), serving.USAGE)
    except GatewayError as exc:
        code = _complain(str(exc), serving.exit_code(exc))
    except KeyboardInterrupt:
        code = serving.INTERRUPTED
    except BrokenPipeError:
        # who read our output has seen enough
        _discard_output()
        code = serving.FAILURE
    except OSError as exc:
        where = f"{exc.filename}: " if exc.filename else ""
        code = _complain(f"{where}{exc.strerror or exc}.", serving.FAILURE)
        try:
            sys.stdout.flush()
        except OSError:
            _discard_output()
    sys.exit(code)


def _discard_output() -> None:
    """What nobody takes: nor may the interpreter stumble over it when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _misuse(exc: CycloptsError) -> str:
    """What was typed wrong, and whose help tells how it is right."""
    command = " ".join(("tabwright", *(exc.command_chain or ())))
    if isinstance(exc, UnusedCliTokensError):
        return f"`{command}` does not take {' '.join(exc.unused_tokens or ())}. See `{command} --help`."
    # of its list of commands only the first would be shown, in no order
    told = " ".join(str(exc).split())
    told = told.partition(" Available commands:")[0] if isinstance(exc, UnknownCommandError) else told
    return f"{told} See `{command} --help`."


def _complain(line: str, code: int) -> int:
    sys.stderr.write(f"tabwright: {line}\n")
    return code


def _home() -> Home:
    return Home(Path(home_folder()))


def _signal(pid: int, number: int) -> None:
    # it may end by itself just now
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _settings(home: Home, flags: dict[str, Any]) -> Settings:
    return load(flags, os.environ, home.settings_text())


def _show(line: str) -> None:
    out.print(line, highlight=False)


def _ensure_gateway(home: Home) -> None:
    try:
        start_and_connect(str(home.path), {}).close()
    except NotStarted as exc:
        raise GatewayError(str(exc)) from None
