"""Asking the person: the seam, and the answer where nobody can be asked."""

from typing import Protocol

from tabwright.errors import NobodyToAsk
from tabwright.policy.decide import Action, Ask


class Approver(Protocol):
    """Whoever can put a question to the person."""

    async def approve(self, action: Action, ask: Ask) -> None:
        """Returns if the person agreed.

        Raises:
            ToolError: refused, not answered in time, or nobody to ask.
        """
        ...


class Nobody:
    """No client, window or dashboard can ask: refused at once, not after a wait."""

    async def approve(self, action: Action, ask: Ask) -> None:
        raise NobodyToAsk(f"{action.tool} needs the person's consent ({ask.question}), and nobody can be asked.")
