"""Keys by the names people and other tools give them, and text as the strokes of a keyboard. Pure.

A chord is spelt `ctrl+shift+Left`; a sequence is chords between spaces, each perhaps with a count: `Down*12 Enter`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from tabwright.errors import InvalidArguments

MOST_PRESSES: Final = 200
KEY_BY_KEY: Final = 300
"""Beyond this, real key events cost more than they are worth: whole lines are inserted instead."""


class Modifier(IntFlag):
    """As the debugger counts them."""

    NONE = 0
    ALT = 1
    CTRL = 2
    META = 4
    SHIFT = 8


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what pages see of it. `text` is what it writes, if anything."""

    key: str
    code: str
    virtual: int
    text: str = ""
    location: int = 0
    shifted: bool = False
    """It is reached with Shift held."""


@dataclass(frozen=True, slots=True)
class Press:
    """A key with the modifiers held meanwhile."""

    key: Key
    modifiers: Modifier = Modifier.NONE

    @property
    def commands(self) -> tuple[str, ...]:
        """What the browser does with it in a field; on its own the debugger's key events edit nothing."""
        held = self.modifiers & ~Modifier.SHIFT
        if held not in (Modifier.CTRL, Modifier.META):
            return ()
        shifted = "shift+" if self.modifiers & Modifier.SHIFT else ""
        return _COMMANDS.get(shifted + self.key.code, ())


@dataclass(frozen=True, slots=True)
class Insert:
    """Text that no key of this keyboard writes."""

    text: str


MODIFIERS: Final = {
    "alt": Modifier.ALT, "option": Modifier.ALT, "opt": Modifier.ALT,
    "ctrl": Modifier.CTRL, "control": Modifier.CTRL, "ctl": Modifier.CTRL,
    "meta": Modifier.META, "cmd": Modifier.META, "command": Modifier.META, "win": Modifier.META,
    "windows": Modifier.META, "super": Modifier.META,
    "shift": Modifier.SHIFT,
}  # fmt: skip

_COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "KeyA": ("selectAll",), "KeyC": ("copy",), "KeyV": ("paste",), "KeyX": ("cut",), "KeyZ": ("undo",),
    "KeyY": ("redo",), "shift+KeyZ": ("redo",), "shift+KeyV": ("pasteAndMatchStyle",),
}  # fmt: skip

_NAMED: Final = {
    key.key: key
    for key in (
        Key("Enter", "Enter", 13, "\r"), Key("Tab", "Tab", 9), Key("Escape", "Escape", 27),
        Key("Backspace", "Backspace", 8), Key("Delete", "Delete", 46), Key("Insert", "Insert", 45),
        Key("Home", "Home", 36), Key("End", "End", 35), Key("PageUp", "PageUp", 33), Key("PageDown", "PageDown", 34),
        Key("ArrowLeft", "ArrowLeft", 37), Key("ArrowUp", "ArrowUp", 38), Key("ArrowRight", "ArrowRight", 39),
        Key("ArrowDown", "ArrowDown", 40), Key("CapsLock", "CapsLock", 20), Key("ContextMenu", "ContextMenu", 93),
        Key("PrintScreen", "PrintScreen", 44), Key("Pause", "Pause", 19), Key("ScrollLock", "ScrollLock", 145),
        Key("NumLock", "NumLock", 144), Key("Shift", "ShiftLeft", 16, location=1),
        Key("Control", "ControlLeft", 17, location=1), Key("Alt", "AltLeft", 18, location=1),
        Key("Meta", "MetaLeft", 91, location=1), Key(" ", "Space", 32, " "),
        *(Key(f"F{number}", f"F{number}", 111 + number) for number in range(1, 25)),
    )
}  # fmt: skip

_ALIASES: Final = {
    "return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "bksp": "Backspace", "back": "Backspace",
    "backspc": "Backspace", "left": "ArrowLeft", "up": "ArrowUp", "right": "ArrowRight", "down": "ArrowDown",
    "pgup": "PageUp", "pgdn": "PageDown", "pgdown": "PageDown", "prior": "PageUp", "next": "PageDown", "space": " ",
    "spacebar": " ", "menu": "ContextMenu", "apps": "ContextMenu", "caps": "CapsLock", "printscr": "PrintScreen",
    "linefeed": "Enter", "newline": "Enter", "kpenter": "Enter",
}  # fmt: skip
_WORDS: Final = {
    "plus": "+", "minus": "-", "comma": ",", "period": ".", "dot": ".", "slash": "/", "equal": "=", "hash": "#",
    "semicolon": ";", "backslash": "\\", "quote": "'", "backquote": "`", "asterisk": "*",
}  # fmt: skip

_PUNCTUATION: Final = (
    ("Semicolon", 186, ";", ":"), ("Equal", 187, "=", "+"), ("Comma", 188, ",", "<"), ("Minus", 189, "-", "_"),
    ("Period", 190, ".", ">"), ("Slash", 191, "/", "?"), ("Backquote", 192, "`", "~"), ("BracketLeft", 219, "[", "{"),
    ("Backslash", 220, "\\", "|"), ("BracketRight", 221, "]", "}"), ("Quote", 222, "'", '"'),
)  # fmt: skip
_SHIFTED_DIGITS: Final = ")!@#$%^&*("


