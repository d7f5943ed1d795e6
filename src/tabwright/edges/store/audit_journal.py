"""Entries of the audit record on their way into it: a line each in a file, so that no answer waits for a database.

A line is with the system before the call is answered, and outlives a gateway that is killed. The entries themselves
follow when the answer has arrived, and the lines go. What a killed gateway left is taken up by the next one, which
knows by its number what the record has already.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

from tabwright import jsonrpc
from tabwright.calls.audit import Entry, Event
from tabwright.calls.leisure import Leisure
from tabwright.edges.runtime import create_private
from tabwright.edges.store.audit_store import AuditStore, Noted
from tabwright.errors import GatewayError
from tabwright.model import Json

log = logging.getLogger(__name__)

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class AuditJournal:
    """Before an `AuditStore`. Where a line cannot be written, the entry is recorded at once."""

    def __init__(self, store: AuditStore, path: Path, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._path = path
        self._now = now
        self._unkept = 0
        self._later = Leisure[Noted](self._keep)
        create_private(path)
        self._file = os.open(path, _FLAGS)
        for noted in unkept(path, store.next):
            store.keep(noted)
        self._clear()

    def record(self, entry: Entry | Event) -> None:
        number = self._store.next + self._unkept
        noted = Noted(number, self._now(), entry.kind, entry.session, entry.client, entry.told)
        if self._write(noted):
            self._unkept += 1
            self._later.add(noted)
        else:
            self.catch_up()
            self._store.keep(noted)

    def catch_up(self) -> None:
        """Record what has only its line yet."""
        self._later.catch_up()

    def close(self) -> None:
        """Record the rest; nothing is left for another gateway."""
        self.catch_up()
        os.close(self._file)
        self._path.unlink(missing_ok=True)

    def _write(self, noted: Noted) -> bool:
        row: list[Json] = [noted.number, noted.at, noted.kind, noted.session, noted.client, noted.told]
        try:
            line = jsonrpc.encode(row).encode() + b"\n"
            return os.write(self._file, line) == len(line)
        except (OSError, UnicodeError):
            return False

    def _keep(self, noted: Noted) -> None:
        self._unkept -= 1
        try:
            self._store.keep(noted)
        finally:
            if not self._unkept:
                self._clear()

    def _clear(self) -> None:
        try:
            os.ftruncate(self._file, 0)
        except OSError as exc:
            log.warning("the audit's journal cannot be emptied: %s", exc)


def unkept(path: Path, first: int) -> Iterator[Noted]:
    """What a journal holds from this number on."""
    for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
        try:
            number, at, kind, session, client, told = cast(list[Json], jsonrpc.decode(line))
        except (GatewayError, TypeError, ValueError) as exc:
            # cut short by a full disk: the next one stands behind it
            log.warning("a line of the audit's journal cannot be read: %s", exc)
            continue
        if not (isinstance(number, int) and isinstance(at, int | float) and isinstance(told, dict)):
            log.warning("a line of the audit's journal is damaged")
        elif number >= first:
            yield Noted(number, at, str(kind), str(session), str(client), told)
