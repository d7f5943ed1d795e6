"""turn_answer_start: the agent's answer begins, and the person sees it at the tab group."""

from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class TurnAnswerStart(Params):
    pass


async def run(desk: Desk, params: TurnAnswerStart) -> ToolResult:
    await desk.show_answering(True)
    return ToolResult((Text("Shown as answering."),))


TOOL = Tool(
    name="turn_answer_start",
    description="Say that your answer to the person begins.",
    params=TurnAnswerStart,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
