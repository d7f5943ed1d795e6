"""How often a client may ask: so many requests a minute, counted by what the server knows of it, never by a header."""

import math
import time
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.aio.strategies import RateLimiter


class Rate:
    """One limit, for each client by itself. 0 a minute means none."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._used = False

    async def excess(self, client: str) -> int | None:
        """Count one request of a client: None if it may, else the seconds after which it may try again."""
        if not self._a_minute:
            return None
        self._used = True
        limiter, item = self._counting
        if await limiter.hit(item, client):
            return None
        window = await limiter.get_window_stats(item, client)
        return max(1, math.ceil(window.reset_time - time.time()))

    async def forget(self, client: str) -> None:
        """The client is gone for good."""
        if self._used:
            limiter, item = self._counting
            await limiter.clear(item, client)

    @cached_property
    def _counting(self) -> "tuple[RateLimiter, RateLimitItem]":
        # the library brings those of several databases along, and many gateways are never asked over HTTP
        from limits import RateLimitItemPerMinute
        from limits.aio.storage import MemoryStorage
        from limits.aio.strategies import SlidingWindowCounterRateLimiter

        return SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerMinute(self._a_minute)
