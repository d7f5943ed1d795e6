"""Editors that draw what is typed in their own time, and tool bars made of web components."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.test_names import visiting

pytestmark = pytest.mark.browser

NOTEBOOK = """<!doctype html><title>Notebook</title><style>.cm-content { min-height: 20px }</style>
<script>customElements.define('x-button', class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot></button>'; }
});</script>
<main><h1>Notebook</h1><div role=toolbar aria-label="Notebook">BUTTONS</div>
CELLS<p id=done></p></main><script>
const model = new Map();
const draw = (editor) => { editor.innerHTML = model.get(editor).split('\\n').map((line) => `<div class=cm-line>${
  line.replace(/\\w+/g, (word) => `<span>${word}</span>`) || '<br>'}</div>`).join(''); };
for (const editor of document.querySelectorAll('.cm-content')) editor.addEventListener('input', () => {
  const text = editor.innerText.replace(/\\n+$/, '');
  editor.textContent = '';
  setTimeout(() => { model.set(editor, editor.dataset.deaf ? '' : text); draw(editor); }, 120);
});
for (const button of document.querySelectorAll('x-button')) button.onclick = () => {
  done.textContent = `${button.getAttribute('aria-label')}: ${[...model.values()].join('; ')}`; };
</script>"""
BUTTON = '<div class=item><x-button tabindex=-1 aria-label="{0} this cell ({1})"><svg></svg></x-button></div>'
CELL = """<div><div class=cm-editor>
<div class=cm-content contenteditable=true role=textbox aria-multiline=true {0}></div></div></div>"""


def notebook(*cells: str) -> str:
    buttons = "".join(BUTTON.format(word, word[0]) for word in ("Cut", "Copy", "Paste", "Run"))
    return NOTEBOOK.replace("BUTTONS", buttons).replace("CELLS", "".join(map(CELL.format, cells)))


async def test_an_editor_is_given_time_to_draw_what_it_took(shared: GatewayProcess, site: Site) -> None:
    site.pages["/notebook"] = notebook("")
    async with visiting(shared) as page:
        await page.open(f"{site.url}/notebook")
        assert (await page.offered("set_code")).input_schema["required"] == ["code"]
        await page.run("set_code", code="print(math.pi)")
        told = await page.run("run_cell")
        assert "Run this cell (R): print(math.pi)" in told


async def test_an_editor_that_takes_nothing_is_told_of(shared: GatewayProcess, site: Site) -> None:
    site.pages["/deaf"] = notebook("data-deaf=yes")
    async with visiting(shared) as page:
        await page.open(f"{site.url}/deaf")
        assert "did not take the text" in await page.fails("set_code", code="print(math.pi)")


async def test_buttons_of_a_tool_bar_are_verbs_and_send_no_editor(shared: GatewayProcess, site: Site) -> None:
    site.pages["/cells"] = notebook("", "", "")
    async with visiting(shared) as page:
        await page.open(f"{site.url}/cells")
        tools = await page.tools()
        assert {"cut_cell", "copy_cell", "paste_cell", "run_cell", "set_code"} <= tools.keys()
        assert list(tools["set_code"].input_schema["properties"]) == ["index", "code"]
        await page.run("set_code", index=1, code="a = 1")
        assert "Cut this cell (C): a = 1" in await page.run("cut_cell")


PROSE = """<!doctype html><title>Letter</title><main><h2>Letter</h2><div class=menubar>
<span><button>Insert</button></span><span><button>Type...</button></span></div>
<div id=letter contenteditable=true style="min-height:20px">Dear all</div>
<h2>Chat</h2><div id=chat contenteditable=true aria-label="Message" style="min-height:20px"></div><p id=sent></p></main>
<script>letter.onkeydown = ({ key }) => { if (key === 'Enter') letter.append(document.createElement('br')); };
chat.onkeydown = ({ key }) => { if (key === 'Enter') sent.textContent = `Sent ${chat.textContent}`; };</script>"""


async def test_enter_is_pressed_where_messages_are_written_and_in_no_other_editor(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/letter"] = PROSE
    async with visiting(shared) as page:
        await page.open(f"{site.url}/letter")
        # By the heading: what stands in the tool bar above it does not name an editor.
        assert (await page.offered("set_letter")).input_schema["required"] == ["letter"]
        assert "Enter" not in await page.run("set_letter", letter="Dear Ann")
        assert "Sent hello" in await page.run("send_message", chat="hello")


DEBOUNCED = """<!doctype html><title>Post</title><main><h1>New post</h1><form id=post action="/posted">
<label>Title <input name=title></label><div class=widget><input type=hidden name=body value=old>
<div id=body contenteditable=true role=textbox aria-label="Body" style="min-height:20px">old</div></div>
<button>Publish</button></form><p id=sent></p></main><script>
let timer = 0;
const note = () => { post.elements.body.value = body.innerText };
body.oninput = () => { clearTimeout(timer); timer = setTimeout(note, 250) };
post.onsubmit = (event) => { event.preventDefault(); sent.textContent = `Sent ${post.elements.body.value}` };
</script>"""


async def test_a_form_is_sent_when_its_editor_has_noted_what_was_written(shared: GatewayProcess, site: Site) -> None:
    site.pages["/post"] = DEBOUNCED
    async with visiting(shared) as page:
        await page.open(f"{site.url}/post")
        await page.offered("publish_post")
        assert "Sent new words" in await page.run("publish_post", title="Post", body="new words")


async def test_advice_after_what_an_editor_is_called_is_no_part_of_its_name(shared: GatewayProcess, site: Site) -> None:
    label = "aria-label='Rich Text Area. Press ALT-0 for help.'"
    site.pages["/advice"] = f"<title>A</title><main><div contenteditable {label} style='height: 90px'></div></main>"
    async with visiting(shared) as page:
        await page.open(f"{site.url}/advice")
        await page.offered("set_rich_text_area")
