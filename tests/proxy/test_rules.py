"""What proves which of the rules T15 to T47: every rule has a test marked with it, or a line here that says where.

`pytest -m rule` runs them; a test is marked `@pytest.mark.rule("T15")`. Wire attacks (T15, T39 to T47) and attacks of
users on users (T16 to T33, `test_wire_identity.py`) have a healthy pair beside them (fixture `beside`). What is forged
on the broker (T35) is in `cluster/test_everywhere.py`.
"""

import re
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent.parent
RULES: Final = [f"T{number}" for number in range(15, 48)]
ELSEWHERE: Final = {
    # the gateway's own: a tool listed on one page is never run on another
    "T36": "calls/test_staleness.py::test_a_tool_that_is_another_now_is_not_run",
}
BESIDE: Final = {f"T{number}" for number in (15, 16, 17, 18, 19, 20, 21, 27, 28, 29, 31, 32, 33, *range(39, 48))}


def marked() -> dict[str, set[str]]:
    """The files that have tests of each rule."""
    found: dict[str, set[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        for rule in re.findall(r'mark\.rule\("(T\d+)"\)', file.read_text(encoding="utf-8")):
            found.setdefault(rule, set()).add(file.relative_to(TESTS).as_posix())
    return found


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_proved(rule: str) -> None:
    assert rule in marked() or rule in ELSEWHERE, f"{rule} is proved nowhere"


@pytest.mark.parametrize("place", ELSEWHERE.values())
def test_what_is_proved_elsewhere_is_there(place: str) -> None:
    file, _, name = place.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", sorted(BESIDE))
def test_attacks_on_the_wire_have_a_healthy_pair_beside_them(rule: str) -> None:
    files = [TESTS / file for file in marked()[rule] if file.startswith("proxy/")]
    assert any('usefixtures("beside")' in file.read_text(encoding="utf-8") for file in files)
