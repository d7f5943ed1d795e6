"""Editors that keep a text of their own beside the page's: what is written gets there, and is told as they hold it."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

MODEL = """<div id=ed contenteditable=true role=textbox aria-label=Notes style="min-height: 40px"></div><script>
  // Believes `beforeinput` and `paste`, knows the selection from `selectionchange`, and draws over all else.
  let text = 'old', all = false, busy = false
  const draw = () => requestAnimationFrame(() => {
    ed.innerHTML = text === '' ? '<span contenteditable=false class=placeholder>Write here</span>\\ufeff'
      : text.split('\\n').map((line) => `<p>${line}</p>`).join('')
  })
  const put = (given) => { text = all ? given : given + text; all = false; draw() }
  const restore = () => { getSelection().collapse(ed, 0); busy = false }
  ed.addEventListener('focus', () => { busy = true; setTimeout(restore, 20) })
  document.addEventListener('selectionchange', () => {
    const range = getSelection().rangeCount && getSelection().getRangeAt(0)
    all = !busy && Boolean(range) && !range.collapsed
  })
  ed.addEventListener('beforeinput', (event) => {
    event.preventDefault()
    if (event.inputType.startsWith('delete')) put('')
    else if (event.inputType === 'insertText' && event.getTargetRanges().length) put(event.data)
  })
  ed.addEventListener('paste', (event) => { event.preventDefault(); put(event.clipboardData.getData('text/plain')) })
  ed.innerHTML = '<p>old</p>'
  </script>"""
LATE = """<div id=ed contenteditable=true role=textbox aria-label=Late style="width: 400px"><div>abc</div></div><script>
  // Where the caret is it knows from `selectionchange`; a line it begins with the next frame.
  let known = 0; const broken = []
  document.addEventListener('selectionchange', () => { known = getSelection().focusOffset })
  ed.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    broken.push(known)
    requestAnimationFrame(() => {
      const line = ed.appendChild(document.createElement('div'))
      line.innerHTML = '<br>'
      getSelection().collapse(line, 0)
    })
  })
  </script>"""

OWNED = """<div id=ed contenteditable=true role=textbox aria-label=Body style="white-space: pre-wrap"></div><script>
  // Hears what is typed by `textInput`, and ends in an error where somebody else took away what it drew.
  let lines = ['First', 'Second', 'Third'], drawn = []
  const put = (text) => { lines = text.split('\\n'); draw() }
  const draw = () => {
    for (const each of drawn) ed.removeChild(each)
    drawn = lines.map((line) => Object.assign(document.createElement('div'), { textContent: line }))
    ed.append(...drawn)
  }
  ed.addEventListener('textInput', (event) => { event.preventDefault(); put(event.data) })
  ed.addEventListener('paste', (event) => { event.preventDefault(); put(event.clipboardData.getData('text/plain')) })
  ed.addEventListener('keydown', (event) => { if (event.key === 'Backspace') { event.preventDefault(); put('') } })
  ed.addEventListener('input', () => setTimeout(() => put(ed.textContent)))
  draw()
  </script>"""

KEYED = """<div id=ed contenteditable=true role=textbox aria-label=Page><p>old</p><p>lines</p></div><script>
  // Takes away by its own keys; of all else it believes what comes to stand in a line that it knows.
  let lines = ['old', 'lines']
  const draw = () => { ed.innerHTML = lines.map((line) => `<p>${line || '<br>'}</p>`).join('') }
  const isKnown = () => ed.childElementCount === lines.length && !ed.querySelector(':scope > :not(p)')
  ed.addEventListener('keydown', (event) => {
    if (event.key !== 'Backspace' || getSelection().isCollapsed) return
    event.preventDefault()
    lines = ['']
    draw()
    getSelection().collapse(ed.firstChild, 0)
  })
  ed.addEventListener('input', () => { if (isKnown()) lines = [...ed.children].map((each) => each.textContent) })
  ed.addEventListener('blur', draw)
  </script>"""


@pytest.mark.parametrize("text", ["one line", ""])
async def test_an_editor_that_is_told_of_keys_alone_keeps_what_is_written(agent: Agent, site: Site, text: str) -> None:
    field = ref(await visit(agent, site, KEYED), '"Page"')
    assert f'is now "{text}"' in await told(agent, "form_input", ref=field, value=text)
    assert await seen(agent, "ed.blur(), JSON.stringify([lines.join(), ed.innerText.trim()])") == f'["{text}","{text}"]'


@pytest.mark.parametrize("text", ["one line", "two\nlines", ""])
async def test_an_editor_older_than_beforeinput_is_told_before_anything_is_written(
    agent: Agent, site: Site, text: str
) -> None:
    field = ref(await visit(agent, site, OWNED), '"Body"')
    assert f'is now "{text.replace(chr(10), " ")}"' in await told(agent, "form_input", ref=field, value=text)
    assert await seen(agent, "JSON.stringify([lines.join(), ed.innerText.trim().split('\\n').join()])") == (
        f'["{text}","{text}"]'.replace("\n", ",")
    )


@pytest.mark.parametrize("text", ["one line", "two\nlines"])
async def test_an_editor_with_a_model_of_its_own_takes_a_text_in_the_place_of_its_own(
    agent: Agent, site: Site, text: str
) -> None:
    field = ref(await visit(agent, site, MODEL), '"Notes"')
    answer = await told(agent, "form_input", ref=field, value=text)
    assert f'is now "{text.replace(chr(10), " ")}"' in answer
    assert await seen(agent, "JSON.stringify(text)") == f'"{text}"'.replace("\n", "\\n")


@pytest.mark.parametrize("text", ["one line", "two\nlines", ""])
async def test_a_code_editor_without_a_shortcut_that_selects_all_is_written_over(
    agent: Agent, site: Site, text: str
) -> None:
    code = f"<div class=cm-editor>{MODEL.replace('<div id=ed', '<div class=cm-content id=ed')}</div>"
    field = ref(await visit(agent, site, code), '"Notes"')
    await told(agent, "form_input", ref=field, value=text)
    assert await seen(agent, "JSON.stringify(text)") == f'"{text}"'.replace("\n", "\\n")


async def test_a_code_editor_that_keeps_its_text_beside_the_new_one_is_told_as_refusing(
    agent: Agent, site: Site
) -> None:
    keeps = """<div class=ace_editor><textarea aria-label=Code></textarea><div class=ace_line>let a</div></div><script>
      const [line, area] = [document.querySelector('.ace_line'), document.querySelector('textarea')]
      area.addEventListener('keydown', (event) => event.preventDefault())
      area.addEventListener('paste', ({ clipboardData }) => { line.prepend(clipboardData.getData('text')) })
      </script>"""
    field = ref(await visit(agent, site, keeps), '"Code"')
    assert "did not take the text" in await refused(agent, "form_input", ref=field, value="let b")


async def test_an_editor_with_a_model_of_its_own_is_emptied(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, MODEL), '"Notes"')
    assert 'is now ""' in await told(agent, "form_input", ref=field, value="")
    assert await seen(agent, "JSON.stringify(text)") == '""'


async def test_what_an_editor_draws_in_the_place_of_a_text_is_not_told_as_one(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, MODEL), '"Notes"')
    await told(agent, "form_input", ref=field, value="")
    outline = await told(agent, "read_page")
    assert '"Notes"' in outline
    assert "Write here" not in outline


async def test_an_editor_that_keeps_its_text_is_told_as_refusing(agent: Agent, site: Site) -> None:
    html = """<div id=ed contenteditable=true role=textbox aria-label=Fixed>kept</div><script>
      ed.addEventListener('beforeinput', (event) => event.preventDefault())</script>"""
    field = ref(await visit(agent, site, html), '"Fixed"')
    for value in ("", "new"):
        answer = await refused(agent, "form_input", ref=field, value=value)
        assert 'did not take the text and holds "kept"' in answer


async def test_a_key_finds_an_editor_that_knows_where_the_last_one_put_the_caret(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, LATE), '"Late"')
    await told(agent, "computer", action="key", ref=field, text="ctrl+Home ctrl+End Enter")
    assert await seen(agent, "JSON.stringify(broken)") == "[3]"


async def test_lines_typed_into_an_editor_that_draws_late_stay_in_order(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, LATE), '"Late"')
    await told(agent, "computer", action="key", ref=field, text="ctrl+End")
    await told(agent, "computer", action="type", text="\nfirst\nsecond")
    lines = "JSON.stringify([...ed.children].map((line) => line.innerText.trim()))"
    assert await seen(agent, lines) == '["abc","first","second"]'
