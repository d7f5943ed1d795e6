"""Giving files to a page: into a file input, through a button that would open a chooser, or dropped on a place.

The debugger takes paths and lets the page read the files as if a person had chosen them. Where it may not (no access
to files was given to the extension) or cannot (another kind of tab, a browser on another machine), what is in the files
travels to the page agent.
"""

import asyncio
import base64
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabwright.browser.debugger.contexts import AgentObject
from tabwright.browser.frames import TOP
from tabwright.browser.refs import Target
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, InvalidArguments, StaleRef, ToolError
from tabwright.link.events import CdpEvent
from tabwright.model import DocumentId, Json, JsonObject

CHOOSER_S: Final = 2.0
FOLDER_S: Final = 3.0
LOOK_S: Final = 0.05
PIECE: Final = 512 * 1024
"""With its envelope and in base64 below the 1 MB that a proxy passes on."""
MAX_CARRIED: Final = 48 * 1024 * 1024
"""Of all files that travel to a page agent; the debugger has no such bound."""
NESTED: Final = 10
_STALE: Final = frozenset({"stale_ref", "stale_target"})


@dataclass(frozen=True, slots=True)
class Source:
    """A file for the page. `path` is None for one that exists only here."""

    name: str
    mime_type: str
    size: int
    read: Callable[[], Awaitable[bytes]]
    path: str | None = None
    is_folder: bool = False
    store: Callable[[], Awaitable[str]] | None = None
    """Makes a file of it, where one is needed; returns its path."""


