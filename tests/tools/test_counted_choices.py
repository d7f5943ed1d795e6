"""Choices that say how many there are of each: chosen as they are shown, and without the count."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import told

pytestmark = pytest.mark.browser

SELECT = (
    "<label>Brand <select id=s><option value=a>Any<option value=n>Nike (12)<option value=p>Puma (3)</select></label>"
    "<fieldset><legend>Size</legend><label><input type=radio name=z value=s>S (4)</label>"
    "<label><input type=radio name=z value=m>M (7)</label></fieldset>"
)


@pytest.mark.parametrize("wanted", ["Puma (3)", "Puma"])
async def test_a_counted_choice_is_chosen_as_it_is_shown_and_without_its_count(
    agent: Agent, site: Site, wanted: str
) -> None:
    field = ref(await visit(agent, site, SELECT), '"Brand"')
    assert 'is now "Puma (3)"' in await told(agent, "form_input", ref=field, value=wanted), "as read_page tells it"
    assert await seen(agent, "s.value") == "p"


@pytest.mark.parametrize("wanted", ["M (7)", "M"])
async def test_so_is_one_of_radios(agent: Agent, site: Site, wanted: str) -> None:
    field = ref(await visit(agent, site, SELECT), '"S (4)"')
    assert 'is now "M (7)"' in await told(agent, "form_input", ref=field, value=wanted)
    assert await seen(agent, "document.querySelector('[name=z]:checked').value") == "m"
