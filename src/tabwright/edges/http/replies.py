"""What the HTTP routes share: error bodies, receiving until the gateway stops, receiving again what was looked at."""

import asyncio
from typing import Final

from starlette.responses import JSONResponse
from starlette.types import Message, Receive

TOO_MANY: Final = -32013


def error(status: int, code: int, message: str, **headers: str) -> JSONResponse:
    """An error outside any JSON-RPC request, as the HTTP server specification prints it."""
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)


def rpc_error(status: int, code: int, message: str, request_id: int | str | None = None) -> JSONResponse:
    """An error as the Streamable HTTP transport spells it."""
    return JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}, status)


def too_many(wait_s: int, message: str = "Too many requests.") -> JSONResponse:
    return JSONResponse({"error": {"code": TOO_MANY, "message": message}}, 429, {"Retry-After": str(wait_s)})


async def receive_until(stopping: asyncio.Event, receive: Receive) -> Message:
    """What the client sends, or, when the gateway stops, its goodbye: open streams must not hold that up."""
    receiving = asyncio.ensure_future(receive())
    ended = asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait({receiving, ended}, return_when=asyncio.FIRST_COMPLETED)
        return receiving.result() if receiving.done() else {"type": "http.disconnect"}
    finally:
        receiving.cancel()
        ended.cancel()


def after(opening: Message, receive: Receive) -> Receive:
    """What is received, with what was received already in front of it."""
    ahead = [opening]

    async def again() -> Message:
        return ahead.pop() if ahead else await receive()

    return again
