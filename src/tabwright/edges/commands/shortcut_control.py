"""What the command line can ask about shortcuts: list, show, add, remove, run, record from a session's calls."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.errors import GatewayError, InvalidArguments
from tabwright.model import Audio, Face, Image, Json, JsonObject, Resource, ResourceLink, Text, ToolResult, Toolset
from tabwright.session.workspace import Options
from tabwright.tools.shortcut import MAX_SHORTCUTS, SavedStep, Shortcut, Shortcuts, read_command, read_steps

RUNNER: Final = Options(frozenset({Toolset.FOCUS, Toolset.AUTOMATION}), Face.STABLE)
CLIENT: Final = "tabwright shortcuts"
Answer = Callable[[JsonObject], Awaitable[JsonObject]]


class ShortcutControl:
    """Answers by name: `shortcuts-list` and its like."""

    def __init__(self, shortcuts: Shortcuts, sessions: Sessions, tools: frozenset[str]) -> None:
        self._shortcuts = shortcuts
        self._sessions = sessions
        self._tools = tools
        self._answers: Mapping[str, Answer] = {
            "shortcuts-list": self._list,
            "shortcuts-show": self._show,
            "shortcuts-add": self._add,
            "shortcuts-remove": self._remove,
            "shortcuts-run": self._run,
            "shortcuts-record": self._record,
        }

    def knows(self, method: str) -> bool:
        return method in self._answers

    async def handle(self, method: str, params: JsonObject) -> JsonObject:
        """Raises:
        GatewayError: it failed, in a line for the person.
        """
        return await self._answers[method](params)

    async def _list(self, params: JsonObject) -> JsonObject:
        return {"shortcuts": [_described(shortcut) for shortcut in self._shortcuts.shortcuts()]}

    async def _show(self, params: JsonObject) -> JsonObject:
        return _described(self._named(params))

    async def _add(self, params: JsonObject) -> JsonObject:
        steps = read_steps(params.get("steps"), self._tools)
        return _described(self._save(params, steps))

    async def _remove(self, params: JsonObject) -> JsonObject:
        shortcut = self._named(params)
        self._shortcuts.remove_shortcut(shortcut.id)
        return {"removed": shortcut.command}

    async def _run(self, params: JsonObject) -> JsonObject:
        """In a session of its own, which ends with it; tabs it opened stay open."""
        shortcut, tab_id = self._named(params), params.get("tabId")
        session = self._sessions.open(RUNNER, _not_told, client=CLIENT)
        try:
            asked: JsonObject = {"shortcutId": shortcut.id, "arguments": params.get("arguments") or {}}
            if tab_id is not None:
                asked["tabId"] = tab_id
                for tool, arguments in (("connect_browser", {"launch": True}), ("focus_tab", {"tabId": tab_id})):
                    result = await session.call(tool, dict[str, Json](arguments))
                    if result.is_error:
                        return _told(result)
            return _told(await session.call("shortcuts_execute", asked))
        finally:
            self._sessions.close(session)

    async def _record(self, params: JsonObject) -> JsonObject:
        last = params.get("last")
        session = self._session(params.get("session"))
        steps = session.history.steps(last if isinstance(last, int) and last > 0 else None)
        if not steps:
            raise GatewayError(
                f"{session.workspace.client} has done nothing yet that could be done again.",
                "Let it act first, then record.",
            )
        return _described(self._save(params, steps))

    def _session(self, meant: Json) -> Session:
        """The session a person means by its id or its client's name; without one, the one used last."""
        wanted = str(meant or "").lower()
        found = [
            session
            for session in self._sessions
            if session.workspace.id.startswith(wanted) or session.workspace.client.lower() == wanted
        ]
        if not found and not wanted:
            raise GatewayError("No client is connected.", "Let one act in the browser first, then record.")
        if not found:
            known = ", ".join(f"{each.workspace.client} ({each.workspace.id[:8]})" for each in self._sessions)
            raise GatewayError(f"No session {meant} is there.", f"There are: {known or 'none'}.")
        return max(found, key=lambda session: session.last_used)

    def _save(self, params: JsonObject, steps: tuple[SavedStep, ...]) -> Shortcut:
        command = read_command(str(params.get("command") or ""))
        saved = self._shortcuts.shortcuts()
        known = next((each for each in saved if each.command == command), None)
        if known is not None and params.get("replace") is not True:
            raise GatewayError(f"There is a shortcut {command} already.", "Pass --replace, or remove it first.")
        if known is None and len(saved) >= MAX_SHORTCUTS:
            raise GatewayError(f"There are {MAX_SHORTCUTS} shortcuts, which is the most.", "Remove some.")
        shortcut_id = f"sc_{secrets.token_hex(4)}" if known is None else known.id
        shortcut = Shortcut(shortcut_id, command, str(params.get("description") or "")[:300], steps)
        self._shortcuts.save_shortcut(shortcut)
        return shortcut

    def _named(self, params: JsonObject) -> Shortcut:
        name = str(params.get("command") or "")
        for shortcut in self._shortcuts.shortcuts():
            if name == shortcut.id or name.strip().removeprefix("/").lower() == shortcut.command:
                return shortcut
        raise InvalidArguments(f"There is no shortcut {name!r}.", "See `tabwright shortcuts list`.")


def _described(shortcut: Shortcut) -> JsonObject:
    return {
        "id": shortcut.id,
        "command": shortcut.command,
        "description": shortcut.description,
        "parameters": list[Json](shortcut.parameters),
        "steps": [step.wire for step in shortcut.steps],
    }


def _told(result: ToolResult) -> JsonObject:
    lines = [part.text for part in result.content if isinstance(part, Text)]
    lines += [part.uri for part in result.content if isinstance(part, ResourceLink)]
    lines += [part.in_words for part in result.content if isinstance(part, Audio | Resource)]
    images = sum(isinstance(part, Image) for part in result.content)
    return {"text": "\n".join(lines), "images": images, "isError": result.is_error}


async def _not_told() -> None:
    """Nobody listens for changes of its list."""
