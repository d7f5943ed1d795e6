"""What comes with an action can be used at once: its answer has the refs, and what was written is answered for."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import seen, visit
from tests.tools.told import told
from tests.tools.web import Web

pytestmark = pytest.mark.browser


def ref(name: str, text: str) -> str:
    found = re.search(rf'"{name}" (e\d+)', text)
    assert found is not None, text
    return found[1]


async def click(agent: Agent, name: str, text: str) -> str:
    said = await told(agent, "computer", action="left_click", ref=ref(name, text))
    return said.partition("\n")[2]


async def test_the_next_step_of_a_form_is_told_with_its_refs(agent: Agent, site: Site) -> None:
    step = """<h2>2. Delivery</h2><label><input type=radio name=d checked> Standard</label>
        <label><input type=radio name=d> Express</label><label for=n>Note</label><input id=n value=none>
        <p>Costs nothing.</p><button>Continue</button>"""
    page = await visit(
        agent,
        site,
        f"<main id=m><button onclick='m.innerHTML = t.innerHTML'>Go</button></main><template id=t>{step}</template>",
    )
    said = await click(agent, "Go", page)
    assert re.sub(r"e\d+", "e", said) == (
        "The heading is now “2. Delivery”.\n"
        'New on the page: radios "Standard" e checked, "Express" e, textbox "Note" e = "none", '
        '"Costs nothing.", button "Continue" e.'
    )
    assert "It is now checked" in await click(agent, "Express", said)


async def test_a_dialog_is_told_with_its_refs(agent: Agent, site: Site) -> None:
    html = """<button onclick='d.showModal()'>Drop</button><dialog id=d><h2>Sure?</h2><p>It cannot be undone.</p>
        <button onclick='d.close()'>Yes</button><button>No</button></dialog>"""
    said = await click(agent, "Drop", await visit(agent, site, html))
    assert re.sub(r"e\d+", "e", said) == (
        'A dialog opened: “Sure?”.\nNew on the page: "It cannot be undone.", buttons "Yes" e focused, "No" e.'
    )
    assert "closed" in await click(agent, "Yes", said)


@pytest.mark.parametrize("live", ["role=status", "aria-live=polite", "class=toast"])
async def test_a_message_is_told_with_the_refs_of_its_buttons(agent: Agent, site: Site, live: str) -> None:
    html = f"""<button onclick='m.hidden = false; m.innerHTML = t.innerHTML'>Drop</button><div id=m {live} hidden></div>
        <template id=t><p>Order dropped.</p><button onclick='m.innerHTML = "Back again."'>Undo</button></template>"""
    said = await click(agent, "Drop", await visit(agent, site, html))
    assert re.sub(r"e\d+", "e", said) == 'The page says: “Order dropped. Undo”.\nNew on the page: button "Undo" e.'
    assert await click(agent, "Undo", said) == "The page says: “Back again.”."


async def test_what_comes_in_a_frame_is_told_with_refs_of_the_frame(agent: Agent, site: Site) -> None:
    site.pages["/news/inner"] = (
        "<body><button onclick='this.outerHTML = `<p>Sent</p><button>Undo</button>`'>Send</button>"
    )
    said = await click(agent, "Send", await visit(agent, site, "<iframe src=/news/inner></iframe>"))
    assert re.sub(r"e\d+", "e", said) == 'New on the page: "Sent", button "Undo" e.'
    assert 'button "Undo"' in await told(agent, "computer", action="left_click", ref=ref("Undo", said))


async def test_of_many_controls_only_the_words_are_told(agent: Agent, site: Site) -> None:
    rows = "".join(f"<p>Row {number} <button>Edit</button></p>" for number in range(13))
    said = await click(
        agent,
        "All",
        await visit(
            agent,
            site,
            f"<button onclick='l.innerHTML = t.innerHTML'>All</button><div id=l></div><template id=t>{rows}</template>",
        ),
    )
    assert said.startswith("New on the page: “Row 0 Edit")
    assert not re.search(r"\be\d+", said)


SUGGESTING = """<label for=q>Town</label><input id=q><ul id=l></ul><script>
    let last
    q.oninput = () => {
      clearTimeout(last)
      last = setTimeout(() => fetch('/news/towns').then((it) => it.text()).then((it) => { l.innerHTML = it }), 200)
    }</script>"""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("computer", {"action": "type", "text": "Gra"}),
        ("computer", {"action": "key", "text": "G r a"}),
        ("form_input", {"value": "Gra"}),
    ],
    ids=["type", "key", "form_input"],
)
async def test_what_is_suggested_for_what_was_written_is_told(
    agent: Agent, site: Site, tool: str, arguments: dict[str, object]
) -> None:
    site.pages["/news/towns"] = "<li><a href=#>Graz</a><li><a href=#>Granada</a>"
    page = await visit(agent, site, SUGGESTING)
    said = await told(agent, tool, ref=ref("Town", page), **arguments)
    assert re.search(r'New on the page: links "Graz" e\d+, "Granada" e\d+\.$', said), said


SIGN_UP = """<h1>Sign up</h1><form method=post><p><label for=m>E-mail</label><input id=m name=m value=ann
      aria-invalid=true aria-describedby=w><span id=w class=error>No address.</span>{more}<button>Send</button>
    </form>"""


@pytest.mark.parametrize(
    ("more", "whole"),
    [
        ("<p><label>Name <input name=n value=Ann></label>", ', textbox "Name" e = "Ann", button "Send" e'),
        ("".join(f"<p><label>Field {n} <input></label>" for n in range(12)), ', button "Send" e'),
    ],
    ids=["small", "large"],
)
async def test_a_form_that_comes_back_with_errors_is_told_with_what_there_is_to_correct(
    agent: Agent, web: Web, more: str, whole: str
) -> None:
    web.answers["/news/sign-up"] = SIGN_UP.format(more=more)
    await told(agent, "navigate", url=f"{web.url}/news/sign-up")
    said = await click(agent, "Send", await told(agent, "read_page"))
    assert re.sub(r"e\d+", "e", said).endswith(
        f'Errors: E-mail: No address.\nTo correct: textbox "E-mail" e = "ann" invalid{whole}.'
    )
    filled = await told(agent, "form_input", ref=ref("E-mail", said), value="ann@example.com")
    assert "ann@example.com" in filled


async def test_several_fields_with_the_same_error_are_all_named(agent: Agent, web: Web) -> None:
    field = """<p><label>{0} <input name={0} aria-invalid=true aria-describedby=e{0}></label>
        <span id=e{0} class=error>This field is required.</span>"""
    fields = field.format("Name") + field.format("Town")
    web.answers["/news/required"] = f"<h1>Sign up</h1><form method=post>{fields}<button>Send</button></form>"
    await told(agent, "navigate", url=f"{web.url}/news/required")
    said = await click(agent, "Send", await told(agent, "read_page"))
    assert "Errors: Name: This field is required.; Town: This field is required.\n" in said


CALENDAR = """<div><button id=n aria-label=Next>›</button><b id=h></b><table id=t><tbody id=c></table></div><script>
    let month = 10
    const draw = () => {
      const first = new Date(2026, month, 1)
      h.textContent = first.toLocaleString('en', { month: 'long' })
      const days = Array.from({ length: new Date(2026, month + 1, 0).getDate() }, (_, at) => at + 1)
      const cells = days.map((day) => `<td><button aria-label="NAME"><!---->${day}</button>`)
      const weeks = [0, 7, 14, 21, 28].map((at) => `<tr>${cells.slice(at, at + 7).join('')}`)
      const holder = WHOLE ? t : c
      holder.innerHTML = weeks.join('')
    }
    n.onclick = () => { month += 1; draw() }
    t.onclick = ({ target }) => { document.title = target.ariaLabel; draw() }
    draw()
    </script>"""


@pytest.mark.parametrize("name", ["${day}", "${h.textContent} ${day}, 2026"], ids=["number", "date"])
@pytest.mark.parametrize("whole", ["true", "false"], ids=["in one", "by rows"])
async def test_the_days_of_a_calendar_that_is_drawn_anew_are_told_with_their_refs(
    agent: Agent, site: Site, name: str, whole: str
) -> None:
    page = await visit(agent, site, CALENDAR.replace("NAME", name).replace("WHOLE", whole))
    said = await click(agent, "Next", page)
    first = "1" if name == "${day}" else "December 1, 2026"
    assert re.search(rf'New on the page: "December", buttons "{first}" e\d+, "2" e\d+, .*"31" e\d+\.$', said), said
    await click(agent, "24", said)
    assert await seen(agent, "document.title") == ("24" if first == "1" else "December 24, 2026")


async def test_what_a_component_shows_in_itself_is_told_once(agent: Agent, site: Site) -> None:
    html = """<x-menu id=m><div id=p hidden><button>Cut</button><button>Copy</button></div></x-menu>
        <button onclick='p.hidden = false; m.open()'>Edit</button><script>
        customElements.define('x-menu', class extends HTMLElement {
          constructor() {
            super().attachShadow({ mode: 'open' }).innerHTML = '<div style="display: none"><slot></slot></div>'
          }
          open() { this.shadowRoot.firstChild.style.display = 'block' }
        })</script>"""
    said = await click(agent, "Edit", await visit(agent, site, html))
    assert re.sub(r"e\d+", "e", said) == 'New on the page: buttons "Cut" e, "Copy" e.'
