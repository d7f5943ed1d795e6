"""Making an outline fit: long lines are shortened first, the longest before the others; then the end is dropped and
counted.

Pure. Tokens are estimated from above, so that an answer never exceeds what clients accept.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tabwright.browser.reading.tree import Item

INDENT: Final = "  "
LISTED_MOST: Final = 10_000
"""Of a list that does not fit anyway, so much is enough."""
SUMMARY: Final = 600
"""What the summary of a long list takes, about."""

_CODED: Final = re.compile(r"[A-Za-z]*[0-9][A-Za-z0-9]*|[A-Za-z]*[a-z][A-Z][A-Za-z]*")
_WORD: Final = re.compile(r"[A-Za-z]+")
_LETTER: Final = re.compile(r"[A-Za-z]")
_ROUGH: Final = re.compile(r"(?i:[bcdfghjklmnpqrstvwxz]{4,})")
_SIGN: Final = re.compile(r"[!-/:-@\[-`{-~]")
_NEAR: Final = re.compile("[\x80-\u2e7f]")
_EAST: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uff00-\uffef]")
_RARE: Final = re.compile("[\ua000-\uabff\ud800-\ufeff\U00010000-\U0010ffff]")

Write: TypeAlias = Callable[[int], str]
"""Writes a line shorter, if possible within so many characters."""


@dataclass(slots=True)
class Block:
    """A line of the outline. `shorter` write it ever shorter; `clickables` are in it; `inside` is what it stands in."""

    indent: int
    text: str
    clickables: Sequence[Item] = ()
    shorter: tuple[Write, ...] = ()
    inside: Item | None = None

    @property
    def line(self) -> str:
        return INDENT * self.indent + self.text


@dataclass(frozen=True, slots=True)
class Fitted:
    kept: Sequence[Block]
    dropped: Sequence[Block]
    shortened: int
    whole_chars: int
    """How long all of it would be."""
    whole_tokens: float


def fit(blocks: Sequence[Block], most_chars: int, most_tokens: int) -> Fitted:
    """As many of the lines as both limits allow."""
    chars = whole_chars = sum(len(block.line) + 1 for block in blocks)
    tokens = whole_tokens = sum(tokens_in(block.line) for block in blocks)
    shortened: set[int] = set()
    for step in range(max((len(block.shorter) for block in blocks), default=0)):
        for block in sorted(blocks, key=lambda each: -len(each.text)):
            over = max(chars - most_chars, int((tokens - most_tokens) * chars / tokens))
            if over <= 0:
                break
            if step >= len(block.shorter):
                continue
            text = block.shorter[step](len(block.text) - over)
            if len(text) >= len(block.text):
                continue
            chars -= len(block.text) - len(text)
            tokens -= tokens_in(block.text) - tokens_in(text)
            block.text = text
            shortened.add(id(block))
    kept = _kept(blocks, most_chars, most_tokens)
    if kept < len(blocks):
        kept = _kept(blocks, max(most_chars // 2, most_chars - SUMMARY), most_tokens - SUMMARY)
    return Fitted(blocks[:kept], blocks[kept:], len(shortened), whole_chars, whole_tokens)


def _kept(blocks: Sequence[Block], most_chars: int, most_tokens: int) -> int:
    chars, tokens = 0, 0.0
    for place, block in enumerate(blocks):
        chars += len(block.line) + 1
        tokens += tokens_in(block.line)
        if chars > most_chars or tokens > most_tokens:
            return place
    return len(blocks)


def tokens_in(text: str) -> float:
    """About as many as tokenizers make of it, rather more: words cost little, numbers, signs and mere letters much."""
    coded = sum(map(len, _CODED.findall(text)))
    plain = _CODED.sub(" ", text)
    letters, words, rough = len(_LETTER.findall(plain)), len(_WORD.findall(plain)), sum(map(len, _ROUGH.findall(plain)))
    signs = len(_SIGN.findall(text))
    count = 1 + coded * 0.75 + words * 0.5 + letters * 0.15 + rough * 0.4 + signs * 0.8
    if text.isascii():
        return count
    return count + len(_NEAR.findall(text)) * 0.6 + len(_EAST.findall(text)) + len(_RARE.findall(text)) * 3.5


def fitting(texts: Iterable[str], room: int) -> list[str]:
    """The first of them, as many as fit beside a summary of the others."""
    found: list[str] = []
    left = min(room, LISTED_MOST) - SUMMARY
    for text in texts:
        left -= len(text) + 2
        if left < 0:
            break
        found.append(text)
    return found