@dataclass(frozen=True, slots=True)
class Field:
    """A file input: where it is, and what it takes."""

    target: Target
    multiple: bool
    accept: str
    directory: bool
    disabled: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where files are dropped: on an element, or on a point of a frame."""

    frame_id: int
    document_id: DocumentId
    at: JsonObject
    """`target`, or `x` and `y`, as the page agent takes them."""


async def file_field(tab: Tab, ref: str) -> Field | None:
    """The file input a ref leads to: itself, its label's, or the only one inside.

    Raises:
        StaleRef: the element is gone.
    """
    target = tab.refs.find(ref)
    told = await _ask(tab, ref, target, "fileField")
    match told:
        case {"agent": str(agent), "number": int(number)}:
            return Field(
                replace(target, agent=agent, number=number, path="", role="", name=""),
                multiple=told.get("multiple") is True,
                accept=str(told.get("accept") or ""),
                directory=told.get("directory") is True,
                disabled=told.get("disabled") is True,
            )
        case _:
            return None


def check(field: Field, files: Sequence[Source], ref: str) -> None:
    """Raises:
    InvalidArguments: a person could not choose these files there.
    """
    if field.disabled:
        raise InvalidArguments(f"{ref} is disabled.", "Do first what the page wants before files can be chosen.")
    folders = [file for file in files if file.is_folder]
    if field.directory and (len(files) != 1 or not folders):
        raise InvalidArguments(f"{ref} takes one folder.", "Pass the path of a folder.")
    if folders and not field.directory:
        raise InvalidArguments(f"{ref} takes files; {folders[0].name} is a folder.", "Pass the paths of files.")
    if len(files) > 1 and not field.multiple:
        raise InvalidArguments(f"{ref} takes one file; {len(files)} were given.", "Upload one.")
    for file in files:
        if not file.is_folder and not accepts(field.accept, file.name, file.mime_type):
            raise InvalidArguments(f"{ref} takes only {field.accept}; {file.name} is none.", "Choose another file.")


def accepts(accept: str, name: str, mime_type: str) -> bool:
    """Whether a file fits what an input says it takes; one that says nothing takes all."""
    wanted = [each.strip().lower() for each in accept.split(",") if each.strip()]
    return not wanted or any(_fits(each, name.lower(), mime_type.lower()) for each in wanted)


def _fits(wanted: str, name: str, mime_type: str) -> bool:
    if wanted.startswith("."):
        return name.endswith(wanted)
    if wanted.endswith("/*"):
        return wanted == "*/*" or mime_type.startswith(wanted[:-1])
    return mime_type == wanted


async def put(tab: Tab, field: Field, files: Sequence[Source]) -> None:
    """Files into an input. Use within `Tab.act`.

    Raises:
        ToolError: they could not be given.
    """
    paths = [file.path for file in files if file.path is not None]
    if not tab.remote and len(paths) == len(files) and await _put_paths(tab, field, paths):
        if field.directory:
            await _listed(tab, field)
        return
    if field.directory and tab.remote:
        raise CommandFailed("A folder can only be given to a browser on this machine. Upload its files one by one.")
    if field.directory:
        raise CommandFailed(
            "A folder can only be given with access to files, which the extension does not have. "
            'Switch on "Allow access to file URLs" for tabwright in chrome://extensions.'
        )
    transfer = await _carry(tab, field.target.frame_id, field.target.document_id, files)
    given: JsonObject = {"transfer": transfer, "files": _heads(files), "target": field.target.wire}
    await tab.frames.tell(field.target.frame_id, field.target.document_id, "giveFiles", given)


async def held(tab: Tab, field: Field) -> Sequence[str] | None:
    """The names of the files in an input now; None where it is gone, as after a form was sent."""
    target = field.target
    try:
        told = await tab.frames.ask(target.frame_id, target.document_id, "filesHeld", {"target": target.wire})
    except ToolError:
        return None
    match told:
        case {"names": list(names)}:
            return [str(name) for name in names]
        case _:
            return None


async def choose(tab: Tab, ref: str, files: Sequence[Source]) -> bool:
    """Press what a ref names and answer the chooser it opens; False if it opens none. Use within `Tab.act`.

    Raises:
        ToolError: the chooser takes other files, or the debugger cannot be used.
    """
    target = tab.refs.find(ref)
    element = await _object(tab, target)
    if element is None:
        return False
    opened: asyncio.Future[CdpEvent] = asyncio.get_running_loop().create_future()
    unlisten = tab.cdp.listen(
        "Page.fileChooserOpened", lambda event: None if opened.done() else opened.set_result(event)
    )
    await _intercept(tab, element.session, on=True)
    try:
        await _press(tab, element)
        async with asyncio.timeout(CHOOSER_S):
            event = await opened
    except TimeoutError:
        return False
    finally:
        unlisten()
        await _intercept(tab, element.session, on=False)
    await _answer(tab, event, files, ref)
    return True


async def drop(tab: Tab, place: Place, files: Sequence[Source]) -> str:
    """Drop files as a person would; what took them, in words. Use within `Tab.act`.

    Raises:
        CommandFailed: nothing there takes files.
    """
    if any(file.is_folder for file in files):
        raise InvalidArguments("Folders cannot be dropped.", "Pass the paths of files.")
    transfer = await _carry(tab, place.frame_id, place.document_id, files)
    given: JsonObject = {"transfer": transfer, "files": _heads(files), **place.at}
    told = await tab.frames.tell(place.frame_id, place.document_id, "dropFiles", given)
    match told:
        case {"role": str(role), "name": str(name)} if name:
            return f'{role} "{name}"'
        case {"role": str(role)}:
            return role
        case _:
            return "the page"


def place_of(tab: Tab, ref: str) -> Place:
    target = tab.refs.find(ref)
    return Place(target.frame_id, target.document_id, {"target": target.wire})


async def place_at(tab: Tab, x: float, y: float) -> Place:
    """The frame that shows a point of the viewport.

    Raises:
        ToolError: the page cannot be asked.
    """
    answers = await tab.frames.ask_all("frameAt", {"x": x, "y": y})
    if not answers:
        raise CommandFailed("This page cannot be reached. Use file_upload with a ref.")
    at = next((answer for answer in answers if answer.frame_id == TOP), answers[0])
    inner = at.value
    for _ in range(NESTED):
        match inner:
            case {"place": int(place), "x": int() | float() as left, "y": int() | float() as top}:
                child = next((each for each in answers if each.parent_id == at.frame_id and each.place == place), None)
            case _:
                break
        if child is None:
            break
        at, x, y = child, left, top
        inner = await tab.frames.ask(at.frame_id, at.document_id, "frameAt", {"x": x, "y": y})
    return Place(at.frame_id, at.document_id, {"x": x, "y": y})


async def _ask(tab: Tab, ref: str, target: Target, service: str) -> Json:
    try:
        return await tab.frames.ask(target.frame_id, target.document_id, service, {"target": target.wire})
    except CommandFailed as exc:
        if exc.word in _STALE:
            raise StaleRef(ref) from None
        raise


async def _object(tab: Tab, target: Target) -> AgentObject | None:
    return await tab.contexts.find(target.agent, target.number)


async def _put_paths(tab: Tab, field: Field, paths: Sequence[str]) -> bool:
    """By the debugger; False where it may not or cannot."""
    try:
        element = await _object(tab, field.target)
        if element is None:
            return False
        given: JsonObject = {"files": list(paths), "objectId": element.object_id}
        await tab.cdp.send("DOM.setFileInputFiles", given, session=element.session)
    except CommandFailed:
        return False
    return True


async def _listed(tab: Tab, field: Field) -> None:
    """The browser looks through a folder after it has said that it took it, and never in a tab behind others."""
    deadline = asyncio.get_running_loop().time() + FOLDER_S
    while not await held(tab, field):
        if asyncio.get_running_loop().time() > deadline:
            raise CommandFailed(
                "The folder did not arrive: the browser takes folders only in a tab that is in front. "
                "Ask the person to bring this tab to the front, then try again."
            )
        await asyncio.sleep(LOOK_S)


async def _intercept(tab: Tab, session: str | None, *, on: bool) -> None:
    for each in {None, session}:
        if on and each is not None:
            await tab.cdp.send("Page.enable", session=each)
        await tab.cdp.send("Page.setInterceptFileChooserDialog", {"enabled": on}, session=each)


async def _press(tab: Tab, element: AgentObject) -> None:
    # the browser opens a chooser only for a person: this counts as one
    await tab.cdp.send(
        "Runtime.callFunctionOn",
        {"functionDeclaration": "function () { this.click(); }", "objectId": element.object_id, "userGesture": True},
        session=element.session,
    )


async def _answer(tab: Tab, event: CdpEvent, files: Sequence[Source], ref: str) -> None:
    if tab.remote:
        raise CommandFailed(
            f"{ref} opens a file picker, which can be answered only on the browser's own machine. "
            "Use the ref of its file input."
        )
    node = event.params.get("backendNodeId")
    if not isinstance(node, int):
        raise CommandFailed(f"{ref} opens a file picker that only a person can answer.")
    if event.params.get("mode") != "selectMultiple" and len(files) > 1:
        raise InvalidArguments(f"{ref} takes one file; {len(files)} were given.", "Upload one.")
    paths: list[Json] = [await _path(file) for file in files]
    try:
        await tab.cdp.send("DOM.setFileInputFiles", {"files": paths, "backendNodeId": node}, session=event.session_id)
    except CommandFailed as exc:
        raise CommandFailed(
            f"The chooser of {ref} could not be answered: {exc.message} Use the ref of its file input, or switch on "
            '"Allow access to file URLs" for tabwright in chrome://extensions.'
        ) from None


async def _path(file: Source) -> str:
    """A chooser takes nothing but files."""
    if file.path is not None:
        return file.path
    assert file.store is not None, "what has no path can be stored"
    return await file.store()


async def _carry(tab: Tab, frame_id: int, document: DocumentId, files: Sequence[Source]) -> str:
    """Send what is in the files to the page agent, in pieces; returns what it is called there."""
    total = sum(file.size for file in files)
    if total > MAX_CARRIED:
        raise InvalidArguments(
            f"These files have {total / 1e6:.0f} MB; at most {MAX_CARRIED / 1e6:.0f} MB can travel to this page.",
            "Choose smaller files.",
        )
    transfer = secrets.token_hex(8)
    for number, file in enumerate(files):
        data = await file.read()
        for start in range(0, len(data), PIECE):
            piece = base64.b64encode(data[start : start + PIECE]).decode()
            part: JsonObject = {"transfer": transfer, "file": number, "data": piece}
            await tab.frames.tell(frame_id, document, "filePart", part)
    return transfer


def _heads(files: Sequence[Source]) -> list[Json]:
    return [{"name": file.name, "type": file.mime_type} for file in files]
