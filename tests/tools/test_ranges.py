"""form_input: both ends of a range at once, and times that a picker wants written in its own way."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

RANGE = """<style>.pop { position: absolute; background: #fff }
.days { display: grid; grid-template-columns: repeat(7, 2em) }
</style><div class="%(named)s">%(fields)s</div><script>
// What is typed into one end alone is dropped; two days that were clicked are held, if need be after "OK".
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December'];
let shown = new Date(2026, 10, 1), held = '', days = [], pop = null;
const two = (number) => String(number).padStart(2, '0');
const spell = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const ends = [...document.querySelectorAll('input')];
const write = () => {
  const said = days.map(spell);
  if (ends.length === 2) ends.forEach((end, at) => { end.value = said[at] ?? '' });
  else ends[0].value = said.join(' - ');
};
const hold = () => { held = days.map(spell).join(' '); pop.remove(); pop = null };
const drop = () => { days = held.split(' ').filter(Boolean).map((each) => new Date(`${each}T00:00`)); write() };
const draw = () => {
  const [year, month] = [shown.getFullYear(), shown.getMonth()];
  const length = new Date(year, month + 1, 0).getDate();
  const cells = Array.from({ length }, (_, at) => `<span class=day>${at + 1}</span>`);
  pop.innerHTML = `<i class=prev-month>&#8249;</i><b>${MONTHS[month]} ${year}</b><i class=next-month>&#8250;</i>
    <div class=days>${cells.join('')}</div>${%(confirm)s ? '<button type=button>OK</button>' : ''}`;
};
const show = () => {
  if (pop) return;
  pop = document.body.appendChild(Object.assign(document.createElement('div'), { className: 'pop' }));
  draw();
  pop.onclick = ({ target }) => {
    const by = target.matches('.next-month') ? 1 : target.matches('.prev-month') ? -1 : 0;
    if (by) { shown = new Date(shown.getFullYear(), shown.getMonth() + by, 1); draw() }
    if (target.matches('button') && days.length === 2) hold();
    if (!target.matches('.day')) return;
    const day = new Date(shown.getFullYear(), shown.getMonth(), Number(target.textContent));
    days = days.length === 1 ? [...days, day].sort((one, other) => one - other) : [day];
    write();
    if (days.length === 2 && !%(confirm)s) hold();
  };
};
for (const end of ends) {
  end.onclick = show;
  end.onblur = () => { if (!pop) setTimeout(drop, 100) };
  end.onkeydown = ({ key }) => { if (key === 'Escape' && pop) { pop.remove(); pop = null; drop() } };
}
</script>"""
PAIR = "<label>From <input></label> <label>To <input></label>"
SINGLE = "<label>From <input readonly></label>"
STAMP = """<div class=%(named)s><label>When <input></label></div><script>
// It knows one way to write a time, takes it over by Enter, and shows what it held before when it is left otherwise.
const field = document.querySelector('input');
let [held, entered] = ['', 0];
field.onkeydown = ({ key }) => {
  if (key === 'Enter') entered += 1;
  if (key === 'Enter' && /%(shape)s/.test(field.value)) held = field.value;
};
field.onblur = () => { setTimeout(() => { field.value = held }, 150) };
</script>"""


async def opened(agent: Agent, site: Site, fields: str, *, confirm: bool = False, named: str = "date-range") -> str:
    return await visit(agent, site, RANGE % {"fields": fields, "confirm": str(confirm).lower(), "named": named})


@pytest.mark.parametrize("confirm", [False, True], ids=["at once", "after OK"])
@pytest.mark.parametrize("fields", [PAIR, SINGLE], ids=["two fields", "one field"])
async def test_both_ends_of_a_range_are_chosen_at_once(agent: Agent, site: Site, fields: str, confirm: bool) -> None:
    start = ref(await opened(agent, site, fields, confirm=confirm), '"From"')
    said = await told(agent, "form_input", ref=start, value=["2027-01-20", "2027-02-03"])
    assert "2027-01-20" in said.splitlines()[0]
    assert "2027-02-03" in said.splitlines()[0]
    assert await seen(agent, "held") == "2027-01-20 2027-02-03"
    await told(agent, "form_input", ref=start, value="2026-12-24 - 2026-12-26")
    assert await seen(agent, "held") == "2026-12-24 2026-12-26"


async def test_one_end_of_a_range_goes_with_the_other_that_shows(agent: Agent, site: Site) -> None:
    outline = await opened(agent, site, PAIR)
    await told(agent, "form_input", ref=ref(outline, '"From"'), value=["2026-12-24", "2026-12-26"])
    await told(agent, "form_input", ref=ref(outline, '"To"'), value="2026-12-31")
    assert await seen(agent, "held") == "2026-12-24 2026-12-31"


async def test_of_one_end_alone_it_is_said_that_it_may_not_last(agent: Agent, site: Site) -> None:
    start = ref(await opened(agent, site, PAIR), '"From"')
    await seen(agent, "ends[0].onblur = null")
    assert "Give both at once" in await told(agent, "form_input", ref=start, value="2026-12-24")


async def test_two_fields_that_are_no_range_are_each_for_themselves(agent: Agent, site: Site) -> None:
    html = "<div><label>Born <input id=born></label> <label>Hired <input id=hired value=2020-01-01></label></div>"
    said = await told(agent, "form_input", ref=ref(await visit(agent, site, html), '"Born"'), value="1999-01-01")
    assert said.splitlines() == ['"Born" (e1) is now "1999-01-01".']
    assert "1999-01-01 2020-01-01" in await seen(agent, "`${born.value} ${hired.value}`")


async def test_a_list_is_no_range_for_a_field_without_one(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, "<label>Day <input readonly></label><label>Note <input></label>"), '"Day"')
    assert "read-only" in await refused(agent, "form_input", ref=field, value=["2026-12-24", "2026-12-26"])


@pytest.mark.parametrize(
    ("shape", "value", "held"),
    [
        (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$", "2027-03-05T14:30", "2027-03-05 14:30:00"),
        (r"^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2} PM$", "2027-03-05T14:30", "03/05/2027 02:30 PM"),
        (r"^\d{2}:\d{2}:\d{2}$", "14:30", "14:30:00"),
        (r"^\d{2}:\d{2}$", "14:30:00", "14:30"),
        (r"^\d{2}\/\d{2}\/\d{4}$", "2027-03-05", "03/05/2027"),
    ],
)
async def test_a_picker_is_given_a_time_as_it_wants_it_written(
    agent: Agent, site: Site, shape: str, value: str, held: str
) -> None:
    outline = await visit(agent, site, STAMP % {"shape": shape, "named": "time-picker"})
    assert f'is now "{held}"' in await told(agent, "form_input", ref=ref(outline, '"When"'), value=value)
    assert await seen(agent, "held") == held


async def test_a_date_is_written_as_in_the_language_of_a_page_that_misspells_it(agent: Agent, site: Site) -> None:
    page = STAMP % {"shape": r"^\d\d\.\d\d\.\d{4}$", "named": "date-picker"}
    outline = await visit(agent, site, f"<html lang=de_DE>{page}")
    assert 'is now "03.02.2001"' in await told(agent, "form_input", ref=ref(outline, '"When"'), value="2001-02-03")


async def test_a_picker_that_takes_no_time_is_no_success(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, STAMP % {"shape": "^never$", "named": "time-picker"})
    assert "does not take" in await refused(agent, "form_input", ref=ref(outline, '"When"'), value="14:30")


async def test_nobody_presses_enter_in_a_field_that_is_no_picker(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, STAMP % {"shape": "^never$", "named": "note"})
    await agent.result("form_input", ref=ref(outline, '"When"'), value="14:30")
    assert await seen(agent, "entered") == "0"
