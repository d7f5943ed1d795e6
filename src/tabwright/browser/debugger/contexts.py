"""Where scripts run in a tab, as its debugger tells: the worlds of our page agents, in every process of the page.

Listens from the first day of the tab, because Chrome tells of what is there only when somebody begins to listen.
"""

import re
from dataclasses import dataclass
from typing import Final

from tabwright.browser.debugger.children import Children
from tabwright.errors import ToolError
from tabwright.link.events import CdpEvent

EVALUATE_S: Final = 3.0
_AGENT: Final = "globalThis[Symbol.for('tabwright.agent')]?.get('refs')"
_AGENT_ID: Final = re.compile(r"[0-9-]+")


@dataclass(frozen=True, slots=True)
class AgentObject:
    """An element in a page agent's world. `session` names the process of its frame; None is the page's own."""

    object_id: str
    session: str | None


class Contexts:
    """The isolated worlds of one tab."""

    def __init__(self, children: Children) -> None:
        self._children = children
        self._worlds: dict[tuple[str | None, int], None] = {}
        children.listen("Runtime.executionContext", self._heard)
        children.listen("Target.detachedFromTarget", self._heard)

    async def find(self, agent: str, number: int) -> AgentObject | None:
        """The element that a page agent numbered so; None where the debugger does not reach it.

        Raises:
            ToolError: the debugger cannot be attached.
        """
        if not _AGENT_ID.fullmatch(agent):
            return None
        await self._children.enable("Runtime")
        try:
            for session, context in tuple(self._worlds):
                found = await self._ask(session, context, agent, number)
                if found is not None:
                    return AgentObject(found, session)
        finally:
            await self._children.disable("Runtime")
        return None

    async def _ask(self, session: str | None, context: int, agent: str, number: int) -> str | None:
        expression = (
            f"(() => {{ const refs = {_AGENT}; return refs?.agent === '{agent}' "
            f"? refs.resolve({{agent: '{agent}', number: {number}}}) : null; }})()"
        )
        try:
            told = await self._children.send(
                "Runtime.evaluate",
                {"expression": expression, "contextId": context},
                session=session,
                within_s=EVALUATE_S,
            )
        except ToolError:
            # the world went with its page
            self._worlds.pop((session, context), None)
            return None
        match told.get("result"):
            case {"objectId": str(object_id)}:
                return object_id
            case _:
                return None

    def _heard(self, event: CdpEvent) -> None:
        match event.method, event.params:
            case "Runtime.executionContextCreated", {"context": {"id": int(number), "auxData": {"type": "isolated"}}}:
                self._worlds[event.session_id, number] = None
            case "Runtime.executionContextDestroyed", {"executionContextId": int(number)}:
                self._worlds.pop((event.session_id, number), None)
            case "Runtime.executionContextsCleared", _:
                self._forget(event.session_id)
            case "Target.detachedFromTarget", {"sessionId": str(session)}:
                self._forget(session)
            case _:
                pass

    def _forget(self, session: str | None) -> None:
        self._worlds = {key: None for key in self._worlds if key[0] != session}
