"""Plain text messages out of a stream of WebSocket frames, and into one.

A plain message is one whole, masked, unfragmented text frame that is not too long. Everything else comes out as the
bytes it came in, whole frame by whole frame, for the library to judge: control frames, fragments, and at once whatever
is wrong by its first bytes.
"""

from collections.abc import Iterator
from typing import Final

try:
    from websockets.speedups import apply_mask
except ImportError:  # where no wheel was built
    from websockets.utils import apply_mask

_TEXT: Final = 0x81
_HEADER: Final = 2
_SHORT: Final = 8192
"""No limit on messages is lower."""


class Splitter:
    """Keeps the beginning of a frame until the rest has come."""

    __slots__ = ("_kept", "_wanted")

    def __init__(self) -> None:
        self._kept: bytearray | None = None
        self._wanted = 0

    @property
    def waiting(self) -> bool:
        """Whether a frame has begun and not ended."""
        return self._kept is not None

    def rest(self) -> bytes:
        """What was kept, for good."""
        kept, self._kept = self._kept, None
        return b"" if kept is None else bytes(kept)

    def feed(self, data: bytes, limit: int) -> Iterator[tuple[bool, bytes]]:
        """What has come whole: (True, the text of a plain message) or (False, the bytes of another frame)."""
        if self._kept is not None:
            self._kept += data
            if len(self._kept) < self._wanted:
                return
            data = self.rest()
        at, size = 0, len(data)
        while at < size:
            end, start = _extent(data, at, size)
            if start == 0:
                self._keep(data, at, end)
                return
            first, masked = data[at], data[at + 1] & 0x80
            if not masked or first & 0x70 or end - start > limit:
                # wrong already: the library says how, and nothing after it counts
                yield False, data[at:]
                return
            if end > size:
                self._keep(data, at, end)
                return
            if first == _TEXT:
                yield True, apply_mask(data[start:end], data[start - 4 : start])
            else:
                yield False, data[at:end]
            at = end

    def as_frame(self, text: bytes) -> bytes:
        """A plain message as the frame it came in, but for its mask."""
        head = text_frame(text)
        size = len(head) - len(text)
        return bytes((head[0], head[1] | 0x80)) + head[2:size] + b"\0\0\0\0" + text

    def _keep(self, data: bytes, at: int, end: int) -> None:
        self._kept, self._wanted = bytearray(data[at:]), end - at


def lone_text(data: bytes) -> bytes | None:
    """The text of a plain message, if that is what the bytes are and it is short and ASCII; None to have it fed."""
    size = len(data)
    # a short frame is within any limit; a longer one is fed, where limits are
    if size < _HEADER + 6 or size > _SHORT or data[0] != _TEXT:
        return None
    second = data[1]
    # an unmasked or a longer one has a second byte that makes this no fit
    start = 6 if second < 0xFE else 8
    if size - start != (second - 0x80 if start == 6 else data[2] << 8 | data[3]) or second == 0xFF:
        return None
    text = apply_mask(data[start:], data[start - 4 : start])
    return text if text.isascii() else None


def _extent(data: bytes, at: int, size: int) -> tuple[int, int]:
    """Where a masked frame ends and its payload starts; if even its header is not there, how much is needed, and 0."""
    if size - at < _HEADER:
        return at + _HEADER, 0
    length = data[at + 1] & 0x7F
    if length < 126:
        return at + 6 + length, at + 6
    width = 2 if length == 126 else 8
    if size - at < _HEADER + width:
        return at + _HEADER + width, 0
    length = int.from_bytes(data[at + _HEADER : at + _HEADER + width], "big")
    start = at + _HEADER + width + 4
    return start + length, start


def text_frame(data: bytes) -> bytes:
    """A message as a server sends it: one frame, unmasked."""
    length = len(data)
    if length < 126:
        return b"\x81%c%b" % (length, data)
    if length < 65536:
        return b"\x81\x7e%b%b" % (length.to_bytes(2, "big"), data)
    return b"\x81\x7f%b%b" % (length.to_bytes(8, "big"), data)
