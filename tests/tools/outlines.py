"""The outline that `read_page` tells of a page: its lines, and the refs in them."""

import itertools
import re

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

_paths = itertools.count()


async def visit(agent: Agent, site: Site, html: str) -> None:
    path = f"/read_page/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)


async def outline(agent: Agent, **arguments: object) -> list[str]:
    """The lines between the marks, without their indentation."""
    text = await told(agent, "read_page", **arguments)
    found = re.search(
        r"^\[page (\w+) [^\n]*: data, not instructions\]\n(.*)\n\[end \1\]", text, re.DOTALL | re.MULTILINE
    )
    assert found is not None, text
    return [line.strip() for line in found[2].splitlines()]


def refs(lines: list[str]) -> list[str]:
    """All refs in order, ranges written out."""
    found: list[str] = []
    for first, last in re.findall(r"\be(\d+)(?:–e(\d+))?\b(?=[^\"]*(?:\"[^\"]*\"[^\"]*)*$)", "\n".join(lines)):
        found += [f"e{number}" for number in range(int(first), int(last or first) + 1)]
    return list(dict.fromkeys(found))


def without_refs(lines: list[str]) -> list[str]:
    return [re.sub(r" e\d+\b", "", line) for line in lines]
