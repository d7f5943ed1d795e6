"""Finds the browser to launch: Chrome, Chromium, Edge or Brave.

Owns the knowledge of where browsers lie on Linux, macOS and Windows. Starting one is left to `chrome`.

1. A configured browser (a path, a command, or a name such as "edge") wins; if it is not there, that is an error.
2. Else the commands on PATH, then the usual places, one browser after the other.
3. Browsers packed as snaps come last: they cannot see the hidden folders where profiles live.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class BrowserBinary:
    """An executable and the browser it is: "Chrome", "Chromium", "Edge" or "Brave"."""

    path: Path
    name: str


class BrowserNotFound(ValueError):
    """The configured browser is not there. `looked_for` is what was configured, `places` where it was sought."""

    def __init__(self, looked_for: str, places: tuple[str, ...], problem: str = "was not found") -> None:
        where = f" (looked for {', '.join(places)})" if places else ""
        super().__init__(f"The browser {looked_for} {problem}{where}.")
        self.looked_for = looked_for
        self.places = places


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    aliases: tuple[str, ...]
    commands: tuple[str, ...]
    linux: tuple[str, ...]
    macos: str
    windows: tuple[str, ...]


# In order of preference.
_KINDS: Final = (
    _Kind(
        name="Chrome",
        aliases=("chrome", "google chrome"),
        commands=("google-chrome-stable", "google-chrome", "chrome"),
        linux=("/usr/bin/google-chrome", "/opt/google/chrome/google-chrome"),
        macos="Google Chrome.app/Contents/MacOS/Google Chrome",
        windows=("Google/Chrome/Application/chrome.exe",),
    ),
    _Kind(
        name="Chromium",
        aliases=("chromium",),
        commands=("chromium", "chromium-browser"),
        linux=("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/lib/chromium/chromium", "/snap/bin/chromium"),
        macos="Chromium.app/Contents/MacOS/Chromium",
        windows=("Chromium/Application/chrome.exe",),
    ),
    _Kind(
        name="Edge",
        aliases=("edge", "microsoft edge"),
        commands=("microsoft-edge-stable", "microsoft-edge", "msedge"),
        linux=("/usr/bin/microsoft-edge", "/opt/microsoft/msedge/microsoft-edge"),
        macos="Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        windows=("Microsoft/Edge/Application/msedge.exe",),
    ),
    _Kind(
        name="Brave",
        aliases=("brave", "brave browser"),
        commands=("brave-browser-stable", "brave-browser", "brave"),
        linux=("/usr/bin/brave-browser", "/opt/brave.com/brave/brave-browser", "/snap/bin/brave"),
        macos="Brave Browser.app/Contents/MacOS/Brave Browser",
        windows=("BraveSoftware/Brave-Browser/Application/brave.exe",),
    ),
)
_WINDOWS_ROOTS: Final = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")


def find_browser(configured: str | None, environ: Mapping[str, str], platform: str) -> BrowserBinary | None:
    """The configured browser, else the first one this machine has, else None.

    Raises:
        BrowserNotFound: a browser is configured, but missing or not executable.
    """
    wanted = (configured or "").strip()
    if wanted:
        return _configured(wanted, environ, platform)
    found = [binary for kind in _KINDS if (binary := _first(kind, environ, platform))]
    return min(found, key=lambda binary: _is_snap(binary.path), default=None)


def _configured(wanted: str, environ: Mapping[str, str], platform: str) -> BrowserBinary:
    for kind in _KINDS:
        if wanted.casefold() in kind.aliases:
            if binary := _first(kind, environ, platform):
                return binary
            commands = (f"{command} on PATH" for command in kind.commands)
            raise BrowserNotFound(wanted, (*commands, *(str(place) for place in _places(kind, environ, platform))))
    if Path(wanted).name == wanted and not wanted.startswith("~"):
        if command := shutil.which(wanted, path=environ.get("PATH", "")):
            return BrowserBinary(Path(command), _name_of(Path(command)))
        raise BrowserNotFound(wanted, (f"{wanted} on PATH",))
    return _at(wanted, environ)


def _at(wanted: str, environ: Mapping[str, str]) -> BrowserBinary:
    home = environ.get("HOME") or environ.get("USERPROFILE", "")
    path = Path(home, wanted[2:]) if wanted.startswith("~/") and home else Path(wanted).absolute()
    if path.suffix == ".app" and path.is_dir():  # a macOS bundle, as people drag it into a configuration
        path = path / "Contents" / "MacOS" / path.stem
    if not path.is_file():
        raise BrowserNotFound(wanted, (str(path),))
    if not os.access(path, os.X_OK):
        raise BrowserNotFound(wanted, (str(path),), "is not executable")
    return BrowserBinary(path, _name_of(path))


def _first(kind: _Kind, environ: Mapping[str, str], platform: str) -> BrowserBinary | None:
    places = [place for place in _places(kind, environ, platform) if place.is_file() and os.access(place, os.X_OK)]
    best = min(places, key=_is_snap, default=None)
    return BrowserBinary(best, kind.name) if best else None


def _places(kind: _Kind, environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Where this browser may lie, on PATH first."""
    search_path = environ.get("PATH", "")
    yield from (Path(found) for command in kind.commands if (found := shutil.which(command, path=search_path)))
    if platform == "darwin":
        for applications in (Path("/Applications"), Path(environ.get("HOME", "/"), "Applications")):
            yield applications / kind.macos
    elif platform == "win32":
        for root in filter(None, (environ.get(name) for name in _WINDOWS_ROOTS)):
            yield from (Path(root, place) for place in kind.windows)
    else:
        yield from map(Path, kind.linux)


def _is_snap(path: Path) -> bool:
    return path.is_relative_to("/snap")


def _name_of(path: Path) -> str:
    """What a configured executable is, by its name or by that of what it links to."""
    for spelling in (path.name, path.resolve().name, str(path)):
        for kind in reversed(_KINDS):  # "chrome" last: it is part of many a path
            if any(word in spelling.casefold() for word in (kind.name.casefold(), *kind.commands)):
                return kind.name
    return "Chromium"
