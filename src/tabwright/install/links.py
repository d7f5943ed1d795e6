"""Links and commands that put tabwright into a client with one click or one line."""

import base64
import json
import shlex
from typing import Any
from urllib.parse import quote

from tabwright.install.entries import NAME, Server


def cursor_link(server: Server) -> str:
    config = base64.b64encode(json.dumps(server.as_json(typed=False)).encode()).decode()
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={quote(config, safe='')}"


def vscode_link(server: Server) -> str:
    return f"vscode:mcp/install?{quote(json.dumps(_named(server)), safe='')}"


def vscode_command(server: Server) -> str:
    return shlex.join(("code", "--add-mcp", json.dumps(_named(server))))


def claude_arguments(server: Server) -> tuple[str, ...]:
    """What Claude Code's own command is given, as nobody else may write its file."""
    env = [part for name, value in server.env.items() for part in ("-e", f"{name}={value}")]
    return ("mcp", "add", "--scope", "user", NAME, *env, "--", server.command, *server.args)


def links(server: Server) -> dict[str, dict[str, str]]:
    """By the client's id: what each way is called, and the way."""
    return {
        "claude-code": {"command": shlex.join(("claude", *claude_arguments(server)))},
        "cursor": {"link": cursor_link(server)},
        "vscode": {"link": vscode_link(server), "command": vscode_command(server)},
    }


def _named(server: Server) -> dict[str, Any]:
    return {"name": NAME, **server.as_json(typed=True)}
