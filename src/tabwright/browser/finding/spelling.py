"""One spelling for all that is compared: no accents, scripts without spaces cut into words, amounts whole.

Pure.
"""

import re
import unicodedata
from typing import Final

_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae", "œ": "oe", "ł": "l", "Ł": "L", "đ": "d", "ı": "i", "’": "'"}
)
"""What is a letter by itself to Unicode, and to people one with a stroke."""
_CLOCK: Final = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_PRICE: Final = re.compile(
    r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{2})?(?![\d.,]*\d)|(?<![\d.,])\d+[.,]\d{2}(?![\d.,]*\d)"
)
_RATING: Final = re.compile("[★☆⭐]{3,}")
_WHOLE: Final = re.compile(r"[.,]00$")
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff々"
_KATAKANA: Final = "\u30a1-\u30ff"
_HIRAGANA: Final = "\u3041-\u309f"
_ASIAN: Final = re.compile(rf"[{_HAN}{_KATAKANA}{_HIRAGANA}]")
_RUNS: Final = re.compile(rf"[{_HAN}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+|[^{_HAN}{_KATAKANA}{_HIRAGANA}]+")
_PARTICLE: Final = re.compile(rf"^[{_HIRAGANA}]$")


def plain(text: str) -> str:
    """Without accents and with other letters' nearest; a time of day and a price are one word each."""
    spelt = _RATING.sub(" rating ", _PRICE.sub(_amount, _CLOCK.sub(r"\1\2", text.translate(_LETTERS))))
    split = unicodedata.normalize("NFKD", spelt)
    return "".join(char for char in split if not unicodedata.combining(char))


def _amount(price: re.Match[str]) -> str:
    """1,199.00 and 1199 are one amount."""
    return re.sub(r"[.,]", "", _WHOLE.sub("", price.group()))


def cut(word: str) -> list[str]:
    """The words in a run of letters: Chinese and Japanese have no spaces, so every two signs are one."""
    if not _ASIAN.search(word):
        return [word]
    found = [part for run in _RUNS.findall(word) for part in _pairs(run) if not _PARTICLE.match(part)]
    return found or [word]


def _pairs(run: str) -> list[str]:
    if len(run) < 3 or not re.match(f"[{_HAN}]", run):
        return [run]
    return [run[place : place + 2] for place in range(len(run) - 1)]
