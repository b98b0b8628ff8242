"""Draws the rooms and the imports between them: python -m benchmarks.architecture writes docs/images/architecture.svg.

Rooms are the rows of the table in docs/design/001-the-rooms.md; arrows are the imports that the files really have. An
import that follows from others (cli imports schema, and so does almost everything that cli imports) is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "veritab"
TABLE = ROOT / "docs" / "design" / "001-the-rooms.md"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"

ROWS = {
    "nouns": "errors cancel files text lexicon quantities schema plugins engine processes corpus datasets",
    "verbs": "decompose models retrieve reason verify settings pipeline runs",
    "study": "build train evaluate audit papers studio",
    "doors": "render scale mcp web cli veritab",
}
"""Which rooms are on which row; their order within a row is that of the table."""

_WIDTH, _BOX, _HEIGHT, _LEFT, _GAP = 1220, 92, 34, 84, 150
_COLOURS = {"nouns": "#2b6cb0", "verbs": "#2f855a", "study": "#975a16", "doors": "#6b46c1"}


class Box(NamedTuple):
    """Where a room is drawn."""

    x: float
    y: float
    row: str

    @property
    def middle(self) -> float:
        return self.x + _BOX / 2


def rooms_in_table() -> list[str]:
    """The rooms in the order of the table."""
    return re.findall(r"^\| `(\w+)` \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE)


def read_imports() -> dict[str, set[str]]:
    """The rooms that the files of each room import, other than itself."""
    rooms = rooms_in_table()
    imports: dict[str, set[str]] = {room: set() for room in rooms}
    for path in sorted(SOURCE.rglob("*.py")):
        first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        room = "veritab" if first in ("__init__", "__main__") else first
        for name in _imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            package, _, rest = name.partition(".")
            if package == "veritab":
                target = rest.partition(".")[0]
                imports[room].add(target if target in rooms else "veritab")
    return {room: targets - {room} for room, targets in imports.items()}


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "veritab":
            yield from (f"veritab.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def reduce_imports(imports: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """The imports without those that follow from others; two rooms that import each other keep both arrows."""
    mutual = {(room, target) for room, targets in imports.items() for target in targets if room in imports[target]}
    one_way = {room: {t for t in targets if (room, t) not in mutual} for room, targets in imports.items()}
    kept = {}
    for room, targets in imports.items():
        implied = {far for near in one_way[room] for far in _reachable(near, one_way)}
        kept[room] = sorted(target for target in targets if (room, target) in mutual or target not in implied)
    return kept


def _reachable(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        room = waiting.pop()
        if room not in reached:
            reached.add(room)
            waiting += imports[room]
    return reached


def draw() -> str:
    """The picture as SVG."""
    order, imports = rooms_in_table(), read_imports()
    boxes: dict[str, Box] = {}
    for number, (row, names) in enumerate(ROWS.items()):
        members = sorted(names.split(), key=order.index)
        step = (_WIDTH - _LEFT - _BOX) / max(len(members) - 1, 8)
        indent = (_WIDTH - _LEFT - _BOX - step * (len(members) - 1)) / 2
        for place, room in enumerate(members):
            boxes[room] = Box(round(_LEFT + indent + place * step, 1), 60 + number * _GAP, row)
    if set(boxes) != set(order):
        raise ValueError(f"these rooms are on no row, or on no line of the table: {sorted(set(boxes) ^ set(order))}")
    height = 60 + len(ROWS) * _GAP - 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#718096"/></marker></defs>',
    ]
    for room, targets in reduce_imports(imports).items():
        parts += [_arrow(room, boxes[room], target, boxes[target]) for target in targets]
    for number, row in enumerate(ROWS):
        middle = 60 + number * _GAP + _HEIGHT / 2 + 5
        parts.append(f'<text x="14" y="{middle}" font-size="15" fill="{_COLOURS[row]}">{escape(row)}</text>')
    for room, box in boxes.items():
        parts.append(
            f'<rect x="{box.x}" y="{box.y}" width="{_BOX}" height="{_HEIGHT}" rx="5" fill="#ffffff" '
            f'stroke="{_COLOURS[box.row]}" stroke-width="1.5"/>'
            f'<text x="{box.middle}" y="{box.y + 22}" font-size="14" text-anchor="middle" fill="#1a202c">{room}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _arrow(room: str, start: Box, target: str, end: Box) -> str:
    """An arrow from a room to one it imports: straight up to another row, in an arc above its own."""
    if start.y == end.y:
        rise = 16 + 0.09 * abs(start.middle - end.middle)
        path = f"M{start.middle:.1f} {start.y}C{start.middle:.1f} {start.y - rise:.1f} "
        path += f"{end.middle:.1f} {end.y - rise:.1f} {end.middle:.1f} {end.y}"
    else:
        leaves, arrives = (start.y, end.y + _HEIGHT) if start.y > end.y else (start.y + _HEIGHT, end.y)
        bend = (leaves - arrives) * 0.4
        path = f"M{start.middle:.1f} {leaves}C{start.middle:.1f} {leaves - bend:.1f} "
        path += f"{end.middle:.1f} {arrives + bend:.1f} {end.middle:.1f} {arrives}"
    title = f"<title>{room} imports {target}</title>"
    return f'<path d="{path}" fill="none" stroke="#a0aec0" marker-end="url(#head)">{title}</path>'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {sum(map(len, reduce_imports(read_imports()).values()))} arrows")
