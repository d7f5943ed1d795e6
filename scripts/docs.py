"""Writes the pages of docs/ that follow from the code: tools, settings of gateway and proxy, errors, states, troubles.

`scripts/docs.py` writes them, `scripts/docs.py --check` tells which are stale.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from state_drawing import drawing

from tabwright import errors, tools
from tabwright.errors import GatewayError, ToolError
from tabwright.install.troubles import TROUBLES
from tabwright.model import Face
from tabwright.proxy_settings import ProxySettings
from tabwright.proxy_settings import variable as proxy_variable
from tabwright.session.states import NEXT, TOOLS, Event, State
from tabwright.settings import SECRET_FIELDS, SESSION_FIELDS, Settings, variable
from tabwright.tools.tool import AnyTool

DOCS = Path(__file__).parent.parent / "docs"
NOTE = "<!-- Written by scripts/docs.py; `make docs` writes it anew. -->\n"


def tools_page() -> str:
    lines = ["# Tools", "", NOTE]
    lines += ["| tool | toolset | lists | does |", "|---|---|---|---|"]
    lines += [
        f"| [`{tool.name}`](#{tool.name}) | {_toolset(tool)} | {_faces(tool)} | {tool.description} |"
        for tool in tools.TOOLS
    ]
    lines += [
        "",
        "*dynamic*: in the list that follows the focused tab, for clients up to MCP 2025-11-25 ([states](states.md)).",
        "*stable*: in the list that no call changes, for MCP 2026-07-28 and `--list stable`.",
        "",
        "The tools of the focus set, `hub_list_tools`, `list_connected_browsers` and `select_browser` answer JSON, the",
        "same as text and as `structuredContent`. `call_page_tool` and `hub_call_tool` answer what the page tool does;",
        "the others answer in words or pictures. A failure is an `isError` result with `structuredContent.error`",
        "`{code, message, next}`; [errors](errors.md) lists the codes.",
    ]
    for tool in tools.TOOLS:
        schema = json.dumps(tool.spec.input_schema, indent=2)
        hints = tool.hints
        lines += ["", f"## {tool.name}", "", (inspect.getmodule(tool.run).__doc__ or "").strip(), ""]
        lines += [
            f"Needs of the tab: {tool.hold.value}. Read-only: {_yes(hints.read_only)}. "
            f"Destructive: {_yes(hints.destructive)}. Open world: {_yes(hints.open_world)}.",
        ]
        lines += ["", "```json", schema, "```"]
    return "\n".join(lines) + "\n"


def configuration_page() -> str:
    lines = ["# Configuration", "", NOTE]
    lines += [
        "Every setting is a flag of `tabwright serve`, a variable and a key of `settings.toml` in the home folder.",
        "Flags win over `TABWRIGHT_*`, those over `CLAUDE_BROWSER_MCP_PORT` and `CLAUDE_BROWSER_AUTH_TOKEN`,",
        "those over the file. `tabwright config` shows what is in force.",
        "",
        "`TABWRIGHT_HOME` moves all state: settings, token, pairings, logs, profile. Two homes are two gateways.",
        "",
        "| setting | flag | variable | default | meaning |",
        "|---|---|---|---|---|",
    ]
    defaults = Settings().model_dump(mode="json")
    for name, info in Settings.model_fields.items():
        flag = "none: secrets never in argv" if name in SECRET_FIELDS else f"`--{name.replace('_', '-')}`"
        scope = " *(session)*" if name in SESSION_FIELDS else ""
        default = json.dumps(defaults[name])
        lines.append(f"| `{name}`{scope} | {flag} | `{variable(name)}` | `{default}` | {info.description} |")
    lines += [
        "",
        "Settings marked *session* belong to one client: `tabwright stdio --list stable`, `TABWRIGHT_LIST=stable` in",
        "its configuration, or `/mcp?list=stable`. The others are fixed when the gateway starts; a client that asks",
        "for another value gets a notice on stderr, and is served with the gateway's own.",
        "",
        "## Files",
        "",
        "| under the home folder | what |",
        "|---|---|",
        "| `settings.toml` | settings, if you make one |",
        "| `token` | the per-install token (0600), for `auth = token` and peers that are not your user |",
        "| `run/gateway.sock` | where the running gateway answers the stdio pump and the command line |",
        "| `run/gateway.json` | what runs: `{pid, version, port, extensionPort, startedAt}` |",
        "| `run/audit.journal` | what was done last, until it is in the database (0600) |",
        "| `tabwright.db` | pairings, [shortcuts](shortcuts.md), cached page tools, numbers of tabs (SQLite) |",
        "| `logs/gateway.log` | the log |",
        "| `profiles/default` | profile of the launched browser |",
        "| `output/<session>` | GIFs and other files made for a client (0600) |",
        "",
        "In the user's cache folder (`~/.cache/tabwright` on Linux) `answers.json` holds what the gateway answered to",
        "clients' first requests, for the next start. It may be deleted.",
        "",
        "Exit codes: 0; 1 failure; 2 usage; 3 port taken or a gateway runs already; 4 gateway lost.",
    ]
    return "\n".join(lines) + "\n"


def proxy_configuration_page() -> str:
    lines = ["# Configuration of the proxy", "", NOTE]
    lines += [
        "Every setting is a flag of `tabwright proxy`, a variable and a key of `proxy.toml` in the home folder; flags",
        "win over variables, those over the file. Secrets are files, never flags. See [running it](proxy.md).",
        "",
        "| setting | flag | variable | default | meaning |",
        "|---|---|---|---|---|",
    ]
    defaults = ProxySettings().model_dump(mode="json")
    for name, info in ProxySettings.model_fields.items():
        flag = "`--no-auth`" if name == "auth" else f"`--{name.replace('_', '-')}`"
        default = json.dumps(defaults[name])
        lines.append(f"| `{name}` | {flag} | `{proxy_variable(name)}` | `{default}` | {info.description} |")
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    lines = ["# Errors", "", NOTE]
    lines += [
        "A failed call is answered in one of two ways. What *the model* can act on is a result with `isError: true`;",
        "its `structuredContent.error` is `{code, message, next}`: the word below, what is wrong, and what to do.",
        "What only *the host* can handle is a JSON-RPC error with the number as `code` and the word as `data.code`.",
        "",
        "| word | number | told to | meaning |",
        "|---|---|---|---|",
    ]
    told: set[str] = set()
    for kind in _kinds(GatewayError):
        if kind.word not in told:
            told.add(kind.word)
            audience = "the model" if issubclass(kind, ToolError) else "the host"
            lines.append(f"| `{kind.word}` | {kind.code} | {audience} | {_meaning(kind)} |")
    return "\n".join(lines) + "\n"


def _meaning(kind: type[GatewayError]) -> str:
    """Of several classes with one word the first, which is the most general."""
    told = kind.__dict__.get("__doc__")
    if not told:
        raise SystemExit(f"{kind.__name__} has no docstring to say what `{kind.word}` means")
    return " ".join(told.split())


def states_page() -> str:
    lines = ["# States of a session", "", NOTE, "![What leads from one state to another](images/states.svg)", ""]
    lines += [f"| in state | {' | '.join(event.value for event in Event)} |", "|---" * (len(Event) + 1) + "|"]
    for state in State:
        after = (NEXT.get((state, event)) for event in Event)
        lines.append(f"| **{state.value}** | {' | '.join('–' if each is None else each.value for each in after)} |")
    lines += ["", "| state | tools in the dynamic list |", "|---|---|"]
    for state, names in TOOLS.items():
        more = ", and what the focused page offers" if state is State.FOCUSED else ""
        lines.append(f"| {state.value} | {', '.join(f'`{name}`' for name in names)}{more} |")
    lines += [
        "",
        "While more than one browser is connected, `list_connected_browsers` and `select_browser` are listed too.",
        "A client gets `list_changed` only if its list differs from the one it last fetched or was told of, and",
        "whenever another tab is focused: at once for changes by its own calls, otherwise at most twice a second.",
    ]
    return "\n".join(lines) + "\n"


def troubleshooting_page() -> str:
    lines = ["# Troubleshooting", "", NOTE]
    lines += [
        "`tabwright doctor` checks everything below, in this order, and says how to fix what it finds. It changes",
        "nothing; its exit code is 1 if something needs fixing, and `--json` is for programs. The gateway's log is",
        "`logs/gateway.log` in the home folder (`~/.local/share/tabwright` on Linux, or `TABWRIGHT_HOME`).",
        "",
        "| finding | id |",
        "|---|---|",
    ]
    lines += [f"| [{trouble.title}](#{trouble.id}) | `{trouble.id}` |" for trouble in TROUBLES]
    for trouble in TROUBLES:
        lines += [
            "",
            f'## <a id="{trouble.id}"></a>{trouble.title}',
            "",
            trouble.explanation,
            "",
            f"**Fix:** {trouble.fix}",
        ]
    return "\n".join(lines) + "\n"


PAGES = {
    "tools.md": tools_page,
    "configuration.md": configuration_page,
    "proxy-configuration.md": proxy_configuration_page,
    "errors.md": errors_page,
    "states.md": states_page,
    "images/states.svg": drawing,
    "troubleshooting.md": troubleshooting_page,
}


def _kinds(kind: type[GatewayError]) -> Iterator[type[GatewayError]]:
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield below
            yield from _kinds(below)


def _toolset(tool: AnyTool) -> str:
    return "while there is a choice" if tool.chooses_browser else tool.toolset.value


def _faces(tool: AnyTool) -> str:
    return ", ".join(face.value for face in Face if face in tool.faces)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def main() -> int:
    stale = [name for name, page in PAGES.items() if _read(name) != page()]
    if "--check" in sys.argv:
        sys.stderr.write("".join(f"docs/{name} is stale: run `make docs`\n" for name in stale))
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
    return 0


def _read(name: str) -> str:
    path = DOCS / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
