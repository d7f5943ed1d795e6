"""update_plan: show the person what is to be done and where; what they agree to is open for the session."""

from collections import Counter
from typing import Final

from pydantic import Field

from tabwright.errors import Denied, InvalidArguments, NobodyToAsk
from tabwright.model import Json, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import clean
from tabwright.policy.urls import Address, read_address
from tabwright.tools.tool import Agreement, Desk, Params, Tool

READ_CHARS: Final = 1_000
"""Of a question so many are shown: what the person has not read they have not agreed to."""


class UpdatePlan(Params):
    domains: list[str] = Field(description="Sites to be visited")
    approach: list[str] = Field(description="Steps, in a few words each")


async def run(desk: Desk, params: UpdatePlan) -> ToolResult:
    sites = _called([read_address(domain) for domain in params.domains])
    steps = [clean(step, 200) for step in params.approach if step.strip()]
    if not sites or not steps:
        raise InvalidArguments("A plan names at least one domain and one step.", "Give both.")
    named: list[Json] = [*sites]
    question = f"The agent plans to work on {', '.join(sites)}: {'; '.join(steps)}. Agree?"
    if len(question) > READ_CHARS:
        raise InvalidArguments(
            f"The plan is too long to be read: it has {len(question)} characters, and {READ_CHARS} are shown.",
            "Say the steps in fewer words, or plan fewer sites at a time.",
        )
    plan: dict[str, Json] = {"domains": named, "approach": [*steps]}
    try:
        agreed = await desk.agree_on(question, plan, [address.href for address in sites.values()])
    except NobodyToAsk as exc:
        raise NobodyToAsk(exc.message, "Put the plan into your answer and let the person decide.") from None
    return _told(agreed, {name: address.origin for name, address in sites.items()})


def _called(addresses: list[Address]) -> dict[str, Address]:
    """Each site once, by its host and port; by its origin where another has the same: `http:` is not `https:`."""
    sites = [*reversed({address.origin: address for address in reversed(addresses)}.values())]
    hosts = Counter(_host(each) for each in sites)
    return {_host(each) if hosts[_host(each)] == 1 else each.origin: each for each in sites}


def _host(address: Address) -> str:
    return address.origin.partition("://")[2] or address.href


def _told(agreed: Agreement, origins: dict[str, str]) -> ToolResult:
    if not agreed.opened:
        raise Denied("The person's policy denies every site of the plan.", "See permissions_check; plan without them.")
    struck = [name for name, origin in origins.items() if origin in agreed.struck]
    denied = [name for name, origin in origins.items() if origin not in (*agreed.opened, *agreed.struck)]
    told: dict[str, Json] = {"approved": True, "domains": [name for name in origins if name not in (*struck, *denied)]}
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
