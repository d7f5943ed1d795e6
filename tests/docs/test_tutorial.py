"""docs/page-tools-tutorial.md: its code is the example's, to the letter, and the example runs."""

import re

import pytest

from tests.docs.blocks import ROOT, Block, blocks

SHOP = "\n".join((ROOT / "examples" / "shop" / name).read_text() for name in ("index.html", "shop.js", "tools.js"))
CODE = [
    block
    for block in blocks()
    if block.place.startswith("docs/page-tools-tutorial.md") and block.language in ("js", "html")
]


def _flat(text: str) -> str:
    return re.sub(r"^\s+", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("block", CODE, ids=lambda block: block.place)
def test_its_code_is_the_example_s(block: Block) -> None:
    assert _flat(block.text) in _flat(SHOP)
