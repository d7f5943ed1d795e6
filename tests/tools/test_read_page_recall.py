"""read_page misses nothing: every visible control in the browser's accessibility tree has a ref, on real pages."""

import re
from collections.abc import Iterator

import pytest

from tests.apps.test_django import Admin, admin
from tests.apps.test_swagger import PetShop
from tests.clients import Agent
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until
from tests.tools.ax import Inspector, without_ref
from tests.tools.outlines import refs
from tests.tools.told import told

pytestmark = pytest.mark.browser

INPUTS = [
    *("text", "search", "email", "number", "range", "color", "date", "time", "datetime-local", "month", "week"),
    *("file", "checkbox", "radio"),
]
PAGES = {
    "closed shadow roots": (
        """<div id=host></div><x-card></x-card><script>
        host.attachShadow({ mode: 'closed' }).innerHTML =
          '<button>One</button><label>Two <input></label><p tabindex=0>Three';
        customElements.define('x-card', class extends HTMLElement { constructor() { super();
          this.attachShadow({ mode: 'closed' }).innerHTML =
            '<a href=#>Four</a><details><summary>Five</summary><button>Not</button></details>' } })</script>""",
        5,
    ),
    "frames": (
        """<iframe srcdoc="<button>One</button><iframe srcdoc='<a href=#>Two</a>'></iframe>"></iframe>
        <iframe style="transform: scale(0.5)" srcdoc="<input aria-label=Three>"></iframe>
        <iframe hidden srcdoc="<button>Not</button>"></iframe>""",
        3,
    ),
    "ARIA widgets": (
        """<div role=tablist><p role=tab tabindex=0>One<p role=tab tabindex=-1>Two</div>
        <div role=tree><p role=treeitem tabindex=0 aria-expanded=false>Three</div><p role=menuitem tabindex=0>Four
        <p role=slider tabindex=0 aria-valuenow=3>Five<p role=spinbutton tabindex=0 aria-valuenow=3>Six
        <p role=switch tabindex=0 aria-checked=false>Seven<p role=radio tabindex=0>Eight<p role=combobox tabindex=0>Nine
        <div role=grid><div role=row><div role=gridcell tabindex=0>Ten</div></div></div>
        <div role=listbox tabindex=0 aria-label=Eleven><p role=option>Twelve</div>""",
        12,
    ),
    "fields of the browser": (
        "".join(f"<input type={kind} aria-label={kind}>" for kind in INPUTS)
        + """<select aria-label=s><option>1</select><select multiple aria-label=m><option>1</select>
        <textarea></textarea>
        <input list=l aria-label=c><datalist id=l><option>1</datalist><button>B</button><input type=submit>
        <video controls width=200></video><audio controls></audio>""",
        22,
    ),
    "drawn by the page": (
        """<style>label input { position: absolute; opacity: 0; width: 0; height: 0 } label { display: block }
        i { display: inline-block; width: 16px; height: 16px; border: 1px solid }
        section { position: relative; width: 99px; height: 30px; background: #ccc }
        .over { position: absolute; inset: 0; opacity: 0 }</style>
        <label><input type=checkbox><i></i> One</label><label><input type=radio><i></i> Two</label>
        <section>Three<input type=file class=over></section><section>Four<button class=over>4</button></section>
        <section>Five<a href=# class=over>5</a></section><section>Six<input class=over></section>
        <section>Seven<select class=over><option>7</select></section>""",
        7,
    ),
    "over the page": (
        """<button popovertarget=p>One</button><div popover id=p><button>Two</button></div>
        <div popover><button>Not</button></div><dialog open><button>Three</button></dialog><dialog><button>Not</button>
        </dialog><script>p.showPopover()</script>""",
        3,
    ),
    "editors and listeners": (
        """<div contenteditable>One</div><div contenteditable=plaintext-only>Two</div><p contenteditable>
        <p id=a>Four</p><p>A <span id=b>fifth</span> word</p><svg width=60 height=60><circle id=c cx=20 cy=20 r=15 />
        <rect tabindex=0 x=40 y=5 width=15 height=30 /></svg><p tabindex=0>Eight</p>
        <details open><summary>Nine</summary><a href=#>Ten</a></details>
        <script>for (const each of [a, b, c]) each.addEventListener('click', () => {})</script>""",
        10,
    ),
    "scrolled": (
        """<div style="height: 100px; overflow: auto"><div style="height: 900px"></div><button>One</button></div>
        <div style="width: 99px; overflow-x: auto; white-space: nowrap">
        <span style="display: inline-block; width: 900px"></span><a href=#>Two</a></div>
        <div style="height: 3000px"></div><a href=#>Three</a>""",
        3,
    ),
    "not to be used": (
        """<button hidden>Not</button><button style="visibility: hidden">Not</button>
        <div inert><button>Not</button></div>
        <details><summary>One</summary><button>Not</button></details><div style="display: none"><a href=#>Not</a></div>
        <div style="height: 0; overflow: hidden"><button>Not</button></div><button disabled>Two</button>
        <button style="position: absolute; left: -999px">Not</button><input type=hidden>""",
        2,
    ),
}

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
        assert len(refs(text.splitlines()[1:])) >= found


async def test_swagger(agent: Agent, shared: GatewayProcess, shop: PetShop) -> None:
    await told(agent, "navigate", url=f"{shop.url}/")
    found, missing = inspect(shared, shop.url)
    assert not missing
    assert found >= 10


@pytest.mark.parametrize("kind", PAGES)
async def test_a_page_has_a_ref_for_each_control_and_for_nothing_else(
    agent: Agent, shared: GatewayProcess, site: Site, kind: str
) -> None:
    html, count = PAGES[kind]
    path = f"/recall/{list(PAGES).index(kind)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)
    text = await told(agent, "read_page")
    found, missing = inspect(shared, site.url + path)
    assert not missing
    assert found > 0
    assert len(set(re.findall(r"(?<!iframe) (e\d+)\b", text))) == count, text
    assert "Not" not in text.split("\n[page ")[-1]
