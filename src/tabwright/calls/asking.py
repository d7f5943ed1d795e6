"""Asking the person: the seam, a prompt in the browser and on the dashboard, the answer where nobody can be asked."""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Collection
from typing import Final, Protocol

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.questions import OpenQuestions, Pressed
from tabwright.errors import ApprovalTimeout, Denied, NobodyToAsk, TimedOut, ToolError
from tabwright.model import Json, JsonObject
from tabwright.policy.actions import LAUNCHED, Access, Action, Ask
from tabwright.policy.grants import Consent, Scope
from tabwright.policy.text import clean, clean_block

log = logging.getLogger(__name__)

ANSWER_S: Final = 60.0
"""How long a question stands before it is refused."""
MAX_VALUE: Final = 2_000
MAX_DETAILS: Final = 12
MAX_QUESTION: Final = 1_000
_SCOPES: Final = frozenset(scope.value for scope in Scope)
_TIMEOUT: Final = Pressed("timeout")


class Asking(Exception):
    """The call ends with a question, and is made again with its answer. No failure: an edge turns it into that."""


class Approver(Protocol):
    """Whoever can put a question to the person."""

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> Consent:
        """The person's yes. `during`: the call runs already, and cannot be put off.

        Raises:
            ToolError: refused, not answered in time, or nobody to ask.
            Asking: the client must ask, and call again.
        """
        ...


class Running:
    """The same approver for a call that has begun: what it did must not be done again for a question's sake."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> Consent:
        return await self._approver.approve(action, ask, during=True)


class InBrowser:
    """A window of the extension asks, in the browser it is about, else in any other that a person sees; and so does the
    dashboard, which has the question alone where no browser can show it. The first answer counts."""

    def __init__(
        self, browsers: Browsers, is_seen: Callable[[Browser], bool], questions: OpenQuestions | None = None
    ) -> None:
        self._browsers = browsers
        self._is_seen = is_seen
        self._questions = questions or OpenQuestions()

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> Consent:
        browser = self._seen(action)
        if browser is None and not self._questions.watched:
            raise nobody_to_ask(action, ask)
        told = _told(action, ask)
        with self._questions.put(str(told["askId"]), told, ANSWER_S) as pressed:
            answer = None if browser is None else await self._in_window(browser, told, pressed)
            if answer is None and not self._questions.watched:
                raise nobody_to_ask(action, ask)
            answer = answer or await _within(pressed)
        if answer.word == "timeout":
            raise ApprovalTimeout(action.tool, ANSWER_S)
        if answer.word not in _SCOPES:
            raise refusal(action)
        return granted(action, ask, Scope(answer.word), answer.chosen)

    async def _in_window(
        self, browser: Browser, told: JsonObject, pressed: "asyncio.Future[Pressed]"
    ) -> Pressed | None:
        """What was pressed there, or on the dashboard before; None: the browser could not ask."""
        window = asyncio.ensure_future(browser.person.ask(told, ANSWER_S))
        try:
            await asyncio.wait({window, pressed}, return_when=asyncio.FIRST_COMPLETED)
            return pressed.result() if pressed.done() else Pressed.of(window.result())
        except TimedOut:
            return _TIMEOUT
        except ToolError as exc:
            log.info("the browser could not ask: %s", exc)
            return None
        finally:
            # the window closes when nobody waits for its answer
            window.cancel()

    def _seen(self, action: Action) -> Browser | None:
        seen = [
            browser
            for browser in self._browsers.all()
            if browser.linked and browser.person.can_ask and self._is_seen(browser)
        ]
        return next((browser for browser in seen if profile_of(browser) == action.profile), next(iter(seen), None))


async def _within(pressed: "asyncio.Future[Pressed]") -> Pressed:
    try:
        async with asyncio.timeout(ANSWER_S):
            return await pressed
    except TimeoutError:
        return _TIMEOUT


def profile_of(browser: Browser) -> str:
    """The profile as grants know it."""
    return LAUNCHED if browser.launched else browser.id


def granted(action: Action, ask: Ask, scope: Scope, chosen: Collection[str] | None = None) -> Consent:
    """A yes, for no longer and no more than the question said. Whoever shows no choices agrees to all of them.

    Raises:
        Denied: everything was struck out.
    """
    left = tuple(choice for choice in ask.choices if chosen is None or choice in chosen)
    if ask.choices and not left:
        raise refusal(action)
    return Consent(scope if ask.covers else Scope.ONCE, left)


def refusal(action: Action) -> Denied:
    return Denied(f"{action.tool} was not run: the person said no.", "Do not try again unless the person asks for it.")


def nobody_to_ask(action: Action, ask: Ask) -> NobodyToAsk:
    """Refused at once, with what the person could type instead."""
    told = f"{action.tool} needs the person's consent ({ask.question}), and nobody can be asked."
    kinds = [kind for kind in ask.covers if kind is not Access.READ or len(ask.covers) == 1]
    if not kinds or not action.site:
        return NobodyToAsk(told)
    import shlex

    words = ["tabwright", "grant", action.site, *(kind.value for kind in kinds), "--client", action.principal.client]
    return NobodyToAsk(told, f"The person can allow it on the command line: `{shlex.join(words)}`")


def _told(action: Action, ask: Ask) -> JsonObject:
    """What the prompt shows: who wants what where, and what exactly would be done."""
    details: list[Json] = [
        {"name": clean(name, 60), "value": _shown(value)}
        for name, value in list(action.arguments.items())[:MAX_DETAILS]
    ]
    return {
        "askId": secrets.token_hex(8),
        "client": clean(action.principal.client, 60),
        "origin": clean(action.site, 200),
        "tool": clean(action.tool, 80),
        "kind": action.kind.value,
        "question": clean(ask.question, MAX_QUESTION),
        "details": details,
        **({"choices": [*ask.choices]} if ask.choices else {}),
        "lasting": bool(ask.covers),
        "seconds": ANSWER_S,
    }


def _shown(value: Json) -> str:
    """An argument as the person reads it; that it goes on is said, or a harmless beginning would hide the rest."""
    text = clean_block(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1))
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}\n… and {len(text) - MAX_VALUE} more characters"
