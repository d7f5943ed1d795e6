"""`tabwright shortcuts …`: saved sequences of calls, on the command line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, cast

from cyclopts import App, Group, Parameter

from tabwright.cli_flags import Json, Switch
from tabwright.edges.commands.control_client import ask
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError

RUN_S: Final = 600.0


def shortcuts_app(
    group: Group, home: Callable[[], Home], started: Callable[[Home], None], show: Callable[[str], None]
) -> App:
    """The subcommands. `started` makes sure that a gateway runs, `show` prints a line for people."""
    app = App(name="shortcuts", help="Save, list and run sequences of calls that clients run by name.", group=group)

    def request(method: str, params: dict[str, Any] | None = None, timeout_s: float = 10) -> dict[str, Any]:
        place = home()
        place.prepare()
        started(place)
        return ask(place, f"shortcuts-{method}", params, timeout_s)

    @app.command(name="list")
    def list_(*, json_: Json = False) -> None:
        """Show the saved shortcuts."""
        saved = request("list")["shortcuts"]
        if json_:
            print(json.dumps(saved, indent=2, ensure_ascii=False))  # noqa: T201 - for programs
            return
        for shortcut in saved:
            needs = "".join(f" {name}=…" for name in shortcut["parameters"])
            show(f"{shortcut['command']}{needs}  {shortcut['description'] or ''}".rstrip())
        if not saved:
            show("No shortcuts yet. Add one: `tabwright shortcuts add NAME --steps FILE.json`")

    @app.command(name="show")
    def show_(name: str, /) -> None:
        """Print a shortcut as JSON, in the form that `add` takes."""
        print(json.dumps(request("show", {"command": name}), indent=2, ensure_ascii=False))  # noqa: T201 - for programs

    @app.command
    def add(
        name: str,
        /,
        *,
        steps: Annotated[str, Parameter(allow_leading_hyphen=True)],
        description: str = "",
        replace: Switch = False,
    ) -> None:
        """Save a sequence of calls.

        Parameters
        ----------
        name
            What clients call it by.
        steps
            A JSON file with a list of {"tool": …, "arguments": {…}}, or - for standard input. {{name}} in a string
            is a parameter; a ref may be "find:WORDS".
        description
            What it is for; clients see this.
        replace
            Replace a shortcut that has the same name.
        """
        read, described = _read_steps(steps)
        told = description or described
        saved = request("add", {"command": name, "steps": read, "description": told, "replace": replace})
        show(_saved(saved))

    @app.command
    def run(
        name: str,
        /,
        *,
        arg: Annotated[list[str] | None, Parameter(negative="")] = None,
        tab: int | None = None,
    ) -> None:
        """Run a shortcut now, in a session of its own.

        Parameters
        ----------
        arg
            A parameter, as name=value; repeat the flag for each.
        tab
            The tab to work in; without it the shortcut opens its own.
        """
        asked: dict[str, Any] = {"command": name, "arguments": dict(map(_read_argument, arg or []))}
        if tab is not None:
            asked["tabId"] = tab
        told = request("run", asked, RUN_S)
        print(told["text"])  # noqa: T201 - the answer itself
        if told["isError"]:
            raise GatewayError(f"Shortcut {name} failed.")

    @app.command
    def remove(name: str, /) -> None:
        """Forget a shortcut."""
        show(f"Removed {request('remove', {'command': name})['removed']}.")

    @app.command
    def record(
        name: str,
        /,
        *,
        session: str | None = None,
        last: int | None = None,
        description: str = "",
        replace: Switch = False,
    ) -> None:
        """Save what a client has just done as a shortcut. What it typed into password fields becomes a parameter.

        Parameters
        ----------
        name
            What clients will call it by.
        session
            The client's name or session id, as `tabwright status` shows them; by default the one used last.
        last
            How many of its latest calls; by default all that are remembered (up to 50).
        description
            What it is for; clients see this.
        replace
            Replace a shortcut that has the same name.
        """
        asked: dict[str, Any] = {"command": name, "description": description, "replace": replace}
        asked |= {key: value for key, value in (("session", session), ("last", last)) if value is not None}
        saved = request("record", asked)
        show(_saved(saved))
        for number, step in enumerate(saved["steps"], 1):
            show(f"  {number}. {step['tool']} {json.dumps(step['arguments'], ensure_ascii=False)}")

    return app


def _read_steps(source: str) -> tuple[Any, str]:
    """The steps, and the description if the file is what `show` printed."""
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        read: Any = json.loads(text)
        return read, str(cast(dict[str, Any], read).get("description") or "") if isinstance(read, dict) else ""
    except (OSError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else f"it is not JSON ({exc})"
        raise GatewayError(f"{source} cannot be read: {why}.", "Give a JSON file with a list of steps.") from None


def _read_argument(text: str) -> tuple[str, Any]:
    """`name=value`; a value that is JSON keeps its kind, any other is text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise GatewayError(f"--arg {text} is none.", "Write --arg name=value.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _saved(shortcut: dict[str, Any]) -> str:
    needs = ", ".join(shortcut["parameters"])
    return f"Saved {shortcut['command']}: {len(shortcut['steps'])} steps{f', parameters: {needs}' if needs else ''}."
