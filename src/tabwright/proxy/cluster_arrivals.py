"""Extensions on our own sockets, as other replicas may call them: each arrival has a subject of its own."""

from collections.abc import Callable, Container
from typing import Final

from tabwright.proxy.cluster_presence import Arrival
from tabwright.proxy.cluster_wire import call_subject
from tabwright.proxy.model import Announce, Effect, Listen, UserId
from tabwright.proxy.peers import Extension

SPREAD_S: Final = 0.4
"""Over how long presence is written again when the broker is back: all is as before within a second."""


class Arrivals:
    def __init__(self, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._by_subject: dict[str, Arrival] = {}
        self._subjects: dict[Extension, str] = {}
        self._by_user: dict[UserId, dict[str, Arrival]] = {}

    def at(self, subject: str) -> Arrival | None:
        return self._by_subject.get(subject)

    def of(self, user: UserId) -> list[Arrival]:
        return list(self._by_user.get(user, {}).values())

    def arrived(self, extension: Extension) -> list[Effect]:
        token = self._new_token()
        subject = call_subject(extension.user.id, extension.id, token)
        arrival = self._by_subject[subject] = Arrival(extension, token, subject)
        self._by_user.setdefault(extension.user.id, {})[subject] = arrival
        self._subjects[extension] = subject
        return [Listen(subject, on=True), Announce(extension.user.id)]

    def departed(self, extension: Extension) -> list[Effect]:
        subject = self._subjects.pop(extension, None)
        if subject is None:
            return []
        del self._by_subject[subject]
        mine = self._by_user[extension.user.id]
        del mine[subject]
        if not mine:
            del self._by_user[extension.user.id]
        return [Listen(subject, on=False), Announce(extension.user.id)]

    def doubt(self) -> None:
        """The broker was away: who else may have our extensions is to be seen."""
        for arrival in self._by_subject.values():
            arrival.confirmed = arrival.confirmed and not arrival.named

    def announce_all(self, awaited: Container[UserId]) -> list[Effect]:
        """Everybody with an extension here: those whom others wait for now, the rest not all at once."""
        now = [Announce(user) for user in self._by_user if user in awaited]
        return [*now, *(Announce(user, SPREAD_S) for user in self._by_user if user not in awaited)]
