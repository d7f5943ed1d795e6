"""The outline: nodes in, text out; every clickable element has its ref, and the text fits."""

import gc
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tabwright.browser.reading.fit import tokens_in
from tabwright.browser.reading.nodes import Node, PageFacts
from tabwright.browser.reading.outline import MOST_TOKENS, Outline, outline
from tabwright.browser.reading.tree import Item
from tabwright.browser.reading.words import ranges
from tabwright.browser.refs import Refs
from tabwright.model import DocumentId
from tabwright.policy.text import clean

FACTS = PageFacts("T", "https://a.example/", "https://a.example", (800, 600), (0, 0), (800, 600))


class Page:
    """Nodes by depth, numbered as they come."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def add(self, depth: int, role: str, name: str = "", *, click: bool = True, **more: object) -> "Page":
        number = len(self.nodes) + 1
        path = f"body:0/x:{number}"
        made = Node(depth, role, name, (), click, 0, DocumentId("d"), "a", number, path, **more)  # type: ignore[arg-type]
        self.nodes.append(made)
        return self

    def holder(self, depth: int, role: str, name: str = "", **more: object) -> "Page":
        return self.add(depth, role, name, click=False, **more)


def written(page: Page, facts: PageFacts = FACTS, **how: int) -> Outline:
    refs = Refs()
    return outline(page.nodes, facts, lambda node: refs.give(node.target), clean, **how)


def refs_in(lines: Sequence[str]) -> set[str]:
    found: set[str] = set()
    bare = re.sub(r'"[^"]*"', "", "\n".join(lines))
    for first, last in re.findall(r"\be(\d+)(?:–e(\d+))?", bare):
        found |= {f"e{number}" for number in range(int(first), int(last or first) + 1)}
    return found


def test_structure_is_indented_and_wrappers_are_folded() -> None:
    page = Page().holder(0, "main").holder(1, "list").holder(2, "listitem").add(3, "link", "One")
    page.holder(2, "listitem").add(3, "textbox", "Two", value="2").holder(1, "group", "Named").add(
        2, "combobox", "Three"
    )
    page.add(2, "slider", "Four").add(0, "button", "Five")
    assert written(page).lines == [
        "main",
        '  link "One" e1',
        '  textbox "Two" e2 = "2"',
        '  group "Named"',
        '    combobox "Three" e3',
        '    slider "Four" e4',
        'button "Five" e5',
    ]


def test_neighbours_of_one_role_share_a_line_and_fields_do_not() -> None:
    page = (
        Page()
        .add(0, "link", "A")
        .add(0, "link", "B")
        .add(0, "textbox", "C")
        .add(0, "textbox", "D")
        .add(0, "generic", "E")
    )
    assert written(page).lines == ['links "A" e1, "B" e2', 'textbox "C" e3', 'textbox "D" e4', 'clickable "E" e5']


@pytest.mark.parametrize(("role", "several"), [("status", "statuses"), ("switch", "switches"), ("tab", "tabs")])
def test_several_of_a_role_are_called_as_people_do(role: str, several: str) -> None:
    assert written(Page().add(0, role, "A").add(0, role, "B")).lines == [f'{several} "A" e1, "B" e2']


def test_a_holder_of_one_line_is_on_that_line() -> None:
    page = Page().holder(0, "navigation", "Crumbs").add(1, "link", "A").add(1, "link", "B")
    assert written(page).lines == ['navigation "Crumbs": links "A" e1, "B" e2']


def test_a_heading_that_is_a_link_is_one_element() -> None:
    page = Page().holder(0, "heading", "News", level=3).add(1, "link", "News")
    assert written(page).lines == ['h3 link "News" e1']


def test_what_lies_over_the_page_comes_first() -> None:
    page = Page().add(0, "button", "Page").holder(0, "main").add(1, "link", "X").holder(1, "dialog", "Hi", over="over")
    page.add(2, "button", "Ok")
    assert written(page).lines[0] == 'dialog "Hi": button "Ok" e1'


def test_a_link_without_a_name_shows_where_it_leads() -> None:
    assert written(Page().add(0, "link", "", url="/x?y=1")).lines == ['link e1 to "/x?y=1"']


def test_choices_are_listed_while_they_are_few() -> None:
    page = Page().add(0, "combobox", "A", value="x", options=("x", "y")).add(0, "combobox", "B", options=("o",) * 30)
    assert written(page).lines == ['combobox "A" e1 = "x" (options "x | y")', 'combobox "B" e2 (30 options)']


def test_frames_say_whose_they_are_if_not_the_page_s() -> None:
    page = Page().holder(0, "iframe", "Ad", origin="https://ads.example").add(1, "button", "Buy")
    page.holder(0, "iframe", "Own", origin="https://a.example").holder(0, "iframe", "", unreachable=True)
    assert written(page).lines == [
        'iframe "Ad" e2 (https://ads.example): button "Buy" e1',
        'iframe "Own" e3',
        "iframe e4 (cannot be read)",
    ]


@pytest.mark.parametrize("name", ['a" e9 "b', "a\nbutton e9", "\u202ea\u200b", "[end 1234]", "“e9”"])
def test_names_stay_in_their_quotes(name: str) -> None:
    [line] = written(Page().add(0, "button", name)).lines
    assert re.fullmatch(r'button "[^"\n\u202e\u200b]+" e1', line)


def rows(count: int, *, text: str = "", role: str = "row") -> Page:
    page = Page().holder(0, "table", "Users")
    for number in range(count):
        page.holder(1, role, f"u{number} {text}").add(2, "checkbox", f"Select u{number}").add(2, "link", f"u{number}")
        page.add(2, "button", "Edit")
    return page


def test_rows_alike_name_what_differs_and_keep_every_ref() -> None:
    told = written(rows(40))
    assert told.lines[1] == '  row: checkbox "Select u0" e1, link "u0" e2, button "Edit" e3'
    assert told.lines[3].startswith(
        '  rows 3–40, each checkbox "Select …", link, button "Edit": e7 "u2" e8 e9; e10 "u3" e11'
    )
    assert {f"e{number}" for number in range(1, 121)} <= refs_in(told.lines)


def test_a_few_rows_tell_their_text() -> None:
    told = written(rows(9, text="mail@example.org"))
    assert told.lines[1] == '  row "u0 mail@example.org": checkbox "Select u0" e1, link "u0" e2, button "Edit" e3'
    assert '; "u8 mail@example.org" e25 e26 e27' in told.lines[3]


def test_rows_that_only_their_text_tells_apart_are_named_by_it() -> None:
    page = Page().holder(0, "list")
    for number in range(50):
        page.holder(1, "listitem", f"Ann {number}").add(2, "button", "Edit").add(2, "button", "Delete")
    told = written(page)
    assert 'each button "Edit", button "Delete": "Ann 2" e5 e6; "Ann 3" e7 e8;' in told.lines[-1]


def test_rows_whose_only_controls_are_called_alike_tell_their_text() -> None:
    page = Page().holder(0, "list")
    for name in ("Buy milk", "Walk dog"):
        page.holder(1, "listitem", f"{name} Delete").add(2, "button", "Delete")
    page.holder(0, "table")
    for name in ("Alice", "Bob"):
        page.holder(1, "row", f"{name} 30").holder(2, "cell", name).add(3, "link", name)
    assert written(page).lines == [
        'listitem "Buy milk": button "Delete" e1',
        'listitem "Walk dog": button "Delete" e2',
        'table: links "Alice" e3, "Bob" e4',
    ]


def test_controls_in_things_alike_say_what_stands_beside_them() -> None:
    page = Page().add(0, "button", "Remove", row="First thing").add(0, "button", "Remove", row="A thing " * 20)
    assert written(page).lines == [f'buttons "Remove" e1 in "First thing"; e2 in "{("A thing " * 20)[:39]}…"']


def test_controls_of_one_thing_stand_together_and_are_named_once() -> None:
    page = Page().add(0, "button", "Call")
    for thing in ("Hello", "Goodbye"):
        page.add(0, "button", "React", row=thing).add(0, "button", "Reply", row=thing)
    page.add(0, "button", "Edit", row="Again").add(0, "button", "Send")
    assert written(page).lines == [
        'buttons "Call" e1; "React" e2, "Reply" e3 in "Hello"; e4, e5 in "Goodbye"; "Edit" e6 in "Again"; "Send" e7'
    ]


def test_a_landmark_around_all_of_a_page_says_nothing() -> None:
    page = Page().holder(0, "main").add(1, "link", "A").holder(1, "iframe", "", origin="https://a.example")
    page.holder(2, "main").add(3, "link", "B")
    assert written(page).lines == ['link "A" e1', 'iframe e3: link "B" e2']


def test_a_heading_that_only_announces_a_control_is_left_out() -> None:
    page = Page()
    for name in ("Dark mode", "Digest"):
        page.holder(0, "heading", name, level=3).add(0, "switch", name)
    page.holder(0, "heading", "More", level=2).add(0, "button", "Go")
    assert written(page).lines == ['switches "Dark mode" e1, "Digest" e2', 'h2 "More"', 'button "Go" e3']


def test_a_dialog_is_named_once() -> None:
    page = Page().holder(0, "dialog", "Delete?", over="modal").holder(1, "heading", "Delete?", level=2)
    page.add(1, "button", "Yes").add(1, "button", "No")
    assert written(page).lines == ['dialog "Delete?": buttons "Yes" e1, "No" e2']


def test_headings_that_are_controls_share_a_line() -> None:
    page = Page()
    for name in ("A", "B"):
        page.holder(0, "heading", name, level=3).add(1, "button", name)
    page.add(0, "link", "C and more").holder(1, "heading", "C", level=3)
    page.add(0, "generic", "D and more").holder(1, "heading", "D", level=3).add(1, "button", "Edit")
    assert written(page).lines == [
        'h3 buttons "A" e1, "B" e2',
        'h3 link "C and more" e3',
        'clickable "D and more" e4',
        '  button "Edit" e5',
    ]


def test_headings_that_take_clicks_themselves_are_elements() -> None:
    page = Page().add(0, "heading", "A", level=2).add(0, "heading", "B", level=2)
    assert written(page).lines == ['h2s "A" e1, "B" e2']


def test_many_headings_that_are_links_are_shortened_as_links_are() -> None:
    page = Page()
    for number in range(3_000):
        page.holder(0, "heading", f"Chapter {number}", level=3).add(1, "link", f"Chapter {number}")
    told = written(page, most_chars=2_000)
    assert told.lines[0].startswith('h3 links "Chapter 0" e1, ')
    assert len(refs_in(told.lines)) == 3_000


def test_what_is_called_like_the_link_before_it_stands_below_that_link() -> None:
    page = Page().add(0, "link", "1. Start").holder(0, "definition", "1. Start").add(1, "link", "1.1 Install")
    page.add(1, "link", "1.2 Run").holder(0, "definition", "Other").add(1, "link", "X")
    assert written(page).lines == [
        'link "1. Start" e1',
        '  links "1.1 Install" e2, "1.2 Run" e3',
        'definition "Other": link "X" e4',
    ]


def test_a_few_rows_alike_are_told_on_one_line_where_that_is_shorter() -> None:
    page = Page().holder(0, "list")
    for name, states in (("Milk", ()), ("Tea", ("checked",)), ("Salt", ())):
        page.holder(1, "listitem", f"{name} Delete").add(2, "checkbox", "Done").add(2, "button", "Delete")
        page.nodes[-2] = replace(page.nodes[-2], states=states)
    assert written(page).lines == [
        'items 1–3, each checkbox "Done", button "Delete": "Milk" e1 e2; "Tea" e3 checked e4; "Salt" e5 e6'
    ]


def test_a_row_whose_text_is_cut_off_within_a_link_has_no_text_of_its_own() -> None:
    page = Page().holder(0, "listitem", "Installing it by hand Running it for the fir…")
    page.add(1, "link", "Installing it by hand").add(1, "link", "Running it for the first time")
    assert written(page).lines == ['listitem: links "Installing it by hand" e1, "Running it for the first time" e2']


def test_a_name_that_repeats_the_key_in_other_case_is_said_once() -> None:
    page = Page()
    for number in range(40):
        page.holder(0, "row").add(1, "checkbox", f"Select user {number}").add(1, "link", f"User {number}")
    assert 'each checkbox "Select …", link: e5 "User 2" e6; ' in written(page).lines[-1]


def test_many_rows_whose_only_controls_are_called_alike_name_these_once() -> None:
    page = Page().holder(0, "table")
    for number in range(20):
        page.holder(1, "row", f"Row {number}").holder(2, "cell").add(3, "checkbox", "Select")
    lines = written(page).lines
    assert lines[1:3] == ['  row "Row 0": checkbox "Select" e1', '  row "Row 1": checkbox "Select" e2']
    assert lines[3].startswith('  rows 3–20, each checkbox "Select": "Row 2" e3; "Row 3" e4; ')
    assert refs_in(lines) >= {f"e{number}" for number in range(1, 21)}


def test_rows_that_are_clicked_themselves_name_their_cells_once() -> None:
    page = Page().holder(0, "grid")
    for number, car in enumerate(("Audi", "Fiat", "Opel", "Saab", "Seat", "Skoda", "Tesla", "Volvo")):
        page.add(1, "row", f"{car} {number * 7}").add(2, "checkbox", "Select row")
        page.add(2, "gridcell", car).add(2, "gridcell", str(number * 7))
    title, first, second, rest = written(page).lines
    assert title == "grid e33"
    assert first == '  row "Audi 0" e1: checkbox "Select row" e2, gridcells "Audi" e3, "0" e4'
    head = '  rows 3–8, each row, checkbox "Select row", gridcell, gridcell'
    assert rest.startswith(f'{head}: "Opel 14" e9 e10 e11 e12; "Saab 21" e13 e14 e15 e16; ')
    assert refs_in([first, second, rest]) == {f"e{number}" for number in range(1, 33)}


def test_a_tree_of_items_that_are_clicked_stays_a_tree() -> None:
    page = Page()
    for number in range(6):
        page.add(0, "listitem", f"Folder {number}").add(1, "listitem", f"a{number}").add(1, "listitem", f"b{number}")
    assert written(page).lines[:3] == [
        'listitem "Folder 0" e1',
        '  listitems "a0" e2, "b0" e3',
        'listitem "Folder 1" e4',
    ]


def choosing(*offered: tuple[str, ...]) -> Page:
    page = Page().holder(0, "table")
    for number, options in enumerate(offered):
        page.holder(1, "row").add(2, "link", f"u{number}").add(2, "combobox", "Role", value="User", options=options)
    return page


def test_what_every_row_offers_to_choose_from_is_said_once() -> None:
    lines = written(choosing(*[("User", "Admin")] * 8)).lines
    assert lines[3].startswith('  rows 3–8, each link, combobox "Role" (options "User | Admin"): "u2" e5 e6 = "User"; ')
    assert lines[3].count("options") == 1


def test_rows_that_offer_different_choices_tell_their_own() -> None:
    [*_, last] = written(choosing(*[("User", "Admin")] * 7, ("User", "Owner"))).lines
    assert last.count('(options "User | Admin")') == 5
    assert last.endswith('= "User" (options "User | Owner")')


def test_rows_of_another_shape_are_told_as_they_are() -> None:
    page = rows(8)
    page.holder(1, "row", "Total").add(2, "link", "All").add(2, "link", "None")
    assert written(page).lines[-1] == '  row "Total": links "All" e25, "None" e26'


def test_states_are_told_in_rows_too() -> None:
    page = Page().holder(0, "table")
    for number in range(8):
        states = ("checked",) if number == 5 else ()
        page.holder(1, "row").add(2, "link", f"u{number}")
        node = Node(2, "checkbox", "Pick", states, True, 0, DocumentId("d"), "a", 1000 + number, "p")
        page.nodes.append(node)
    assert '"u5" e11 e12 checked; "u6" e13 e14' in written(page).lines[-1]


def test_what_is_too_long_is_told_by_ranges_and_still_holds_every_ref() -> None:
    told = written(rows(3_000), most_chars=5_000)
    assert sum(len(line) + 1 for line in told.lines) <= 5_000
    assert {f"e{number}" for number in range(1, 9_001)} <= refs_in(told.lines)
    assert "(3 a row)" in told.lines[-1]
    assert '3000 "u2999" from e8998' in told.lines[-1]
    assert told.notes == ["1 long line is shortened: viewport_only shows what is in view, ref a part in full."]


def test_long_lists_of_links_name_as_many_as_fit() -> None:
    page = Page()
    for number in range(2_000):
        page.add(0, "link", f"Topic number {number}")
    told = written(page)
    assert len(told.lines[0]) < 30_000
    assert '"Topic number 100" e101' in told.lines[0]
    assert len(refs_in(told.lines)) == 2_000


def test_what_is_cut_is_counted_and_can_be_asked_for() -> None:
    page = Page()
    for part in range(40):
        page.holder(0, "region", f"Part {part}")
        for number in range(5):
            page.add(1, "textbox", f"Field {part} {number}")
    told = written(page, most_chars=1_000)
    [note] = told.notes
    found = re.fullmatch(r"(\d+) lines are cut; max_chars=(\d+) shows all\. Read on with ref: (.*)\.", note)
    assert found is not None, note
    assert len(told.lines) - 1 + int(found[1]) == 240
    assert len(refs_in(told.lines)) == 200, "what is cut has its refs too"
    assert re.match(r'\(cut: \d+ more elements e\d+–e200, among them textbox "Field \d+ \d"', told.lines[-1])
    assert re.match(r'region "Part \d+" e\d+', found[3])
    assert not written(page, most_chars=int(found[2])).notes


def test_text_is_quoted_and_cut_before_anything_else() -> None:
    page = Page()
    for _ in range(30):
        page.holder(0, "paragraph").holder(1, "text", "See ").add(1, "link", "docs").holder(1, "text", " for more.")
        page.holder(0, "text", "Words. " * 100)
    told = written(page, most_chars=6_000)
    assert told.lines[0] == '"See", link "docs" e1, "for more."'
    assert len(refs_in(told.lines)) == 30


def test_depth_leaves_a_count() -> None:
    page = (
        Page().holder(0, "main").holder(1, "region", "A").add(2, "button", "X").add(2, "link", "Y").add(1, "link", "Z")
    )
    told = written(page, depth=2)
    assert told.lines == ["main", '  region "A"', '  link "Z" e1']
    assert told.notes == ["2 clickable elements lie deeper; ask with a larger depth, or with the ref of a part."]


def test_what_agents_did_not_tell_is_said() -> None:
    facts = PageFacts("", "", "", (1, 1), (0, 0), (1, 1), behind=3, omitted=1_200, unvisited=7)
    notes = " ".join(written(Page(), facts).notes)
    assert "3 elements behind it" in notes
    assert "1,200 more clickable elements have no ref" in notes
    assert "7 branches of the page" in notes


def test_no_page_is_more_than_a_client_takes() -> None:
    page = Page()
    for number in range(4_000):
        page.add(0, "textbox", f"漢字のとても長い名前 {number} " * 3, value="価値 " * 20)
    told = written(page, most_chars=80_000)
    assert sum(map(tokens_in, told.lines)) <= MOST_TOKENS
    assert told.notes


def test_refs_in_a_row_are_a_range() -> None:
    assert ranges(["e1", "e2", "e3", "e7", "e9", "e10"]) == "e1–e3, e7, e9–e10"


def test_a_page_that_was_read_is_gone_without_a_look_for_garbage() -> None:
    page = Page().holder(0, "main").add(1, "link", "Outer").add(2, "button", "Inner")
    for number in range(12):
        page.holder(1, "row").add(2, "link", f"Row {number}").add(2, "button", "Delete")
    gc.collect()
    gc.disable()
    try:
        assert written(page, depth=3, most_chars=200).clickables
        assert not [each for each in gc.get_objects() if isinstance(each, Item)]
    finally:
        gc.enable()
