"""Fixture resources, prompts, completion and log level for the conformance suite."""

import json
from typing import Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from tabwright.edges.mcp.handlers import Handlers
from tests.conformance import inputs
from tests.conformance.fixture import Context, text

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
IMAGE: Final = types.ImageContent(data=PNG, mime_type="image/png")
TEMPLATE_PREFIX: Final = "test://template/"
TEMPLATE_SUFFIX: Final = "/data"


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=words))


RESOURCES: Final[dict[str, types.TextResourceContents | types.BlobResourceContents]] = {
    each.uri: each
    for each in (
        types.TextResourceContents(
            uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
        ),
        types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PNG),
        types.TextResourceContents(uri="test://watched-resource", mime_type="text/plain", text="Watched."),
    )
}


async def list_resources(_context: Context, _params: types.PaginatedRequestParams) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=uri, name=uri.removeprefix("test://"), description="Conformance fixture.", mime_type=each.mime_type
            )
            for uri, each in RESOURCES.items()
        ]
    )


async def list_templates(_context: Context, _params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template=TEMPLATE_PREFIX + "{id}" + TEMPLATE_SUFFIX, name="template", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri in RESOURCES:
        return types.ReadResourceResult(contents=[RESOURCES[uri]])
    if uri.startswith(TEMPLATE_PREFIX) and uri.endswith(TEMPLATE_SUFFIX):
        number = uri.removeprefix(TEMPLATE_PREFIX).removesuffix(TEMPLATE_SUFFIX)
        body = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=body)]
        )
    raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})


async def acknowledge(_context: Context, _params: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


PROMPTS: Final = (
    types.Prompt(name="test_simple_prompt", description="Conformance fixture."),
    types.Prompt(
        name="test_prompt_with_arguments",
        description="Conformance fixture.",
        arguments=[types.PromptArgument(name=name, required=True) for name in ("arg1", "arg2")],
    ),
    types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="Conformance fixture.",
        arguments=[types.PromptArgument(name="resourceUri", required=True)],
    ),
    types.Prompt(name="test_prompt_with_image", description="Conformance fixture."),
    types.Prompt(name="test_input_required_result_prompt", description="Conformance fixture."),
)


async def list_prompts(_context: Context, _params: types.PaginatedRequestParams) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=list(PROMPTS))


async def get_prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return _prompt(text("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            return _prompt(text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"))
        case "test_prompt_with_embedded_resource":
            resource = embedded(given.get("resourceUri", ""), "Embedded resource content for testing.")
            return _prompt(resource, text("Please process the embedded resource above."))
        case "test_prompt_with_image":
            return _prompt(IMAGE, text("Please analyze the image above."))
        case "test_input_required_result_prompt":
            if "user_context" in (params.input_responses or {}):
                return _prompt(text(f"Context: {params.input_responses}"))
            question = inputs.ask("What context should the prompt use?", "context")
            return types.InputRequiredResult(input_requests={"user_context": question})
        case _:
            raise MCPError(types.INVALID_PARAMS, f"No prompt {params.name}")


def _prompt(*contents: types.ContentBlock) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in contents])


async def complete(_context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    known = ("paris", "park", "party", "test")
    values = [each for each in known if each.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


def install(server: Handlers) -> None:
    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, acknowledge)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, acknowledge)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, acknowledge)
    server.capabilities = server.capabilities.model_copy(
        update={
            "resources": types.ResourcesCapability(subscribe=True, list_changed=True),
            "prompts": types.PromptsCapability(list_changed=True),
            "completions": types.CompletionsCapability(),
            "logging": types.LoggingCapability(),
        }
    )
