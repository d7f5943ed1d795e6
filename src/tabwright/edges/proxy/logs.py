"""The proxy's log: one JSON object a line on stderr, with the fields a record was given. No secret is ever a field."""

import json
import logging
import time
from typing import Any, Final

from tabwright.edges.logs import MAX_RECORD, OneLine, Shown, Stderr

FIELDS: Final = ("peer", "user", "role", "endpoint", "address", "code", "status", "reason", "replica")
_QUIET: Final = ("websockets", "asyncio", "urllib3")


class JsonLine(OneLine):
    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage()[:MAX_RECORD],
        }
        told.update({name: _short(getattr(record, name)) for name in FIELDS if hasattr(record, name)})
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)[-MAX_RECORD:]
        return json.dumps(told)


class TextLine(OneLine):
    def formatMessage(self, record: logging.LogRecord) -> str:
        more = "".join(f" {name}={getattr(record, name)}" for name in FIELDS if hasattr(record, name))
        return super().formatMessage(record) + ascii(more)[1:-1]


def _short(value: Any) -> Any:
    return value[:200] if isinstance(value, str) else value


def set_up_proxy_logs(level: str, form: str) -> None:
    shown = Shown(Stderr())
    text = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    shown.setFormatter(JsonLine(text) if form == "json" else TextLine(text))
    root = logging.getLogger()
    root.setLevel(level.upper())
    root.addHandler(shown)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
