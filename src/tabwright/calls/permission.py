"""Whether a call may run: the policy asked, the person asked, and what they agreed to kept.

Asked before a call, and again of the page that a call led to: a page that is closed to agents is not told of, and a tab
that shows one is unreadable until it leaves.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from tabwright.calls.asking import profile_of
from tabwright.calls.audit import Audit, Event
from tabwright.errors import Denied, ToolError
from tabwright.model import TabInfo
from tabwright.policy.actions import Access, Action, Allow, Ask, Decision, Deny
from tabwright.policy.decide import decide
from tabwright.policy.grants import Consent, Grants
from tabwright.policy.rules import Rules
from tabwright.policy.sites import host_here, site_of
from tabwright.policy.urls import origin_of, scheme_of

if TYPE_CHECKING:
    from tabwright.calls.desk import CallDesk
    from tabwright.calls.session import Session

CLOSED: Final = "(closed to agents)"
_OF_FRAMES: Final = frozenset({Access.ACT, Access.UPLOAD})
"""What reaches into frames of other sites. Scripts run in the page itself."""


class Ports(Protocol):
    """What listens at ports of this machine."""

    @property
    def unsafe(self) -> frozenset[int]:
        """Those at which something else than a web server was found."""
        ...

    async def look(self, host: str, port: int) -> None:
        """Find out what listens there, within bounds."""
        ...


class Permissions:
    """What all sessions share of it. `rules` are read anew for each question: the person may change them."""

    def __init__(self, rules: Callable[[], Rules], grants: Grants, audit: Audit, ports: Ports | None = None) -> None:
        self._written = rules
        self._ports = ports
        self.grants = grants
        self._audit = audit
        self._asking: dict[tuple[str, str, Access], asyncio.Lock] = {}

    def _rules(self) -> Rules:
        rules = self._written()
        unsafe = frozenset[int]() if self._ports is None else self._ports.unsafe
        return replace(rules, unsafe_ports=unsafe) if unsafe else rules

    def judge(self, session: "Session", action: Action) -> Decision:
        return decide(self._placed(session, action), self._rules(), self.grants)

    async def permit(self, session: "Session", desk: "CallDesk", action: Action) -> None:
        """Raises:
        ToolError: denied, or not agreed to.
        """
        action = self._placed(session, action)
        await self._look(action)
        decision = desk.decision = decide(action, self._rules(), self.grants)
        desk.site, desk.page = action.site, _url(session, desk)
        match decision:
            case Allow():
                return
            case Deny():
                raise denial(decision)
            case Ask():
                await self._ask(desk, action)

    async def ask(self, desk: "CallDesk", action: Action, ask: Ask) -> Consent:
        """Put one question to the person; how it ended is on record."""
        answer = "asking"
        try:
            consent = await desk.approver.approve(action, ask)
            answer = consent.scope.value
            return consent
        except ToolError as exc:
            answer = exc.word
            raise
        finally:
            who = action.principal
            self._audit.record(
                Event(
                    "approval", who.session, who.client,
                    {"tool": action.tool, "origin": action.site, "class": action.kind.value, "rule": ask.rule,
                     "answer": answer},
                )
            )  # fmt: skip

    async def look_again(self, session: "Session", desk: "CallDesk") -> None:
        """Ask of the page that a call led its tab to, before anything is told of it.

        Raises:
            Denied: nothing of it may be told.
        """
        tab = None if desk.tab_id is None or session.browser is None else session.browser.tabs.get(desk.tab_id)
        if tab is None or desk.page in (None, tab.url):
            return
        action = Action(
            session.principal, "", Access.READ, {}, origin_of(tab.url), tab.document_id, scheme=scheme_of(tab.url)
        )
        await self._look(self._placed(session, action))
        match self.judge(session, action):
            case Deny() as decision:
                raise Denied(
                    f"Done, but tab {tab.id} was led to a page that is closed to agents: {decision.reason}",
                    f"Navigate elsewhere or close the tab. (rule: {decision.rule})",
                )
            case Ask() as ask:
                raise Denied(
                    f"Done, but tab {tab.id} was led to {action.site}, about which the person is asked first.",
                    f"Call read_page to have them asked. (rule: {ask.rule})",
                )
            case Allow():
                return

    def is_closed(self, session: "Session", origin: str, scheme: str = "", *, access: Access = Access.READ) -> bool:
        """Whether a page of this origin may not be read (yet), or not be acted in by a call that acts."""
        wanted = {Access.READ, access} if access in _OF_FRAMES else {Access.READ}
        actions = (Action(session.principal, "", each, {}, origin, scheme=scheme) for each in wanted)
        return not all(isinstance(self.judge(session, action), Allow) for action in actions)

    def shown(self, session: "Session", tab: TabInfo) -> TabInfo:
        """A tab as a list may show it: of a page that may not be read, no more than where it is from."""
        origin, scheme = origin_of(tab.url), scheme_of(tab.url)
        if scheme in ("", "about") or not self.is_closed(session, origin, scheme):
            return tab
        return replace(tab, title=CLOSED, url=origin or f"{scheme}:")

    def session_ended(self, session: str) -> None:
        self.grants.session_ended(session)
        self._asking = {key: lock for key, lock in self._asking.items() if key[0] != session}

    async def _ask(self, desk: "CallDesk", action: Action) -> None:
        """One question at a time of its kind: who waits for the same may find it answered."""
        key = (action.principal.session, action.site, action.kind)
        async with self._asking.setdefault(key, asyncio.Lock()):
            decision = decide(action, self._rules(), self.grants)
            if isinstance(decision, Deny):
                raise denial(decision)
            if isinstance(decision, Ask):
                consent = await self.ask(desk, action, decision)
                self.grants.agreed(action, decision, consent.scope)

    async def _look(self, action: Action) -> None:
        """A page of this machine may be that of a debugger, at whatever port."""
        site = site_of(action.origin)
        host = None if site is None else host_here(site)
        if self._ports is None or action.far or site is None or host is None or site.port is None:
            return
        if site.scheme == "http" and site.port not in self._written().own_ports:
            await self._ports.look(host, site.port)

    def _placed(self, session: "Session", action: Action) -> Action:
        browser = session.browser
        return action if browser is None else replace(action, profile=profile_of(browser), far=browser.far)


def _url(session: "Session", desk: "CallDesk") -> str:
    tab = None if desk.tab_id is None or session.browser is None else session.browser.tabs.get(desk.tab_id)
    return "" if tab is None else tab.url


def denial(decision: Deny) -> Denied:
    return Denied(decision.reason, f"(rule: {decision.rule})")
