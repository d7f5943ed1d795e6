"""What was done is on record, whatever becomes of the gateway that did it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients import connect
from tests.gateway import GatewayProcess
from tests.test_cli_policy import run


def recorded(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(home, "audit", "--json").stdout.splitlines()]


@pytest.mark.rule("T79")
async def test_a_call_that_was_answered_is_on_record_though_the_gateway_was_killed(own: GatewayProcess) -> None:
    async with connect(own, "http") as agent:
        for _ in range(3):
            await agent.result("list_tabs")
        own.kill()
    kept = recorded(own.home)
    assert [entry["tool"] for entry in kept if entry["kind"] == "call"] == ["list_tabs"] * 3
    own.start()
    assert recorded(own.home)[: len(kept)] == kept
    assert run(own.home, "audit", "--verify").stdout == "The record is whole.\n"
