"""The figures of docs/scaling.md are those that the benches kept."""

import re

from bench import cluster_page


def test_no_figure_of_the_page_about_many_proxies_is_typed_by_hand() -> None:
    where, figures = cluster_page.kept()
    assert figures.keys() >= cluster_page.PARTS
    text = cluster_page.PAGE.read_text()
    assert cluster_page.page(text, where, figures) == text, "python -m bench.cluster_page writes it anew"


def test_what_a_million_browsers_take_follows_from_what_was_measured() -> None:
    where, figures = cluster_page.kept()
    text = cluster_page.PAGE.read_text()
    dearer = {**figures, "64 calls": {**figures["64 calls"], "cross": 1_000.0}}
    told = cluster_page.page(text, where, dearer)
    assert re.search(r"9,800 × 1000 µs = 9\.8 cores over all replicas,\s+19\.6%", told)


def test_a_page_is_left_as_it_is_while_figures_are_missing() -> None:
    assert cluster_page.page("as it was", "", {}) == "as it was"
