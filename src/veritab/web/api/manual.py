"""The OpenAPI document as plain values, for people: every route with its parameters, bodies, answers and an example."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

Schema: TypeAlias = Mapping[str, Any]
Draw: TypeAlias = Callable[[str], str]

SERVER = "http://127.0.0.1:8321"
"""Where examples ask; the server that describes itself may be known by another name, which it never repeats."""
_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object"}
_LONGEST_LINE = 100


class FieldEntry(NamedTuple):
    """A parameter of a route, or a field of a shape."""

    name: str
    kind: str
    is_required: bool
    place: str = ""
    about: str = ""
    example: str = ""


class ExampleEntry(NamedTuple):
    """A request that can be sent as it stands."""

    title: str
    command: str


class RouteEntry(NamedTuple):
    """One method of one address."""

    anchor: str
    method: str
    path: str
    summary: str
    about: str
    group: str
    parameters: Sequence[FieldEntry]
    body: str
    status: str
    """What is answered when all is well."""
    answers: Sequence[tuple[str, str]]
    """Media types, and what each holds."""
    problems: Sequence[tuple[str, str]]
    """Statuses, and when each is answered."""
    examples: Sequence[ExampleEntry]
    answer: str
    """An answer as JSON, empty where there is none."""


class ShapeEntry(NamedTuple):
    """What goes in or comes out."""

    anchor: str
    name: str
    about: str
    fields: Sequence[FieldEntry]


class Manual(NamedTuple):
    """All that the document says."""

    about: Sequence[str]
    groups: Sequence[tuple[str, str]]
    """The names of groups of routes, and what each is for."""
    routes: Sequence[RouteEntry]
    shapes: Sequence[ShapeEntry]


def read_manual(document: Schema, link: Draw, code: Draw) -> Manual:
    """The manual of an OpenAPI document; `link` draws the name of a shape as a link to it, `code` draws a value."""

    def kind(schema: Schema) -> str:
        return describe_kind(schema, link, code)

    keyed = "security" in document
    return Manual(
        document["info"]["description"].split("\n\n"),
        [(tag["name"], tag["description"]) for tag in document["tags"]],
        [
            _read_route(method, path, operation, kind, code, keyed=keyed and operation.get("security") != [])
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ],
        [_read_shape(name, shape, kind) for name, shape in sorted(document["components"]["schemas"].items())],
    )


def describe_kind(schema: Schema, link: Draw, code: Draw) -> str:
    """What a schema allows, in a few words."""
    if "$ref" in schema:
        return link(schema["$ref"].rpartition("/")[2])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(describe_kind(each, link, code) for each in schema[several]))
    if "enum" in schema:
        return " or ".join(code(str(value)) for value in schema["enum"])
    if "const" in schema:
        return code(str(schema["const"]))
    if schema.get("type") == "array":
        most = f" of at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"list{most}: {describe_kind(schema.get('items', {}), link, code)}"
    bounds = [f"at most {schema['maxLength']:,} characters"] if "maxLength" in schema else []
    bounds += [f"{schema.get('minimum', 0)} to {schema['maximum']}"] if "maximum" in schema else []
    name = str(schema.get("type", "anything"))
    return " ".join([_WORDS.get(name, name), *(f"({bound})" for bound in bounds)])


def _read_route(
    method: str, path: str, operation: Schema, kind: Callable[[Schema], str], code: Draw, *, keyed: bool
) -> RouteEntry:
    bodies = operation.get("requestBody", {}).get("content", {})
    body, form = bodies.get("application/json", {}), bodies.get("multipart/form-data", {})
    answers = operation["responses"]
    success = next(status for status in answers if status.startswith("2"))
    shown = answers[success]["content"]
    return RouteEntry(
        anchor=operation["operationId"].replace("_", "-"),
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        about=" ".join(operation.get("description", "").split()),
        group=operation["tags"][0],
        parameters=[_read_parameter(each, kind) for each in operation.get("parameters", ())],
        body=kind(body["schema"]) if body else _describe_form(form, code) if form else "",
        status=success,
        answers=[(media, kind(told.get("schema", {}))) for media, told in shown.items()],
        problems=[(status, told["description"]) for status, told in sorted(answers.items()) if status != success],
        examples=list(_write_examples(method, path, operation, body, keyed=keyed)),
        answer=_write_answer(shown),
    )


def _describe_form(form: Schema, code: Draw) -> str:
    return f"{code('multipart/form-data')} with {', '.join(map(code, form['schema']['properties']))}"


def _read_parameter(parameter: Schema, kind: Callable[[Schema], str]) -> FieldEntry:
    return FieldEntry(
        parameter["name"],
        kind(parameter["schema"]),
        parameter["required"],
        parameter["in"],
        parameter.get("description", ""),
        str(parameter["example"]),
    )


def _read_shape(name: str, shape: Schema, kind: Callable[[Schema], str]) -> ShapeEntry:
    required = set(shape.get("required", ()))
    fields = [
        FieldEntry(field, kind(told), field in required, about=told.get("description", ""))
        for field, told in shape.get("properties", {}).items()
    ]
    return ShapeEntry(name.lower(), name, " ".join(shape.get("description", "").split()), fields)


# -- examples ----------------------------------------------------------------------------------------------


def _write_examples(method: str, path: str, operation: Schema, body: Schema, *, keyed: bool) -> Iterator[ExampleEntry]:
    values = {each["name"]: each for each in operation.get("parameters", ()) if each["required"]}
    named = {name: quote(str(each["example"])) for name, each in values.items() if each["in"] == "path"}
    asked = [f"{name}={each['example']}" for name, each in values.items() if each["in"] == "query"]
    command = ["curl", f"{SERVER}{path.format(**named)}"]
    if keyed:
        command += ["-H", "Authorization: Bearer KEY"]
    if method == "get":
        command += ["--get"] if asked else []
        command += [word for each in asked for word in ("--data-urlencode", each)]
        yield ExampleEntry("", shlex.join(command))
    elif method == "delete":
        yield ExampleEntry("", shlex.join([*command, "-X", "DELETE"]))
    elif not body:
        yield ExampleEntry("", shlex.join([*command, "-F", "files=@report.pdf"]))
    for example in body.get("examples", {}).values():
        sent = ["--json", json.dumps(example["value"], ensure_ascii=False)]
        yield ExampleEntry(example["summary"], shlex.join([*command, *sent]))


def _write_answer(shown: Schema) -> str:
    for example in shown.get("application/json", {}).get("examples", {}).values():
        return "\n".join(_lay_out(example["value"]))
    return ""


def _lay_out(value: Any, indent: str = "", name: str = "", end: str = "") -> Iterator[str]:
    """A value as JSON; what fits on a line stays on it."""
    line = f"{indent}{name}{json.dumps(value, ensure_ascii=False)}{end}"
    match value:
        case _ if len(line) <= _LONGEST_LINE:
            entries = []
        case dict():
            entries = [(f"{json.dumps(key)}: ", each) for key, each in value.items()]
        case list():
            entries = [("", each) for each in value]
        case _:
            entries = []
    if not entries:
        yield line
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield f"{indent}{name}{opening}"
    for place, (key, each) in enumerate(entries, 1):
        yield from _lay_out(each, f"{indent}  ", key, "," * (place < len(entries)))
    yield f"{indent}{closing}{end}"
