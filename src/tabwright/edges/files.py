"""Files of this machine for sessions: uploads from the folders the person named, and what is made for a client.

A path is resolved, links and all, before anything is said about it: what lies outside of the upload folders is refused
whether it exists or not. The gateway's own home is never uploaded, wherever it lies; nor are hidden files, keys,
and files that have another name elsewhere (hard links).
"""

import asyncio
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabwright.errors import CommandFailed, Denied, InvalidArguments
from tabwright.model import SessionId
from tabwright.policy.private_files import HEAD_BYTES, is_hidden, is_key
from tabwright.tools.files import LocalFile

MAX_FOLDER_FILES: Final = 1000
MAX_BYTES: Final = 1 << 30
"""Of one upload. What travels to a page elsewhere is bounded closer (`browser/upload.py`)."""
MAX_NAME: Final = 100
_NO_FILES: Final = (Path("/dev"), Path("/proc"), Path("/sys"))
"""What the system makes up when it is read."""
_UNWANTED: Final = re.compile(r"[^\w.() -]+")
_NEXT: Final = (
    "The person chooses them: `--upload-dirs FOLDER` in the client's configuration, or TABWRIGHT_UPLOAD_DIRS=FOLDER."
)


@dataclass(frozen=True, slots=True)
class FileKeeper:
    """All sessions' files. `home` is what no page may have."""

    home: Path
    output: Path

    def of(self, session: SessionId, upload_dirs: tuple[str, ...], output_dir: str | None) -> "SessionFiles":
        folder = self.output / session if output_dir is None else Path(output_dir)
        return SessionFiles(self.home, tuple(map(Path, upload_dirs)), folder)


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """What one session may upload, and where what it makes is saved."""

    home: Path
    upload_dirs: tuple[Path, ...]
    folder: Path

    async def offered(self, path: str) -> LocalFile:
        try:
            return await asyncio.to_thread(self._offered, path)
        except OSError as exc:
            # longer than any file's, say
            raise InvalidArguments(
                f"{path[:MAX_NAME]} cannot be uploaded: {exc.strerror}.", "Choose another file."
            ) from None

    async def read(self, file: LocalFile) -> bytes:
        try:
            return await asyncio.to_thread(self._read, file)
        except OSError as exc:
            raise InvalidArguments(f"{file.path} cannot be read: {exc.strerror}.", "Choose another file.") from None

    async def save(self, name: str, data: bytes, mime_type: str) -> LocalFile:
        try:
            saved = await asyncio.to_thread(self._save, name, data)
        except OSError as exc:
            raise CommandFailed(
                f"{self.folder} cannot be written to: {exc.strerror}. See the output_dir setting."
            ) from None
        return LocalFile(saved, len(data), mime_type)

    def _read(self, file: LocalFile) -> bytes:
        """What was looked at, and nothing that was put in its place since.

        Raises:
            OSError: it cannot be opened: gone, or a link by now.
            Denied: it is another file than it was.
        """
        descriptor = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            found = os.fstat(descriptor)
            same = stat.S_ISREG(found.st_mode) and found.st_size == file.size
            # a folder on the way may be a link by now
            if not same or os.path.realpath(file.path) != str(file.path):
                raise Denied(f"{file.path} changed while it was about to be uploaded.", "Try again.")
            return opened.read(file.size)

    def _offered(self, path: str) -> LocalFile:
        if not self.upload_dirs:
            raise Denied("No folder is set from which files may be uploaded (setting upload_dirs).", _NEXT)
        if "\0" in path or not path.strip():
            raise InvalidArguments("A path is missing.", "Give the path of a file.")
        return self._described(self._resolved(path))

    def _resolved(self, path: str) -> Path:
        """Where the path leads; a relative one is looked for in each upload folder."""
        # a user whom nobody knows makes it no path of another kind
        given = Path(os.path.expanduser(path))
        tried = [given] if given.is_absolute() else [folder / given for folder in self.upload_dirs]
        real = [Path(os.path.realpath(each)) for each in tried]
        allowed = [each for each in real if self._allows(each)]
        if not allowed:
            folders = ", ".join(map(str, self.upload_dirs))
            raise Denied(f"{path} is not in a folder whose files may be uploaded ({folders}).", _NEXT)
        return next((each for each in allowed if each.exists()), allowed[0])

    def _allows(self, real: Path) -> bool:
        home = Path(os.path.realpath(self.home))
        return bool(self._below(real)) and not any(real.is_relative_to(each) for each in (home, *_NO_FILES))

    def _below(self, real: Path) -> list[Path]:
        """The path from each upload folder that it lies in."""
        roots = [Path(os.path.realpath(folder)) for folder in self.upload_dirs]
        return [real.relative_to(root) for root in roots if real.is_relative_to(root)]

    def _described(self, real: Path, *, inside: bool = False) -> LocalFile:
        try:
            found = real.stat()
        except OSError as exc:
            raise InvalidArguments(f"{real} cannot be uploaded: {exc.strerror}.", "Choose another file.") from None
        if all(map(is_hidden, self._below(real))):
            raise Denied(
                f"{real} is hidden, and hidden files are not uploaded.", "Ask the person to copy it elsewhere."
            )
        if stat.S_ISDIR(found.st_mode) and not inside:
            return LocalFile(real, 0, "", tuple(self._within(real)))
        if not stat.S_ISREG(found.st_mode):
            raise InvalidArguments(f"{real} is not a regular file.", "Choose another file.")
        _check_private(real, found)
        # with its tables it is only for those who upload
        import mimetypes

        return LocalFile(real, found.st_size, mimetypes.guess_type(real.name)[0] or "application/octet-stream")

    def _within(self, folder: Path) -> list[LocalFile]:
        """All files below a folder. The browser reads it by itself, so no link in it may lead elsewhere."""
        found: list[LocalFile] = []
        size = 0
        for place, folders, names in os.walk(folder):
            for name in (*sorted(folders), *sorted(names)):
                path = Path(place, name)
                if path.is_symlink() or not self._allows(path):
                    raise Denied(f"{path} may not be uploaded: links in a folder are not followed.", "Choose files.")
                if name in names:
                    found.append(self._described(path, inside=True))
                    size += found[-1].size
                _check_size(folder, size)
                if len(found) > MAX_FOLDER_FILES:
                    raise InvalidArguments(
                        f"{folder} holds more than {MAX_FOLDER_FILES} files.", "Choose a smaller one."
                    )
        return found

    def _save(self, name: str, data: bytes) -> Path:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stem, dot, ending = _safe(name).rpartition(".")
        if not dot:
            stem, ending = ending, ""
        for number in range(1, 10_000):
            path = self.folder / f"{stem}{'' if number == 1 else f'-{number}'}{dot}{ending}"
            try:
                # never over another file, nor through a link somebody put there
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                continue
            try:
                with open(descriptor, "wb") as file:
                    file.write(data)
            except OSError:
                # half of it is of no use to anybody
                path.unlink(missing_ok=True)
                raise
            return path
        raise FileExistsError(17, f"there are too many files named {name}")


