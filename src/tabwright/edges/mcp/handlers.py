"""What the SDK's loops ask of their server: who handles a method, what wraps every request, what it says of itself.

The SDK's own `Server` answers the same. Its module imports an HTTP framework, routes for OAuth and tracing, 6 MB that a
gateway whose clients come by stdio has no use for; the loops themselves need none of it, nor do their HTTP transports
look at more than is here. Names are theirs; the pinned version is tested.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
from mcp.server.context import HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

if TYPE_CHECKING:
    from mcp.server.caching import CacheHint
    from mcp.server.lowlevel import Server
    from pydantic import BaseModel

Context = ServerRequestContext[Any, Any]
Handle = Callable[[Context, Any], Awaitable[HandlerResult]]


@dataclass(frozen=True, slots=True)
class Handler:
    """Who answers a method, and the model its params are read as."""

    params_type: type[BaseModel]
    handler: Handle


class Handlers:
    """One server for every connection, over whatever transport."""

    def __init__(self, about: types.Implementation, instructions: str, capabilities: types.ServerCapabilities) -> None:
        self.about = about
        self.instructions = instructions
        self.capabilities = capabilities
        self.middleware: list[ServerMiddleware[Any]] = []
        self.cache_hints: dict[str, CacheHint] = {}
        self.get_tool_input_schema: Callable[[str], Mapping[str, Any] | None] = _no_header_parameters
        self._requests: dict[str, Handler] = {}
        self.add_request_handler("ping", types.RequestParams, _pong)
        self.add_request_handler("server/discover", types.RequestParams, self._discover)

    @property
    def as_server(self) -> Server[Any]:
        """For the SDK's functions, which are declared for its own class."""
        return cast("Server[Any]", self)

    def add_request_handler(self, method: str, params: type[BaseModel], handle: Handle) -> None:
        self._requests[method] = Handler(params, handle)

    def get_request_handler(self, method: str) -> Handler | None:
        return self._requests.get(method)

    def get_notification_handler(self, method: str) -> None:
        """What clients tell us changes nothing here that the loops have not seen to."""

    def create_initialization_options(self) -> InitializationOptions:
        return InitializationOptions(
            server_name=self.about.name,
            server_version=self.about.version,
            title=self.about.title,
            description=self.about.description,
            instructions=self.instructions,
            capabilities=self.capabilities,
        )

    @property
    def server_info_stamp(self) -> dict[str, Any]:
        return self.about.model_dump(by_alias=True, mode="json", exclude_none=True)

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncGenerator[dict[str, Any]]:
        """Of its HTTP sessions: they share nothing that would have to be made."""
        yield {}

    async def _discover(self, ctx: Context, params: types.RequestParams) -> types.DiscoverResult:
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=self.capabilities,
            instructions=self.instructions,
        )


async def _pong(ctx: Context, params: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


def _no_header_parameters(name: str) -> Mapping[str, Any] | None:
    """Our schemas declare none, so no list is needed to check any."""
