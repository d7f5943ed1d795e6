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
_HOURS: Final = re.compile(r"\b(\d{1,2}) ?(?:h ?(\d{2})?\b|uhr\b|(?=[ap]\.?m\b))", re.IGNORECASE)
"""10 h 30, 10h, 10 Uhr and 10 am."""
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DATE: Final = re.compile(
    r"(?<![\d.-])(?:\d{4}-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)|(?P<day>\d\d?)\.(?P<month>\d\d?)\.\d{4})(?![\d.-])"
)
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
    timed = _HOURS.sub(_time, _CLOCK.sub(r"\1\2", _DATE.sub(_date, text.translate(_LETTERS))))
    spelt = _RATING.sub(" rating ", _PRICE.sub(_amount, timed))
    split = unicodedata.normalize("NFKD", spelt)
    return "".join(char for char in split if not unicodedata.combining(char))


def _date(date: re.Match[str]) -> str:
    """With its month by name, as people say it."""
    month, day = (date["iso_month"], date["iso_day"]) if date["iso_month"] else (date["month"], date["day"])
    return f"{date.group()} {MONTHS[int(month) - 1]} {int(day)} " if 0 < int(month) <= len(MONTHS) else date.group()


def _time(hours: re.Match[str]) -> str:
    """Written as 10:30 is."""
    return f"{hours[1]}{hours[2] or '00'} "


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
