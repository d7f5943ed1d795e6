"""`policy.toml` in the home folder: read at the start, and again when it changes.

A file that cannot be understood stops the start. Broken while the gateway runs, it changes nothing: the rules that were
in force stay, and the log says so.
"""

import logging
import time
from pathlib import Path
from typing import Final

from tabwright.errors import GatewayError
from tabwright.policy.rule_file import PolicyError, read_rules
from tabwright.policy.rules import Rules

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 0.5


class PolicyFile:
    """The rules in force, whenever they are asked for.

    Raises:
        PolicyError: when it is made of a file that cannot be used.
    """

    def __init__(self, path: Path, base: Rules) -> None:
        self._path = path
        self._base = base
        self._seen = _mark(path)
        self._looked_at = time.monotonic()
        self._rules = read_rules(_text(path), base)

    def __call__(self) -> Rules:
        now = time.monotonic()
        if now - self._looked_at > LOOK_EVERY_S:
            self._looked_at = now
            self._look()
        return self._rules

    def _look(self) -> None:
        mark = _mark(self._path)
        if mark == self._seen:
            return
        self._seen = mark
        try:
            self._rules = read_rules(_text(self._path), self._base)
            log.info("%s is in force", self._path.name)
        except GatewayError as exc:
            log.error("%s is not in force, the rules before it are: %s", self._path.name, exc)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeError) as exc:
        raise PolicyError(f"{path.name} cannot be read: {exc}.", "Correct the file.") from None
