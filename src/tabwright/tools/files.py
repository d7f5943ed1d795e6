"""Files of this machine as tools meet them: what may be given to pages, and what is made for the client."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that may be given to a page, or was made for the client; a folder has what lies in it."""

    path: Path
    size: int
    mime_type: str
    files: "tuple[LocalFile, ...] | None" = None

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_folder(self) -> bool:
        return self.files is not None


class Files(Protocol):
    """One session's files."""

    async def offered(self, path: str) -> LocalFile:
        """The file or folder a client means, if the person lets it be uploaded.

        Raises:
            Denied: it lies outside of the session's upload folders.
            InvalidArguments: there is none, or it is not a regular file.
        """
        ...

    async def read(self, file: LocalFile) -> bytes:
        """What is in it.

        Raises:
            InvalidArguments: it is gone, or cannot be read.
        """
        ...

    async def save(self, name: str, data: bytes, mime_type: str) -> LocalFile:
        """A new file in the session's output folder, under this name or one like it.

        Raises:
            CommandFailed: it cannot be written.
        """
        ...
