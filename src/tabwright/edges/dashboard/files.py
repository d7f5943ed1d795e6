"""Files the dashboard shows: recordings that were saved, and the end of the gateway's log."""

import functools
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabwright.model import Json, JsonObject
from tabwright.policy.secrets import mask_log

MAX_RECORDINGS: Final = 200
MAX_GIF: Final = 64 * 1024 * 1024
MAX_LOG: Final = 128 * 1024
MAX_LINES: Final = 500
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_RECORD: Final = re.compile(rf"(\S+ \S+) ({'|'.join(LEVELS)}) (\S+): (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Saved:
    """A recording in the folder of the session that made it."""

    session: str
    name: str
    size: int
    saved: float
    path: Path

    @property
    def told(self) -> JsonObject:
        return {"session": self.session, "name": self.name, "size": self.size, "saved": round(self.saved, 3)}


class SavedRecordings:
    """GIFs in the gateway's own output folder. What a client saved in a folder of the person's is theirs alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> list[Saved]:
        """The newest first, at most so many."""
        found = sorted(self._found(), key=lambda each: each.saved, reverse=True)
        return found[:MAX_RECORDINGS]

    def find(self, session: str, name: str) -> Saved | None:
        """By what the list says, so that no path leads elsewhere."""
        return next((each for each in self._found() if (each.session, each.name) == (session, name)), None)

    def read(self, session: str, name: str) -> bytes | None:
        found = self.find(session, name)
        if found is None or found.size > MAX_GIF:
            return None
        try:
            descriptor = os.open(found.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            return file.read(MAX_GIF)

    def delete(self, session: str, name: str) -> bool:
        found = self.find(session, name)
        if found is None:
            return False
        found.path.unlink(missing_ok=True)
        return True

    def _found(self) -> Iterator[Saved]:
        for folder in _entries(self._folder):
            if folder.is_dir(follow_symlinks=False):
                for entry in _entries(Path(folder.path)):
                    if entry.name.lower().endswith(".gif") and (kept := _plain(entry)) is not None:
                        yield Saved(folder.name, entry.name, kept.st_size, kept.st_mtime, Path(entry.path))


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _plain(entry: "os.DirEntry[str]") -> os.stat_result | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


class LogTail:
    """The end of the log. What was masked once is remembered: whoever follows it asks for the same lines again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._masked = functools.lru_cache(maxsize=2 * MAX_LINES)(mask_log)

    def records(self, level: str) -> list[Json]:
        """The latest records of that level and above, oldest first, secrets masked."""
        least = LEVELS.index(level) if level in LEVELS else 0
        kept = [record for record in _records(self._lines()) if LEVELS.index(record[1]) >= least][-MAX_LINES:]
        return [
            {"time": time, "level": word, "source": source, "text": self._masked(said)}
            for time, word, source, said in kept
        ]

    def _lines(self) -> list[str]:
        try:
            with open(self._path, "rb") as log:
                size = log.seek(0, 2)
                log.seek(max(0, size - MAX_LOG))
                text = log.read().decode("utf-8", "replace")
        except OSError:
            return []
        return (text if size <= MAX_LOG else text.partition("\n")[2]).splitlines()


def _records(lines: list[str]) -> list[tuple[str, str, str, str]]:
    """One for each record; what follows one without a beginning of its own, as a traceback does, belongs to it."""
    found: list[tuple[str, str, str, str]] = []
    for line in lines:
        match = _RECORD.fullmatch(line)
        if match is not None:
            found.append((match[1], match[2], match[3], match[4]))
        elif found:
            time, level, source, said = found[-1]
            found[-1] = (time, level, source, f"{said}\n{line}")
    return found
