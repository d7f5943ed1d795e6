"""form_input: a date is chosen in the calendar that a field opens, where nobody can type it or it is read otherwise."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

CALENDAR = """<style>
.days { display: grid; grid-template-columns: repeat(7, 2em) } .pop { position: absolute; background: #fff }
</style>
<label>Day <input id=day %(field)s></label><script>
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December'];
let shown = new Date(2026, 10, 1);
let chosen = null;
let pop = null;
const spell = (date) => `${date.getMonth() + 1}/${date.getDate()}/${date.getFullYear()}`;
const draw = () => {
  const [year, month] = [shown.getFullYear(), shown.getMonth()];
  const lead = new Date(year, month, 1).getDay();
  const cells = Array.from({ length: 42 }, (_, at) => new Date(year, month, at - lead + 1));
  const name = (date) => `${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}`;
  const label = (date) => (%(label)s ? `aria-label="${name(date)}"` : '');
  const cell = (date) => `<span ${off(date)} ${label(date)} data-at=${+date}>${date.getDate()}</span>`;
  const off = (date) => (date > new Date(2027, 5, 20) ? 'class="day disabled"' : 'class=day');
  pop.innerHTML = `<div><span class=prev-month>&#8249;</span><b>${MONTHS[month]}</b><b>${year}</b>
    <span class=next-month>&#8250;</span></div><div>${[...'SMTWTFS'].map((each) => `<i>${each}</i>`).join('')}</div>
    <div class=days>${cells.map(cell).join('')}</div>`;
};
const hide = () => { pop?.remove(); pop = null };
const show = () => {
  if (pop) return;
  pop = document.body.appendChild(Object.assign(document.createElement('div'), { className: 'pop' }));
  draw();
  pop.onclick = ({ target }) => {
    const by = target.matches('.next-month') ? 1 : target.matches('.prev-month') ? -1 : 0;
    if (by) { shown = new Date(shown.getFullYear(), shown.getMonth() + by, 1); draw() }
    if (!target.matches('.day:not(.disabled)')) return;
    chosen = new Date(Number(target.dataset.at));
    day.value = spell(chosen);
    hide();
  };
};
const open = () => %(open)s;
day.onfocus = open;
day.onclick = open;
day.onkeyup = () => {
  const [month, date, year] = day.value.split('/').map(Number);
  if (!year || !pop) return;
  chosen = shown = new Date(year, month - 1, date);
  draw();
};
</script>"""
NOW = "chosen && chosen.toDateString()"


async def opened(agent: Agent, site: Site, *, field: str = "", label: bool = True, late: bool = False) -> str:
    how = {"field": field, "label": str(label).lower(), "open": "setTimeout(show, 120)" if late else "show()"}
    return ref(await visit(agent, site, CALENDAR % how), '"Day"')


@pytest.mark.parametrize(("wanted", "held"), [("2026-12-24", "Thu Dec 24 2026"), ("2025-02-28", "Fri Feb 28 2025")])
@pytest.mark.parametrize("label", [True, False], ids=["each day says its date", "only a heading says the month"])
async def test_a_day_is_chosen_where_nobody_can_type_it(
    agent: Agent, site: Site, wanted: str, held: str, label: bool
) -> None:
    day = await opened(agent, site, field="readonly", label=label)
    assert "is now" in await told(agent, "form_input", ref=day, value=wanted)
    assert held in await told(agent, "javascript_tool", text=NOW)


@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
async def test_a_calendar_that_reads_dates_otherwise_is_asked_itself(agent: Agent, site: Site, late: bool) -> None:
    day = await opened(agent, site, label=False, late=late)
    for wanted, shown, held in (
        ("2026-12-24", "12/24/2026", "Thu Dec 24 2026"),
        ("2025-02-28", "2/28/2025", "Fri Feb 28 2025"),
    ):
        assert f'"{shown}"' in await told(agent, "form_input", ref=day, value=wanted)
        assert held in await told(agent, "javascript_tool", text=NOW)


@pytest.mark.parametrize("value", ["12/24/2026", "2026-12-24 09:30"])
async def test_a_calendar_that_comes_late_does_not_stay_open_over_the_page(
    agent: Agent, site: Site, value: str
) -> None:
    day = await opened(agent, site, late=True)
    await told(agent, "javascript_tool", text="day.onkeydown = ({ key }) => { if (key === 'Tab') hide() }")
    assert f'"{value}"' in await told(agent, "form_input", ref=day, value=value)
    late = "new Promise((done) => setTimeout(() => done(String(pop)), 300))"
    assert await seen(agent, late) == "null"


async def test_a_date_in_the_calendars_own_way_is_typed(agent: Agent, site: Site) -> None:
    day = await opened(agent, site)
    assert '"12/24/2026"' in await told(agent, "form_input", ref=day, value="12/24/2026")
    assert "Thu Dec 24 2026" in await told(agent, "javascript_tool", text=NOW)


async def test_a_day_that_is_not_offered_is_refused_and_nothing_is_chosen(agent: Agent, site: Site) -> None:
    day = await opened(agent, site, field="readonly")
    assert "does not offer day 24" in await refused(agent, "form_input", ref=day, value="2027-06-24")
    assert "null" in await told(agent, "javascript_tool", text=NOW)


async def test_a_day_that_is_not_offered_is_not_left_typed(agent: Agent, site: Site) -> None:
    day = await opened(agent, site, label=False)
    assert "does not offer day 24" in await refused(agent, "form_input", ref=day, value="2027-06-24")
    assert await seen(agent, "day.value + '/' + chosen") == "/null"


async def test_a_day_is_chosen_in_the_calendar_that_a_button_opens(agent: Agent, site: Site) -> None:
    html = CALENDAR % {"field": "type=hidden", "label": "false", "open": "show()"}
    # arrows that say where they lead by an attribute alone, in a box whose class tells of something else that is off
    for way, name in (("prev-month", "previous"), ("next-month", "next")):
        html = html.replace(f"<span class={way}>&#8249;", f"<span data-direction={name}>")
        html = html.replace(f"<span class={way}>&#8250;", f"<span data-direction={name}>")
        html = html.replace(f"'.{way}'", f"'[data-direction={name}]'")
    html = html.replace("className: 'pop'", "className: 'pop ripple-disabled'")
    html += """<style>[data-direction] { display: inline-block; width: 1em; height: 1em }</style>
      <button id=b aria-haspopup=dialog aria-label="">Pick a date</button>
      <button id=m aria-haspopup=menu>More</button><script>
      b.onclick = show
      const say = () => { b.textContent = day.value || 'Pick a date' }
      new MutationObserver(say).observe(document.body, { childList: true })
      </script>"""
    outline = await visit(agent, site, html)
    button = ref(outline, '"Pick a date"')
    for wanted, shown, held in (
        ("2026-12-24", "12/24/2026", "Thu Dec 24 2026"),
        ("2025-02-28", "2/28/2025", "Fri Feb 28 2025"),
    ):
        assert f'is now "{shown}"' in await told(agent, "form_input", ref=button, value=wanted)
        assert held in await told(agent, "javascript_tool", text=NOW)
    assert "no field" in await refused(agent, "form_input", ref=ref(outline, '"More"'), value="2026-12-24")


async def test_the_days_of_a_row_that_is_called_a_week_are_days(agent: Agent, site: Site) -> None:
    day = await opened(agent, site, field="readonly")
    await seen(
        agent,
        "new MutationObserver(() => pop?.lastElementChild.classList.add('week')).observe(document.body, "
        "{childList: true, subtree: true})",
    )
    assert "is now" in await told(agent, "form_input", ref=day, value="2026-12-24")


async def test_a_field_that_can_be_typed_into_once_it_has_the_focus_is_typed_into(agent: Agent, site: Site) -> None:
    field = "<label>Day <input id=day readonly onfocus=this.removeAttribute('readonly')></label>"
    day = ref(await visit(agent, site, field), '"Day"')
    assert '"2026-12-24"' in await told(agent, "form_input", ref=day, value="2026-12-24")


async def test_a_secret_that_is_put_back_is_not_told(agent: Agent, site: Site) -> None:
    field = """<label>Key <input id=key name=api_key value=sk-live-abc onblur="this.value = 'sk-live-abc'"></label>"""
    key = ref(await visit(agent, site, field), '"Key"')
    result = await agent.result("form_input", ref=key, value="2026-12-24")
    assert "sk-live-abc" not in str(result.content)


async def test_a_date_that_is_there_already_is_taken(agent: Agent, site: Site) -> None:
    field = """<label>Day <input id=day value=3/4/2026 onblur="this.value = '3/4/2026'"></label>"""
    day = ref(await visit(agent, site, field), '"Day"')
    assert '"3/4/2026"' in await told(agent, "form_input", ref=day, value="2026-03-04")
    assert "still holds" in await refused(agent, "form_input", ref=day, value="2026-05-06")


async def test_a_dialog_with_a_field_stays_open_over_a_calendar(agent: Agent, site: Site) -> None:
    days = "".join(f"<td>{number}" for number in range(1, 31))
    outline = await visit(
        agent, site,
        f"""<div style="position: absolute"><b>November 2026</b><span class=next>&#8250;</span>
        <table><tr>{days}</table></div>
        <div role=dialog aria-label=Event style="position: fixed; inset: 0; background: #fff">
        <label>Start <input id=start></label></div><script>
        const shut = () => document.querySelector('[role=dialog]').remove();
        start.focus();
        addEventListener('keydown', ({{ key }}) => {{ if (key === 'Escape') shut() }})
        </script>""",
    )  # fmt: skip
    assert '"2026-12-24"' in await told(agent, "form_input", ref=ref(outline, '"Start"'), value="2026-12-24")
    assert await seen(agent, "start.isConnected") == "true"


async def test_a_read_only_field_without_a_calendar_is_refused(agent: Agent, site: Site) -> None:
    day = ref(await visit(agent, site, "<label>Day <input readonly value=today></label>"), '"Day"')
    assert "It is read-only" in await refused(agent, "form_input", ref=day, value="2026-12-24")
