"""The fixture toolset that the official MCP conformance suite calls by name.

`install` adds it to a server that already serves tools: fixture tools are appended to the list, every other name
passes through, so the suite exercises the transports, the eras and the dispatch of the server it is given. Resources
and prompts are in `documents.py`, tools that ask the client for input in `inputs.py`.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from tabwright.edges.mcp.handlers import Handlers
from tests.conformance import documents, inputs
from tests.conformance.fixture import Context, Fixture, OpenStreams, result, text

WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="

# json-schema-2020-12: every keyword must come back from tools/list as it went in.
SCHEMA_2020_12: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
ELICITED_DEFAULTS: Final = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS: Final = ["option1", "option2", "option3"]
TITLED: Final = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second"), 1)]
ELICITED_ENUMS: Final = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


async def simple_text(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return result("This is a simple text response for testing.")


async def image_content(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[documents.IMAGE])


async def audio_content(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.AudioContent(data=WAV, mime_type="audio/wav")])


async def embedded_resource(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(
        content=[documents.embedded("test://embedded-resource", "This is an embedded resource content.")]
    )


async def multiple_content_types(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(
        content=[
            text("Multiple content types test:"),
            documents.IMAGE,
            documents.embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]
    )


async def error_handling(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[text("This tool intentionally returns an error for testing")], is_error=True)


async def tool_with_logging(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message(  # pyright: ignore[reportDeprecated]  # it holds the era's log rule
            "info", line, related_request_id=context.request_id
        )
        await asyncio.sleep(0.05)
    return result("Logged three messages.")


async def tool_with_progress(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    for progress in (0, 50, 100):
        await context.session.report_progress(progress, 100)
        await asyncio.sleep(0.05)
    return result("Reported progress three times.")


async def sampling(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    prompt = str((params.arguments or {}).get("prompt", ""))
    answer = await context.session.send_request(
        inputs.sample(prompt, max_tokens=100),
        types.CreateMessageResult,
        metadata=ServerMessageMetadata(related_request_id=context.request_id),
    )
    return result(f"LLM response: {answer.content}")


async def elicitation(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    message = str((params.arguments or {}).get("message", ""))
    properties = {"username": {"type": "string"}, "email": {"type": "string"}}
    return await _elicit(context, message, properties, required=["username", "email"])


async def elicitation_defaults(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return await _elicit(context, "Please check these defaults", ELICITED_DEFAULTS)


async def elicitation_enums(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return await _elicit(context, "Please choose", ELICITED_ENUMS)


async def _elicit(
    context: Context, message: str, properties: Mapping[str, Any], required: list[str] | None = None
) -> types.CallToolResult:
    schema = {"type": "object", "properties": dict(properties), "required": required or []}
    answer = await context.session.elicit_form(message, schema, related_request_id=context.request_id)
    return result(f"Elicitation completed: action={answer.action}, content={answer.content}")


async def missing_capability(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs the sampling capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return result("The client can sample.")


async def reconnection(context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    if context.close_sse_stream is not None:  # only where the transport keeps events for a client that comes back
        await context.close_sse_stream()
        await asyncio.sleep(0.1)
    return result("Answered after the stream was closed.")


async def echo(_context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return result(str(params.arguments))


PLAIN: Final = (
    Fixture("test_simple_text", simple_text),
    Fixture("test_image_content", image_content),
    Fixture("test_audio_content", audio_content),
    Fixture("test_embedded_resource", embedded_resource),
    Fixture("test_multiple_content_types", multiple_content_types),
    Fixture("test_error_handling", error_handling),
    Fixture("test_tool_with_logging", tool_with_logging),
    Fixture("test_logging_tool", tool_with_logging),
    Fixture("test_tool_with_progress", tool_with_progress),
    Fixture("test_sampling", sampling, {"prompt": {"type": "string"}}),
    Fixture("test_elicitation", elicitation, {"message": {"type": "string"}}),
    Fixture("test_elicitation_sep1034_defaults", elicitation_defaults),
    Fixture("test_elicitation_sep1330_enums", elicitation_enums),
    Fixture("test_missing_capability", missing_capability),
    Fixture("test_reconnection", reconnection),
    Fixture("test_header_parameter", echo, {"region": {"type": "string", "x-mcp-header": "Region"}}),
    Fixture("json_schema_2020_12_tool", echo, schema=SCHEMA_2020_12),
)


def install(server: Handlers) -> None:
    """Add every fixture to `server`, which must serve tools/list and tools/call already."""
    streams = OpenStreams()
    fixtures = {
        each.name: each
        for each in (
            *PLAIN,
            *inputs.FIXTURES,
            Fixture("test_trigger_tool_change", streams.announcing(ToolsListChanged())),
            Fixture("test_trigger_prompt_change", streams.announcing(PromptsListChanged())),
        )
    }
    _wrap_tools(server, fixtures)
    _wrap_listen(server, streams)
    documents.install(server)
    if not any(isinstance(each, RequestStateBoundary) for each in server.middleware):
        server.middleware.append(
            RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.about.name)
        )


def _wrap_tools(server: Handlers, fixtures: Mapping[str, Fixture]) -> None:
    lister, caller = server.get_request_handler("tools/list"), server.get_request_handler("tools/call")
    assert lister is not None
    assert caller is not None

    async def list_tools(context: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        own = types.ListToolsResult.model_validate(await lister.handler(context, params))
        return own.model_copy(update={"tools": [*own.tools, *(each.tool for each in fixtures.values())]})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> Any:
        fixture = fixtures.get(params.name)
        return await (fixture.run if fixture else caller.handler)(context, params)

    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)

    schema_of = server.get_tool_input_schema

    def schema_of_any(name: str) -> Mapping[str, Any] | None:
        return fixtures[name].schema if name in fixtures else schema_of(name)

    server.get_tool_input_schema = schema_of_any


def _wrap_listen(server: Handlers, streams: OpenStreams) -> None:
    entry = server.get_request_handler("subscriptions/listen")
    listen = entry.handler if entry else ListenHandler(InMemorySubscriptionBus())

    async def tracked(context: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        with streams.tracking(context, params):
            return await listen(context, params)

    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, tracked)
