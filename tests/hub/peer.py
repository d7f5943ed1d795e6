"""A browser without a browser: a bare WebSocket peer on the extension port whose pages speak the hub protocol."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.gateway import GatewayProcess

Answer = Callable[["Call"], dict[str, Any] | None]
"""What a page answers to a call; None: nothing, ever."""


@dataclass(frozen=True)
class Call:
    """One browser/executeTool, and where it was delivered."""

    tab: int
    frame: int
    document: str
    tool: str
    args: dict[str, Any]
    message: dict[str, Any]


def tool(name: str, description: str = "Does it.", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {}}, **more}


def echo(call: Call) -> dict[str, Any]:
    """Says where it ran."""
    ran = {"tab": call.tab, "frame": call.frame, "document": call.document, "tool": call.tool, "args": call.args}
    content = [{"type": "text", "text": json.dumps(ran)}]
    return {"success": True, "payload": {"content": content, "structuredContent": ran}}


@dataclass
class Peer:
    """Its tabs and frames are whatever a test says they are."""

    socket: ClientConnection
    answer: Answer = echo
    calls: list[Call] = field(default_factory=list[Call])
    told: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    opens: Callable[["Peer", int, str], Any] | None = None
    """What the page of a tab opened by the gateway does."""
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: Any = field(default_factory=lambda: itertools.count(900))

    async def until(self, so: Callable[["Peer"], bool]) -> None:
        """Wait until something is so; looked at whenever the gateway says something."""
        async with asyncio.timeout(5):
            while not so(self):
                self.heard.clear()
                await self.heard.wait()

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def connected(self, *tabs: dict[str, Any]) -> None:
        await self.say(type="connected", browser={"name": "Bare", "version": "1"}, tabs=list(tabs))

    async def register(
        self, tab: int, origin: str, *tools: dict[str, Any], frame: int = 0, document: str = "d1", **more: Any
    ) -> None:
        method = more.pop("method", "browser/registerTools")
        message = {"jsonrpc": "2.0", "method": method, "params": {"tools": list(tools), **more}}
        await self.message(tab, origin, message, frame=frame, document=document)

    async def message(
        self, tab: int, origin: str, message: dict[str, Any], *, frame: int = 0, document: str = "d1"
    ) -> None:
        await self.say(type="tabMessage", tabId=tab, frameId=frame, documentId=document, origin=origin, message=message)

    async def run(self) -> None:
        try:
            async for text in self.socket:
                message = json.loads(text)
                self.told.append(message)
                await self._answer(message)
                self.heard.set()
        except ConnectionClosed:
            return

    async def _answer(self, message: dict[str, Any]) -> None:
        match message:
            case {"method": "tabMessage", "id": number, "params": params}:
                call = _call(params)
                self.calls.append(call)
                answer = self.answer(call)
                if answer is None:
                    return
                if "error" in answer:
                    await self.say(jsonrpc="2.0", id=number, error=answer["error"])
                elif "type" in answer:
                    await self.say(jsonrpc="2.0", id=number, result=answer)
                else:
                    result = {"jsonrpc": "2.0", "id": call.message["id"], "result": answer}
                    await self.say(jsonrpc="2.0", id=number, result=result)
            case {"type": "openTab", "url": url}:
                tab = next(self.numbers)
                await self.say(type="tabCreated", tab={"id": tab, "title": "New", "url": url})
                if self.opens is not None:
                    await self.opens(self, tab, url)
            case {"type": "closeTab", "tabId": tab_id}:
                await self.say(type="tabClosed", tabId=tab_id)
            case _:
                pass


def _call(params: dict[str, Any]) -> Call:
    message = params["message"]
    inner = message.get("params", message)
    where = (params["tabId"], params["frameId"], params["documentId"])
    return Call(*where, inner.get("toolName", ""), inner.get("args", {}), message)


@asynccontextmanager
async def peer(gateway: GatewayProcess, *tabs: dict[str, Any]) -> AsyncGenerator[Peer]:
    """A linked browser with these tabs."""
    url = f"ws://127.0.0.1:{gateway.extension_port}"
    async with connect(url, compression=None, proxy=None, max_size=None) as socket:
        made = Peer(socket)
        running = asyncio.create_task(made.run())
        await made.connected(*tabs)
        yield made
    await running


def tab(number: int, url: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "title": f"Tab {number}", "url": url, **more}
