"""form_input on boxes for the single characters of one code."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.page_tools.test_code_boxes import FOLLOW, boxes
from tests.tools.pages import ref, seen, visit
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def test_any_of_the_boxes_takes_the_whole_code(agent: Agent, site: Site) -> None:
    page = f"<form>{boxes(6, 'aria-label=Digit&nbsp;# maxlength=1 size=1')}<button>Verify</button></form>{FOLLOW}"
    outline = await visit(agent, site, page)
    assert "first of 6 boxes that take one code" in outline
    third = ref(outline, '"Digit 3"')
    assert 'is now "123456"' in await told(agent, "form_input", ref=third, value="123 456")
    assert await seen(agent, "boxes.map(({ value }) => value).join('')") == "123456"
    await told(agent, "form_input", ref=third, value="0")
    assert await seen(agent, "boxes.map(({ value }) => value).join('')") == "120456", "a single one is for its box"
    refused = await agent.result("form_input", ref=third, value="12345")
    assert refused.is_error
    assert "It takes 6 characters" in str(refused.content)
