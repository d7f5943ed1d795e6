"""The gateway's process, from its flags to its exit code. Of the command line it needs nothing, so none is imported."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from tabwright.edges.lean_packages import use_lean_packages
from tabwright.edges.ports import PortTaken
from tabwright.edges.runtime import AlreadyRunning, Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.settings import Settings, SettingsError, load

FAILURE, USAGE, PORT_TAKEN = 1, 2, 3
INTERRUPTED: Final = 130
GARBAGE: Final = 20_000
"""Objects made until the youngest are looked through."""
Ready = Callable[[Settings, Home, int], None]


def serve(
    flags: Mapping[str, object], *, ready: Ready, tell: Callable[[str], None], started_by_pump: bool = False
) -> None:
    """Run a gateway until it ends. `ready` is called with its HTTP port.

    Raises:
        GatewayError: it cannot start.
    """
    use_lean_packages()
    gc.disable()
    from tabwright.app import Gateway
    from tabwright.edges.logs import set_up_logs

    # what is imported stays; looking through a long list of tools at every 700 objects would cost more than making it
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 50)
    gc.enable()
    # whatever is made from here on is this user's alone
    os.umask(0o077)
    home = Home(Path(home_folder()))
    home.prepare()
    settings = load(flags, os.environ, home.settings_text())
    set_up_logs(home.log_file, settings.log_level, foreground=not started_by_pump)

    async def main() -> None:
        gateway = Gateway(settings, home, started_by_pump=started_by_pump, launched=tell)
        await gateway.run(lambda port, _: ready(settings, home, port))

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(main())
    except AlreadyRunning:
        if not started_by_pump:
            raise


def serve_in_background(options: Mapping[str, str]) -> NoReturn:
    """For clients that found no gateway; `options` are flags as given, without their dashes."""
    flags = {name.replace("-", "_"): value for name, value in options.items()}
    try:
        serve(flags, ready=_tell_ready, tell=_tell, started_by_pump=True)
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


def _tell_ready(settings: Settings, home: Home, port: int) -> None:
    _tell(f"tabwright ready http://127.0.0.1:{port}")


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
