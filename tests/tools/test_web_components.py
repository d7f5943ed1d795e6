"""Controls made of custom elements: shadow roots, slots in slots, labels of hosts, and what is drawn over fields."""

import itertools
import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()

DEFINE = """<script>
  const define = (name, html, more = {}) => customElements.define(name, class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; more.made?.(this) }
    static formAssociated = true
  })
</script>"""


async def visit(agent: Agent, site: Site, html: str) -> str:
    """The outline of a page."""
    path = f"/components/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{DEFINE}{html}"
    await told(agent, "navigate", url=site.url + path)
    return await told(agent, "read_page")


async def seen(agent: Agent, expression: str) -> str:
    return await told(agent, "javascript_tool", action="javascript_exec", text=expression)


def ref(outline: str, words: str) -> str:
    found = re.search(rf"{re.escape(words)} (e\d+)", outline)
    assert found is not None, outline
    return found[1]


async def test_a_field_that_is_transparent_under_its_label_is_told_and_filled_in(agent: Agent, site: Site) -> None:
    html = """<style>.f { position: relative; width: 200px; height: 50px } .f label { position: absolute; left: 8px; top: 15px; pointer-events: none }
      .f input { opacity: 0; width: 100%; height: 100% } .f:focus-within input { opacity: 1 }</style>
      <div class=f><label for=n>Name</label><input id=n></div>
      <my-field id=m></my-field>
      <form><p>Mail <input name=mail></p><p><input name=trap aria-label=Trap style="opacity: 0"></p><p>Go on</p></form>
      <script>
      define('my-box', '<div><span style="position: absolute">City</span><div style="opacity: 0"><slot></slot></div></div>')
      define('my-field', '<my-box><span><input aria-label=City></span></my-box>')
      </script>"""
    outline = await visit(agent, site, html)
    assert "Trap" not in outline
    await told(agent, "computer", action="left_click", ref=ref(outline, 'textbox "Name"'))
    await told(agent, "computer", action="type", text="Ann")
    await told(agent, "form_input", ref=ref(outline, 'textbox "City"'), value="Rome")
    assert "Ann Rome" in await seen(agent, "`${n.value} ${m.shadowRoot.querySelector('input').value}`")


async def test_words_far_down_in_slots_and_pictures_name_what_they_are_in(agent: Agent, site: Site) -> None:
    html = """<my-item><div slot=headline>Save as</div></my-item>
      <my-button><my-icon role=img aria-label=Close></my-icon></my-button>
      <script>
      const blanks = '\\n'.padEnd(60)
      define('my-icon', '<svg width=9 height=9></svg>')
      define('my-line', `${blanks}<slot name=start></slot>${blanks}<div>${blanks}<slot name=headline></slot></div>`)
      define('my-item', `<div role=menuitem tabindex=0 class=list-item>${blanks}<my-line>${blanks}<slot name=headline slot=headline></slot></my-line></div>`)
      define('my-button', '<button class=label><slot></slot></button>')
      </script>"""
    outline = await visit(agent, site, html)
    assert 'menuitem "Save as"' in outline
    assert 'button "Close"' in outline
