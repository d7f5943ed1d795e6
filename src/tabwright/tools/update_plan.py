"""update_plan: show the person what is to be done and where; what they agree to is open for the session."""

from pydantic import Field

from tabwright.errors import Denied, InvalidArguments, NobodyToAsk
from tabwright.model import Json, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import clean
from tabwright.policy.urls import read_address
from tabwright.tools.tool import Agreement, Desk, Params, Tool


class UpdatePlan(Params):
    domains: list[str] = Field(description="Sites to be visited")
    approach: list[str] = Field(description="Steps, in a few words each")


async def run(desk: Desk, params: UpdatePlan) -> ToolResult:
    addresses = {address.host: address for address in map(read_address, reversed(params.domains))}
    hosts = list(reversed(addresses))
    steps = [clean(step, 200) for step in params.approach if step.strip()]
    if not hosts or not steps:
        raise InvalidArguments("A plan names at least one domain and one step.", "Give both.")
    named: list[Json] = [*hosts]
    question = f"The agent plans to work on {', '.join(hosts)}: {'; '.join(steps)}. Agree?"
    plan: dict[str, Json] = {"domains": named, "approach": [*steps]}
    try:
        agreed = await desk.agree_on(question, plan, [addresses[host].href for host in hosts])
    except NobodyToAsk as exc:
        raise NobodyToAsk(exc.message, "Put the plan into your answer and let the person decide.") from None
    return _told(agreed, {host: addresses[host].origin for host in hosts})


def _told(agreed: Agreement, origins: dict[str, str]) -> ToolResult:
    if not agreed.opened:
        raise Denied("The person's policy denies every site of the plan.", "See permissions_check; plan without them.")
    struck = [host for host, origin in origins.items() if origin in agreed.struck]
    denied = [host for host, origin in origins.items() if origin not in (*agreed.opened, *agreed.struck)]
    told: dict[str, Json] = {"approved": True, "domains": [host for host in origins if host not in (*struck, *denied)]}
    text = "The person approved the plan. Go on."
    if struck:
        told["struck"] = [*struck]
        text = f"The person approved the plan without {', '.join(struck)}: stay away from there. Go on with the rest."
    if denied:
        told["denied"] = [*denied]
        text += f" Their policy denies {', '.join(denied)}: leave that out."
    return ToolResult((Text(text),), told)


TOOL = Tool(
    name="update_plan",
    description="Ask the person to approve a plan.",
    params=UpdatePlan,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
