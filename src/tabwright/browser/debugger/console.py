"""What a tab's page wrote to its console: messages, uncaught exceptions, the browser's own complaints.

Recording begins on the first call. The browser then tells once more what it has kept of the page so far, and again
whenever the debugger comes back; what is known already is not kept twice.
"""

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright import jsonrpc
from tabwright.browser.debugger.children import Children
from tabwright.link.events import CdpEvent
from tabwright.model import Json, JsonObject

KEPT: Final = 1_000
MAX_TEXT: Final = 2_000
_DOMAINS: Final = ("Runtime", "Log")
_ERRORS: Final = frozenset({"error", "exception", "assert"})
_SILENT: Final = frozenset({"clear", "endGroup", "profile", "profileEnd"})
_FORMAT: Final = re.compile(r"%([sdifoOc%])")


@dataclass(frozen=True, slots=True)
class Message:
    """One line. `at` is in seconds since the epoch, `source` where it was written."""

    at: float
    level: str
    text: str
    source: str

    @property
    def is_error(self) -> bool:
        return self.level in _ERRORS


class Console:
    """One tab's console, as far as it was recorded."""

    def __init__(self, children: Children) -> None:
        self._children = children
        self._kept: dict[Message, None] = {}
        self._forgotten = 0.0
        self.began: float | None = None
        """When recording began, in seconds since the epoch; None while there is none."""
        self.dropped = 0
        """How many messages there was no room for."""
        children.listen("Runtime.", self._runtime)
        children.listen("Log.entryAdded", self._log)

    async def start(self) -> None:
        """Begin to record, or make sure that recording goes on.

        Raises:
            ToolError: the page is closed to the debugger.
        """
        if self.began is not None:
            await self._children.ensure()
            return
        self.began = time.time()
        try:
            async with contextlib.AsyncExitStack() as undo:
                for domain in _DOMAINS:
                    await self._children.enable(domain)
                    undo.push_async_callback(self._children.disable, domain)
                undo.pop_all()
        except BaseException:
            self.began = None
            raise

    async def stop(self) -> None:
        """End the recording; what there is is forgotten."""
        if self.began is None:
            return
        self.began = None
        self.clear()
        self._forgotten = 0.0
        for domain in _DOMAINS:
            await self._children.disable(domain)

    def messages(self) -> Sequence[Message]:
        """Oldest first."""
        return sorted(self._kept, key=lambda message: message.at)

    def clear(self) -> None:
        """Forget what there is, for good."""
        self._forgotten = max((message.at for message in self._kept), default=self._forgotten)
        self._kept.clear()
        self.dropped = 0

    def _runtime(self, event: CdpEvent) -> None:
        told = event.params
        match event.method:
            case "Runtime.consoleAPICalled" if told.get("type") not in _SILENT:
                level = str(told.get("type"))
                self._keep(told, level, _formatted(told.get("args")), _source(told.get("stackTrace")))
            case "Runtime.exceptionThrown":
                details = told.get("exceptionDetails")
                if isinstance(details, dict):
                    self._keep(
                        told, "exception", _exception(details), _source(details.get("stackTrace")) or _at(details)
                    )
            case _:
                pass

    def _log(self, event: CdpEvent) -> None:
        entry = event.params.get("entry")
        if isinstance(entry, dict):
            self._keep(entry, str(entry.get("level")), str(entry.get("text", "")), _at(entry))

    def _keep(self, told: JsonObject, level: str, text: str, source: str) -> None:
        at = told.get("timestamp")
        message = Message(at / 1000 if isinstance(at, int | float) else time.time(), level, text[:MAX_TEXT], source)
        if self.began is None or message.at <= self._forgotten:
            return
        self._kept[message] = None
        if len(self._kept) > KEPT:
            oldest = next(iter(self._kept))
            self._forgotten = max(self._forgotten, oldest.at)
            del self._kept[oldest]
            self.dropped += 1


def _exception(details: JsonObject) -> str:
    thrown = details.get("exception")
    described = _described(thrown) if isinstance(thrown, dict) else ""
    text = str(details.get("text", ""))
    # the lines of the stack are the page's own; the first says what it is
    first = described.split("\n", 1)[0]
    return f"{text} {first}".strip() if first else text


def _source(trace: Json) -> str:
    frames = trace.get("callFrames") if isinstance(trace, dict) else None
    return _at(frames[0]) if isinstance(frames, list) and frames and isinstance(frames[0], dict) else ""


def _at(place: JsonObject) -> str:
    """`url:line:column`, counted from one as editors do."""
    url, line, column = place.get("url"), place.get("lineNumber"), place.get("columnNumber")
    if not isinstance(url, str) or not url:
        return ""
    numbers = [str(int(number) + 1) for number in (line, column) if isinstance(number, int | float)]
    return ":".join([url, *numbers])


def _formatted(args: Json) -> str:
    """The arguments as a console would print them, `%s` and its kind included."""
    values = [_described(each) for each in args if isinstance(each, dict)] if isinstance(args, list) else []
    if values and isinstance(args, list) and isinstance(args[0], dict) and args[0].get("type") == "string":
        rest = iter(values[1:])
        first = _FORMAT.sub(lambda found: _substituted(found, rest), values[0])
        values = [first, *rest]
    return " ".join(each for each in values if each)


def _substituted(found: re.Match[str], rest: Iterator[str]) -> str:
    if found[1] == "%":
        return "%"
    value = next(rest, None)
    if value is None:
        return found[0]
    return "" if found[1] == "c" else value


def _described(value: JsonObject) -> str:
    if "value" in value and not isinstance(plain := value["value"], dict | list):
        return plain if isinstance(plain, str) else jsonrpc.encode(plain)
    preview = value.get("preview")
    if isinstance(preview, dict) and isinstance(preview.get("properties"), list):
        return _previewed(preview)
    return str(value.get("unserializableValue") or value.get("description") or value.get("type", ""))


def _previewed(preview: JsonObject) -> str:
    listed = preview.get("properties")
    assert isinstance(listed, list)
    is_array = preview.get("subtype") == "array"
    shown = [
        str(each.get("value", "")) if is_array else f"{each.get('name')}: {each.get('value', '')}"
        for each in listed
        if isinstance(each, dict)
    ]
    if preview.get("overflow") is True:
        shown.append("…")
    if preview.get("subtype") == "error" or not shown:
        return str(preview.get("description", ""))
    return f"[{', '.join(shown)}]" if is_array else f"{{{', '.join(shown)}}}"
