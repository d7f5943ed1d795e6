"""Dates and times of several parts, each a spin button that is typed into: as drawn by two kinds of libraries."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

DRAWN = """<div role=group aria-label=Birthday id=date></div><script>
  // A part goes on to the next one when no digit more would make sense.
  const parts = [['Month', 1, 12, 'MM'], ['Day', 1, 31, 'DD'], ['Year', 0, 9999, 'YYYY'], ['Half', 0, 1, 'aa']]
    .map(([label, least, most, asked]) => ({ label, least, most, asked, typed: '', value: null }))
  for (const part of parts) {
    part.box = date.appendChild(document.createElement('span'))
    Object.assign(part.box, { contentEditable: 'true', tabIndex: 0 })
    part.box.setAttribute('role', 'spinbutton')
    part.box.setAttribute('aria-label', part.label)
    part.box.setAttribute('aria-valuemin', part.least)
    part.box.setAttribute('aria-valuemax', part.most)
    part.box.addEventListener('focus', () => { part.typed = ''; getSelection().selectAllChildren(part.box) })
    date.append(' / ')
  }
  const shown = ({ label, value, most, asked }) => value === null ? asked
    : label === 'Half' ? ['AM', 'PM'][value] : String(value).padStart(String(most).length, '0')
  const draw = () => setTimeout(() => { for (const part of parts) {
    part.box.textContent = shown(part)
    part.box.setAttribute('aria-valuetext', part.value === null ? 'Empty' : shown(part))
    if (part.value === null) part.box.removeAttribute('aria-valuenow')
    else part.box.setAttribute('aria-valuenow', part.value)
  } }, 10)
  const hear = (part, letter) => {
    if (part.label === 'Half') part.value = { a: 0, p: 1 }[letter.toLowerCase()] ?? part.value
    else if (/[0-9]/.test(letter)) {
      part.typed += letter
      if (Number(part.typed) > part.most) part.typed = letter
      part.value = Number(part.typed)
      if (part.typed.length === String(part.most).length) parts[parts.indexOf(part) + 1].box.focus()
    }
    draw()
  }
  const empty = (part) => { part.value = null; part.typed = ''; draw() }
  const held = () => parts.map(({ value }) => value)
  draw()
</script>"""
TAKES_OVER = """<script>for (const part of parts) part.box.addEventListener('beforeinput', (event) => {
  event.preventDefault()
  if (event.inputType !== 'deleteContentBackward') return hear(part, event.data)
  part.typed = String(part.value ?? '').slice(0, -1)
  if (part.typed === '') empty(part)
  else { part.value = Number(part.typed); draw() }
})</script>"""
READS_BACK = """<script>for (const part of parts) part.box.addEventListener('input', () => {
  const letter = part.box.textContent
  part.box.textContent = shown(part)
  if (letter === '') empty(part)
  else if (letter.length === 1) hear(part, letter)
})</script>"""


@pytest.fixture(params=[TAKES_OVER, READS_BACK], ids=["takes over", "reads back"])
def page(request: pytest.FixtureRequest) -> str:
    return DRAWN + request.param


async def test_parts_are_typed_into(agent: Agent, site: Site, page: str) -> None:
    outline = await visit(agent, site, page)
    for label, value, shown in (
        ("Month", 3, "03"),
        ("Day", "14", "14"),
        ("Year", "1990", "1990"),
        ("Half", "pm", "PM"),
    ):
        answer = await told(agent, "form_input", ref=ref(outline, f'"{label}"'), value=value)
        assert f'is now "{shown}"' in answer
    assert await seen(agent, "held().join()") == "3,14,1990,1"
    await told(agent, "form_input", ref=ref(outline, '"Month"'), value="12")
    assert await seen(agent, "held().join()") == "12,14,1990,1", "and no other part"


async def test_parts_are_emptied(agent: Agent, site: Site, page: str) -> None:
    outline = await visit(agent, site, page)
    day = ref(outline, '"Day"')
    await told(agent, "form_input", ref=day, value=14)
    assert 'is now ""' in await told(agent, "form_input", ref=day, value="")
    assert await seen(agent, "JSON.stringify(held())") == "[null,null,null,null]"


async def test_what_a_part_cannot_hold_is_not_typed(agent: Agent, site: Site, page: str) -> None:
    outline = await visit(agent, site, page)
    assert "It takes 1 to 12." in await refused(agent, "form_input", ref=ref(outline, '"Month"'), value=77)
    assert 'It shows "aa".' in await refused(agent, "form_input", ref=ref(outline, '"Half"'), value="noon")
    assert await seen(agent, "JSON.stringify(held())") == "[null,null,null,null]"


async def test_a_whole_date_or_time_goes_to_all_parts_that_it_has(agent: Agent, site: Site, page: str) -> None:
    date = page.replace(", ['Half', 0, 1, 'aa']", "").replace(
        "[parts.indexOf(part) + 1].box", "[parts.indexOf(part) + 1]?.box"
    )
    outline = await visit(agent, site, date)
    answer = await told(agent, "form_input", ref=ref(outline, '"Year"'), value="2026-03-31")
    assert "All parts together show 03 31 2026." in answer
    assert await seen(agent, "held().join()") == "3,31,2026"
    for wrong in ("10:30", "2026-03-14 10:30", "2026-03-14 – 2026-03-19", "2026-13-01"):
        assert "It is one of 3 parts" in await refused(agent, "form_input", ref=ref(outline, '"Day"'), value=wrong)
    assert await seen(agent, "held().join()") == "3,31,2026"
    time = page.replace("'Month', 1, 12, 'MM'", "'Hour', 1, 12, 'hh'").replace(
        "['Day', 1, 31, 'DD'], ['Year', 0, 9999, 'YYYY']", "['Minute', 0, 59, 'mm']"
    )
    outline = await visit(agent, site, time)
    assert "show 02 30 PM." in await told(agent, "form_input", ref=ref(outline, '"Hour"'), value="14:30")
    assert await seen(agent, "held().join()") == "2,30,1"
