"""The debugger's sessions of a tab's frames and workers that live in processes of their own.

Events of a domain come from them as from the page itself once it is enabled in each, those that appear later included.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from tabwright.browser.debugger.cdp import Cdp, Listener
from tabwright.errors import ToolError
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

Greeter = Callable[[str], Awaitable[None]]
_KINDS: Final = frozenset({"iframe", "worker"})
_AUTO_ATTACH: Final[JsonObject] = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}


class Children:
    """One tab's. Asleep until somebody wants a domain."""

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp
        self._domains: Counter[str] = Counter()
        self._sessions: set[str] = set()
        self._work: set[asyncio.Task[None]] = set()
        self._greeters: dict[str, Greeter] = {}
        cdp.listen("Target.", self._heard)
        cdp.listen("Inspector.detached", self._detached)

    def listen(self, prefix: str, listener: Listener) -> None:
        """Hear of events, the page's own and its children's."""
        self._cdp.listen(prefix, listener)

    async def send(
        self, method: str, params: JsonObject, *, session: str | None = None, within_s: float | None = None
    ) -> JsonObject:
        """One command, to the page or one of its children.

        Raises:
            ToolError: refused, or not answered in time.
        """
        return await self._cdp.send(method, params, session=session, within_s=within_s)

    def greet(self, domain: str, greeter: Greeter) -> None:
        """What is to be done with each child once a domain is enabled in it."""
        self._greeters[domain] = greeter

    async def enable(self, domain: str) -> None:
        """One more user of a domain's events, in the page and in all its children."""
        self._domains[domain] += 1
        try:
            await self._cdp.attachment.enable(domain)
            await self.ensure()
            for session in tuple(self._sessions):
                await self._enable(domain, session)
        except BaseException:
            await self.disable(domain)
            raise

    async def disable(self, domain: str) -> None:
        """One user less."""
        self._domains[domain] -= 1
        if self._domains[domain] <= 0:
            del self._domains[domain]
            for session in tuple(self._sessions) if self._cdp.attached else ():
                await self._send(f"{domain}.disable", session)
        await self._cdp.attachment.disable(domain)

    async def ensure(self) -> None:
        """Attach to the children, which is no news for those that are; what was lost meanwhile comes back."""
        if self._domains:
            await self._cdp.send("Target.setAutoAttach", _AUTO_ATTACH)
            await self.settled()

    async def settled(self) -> None:
        """Wait until what has appeared so far is set up."""
        while self._work:
            await asyncio.wait(tuple(self._work))

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Something to be done with a child that events alone do not do."""
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    def _heard(self, event: CdpEvent) -> None:
        session = event.params.get("sessionId")
        if not isinstance(session, str):
            return
        match event.method:
            case "Target.attachedToTarget" if _kind(event) in _KINDS and self._domains:
                self._sessions.add(session)
                self.begin(self._set_up(session))
            case "Target.detachedFromTarget":
                self._sessions.discard(session)
            case _:
                pass

    def _detached(self, event: CdpEvent) -> None:
        if event.session_id is None:
            self._sessions.clear()

    async def _set_up(self, session: str) -> None:
        for domain in tuple(self._domains):
            await self._enable(domain, session)
        await self._send("Target.setAutoAttach", session, _AUTO_ATTACH)

    async def _enable(self, domain: str, session: str) -> None:
        await self._send(f"{domain}.enable", session)
        if domain in self._greeters:
            await self._greeters[domain](session)

    async def _send(self, method: str, session: str, params: JsonObject | None = None) -> None:
        # a child may go at any moment, and with it all there was to hear
        with contextlib.suppress(ToolError):
            await self._cdp.send(method, params, session=session, within_s=2.0)


def _kind(event: CdpEvent) -> str:
    info = event.params.get("targetInfo")
    return str(info.get("type")) if isinstance(info, dict) else ""
