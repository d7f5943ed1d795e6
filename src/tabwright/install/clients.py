"""The MCP clients we know: where each keeps its configuration, how it is shaped, and how to see that it is here."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabwright.install.entries import Shape


@dataclass(frozen=True, slots=True)
class Place:
    """This machine, as far as clients care."""

    home: Path
    platform: str
    environ: Mapping[str, str]

    def settings_folder(self) -> Path:
        """Where applications keep what the user sets."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        told = self.environ.get("XDG_CONFIG_HOME", "")
        return Path(told) if Path(told).is_absolute() else self.home / ".config"


@dataclass(frozen=True, slots=True)
class Client:
    """One kind of client. `file` is relative to the home, or to the settings folder if `in_settings`.

    One with `command_only` writes its own configuration: its command line is asked to, because it rewrites the file
    while it runs.
    """

    id: str
    name: str
    file: str
    shape: Shape
    commands: tuple[str, ...] = ()
    in_settings: bool = False
    command_only: bool = False

    def config(self, place: Place) -> Path:
        return (place.settings_folder() if self.in_settings else place.home) / self.file

    def command(self, place: Place) -> str | None:
        path = place.environ.get("PATH", "")
        return next((found for name in self.commands if (found := shutil.which(name, path=path))), None)

    def here(self, place: Place) -> bool:
        """Its command, its file, or the folder that is the client's alone."""
        config = self.config(place)
        own_folder = config.parent != place.home and config.parent.is_dir()
        return config.is_file() or own_folder or self.command(place) is not None


_SERVERS: Final = Shape("json", "mcpServers")
_TYPED: Final = Shape("json", "mcpServers", typed=True)
_VSCODE: Final = Shape("json", "servers", typed=True)

CLIENTS: Final = (
    Client("claude-code", "Claude Code", ".claude.json", _TYPED, ("claude",), command_only=True),
    Client("claude-desktop", "Claude Desktop", "Claude/claude_desktop_config.json", _SERVERS, in_settings=True),
    Client("cursor", "Cursor", ".cursor/mcp.json", _SERVERS, ("cursor",)),
    Client("vscode", "VS Code", "Code/User/mcp.json", _VSCODE, ("code",), in_settings=True),
    Client("windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", _SERVERS, ("windsurf",)),
    Client("codex", "Codex", ".codex/config.toml", Shape("toml", "mcp_servers"), ("codex",)),
    Client("gemini", "Gemini CLI", ".gemini/settings.json", _SERVERS, ("gemini",)),
)


def named(wanted: str) -> Client | None:
    return next((client for client in CLIENTS if wanted.casefold() in (client.id, client.name.casefold())), None)
