"""turn_answer_complete: the agent's answer is there; recordings end and the debugger lets go of the session's tabs."""

from tabwright.browser.tab import Tab
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class TurnAnswerComplete(Params):
    pass


async def run(desk: Desk, params: TurnAnswerComplete) -> ToolResult:
    released = [str(tab.id) for tab in desk.held if await _release(desk.browser.acted_on(tab.id))]
    stopped = desk.recorder.stop_all()
    await desk.show_answering(False)
    ended = f"; {stopped} recording{'s' * (stopped != 1)} stopped" if stopped else ""
    freed = f"; the debugger let go of tab {', '.join(released)}" if released else ""
    return ToolResult((Text(f"Shown as answered{ended}{freed}."),))


async def _release(tab: Tab | None) -> bool:
    """Whether there was anything to let go."""
    return tab is not None and await tab.let_go()


TOOL = Tool(
    name="turn_answer_complete",
    description="Say that your answer is complete: stops recordings, releases the debugger.",
    params=TurnAnswerComplete,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
