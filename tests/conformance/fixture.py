"""What fixture tools are made of: a record for each tool, short results, and the open listen streams."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY, ServerEvent, event_matches, event_to_notification

Context: TypeAlias = ServerRequestContext[Any, Any]
Run: TypeAlias = Callable[
    [Context, types.CallToolRequestParams], Awaitable[types.CallToolResult | types.InputRequiredResult]
]


class Fixture:
    """A tool the suite calls by name; its schema is an object with `properties`, or `schema` as it stands."""

    def __init__(
        self, name: str, run: Run, properties: dict[str, Any] | None = None, *, schema: dict[str, Any] | None = None
    ) -> None:
        self.name: Final = name
        self.run: Final = run
        self.schema: Final = schema or {"type": "object", "properties": properties or {}}
        self.tool: Final = types.Tool(name=name, description=f"Conformance fixture {name}.", input_schema=self.schema)


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def result(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[text(words)])


class OpenStreams:
    """The `subscriptions/listen` streams open now, so that a fixture tool can announce a change on them.

    The server's own handler acknowledges, tags and ends each stream; only the announcement comes from here.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[Context, types.SubscriptionFilter]] = {}

    @contextmanager
    def tracking(self, context: Context, params: types.SubscriptionsListenRequestParams) -> Generator[None]:
        self._open[id(context)] = (context, params.notifications)
        try:
            yield
        finally:
            del self._open[id(context)]

    def announcing(self, event: ServerEvent) -> Run:
        """A tool that tells every stream which asked for `event`."""

        async def run(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
            for context, wanted in list(self._open.values()):
                if event_matches(wanted, frozenset(), event):
                    notification = event_to_notification(event, {SUBSCRIPTION_ID_META_KEY: context.request_id})
                    await context.session.send_notification(notification, related_request_id=context.request_id)
            return result(f"Announced {type(event).__name__}.")

        return run
