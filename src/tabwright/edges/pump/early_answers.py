"""What a client's first requests were answered the last time, or are answered in a new home, while a gateway starts.

A gateway takes a second or more to come up, and clients wait for their first list before they do anything. Until it is
there, the pump answers `initialize`, `server/discover` and `tools/list` as they were answered in the same situation:
same version, same settings, same words of the client; and a client that comes to a new home as `first_words` says. The
requests go to the gateway all the same; its answers to them are kept for the next time, and a list that has become
another is announced. Imported only where no gateway runs.
"""

import contextlib
import json
import os
import stat
from _blake2 import blake2b
from _socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from typing import Any, Final, cast

from tabwright import __version__
from tabwright.first_words import EXTENSION_PORT, PORT, FirstWords
from tabwright.home import cache_folder

METHODS: Final = frozenset({"initialize", "server/discover", "tools/list"})
MOST: Final = 32
MOST_BYTES: Final = 1_000_000
LONGEST: Final = 1 << 18
LIST_CHANGED: Final = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
_ELSEWHERE: Final = frozenset({"home", "port", "extension-port", "auth", "auth-token", "log-level", "idle-exit-s"})
"""Settings that no answer depends on."""


class EarlyAnswers:
    """Between client and gateway until the client's first requests are answered; then `over`.

    `heard` is called by the thread that reads the client, `came` by the one that reads the gateway.
    """

    def __init__(self, memory: "Memory") -> None:
        self.over = False
        self._memory = memory
        self._asked: dict[str, tuple[str, str]] = {}
        """What the gateway has not answered yet: id -> (method, key)."""
        self._told: dict[str, Any] = {}
        """What was answered in its place, by the id of the request."""
        self._first = True
        """Whether nothing but first requests came: later lists depend on what was done."""
        self._unread = b""
        self._unsaid = b""

    def heard(self, data: bytes, *, alone: bool) -> bytes:
        """From the client. While the gateway is not there, gives what is known; the data itself belongs to it."""
        if not self._first:
            return b""
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST:
            # no first request is that long, and it would be copied with everything that comes
            self._first, self._unread = False, b""
        return b"".join(self._answered(line, alone) for line in lines)

    def came(self, data: bytes) -> bytes:
        """From the gateway. Gives what is news to the client."""
        *lines, self._unsaid = (self._unsaid + data).split(b"\n")
        passed = b"".join(self._passed(line + b"\n") for line in lines)
        if not self._asked and not self._first:
            self.over = True
            self._memory.save()
            passed, self._unsaid = passed + self._unsaid, b""
        return passed

    @property
    def owing(self) -> bool:
        """Whether the client waits for something that only the gateway can tell."""
        return bool(not self._first or self._unread.strip() or self._asked.keys() - self._told.keys())

    def _answered(self, line: bytes, alone: bool) -> bytes:
        request = _object(line)
        if request is None or not self._first:
            self._first = self._first and not line.strip()
            return b""
        method, given = request.get("method"), request.get("id")
        if given is None:
            return b""
        if method not in METHODS:
            self._first = False
            return b""
        own = json.dumps(given)
        key = self._memory.key(str(method), request.get("params"))
        self._asked[own] = (str(method), key)
        known = self._memory.answer(str(method), request.get("params"), key)
        if known is None or not alone:
            return b""
        self._told[own] = known
        return json.dumps({"jsonrpc": "2.0", "id": given, "result": known}).encode() + b"\n"

    def _passed(self, line: bytes) -> bytes:
        answer = _object(line)
        if answer is None or "id" not in answer or "method" in answer:
            return line
        own = json.dumps(answer["id"])
        method, key = self._asked.pop(own, ("", ""))
        if not method:
            return line
        if method == "tools/list":
            # after its first list a client is at work
            self._first = False
        result = answer.get("result")
        if result is not None:
            self._memory.keep(key, result)
        if own not in self._told:
            return line
        told = self._told.pop(own)
        return LIST_CHANGED if method == "tools/list" and result is not None and told != result else b""


