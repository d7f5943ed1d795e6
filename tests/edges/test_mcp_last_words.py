"""Requests on /mcp that are open when the gateway stops are answered, under whichever ids."""

import asyncio
from pathlib import Path

from tests.edges.test_mcp_ids import legacy, told
from tests.gateway import running


async def test_calls_under_way_are_told_that_the_gateway_stops(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        async with legacy(gateway) as session:
            calls = [
                (request_id, await session.begin(request_id, str(n))) for n, request_id in enumerate((7, "7", "a"))
            ]
            assert await asyncio.to_thread(gateway.stop) == 0
            for request_id, answer in calls:
                error = await told(answer)
                assert (error["id"], error["error"]["code"]) == (request_id, -32011)
                assert "The gateway is stopping." in error["error"]["message"]
