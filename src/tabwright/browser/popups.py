"""Tabs that pages open, and the dialogs in them: a page waits for its popup's dialog, so both tabs are held up.

A popup may show a dialog before the browser has told that there is such a tab.
"""

from collections.abc import Callable, Mapping
from typing import Final

from tabwright.browser.tab import Tab
from tabwright.errors import DialogOpen, PopupDialog
from tabwright.link import events
from tabwright.model import TabId, TabInfo

OPENING: Final = "Page.javascriptDialogOpening"
MAX_EARLY: Final = 20


class Popups:
    """Hands what the debugger tells to the tab it is about. `acted_on` and `tabs` are the browser's own."""

    def __init__(
        self, acted_on: Mapping[TabId, Tab], tabs: Mapping[TabId, TabInfo], at: Callable[[TabId], Tab]
    ) -> None:
        self._acted_on = acted_on
        self._tabs = tabs
        self._at = at
        self._early: dict[TabId, events.CdpEvent] = {}

    def debugged(self, tab_id: TabId, event: events.CdpEvent) -> None:
        """The debugger told something of a tab, which may be one that nobody has told of yet."""
        tab = self._acted_on.get(tab_id)
        if tab is not None:
            tab.cdp.apply(event)
            if event.method == OPENING:
                self._stir_opener(tab_id)
        elif event.method == OPENING:
            self._early[tab_id] = event
            while len(self._early) > MAX_EARLY:
                self._early.pop(next(iter(self._early)))

    def opened(self, tab_id: TabId, opener: TabId) -> None:
        """A page of `opener` has opened a tab: whoever acts there is told, and its debugger sees the new one too."""
        if opener in self._acted_on:
            self._acted_on[opener].popup_opened(tab_id)
            if self._acted_on[opener].cdp.attached and tab_id in self._tabs:
                self._at(tab_id).cdp.attachment.adopt()

    def catch_up(self, tab_id: TabId) -> None:
        """Tell of the dialog that came before its tab."""
        early = self._early.pop(tab_id, None)
        if early is not None and tab_id in self._acted_on:
            self.debugged(tab_id, early)

    def dialog_of(self, opener: Tab) -> DialogOpen | None:
        """The dialog in a tab that this one has opened."""
        for tab_id in opener.opened:
            dialog = None if tab_id not in self._acted_on else self._acted_on[tab_id].cdp.dialog
            if dialog is not None:
                return PopupDialog(tab_id, dialog.kind, dialog.message)
        return None

    def _stir_opener(self, tab_id: TabId) -> None:
        for tab in self._acted_on.values():
            if tab_id in tab.opened:
                tab.cdp.dialogs.stir()