class Memory:
    """The answers, in the user's cache folder: they hang on the version and the settings, not on a home."""

    def __init__(self, home: str, options: dict[str, str]) -> None:
        self._file = os.path.join(cache_folder(), "answers.json")
        settings = _settings(options)
        telling = {name: value for name, value in settings.items() if name not in _ELSEWHERE}
        self._situation = [__version__, telling, _written(home)]
        self._first_words = FirstWords(settings) if _is_new(home) and _can_listen(settings) else None
        self.answers = _read(self._file)
        self._before = dict(self.answers)

    def key(self, method: str, params: Any) -> str:
        given = cast(dict[str, Any], params) if isinstance(params, dict) else {}
        meta = cast(dict[str, Any], given["_meta"]) if isinstance(given.get("_meta"), dict) else {}
        plain = {**given, "_meta": {name: value for name, value in meta.items() if name != "progressToken"}}
        situation = json.dumps([method, plain, self._situation], sort_keys=True)
        # settings may hold secrets; `hashlib` would bring OpenSSL along, 3 MB
        return blake2b(situation.encode(), digest_size=32).hexdigest()

    def answer(self, method: str, params: Any, key: str) -> Any:
        """What the client can be told already; None if nothing."""
        foreseen = None if self._first_words is None else self._first_words.answer(method, params)
        return self.answers.get(key, foreseen)

    def keep(self, key: str, result: Any) -> None:
        self.answers.pop(key, None)
        self.answers[key] = result
        while len(self.answers) > MOST:
            del self.answers[next(iter(self.answers))]

    def save(self) -> None:
        text = json.dumps({"version": __version__, "answers": self.answers})
        if self.answers == self._before or len(text) > MOST_BYTES:
            return
        # without them the next client waits a little longer
        with contextlib.suppress(OSError):
            _write(self._file, text)


def _settings(options: dict[str, str]) -> dict[str, str]:
    """Flags and variables, as they were given."""
    settings = dict(options)
    for name, value in os.environ.items():
        if name.startswith(("TABWRIGHT_", "CLAUDE_BROWSER_")):
            settings.setdefault(name.removeprefix("TABWRIGHT_").lower().replace("_", "-"), value)
    return settings


def _is_new(home: str) -> bool:
    """A home that was used may remember what pages can do, which an answer tells."""
    return not any(os.path.lexists(os.path.join(home, name)) for name in ("settings.toml", "tabwright.db"))


def _can_listen(settings: dict[str, str]) -> bool:
    """Whether a gateway would get its ports: nobody is welcomed to one that cannot start."""
    try:
        for name, otherwise in (("port", PORT), ("extension-port", EXTENSION_PORT)):
            tried = socket(AF_INET, SOCK_STREAM)
            try:
                # as the gateway itself does: what its predecessor left waiting is no hindrance
                tried.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
                tried.bind(("127.0.0.1", int(settings.get(name, otherwise))))
            finally:
                tried.close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _written(home: str) -> str:
    with contextlib.suppress(OSError, ValueError), open(os.path.join(home, "settings.toml"), encoding="utf-8") as file:
        return file.read()
    return ""


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], read) if isinstance(read, dict) else None


def _read(file: str) -> dict[str, Any]:
    """What is there, if it is of this version and nobody else can have written it."""
    # a pipe in its place must not hold us up
    with contextlib.suppress(OSError), open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as opened:
        found = os.fstat(opened.fileno())
        if found.st_uid == os.getuid() and stat.S_ISREG(found.st_mode) and not found.st_mode & 0o022:
            kept = _object(opened.read(MOST_BYTES + 1)) or {}
            if kept.get("version") == __version__ and isinstance(kept.get("answers"), dict):
                return cast(dict[str, Any], kept["answers"])
    return {}


def _write(file: str, text: str) -> None:
    folder = os.path.dirname(file)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    fresh = f"{file}.{os.getpid()}"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
        written.write(text)
    os.replace(fresh, file)
