"""Whose an extension is: one record for each user, and the rule by which two replicas never both keep one.

Each arrival of an extension gets an epoch above all that are known for it when it is first written down. Whoever finds
a higher one for the same extension has lost it and lets go. The clock only matters when every record was lost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tabwright.proxy.cluster_wire import Entry, Record
from tabwright.proxy.model import ExtensionId
from tabwright.proxy.peers import Extension


@dataclass(slots=True, eq=False)
class Arrival:
    """One extension on one of our sockets, as others may call it."""

    extension: Extension
    id: str
    subject: str
    epoch: int = 0
    """0: not written down yet."""
    confirmed: bool = False
    """Nobody else can have it, as far as the record goes; until then nobody elsewhere is served."""

    @property
    def named(self) -> bool:
        """Whether it keeps its id wherever it arrives; one that we made up ourselves is nobody else's."""
        return self.extension.identity.extension_id is not None


@dataclass(slots=True)
class Claim:
    """What becomes of a record once our own extensions are in it."""

    record: Record
    lost: list[Arrival] = field(default_factory=list[Arrival])
    """Ours no more: another replica has them since."""
    taken: list[tuple[ExtensionId, Entry]] = field(default_factory=list[tuple[ExtensionId, Entry]])
    """Held by others until now, who should know."""
    epochs: list[tuple[Arrival, int]] = field(default_factory=list[tuple[Arrival, int]])


def claim(found: Record, ours: Iterable[Arrival], replica: str, is_alive: Callable[[str], bool], wall_ms: int) -> Claim:
    """Put our arrivals into the record that was found, and leave out those of replicas that are gone."""
    made = Claim({name: entry for name, entry in found.items() if entry.replica != replica and is_alive(entry.replica)})
    for arrival in ours:
        name = arrival.extension.id
        known = found.get(name)
        other = None if known is None or known.replica == replica else known
        if arrival.epoch and other is not None and (other.epoch, other.replica) > (arrival.epoch, replica):
            made.lost.append(arrival)
            continue
        epoch = arrival.epoch or max(wall_ms, known.epoch + 1 if known is not None else 0)
        made.epochs.append((arrival, epoch))
        made.record[name] = Entry(arrival.extension.name, replica, arrival.id, epoch)
        if other is not None:
            made.taken.append((name, other))
    return made
