"""What applications draw in the place of the browser's own controls, and parts of them that scroll by themselves."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.outlines import refs
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

HIDDEN = (
    "border: 0; clip: rect(0, 0, 0, 0); clip-path: inset(50%); height: 1px; margin: -1px; overflow: hidden;"
    "padding: 0; position: absolute; width: 1px; white-space: nowrap"
)
TREE = """<div class="my-select"><label for=c>Department</label><span><input id=c role=combobox readonly
    aria-expanded=false aria-haspopup=listbox aria-controls=l style="opacity: 0"></span><span id=shown></span></div>
  <div id=pop hidden><div id=l role=tree><div role=treeitem><i>▸</i> <span>IT</span></div>
    <div role=treeitem><i>▸</i> <span id=dev>Dev</span></div></div></div>
  <script>
  const set = (open) => { c.setAttribute('aria-expanded', open); pop.hidden = !open }
  c.parentElement.parentElement.addEventListener('mousedown', () => set(true))
  c.addEventListener('keydown', ({ key }) => { if (key === 'Escape') set(false) })
  for (const each of l.querySelectorAll('span')) each.onclick = () => HEARD
  </script>"""


async def test_what_a_part_of_the_page_has_scrolled_away_is_still_told(agent: Agent, site: Site) -> None:
    html = """<style>body { margin: 0 } #m { height: 100vh; overflow: auto } p { height: 5000px }
      .far { position: absolute; top: -9000px }</style>
      <div id=m><button onclick="said.textContent = 'first'">First</button><p>Long</p><button>Last</button></div>
      <button class=far>Trap</button><output id=said></output>"""
    await visit(agent, site, html)
    await seen(agent, "m.scrollTop = 4000")
    outline = await told(agent, "read_page")
    assert '"First"' in outline
    assert "Trap" not in outline
    await told(agent, "computer", action="left_click", ref=ref(outline, '"First"'))
    assert "first" in await seen(agent, "said.textContent")


async def test_a_choice_that_a_box_of_no_size_hides_is_told_and_clicked(agent: Agent, site: Site) -> None:
    html = f"""<label><span style="{HIDDEN}"><input id=agree type=checkbox></span> <b>I agree</b></label>
      <label><span style="{HIDDEN}"><input type=radio name=r></span> <b>Metric</b></label>
      <label><span style="{HIDDEN}"><input type=radio name=r id=i></span> <b>Imperial</b></label>
      <div style="height: 0; overflow: hidden"><label><input type=checkbox> Folded</label></div>
      <div style="{HIDDEN}"><a href=#main>Skip</a></div>"""
    outline = await visit(agent, site, html)
    assert re.search(r'checkbox "I agree" e\d+\n.*radios "Metric" e\d+, "Imperial" e\d+', outline), outline
    assert "Folded" not in outline
    assert "Skip" not in outline
    await told(agent, "computer", action="left_click", ref=ref(outline, '"I agree"'))
    await told(agent, "form_input", ref=ref(outline, '"Imperial"'), value=True)
    assert "true true" in await seen(agent, "`${agree.checked} ${i.checked}`")


async def test_a_slider_drawn_over_a_hidden_range_takes_values_as_its_keys_give_them(agent: Agent, site: Site) -> None:
    html = f"""<div role=group aria-label=Budget id=g style="position: relative; width: 300px; height: 20px">
      <div id=thumb style="position: absolute; left: 60px; width: 16px; height: 16px; background: navy">
      <div style="{HIDDEN}"><input id=r aria-label=Most aria-labelledby="r g" type=range max=5000 step=100
      value=1000></div></div></div><output id=told>1000</output><script>
      const step = {{ ArrowUp: 100, ArrowDown: -100 }}
      r.onkeydown = ({{ key }}) => {{ if (step[key]) told.textContent = r.value = Number(r.value) + step[key] }}
      thumb.onpointerdown = () => {{ told.textContent += ' pressed' }}
      </script>"""
    outline = await visit(agent, site, html)
    assert 'slider "Most Budget"' in outline
    slider = ref(outline, '"Most Budget"')
    assert "is now 2500" in await told(agent, "form_input", ref=slider, value=2500)
    assert await seen(agent, "told.textContent") == "2500"
    await told(agent, "form_input", ref=slider, value=0)
    assert await seen(agent, "told.textContent") == "0"
    await told(agent, "computer", action="left_click", ref=slider)
    assert await seen(agent, "told.textContent") == "0 pressed"


