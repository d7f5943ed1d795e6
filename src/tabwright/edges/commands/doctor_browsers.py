"""The doctor's look at the person's own browsers: whether they have the extension, which one, and may start us."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabwright import __version__
from tabwright.edges.chrome.extension_files import extension_id, is_current, version_of
from tabwright.edges.commands.doctor_gateway import Gateway
from tabwright.edges.commands.native_files import fault_of_host, is_put_up
from tabwright.edges.runtime import Home
from tabwright.install import troubles
from tabwright.install.browsers import user_data_folders
from tabwright.install.clients import Place
from tabwright.install.troubles import Finding


@dataclass(frozen=True, slots=True)
class Copy:
    """The extension as one profile of a browser has it."""

    browser: str
    user_data: Path
    profile: str
    folder: Path
    disabled: bool

    @property
    def where(self) -> str:
        return f"{self.browser} ({self.profile})"


def loaded_copies(place: Place) -> Iterator[Copy]:
    """Every profile of the person's browsers that has the extension, by what the browser itself noted."""
    for browser, folder in user_data_folders(place):
        for preferences in sorted(folder.glob("*/Preferences")):
            for noted in (preferences, preferences.with_name("Secure Preferences")):
                entry = _entry(noted)
                if isinstance(path := entry.get("path"), str):
                    disabled = bool(entry.get("disable_reasons")) or entry.get("state") == 0
                    yield Copy(browser, folder, preferences.parent.name, Path(path), disabled)


def extension_findings(copies: Sequence[Copy], gateway: Gateway, home: Home, *, paired: bool) -> Iterator[Finding]:
    own = [browser for browser in gateway.browsers if not browser["launched"]]
    if not copies and not own:
        yield Finding("no browser of yours has the extension", troubles.EXTENSION_MISSING, note=not paired)
    for copy in copies:
        yield from _copy_findings(copy)
    if home.extension.exists() and not is_current(home.extension):
        yield Finding(f"{home.extension} is not the extension of this version", troubles.EXTENSION_OUTDATED)
    for browser in own:
        # one that does not tell is another implementation
        if browser.get("extension") not in (None, "", __version__):
            runs = f"{browser['name']} runs the extension {browser['extension']}, this is {__version__}"
            yield Finding(runs, troubles.EXTENSION_OUTDATED)


def _copy_findings(copy: Copy) -> Iterator[Finding]:
    version = version_of(copy.folder)
    if version is None:
        yield Finding(f"{copy.where}: its folder {copy.folder} is gone", troubles.EXTENSION_MISSING)
    elif copy.disabled:
        yield Finding(f"{copy.where}: the extension is switched off", troubles.EXTENSION_DISABLED)
    elif version != __version__:
        yield Finding(f"{copy.where}: extension {version}, this is {__version__}", troubles.EXTENSION_OUTDATED)
    else:
        yield Finding(f"{copy.where} has the extension, from {copy.folder}")


def host_findings(copies: Sequence[Copy], place: Place) -> Iterator[Finding]:
    """Whether browsers may start us, and whether that works."""
    users = {copy.user_data for copy in copies}
    for browser, folder in user_data_folders(place):
        if is_put_up(folder):
            fault = fault_of_host(folder)
            yield Finding(
                f"{browser} may start tabwright" if fault is None else f"{browser}: {fault}",
                None if fault is None else troubles.HOST_BROKEN,
            )
        elif folder in users:
            yield Finding(f"{browser} has the extension, but may not start tabwright", troubles.HOST_MISSING, note=True)


def _entry(preferences: Path) -> dict[str, Any]:
    try:
        return json.loads(preferences.read_bytes())["extensions"]["settings"][extension_id()]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
