"""One frame's envelope. Bodies stay as they came: never read, never re-written, only checked to be JSON.

Refused here, so that nothing odd is ever passed on: what is not JSON, bottomless nesting, a member named twice, ids
that are neither whole numbers nor strings.
"""

import json
import re
from array import array
from itertools import accumulate
from typing import Any, Final, Protocol

import msgspec
from msgspec import Raw

from tabwright.errors import INVALID_REQUEST, PARSE_ERROR
from tabwright.jsonrpc import without_lone_surrogates

MAX_DEPTH: Final = 400
"""Chrome's own protocol ends at 300 levels."""
MAX_ID_BYTES: Final = 256
NULL: Final = b"null"
_VERSION: Final = Raw(b'"2.0"')
_CALL_BYTES: Final = len(b'{"jsonrpc":"2.0","id":,"method":"","params":}')
_RESULT_BYTES: Final = len(b'{"jsonrpc":"2.0","id":,"result":}')
_BACKSLASH: Final = ord("\\")
_WHOLE: Final = re.compile(rb"-?(?:0|[1-9][0-9]*)")
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_BRACKETS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[{]}"))


class Said(Protocol):
    """What a client says, whether its frame came here or to another replica."""

    @property
    def method(self) -> str | msgspec.UnsetType: ...
    @property
    def params(self) -> Raw | bytes: ...
    @property
    def connection_id(self) -> Raw | bytes: ...


class Frame(msgspec.Struct, gc=False):
    """The members of a message; an absent one is empty."""

    jsonrpc: Raw = Raw()
    id: Raw = Raw()
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: Raw = Raw()
    result: Raw = Raw()
    error: Raw = Raw()
    connection_id: Raw = msgspec.field(default=Raw(), name="connectionId")

    @property
    def versioned(self) -> bool:
        return self.jsonrpc == _VERSION


class Malformed(Exception):
    """A frame that gets an error answer: its code, its words, and the id to answer, as raw JSON."""

    def __init__(self, code: int, message: str, raw_id: bytes = NULL) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.raw_id = raw_id


class _Tab(msgspec.Struct, gc=False):
    tab_id: int | None = msgspec.field(default=None, name="tabId")


_encode: Final = msgspec.json.encode
_frame: Final = msgspec.json.Decoder(Frame)
_members: Final = msgspec.json.Decoder(dict[str, Raw])
_tab: Final = msgspec.json.Decoder(_Tab)
_text: Final = msgspec.json.Decoder(str)


def read(data: bytes) -> Frame:
    """The envelope of a frame.

    Raises:
        Malformed: it is not JSON that may be passed on, or no message.
    """
    try:
        frame = _frame.decode(data)
    except msgspec.ValidationError:
        raise Malformed(INVALID_REQUEST, "Invalid Request: not a message object", _salvage_id(data)) from None
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise Malformed(PARSE_ERROR, "Parse error: not valid JSON") from None
    size = len(data)
    if size > MAX_DEPTH and data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise Malformed(PARSE_ERROR, f"Parse error: nested deeper than {MAX_DEPTH} levels")
    raw_id, method = frame.id, frame.method
    if raw_id and frame.jsonrpc == _VERSION:
        # nearly all are a call or a result to the byte, with no room for more; written out, as each passes here
        if method is msgspec.UNSET:
            if frame.result and size == _RESULT_BYTES + len(raw_id) + len(frame.result):
                return frame
        # a method with escapes or other letters takes more bytes than it has characters
        elif frame.params and size == _CALL_BYTES + len(raw_id) + len(method) + len(frame.params):
            return frame
    if size != _compact_length(frame) and _repeats(data):
        raise Malformed(INVALID_REQUEST, "Invalid Request: a member is named twice")
    return frame


def mend(data: bytes) -> Frame | None:
    """What can be read of a browser's bad frame: half a character in a page's title must not cost the answer."""
    mended = without_lone_surrogates(data)
    if mended is None:
        return None
    try:
        return read(mended.encode())
    except Malformed:
        return None


def id_of(frame: Frame) -> bytes:
    """The raw JSON of the id; empty if there is none.

    Raises:
        Malformed: it is neither a whole number nor a string, or too long.
    """
    raw = bytes(frame.id)
    if raw.isdigit() and len(raw) < 16:
        return raw
    if not raw:
        return raw
    if len(raw) <= MAX_ID_BYTES + 2 and (raw.startswith(b'"') or _WHOLE.fullmatch(raw)):
        return raw
    raise Malformed(
        INVALID_REQUEST, f"Invalid Request: id is a whole number or a string of at most {MAX_ID_BYTES} bytes"
    )


def wire_id(prefix: bytes, raw_id: bytes) -> bytes:
    """The id of a call towards an extension, as raw JSON: `"<connection>:<the caller's id as JSON>"`."""
    if raw_id.startswith(b'"'):
        return b"%b%b" % (prefix, _encode(raw_id.decode())[1:])
    return b'%b%b"' % (prefix, raw_id)


def wire_prefix(connection: str) -> bytes:
    """How the wire ids of a connection begin."""
    return _encode(f"{connection}:")[:-1]


def answered_id(frame: Frame) -> bytes:
    """The id of a response, as `wire_id` spells it however the extension did."""
    raw = bytes(frame.id)
    if _BACKSLASH not in raw and raw.isascii():
        return raw
    return _encode(_text.decode(raw)) if raw.startswith(b'"') else raw


def text_of(raw: Raw | bytes) -> str | None:
    """The string that a raw member is; None if it is none."""
    data = bytes(raw)
    if not data.startswith(b'"'):
        return None
    return _text.decode(data) if _BACKSLASH in data else data[1:-1].decode()


def tab_of(raw: Raw | bytes) -> int | None:
    """`tabId` of a body, where there is a whole one."""
    # to look for bytes with `in` raises and drops an exception inside, which takes longer than all the rest
    if bytes(raw).find(b'"tabId"') < 0:
        return None
    try:
        return _tab.decode(raw).tab_id
    except (msgspec.DecodeError, ValueError):
        return None


def members_of(raw: Raw | bytes) -> dict[str, Raw] | None:
    """The members of a body that is read: `params` of a control method. None if it is no object."""
    try:
        return _members.decode(raw) if raw else {}
    except (msgspec.DecodeError, ValueError):
        return None


def _salvage_id(data: bytes) -> bytes:
    try:
        return id_of(Frame(id=_members.decode(data).get("id", Raw()))) or NULL
    except (msgspec.DecodeError, ValueError, Malformed):
        return NULL


def _compact_length(frame: Frame) -> int:
    """How long the frame is if nothing but its known members is in it, once each, without spaces."""
    # for each member: its name in quotes, a colon, a comma
    length = 1
    if frame.jsonrpc:
        length += 11 + len(frame.jsonrpc)
    if frame.id:
        length += 6 + len(frame.id)
    if frame.method is not msgspec.UNSET:
        length += 12 + (len(frame.method) if frame.method.isascii() else len(frame.method.encode()))
    if frame.params:
        length += 10 + len(frame.params)
    if frame.result:
        length += 10 + len(frame.result)
    if frame.error:
        length += 9 + len(frame.error)
    if frame.connection_id:
        length += 16 + len(frame.connection_id)
    return length


def _repeats(data: bytes) -> bool:
    """Whether the outermost object names a member twice."""
    try:
        pairs: Any = json.loads(data, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return True
    names = [name for name, _ in pairs]
    return len(set(names)) < len(names)


def _depth(data: bytes) -> int:
    steps = array("b", _STRING.sub(b"", data).translate(_BRACKETS, _NO_BRACKETS))
    return max(accumulate(steps))
