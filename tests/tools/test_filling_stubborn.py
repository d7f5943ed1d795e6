"""Fields that take a value late, in their own way, or not at all: what they hold is told, and nothing is lost."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

LISTED = """<label>Land <input id=land aria-haspopup=listbox aria-expanded=false aria-controls=lands MODE></label>
  <div id=lands role=listbox hidden></div><script>
  let chosen = null
  const show = (is) => { lands.hidden = !is; land.setAttribute('aria-expanded', is) }
  const draw = () => {
    lands.innerHTML = ''
    for (const each of ['France', 'Poland'].filter((name) => land.readOnly || name.includes(land.value))) {
      const option = Object.assign(document.createElement('div'), { textContent: each, role: 'option' })
      option.onmousedown = (event) => event.preventDefault()
      option.onclick = () => { chosen = land.value = each; show(false) }
      lands.append(option)
    }
    show(true)
  }
  land.onclick = land.oninput = draw
  land.onblur = () => { land.value = chosen ?? ''; show(false) }
  </script>"""


async def test_a_field_that_notes_what_is_typed_in_a_later_task_holds_it_when_it_is_left(
    agent: Agent, site: Site
) -> None:
    html = """<input aria-label=Colour id=field><script>let noted = ''
      field.oninput = () => setTimeout(() => { noted = field.value })
      field.onblur = () => { field.value = noted }</script>"""
    field = ref(await visit(agent, site, html), '"Colour"')
    assert 'is now "#ff0000"' in await told(agent, "form_input", ref=field, value="#ff0000")
    assert await seen(agent, "field.value") == "#ff0000"


async def test_a_field_that_drops_its_text_when_it_is_left_is_told_as_empty(agent: Agent, site: Site) -> None:
    html = "<input aria-label=Code id=field onblur=\"this.value = ''\">"
    field = ref(await visit(agent, site, html), '"Code"')
    assert "is empty now" in await told(agent, "form_input", ref=field, value="abc")


async def test_a_value_that_is_put_back_is_told_as_not_taken(agent: Agent, site: Site) -> None:
    html = """<input aria-label=Price id=field value="$5.00" oninput="this.value = '$5.00'">"""
    field = ref(await visit(agent, site, html), '"Price"')
    answer = await refused(agent, "form_input", ref=field, value="1234.5")
    assert 'did not take "1234.5" and still holds "$5.00". Click it with computer, press ctrl+a and type' in answer
    # as the field itself writes it
    assert 'is now "$5.00"' in await told(agent, "form_input", ref=field, value="5")


async def test_a_value_that_is_not_accepted_leaves_the_one_before(agent: Agent, site: Site) -> None:
    html = """<input aria-label=Day id=field value="16/04/2025"
      oninput="if (!/^\\d\\d\\/\\d\\d\\/\\d{4}$/.test(this.value)) this.value = ''">"""
    field = ref(await visit(agent, site, html), '"Day"')
    assert "does not accept" in await refused(agent, "form_input", ref=field, value="soon")
    assert await seen(agent, "field.value") == "16/04/2025"


@pytest.mark.parametrize("mode", ["", "readonly"])
async def test_a_field_that_says_only_that_it_opens_a_list_is_chosen_from(agent: Agent, site: Site, mode: str) -> None:
    field = ref(await visit(agent, site, LISTED.replace("MODE", mode)), '"Land"')
    assert 'is now "Poland"' in await told(agent, "form_input", ref=field, value="Poland")
    assert await seen(agent, "chosen") == "Poland"
    assert 'has no option "Peru"; it offers France, Poland' in await refused(
        agent, "form_input", ref=field, value="Peru"
    )


async def test_of_two_thumbs_only_the_one_that_is_meant_is_moved(agent: Agent, site: Site) -> None:
    html = """<div id=root><b role=slider tabindex=0 aria-label=Least aria-valuenow=10>|</b>
      <b role=slider tabindex=0 aria-label=Most aria-valuenow=70>|</b></div><script>
      // which one has the focus is noted with the next drawing
      const held = [10, 70], thumbs = [...document.querySelectorAll('b')]; let active = 1
      for (const [at, thumb] of thumbs.entries()) thumb.onfocus = () => setTimeout(() => { active = at })
      root.onkeydown = ({ key }) => {
        held[active] += { ArrowUp: 1, ArrowDown: -1 }[key] ?? 0
        setTimeout(() => thumbs.forEach((thumb, at) => thumb.setAttribute('aria-valuenow', held[at])))
      }</script>"""
    text = await visit(agent, site, html)
    await told(agent, "form_input", ref=ref(text, '"Least"'), value=14)
    await told(agent, "form_input", ref=ref(text, '"Most"'), value=66)
    assert await seen(agent, "held.join()") == "14,66"


async def test_a_slider_that_tells_no_number_is_not_touched(agent: Agent, site: Site) -> None:
    html = """<b role=slider tabindex=0 aria-label=Span aria-valuenow="2|5" onkeydown="pressed += 1">|</b>
      <script>var pressed = 0</script>"""
    field = ref(await visit(agent, site, html), '"Span"')
    assert "does not tell its value as a number. Drag it" in await refused(agent, "form_input", ref=field, value=3)
    assert await seen(agent, "pressed") == "0"


async def test_boxes_are_ticked_whatever_readonly_says(agent: Agent, site: Site) -> None:
    text = await visit(agent, site, "<input type=checkbox readonly aria-label=Ham id=ham>")
    assert "readonly" not in text
    assert "is now on" in await told(agent, "form_input", ref=ref(text, '"Ham"'), value=True)


async def test_a_switch_that_is_drawn_in_a_shadow_root_is_switched(agent: Agent, site: Site) -> None:
    html = """<div id=dark role=switch tabindex=0 aria-checked=false aria-label=Dark></div><script>
      dark.attachShadow({ mode: 'open' }).innerHTML = '<div style="width: 40px; height: 20px">o</div>'
      dark.onclick = () => dark.setAttribute('aria-checked', dark.ariaChecked !== 'true')</script>"""
    field = ref(await visit(agent, site, html), '"Dark"')
    assert "is now on" in await told(agent, "form_input", ref=field, value=True)
    assert await seen(agent, "dark.ariaChecked") == "true"


async def test_a_calendar_beside_a_field_takes_the_date_and_goes(agent: Agent, site: Site) -> None:
    html = """<input aria-label=Day id=day><div id=calendar hidden>May</div><script>let taken = ''
      day.onfocus = () => { calendar.hidden = false }
      day.onkeydown = ({ key }) => { if (key === 'Tab') { taken = day.value; calendar.hidden = true } }</script>"""
    field = ref(await visit(agent, site, html), '"Day"')
    await told(agent, "form_input", ref=field, value="2026-05-06")
    assert await seen(agent, "`${taken} ${calendar.hidden}`") == "2026-05-06 true"


async def test_suggestions_that_come_late_are_waited_for_and_a_choice_is_not_lost(agent: Agent, site: Site) -> None:
    html = """<input aria-label=City id=city role=combobox
      aria-autocomplete=list aria-controls=cities aria-expanded=false>
      <ul id=cities role=listbox hidden></ul><script>
      let waiting, chosen = ''
      city.oninput = () => {
        clearTimeout(waiting)
        waiting = setTimeout(() => {
          const found = ['London', 'Oslo'].filter((name) => city.value && name.startsWith(city.value))
          cities.replaceChildren(...found.map((name) => {
            const option = Object.assign(document.createElement('li'), { textContent: name, role: 'option' })
            option.onmousedown = (event) => event.preventDefault()
            option.onclick = () => { chosen = city.value = name; cities.hidden = true }
            return option
          }))
          cities.hidden = found.length === 0
        }, 700)
      }
      city.onblur = () => setTimeout(() => { if (city.value !== chosen) city.value = chosen = '' }, 90)</script>"""
    field = ref(await visit(agent, site, html), '"City"')
    assert 'is now "Oslo"' in await told(agent, "form_input", ref=field, value="Oslo")
    assert 'has no option "Rome"' in await refused(agent, "form_input", ref=field, value="Rome")
    assert await seen(agent, "chosen") == "Oslo"


TIMED = """<label for=i>At</label><input id=i role=combobox aria-haspopup=dialog aria-expanded=false><script>
  // Takes no time but one with seconds, for which it puts the time that it is.
  let isNew = false
  i.oninput = () => { isNew = true }
  i.onblur = () => { if (isNew && !/^\\d\\d:\\d\\d:\\d\\d$/.test(i.value)) i.value = OTHER; isNew = false }
  </script>"""


async def test_a_time_is_written_with_seconds_where_the_field_wants_them(agent: Agent, site: Site) -> None:
    at = ref(await visit(agent, site, TIMED.replace("OTHER", "'21:21:29'")), 'combobox "At"')
    assert '"At" (e1) is now "10:30:00".' in await told(agent, "form_input", ref=at, value="10:30")


async def test_another_time_or_none_is_not_told_as_the_one_that_was_wanted(agent: Agent, site: Site) -> None:
    stubborn = TIMED.replace("OTHER", "'21:21:29'").replace(":\\d\\d$/", "x$/")
    at = ref(await visit(agent, site, stubborn), 'combobox "At"')
    assert 'It made "21:21:29" of that' in await refused(agent, "form_input", ref=at, value="10:30")
    at = ref(await visit(agent, site, TIMED.replace("OTHER", "''")), 'combobox "At"')
    assert "It dropped that when it was left" in await refused(agent, "form_input", ref=at, value="2026-12-24")


KEYS = """<label>Amount <input id=i value="$7"></label><script>
  // It writes what keys say, digit by digit, and knows of nothing else that comes to stand in it.
  let held = 7
  const show = () => { i.value = `$${held.toLocaleString('en')}` }
  i.onkeypress = (event) => {
    event.preventDefault()
    if (!/\\d/.test(event.key)) return
    const isAll = i.selectionStart === 0 && i.selectionEnd === i.value.length
    held = Number((isAll ? '' : held) + event.key)
    show()
  }
  i.oninput = i.onblur = show
  </script>"""


async def test_a_field_that_believes_only_keys_is_typed_into(agent: Agent, site: Site) -> None:
    amount = ref(await visit(agent, site, KEYS), '"Amount"')
    assert 'is now "$12,345"' in await told(agent, "form_input", ref=amount, value=12345)
    assert await seen(agent, "held") == "12345"


async def test_a_number_that_keys_make_another_one_of_is_refused(agent: Agent, site: Site) -> None:
    amount = ref(await visit(agent, site, KEYS), '"Amount"')
    assert "did not take" in await refused(agent, "form_input", ref=amount, value=12.5)
    assert await seen(agent, "held") == "7"
