"""A tab's picture as a thumbnail: of one that was taken for somebody anyway, else taken as small as it is shown."""

import base64
import io
from typing import Final

from tabwright.browser.pictures import Picture, take
from tabwright.browser.tab import Tab

LONG_SIDE: Final = 320
QUALITY: Final = 60


def shrunk(picture: Picture) -> bytes:
    """The picture as a small JPEG. Takes some milliseconds: not for the event loop.

    Raises:
        ValueError: it is no picture.
        OSError: likewise.
    """
    # large, and only for whoever looks at the dashboard
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(picture.data, validate=True)))
    # a JPEG is read at an eighth, a quarter or half its size where that will do
    image.draft("RGB", (LONG_SIDE, LONG_SIDE))
    image.thumbnail((LONG_SIDE, LONG_SIDE))
    written = io.BytesIO()
    image.convert("RGB").save(written, "JPEG", quality=QUALITY)
    return written.getvalue()


async def glimpse(tab: Tab) -> bytes:
    """The tab as it looks now, small.

    Raises:
        ToolError: no picture could be taken.
        ValueError: the browser gave something else.
    """
    taken = await take(tab, long_side=LONG_SIDE, quality=QUALITY)
    return base64.b64decode(taken.data, validate=True)
