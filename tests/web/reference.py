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
from veritab.web.app import create_app
from veritab.web.limits import Limits

FILE = Path(__file__).parents[2] / "docs" / "reference-http.md"
Json: TypeAlias = dict[str, Any]


def reference() -> str:
    """All of it, as Markdown."""
    document = create_app(Waiting(), limits=Limits(workers=1), pages=False).openapi()  # type: ignore[arg-type]
    return "\n".join(_lines(document))


def _lines(document: Json) -> Iterator[str]:
    yield from ("# HTTP reference", "", "Generated from the API itself by `python -m tests.web.reference`.", "")
    yield from (document["info"]["description"], "")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield from _operation(method, path, operation)
    yield from ("## Shapes", "")
    for name, shape in sorted(document["components"]["schemas"].items()):
        yield from _shape(name, shape)
    yield from _limits()


def _operation(method: str, path: str, operation: Json) -> Iterator[str]:
    yield from (f"## {method.upper()} {path}", "")
    about = operation.get("description", "").replace("\n", " ").replace("  ", " ")
    yield from (f"{operation['summary']}. {about}".strip(), "")
    parameters = operation.get("parameters", [])
    if parameters:
        yield from ("| parameter | in | what | example |", "|---|---|---|---|")
        for each in parameters:
            told = f"{_kind(each['schema'])}{'' if each['required'] else ', optional'}"
            about = f"{told}. {each.get('description', '')}".strip()
            yield f"| `{each['name']}` | {each['in']} | {about} | `{each['example']}` |"
        yield ""
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        yield from (f"Body: {_kind(body)}.", "")
    answers = operation["responses"]
    for kind, told in answers["200"]["content"].items():
        yield f"Answer `{kind}`: {_kind(told.get('schema', {}))}."
    yield from ("", f"Problems: {', '.join(sorted(set(answers) - {'200'}))}.", "")


def _shape(name: str, shape: Json) -> Iterator[str]:
    yield from (f"### {name}", "", shape.get("description", "").replace("\n", " "), "")
    if "properties" in shape:
        required = set(shape.get("required", ()))
        yield from ("| field | what |", "|---|---|")
        for field, told in shape["properties"].items():
            yield f"| `{field}` | {_kind(told)}{'' if field in required else ', optional'} |"
        yield ""


def _kind(shape: Json) -> str:
    """A shape in a few words."""
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in shape:
            return " or ".join(dict.fromkeys(map(_kind, shape[several])))
    if "enum" in shape:
        return " or ".join(f"`{value}`" for value in shape["enum"])
    if "const" in shape:
        return f"`{shape['const']}`"
    if shape.get("type") == "array":
        most = f" of at most {shape['maxItems']:,}" if "maxItems" in shape else ""
        return f"list{most}: {_kind(shape.get('items', {}))}"
    bounds = [f"at most {shape['maxLength']:,} characters"] if "maxLength" in shape else []
    bounds += [f"{shape.get('minimum', 0)} to {shape['maximum']}"] if "maximum" in shape else []
    words = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object"}
    kind = str(shape.get("type", "anything"))
    return " ".join([words.get(kind, kind), *(f"({bound})" for bound in bounds)])


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