def _check_private(real: Path, found: os.stat_result) -> None:
    """Raises:
    Denied: it has another name, perhaps outside; or it is a key.
    InvalidArguments: it is too large, or cannot be read.
    """
    if found.st_nlink > 1:
        raise Denied(f"{real} has another name elsewhere (a hard link).", "Ask the person to copy it.")
    _check_size(real, found.st_size)
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            head = opened.read(HEAD_BYTES)
    except OSError as exc:
        raise InvalidArguments(f"{real} cannot be uploaded: {exc.strerror}.", "Choose another file.") from None
    if is_key(real.name, head):
        raise Denied(f"{real} is a private key, and keys are not uploaded.", "Choose another file.")


def _check_size(path: Path, size: int) -> None:
    if size > MAX_BYTES:
        raise InvalidArguments(f"{path} has more than {MAX_BYTES >> 20} MB.", "Choose something smaller.")


def _safe(name: str) -> str:
    """A file name that stays in its folder on every system."""
    plain = _UNWANTED.sub("_", Path(name).name).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    return f"{_cut(stem)}{dot}{ending[:10]}" if dot and stem else _cut(plain) or "file"


def _cut(name: str) -> str:
    """No longer than file systems take, which count bytes."""
    return name[:MAX_NAME].encode()[: 2 * MAX_NAME].decode(errors="ignore")