async def test_a_range_that_is_cut_away_within_its_thumb_is_pressed_there(agent: Agent, site: Site) -> None:
    html = """<div id=rail style="position: relative; width: 300px; height: 20px"><b>·</b><b>·</b>
      <span id=thumb style="position: absolute; left: 60px; width: 20px; height: 20px; background: navy">
      <input aria-label=Volume type=range style="position: absolute; inset: 0; clip: rect(0 0 0 0)"></span></div>
      <output id=said></output><script>rail.onmousedown = ({ target }) => { said.textContent = target.id }</script>"""
    outline = await visit(agent, site, html)
    await told(agent, "computer", action="left_click", ref=ref(outline, '"Volume"'))
    assert await seen(agent, "said.textContent") == "thumb"
    assert len(refs(outline.splitlines())) == 1


async def test_a_radio_of_a_pixel_is_clicked_at_its_label(agent: Agent, site: Site) -> None:
    html = f"""<div style="position: relative"><style>input {{ {HIDDEN}; top: 0; left: 0 }}
      label {{ display: inline-block; padding: 9px }}</style>
      <label for=a>★</label><input id=a type=radio name=s aria-label="1 star">
      <label for=b>★</label><input id=b type=radio name=s aria-label="2 stars"></div>"""
    outline = await visit(agent, site, html)
    await told(agent, "computer", action="left_click", ref=ref(outline, '"2 stars"'))
    assert await seen(agent, "b.checked") == "true"


@pytest.mark.parametrize("how", ["clip: rect(0, 0, 0, 0); pointer-events: none", "opacity: 0; pointer-events: none"])
async def test_a_radio_that_takes_no_click_is_clicked_at_its_label(agent: Agent, site: Site, how: str) -> None:
    html = f"""<div style="display: inline-flex"><style>input {{ position: absolute; {how} }}
      label {{ position: relative; padding: 9px; margin-left: -1px }}</style>
      <input id=a type=radio name=s><label for=a>Daily</label>
      <input id=b type=radio name=s style="margin-left: -9px"><label for=b>Weekly</label></div>"""
    outline = await visit(agent, site, html)
    answer = await told(agent, "computer", action="left_click", ref=ref(outline, '"Weekly"'))
    assert "It is now checked" in answer
    assert await seen(agent, "b.checked") == "true"


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ("{ shown.textContent = each.textContent; set(false) }", '"Department" (e1) is now'),
        ("{}", "It shows no sign of"),
    ],
)
async def test_a_list_whose_field_is_transparent_is_named_and_its_answer_true(
    agent: Agent, site: Site, heard: str, answer: str
) -> None:
    outline = await visit(agent, site, TREE.replace("HEARD", heard))
    assert 'combobox "Department" e1' in outline
    result = await agent.result("form_input", ref="e1", value="Dev")
    assert answer in str(result.content)
    assert result.is_error is (heard == "{}")


async def test_a_slider_without_a_label_is_called_by_what_stands_before_it(agent: Agent, site: Site) -> None:
    html = """<div><div><label>Level</label></div><div><div><div><div><i></i>
      <p role=slider tabindex=0 aria-valuenow=3 style="width: 20px; height: 20px"></p></div></div></div></div></div>"""
    assert 'slider "Level" e1' in await visit(agent, site, html)


async def test_what_holds_a_value_unseen_does_not_part_a_field_from_its_words(agent: Agent, site: Site) -> None:
    html = """<p><label for=d>Arrival</label> <input id=d type=hidden><input readonly></p>
      <p><label for=e>Leaving</label> <input id=e type=date><input readonly></p>"""
    outline = await visit(agent, site, html)
    assert 'textbox "Arrival" e1 readonly' in outline
    assert outline.count("Leaving") == 1


