"""Tab numbers that clients see, unique over all linked browsers."""

from tabwright.errors import TabNotFound
from tabwright.model import BrowserId, TabId


class TabNumbers:
    """Chrome's own number for a tab, unless another linked browser uses it: then the next free one."""

    def __init__(self) -> None:
        self._shown: dict[tuple[BrowserId, int], TabId] = {}
        self._owner: dict[TabId, tuple[BrowserId, int]] = {}

    def shown(self, browser: BrowserId, raw: int) -> TabId:
        key = (browser, raw)
        known = self._shown.get(key)
        if known is not None:
            return known
        number = TabId(raw)
        if number in self._owner:
            number = TabId(max(self._owner) + 1)
        self._shown[key], self._owner[number] = number, key
        return number

    def known(self, browser: BrowserId, raw: int) -> TabId | None:
        """The number of a tab that has been shown, if it has."""
        return self._shown.get((browser, raw))

    def raw(self, tab_id: TabId) -> int:
        """The browser's own number for a tab that has been shown.

        Raises:
            TabNotFound: it is gone: whoever waited for something may come too late.
        """
        if tab_id not in self._owner:
            raise TabNotFound(tab_id, closed=True)
        return self._owner[tab_id][1]

    def forget_all(self, browser: BrowserId) -> None:
        for key in [key for key in self._shown if key[0] == browser]:
            del self._owner[self._shown.pop(key)]

    def forget(self, tab_id: TabId) -> None:
        key = self._owner.pop(tab_id, None)
        if key is not None:
            del self._shown[key]
