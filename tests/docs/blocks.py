"""The code blocks of README.md, docs/, examples/README.md and CONTRIBUTING.md, and the commands in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_INDENTED: Final = re.compile(r"(?:^ {4}\S.*\n)+", re.MULTILINE)
_PROGRAMS: Final = r"(?:\$ )?(?:tabwright|make|npm|git|python3?|nats-server|scripts/\w+|\.venv/bin/\w+)"
_COMMAND: Final = re.compile(rf"{_PROGRAMS}(?: (?!ready)|$)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """`place` is the file and the block's number in it, from 1."""

    place: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Its lines without comments, if they are commands."""
        if self.language not in ("sh", "bash", "console"):
            return []
        lines = (re.sub(r"\s{2,}#.*| &$", "", line).removeprefix("$ ") for line in self.text.splitlines())
        return [line.strip() for line in lines if line.strip()]


def pages() -> list[Path]:
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "examples" / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]


def blocks() -> list[Block]:
    return [block for page in pages() for block in blocks_of(page)]


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    fenced = [(found["language"], dedent(found["text"])) for found in _FENCE.finditer(text)]
    indented = [
        ("", dedent(found[0]))
        for found in _INDENTED.finditer(_FENCE.sub("", text))
        if found[0].lstrip()[0] not in "-*|"
    ]
    for number, (language, body) in enumerate(fenced + indented, 1):
        # people forget the word after the fence: what reads like commands is taken for them
        yield Block(f"{name}#{number}", language or ("sh" if _COMMAND.match(body) else "text"), body)


def hides_commands(block: Block) -> bool:
    return block.language == "text" and bool(_COMMAND.match(block.text))
