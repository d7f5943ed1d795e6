"""Fixture tools that answer `input_required` and are called again with the client's input (2026-07-28).

The suite's scenarios fix the tools' names, the keys of their requests and what the final answer mentions.
"""

from typing import Any, Final

import mcp_types as types

from tests.conformance.fixture import Context, Fixture, Run, result

ROOTS: Final = types.ListRootsRequest()


def ask(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    """An elicitation of one required field."""
    schema: dict[str, Any] = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(prompt: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


NAME: Final = ask("What is your name?", "name")
CONFIRM: Final = ask("Please confirm", "ok", "boolean")


def asking(*rounds: types.InputRequests, state: str | None = None, done: str = "Got") -> Run:
    """A tool that puts each round's requests in turn and then reports the answers.

    With `state`, the round is kept in the request state (sealed by the server's boundary); without, a retry that
    lacks an answer is asked again.
    """

    async def run(
        _context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        answers = params.input_responses or {}
        at = int(params.request_state.removeprefix(f"{state}-")) if state and params.request_state else 0
        if rounds[at].keys() <= answers.keys():
            at += 1
        if at == len(rounds):
            return result(f"{done}: {answers}")
        return types.InputRequiredResult(input_requests=rounds[at], request_state=f"{state}-{at}" if state else None)

    return run


async def only_what_is_declared(
    context: Context, _params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    declared = context.session.client_capabilities or types.ClientCapabilities()
    requests: types.InputRequests = {}
    if declared.sampling is not None:
        requests["capital_question"] = sample("What is the capital of France?", 100)
    if declared.elicitation is not None:
        requests["user_name"] = NAME
    return (
        types.InputRequiredResult(input_requests=requests) if requests else result("The client can be asked nothing.")
    )


FIXTURES: Final = (
    Fixture("test_input_required_result_elicitation", asking({"user_name": NAME}, done="Hello")),
    Fixture("test_streaming_elicitation", asking({"user_name": NAME})),
    Fixture(
        "test_input_required_result_sampling",
        asking({"capital_question": sample("What is the capital of France?", 100)}),
    ),
    Fixture("test_input_required_result_list_roots", asking({"client_roots": ROOTS})),
    Fixture(
        "test_input_required_result_request_state", asking({"confirm": CONFIRM}, state="confirming", done="state-ok")
    ),
    Fixture("test_input_required_result_tampered_state", asking({"confirm": CONFIRM}, state="tampering")),
    Fixture(
        "test_input_required_result_multiple_inputs",
        asking(
            {"user_name": NAME, "greeting": sample("Generate a greeting", 50), "client_roots": ROOTS}, state="several"
        ),
    ),
    Fixture(
        "test_input_required_result_multi_round",
        asking(
            {"step1": ask("Step 1: What is your name?", "name")},
            {"step2": ask("Step 2: What is your favorite color?", "color")},
            state="step",
        ),
    ),
    Fixture("test_input_required_result_capabilities", only_what_is_declared),
)
