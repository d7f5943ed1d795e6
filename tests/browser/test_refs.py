"""Refs: bound to their document and agent, never given twice, refused when they are not known."""

import tracemalloc
from dataclasses import replace

import pytest

from tabwright.browser.refs import Refs, Target
from tabwright.errors import InvalidArguments, StaleRef
from tabwright.model import DocumentId


def target(number: int, document: str = "d", agent: str = "a", name: str = "Save") -> Target:
    return Target(0, DocumentId(document), agent, number, f"body:0/button:{number}", "button", name)


def test_an_element_keeps_its_ref_and_another_never_gets_it() -> None:
    refs = Refs()
    assert [refs.give(target(1)), refs.give(target(2)), refs.give(target(1))] == ["e1", "e2", "e1"]
    assert refs.give(target(1, document="another")) == "e3"
    assert refs.give(target(1, agent="another")) == "e4"


def test_what_is_said_of_an_element_is_brought_up_to_date() -> None:
    refs = Refs()
    refs.give(target(1, name="Save"))
    refs.give(target(1, name="Saved"))
    assert refs.find("e1").name == "Saved"


@pytest.mark.parametrize("spelt", ["e1", " e1 ", "[e1]", "[ref=e1]", "ref=e1", "@e1", "1"])
def test_refs_are_understood_however_models_spell_them(spelt: str) -> None:
    refs = Refs()
    refs.give(target(1))
    assert refs.find(spelt).number == 1


@pytest.mark.parametrize("spelt", ["", "button", "e", "e-1", "e١", "#save"])
def test_what_is_no_ref_is_told_so(spelt: str) -> None:
    with pytest.raises(InvalidArguments, match="refs look like e12"):
        Refs().find(spelt)


def test_a_ref_never_given_out_is_stale() -> None:
    with pytest.raises(StaleRef, match="e7 is not on the page any more"):
        Refs().find("e7")


def test_the_oldest_refs_are_forgotten_first() -> None:
    refs = Refs(most=2)
    for number in (1, 2, 3):
        refs.give(target(number))
    with pytest.raises(StaleRef):
        refs.find("e1")
    assert refs.find("e3").number == 3


def test_a_page_that_was_left_is_forgotten_with_its_frames_and_the_one_before_may_come_back() -> None:
    refs = Refs(most_left=2)
    for document in ("first", "second", "third"):
        refs.give(target(1, document))
        refs.give(replace(target(1, f"{document}'s frame"), frame_id=7))
    for gone in ("e1", "e2"):
        with pytest.raises(StaleRef):
            refs.find(gone)
    assert [refs.find(ref).document_id for ref in ("e3", "e4", "e5")] == ["second", "second's frame", "third"]
    assert refs.give(target(1, "second")) == "e3"


def test_a_frame_that_moves_on_takes_nothing_of_its_page_along() -> None:
    refs = Refs(most_left=0)
    refs.give(target(1, "page"))
    for document in ("an ad", "another ad"):
        refs.give(replace(target(1, document), frame_id=7))
    assert [refs.find(ref).document_id for ref in ("e1", "e3")] == ["page", "another ad"]
    with pytest.raises(StaleRef):
        refs.find("e2")


def test_what_was_given_in_a_page_that_was_left_is_found_whole_and_takes_little() -> None:
    refs = Refs()
    rows = [replace(target(number), path=f"html/body/table/tr[{number}]/a") for number in range(1, 1_001)]
    given = [refs.give(row) for row in rows]
    again = ""
    tracemalloc.start()
    try:
        for row in rows:
            again = refs.give(replace(row, document_id=DocumentId("next"), path=row.path + "/b"))
        kept, _ = tracemalloc.get_traced_memory()
        refs.give(target(1, "last"))
        packed, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert packed < kept * 0.7, "and much of the rest is a table, which is filled again"
    assert [refs.find(ref) for ref in given[::250]] == rows[::250]
    assert refs.find(again).path == "html/body/table/tr[1000]/a/b"
