"""The gateway's process, from its flags to its exit code. Of the command line it needs nothing, so none is imported:
parser, tables and colours would stay in its memory for as long as it serves.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from tabwright.edges.mcp.lean_packages import use_lean_packages
from tabwright.edges.ports import PortTaken
from tabwright.edges.runtime import AlreadyRunning, Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.settings import Settings, SettingsError, load

FAILURE, USAGE, PORT_TAKEN = 1, 2, 3
INTERRUPTED: Final = 130
GARBAGE: Final = 20_000
"""Objects made until the youngest are looked through."""


def serve(flags: Mapping[str, object], *, started_by_pump: bool = False) -> None:
    """Run a gateway until it ends. What whoever started it is told goes to stderr.

    Raises:
        GatewayError: it cannot start.
    """
    use_lean_packages()
    from tabwright.app import Gateway
    from tabwright.edges.logs import set_up_logs

    # what is imported stays; looking through a long list of tools at every 700 objects would cost more than making it
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 50)
    # whatever is made from here on is this user's alone
    os.umask(0o077)
    home = Home(Path(home_folder()))
    home.prepare()
    settings = load(flags, os.environ, home.settings_text())
    set_up_logs(home.log_file, settings.log_level, foreground=not started_by_pump)

    async def main() -> None:
        gateway = Gateway(settings, home, started_by_pump=started_by_pump, launched=_tell)
        await gateway.run(lambda port, _: _tell_ready(settings, home, port, briefly=started_by_pump))

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(main())
    except AlreadyRunning:
        if not started_by_pump:
            raise


def serve_and_exit(options: Mapping[str, str], *, started_by_pump: bool) -> NoReturn:
    """`options` are flags as given, without their dashes."""
    flags = {name.replace("-", "_"): value for name, value in options.items()}
    try:
        serve(flags, started_by_pump=started_by_pump)
        code = 0
    except GatewayError as exc:
        _tell(f"tabwright: {exc}")
        code = exit_code(exc)
    except KeyboardInterrupt:
        code = INTERRUPTED
    sys.exit(code)


def exit_code(error: GatewayError) -> int:
    """What the shell is told of it."""
    match error:
        case SettingsError():
            return USAGE
        case PortTaken() | AlreadyRunning():
            return PORT_TAKEN
        case _:
            return FAILURE


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _tell_ready(settings: Settings, home: Home, port: int, *, briefly: bool) -> None:
    _tell(f"tabwright ready http://127.0.0.1:{port}")
    if briefly:
        return
    # for people alone
    from shlex import quote

    command = quote(str(Path(sys.argv[0]).resolve())) if Path(sys.argv[0]).name == "tabwright" else "tabwright"
    place = f"-e {quote(f'TABWRIGHT_HOME={home.path}')} " if "TABWRIGHT_HOME" in os.environ else ""
    if settings.auth == "off":
        _tell(_alarming("auth = off: every user of this machine can drive your browser"))
    _tell("\nConnect a client, for example Claude Code:")
    _tell(f"  claude mcp add tabwright {place}-- {command}")
    _tell(f"or over HTTP:\n  claude mcp add --transport http tabwright http://127.0.0.1:{port}/mcp")
    own = f"Your own browser: {command} install" if settings.via is None else f"Browsers: through {settings.via}"
    _tell(f"\n{own}\nStop with Ctrl+C.")


def _alarming(line: str) -> str:
    """Bold and red, where that can be seen."""
    return f"\x1b[1;31m{line}\x1b[0m" if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else line


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
