"""read_page misses nothing: every visible control in the browser's accessibility tree has a ref, on real pages."""

import re
from collections.abc import Iterator

import pytest

from tests.apps.test_django import Admin, admin
from tests.apps.test_swagger import PetShop
from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess, until
from tests.tools.ax import Inspector, without_ref
from tests.tools.told import told

pytestmark = pytest.mark.browser

__all__ = ["admin"]


@pytest.fixture(scope="module")
def shop() -> Iterator[PetShop]:
    made = PetShop()
    yield made
    made.close()


def inspect(gateway: GatewayProcess, containing: str) -> tuple[int, list[str]]:
    with Inspector(gateway.home / "profiles" / "default") as cdp:
        return without_ref(cdp, containing)


LOG_IN = """document.querySelector('#id_username').value = 'ada';
document.querySelector('#id_password').value = 'countess'; document.forms[0].submit()"""


async def log_in(agent: Agent, gateway: GatewayProcess, admin: Admin) -> None:
    await told(agent, "navigate", url=f"{admin.url}admin/login/?next=/admin/")
    with cdp_of(gateway) as cdp:
        cdp.in_page("/admin/login/", LOG_IN)
        until(lambda: cdp.targets("page", "/admin/") and not cdp.targets("page", "/admin/login/"))


async def test_django_admin(agent: Agent, shared: GatewayProcess, admin: Admin) -> None:
    await log_in(agent, shared, admin)
    for path, least in (("auth/user/?all=", 430), ("auth/user/1/change/", 50), ("auth/user/add/", 20), ("", 10)):
        await told(agent, "navigate", url=f"{admin.url}admin/{path}")
        text = await told(agent, "read_page")
        found, missing = inspect(shared, f"/admin/{path}")
        assert not missing
        assert found >= least
        counted = re.search(r"([\d,]+) clickable elements", text)
        assert counted is not None
        assert int(counted[1].replace(",", "")) >= found


async def test_swagger(agent: Agent, shared: GatewayProcess, shop: PetShop) -> None:
    await told(agent, "navigate", url=f"{shop.url}/")
    found, missing = inspect(shared, shop.url)
    assert not missing
    assert found >= 10
