"""Sessions at work in fake browsers: all parts of `calls/` are real, what is injected is not."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from tabwright.browser.browsers import Browsers
from tabwright.calls.context import Catalog
from tabwright.calls.permission import Permissions
from tabwright.calls.session import Session
from tabwright.calls.sessions import Parts, Sessions
from tabwright.model import Face, Text, Toolset
from tabwright.policy.grants import Grants, NoGrantMemory
from tabwright.policy.rules import Rules
from tabwright.session.workspace import Options
from tabwright.tools import TOOLS
from tests.fakes import FakeApprover, FakeAudit, FakeChrome, FakeFiles, FakeLauncher, FakeShortcuts, Notices

CORE: Final = ["list_tabs", "open_tab", "focus_tab", "close_tab"]
CHOICE: Final = ["list_connected_browsers", "select_browser"]
STABLE: Final = ["connect_browser", *CORE, "page_tools", "call_page_tool"]


class Client:
    """One MCP client: its session, its notices, and the answers it gets."""

    def __init__(self, session: Session, notices: Notices) -> None:
        self.session = session
        self.notices = notices

    @property
    def names(self) -> list[str]:
        """What `tools/list` answers."""
        return [spec.name for spec in self.session.list().specs]

    @property
    def told(self) -> int:
        """How many list_changed notices came."""
        return self.notices.count

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The structured answer of a call that works; its text says the same."""
        result = await self.session.call(tool, arguments)
        assert not result.is_error, result
        [content] = result.content
        assert isinstance(content, Text)
        assert json.loads(content.text) == result.structured
        return result.structured

    async def refused(self, tool: str, **arguments: Any) -> Any:
        """The error of a call that does not."""
        result = await self.session.call(tool, arguments)
        assert result.is_error
        assert result.structured is not None
        error = result.structured["error"]
        assert isinstance(error, dict)
        assert error.keys() == {"code", "message", "next"}
        return error["code"]

    async def text(self, tool: str, **arguments: Any) -> str:
        """The text a page tool answers."""
        result = await self.session.call(tool, arguments)
        assert not result.is_error, result
        [content] = result.content
        assert isinstance(content, Text)
        return content.text


class World:
    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self.browsers = Browsers()
        self.approver = FakeApprover()
        self.audit = FakeAudit()
        self.grants = Grants(NoGrantMemory(), lambda: 0.0)
        self.launcher = FakeLauncher()
        self.files = FakeFiles()
        self.shortcuts = FakeShortcuts()
        self.sessions = Sessions(
            Parts(
                catalog,
                self.browsers,
                Permissions(lambda: rules, self.grants, self.audit),
                self.approver,
                self.audit,
                self.launcher,
                self.files,
                self.shortcuts,
                connect_wait_s=0.01,
            )
        )

    def chrome(self, name: str = "chrome", *, foreign: bool = False, launched: bool = False) -> FakeChrome:
        return FakeChrome(self.browsers, name, foreign=foreign, launched=launched)

    def client(
        self,
        *toolsets: Toolset,
        face: Face = Face.DYNAMIC,
        name: str = "agent",
        activate_on_focus: bool = False,
        follow_active_tab: bool = False,
        shared: bool = False,
    ) -> Client:
        chosen = frozenset(toolsets or (Toolset.FOCUS,))
        options = Options(chosen, face, activate_on_focus, follow_active_tab, shared=shared)
        notices = Notices()
        return Client(self.sessions.open(options, notices, client=name), notices)


@asynccontextmanager
async def world(catalog: Catalog | None = None, rules: Rules | None = None) -> AsyncGenerator[World]:
    made = World(catalog or Catalog(TOOLS), rules or Rules(frozenset({3456})))
    running = asyncio.create_task(made.sessions.run())
    await asyncio.sleep(0)
    try:
        yield made
    finally:
        for session in made.sessions:
            made.sessions.close(session)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
