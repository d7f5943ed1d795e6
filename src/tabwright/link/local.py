"""The local dialect: our own extension. Commands as JSON-RPC direct mode, events as typed messages of tabs.md."""

from typing import Final

from tabwright import jsonrpc
from tabwright.errors import METHOD_NOT_FOUND, GatewayError
from tabwright.link.commands import COMMANDS
from tabwright.link.dialect import SILENCE_S, Answered, Incoming, Refused, Reply, Told
from tabwright.link.wire import parse_cdp_event, parse_event
from tabwright.model import JsonObject

PONG: Final = '{"type":"pong"}'
# what only an extension that speaks nothing but tabs.md is asked in these words
OWN_COMMANDS: Final = frozenset(COMMANDS) - {"connect", "focusTab", "callTool"}


class LocalDialect:
    """Numeric ids out, the same ids back (the proxy protocol's direct mode)."""

    @property
    def commands(self) -> frozenset[str]:
        return OWN_COMMANDS

    @property
    def silence_s(self) -> float:
        return SILENCE_S

    def encode(self, call_id: int, command: str, params: JsonObject) -> list[str]:
        return [jsonrpc.encode(jsonrpc.request(call_id, command, params))]

    def decode(self, text: str | bytes) -> list[Incoming]:
        try:
            return self._decode(jsonrpc.decode_object(text))
        except GatewayError as exc:
            return [Reply(jsonrpc.encode(jsonrpc.failure(None, exc.code, exc.message)))]

    def waiting(self, call_id: int) -> bool:
        return False

    def abandon(self, call_id: int) -> list[str]:
        # a notification: nobody waits for the answer, and the command answers once anyway
        return [jsonrpc.encode({"jsonrpc": "2.0", "method": "cancel", "params": {"id": call_id}})]

    def _decode(self, message: JsonObject) -> list[Incoming]:
        if "type" in message:
            return self._decode_typed(message)
        match jsonrpc.parse(message):
            case jsonrpc.Response() | jsonrpc.Failure() as answer:
                return [] if (read := read_answer(answer)) is None else [read]
            case jsonrpc.Notification(method="forwardCDPEvent", params=params):
                return [Told(parse_cdp_event(params))]
            case jsonrpc.Request(id=request_id, method=method):
                # the extension is passive: it has nothing to ask
                return [
                    Reply(jsonrpc.encode(jsonrpc.failure(request_id, METHOD_NOT_FOUND, f"No method {method} here.")))
                ]
            case _:
                return []

    def _decode_typed(self, message: JsonObject) -> list[Incoming]:
        if message["type"] == "ping":
            return [Reply(PONG)]
        event = parse_event(message)
        return [] if event is None else [Told(event)]


def read_answer(answer: jsonrpc.Response | jsonrpc.Failure) -> Answered | Refused | None:
    """What an answer says, if it is one to a call: those have numbers."""
    match answer:
        case jsonrpc.Response(id=int() as call_id, result=result):
            return Answered(call_id, result if isinstance(result, dict) else {"value": result})
        case jsonrpc.Failure(id=int() as call_id, code=code, message=text, data=data):
            word = data.get("code") if isinstance(data, dict) else None
            return Refused(call_id, code, text, word if isinstance(word, str) else "failed")
        case _:
            return None
