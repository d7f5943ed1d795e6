"""Asking the person through their MCP client: elicitation in the legacy era, `input_required` in the modern one.

Legacy: the question goes out while the call waits, at most a minute. Modern: the call ends with the question and a
state that only this gateway can have sealed; the client asks, and calls again with answer and state. An answer is good
for the one question it was given to, and once; how long the yes in it lasts is the person's choice. A call that runs
already cannot end: it pauses (`pauses`).
"""

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from tabwright import jsonrpc
from tabwright.calls.asking import ANSWER_S, Approver, Asking, granted, refusal
from tabwright.errors import ApprovalTimeout, GatewayError
from tabwright.model import JsonObject
from tabwright.policy.actions import Action, Ask
from tabwright.policy.grants import Consent, Scope
from tabwright.policy.text import clean

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
Pause = Callable[[str, dict[str, Any]], Awaitable[JsonObject | None]]
"""Ends the request with a question and its form; what came with the person's yes, once the client is back, or None."""
STATE_S: Final = 600.0
MAX_ARGUMENTS: Final = 500
KEY: Final = "confirm"
_CHOICE: Final = "allow"
# accepting is the answer; there is nothing to fill in, unless it may be good for longer
_ONCE: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_LASTING: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        _CHOICE: {
            "type": "string",
            "title": "Allow",
            "description": "once: only now; session: until the agent's session ends; always: on this site from now on",
            "enum": [scope.value for scope in Scope],
            "default": Scope.ONCE.value,
        }
    },
}


def can_ask(context: Context) -> bool:
    """Whether the client of this request says that it can put a question to its person."""
    declared = context.session.client_capabilities
    elicitation = None if declared is None else declared.elicitation
    # without a word on modes it means forms
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


class InputNeeded(Asking):
    """The question in the modern era's words."""

    def __init__(self, question: str, schema: dict[str, Any], state: str) -> None:
        super().__init__(question)
        self.result = types.InputRequiredResult(
            input_requests={
                KEY: types.ElicitRequest(
                    params=types.ElicitRequestFormParams(message=question, requested_schema=schema)
                )
            },
            request_state=state,
        )


class Answers:
    """Which answers have been used, so that none is good twice."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}

    def use(self, nonce: str) -> bool:
        """Whether this is the first time."""
        now = time.monotonic()
        self._used = {used: until for used, until in self._used.items() if until > now}
        if nonce in self._used:
            return False
        self._used[nonce] = now + STATE_S
        return True


class McpApprover:
    """Asks the client of one request, if it can ask; whoever else there is, if not."""

    def __init__(
        self,
        context: Context,
        params: types.CallToolRequestParams | None,
        answers: Answers,
        otherwise: Approver,
        pause: Pause | None = None,
    ) -> None:
        self._context = context
        self._otherwise = otherwise
        self._pause = pause
        self._modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._agreed: dict[str, JsonObject] = {}
        """What was filled in with each yes."""
        self._refused: set[str] = set()
        if self._modern and params is not None and params.request_state is not None:
            self._read(params, answers)

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> Consent:
        pausing = self._modern and during
        if ask.in_browser or not can_ask(self._context) or (pausing and self._pause is None):
            return await self._otherwise.approve(action, ask, during=during)
        if pausing and self._pause is not None:
            filled = await self._pause(_question(action, ask), _schema(ask))
            if filled is None:
                raise refusal(action)
            return granted(action, ask, *_filled(filled, ask))
        return self._recall(action, ask) if self._modern else await self._elicit(action, ask)

    async def _elicit(self, action: Action, ask: Ask) -> Consent:
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self._context.session.elicit_form(
                    _question(action, ask), _schema(ask), related_request_id=self._context.request_id
                )
        except TimeoutError:
            raise ApprovalTimeout(action.tool, ANSWER_S) from None
        except (MCPError, ValidationError) as exc:
            # it refused the question, or what it answered is no answer
            log.info("a client that says it can ask could not: %s", exc)
            return await self._otherwise.approve(action, ask)
        filled = agreed(answer)
        if filled is None:
            raise refusal(action)
        return granted(action, ask, *_filled(filled, ask))

    def _recall(self, action: Action, ask: Ask) -> Consent:
        """The answer the client came back with; else the call ends with the question."""
        asked = _digest(action, ask)
        if asked in self._refused:
            raise refusal(action)
        if asked not in self._agreed:
            state: JsonObject = {"asked": asked, "agreed": {**self._agreed}, "nonce": secrets.token_hex(16)}
            raise InputNeeded(_question(action, ask), _schema(ask), jsonrpc.encode(state))
        return granted(action, ask, *_filled(self._agreed[asked], ask))

    def _read(self, params: types.CallToolRequestParams, answers: Answers) -> None:
        """What was asked and agreed to; the SDK has checked that the state is ours, for this very request."""
        try:
            state = jsonrpc.decode_object(params.request_state or "")
        except GatewayError:
            return
        before, asked, nonce = state.get("agreed"), state.get("asked"), state.get("nonce")
        if not isinstance(before, dict) or not isinstance(asked, str) or not isinstance(nonce, str):
            return
        answer = (params.input_responses or {}).get(KEY)
        if not isinstance(answer, types.ElicitResult) or not answers.use(nonce):
            return
        self._agreed = {each: form for each, form in before.items() if isinstance(form, dict)}
        filled = agreed(answer)
        if filled is None:
            self._refused.add(asked)
        else:
            self._agreed[asked] = filled


def agreed(answer: object) -> JsonObject | None:
    """What was filled in with a yes; None if it was none."""
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return None
    return cast(JsonObject, answer.content or {})


def _question(action: Action, ask: Ask) -> str:
    """What the person reads: the question, and what exactly would be done; one with choices says all of it itself."""
    if not action.arguments or ask.choices:
        return clean(ask.question, 1_000)
    told = clean(json.dumps(cast(Any, action.arguments), ensure_ascii=False), MAX_ARGUMENTS)
    return f"{clean(ask.question, 1_000)} With: {told}"


def _digest(action: Action, ask: Ask) -> str:
    told = [
        action.tool, action.site, ask.rule, ask.question, action.kind.value, action.definition, action.document or ""
    ]  # fmt: skip
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:32]


def _schema(ask: Ask) -> dict[str, Any]:
    if not ask.choices:
        return _LASTING if ask.covers else _ONCE
    boxes = {name: {"type": "boolean", "title": choice, "default": True} for name, choice in _boxes(ask).items()}
    return {"type": "object", "properties": {**(_LASTING["properties"] if ask.covers else {}), **boxes}}


def _boxes(ask: Ask) -> dict[str, str]:
    """The choices, by the names of their fields: a site is no name that every client takes."""
    return {f"site_{number}": choice for number, choice in enumerate(ask.choices, 1)}


def _filled(form: Mapping[str, object], ask: Ask) -> tuple[Scope, list[str]]:
    """How long the yes is good for, and what is left of the choices; a client that shows no field means its default."""
    word = form.get(_CHOICE)
    scope = next((each for each in Scope if each.value == word), Scope.ONCE)
    return scope, [choice for name, choice in _boxes(ask).items() if form.get(name, True) is True]
