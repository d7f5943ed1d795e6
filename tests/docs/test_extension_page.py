"""docs/extension.md names every permission, command and message that there is, and no permission that is not."""

import json
import re
from pathlib import Path
from typing import Final

from tabwright.link.commands import COMMANDS
from tests.docs.blocks import ROOT

EXTENSION: Final = ROOT / "src" / "tabwright" / "extension"


def part(title: str) -> str:
    """What stands under a heading of the page, up to the next one of its rank."""
    text = (ROOT / "docs" / "extension.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def firsts(text: str) -> set[str]:
    """The names that begin the first cells of its tables."""
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)", cell)}


def sent(folder: Path) -> set[str]:
    """The typed messages that the worker sends on its link."""
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.js")))
    return set(re.findall(r"[sS]end(?:Of)?\((?:\w+, )?(?:reason \? )?\{ type: '(\w+)'", text))


def test_every_permission_is_there_with_its_reason() -> None:
    asked = json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))["permissions"]
    assert firsts(part("Permissions")) == set(asked)


def test_every_command_is_there() -> None:
    assert firsts(part("Commands")) | firsts(part("Typed messages")) >= set(COMMANDS)


def test_every_typed_message_is_there() -> None:
    messages = sent(EXTENSION / "background")
    assert {"connected", "tabClosed", "popupOpened", "lookedAt", "dashboardWanted"} <= messages, "they are still found"
    assert firsts(part("Typed messages")) >= messages - {"error"}
