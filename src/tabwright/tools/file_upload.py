"""file_upload: files of allowed folders into a page, by its file input, the button that asks for them, or dropped."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from tabwright.browser.tab import Outcome, Tab
from tabwright.browser.upload import Source, check, choose, drop, file_field, held, place_of, put
from tabwright.errors import CommandFailed, InvalidArguments
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import clean, clean_block
from tabwright.tools.files import Files, LocalFile
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

_PRESSED: Final = frozenset({"button", "link", "menuitem", "tab", "label"})


class FileUpload(Params):
    ref: str = Field(description="File input, its label or button, or a drop zone")
    paths: list[str] = Field(min_length=1, max_length=100, description="Files in allowed folders")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: FileUpload) -> ToolResult:
    files = [source_of(desk.files, await desk.files.offered(path)) for path in params.paths]
    said, outcome = await give(desk.tab, params.ref, files)
    return answer(said, outcome)


def source_of(files: Files, file: LocalFile) -> Source:
    """A file as the page gets it."""
    return Source(
        file.name, file.mime_type, file.size, lambda: files.read(file), str(file.path), is_folder=file.is_folder
    )


async def give(tab: Tab, ref: str, files: Sequence[Source]) -> tuple[str, Outcome]:
    """Files to whatever a ref names; what became of them.

    Raises:
        ToolError: it takes no files, or not these.
    """
    field = await file_field(tab, ref)
    if field is None:
        return await _by_hand(tab, ref, files)
    check(field, files, ref)
    outcome = await tab.act(put(tab, field, files))
    now = await held(tab, field)
    names = ", ".join(now) if now else ", ".join(file.name for file in files)
    if now is not None and not now:
        return f"The page has taken {names} from {ref}.", outcome
    return f"{ref} now holds {names}.", outcome


async def _by_hand(tab: Tab, ref: str, files: Sequence[Source]) -> tuple[str, Outcome]:
    """What is no file input may open a chooser, or take what is dropped on it; the likelier way first."""
    names = ", ".join(file.name for file in files)
    taken = list[str]()

    async def chosen() -> bool:
        if await choose(tab, ref, files):
            taken.append(f"Chose {names} in the file chooser that {ref} opened.")
        return bool(taken)

    async def dropped() -> bool:
        try:
            taken.append(f"Dropped {names} on {await drop(tab, place_of(tab, ref), files)}.")
        except CommandFailed as exc:
            if exc.word != InvalidArguments.word:
                raise
        return bool(taken)

    async def gesture() -> None:
        ways = (chosen, dropped) if tab.refs.find(ref).role in _PRESSED else (dropped, chosen)
        if not (await ways[0]() or await ways[1]()):
            raise InvalidArguments(
                f"{ref} is not a file input, opens no file chooser and takes no dropped files.",
                'Look for the input with find "file input".',
            )

    outcome = await tab.act(gesture())
    return taken[0], outcome


def answer(said: str, outcome: Outcome) -> ToolResult:
    lines = [clean(said, 500), clean_block(outcome.text)]
    return ToolResult((Text("\n".join(line for line in lines if line)),))


TOOL = Tool(
    name="file_upload",
    description="Give files of this machine to a page.",
    params=FileUpload,
    access=Access.UPLOAD,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=False, destructive=False),
)
