"""update_plan: show the person what is to be done and where, and have it agreed to."""

from pydantic import Field

from tabwright.errors import InvalidArguments, NobodyToAsk
from tabwright.model import Json, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.decide import Access
from tabwright.policy.text import clean
from tabwright.policy.urls import read_address
from tabwright.tools.tool import Desk, Params, Tool


class UpdatePlan(Params):
    domains: list[str] = Field(description="Sites to be visited")
    approach: list[str] = Field(description="Steps, in a few words each")


async def run(desk: Desk, params: UpdatePlan) -> ToolResult:
    hosts = [read_address(domain).host for domain in params.domains]
    steps = [clean(step, 200) for step in params.approach if step.strip()]
    if not hosts or not steps:
        raise InvalidArguments("A plan names at least one domain and one step.", "Give both.")
    named: list[Json] = [*dict.fromkeys(hosts)]
    question = f"The agent plans to work on {', '.join(dict.fromkeys(hosts))}: {'; '.join(steps)}. Agree?"
    try:
        await desk.approve(question, {"domains": named, "approach": [*steps]})
    except NobodyToAsk as exc:
        raise NobodyToAsk(exc.message, "Put the plan into your answer and let the person decide.") from None
    return ToolResult((Text("The person approved the plan. Go on."),), {"approved": True, "domains": named})


TOOL = Tool(
    name="update_plan",
    description="Ask the person to approve a plan.",
    params=UpdatePlan,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
