"""Page text as one visible line, capped."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.policy.text import MAX_TITLE, clean, cut_together, quotable

HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200c\u200d\u200e\u200f"
    "\u2028\u202a\u202e\u2060\u2066\u2069\u3164\ufeff\uffa0"
    "\ufe00\ufe0d\ufff9\ufffb"
)
TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ignore") + "\U000e0100"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Inbox (3) - Gmail", "Inbox (3) - Gmail"),
        ("  two\n\tlines  ", "two lines"),
        (" led", "led"),
        ("followed ", "followed"),
        ("far  apart", "far apart"),
        ("a\x00b\x1bc\x7fd\x85e", "a b c d e"),
        (f"a{HIDDEN}b", "ab"),
        (f"a{TAGS}b", "ab"),
        ("a\u00a0\u3000b", "a b"),
        ("日本語 🦊", "日本語 🦊"),
        ("\u2764\ufe0f 1\ufe0f\u20e3", "\u2764\ufe0f 1\ufe0f\u20e3"),
        ("", ""),
        ("\u200b \u202e", ""),
    ],
)
def test_a_text_becomes_one_visible_line(text: str, line: str) -> None:
    assert clean(text, 100) == line


def test_a_text_in_quotes_cannot_end_them() -> None:
    assert quotable('a" https://b\n"c', 100) == "a' https://b 'c"


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("x" * 11, 10) == "x" * 9 + "…"


@settings(deadline=None)
@given(st.text(max_size=300))
def test_nothing_invisible_survives_and_the_cap_holds(text: str) -> None:
    line = clean(text, MAX_TITLE)
    assert len(line) <= MAX_TITLE
    assert line == line.strip()
    assert "  " not in line
    assert not any(unicodedata.category(char) == "Cc" for char in line)
    assert not any(
        unicodedata.bidirectional(char) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        for char in line
    )
    assert clean(line, MAX_TITLE) == line


@given(st.lists(st.text("ab", max_size=60), max_size=12), st.integers(12, 400))
@settings(deadline=None)
def test_of_texts_that_are_too_much_together_the_longest_are_cut(texts: list[str], limit: int) -> None:
    told = cut_together(texts, limit)
    assert sum(map(len, told)) <= limit
    whole = [text for text, kept in zip(texts, told, strict=True) if text == kept]
    cut = [kept for text, kept in zip(texts, told, strict=True) if text != kept]
    assert all(kept.endswith("…") for kept in cut)
    assert len(set(map(len, cut))) <= 1
    assert not cut or max(map(len, whole), default=0) <= len(cut[0]), "no longer one was spared"
    assert not cut or sum(map(len, told)) > limit - len(texts), "no more than has to be"
