"""The nodes of a page: read from what its agents tell, frames in their places, nothing taken on trust."""

from typing import Any

import pytest

from tabwright.browser.frames import FrameAnswer
from tabwright.browser.reading.nodes import Node, read_facts, read_nodes
from tabwright.errors import CommandFailed
from tabwright.model import DocumentId, Json


def told(depth: int, role: str, name: str, number: int = 0, path: int = -1, **extra: Json) -> list[Json]:
    return [depth, role, name, "", int(number > 0), number, path, 5, 6, 70, 8, {**extra}]


def answer(frame_id: int, nodes: list[Any], parent_id: int = -1, place: int = 0, **value: Json) -> FrameAnswer:
    whole: Json = {
        "agent": f"agent{frame_id}",
        "nodes": nodes,
        "steps": [[-1, "html:0"], [0, "body:0"], [1, "a:2"]],
        **value,
    }
    origin = f"https://{frame_id}.example"
    return FrameAnswer(frame_id, DocumentId(f"d{frame_id}"), parent_id, place, origin, f"{origin}/", whole)


def test_an_element_is_all_that_a_ref_needs() -> None:
    [node] = read_nodes([answer(0, [[1, "link", "Home", "focused current", 1, 7, 2, 5, 6, 70, 8, {"u": "/x"}]])])
    assert (node.role, node.states, node.clickable, node.box, node.url) == (
        "link",
        ("focused", "current"),
        True,
        (5, 6, 70, 8),
        "/x",
    )
    target = node.target
    assert (target.frame_id, target.document_id, target.agent, target.number) == (0, "d0", "agent0", 7)
    assert (target.path, target.role, target.name) == ("html:0/body:0/a:2", "link", "Home")


def test_frames_stand_below_their_own_node_in_the_page_s_coordinates() -> None:
    page = answer(0, [told(0, "button", "A", 1), told(0, "iframe", "", 2, f=1), told(0, "button", "B", 3)])
    inner = answer(4, [told(0, "iframe", "", 1, f=0)], 0, 1)
    innermost = answer(9, [told(0, "button", "C", 1)], 4, 0)
    nodes = read_nodes([page, innermost, inner])
    assert [(node.depth, node.role, node.name) for node in nodes] == [
        (0, "button", "A"),
        (0, "iframe", ""),
        (1, "iframe", ""),
        (2, "button", "C"),
        (0, "button", "B"),
    ]
    assert nodes[3].box == (15, 18, 70, 8)
    assert nodes[1].origin == "https://4.example"
    assert [node.frame_id for node in nodes] == [0, 0, 4, 9, 0]


def test_a_frame_that_did_not_answer_is_unreachable() -> None:
    silent = FrameAnswer(4, DocumentId("d4"), 0, 0, "", "", None, "busy")
    answers = [answer(0, [told(0, "iframe", "", 2, f=0), told(0, "iframe", "", 3)]), silent]
    nodes = read_nodes(answers)
    assert [node.unreachable for node in nodes] == [True, True]
    assert read_facts(answers, nodes).unreachable == 2


def test_a_part_of_the_page_begins_with_its_frame() -> None:
    answers = [answer(0, [told(0, "iframe", "", 2, f=0)]), answer(4, [told(0, "button", "C", 1)], 0, 0)]
    assert [node.name for node in read_nodes(answers, 4)] == ["C"]


def test_frames_that_claim_to_be_in_one_another_are_told_once() -> None:
    one = answer(1, [told(0, "iframe", "", 1, f=0)], 2, 0)
    two = answer(2, [told(0, "iframe", "", 1, f=0)], 1, 0)
    assert len(read_nodes([one, two], 1)) == 3


def test_facts_are_those_of_the_page_and_counts_of_all() -> None:
    view: Json = [800, 600, 0, 50, 800, 2000]
    answers = [answer(0, [], title="T", view=view, omitted=2), answer(4, [], 0, 0, omitted=3, behind=1)]
    facts = read_facts(answers, [])
    assert (facts.title, facts.url, facts.origin) == ("T", "https://0.example/", "https://0.example")
    assert (facts.view, facts.scroll, facts.size) == ((800, 600), (0, 50), (800, 2000))
    assert (facts.omitted, facts.behind) == (5, 1)


@pytest.mark.parametrize("value", [[], {"nodes": 3}, "x"])
def test_another_form_is_refused(value: Json) -> None:
    broken = FrameAnswer(0, DocumentId("d"), -1, 0, "", "", value)
    with pytest.raises(CommandFailed, match="Reload the tab"):
        read_nodes([broken])


def test_nodes_of_the_wrong_shape_are_left_out_and_odd_fields_are_empty() -> None:
    odd: list[Any] = [[1, 2], "x", [0, "button", "Ok", "", 1, 5, 99, "a", None, 1.5, True, ["x"]]]
    [node] = read_nodes([answer(0, odd)])
    assert node == Node(0, "button", "Ok", (), True, 0, DocumentId("d0"), "agent0", 5, "")