async def test_the_word_of_an_icon_is_no_part_of_a_label(agent: Agent, site: Site) -> None:
    html = """<label>Colour <input> <i class=lib-icons aria-hidden=true>arrow_drop_down</i></label>
      <label>Size<i aria-hidden=true>*</i> <input></label>"""
    outline = await visit(agent, site, html)
    for name in ("Colour", "Size"):
        answer = await told(agent, "form_input", ref=ref(outline, f'"{name}"'), value="x")
        assert answer.startswith(f'"{name}" (e')


async def test_a_button_that_stays_down_is_set_without_a_false_note(agent: Agent, site: Site) -> None:
    html = """<button aria-pressed=false value=right onclick="this.setAttribute('aria-pressed', true)">Right</button>"""
    outline = await visit(agent, site, html)
    assert "Note" not in await told(agent, "form_input", ref=ref(outline, '"Right"'), value=True)
    pressed = await told(agent, "computer", action="key", text="Escape", ref=ref(outline, '"Right"'))
    assert "holds" not in pressed


async def test_names_that_a_tool_gave_to_styles_are_no_names(agent: Agent, site: Site) -> None:
    html = """<button class="st-emotion-cache-1obf64m e1hn2pbo4"><svg class="svelte-1x2y3z" width=9></svg></button>
      <button class="svelte-9ab calendar"><svg width=9 height=9></svg></button><h2 class=fancy-title>––</h2>
      <div role=group aria-label=Date><i role=spinbutton tabindex=0 aria-label=day>4</i><i aria-hidden=true
      onclick="0">/</i></div><div role=presentation onclick="0">Card</div>"""
    outline = await visit(agent, site, html)
    assert re.search(r'\nbuttons? e1, "calendar" e2\nh2 "––"\n', outline), outline
    assert 'spinbutton "day" e3 = "4"\nclickable "Card" e4\n' in outline


async def test_a_box_and_a_slider_drawn_by_hand_are_set_though_they_change_later(agent: Agent, site: Site) -> None:
    html = """<div id=b role=checkbox tabindex=0 aria-checked=false>Gift<input type=checkbox hidden></div>
      <div id=s role=slider aria-label=Tip aria-valuenow=20><p id=track tabindex=0>Rail</p></div><script>
      b.onclick = () => setTimeout(() => b.setAttribute('aria-checked', true), 100)
      track.onkeydown = ({ key }) => { s.ariaValueNow = Number(s.ariaValueNow) + (key === 'ArrowUp' ? 1 : -1) }
      </script>"""
    outline = await visit(agent, site, html)
    assert "is now on" in await told(agent, "form_input", ref=ref(outline, '"Gift"'), value=True)
    assert "is now 23" in await told(agent, "form_input", ref=ref(outline, '"Tip"'), value=23)


async def test_a_slider_that_keeps_a_hidden_field_in_its_thumb_is_set(agent: Agent, site: Site) -> None:
    html = """<div id=s role=slider tabindex=0 aria-label=Volume aria-valuenow=30 style="width: 20px; height: 20px">
      <input id=i hidden value=30></div><script>
      s.onkeydown = ({ key }) => {
        i.value = s.ariaValueNow = Number(s.ariaValueNow) + ({ ArrowUp: 1, ArrowDown: -1 }[key] ?? 0)
      }</script>"""
    outline = await visit(agent, site, html)
    assert "is now 33" in await told(agent, "form_input", ref=ref(outline, '"Volume"'), value=33)
    assert await seen(agent, "i.value") == "33"


async def test_a_slider_that_tells_no_value_says_how_it_is_moved(agent: Agent, site: Site) -> None:
    html = (
        "<div><span class=lib-slider-handle tabindex=0 style='display: block; width: 20px; height: 20px'></span></div>"
    )
    outline = await visit(agent, site, html)
    assert "press arrow keys" in await refused(agent, "form_input", ref=ref(outline, "slider"), value=120)


async def test_a_number_that_its_page_notes_a_moment_later_stays(agent: Agent, site: Site) -> None:
    html = """<input id=i role=spinbutton inputmode=decimal aria-label=Amount><script>
      let held = ''
      i.oninput = () => setTimeout(() => { held = i.value }, 15)
      i.onblur = () => { i.value = held }
      </script>"""
    outline = await visit(agent, site, html)
    assert 'is now "12"' in await told(agent, "form_input", ref=ref(outline, '"Amount"'), value=12)
    assert await seen(agent, "held + i.value") == "1212"


