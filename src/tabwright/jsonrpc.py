"""JSON-RPC 2.0 envelopes: parsing, ids, encoding. The one module that reads JSON from a peer.

Strict where the standard library is not: NaN and bottomless nesting are parse errors, lone surrogates are replaced, so
nothing is ever accepted that could not be sent on.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

import msgspec

from tabwright.errors import InvalidRequest, ParseError
from tabwright.model import Json, JsonObject

RequestId: TypeAlias = int | str
MAX_ID_CHARS: Final = 256
NO_JSON: Final = "Not valid JSON."
ONE_VALUE: Final = "Send one JSON value a message."
# a high half without its low one, or a low one without its high, behind an even number of backslashes
_LONE_SURROGATE: Final = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


@dataclass(frozen=True, slots=True)
class Request:
    id: RequestId
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class Notification:
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class Response:
    id: RequestId
    result: Json


@dataclass(frozen=True, slots=True)
class Failure:
    id: RequestId | None
    code: int
    message: str
    data: Json = None


Message: TypeAlias = Request | Notification | Response | Failure


def decode(text: str | bytes) -> Json:
    """The JSON value in `text`.

    Raises:
        ParseError: it is not JSON, or not JSON that could be written again.
    """
    try:
        return cast(Json, msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as exc:
        mended = without_lone_surrogates(text)
        if mended is None:
            raise ParseError(NO_JSON, ONE_VALUE) from exc
        return decode(mended)


def decode_unambiguous(text: bytes) -> Json:
    """The JSON value in what a client says, where no object names a member twice.

    Whoever looked at it before us, to allow or to note it, may have taken the other one.

    Raises:
        ParseError: as `decode`.
        InvalidRequest: a member is named twice.
    """
    value = decode(text)
    # most clients write as we do, some with spaces in between, and what we write names nothing twice
    written = msgspec.json.encode(value)
    if written != text.strip() and written != _unspaced(text):
        try:
            json.loads(text.decode(errors="replace"), object_pairs_hook=_once, parse_int=len, parse_float=len)
        except (RecursionError, ValueError) as exc:
            raise ParseError(NO_JSON, ONE_VALUE) from exc
    return value


def _unspaced(text: bytes) -> bytes | None:
    try:
        return msgspec.json.format(text, indent=-1)
    except msgspec.DecodeError:
        # half a character, which `decode` makes something of
        return None


def _once(members: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in members}) < len(members):
        raise InvalidRequest("A member is named twice.")


def without_lone_surrogates(text: str | bytes) -> str | None:
    """JavaScript strings may hold half a character, and JSON may spell it; the half becomes U+FFFD.

    None where that is not what is wrong with the text.
    """
    known = text.decode(errors="replace") if isinstance(text, bytes) else text
    mended = _LONE_SURROGATE.sub(r"\1\\ufffd", known)
    return mended if mended != known else None


def decode_object(text: str | bytes) -> JsonObject:
    """The JSON object in `text`.

    Raises:
        ParseError: it is not JSON.
        InvalidRequest: it is JSON, but no object.
    """
    value = decode(text)
    if not isinstance(value, dict):
        raise InvalidRequest("Not a JSON object.")
    return value


def encode(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def encode_sorted(value: Json) -> bytes:
    """With the keys of every object in order: the same for whoever spells the same value differently."""
    return msgspec.json.encode(value, order="sorted")


def parse(message: JsonObject) -> Message:
    """The envelope of a message that claims to be JSON-RPC 2.0.

    Raises:
        InvalidRequest: it has neither the shape of a request nor of a response.
    """
    if "method" in message:
        return _parse_call(message)
    has_result, has_error = "result" in message, "error" in message
    if has_result == has_error:
        raise InvalidRequest("A response has either result or error.")
    if has_result:
        return Response(_parse_id(message.get("id")), message["result"])
    return _parse_failure(message)


def _parse_call(message: JsonObject) -> Request | Notification:
    method, params = message["method"], message.get("params", {})
    if not isinstance(method, str):
        raise InvalidRequest("method is a string.")
    if not isinstance(params, dict):
        raise InvalidRequest("params is an object.")
    if "id" not in message:
        return Notification(method, params)
    return Request(_parse_id(message["id"]), method, params)


def _parse_failure(message: JsonObject) -> Failure:
    error = message["error"]
    if not isinstance(error, dict):
        raise InvalidRequest("error is an object.")
    code, text = error.get("code"), error.get("message")
    raw_id = message.get("id")
    return Failure(
        None if raw_id is None else _parse_id(raw_id),
        code if isinstance(code, int) else -32000,
        text if isinstance(text, str) else "The browser reported an error without a message.",
        error.get("data"),
    )


def _parse_id(value: Any) -> RequestId:
    # bool is an int to Python, not to JSON-RPC
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidRequest("id is a string or a whole number, without a point.")
    if isinstance(value, str) and len(value) > MAX_ID_CHARS:
        raise InvalidRequest(f"id is at most {MAX_ID_CHARS} characters.")
    return value


def request(request_id: RequestId, method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def failure(request_id: RequestId | None, code: int, message: str, data: Json = None) -> JsonObject:
    error: JsonObject = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
