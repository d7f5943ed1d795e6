"""How it stands between the gateway and its proxy, and what the person can do about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViaState:
    """How it stands with the proxy, for the person."""

    url: str
    state: str
    """`looking`, `connected` or `refused`."""
    user: str = ""
    reason: str = ""
    digits: str = ""
    """The number by which browsers there know this gateway."""
    fingerprint: str = ""
    """Of its whole key: what a browser that nobody sits at is told to trust."""

    @property
    def trouble(self) -> str:
        """Why there is no browser, if there is none, for a person who sees only their client."""
        match self.state:
            case "connected":
                return (
                    f"The proxy {self.url} is there, but no browser of {self.user or 'this user'} answers through it. "
                    "In that browser, open tabwright's popup, Servers & settings: it says how it stands with the proxy"
                )
            case "refused":
                told = self.reason.rstrip(".")
                return f"{told}. Renew the gateway's token (via_token_file); it is read again within a minute"
            case _:
                told = self.reason or "not yet asked"
                return f"The proxy {self.url} does not answer ({told}). It is tried again by itself"
