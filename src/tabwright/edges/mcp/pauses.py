"""Calls of modern clients that stop in their middle for a question: the request ends with it, the call does not.

Lifecycle: begun with its request -> its page asks -> the request ends `input_required`, with a ticket that only this
gateway can have sealed, and the page waits -> the client calls again with ticket and answer -> the call goes on in that
request -> done, or another question. Whoever does not come back in time has not agreed. What the call gave is kept for
a while: a tool must not run a second time for somebody to learn what it did the first time.
"""

import asyncio
import secrets
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

from tabwright import jsonrpc
from tabwright.edges.mcp.asking import KEY, STATE_S, InputNeeded, agreed
from tabwright.errors import CommandFailed, GatewayError, OutcomeUnknown
from tabwright.model import JsonObject, ToolResult

MAX_PAUSED: Final = 64
_LOST: Final = (
    "The call that this answers is not known any more. It may or may not have happened; look before you try again."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    text: str
    schema: dict[str, Any]
    ticket: str
    answer: "asyncio.Future[JsonObject | None]"


class PausableCall:
    """One call, over as many requests as it takes."""

    def __init__(self, session: str, pauses: "Pauses") -> None:
        self.session: Final = session
        self._pauses = pauses
        self._task: asyncio.Task[ToolResult] | None = None
        self._open: _Question | None = None
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        """What its requests wait for: the end, or a question."""

    def begin(self, work: Coroutine[Any, Any, ToolResult]) -> None:
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._ended)

    async def ask(self, text: str, schema: dict[str, Any]) -> JsonObject | None:
        """Have the client ask the person, in place of an answer; what they filled in with their yes, or None. One
        question at a time.
        """
        async with self._turn:
            question = _Question(text, schema, secrets.token_hex(16), asyncio.get_running_loop().create_future())
            self._pauses.keep(question.ticket, self)
            self._open = question
            self._news.set()
            try:
                return await question.answer
            finally:
                if self._open is question:
                    self._open = None

    def answer(self, ticket: str, filled: JsonObject | None) -> None:
        """What the client came back with. An answer to a question that is past is none."""
        question = self._open
        if question is not None and question.ticket == ticket and not question.answer.done():
            self._open = None
            question.answer.set_result(filled)

    async def step(self) -> ToolResult:
        """Until the call is done.

        Raises:
            InputNeeded: it has a question first.
        """
        assert self._task is not None
        while not self._task.done():
            if self._open is not None:
                state = jsonrpc.encode({"ticket": self._open.ticket})
                raise InputNeeded(self._open.text, self._open.schema, state)
            await self._wait(self._task)
        return self._task.result()

    async def _wait(self, task: "asyncio.Task[ToolResult]") -> None:
        self._news.clear()
        try:
            await self._news.wait()
        except asyncio.CancelledError:
            # whoever waits for it gave it up
            task.cancel()
            raise

    def _ended(self, task: "asyncio.Task[ToolResult]") -> None:
        if not task.cancelled():
            # nobody may come back for it
            task.exception()
        self._news.set()

    def drop(self) -> None:
        if self._task is not None:
            self._task.cancel()


class Pauses:
    """Calls that stand still, by ticket."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[PausableCall, float]] = {}

    @property
    def full(self) -> bool:
        """Whether no more questions can be put this way."""
        self._prune()
        return len(self._calls) >= MAX_PAUSED

    def keep(self, ticket: str, call: PausableCall) -> None:
        self._calls[ticket] = (call, time.monotonic() + STATE_S)

    def resumed(self, session: str, params: types.CallToolRequestParams) -> PausableCall | None:
        """The call that a request goes on with, given its answer; None if it begins one.

        Raises:
            CommandFailed: `outcome_unknown`: it would go on with one that is not known here.
        """
        ticket = _ticket(params)
        if ticket is None:
            return None
        self._prune()
        call, _ = self._calls.get(ticket, (None, 0.0))
        if call is None or call.session != session:
            raise CommandFailed(_LOST, OutcomeUnknown.code, OutcomeUnknown.word)
        call.answer(ticket, agreed((params.input_responses or {}).get(KEY)))
        return call

    def drop(self, session: str) -> None:
        """A session is over, and with it what it had under way."""
        for ticket, (call, _) in list(self._calls.items()):
            if call.session == session:
                call.drop()
                del self._calls[ticket]

    def _prune(self) -> None:
        now = time.monotonic()
        self._calls = {ticket: kept for ticket, kept in self._calls.items() if kept[1] > now}


def _ticket(params: types.CallToolRequestParams) -> str | None:
    """The SDK has checked that the state is ours, for this very request."""
    if params.request_state is None:
        return None
    try:
        ticket = jsonrpc.decode_object(params.request_state).get("ticket")
    except GatewayError:
        return None
    return ticket if isinstance(ticket, str) else None
