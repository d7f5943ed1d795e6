"""Stand-ins for what is injected: a browser's link, the person, the audit, the launcher, a client to notify."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.audit import Entry, Event
from tabwright.errors import Denied, ToolError
from tabwright.link import events
from tabwright.link.foreign import ForeignDialect
from tabwright.link.local import LocalDialect
from tabwright.model import BrowserId, Json, JsonObject, PageTool, SessionId, TabId, TabInfo
from tabwright.policy.actions import Action, Ask
from tabwright.policy.grants import Consent, Grant, GrantKey, Scope
from tabwright.tools.files import LocalFile
from tabwright.tools.shortcut import Shortcut

LOCAL: Final = LocalDialect().commands
FOREIGN: Final = ForeignDialect().commands
BOUND_S: Final = 5.0


def tab(number: int, url: str = "https://example.com/", title: str = "Example", **more: Any) -> TabInfo:
    """A tab as a browser reports it."""
    return TabInfo(TabId(number), title, url, **more)


def tool(name: str, description: str = "Does it.", **properties: Json) -> PageTool:
    """A tool as a page offers it."""
    return PageTool(name, description, {"type": "object", "properties": properties})


class FakeLink:
    """A link that answers from a table, and remembers what it was asked."""

    def __init__(self, commands: Iterable[str] = LOCAL) -> None:
        self.commands = frozenset(commands)
        self.remote = False
        self.sent: list[tuple[str, JsonObject]] = []
        self.answers: dict[str, JsonObject | ToolError] = {}
        self.gates: dict[str, asyncio.Event] = {}
        """A command with a gate waits until it is opened."""
        self.reached = asyncio.Event()
        """Some command stands before its gate."""

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        assert command in self.commands, command
        self.sent.append((command, params))
        if command in self.gates:
            self.reached.set()
            await self.gates[command].wait()
        answer = self.answers.get(command)
        if isinstance(answer, ToolError):
            raise answer
        return self.perform(command, params) if answer is None else answer

    def perform(self, command: str, params: JsonObject) -> JsonObject:
        return {}

    def asked(self, command: str) -> list[JsonObject]:
        return [params for name, params in self.sent if name == command]


class FakeChrome(FakeLink):
    """A browser with tabs: commands change it, and it reports what happens as a link would."""

    def __init__(self, browsers: Browsers, browser_id: str, *, foreign: bool = False, launched: bool = False) -> None:
        super().__init__(FOREIGN if foreign else LOCAL)
        self.results: dict[str, Json] = {}
        self.report_late = False
        """The answer to createTab overtakes the report of the new tab."""
        self.new_page: tuple[PageTool, ...] = ()
        """What the page of a new tab offers."""
        self.next_id = 100
        self.browser: Browser = browsers.add(BrowserId(browser_id), self, launched=launched)

    def tell(self, *happened: events.LinkEvent) -> None:
        for event in happened:
            self.browser.apply(event)

    def link(self, *tabs: TabInfo) -> None:
        self.tell(events.Connected("Chrome", "120.0.0", tabs))

    def offer(self, tab_id: int, *tools: PageTool) -> None:
        self.tell(events.ToolsReported(tab_id, tools))

    def perform(self, command: str, params: JsonObject) -> JsonObject:
        tab_id = params.get("tabId")
        match command:
            case "createTab":
                self.next_id += 1
                url = str(params["url"])
                if not self.report_late:
                    self.tell(events.TabCreated(tab(self.next_id, url, "Loading...")))
                    self.offer(self.next_id, *self.new_page)
                return {"tabId": self.next_id, "url": url}
            case "closeTab":
                assert isinstance(tab_id, int)
                self.tell(events.TabClosed(tab_id))
                return {"tabId": tab_id}
            case "groupTabs":
                return {"groupId": params.get("groupId", 7)}
            case "callTool":
                return {"result": self.results.get(str(params["toolName"]))}
            case _:
                return {}


class Notices:
    """A client that counts its list_changed notices."""

    def __init__(self) -> None:
        self.count = 0
        self._told = asyncio.Condition()

    async def __call__(self) -> None:
        async with self._told:
            self.count += 1
            self._told.notify_all()

    async def reach(self, count: int) -> None:
        async with asyncio.timeout(BOUND_S), self._told:
            await self._told.wait_for(lambda: self.count >= count)


class FakeAudit:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.events: list[Event] = []

    def record(self, entry: Entry | Event) -> None:
        if isinstance(entry, Entry):
            self.entries.append(entry)
        else:
            self.events.append(entry)

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        return [(entry.tool, entry.outcome) for entry in self.entries]


class FakeApprover:
    """The person: agrees, unless given a refusal."""

    def __init__(self) -> None:
        self.asked: list[tuple[Action, Ask]] = []
        self.refusal: ToolError | None = None
        self.scope = Scope.ONCE
        self.struck: tuple[str, ...] = ()

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> Consent:
        self.asked.append((action, ask))
        if self.refusal is not None:
            raise self.refusal
        return Consent(self.scope, tuple(choice for choice in ask.choices if choice not in self.struck))


class FakeShortcuts:
    """Shortcuts in memory."""

    def __init__(self) -> None:
        self.saved: dict[str, Shortcut] = {}

    def shortcuts(self) -> Sequence[Shortcut]:
        return sorted(self.saved.values(), key=lambda each: each.command)

    def save_shortcut(self, shortcut: Shortcut) -> None:
        self.saved[shortcut.id] = shortcut

    def remove_shortcut(self, shortcut_id: str) -> None:
        self.saved.pop(shortcut_id, None)


class FakeFiles:
    """A machine without a file that may be uploaded."""

    def of(self, session: SessionId, upload_dirs: tuple[str, ...], output_dir: str | None) -> "FakeFiles":
        return self

    async def offered(self, path: str) -> LocalFile:
        raise Denied("There are no files here.")

    async def read(self, file: LocalFile) -> bytes:
        raise Denied("There are no files here.")

    async def save(self, name: str, data: bytes, mime_type: str) -> LocalFile:
        return LocalFile(Path("/nowhere") / name, len(data), mime_type)


class FakeLauncher:
    """Launching runs `starts`, which brings a browser, or fails."""

    def __init__(self) -> None:
        self.launched = 0
        self.starts: Callable[[], None] = lambda: None

    async def launch(self) -> str:
        self.launched += 1
        self.starts()
        return "a fake browser"

    def expected(self) -> float:
        return 0.01


async def settle() -> None:
    """Let everything that can run now, run."""
    for _ in range(10):
        await asyncio.sleep(0)


class FakeGrantMemory:
    """Grants in memory."""

    def __init__(self) -> None:
        self.kept: dict[GrantKey, Grant] = {}

    def grants(self) -> Sequence[Grant]:
        return list(self.kept.values())

    def keep_grant(self, grant: Grant) -> None:
        self.kept[grant.key] = grant

    def drop_grant(self, key: GrantKey) -> None:
        self.kept.pop(key, None)
