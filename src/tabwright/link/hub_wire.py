"""The hub protocol's messages as values: what a page says of its tools, how one is called, what it answers.

Two spellings of each: JSON-RPC (`browser/registerTools`, `browser/updateTools`, `browser/executeTool`) and the older
typed ones (`register-tools`, `tools-updated`, `execute-tool`, `tool-result`). Whoever registers in the older spelling
is called in it. Wire spelling stops here.
"""

from dataclasses import dataclass, field
from math import isfinite
from typing import Final, TypeAlias

from tabwright import jsonrpc
from tabwright.errors import CommandFailed, InvalidRequest, OutcomeUnknown, StaleTarget
from tabwright.jsonrpc import RequestId
from tabwright.model import Json, JsonObject

MAX_URL_CHARS: Final = 8_000
MAX_OMITTED: Final = 100_000
_REGISTERING: Final = {"browser/registerTools": False, "browser/updateTools": True}
_OLD_REGISTERING: Final = {"register-tools": False, "tools-updated": True}


@dataclass(frozen=True, slots=True)
class Registering:
    """All tools of one frame, as it describes them."""

    tools: list[Json] = field(hash=False)
    update: bool
    tab_url: str = ""
    """For re-opening the page, nothing else."""
    extensions: JsonObject = field(default_factory=dict[str, Json], hash=False)
    old: bool = False

    @property
    def omitted(self) -> int:
        """How many tools the frame has beyond these."""
        told = self.extensions.get("omitted")
        return min(max(told, 0), MAX_OMITTED) if isinstance(told, int) else 0


@dataclass(frozen=True, slots=True)
class Confirming:
    """A page asks, in the middle of a call, that the person confirm something."""

    id: RequestId
    message: str
    old: bool = False
    call: str | None = None
    """The id of the call it belongs to, if the page says so."""


@dataclass(frozen=True, slots=True)
class Progressing:
    """A page tells how far a call is."""

    call: str
    done: float
    total: float | None = None
    message: str = ""


HubMessage: TypeAlias = Registering | Confirming | Progressing


def parse_hub_message(message: JsonObject) -> HubMessage | None:
    """What a page says; None for a type that is none of the hub's.

    Raises:
        InvalidRequest: a known type with a wrong shape.
    """
    match message:
        case {"method": "browser/registerTools" | "browser/updateTools" as method}:
            return _registering(message.get("params"), update=_REGISTERING[method])
        case {"type": "register-tools" | "tools-updated" as kind}:
            return _registering(message, update=_OLD_REGISTERING[kind], old=True)
        case {"method": "browser/elicitConfirmation", "id": int() | str() as asked}:
            params = message.get("params")
            return _confirming(asked, params if isinstance(params, dict) else {})
        case {"type": "confirm-action", "requestId": str(asked)}:
            return _confirming(asked, message, old=True)
        case {
            "method": "notifications/progress",
            "params": {"progressToken": str(call), "progress": int() | float() as done, **more},
        } if isfinite(done):
            total = more.get("total")
            all_ = total if isinstance(total, int | float) and isfinite(total) else None
            return Progressing(call, done, all_, _text(more.get("message")))
        case _:
            return None


def _confirming(asked: RequestId, params: JsonObject, *, old: bool = False) -> Confirming:
    call = params.get("callId")
    # whatever it names must be a call: a name of another kind is one of no call
    return Confirming(asked, _text(params.get("message")), old, None if call is None else str(call)[:200])


def _registering(params: Json, *, update: bool, old: bool = False) -> Registering:
    tools = params.get("tools") if isinstance(params, dict) else None
    if not isinstance(params, dict) or not isinstance(tools, list):
        raise InvalidRequest("tools is an array.")
    extensions = params.get("extensions")
    return Registering(
        tools, update, _text(params.get("tabUrl")), extensions if isinstance(extensions, dict) else {}, old
    )


def execute_message(
    request_id: str, tool_name: str, arguments: JsonObject, *, digest: str = "", old: bool = False
) -> JsonObject:
    """Run a tool, in the spelling its page uses. `digest` says which one of that name is meant, where the page's agent
    gave it one.
    """
    if old:
        return {"type": "execute-tool", "toolName": tool_name, "args": arguments, "requestId": request_id}
    meant: JsonObject = {"digest": digest} if digest else {}
    return jsonrpc.request(request_id, "browser/executeTool", {"toolName": tool_name, "args": arguments, **meant})


def confirmed_message(asked: Confirming, refusal: str | None) -> JsonObject:
    """What became of a page's question: confirmed, or why not."""
    told: JsonObject = {"confirmed": True} if refusal is None else {"confirmed": False, "reason": refusal}
    if asked.old:
        return {"type": "confirm-result", "requestId": asked.id, **told}
    return {"jsonrpc": "2.0", "id": asked.id, "result": told}


def parse_answer(answer: JsonObject, request_id: str | None = None) -> Json:
    """`{success, payload}` as a result in MCP's shape: the whole response, its result alone, or an older one.

    Raises:
        CommandFailed: nobody knows what became of the call, or the answer is another call's.
    """
    named = answer.get("id", answer.get("requestId"))
    if request_id is not None and named is not None and named != request_id:
        raise _unknown("The page answered another call.")
    if isinstance(error := answer.get("error"), dict):
        return _failure(error.get("message"))
    inner = answer.get("data") if answer.get("type") == "tool-result" else answer.get("result")
    told = inner if isinstance(inner, dict) else answer
    payload, success = told.get("payload"), told.get("success")
    if success is True:
        return payload
    if success is not False:
        raise _unknown("The page's answer does not say whether the call succeeded.")
    if isinstance(payload, dict) and "content" in payload:
        return {**payload, "isError": True}
    if told.get("extensions") == {"code": OutcomeUnknown.word}:
        raise _unknown(_failure_text(payload))
    if told.get("extensions") == {"code": StaleTarget.word}:
        raise CommandFailed(_failure_text(payload), StaleTarget.code, StaleTarget.word)
    return _failure(payload)


def _failure(payload: Json) -> JsonObject:
    return {"content": [{"type": "text", "text": _failure_text(payload)}], "isError": True}


def _failure_text(payload: Json) -> str:
    if payload in (None, "", {}, []):
        return "The tool failed; its page gave no reason."
    return payload if isinstance(payload, str) else jsonrpc.encode(payload)


def _unknown(text: str) -> CommandFailed:
    return CommandFailed(f"{text} It may or may not have happened.", OutcomeUnknown.code, OutcomeUnknown.word)


def _text(value: Json) -> str:
    return value[:MAX_URL_CHARS] if isinstance(value, str) else ""
