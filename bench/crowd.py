"""A raw MCP client on the gateway's Unix socket: a hundred of them cost the machine little beside what they measure."""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from tabwright import __version__

ANSWER_S: Final = 60.0
MAX_LINE: Final = 64 * 1024 * 1024


class Member:
    """One session, one request at a time; notices are counted."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)

    async def call(self, tool: str, /, **arguments: Any) -> float:
        """Seconds until it is answered."""
        began = time.perf_counter()
        result = await self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return time.perf_counter() - began

    async def said(self, tool: str, /, **arguments: Any) -> str:
        """The words of its answer."""
        result = await self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return "\n".join(part["text"] for part in result["content"] if part["type"] == "text")

    async def tools(self) -> list[str]:
        """Names of the whole list, page by page."""
        names: list[str] = []
        params: dict[str, Any] = {}
        while True:
            page = await self.request("tools/list", params)
            names += [each["name"] for each in page["tools"]]
            if "nextCursor" not in page:
                return names
            params = {"cursor": page["nextCursor"]}

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        self._send(id=number, method=method, params=params)
        async with asyncio.timeout(ANSWER_S):
            while True:
                message = json.loads(await self._reader.readuntil(b"\n"))
                if message.get("id") == number and "method" not in message:
                    return message["result"]

    async def greet(self, toolsets: str) -> None:
        greeting = {"tabwright": 1, "version": __version__, "options": {"toolsets": toolsets}}
        self._writer.write(json.dumps(greeting).encode() + b"\n")
        told = json.loads(await self._reader.readuntil(b"\n"))
        assert told.get("ok"), told
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"}}
        await self.request("initialize", hello)
        self._send(method="notifications/initialized")

    def close(self) -> None:
        self._writer.close()

    def _send(self, **message: Any) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


@asynccontextmanager
async def member(home: Path, toolsets: str) -> AsyncGenerator[Member]:
    made = Member(*await asyncio.open_unix_connection(str(home / "run" / "gateway.sock"), limit=MAX_LINE))
    try:
        await made.greet(toolsets)
        yield made
    finally:
        made.close()
