"""Commands named in the text: each exists, with the flags it is given."""

import re
import subprocess
from functools import cache
from typing import Final

import pytest

from tests.docs.blocks import ROOT, pages
from tests.gateway import TABWRIGHT

INLINE: Final = re.compile(r"`(?:\$ |\.venv/bin/)?tabwright ((?:[a-z]+ ?|--)[^`\n]*)`")
LABELS: Final = {"server", "extension", "pairing", "digits"}
"""What the proofs of the extension's protocol begin with: no commands."""

NAMED: Final = sorted({
    (page.relative_to(ROOT).as_posix(), words)
    for page in pages()
    for words in INLINE.findall(page.read_text(encoding="utf-8"))
    if words not in LABELS
})  # fmt: skip


@cache
def help_of(*commands: str) -> str:
    done = subprocess.run([TABWRIGHT, *commands, "--help"], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("page", "words"), NAMED)
def test_a_command_named_in_the_text_exists_with_its_flags(page: str, words: str) -> None:
    told = help_of()
    path: list[str] = []
    # words with a bar between them stand for several commands
    for word in words.split("|")[0].split():
        if not re.search(rf"│ {re.escape(word)} ", told):
            break
        path.append(word)
        told = help_of(*path)
    assert path or words.startswith("--"), f"{page} names no command of ours: tabwright {words}"
    for flag in re.findall(r"(?<!\S)--[a-z][a-z-]*", words):
        assert flag in told or flag == "--help", f"{page}: tabwright {' '.join(path)} has no {flag}"
