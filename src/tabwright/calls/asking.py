"""Asking the person: the seam, and the answer where nobody can be asked."""

from typing import Protocol

from tabwright.errors import NobodyToAsk
from tabwright.policy.decide import Action, Ask


class Asking(Exception):
    """The call ends with a question, and is made again with its answer. No failure: an edge turns it into that."""


class Approver(Protocol):
    """Whoever can put a question to the person."""

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> None:
        """Returns if the person agreed. `during`: the call runs already, and cannot be put off.

        Raises:
            ToolError: refused, not answered in time, or nobody to ask.
            Asking: the client must ask, and call again.
        """
        ...


class Nobody:
    """No client, window or dashboard can ask: refused at once, not after a wait."""

    async def approve(self, action: Action, ask: Ask, *, during: bool = False) -> None:
        raise NobodyToAsk(f"{action.tool} needs the person's consent ({ask.question}), and nobody can be asked.")
