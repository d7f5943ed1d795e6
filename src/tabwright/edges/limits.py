"""How often a client may ask: so many requests a minute, counted by what the server knows of it, never by a header."""

import math
import time

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter


class Rate:
    """One limit, for each client by itself. 0 a minute means none."""

    def __init__(self, a_minute: int) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._item = RateLimitItemPerMinute(a_minute) if a_minute else None

    async def excess(self, client: str) -> int | None:
        """Count one request of a client: None if it may, else the seconds after which it may try again."""
        if self._item is None or await self._limiter.hit(self._item, client):
            return None
        window = await self._limiter.get_window_stats(self._item, client)
        return max(1, math.ceil(window.reset_time - time.time()))

    async def forget(self, client: str) -> None:
        """The client is gone for good."""
        if self._item is not None:
            await self._limiter.clear(self._item, client)
