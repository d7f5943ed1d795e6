"""The browsers people use: where each keeps its profiles, and the host manifest that lets our extension start us.

A browser looks for host manifests in `NativeMessagingHosts` below the folder of its profiles (`--user-data-dir`).
"""

import json
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabwright.install.clients import Place

HOST_NAME: Final = "tabwright.gateway"
MANIFEST: Final = f"NativeMessagingHosts/{HOST_NAME}.json"


@dataclass(frozen=True, slots=True)
class OwnBrowser:
    """One kind of browser. Its folders are relative to where applications keep what the user sets."""

    name: str
    linux: str
    macos: str
    commands: tuple[str, ...]
    bundle: str

    def user_data(self, place: Place) -> Path:
        return place.settings_folder() / (self.macos if place.platform == "darwin" else self.linux)

    def here(self, place: Place) -> bool:
        """It was started here before, or could be."""
        if self.user_data(place).is_dir():
            return True
        if place.platform == "darwin":
            return any(
                (folder / self.bundle).exists() for folder in (Path("/Applications"), place.home / "Applications")
            )
        return any(shutil.which(command, path=place.environ.get("PATH", "")) for command in self.commands)


BROWSERS: Final = (
    OwnBrowser(
        "Chrome", "google-chrome", "Google/Chrome", ("google-chrome-stable", "google-chrome"), "Google Chrome.app"
    ),
    OwnBrowser("Chromium", "chromium", "Chromium", ("chromium", "chromium-browser"), "Chromium.app"),
    OwnBrowser(
        "Brave",
        "BraveSoftware/Brave-Browser",
        "BraveSoftware/Brave-Browser",
        ("brave-browser-stable", "brave-browser", "brave"),
        "Brave Browser.app",
    ),
    OwnBrowser(
        "Edge", "microsoft-edge", "Microsoft Edge", ("microsoft-edge-stable", "microsoft-edge"), "Microsoft Edge.app"
    ),
    OwnBrowser("Vivaldi", "vivaldi", "Vivaldi", ("vivaldi-stable", "vivaldi"), "Vivaldi.app"),
)


def user_data_folders(place: Place) -> list[tuple[str, Path]]:
    """The browsers of this machine, each with the folder of its profiles."""
    return [(browser.name, browser.user_data(place)) for browser in BROWSERS if browser.here(place)]


def host_manifest(launcher: Path, extension_id: str) -> str:
    """What a browser is to know: which program, and that nobody but our extension may run it."""
    told = {
        "name": HOST_NAME,
        "description": "Starts the tabwright gateway and pairs this browser with it.",
        "path": str(launcher),
        "type": "stdio",
        "allowed_origins": [f"chrome-extension://{extension_id}/"],
    }
    return json.dumps(told, indent=2) + "\n"


def launcher_script(python: str, env: Mapping[str, str]) -> str:
    """The program that a browser starts: browsers pass no arguments of ours, so this file holds them.

    `-P`: a folder that happens to be current must not supply modules.
    """
    settings = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in env.items())
    return f"#!/bin/sh\n{settings}exec {shlex.quote(python)} -P -m tabwright.edges.commands.native_host\n"
