"""Asking the person through their MCP client: elicitation in the legacy era, `input_required` in the modern one.

Legacy: the question goes out while the call waits, at most a minute. Modern: the call ends with the question and a
state that only this gateway can have sealed; the client asks, and calls again with answer and state. An answer is good
for the one question it was given to, and once. A call that runs already cannot end: it pauses (`mcp_pauses`).
"""

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tabwright import jsonrpc
from tabwright.calls.asking import Approver, Asking
from tabwright.errors import ApprovalTimeout, Denied, GatewayError
from tabwright.model import JsonObject
from tabwright.policy.decide import Action, Ask
from tabwright.policy.text import clean

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
Pause = Callable[[str], Awaitable[bool]]
"""Ends the request with a question; whether the person agreed, once the client came back."""
ANSWER_S: Final = 60.0
STATE_S: Final = 600.0
MAX_ARGUMENTS: Final = 500
KEY: Final = "confirm"
# accepting is the answer; there is nothing to fill in
_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {}}


class InputNeeded(Asking):
    """The question in the modern era's words."""

    def __init__(self, question: str, state: str) -> None:
        super().__init__(question)
        self.result = types.InputRequiredResult(
            input_requests={
                KEY: types.ElicitRequest(
                    params=types.ElicitRequestFormParams(message=question, requested_schema=_SCHEMA)
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
        params: types.CallToolRequestParams,
        answers: Answers,
        otherwise: Approver,
        pause: Pause | None = None,
    ) -> None:
        self._context = context
        self._otherwise = otherwise
        self._pause = pause
        self._modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._agreed: set[str] = set()
        self._refused: set[str] = set()
        if self._modern and params.request_state is not None:
            self._read(params, answers)

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> None:
        if not self._can_ask() or (self._modern and during and self._pause is None):
            await self._otherwise.approve(action, ask, during=during)
        elif self._modern and during and self._pause is not None:
            if not await self._pause(_question(action, ask)):
                raise _refusal(action)
        elif self._modern:
            self._recall(action, ask)
        else:
            await self._elicit(action, ask)

    def _can_ask(self) -> bool:
        declared = self._context.session.client_capabilities
        elicitation = None if declared is None else declared.elicitation
        # without a word on modes it means forms
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    async def _elicit(self, action: Action, ask: Ask) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self._context.session.elicit_form(
                    _question(action, ask), _SCHEMA, related_request_id=self._context.request_id
                )
        except TimeoutError:
            raise ApprovalTimeout(action.tool, ANSWER_S) from None
        except MCPError as exc:
            log.info("a client that says it can ask could not: %s", exc)
            await self._otherwise.approve(action, ask)
            return
        if answer.action != "accept":
            raise _refusal(action)

    def _recall(self, action: Action, ask: Ask) -> None:
        """The answer the client came back with; else the call ends with the question."""
        asked = _digest(action, ask)
        if asked in self._refused:
            raise _refusal(action)
        if asked not in self._agreed:
            state: JsonObject = {"asked": asked, "agreed": [*self._agreed], "nonce": secrets.token_hex(16)}
            raise InputNeeded(_question(action, ask), jsonrpc.encode(state))

    def _read(self, params: types.CallToolRequestParams, answers: Answers) -> None:
        """What was asked and agreed to; the SDK has checked that the state is ours, for this very request."""
        try:
            state = jsonrpc.decode_object(params.request_state or "")
        except GatewayError:
            return
        agreed, asked, nonce = state.get("agreed"), state.get("asked"), state.get("nonce")
        if not isinstance(agreed, list) or not isinstance(asked, str) or not isinstance(nonce, str):
            return
        answer = (params.input_responses or {}).get(KEY)
        if not isinstance(answer, types.ElicitResult) or not answers.use(nonce):
            return
        self._agreed = {each for each in agreed if isinstance(each, str)}
        (self._agreed if answer.action == "accept" else self._refused).add(asked)


def _question(action: Action, ask: Ask) -> str:
    """What the person reads: the question, and what exactly would be done."""
    if not action.arguments:
        return clean(ask.question, 1_000)
    told = clean(json.dumps(cast(Any, action.arguments), ensure_ascii=False), MAX_ARGUMENTS)
    return f"{clean(ask.question, 1_000)} With: {told}"


def _digest(action: Action, ask: Ask) -> str:
    told = [action.tool, action.origin, ask.rule, ask.question, action.access.value]
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:32]


def _refusal(action: Action) -> Denied:
    return Denied(f"{action.tool} was not run: the person said no.", "Do not try again unless the person asks for it.")
