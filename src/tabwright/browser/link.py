"""What everything above a link sees of it."""

from typing import Protocol

from tabwright.model import JsonObject


class Link(Protocol):
    """One browser, however reached."""

    @property
    def commands(self) -> frozenset[str]:
        """What it can be asked."""
        ...

    @property
    def remote(self) -> bool:
        """Whether the browser runs on another machine, where files of this one are not to be found."""
        ...

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        """Raises:
        ToolError: refused, lost, or not answered in time.
        """
        ...
