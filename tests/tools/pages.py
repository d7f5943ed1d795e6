"""Small pages of a test's own: opened, read, and their elements named."""

import itertools
import re

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

_paths = itertools.count()


async def visit(agent: Agent, site: Site, html: str) -> str:
    """The outline of a page."""
    path = f"/own/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)
    return await told(agent, "read_page")


async def seen(agent: Agent, expression: str) -> str:
    """What the page itself holds."""
    return await told(agent, "javascript_tool", action="javascript_exec", text=expression)


def ref(outline: str, words: str) -> str:
    found = re.search(rf"{re.escape(words)} (e\d+)", outline)
    assert found is not None, outline
    return found[1]
