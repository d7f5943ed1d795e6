"""Which tab a call goes to, when it names none: the active one, else the one that changed last."""

from collections.abc import Callable, Iterable

from tabwright.hub.entries import Entry
from tabwright.model import TabId


def best(
    candidates: Iterable[Entry],
    *,
    definition: str | None,
    is_free: Callable[[TabId], bool],
    is_active: Callable[[TabId], bool],
) -> Entry | None:
    """The tab to use; none that another session holds, and none whose tool is another by now."""
    usable = [
        entry for entry in candidates if is_free(entry.place.tab_id) and definition in (None, entry.tool.definition)
    ]
    return max(usable, key=lambda entry: (is_active(entry.place.tab_id), entry.updated_at, entry.number), default=None)
