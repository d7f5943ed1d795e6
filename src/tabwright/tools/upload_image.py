"""upload_image: a screenshot taken earlier, an image of an allowed folder or given as data, into a page."""

import base64
import binascii
from typing import Annotated, Final

from pydantic import Field, WithJsonSchema

from tabwright.browser.pictures import map_point, measure
from tabwright.browser.upload import Source, drop, place_at
from tabwright.errors import CommandFailed, InvalidArguments
from tabwright.model import ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.file_upload import answer, give, source_of
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

MAX_DATA: Final = 12_000_000
"""Characters of base64: some 9 MB."""
_SIGNS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"GIF8", "image/gif", "gif"),
    (b"RIFF", "image/webp", "webp"),
    (b"BM", "image/bmp", "bmp"),
)
Coordinate = Annotated[
    tuple[float, float],
    WithJsonSchema({"type": "array", "items": {"type": "number"}, "description": "Drop here: [x, y]"}),
]


class UploadImage(Params):
    imageId: str | None = Field(default=None, description="Of a screenshot")
    path: str | None = Field(default=None, description="In an allowed folder")
    data: str | None = Field(default=None, description="Base64")
    ref: str | None = Field(default=None, description="File input or drop target")
    coordinate: Coordinate | None = None
    filename: str | None = Field(default=None, description="As the page sees it")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: UploadImage) -> ToolResult:
    if (params.ref is None) == (params.coordinate is None):
        raise InvalidArguments("Say where the image goes.", "Pass ref, or coordinate [x, y] of a drop target.")
    image = await _image(desk, params)
    if params.ref is not None:
        return answer(*await give(desk.tab, params.ref, [image]))
    assert params.coordinate is not None
    return await _dropped(desk, params.coordinate, image)


async def _dropped(desk: Desk, coordinate: tuple[float, float], image: Source) -> ToolResult:
    tab, taken = desk.tab, list[str]()
    point = map_point(desk.album, tab, await measure(tab), *coordinate)
    place = await place_at(tab, point.x, point.y)

    async def gesture() -> None:
        try:
            taken.append(await drop(tab, place, [image]))
        except CommandFailed as exc:
            if exc.word != InvalidArguments.word:
                raise
            raise InvalidArguments(exc.message, "Take a screenshot and choose another point, or pass a ref.") from None

    outcome = await tab.act(gesture())
    return answer(f"Dropped {image.name} on {taken[0]}.", outcome)


async def _image(desk: Desk, params: UploadImage) -> Source:
    match params.imageId, params.path, params.data:
        case str(image_id), None, None:
            return _in_memory(desk, _decoded(desk.album.find(image_id).data), params.filename or "screenshot")
        case None, str(path), None:
            return await _of_folder(desk, path, params.filename)
        case None, None, str(data):
            return _in_memory(desk, _decoded(data), params.filename or "image")
        case _:
            raise InvalidArguments("Say which image.", "Pass one of imageId, path and data.")


async def _of_folder(desk: Desk, path: str, filename: str | None) -> Source:
    file = await desk.files.offered(path)
    if not file.mime_type.startswith("image/"):
        raise InvalidArguments(f"{file.name} is not an image.", "Use file_upload for other files.")
    source = source_of(desk.files, file)
    if filename is None or filename == file.name:
        return source
    # under another name it is no longer that file
    return _in_memory(desk, await desk.files.read(file), filename)


def _decoded(data: str) -> bytes:
    """Raises:
    InvalidArguments: it is no base64, or too much.
    """
    if len(data) > MAX_DATA:
        raise InvalidArguments("The image is larger than 9 MB.", "Save it in an upload folder and pass its path.")
    if data.startswith("data:"):
        data = data.partition(",")[2]
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except binascii.Error:
        raise InvalidArguments("data is not base64.", "Pass the image's bytes in base64.") from None


def _in_memory(desk: Desk, data: bytes, name: str) -> Source:
    kind = next((sign for sign in _SIGNS if data.startswith(sign[0])), None)
    if kind is None:
        raise InvalidArguments("The data is not an image of a known kind.", "Use PNG, JPEG, GIF, WebP or BMP.")
    _, mime_type, ending = kind
    named = name if "." in name else f"{name}.{ending}"

    async def read() -> bytes:
        return data

    async def store() -> str:
        return str((await desk.files.save(named, data, mime_type)).path)

    return Source(named.replace("/", "_"), mime_type, len(data), read, store=store)


TOOL = Tool(
    name="upload_image",
    description="Give an image to a page: into a file input, or dropped on a target.",
    params=UploadImage,
    access=Access.UPLOAD,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=False, destructive=False),
)
