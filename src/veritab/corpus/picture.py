"""Draws one page of a PDF with regions marked: a program of its own, run by `originals` with bounds on time and memory.

The library that draws is not made for threads, and a file made to do so can stop it for good or take it down; here
neither reaches the process that asked. It reads a line of JSON and the file, and writes a line of JSON and a PNG.
"""

from __future__ import annotations

import io
import json
import math
import sys
from typing import Any

MOST_PIXELS = 8_000_000
LONGEST_SIDE = 6_000
SECONDS = 20
_MEMORY = 2 * 2**30
_FILL = (255, 196, 0, 84)
_EDGE = (214, 122, 0, 230)
_NO_PASSWORD = 4  # as the library numbers its errors
DAMAGED, ENCRYPTED, NO_PAGE = "damaged", "encrypted", "no page"


def main() -> None:
    _bound()
    asked = json.loads(sys.stdin.buffer.readline())
    answer, picture = draw(sys.stdin.buffer.read(), **asked)
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + picture)


def _bound() -> None:
    try:
        import resource
    except ImportError:  # not on every system; the time is bounded from outside all the same
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def draw(
    data: bytes, page: int, regions: list[list[float]], scale: float, most_pages: int
) -> tuple[dict[str, Any], bytes]:
    """The picture of a page as PNG, and what to know of it; or what is wrong, and nothing."""
    import pypdfium2  # type: ignore[import-untyped]

    try:
        document = pypdfium2.PdfDocument(data)
        pages = min(len(document), most_pages)
        if not 1 <= page <= pages:
            return {"wrong": NO_PAGE, "pages": pages}, b""
        drawn = document[page - 1]
        width, height = drawn.get_size()
        scale = _fitting(width, height, scale)
        picture = drawn.render(scale=scale).to_pil().convert("RGBA")
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) == _NO_PASSWORD or "password" in str(error).lower()
        return {"wrong": ENCRYPTED if locked else DAMAGED}, b""
    across, down = picture.width / width, picture.height / height
    boxes = [(left * across, top * down, right * across, bottom * down) for left, top, right, bottom in regions]
    marked = _marked(picture, boxes).convert("RGB")
    out = io.BytesIO()
    marked.save(out, "PNG")
    return {"pages": pages, "width": marked.width, "height": marked.height, "scale": across}, out.getvalue()


def _fitting(width: float, height: float, scale: float) -> float:
    """The scale, or less of it where a page is so large that its picture would be too."""
    if not (width > 0 and height > 0):
        return scale
    return min(scale, LONGEST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))


def _marked(picture: Any, boxes: list[tuple[float, float, float, float]]) -> Any:
    """The picture with each box tinted, so that what stands in it can still be read, and framed."""
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for left, top, right, bottom in boxes:
        corners = (
            round(left),
            round(top),
            max(round(right), round(left) + 1) - 1,
            max(round(bottom), round(top) + 1) - 1,
        )
        pen.rectangle(corners, fill=_FILL, outline=_EDGE)
    return Image.alpha_composite(picture, layer)


if __name__ == "__main__":
    main()
