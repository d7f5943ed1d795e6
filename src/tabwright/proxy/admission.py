"""Who may even open a socket: how many strangers at once, in all and from one address, and how fast they come.

A stranger is a peer that has not proved who it is. Addresses are the socket's, or what our own front server says.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from tabwright.proxy.buckets import Bucket

MAX_ADDRESSES: Final = 10_000


@dataclass(frozen=True, slots=True)
class DoorLimits:
    strangers: int = 2_000
    strangers_per_address: int = 200
    connects_per_address: float = 100.0
    """A second, with a burst of five seconds' worth; 0: as many as they like."""


class Door:
    """Counts strangers. `arrived` and `known` or `left` come in pairs."""

    def __init__(self, limits: DoorLimits) -> None:
        self.limits = limits
        self._strangers: dict[str, int] = {}
        self._total = 0
        self._rates: OrderedDict[str, Bucket] = OrderedDict()

    @property
    def strangers(self) -> int:
        return self._total

    def arrived(self, address: str, now: float) -> str | None:
        """Let one in, or say why not."""
        if not self._rate(address, now).take(now):
            return "Too many connections a second from this address."
        if self._total >= self.limits.strangers:
            return "Too many connections that have not authenticated."
        if self._strangers.get(address, 0) >= self.limits.strangers_per_address:
            return "Too many connections from this address that have not authenticated."
        self._total += 1
        self._strangers[address] = self._strangers.get(address, 0) + 1
        return None

    def left(self, address: str) -> None:
        """A stranger has gone, or is one no more."""
        self._total -= 1
        count = self._strangers.pop(address) - 1
        if count:
            self._strangers[address] = count

    def _rate(self, address: str, now: float) -> Bucket:
        bucket = self._rates.get(address)
        if bucket is None:
            rate = self.limits.connects_per_address
            bucket = self._rates[address] = Bucket(rate, rate * 5, now)
            if len(self._rates) > MAX_ADDRESSES:
                self._rates.popitem(last=False)
        self._rates.move_to_end(address)
        return bucket
