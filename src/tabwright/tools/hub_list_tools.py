"""hub_list_tools: find tools that pages of any tab registered, where the list is too long or the client keeps it."""

from pydantic import Field

from tabwright.model import ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class HubListTools(Params):
    query: str = Field(default="", description="Words its name or description holds")
    domain: str = Field(default="", description="Site, like example.com")
    cursor: str | None = Field(default=None, description="nextCursor of the page before")


async def run(desk: Desk, params: HubListTools) -> ToolResult:
    return ToolResult.of_json(desk.search_hub(params.query, params.domain, params.cursor))


TOOL = Tool(
    name="hub_list_tools",
    description="Find tools that the pages of all tabs offer, with schemas.",
    params=HubListTools,
    access=Access.READ,
    run=run,
    toolset=Toolset.HUB,
    hints=ToolHints(read_only=True),
)
