"""`proxy.toml` in the home folder: read whole, and one key of it set by `proxy init`."""

import json
import os
import re
from pathlib import Path
from typing import Final

from tabwright.proxy_settings import load_proxy
from tabwright.settings import SettingsError

NAME: Final = "proxy.toml"
_PUBLIC_URL: Final = re.compile(r"^[ \t]*public[-_]url[ \t]*=.*$", re.MULTILINE)


def read(home: Path) -> str:
    """Its text; empty if there is none.

    Raises:
        SettingsError: it is there and cannot be read.
    """
    try:
        return (home / NAME).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeError) as exc:
        raise SettingsError(f"{home / NAME} cannot be read: {exc}.", "Correct the file.") from None


def set_public_url(home: Path, url: str) -> bool:
    """Write where clients reach the proxy, and leave the rest as it is: whether anything changed.

    Raises:
        SettingsError: the file would not be good afterwards.
    """
    text = read(home)
    line = f"public_url = {json.dumps(url)}"
    # before everything else: what follows a [table] would belong to it
    changed = _PUBLIC_URL.sub(lambda _: line, text, count=1) if _PUBLIC_URL.search(text) else f"{line}\n{text}"
    if changed == text:
        return False
    load_proxy({}, {}, changed)
    beside = home / f"{NAME}.new"
    beside.write_text(changed, encoding="utf-8")
    os.replace(beside, home / NAME)
    return True
