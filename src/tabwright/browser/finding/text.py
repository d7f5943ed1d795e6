"""Words of pages and of queries made comparable: one spelling, signs as words, and how near two words are.

Pure.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from tabwright.browser.finding.meanings import ABROAD, CONCEPTS
from tabwright.browser.finding.phrases import PHRASES, SIGNS
from tabwright.browser.finding.spelling import cut, plain

EXACT: Final = 1.0
SAME_STEM: Final = 0.97
SAME_MEANING: Final = 0.78
PART_MEANING: Final = 0.6
COMPOUND_LEAST: Final = 8
PART_LEAST: Final = 4
"""How long words are that are written together, and how long their parts."""
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]", re.UNICODE)
_HUMP: Final = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COMPOUND: Final = re.compile(r"^(\w{4,})(feld|knopf|schaltflache|kastchen)$")
NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)  # noqa: SIM905 - reads better as words
}
FILLERS: Final = frozenset({"a", "an", "new", "my", "your", "un", "una", "de", "di", "la"})
"""What may stand between the two words of a phrase: "create a new account", "mot de passe"."""
_LONGEST: Final = 400
KEPT: Final = 16_000
"""Texts, and words, that are remembered from one search to the next: a long page's, not all that were ever read."""


@lru_cache(KEPT)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in order: lower case, without accents; signs as what they say."""
    found: list[str] = []
    for word in _WORD.findall(_HUMP.sub(" ", plain(text[:_LONGEST]))):
        low = word.casefold()
        if low[0].isalnum():
            found += cut(low)
        elif SIGNS.get(word):
            found.append(SIGNS[word])
    parts = [part for word in found for part in _parted(word)]
    # "e-mail address" is one word after "e-mail" is
    return tuple(_joined(_joined(parts)))


def _parted(word: str) -> tuple[str, ...]:
    """German writes "search field" as one word."""
    parts = _COMPOUND.match(word)
    return parts.groups() if parts else (word,)


def _joined(words: Sequence[str]) -> list[str]:
    """Two words that mean one thing become one."""
    found: list[str] = []
    place = 0
    while place < len(words):
        after = next((at for at in range(place + 1, len(words)) if words[at] not in FILLERS), len(words))
        pair = PHRASES.get((words[place], words[after])) if after < len(words) else None
        found.append(pair or words[place])
        place = after + 1 if pair else place + 1
    return found


@lru_cache(KEPT)
def stem(word: str) -> str:
    """Without the ending of a plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def resemblance(wanted: str, found: str) -> float:
    """As `nearness`, and for words that may be mistyped."""
    near = nearness(wanted, found)
    return near or (0.0 if wanted.isdigit() or found.isdigit() else _mistyped(stem(wanted), stem(found)))


def nearness(wanted: str, found: str) -> float:
    """0 for words that have nothing in common, 1 for the same."""
    if NUMBERS.get(wanted) == found:
        return SAME_STEM
    # of numbers a page may have thousands, and none is worth a place among what is remembered
    return 0.0 if found.isdigit() and wanted.isalpha() else _nearness(wanted, found)


@lru_cache(KEPT)
def _nearness(wanted: str, found: str) -> float:
    if wanted == found:
        return EXACT
    one, other = stem(wanted), stem(found)
    if one == other:
        return SAME_STEM
    if any(char.isdigit() for char in wanted):
        return 0.0
    best = _by_spelling(one, other)
    if _concepts(wanted, one) & _concepts(found, other):
        return max(best, SAME_MEANING)
    return max(best, PART_MEANING) if best < PART_MEANING and _meets_part(one, other) else best


def _meets_part(one: str, other: str) -> bool:
    """Whether a part of the one means what the other does: "Reisedatum" is a date."""
    return bool(_compound(one) & (_concepts(other, other) | _compound(other)) or _concepts(one, one) & _compound(other))


@lru_cache(KEPT)
def _compound(word: str) -> frozenset[int]:
    """What the two words mean that are written as one, as German and Dutch do; its last says what it is."""
    if len(word) < COMPOUND_LEAST or word in CONCEPTS or not word.isalpha():
        return frozenset()
    cuts = range(PART_LEAST - 1, len(word) - PART_LEAST + 2)
    last = next((CONCEPTS[word[cut:]] for cut in cuts if word[cut:] in ABROAD), frozenset[int]())
    return last | next((CONCEPTS[word[:cut]] for cut in reversed(cuts) if word[:cut] in ABROAD), last)


def _concepts(word: str, stemmed: str) -> frozenset[int]:
    return CONCEPTS.get(word, frozenset()) | CONCEPTS.get(stemmed, frozenset()) | CONCEPTS.get(_verb(word), frozenset())


@lru_cache(KEPT)
def _verb(word: str) -> str:
    """What is done of what was done, or is being done: "deleted" and "deleting" are of "delete"."""
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root == word or len(root) < 3 or word in CONCEPTS:
            continue
        doubled = root[:-1] if root[-1] == root[-2] else root
        return next((each for each in (f"{root}e", root, doubled) if each in CONCEPTS), word)
    return word


def _by_spelling(one: str, other: str) -> float:
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short):
        # an app is nothing to apply
        return 0.55 if len(short) == 3 else 0.85 if len(long) - len(short) <= 3 else 0.62
    if len(short) < 4:
        return 0.0
    if len(short) >= 5 and long.endswith(short):
        return 0.6
    if _shared(one, other) >= max(5, 0.7 * len(short)):
        return 0.75
    return 0.0


@lru_cache(KEPT)
def _mistyped(one: str, other: str) -> float:
    """Whoever mistypes a word seldom does so at its first letter: a heart is no cart."""
    if min(len(one), len(other)) < 4 or one[0] != other[0] or any(char.isdigit() for char in one):
        return 0.0
    return 0.8 * fuzz.ratio(one, other, score_cutoff=78) / 100


def _shared(one: str, other: str) -> int:
    """How many letters two words begin with in common."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
