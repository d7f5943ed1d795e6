"""One gateway per user: its folders, its lock, its token, and the file that tells where it listens.

Everything lies under the home folder, readable by this user alone. A symbolic link or somebody else's file where ours
should be is an attack or a mistake; either way the gateway does not start.
"""

import fcntl
import json
import os
import secrets
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tabwright import __version__
from tabwright.errors import GatewayError
from tabwright.model import JsonObject
from tabwright.settings import MIN_TOKEN_CHARS, SettingsError

REAPED_S: Final = 3.0
_FOLDERS: Final = ("run", "logs", "profiles", "output")


class UnsafeFiles(GatewayError):
    """What lies under the home folder is not safely ours."""


class AlreadyRunning(GatewayError):
    """Another gateway has this home."""


@dataclass(frozen=True, slots=True)
class Home:
    """The home folder and what is where in it."""

    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "settings.toml"

    @property
    def policy_file(self) -> Path:
        return self.path / "policy.toml"

    @property
    def token_file(self) -> Path:
        return self.path / "token"

    @property
    def key_file(self) -> Path:
        """The gateway's own key, for browsers behind a proxy."""
        return self.path / "gateway.key"

    @property
    def socket(self) -> Path:
        return self.path / "run" / "gateway.sock"

    @property
    def gateway_file(self) -> Path:
        return self.path / "run" / "gateway.json"

    @property
    def lock_file(self) -> Path:
        return self.path / "run" / "gateway.lock"

    @property
    def database(self) -> Path:
        return self.path / "tabwright.db"

    @property
    def audit_journal(self) -> Path:
        return self.path / "run" / "audit.journal"

    @property
    def log_file(self) -> Path:
        return self.path / "logs" / "gateway.log"

    @property
    def output(self) -> Path:
        return self.path / "output"

    @property
    def profile(self) -> Path:
        return self.path / "profiles" / "default"

    @property
    def extension(self) -> Path:
        """Where `tabwright install` puts the extension, for the person's own browser."""
        return self.path / "extension"

    @property
    def native_launcher(self) -> Path:
        """What a person's own browser starts for the extension (native messaging)."""
        return self.path / "native" / "tabwright-host"

    @property
    def extension_copy(self) -> Path:
        return self.path / "run" / "extension"

    def prepare(self) -> None:
        """Make the folders, for this user only.

        Raises:
            UnsafeFiles: one of them is a link or belongs to somebody else.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self.path, *(self.path / name for name in _FOLDERS)):
                folder.mkdir(mode=0o700, exist_ok=True)
                _check_owned(folder)
                folder.chmod(0o700)
        except OSError as exc:
            raise UnsafeFiles(
                f"{exc.filename} cannot be used: {exc.strerror}.", "Set TABWRIGHT_HOME to a folder of your own."
            ) from None

    def check(self) -> None:
        """Look at what is there, and make nothing.

        Raises:
            UnsafeFiles: the gateway could not use it, or not make it.
        """
        if not os.path.lexists(self.path):
            above = next(folder for folder in self.path.parents if os.path.lexists(folder))
            if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
                raise UnsafeFiles(f"{self.path} cannot be made: {above} is not a folder that you may write to.")
            return
        for folder in (self.path, *(self.path / name for name in _FOLDERS)):
            if not folder.exists() and not folder.is_symlink():
                continue
            _check_owned(folder)
            if not folder.is_dir() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                raise UnsafeFiles(f"{folder} cannot be used: it is not a folder that you may write to.")

    def settings_text(self) -> str:
        try:
            return self.settings_file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeError) as exc:
            raise SettingsError(f"settings.toml cannot be read: {exc}.", "Correct the file.") from None

    def token(self) -> str:
        """The per-install token, made on first use.

        Raises:
            UnsafeFiles: the file is a link or belongs to somebody else.
        """
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # whoever finds it empty writes it, and the others wait for that
            fcntl.flock(folder, fcntl.LOCK_EX)
            create_private(self.token_file)
            kept = self.token_file.read_text(encoding="utf-8", errors="replace").strip()
            # nobody could send what is no text of a header
            if len(kept) < MIN_TOKEN_CHARS or not kept.isascii():
                kept = secrets.token_urlsafe(32)
                self.token_file.write_text(f"{kept}\n", encoding="ascii")
            return kept
        finally:
            os.close(folder)

    def running(self) -> dict[str, Any] | None:
        """What the gateway that has this home told of itself, if one runs."""
        try:
            told = json.loads(self.gateway_file.read_text(encoding="utf-8"))
            return told if _exists(told["pid"]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def wait_for_end(home: Home, pid: int, seconds: float) -> bool:
    """Wait until a gateway has left this home and its process is gone, or waits only to be reaped."""
    lock = os.open(home.lock_file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not _exists(pid):
                    # a client has started another one already
                    return True
                time.sleep(0.02)
            else:
                break
        else:
            return False
    finally:
        os.close(lock)
    deadline = time.monotonic() + REAPED_S
    while time.monotonic() < deadline and _exists(pid):
        time.sleep(0.01)
    return True


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        # no such table on this system
        return True
    return state != "Z"


class Lock:
    """Held by the one gateway of a home, for as long as it lives."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.published: JsonObject = {}
        create_private(home.lock_file)
        self._file = os.open(home.lock_file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            told = home.running()
            where = f" (pid {told['pid']}, http://127.0.0.1:{told['port']})" if told else ""
            raise AlreadyRunning(
                f"A gateway already runs{where}.", "Run `tabwright stop` first, or use it as it is."
            ) from None

    def publish(self, port: int, extension_port: int) -> None:
        """Tell everybody of this user where the gateway listens."""
        told: JsonObject = {
            "pid": os.getpid(),
            "version": __version__,
            "port": port,
            "extensionPort": extension_port,
            "startedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        self.published = told
        draft = self._home.gateway_file.with_suffix(".new")
        draft.write_text(json.dumps(told) + "\n", encoding="utf-8")
        draft.replace(self._home.gateway_file)

    def release(self) -> None:
        self._home.gateway_file.unlink(missing_ok=True)
        self._home.socket.unlink(missing_ok=True)
        os.close(self._file)


def create_private(path: Path) -> None:
    """Make a file readable by this user alone, before a library could make it otherwise.

    Raises:
        UnsafeFiles: a link or somebody else's file lies there.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        if path.is_symlink():
            _check_owned(path)
        raise UnsafeFiles(f"{path} cannot be used: {exc.strerror}.", "Remove it, or set TABWRIGHT_HOME.") from None
    os.close(descriptor)
    _check_owned(path)
    path.chmod(0o600)


def _check_owned(path: Path) -> None:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFiles(f"{path} is a symbolic link.", "Remove it, or set TABWRIGHT_HOME to a folder of your own.")
    if found.st_uid != os.geteuid():
        raise UnsafeFiles(f"{path} belongs to another user.", "Set TABWRIGHT_HOME to a folder of your own.")
