"""Where the next page of a list begins: after a name, whatever comes and goes meanwhile."""

import base64
import binascii

from tabwright.errors import InvalidArguments


def write_cursor(name: str) -> str:
    """The page after the one that ended with this name."""
    return base64.urlsafe_b64encode(f"after:{name}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> str:
    """The name that the page before ended with.

    Raises:
        InvalidArguments: it is none of ours.
    """
    try:
        told = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        told = ""
    if not told.startswith("after:"):
        raise InvalidArguments("That cursor is none of ours.", "Begin again without one.")
    return told.removeprefix("after:")
