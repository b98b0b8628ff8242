"""How a page is kept in the store: compact JSON, lightly compressed.

FEVEROUS's own page JSON names every cell and repeats five keys for each; this holds the same in a third of the bytes
and is written several times faster. `FORMAT` changes whenever old bytes could be misread.
"""

from __future__ import annotations

import zlib
from typing import Any

import orjson

from veritab.schema import (
    PATH_LENGTH,
    Block,
    Cell,
    Item,
    Kind,
    Link,
    Links,
    ListBlock,
    Page,
    Passage,
    Region,
    Regions,
    Section,
    Sentence,
    Spot,
    TableBlock,
)

FORMAT = 1


def pack(page: Page) -> bytes:
    """The blocks of a page as bytes; title, source and revision are kept beside them."""
    return zlib.compress(orjson.dumps([_pack_block(block) for block in page.blocks]), 1)


def unpack(title: str, data: bytes, source: str = "", revision: str = "") -> Page:
    """The page those bytes hold."""
    blocks = tuple(_unpack_block(*packed) for packed in orjson.loads(zlib.decompress(data)))
    return Page(title, blocks, source, revision)


_LETTERS = {"h": Kind.SECTION, "s": Kind.SENTENCE, "i": Kind.ITEM, "t": Kind.TABLE_CAPTION, "c": Kind.CELL}


def pack_regions(page: Page) -> bytes | None:
    """Where the elements of a page stand in its original, as bytes; nothing for a page that does not know."""
    if not page.located:
        return None
    packed: dict[str, list[Any]] = {
        letter: [
            [*path, *(round(side, 2) for region in regions for side in region)]
            for (of, path), regions in page.located.items()
            if of is kind
        ]
        for letter, kind in _LETTERS.items()
    }
    return zlib.compress(orjson.dumps({letter: found for letter, found in packed.items() if found}), 1)


def unpack_regions(data: bytes | None) -> dict[Spot, Regions]:
    """What `pack_regions` packed."""
    if not data:
        return {}
    located: dict[Spot, Regions] = {}
    for letter, found in orjson.loads(zlib.decompress(data)).items():
        kind = _LETTERS[letter]
        length = PATH_LENGTH[kind]
        for numbers in found:
            sides = numbers[length:]
            regions = tuple(Region(*sides[at : at + 5]) for at in range(0, len(sides), 5))
            located[kind, tuple(numbers[:length])] = regions
    return located


def _pack_text(text: str, links: Links) -> Any:
    if not links:
        return text
    packed: list[Any] = [text]
    for link in links:
        packed += link
    return packed


def _unpack_text(packed: Any) -> tuple[str, Links]:
    if isinstance(packed, str):
        return packed, ()
    return packed[0], tuple(Link(*packed[index : index + 3]) for index in range(1, len(packed), 3))


def _pack_block(block: Block) -> list[Any]:
    if type(block) is Sentence:
        return ["s", block.number, _pack_text(block.text, block.links), block.offset]
    if type(block) is TableBlock:
        rows = [[_pack_cell(cell) for cell in row] for row in block.rows]
        return ["t", block.number, rows, _pack_text(block.caption, block.caption_links), int(block.infobox)]
    if type(block) is ListBlock:
        items = [[_pack_text(item.text, item.links), item.level, int(item.ordered)] for item in block.items]
        return ["l", block.number, items]
    if type(block) is Section:
        return ["h", block.number, _pack_text(block.text, block.links), block.level]
    assert type(block) is Passage
    return ["p", block.number, _pack_text(block.text, block.links)]


def _pack_cell(cell: Cell) -> Any:
    text, links, header, down, across = cell
    packed = text if not links else _pack_text(text, links)
    if header or down != 1 or across != 1:
        return {"h": [packed, int(header), down, across]}
    return packed


def _unpack_cell(packed: Any) -> Cell:
    if isinstance(packed, dict):
        written, header, down, across = packed["h"]
        return Cell(*_unpack_text(written), bool(header), down, across)
    return Cell(*_unpack_text(packed))


def _unpack_block(kind: str, number: int, content: Any, *more: Any) -> Block:
    if kind == "t":
        rows = tuple(tuple(_unpack_cell(cell) for cell in row) for row in content)
        return TableBlock(number, rows, *_unpack_text(more[0]), bool(more[1]))
    if kind == "l":
        items = tuple(Item(*_unpack_text(text), level, bool(ordered)) for text, level, ordered in content)
        return ListBlock(number, items)
    text, links = _unpack_text(content)
    if kind == "s":
        return Sentence(number, text, links, more[0])
    if kind == "h":
        return Section(number, text, more[0], links)
    return Passage(number, text, links)
