"""The reference of the HTTP API, written from the OpenAPI document and the limits themselves.

`python -m tests.web.reference` writes docs/reference-http.md; a test compares.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from tests.web.serving import Waiting
from veritab.web import limits
from veritab.web.api.manual import FieldEntry, RouteEntry, ShapeEntry, read_manual
from veritab.web.app import create_app
from veritab.web.limits import Limits

FILE = Path(__file__).parents[2] / "docs" / "reference-http.md"
Json: TypeAlias = dict[str, Any]


def reference() -> str:
    """All of it, as Markdown."""
    document = create_app(Waiting(), limits=Limits(workers=1), pages=False).openapi()  # type: ignore[arg-type]
    return "\n".join(_lines(document))


def _lines(document: Json) -> Iterator[str]:
    manual = read_manual(document, lambda name: f"[{name}](#{name.lower()})", lambda value: f"`{value}`")
    yield from ("# HTTP reference", "", "Generated from the API itself by `python -m tests.web.reference`.", "")
    yield from (document["info"]["description"], "")
    for route in manual.routes:
        yield from _route(route)
    yield from ("## Shapes", "")
    for shape in manual.shapes:
        yield from _shape(shape)
    yield from _limits()


def _route(route: RouteEntry) -> Iterator[str]:
    yield from (f"## {route.method} {route.path}", "", f"{route.summary}. {route.about}".strip(), "")
    if route.parameters:
        yield from ("| parameter | in | what | example |", "|---|---|---|---|")
        for each in route.parameters:
            about = f"{_kind(each)}. {each.about}".strip()
            yield f"| `{each.name}` | {each.place} | {about} | `{each.example}` |"
        yield ""
    if route.body:
        yield from (f"Body: {route.body}.", "")
    for media, kind in route.answers:
        yield f"Answer{'' if route.status == '200' else f' {route.status}'} `{media}`: {kind}."
    yield from ("", f"Problems: {', '.join(status for status, _ in route.problems)}.", "")


def _shape(shape: ShapeEntry) -> Iterator[str]:
    yield from (f"### {shape.name}", "", shape.about, "")
    if shape.fields:
        yield from ("| field | what |", "|---|---|")
        for field in shape.fields:
            yield f"| `{field.name}` | {_kind(field)} |"
        yield ""


def _kind(field: FieldEntry) -> str:
    return f"{field.kind}{'' if field.is_required else ', optional'}"


def _limits() -> Iterator[str]:
    """Every limit with its default and what its docstring says."""
    yield from ("## Limits", "", "`veritab.web.limits.Limits`, for those who start the server from Python.", "")
    yield from ("| limit | default | what |", "|---|---|---|")
    (kind,) = [node for node in ast.parse(inspect.getsource(limits)).body if isinstance(node, ast.ClassDef)]
    told = {}
    for node, after in zip(kind.body, [*kind.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            told[node.target.id] = str(said)
    for each in fields(Limits):
        default = "cores, at most 4" if each.name == "workers" else f"{each.default:,}"
        yield f"| `{each.name}` | {default} | {told[each.name]} |"
    yield ""


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
