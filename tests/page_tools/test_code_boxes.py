"""Boxes for the single characters of one code: one field, which takes the code as a whole."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

# Each letter goes to the box it is typed into, and the focus to the next, as pages that draw such boxes do.
FOLLOW = """<p id=out></p><script>
const boxes = [...document.querySelectorAll('input')];
boxes.forEach((box, index) => box.addEventListener('input', () => { if (box.value) boxes[index + 1]?.focus(); }));
document.querySelector('button').onclick = (event) => {
  event.preventDefault();
  out.textContent = `Got ${boxes.map(({ value }) => value).join('')}`;
};
</script>"""
# Shown anew with each letter, and told apart by their labels alone, without a limit.
REDRAWN = """<h2>Sign in</h2><div id=root></div><button>Verify</button><p id=out></p><script>
const held = Array(6).fill('');
const draw = () => {
  root.innerHTML = held.map((each, index) => `<input aria-label="Please enter OTP character ${index + 1}"
    style="width: 1.5em; text-align: center" value="${each}" data-index=${index}>`).join('');
};
root.addEventListener('input', ({ target }) => {
  held[target.dataset.index] = target.value.slice(-1);
  draw();
  root.children[Number(target.dataset.index) + 1]?.focus();
});
document.querySelector('button').onclick = () => { out.textContent = `Got ${held.join('')}`; };
draw();
</script>"""


def boxes(count: int, attributes: str = "maxlength=1 size=1") -> str:
    return "".join(f"<input {attributes.replace('#', str(number))}>" for number in range(1, count + 1))


VARIANTS = {
    "named": (f"<h2>Two-factor</h2><form><label>Your code</label>{boxes(6, 'name=code# maxlength=1 size=1')}", "code"),
    "labelled": (f"<h2>Two-factor</h2><form>{boxes(6, 'aria-label=Digit&nbsp;# maxlength=1 size=1')}", "code"),
    "apart": (
        f"<h2>Two-factor</h2><form role=group aria-label='Security code'><div style='display: flex'>"
        f"<div>{boxes(3)}</div><span>-</span><div>{boxes(3)}</div></div>",
        "securityCode",
    ),
    "autofilled": (
        f"<h2>Two-factor</h2><form><input autocomplete=one-time-code maxlength=6 size=1>{boxes(5)}",
        "code",
    ),
    "numbers": (f"<h2>Two-factor</h2><form>{boxes(6, 'type=number name=otp[#] maxlength=1 style=width:40px')}", "otp"),
}


@pytest.mark.parametrize("variant", VARIANTS)
async def test_the_boxes_of_a_code_are_one_property(shared: GatewayProcess, site: Site, variant: str) -> None:
    form, name = VARIANTS[variant]
    async with visiting(shared, site) as visit:
        (tool,) = (await visit.open(f"{form}<button>Verify</button></form>{FOLLOW}")).values()
        assert list(properties(tool)) == [name]
        assert (properties(tool)[name]["minLength"], properties(tool)[name]["maxLength"]) == (6, 6)
        assert "Got" in await visit.call(tool.name, **{name: "123456"})
        assert "longer than 6" in await visit.refused(tool.name, **{name: "1234567"})


async def test_boxes_that_are_drawn_anew_with_each_letter_are_filled_in(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        (tool,) = (await visit.open(REDRAWN)).values()
        assert "Got A1B2C3" in await visit.call(tool.name, enterOtp="A1B2C3")


@pytest.mark.parametrize(
    "form",
    [
        boxes(4, "name=part# maxlength=4 size=4"),
        "".join(f"<label>{who} <input type=number name={who} style=width:40px></label>" for who in ("adults", "kids"))
        + "".join(f"<label>{who} <input type=number name={who} style=width:40px></label>" for who in ("dogs", "bags")),
        "<br>".join(f"<label>Question {number} <input name=q{number} maxlength=1></label>" for number in range(1, 6)),
        boxes(4, "name=ip# maxlength=3 size=3 inputmode=numeric"),
    ],
    ids=["card number", "travellers", "answers", "address"],
)
async def test_other_short_fields_stay_several(shared: GatewayProcess, site: Site, form: str) -> None:
    async with visiting(shared, site) as visit:
        (tool,) = (await visit.open(f"<h2>Order</h2><form>{form}<button>Send</button></form>")).values()
        assert len(properties(tool)) > 3
