"""Keys: whatever people call them, and text as strokes."""

import pytest

from tabwright.browser.debugger.keys import Insert, Modifier, Press, modifiers, sequence, strokes
from tabwright.errors import InvalidArguments


def spelt(text: str) -> list[str]:
    return [f"{int(press.modifiers)}:{press.key.key}" for press in sequence(text)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Enter", ["0:Enter"]), ("Return", ["0:Enter"]), ("esc", ["0:Escape"]), ("ArrowDown", ["0:ArrowDown"]),
        ("down", ["0:ArrowDown"]), ("Page_Down", ["0:PageDown"]), ("pgdn", ["0:PageDown"]), ("F5", ["0:F5"]),
        ("space", ["0: "]), ("a", ["0:a"]), ("A", ["8:A"]), ("?", ["8:?"]), ("+", ["8:+"]), ("*", ["8:*"]),
        ("ctrl+a", ["2:a"]), ("Control+A", ["2:a"]), ("cmd+c", ["4:c"]), ("ctrl+shift+z", ["10:Z"]),
        ("ctrl++", ["10:+"]), ("alt+Left", ["1:ArrowLeft"]), ("shift+Tab", ["8:Tab"]), ("é", ["0:é"]),
        ("Down*3", ["0:ArrowDown"] * 3), ("ctrl+Right*2 x", ["2:ArrowRight", "2:ArrowRight", "0:x"]),
        ("ArrowDown  ArrowDown Enter", ["0:ArrowDown", "0:ArrowDown", "0:Enter"]), ("shift", ["0:Shift"]),
        (" ", ["0: "]),
    ],
)  # fmt: skip
def test_a_key_is_known_by_any_usual_name(text: str, keys: list[str]) -> None:
    assert spelt(text) == keys


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Entr", "Enter"),
        ("ArowDown", "ArrowDown"),
        ("ctlr+a", "No key is called"),
        ("hello", "action type"),
        ("", "No key"),
    ],
)
def test_an_unknown_key_is_refused_with_names_near_to_it(text: str, hint: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        sequence(text)
    assert hint in str(refused.value)


def test_nobody_means_a_thousand_presses() -> None:
    with pytest.raises(InvalidArguments, match="At most 200"):
        sequence("Down*1000")


@pytest.mark.parametrize(
    ("text", "command"),
    [("ctrl+a", "selectAll"), ("cmd+v", "paste"), ("ctrl+shift+z", "redo"), ("ctrl+x", "cut"), ("ctrl+z", "undo")],
)
def test_editing_keys_carry_their_command(text: str, command: str) -> None:
    assert sequence(text)[0].commands == (command,)
    assert sequence(f"alt+{text}")[0].commands == ()


def test_modifiers_are_read_in_any_order() -> None:
    assert modifiers("Shift+ctrl") == Modifier.CTRL | Modifier.SHIFT
    assert modifiers("") == Modifier.NONE
    with pytest.raises(InvalidArguments, match="not a modifier"):
        modifiers("ctrl+a")


def test_text_is_keys_where_the_keyboard_has_them_and_inserted_elsewhere() -> None:
    told = [each.text if isinstance(each, Insert) else each.key.key for each in strokes("aB\té\n👍🏽日")]
    assert told == ["a", "B", "Tab", "é", "Enter", "👍🏽", "日"]
    assert [type(each) for each in strokes("aé")] == [Press, Insert]


def test_long_text_is_inserted_line_by_line() -> None:
    text = "\r\n".join(["word " * 50] * 3)
    assert [type(each).__name__ for each in strokes(text)] == ["Insert", "Press", "Insert", "Press", "Insert"]
