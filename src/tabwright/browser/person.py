"""What one linked browser shows to its person, and asks of them: groups of tabs, who holds what, questions.

An extension that cannot show something is not asked to.
"""

from dataclasses import replace
from typing import Final

from tabwright.browser.link import Link
from tabwright.browser.numbers import TabNumbers
from tabwright.model import Json, JsonObject, TabId, TabInfo

ASKED_S: Final = 5.0
"""How much longer than the person the extension may take with their answer."""


class PersonSide:
    """The browser as whoever sits before it sees it. `tabs` is the browser's own mirror."""

    def __init__(self, link: Link, numbers: TabNumbers, tabs: dict[TabId, TabInfo]) -> None:
        self._link = link
        self._numbers = numbers
        self._tabs = tabs

    async def group(self, tab_id: TabId, group_id: int | None, title: str, color: str) -> int | None:
        """Put a tab into a session's group, making the group if it is gone; None where there are no groups."""
        if "groupTabs" not in self._link.commands:
            return None
        params: JsonObject = {"tabIds": [self._numbers.raw(tab_id)], "title": title, "color": color}
        if group_id is not None:
            params["groupId"] = group_id
        made = (await self._link.request("groupTabs", params)).get("groupId")
        if not isinstance(made, int):
            return None
        if (tab := self._tabs.get(tab_id)) is not None:
            # the browser's own report follows a moment later; until then the next call would be told otherwise
            self._tabs[tab_id] = replace(tab, group_id=made)
        return made

    async def ungroup(self, tab_id: TabId, group_id: int) -> None:
        """Take a tab out of a session's group. One that the person moved elsewhere stays there."""
        tab = self._tabs.get(tab_id)
        if tab is not None and tab.group_id == group_id and "ungroupTabs" in self._link.commands:
            await self._link.request("ungroupTabs", {"tabIds": [self._numbers.raw(tab_id)]})

    async def show_group(self, group_id: int, title: str, color: str) -> None:
        """Give a session's group another look."""
        if "updateGroup" in self._link.commands:
            await self._link.request("updateGroup", {"groupId": group_id, "title": title, "color": color})

    async def close_group(self, group_id: int) -> None:
        """Close a session's group and the tabs in it."""
        if "closeGroup" in self._link.commands:
            await self._link.request("closeGroup", {"groupId": group_id})

    async def show_holds(self, sessions: list[Json]) -> None:
        """Let the person see which tabs agents hold."""
        if "showHolds" in self._link.commands:
            await self._link.request("showHolds", {"sessions": sessions})

    async def show_activity(self, told: JsonObject) -> None:
        """Tell pages of the extension that are open what they show: grants, the latest calls.

        Raises:
            ToolError: the browser could not be told.
        """
        if "showActivity" in self._link.commands:
            await self._link.request("showActivity", told)

    async def open_dashboard(self, url: str) -> None:
        """Raises:
        ToolError: the browser could not.
        """
        if "openDashboard" in self._link.commands:
            await self._link.request("openDashboard", {"url": url})

    @property
    def can_ask(self) -> bool:
        """Whether its extension can put a question to the person."""
        return "askPerson" in self._link.commands

    async def ask(self, question: JsonObject, within_s: float) -> JsonObject:
        """Open a window with the question; `answer`: what the person pressed there, or `timeout`; `chosen`: what they
        left of its choices."""
        return await self._link.request("askPerson", question, within_s + ASKED_S)
