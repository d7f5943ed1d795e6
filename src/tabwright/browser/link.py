"""What everything above a link sees of it."""

from typing import Protocol

from tabwright.model import JsonObject


class Link(Protocol):
    """One browser, however reached."""

    @property
    def commands(self) -> frozenset[str]:
        """What it can be asked."""
        ...

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        """Raises:
        ToolError: refused, lost, or not answered in time.
        """
        ...
