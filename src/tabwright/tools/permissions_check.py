"""permissions_check: what the policy would say, before anything is tried."""

from typing import Final, Literal

from tabwright.errors import InvalidArguments
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access, Allow, Ask, Decision, Deny
from tabwright.tools.tool import Desk, Params, TabNumber, Tool

_ACTIONS: Final = {
    "navigate": Access.READ,
    "read": Access.READ,
    "act": Access.ACT,
    "page_tool": Access.PAGE_TOOL,
    "consequential": Access.CONSEQUENTIAL,
    "script": Access.SCRIPT,
    "upload": Access.UPLOAD,
    "download": Access.DOWNLOAD,
}


class PermissionsCheck(Params):
    url: str | None = None
    action: Literal["navigate", "read", "act", "page_tool", "consequential", "script", "upload", "download"] | None = (
        None
    )
    tabId: TabNumber | None = None


async def run(desk: Desk, params: PermissionsCheck) -> ToolResult:
    if (params.url is None) == (params.tabId is None):
        raise InvalidArguments("Either url or tabId says which page is meant.", "Give one of them.")
    url = params.url if params.tabId is None else desk.browser.tab(params.tabId).url
    assert url is not None
    actions = [params.action] if params.action else list(_ACTIONS)
    lines = [
        f"{action}: {_told(desk.consult(_ACTIONS[action], url, going=action == 'navigate'))}" for action in actions
    ]
    return ToolResult((Text("\n".join(lines)),))


def _told(decision: Decision) -> str:
    match decision:
        case Allow(rule=rule):
            return f"allowed (rule: {rule})"
        case Ask(rule=rule, question=question):
            return f"the person is asked: {question} (rule: {rule})"
        case Deny(rule=rule, reason=why):
            return f"denied: {why} (rule: {rule})"


TOOL = Tool(
    name="permissions_check",
    description="Tell what is allowed, asked or denied on a page, and by which rule.",
    params=PermissionsCheck,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=True, open_world=False),
)
