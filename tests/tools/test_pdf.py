"""PDFs, which the browser draws with a viewer of its own: in a page, and in place of one."""

import asyncio

import pytest

from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess, until
from tests.tools.told import told
from tests.tools.web import Answer, Web

pytestmark = pytest.mark.browser

VIEWER = "mhjfbmdgcfjbbpaeojofohoefgiehjai"
DOCUMENT = """%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj
trailer<</Root 1 0 R>>"""


@pytest.fixture(autouse=True)
def pdf(web: Web) -> None:
    web.answers["/invoice.pdf"] = Answer(DOCUMENT, headers={"Content-Type": "application/pdf"})


async def viewer(gateway: GatewayProcess) -> None:
    """Wait until the browser's viewer shows something."""
    with cdp_of(gateway) as cdp:
        await asyncio.to_thread(until, lambda: any(VIEWER in each["url"] for each in cdp.targets("iframe")))


@pytest.mark.parametrize("holder", ["<embed src=/invoice.pdf>", "<iframe src=/invoice.pdf></iframe>"])
async def test_a_page_with_a_pdf_in_it_can_be_used(shared: GatewayProcess, agent: Agent, web: Web, holder: str) -> None:
    web.answers["/bill"] = f"<button style='display: block' onclick=\"this.textContent = 'Paid'\">Pay</button>{holder}"
    await told(agent, "navigate", url=f"{web.url}/bill")
    await viewer(shared)
    # the viewer's own navigation is told a moment after it came
    for _ in range(3):
        await told(agent, "computer", action="hover", coordinate=[300, 5])
    assert "Paid" in await told(agent, "computer", action="left_click", coordinate=[20, 15])


async def test_a_pdf_says_that_it_is_one_and_how_it_is_seen(shared: GatewayProcess, agent: Agent, web: Web) -> None:
    await told(agent, "navigate", url=f"{web.url}/invoice.pdf")
    await viewer(shared)
    assert "a PDF" in await told(agent, "read_page")
    assert "action=screenshot" in await told(agent, "get_page_text")
    assert not (await agent.result("computer", action="screenshot")).is_error
    await told(agent, "computer", action="scroll", coordinate=[300, 300], scroll_direction="down")
