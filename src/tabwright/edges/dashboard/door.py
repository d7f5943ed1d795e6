"""Who may see the dashboard's data: a browser that was given a one-time code by the command line.

Lifecycle of a visit: `tabwright dashboard` asks for a code -> the page gives it back once, soon -> a cookie of the
browser's own stands for it until it grows old or the gateway ends. Cookies do not know ports, so the name holds ours.
"""

import secrets
import time
from collections.abc import Callable
from typing import Final, TypeVar

CODE_S: Final = 120.0
VISIT_S: Final = 12 * 3600.0
MAX_CODES: Final = 16
MAX_VISITS: Final = 32
T = TypeVar("T")


class DashboardDoor:
    """Codes that were given out, and visits that came of them."""

    def __init__(self, port: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.cookie_name: Final = f"tabwright-{port}"
        self._address = f"http://127.0.0.1:{port}/"
        self._clock = clock
        self._codes: dict[str, float] = {}
        self._visits: dict[str, float] = {}
        self._awaited: dict[str, Callable[[], None]] = {}

    def code(self) -> str:
        """A code for one visit; the oldest unused one goes when there are many."""
        made = secrets.token_urlsafe(24)
        _keep(self._codes, made, self._clock() + CODE_S, MAX_CODES)
        return made

    def page(self) -> str:
        """The dashboard's address for one visit. The code stands after the #, which browsers keep to themselves."""
        return f"{self._address}#{self.code()}"

    def await_visit(self, page: str, come: Callable[[], None]) -> None:
        """Have it told when somebody comes by this address; once, and at once if somebody has."""
        code = page.rpartition("#")[2]
        if code in self._codes:
            _keep(self._awaited, code, come, MAX_CODES)
        else:
            come()

    def enter(self, code: str) -> str | None:
        """The cookie's value for a code that was not used before; None if there is no such code (any more)."""
        until = self._codes.pop(code, None)
        if until is None or until < self._clock():
            return None
        made = secrets.token_urlsafe(32)
        _keep(self._visits, made, self._clock() + VISIT_S, MAX_VISITS)
        if (come := self._awaited.pop(code, None)) is not None:
            come()
        return made

    def knows(self, cookies: tuple[str, ...]) -> bool:
        """Whether a request's `Cookie` headers hold that of a visit."""
        return any(self._visits.get(value, 0.0) > self._clock() for value in map(self._value, cookies))

    def _value(self, header: str) -> str:
        # most gateways never see a cookie
        from http.cookies import CookieError, SimpleCookie

        try:
            found = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return ""
        return "" if found is None else found.value


def _keep(table: dict[str, T], key: str, value: T, most: int) -> None:
    while len(table) >= most:
        del table[next(iter(table))]
    table[key] = value
