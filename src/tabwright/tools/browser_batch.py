"""browser_batch: several calls in one, in order, up to the first failure."""

from typing import Annotated, Any, Final, cast

from pydantic import Field, WithJsonSchema

from tabwright.model import JsonObject, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.shortcut import SavedStep
from tabwright.tools.steps import run_steps
from tabwright.tools.tool import Desk, Params, Tool

MAX_STEPS: Final = 25


class Step(Params):
    tool: str
    arguments: dict[str, Any] = Field(default={})


Steps = Annotated[
    tuple[Step, ...],
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": MAX_STEPS,
            "items": {
                "type": "object",
                "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["tool"],
            },
        }
    ),
]


class BrowserBatch(Params):
    steps: Steps = Field(
        min_length=1,
        max_length=MAX_STEPS,
        description='Calls in order. A ref may be "$1.0" (first hit of step 1, a find) or "find:blue save button"',
    )


async def run(desk: Desk, params: BrowserBatch) -> ToolResult:
    steps = [SavedStep(step.tool, cast(JsonObject, step.arguments)) for step in params.steps]
    return await run_steps(desk, steps)


TOOL = Tool(
    name="browser_batch",
    description="Run several tools in one call; stops at the first failure and says where.",
    params=BrowserBatch,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    # its steps have one launched if they need it
    works_alone=lambda _: True,
    hints=ToolHints(read_only=False, destructive=True),
)