def _characters() -> Iterator[Key]:
    yield Key(" ", "Space", 32, " ")
    for letter in "abcdefghijklmnopqrstuvwxyz":
        code, virtual = f"Key{letter.upper()}", ord(letter.upper())
        yield Key(letter, code, virtual, letter)
        yield Key(letter.upper(), code, virtual, letter.upper(), shifted=True)
    for digit, shifted in enumerate(_SHIFTED_DIGITS):
        yield Key(str(digit), f"Digit{digit}", 48 + digit, str(digit))
        yield Key(shifted, f"Digit{digit}", 48 + digit, shifted, shifted=True)
    for code, virtual, plain, above in _PUNCTUATION:
        yield Key(plain, code, virtual, plain)
        yield Key(above, code, virtual, above, shifted=True)


_CHARACTERS: Final = {key.text: key for key in _characters()}
_BY_NAME: Final = {
    **{name.lower(): key for name, key in _NAMED.items()},
    **{alias: _NAMED[name] for alias, name in _ALIASES.items()},
    **{word: _CHARACTERS[character] for word, character in _WORDS.items()},
    **{key.code.lower(): key for key in _CHARACTERS.values() if not key.shifted and key.text.isalnum()},
}
_GRAPHEME: Final = re.compile(
    # flags, then a character with what combines with it: marks, variations, skin tones, joined emoji
    "[\U0001f1e6-\U0001f1ff]{2}|.(?:[\u0300-\u036f\u0e31-\u0e3a\u0e47-\u0e4e\u3099\u309a\ufe00-\ufe0f\u20d0-\u20ff\U0001f3fb-\U0001f3ff]"
    "|\u200d.)*",
    re.DOTALL,
)


def sequence(text: str) -> tuple[Press, ...]:
    """The presses a sequence of chords stands for.

    Raises:
        InvalidArguments: a key nobody knows, or more presses than anyone means.
    """
    presses: list[Press] = []
    for chord in text.split() or ([" "] if text else []):
        name, count = _counted(chord)
        presses += [_chord(name, chord)] * count
        if len(presses) > MOST_PRESSES:
            raise InvalidArguments(f"At most {MOST_PRESSES} presses in one call.", "Split it into several calls.")
    if not presses:
        raise InvalidArguments("No key was named.", "Pass text like Enter, ctrl+a or Down*3.")
    return tuple(presses)


def modifiers(text: str) -> Modifier:
    """Modifiers to hold: `ctrl+shift`.

    Raises:
        InvalidArguments: one of them is none.
    """
    held = Modifier.NONE
    for name in re.split(r"[+\s,]+", text.strip()):
        if not name:
            continue
        if name.lower() not in MODIFIERS:
            raise InvalidArguments(f"{name!r} is not a modifier.", "Use ctrl, shift, alt, cmd, joined by +.")
        held |= MODIFIERS[name.lower()]
    return held


def written(presses: Sequence[Press]) -> str:
    """The text they write into a field, if that is all they do."""
    plain = all(len(each.key.text) == 1 and not each.modifiers & ~Modifier.SHIFT for each in presses)
    return "".join(each.key.text for each in presses) if plain else ""


def strokes(text: str) -> Iterator[Press | Insert]:
    """Text as a keyboard writes it; what it cannot write is inserted. Line ends are Enter."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for index, line in enumerate(lines):
        if index > 0:
            yield Press(_NAMED["Enter"])
        if len(text) > KEY_BY_KEY:
            if line:
                yield Insert(line)
        else:
            yield from _line(line)


def _line(line: str) -> Iterator[Press | Insert]:
    for part in _GRAPHEME.findall(line):
        key = _NAMED["Tab"] if part == "\t" else _CHARACTERS.get(part)
        if key is None:
            yield Insert(part)
        else:
            yield Press(key, Modifier.SHIFT if key.shifted else Modifier.NONE)


def _counted(chord: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+?)[*×](\d{1,4})", chord)
    if found is None or found[1].endswith("+"):
        return chord, 1
    return found[1], int(found[2])


def _chord(chord: str, spelt: str) -> Press:
    # the plus key itself: "+", "ctrl++"
    parts = [*chord[:-1].rstrip("+").split("+"), "+"] if chord.endswith("+") else chord.split("+")
    *held, last = [part for part in parts if part]
    try:
        flags = modifiers("+".join(held))
    except InvalidArguments:
        raise _unknown(spelt) from None
    key = _find(last, spelt)
    if flags and key.text.isalpha() and not flags & Modifier.SHIFT:
        # ctrl+A is written for ctrl+a
        key = _CHARACTERS[key.text.lower()]
    if key.shifted:
        flags |= Modifier.SHIFT
    elif flags & Modifier.SHIFT and key.text.isalpha():
        key = _CHARACTERS[key.text.upper()]
    return Press(key, flags)


def _find(name: str, spelt: str) -> Key:
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    plain = re.sub(r"[_\-\s]", "", name).lower()
    found = _BY_NAME.get(plain)
    if found is not None:
        return found
    if plain in MODIFIERS:
        return _NAMED[{"ALT": "Alt", "CTRL": "Control", "META": "Meta", "SHIFT": "Shift"}[str(MODIFIERS[plain].name)]]
    if len(_GRAPHEME.findall(name)) == 1:
        return Key(name, "", 0, name)
    raise _unknown(spelt)


def _unknown(spelt: str) -> InvalidArguments:
    import difflib

    name = spelt.rpartition("+")[2] or spelt
    names = {each.lower(): each for each in (*_NAMED, *_ALIASES, *MODIFIERS) if each.strip()}
    near = [names[each] for each in difflib.get_close_matches(name.lower(), names, 3, 0.5)]
    hint = f"Did you mean {' or '.join(near)}?" if near else "Names are like Enter, ArrowDown, PageDown, F5, ctrl+a."
    return InvalidArguments(f"No key is called {spelt!r}.", f"{hint} To write text use action type.")
