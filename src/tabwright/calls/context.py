"""What every session's calls share: browsers, holds, the catalogue, policy, asking, audit, launching."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.asking import Approver
from tabwright.calls.audit import Audit
from tabwright.calls.hub import Hub
from tabwright.calls.permission import Permissions
from tabwright.model import SessionId, TabId
from tabwright.session.holds import Holds
from tabwright.tools.files import Files
from tabwright.tools.shortcut import Shortcuts
from tabwright.tools.tool import AnyTool


class Launcher(Protocol):
    """Brings a browser when none is there."""

    async def launch(self) -> str:
        """Returns what it launched, in a few words, once that is running; its link follows.

        Raises:
            LaunchFailed: it could not be started.
        """
        ...

    def expected(self) -> float:
        """How many seconds it is worth waiting for a paired browser to link by itself before launching one."""
        ...


class FileKeeper(Protocol):
    """Files of this machine, for all sessions."""

    def of(self, session: SessionId, upload_dirs: tuple[str, ...], output_dir: str | None) -> Files:
        """What one session may upload, and where what it makes is saved."""
        ...


@dataclass(frozen=True)
class Catalog:
    """All tools of ours, whoever may see them."""

    tools: tuple[AnyTool, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)

    def find(self, name: str) -> AnyTool | None:
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, AnyTool]:
        return {tool.name: tool for tool in self.tools}


@dataclass(frozen=True)
class CallContext:
    catalog: Catalog
    browsers: Browsers
    holds: Holds
    permissions: Permissions
    approver: Approver
    audit: Audit
    launcher: Launcher
    files: FileKeeper
    shortcuts: Shortcuts
    hub: Hub
    connect_wait_s: float
    names: Callable[[], dict[SessionId, str]]
    """What each session is called, for errors that name another."""
    focus_left: Callable[[Browser, TabId], None]
    """A session has turned away from a tab: its page need not be watched for that session any more."""
    holds_changed: Callable[[], None]
    """Draw anew what the person sees of holds."""
    spawn: Callable[[Coroutine[Any, Any, None]], object]
    """Run something beside the calls; its failure is logged and harms nobody."""
