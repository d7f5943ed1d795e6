"""Logs go to a file and, in the foreground, to stderr; stdout belongs to stdio."""

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

MAX_RECORD: Final = 2_000
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# libraries that tell of every message
_QUIET: Final = ("mcp", "websockets", "uvicorn", "asyncio", "sse_starlette")


class OneLine(logging.Formatter):
    """One record, one line: what a peer sends can neither forge records nor drive a terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        safe = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line[:MAX_RECORD])
        return safe if len(line) <= MAX_RECORD else f"{safe}…"


def set_up_logs(path: Path, level: str, *, foreground: bool) -> None:
    # created with the right mode before the handler could with another
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    handlers: list[logging.Handler] = [RotatingFileHandler(path, maxBytes=5_000_000, backupCount=2, encoding="utf-8")]
    if foreground:
        shown = logging.StreamHandler(sys.stderr)
        shown.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
        handlers.append(shown)
    root = logging.getLogger()
    root.setLevel(level.upper())
    for handler in handlers:
        handler.setFormatter(OneLine(_FORMAT))
        root.addHandler(handler)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
