"""How often somebody may speak: a bucket that fills at a rate and holds a burst."""


class Bucket:
    """Tokens for one speaker. A rate of 0 means no limit."""

    __slots__ = ("_at", "_burst", "_level", "_rate", "taken")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._level = burst
        self._at = now
        self.taken = 0
        """Counted since somebody last looked."""

    def take(self, now: float) -> bool:
        """Count one message: whether it may pass."""
        level = self._level
        if now > self._at:
            level += (now - self._at) * self._rate
            if level > self._burst:
                level = self._burst
            self._at = now
        if level < 1:
            self._level = level
            return not self._rate
        self._level = level - 1
        self.taken += 1
        return True

    def spend(self, count: int, now: float) -> None:
        """The speaker has used so much elsewhere; at most a second's worth is owed."""
        if self._rate:
            self._fill(now)
            self._level = max(-self._rate, self._level - count)

    def wait_s(self) -> float:
        """Seconds until one more may pass."""
        return 0.0 if not self._rate or self._level >= 1 else (1 - self._level) / self._rate

    def full(self, now: float) -> bool:
        """Whether forgetting this bucket would change nothing."""
        self._fill(now)
        return not self._rate or self._level >= self._burst

    def _fill(self, now: float) -> None:
        self._level = min(self._burst, self._level + max(0.0, now - self._at) * self._rate)
        self._at = now