async def test_what_a_library_calls_sortable_can_be_dragged(agent: Agent, site: Site) -> None:
    html = "<ul><li role=button tabindex=0 aria-roledescription=sortable>Apple</ul>"
    assert 'button "Apple" e1 draggable' in await visit(agent, site, html)


async def test_a_switch_is_pressed_where_it_takes_the_focus(agent: Agent, site: Site) -> None:
    html = """<x-switch role=switch aria-checked=false></x-switch><script>
      customElements.define('x-switch', class extends HTMLElement { connectedCallback() {
        const inside = this.attachShadow({ mode: 'open' })
        inside.innerHTML = `<style>:host { display: inline-flex; gap: 60px } i { background: grey }</style>
          <span>Notify me</span><i style="width:32px;height:16px" tabindex=0></i>`
        inside.querySelector('i').onclick = () => { this.ariaChecked = String(this.ariaChecked !== 'true') }
      } })</script>"""
    switch = ref(await visit(agent, site, html), 'switch "Notify me"')
    await told(agent, "computer", action="left_click", ref=switch)
    assert await seen(agent, "document.querySelector('x-switch').ariaChecked") == "true"
    assert "is now off" in await told(agent, "form_input", ref=switch, value=False)
    assert await seen(agent, "document.querySelector('x-switch').ariaChecked") == "false"


async def test_a_field_is_called_as_the_label_of_the_one_it_hides_says(agent: Agent, site: Site) -> None:
    outline = await visit(
        agent,
        site,
        """<div><label for=day>Day</label><div><input type=hidden id=day><input readonly placeholder=Any></div></div>
        <div><div><label for=group>Group</label></div><div><div><div><div>Servers</div>
          <div><input role=combobox aria-expanded=false></div></div></div><input id=group hidden></div></div>
        <div><input placeholder="Nick"><input type=checkbox id=keep hidden><label for=keep>Keep me</label></div>
        <div><label for=own>Own</label><input id=own hidden><input><input></div>""",
    )
    for told_as in ('textbox "Day"', 'combobox "Group"', 'textbox "Nick"'):
        assert told_as in outline
    assert outline.count('"Own"') == 0


async def test_a_button_is_called_as_the_tip_around_it_says(agent: Agent, site: Site) -> None:
    picture = "<svg width=20 height=20><path d='M0 0h9v9z'/></svg>"
    outline = await visit(
        agent,
        site,
        f"""<span aria-label="Run query"><button class=icon-root disabled>{picture}</button></span>
        <span title="Stop it"><button class=icon-root>{picture}</button></span>
        <div title=Tools><button class=icon-cut>{picture}</button><button class=icon-copy>{picture}</button></div>""",
    )
    for name in ("Run query", "Stop it", "cut", "copy"):
        assert re.search(rf'"[^"]*{name}" e', outline), outline
    assert '"Tools"' not in outline


async def test_a_slider_with_a_field_of_its_own_that_is_not_drawn_is_called_by_the_words_before(
    agent: Agent, site: Site
) -> None:
    html = """<div><div>Size</div><div><input tabindex=-1 value=30 style="display: none"><i></i>
        <div tabindex=0 role=slider aria-valuenow=30 style="width: 20px; height: 20px"></div></div></div>"""
    assert 'slider "Size" e1 = "30"' in await visit(agent, site, html)


async def test_what_is_chosen_in_a_list_is_no_name_of_the_list_beside_it(agent: Agent, site: Site) -> None:
    lists = "".join(
        f"<div><div><button role=combobox aria-expanded=false aria-haspopup=listbox aria-labelledby=gone{index}>{text}"
        "</button></div></div>"
        for index, text in enumerate(("Last run: all", "Any run: failed"))
    )
    outline = await visit(agent, site, f"<div style='display: flex'>{lists}</div>")
    assert '"Last run: all" e' not in outline
    assert '= "Last run: all"' in outline
    assert '= "Any run: failed"' in outline
