"""The OpenAPI document: what FastAPI writes, and what it cannot know: problems, limits, streams, keys, examples."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from veritab import __version__
from veritab.web import problems
from veritab.web.api.examples import ANSWERS, PARAMETERS, REQUESTS
from veritab.web.api.shapes import ProblemShape
from veritab.web.api.work import NDJSON
from veritab.web.guards import OPEN_TO_ALL
from veritab.web.limits import Limits

Json: TypeAlias = dict[str, Any]

_ABOUT = """Checks claims against a corpus and shows the evidence: sentences, list items and table cells.

Every error is a problem (RFC 9457, `application/problem+json`). Where a request holds many things, \
`Accept: application/x-ndjson` streams a line for each as it is done; a line that could not be answered has `problem` \
in place of an answer. When too much work is waiting, the answer is 503 with `Retry-After`."""
_TAGS = [
    {"name": "check", "description": "Claims in, verdicts out."},
    {"name": "corpus", "description": "What claims are checked against."},
    {"name": "watch", "description": "For machines that look after the server."},
]
_PROBLEMS = {
    400: "The request cannot be understood.",
    401: "An API key is needed.",
    403: "A page of another site sent this.",
    404: "Nothing has that name.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not answer to that name.",
    429: "As many sets of documents as one client may have are held.",
    431: "The address and the headers are too large.",
    500: "An unexpected error happened.",
    502: "The language model that decides, where there is one, gave no answer.",
    503: "Too much work is waiting, or the server is not ready; `Retry-After` says when to come back.",
    504: "The answer took too long.",
}
_EVERYWHERE = (400, 421, 431, 500, 503)
_STREAMED = frozenset({"/v1/check", "/v1/correct", "/v1/text", "/v1/judge", "/v1/score", "/v1/search"})
_DECIDED = frozenset({"/v1/check", "/v1/correct", "/v1/text", "/v1/judge", "/v1/score"})
_NAMED = frozenset({"/v1/pages/{title}", "/v1/elements/{id}", "/v1/corpora/{name}"})


def describe(app: FastAPI, limits: Limits, *, keyed: bool) -> None:
    """Make `app.openapi()` describe the whole of the API."""

    @cache
    def openapi() -> Json:
        return _build_document(app, limits, keyed=keyed)

    app.openapi = openapi  # type: ignore[method-assign]


def _build_document(app: FastAPI, limits: Limits, *, keyed: bool) -> Json:
    document = get_openapi(
        title="Veritab",
        version=__version__,
        description=_ABOUT,
        routes=app.routes,
        tags=_TAGS,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    shapes = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        shapes.pop(unused, None)
    shapes["Problem"] = ProblemShape.model_json_schema(ref_template="#/components/schemas/{model}")
    shapes.update(shapes["Problem"].pop("$defs", {}))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            operation["operationId"] = f"{method}_{_operation_name(path, document['paths'])}"
            _complete_operation(operation, path, method, keyed=keyed)
    _add_limits(document, limits)
    if keyed:
        document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"key": []}]
        for path in OPEN_TO_ALL:
            document["paths"][path]["get"]["security"] = []
    return document


def _operation_name(path: str, paths: Json) -> str:
    """The words of a path; the parameter is one of them where the path without it is served too."""
    plain = path.split("/{")[0]
    words = path.replace("{", "").replace("}", "") if plain != path and plain in paths else plain
    return words.strip("/").replace("/", "_")


def _complete_operation(operation: Json, path: str, method: str, *, keyed: bool) -> None:
    answers = operation["responses"]
    answers.pop("422", None)
    (success,) = (answer for status, answer in answers.items() if status.startswith("2"))
    for status in _statuses(path, method, keyed=keyed):
        answers[str(status)] = _problem_answer(status)
    shown = success["content"].get("application/json")
    if shown is not None and (path, method) in ANSWERS:
        shown["examples"] = ANSWERS[path, method]
    if path in _STREAMED and shown is not None:
        success["content"][NDJSON] = {"schema": {"type": "string", "description": "One answer a line."}}
    if path in REQUESTS and "requestBody" in operation:
        operation["requestBody"]["content"]["application/json"]["examples"] = REQUESTS[path]
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in PARAMETERS:
            parameter["example"] = PARAMETERS[parameter["name"]]


def _statuses(path: str, method: str, *, keyed: bool) -> list[int]:
    statuses = set(_EVERYWHERE)
    if path.startswith("/v1/"):
        statuses.add(504)
    if path in _DECIDED:
        statuses.add(502)
    if method == "post":
        statuses.update((408, 413, 415))
    if path not in OPEN_TO_ALL:
        statuses.add(403)
    if (path, method) == ("/v1/corpora", "post"):
        statuses.update((404, 429))
    if path in _NAMED or path in ("/v1/check", "/v1/correct", "/v1/text", "/v1/search"):
        statuses.add(404)
    if keyed and path not in OPEN_TO_ALL:
        statuses.add(401)
    return sorted(statuses)


def _problem_answer(status: int) -> Json:
    response: Json = {
        "description": _PROBLEMS[status],
        "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status == 503:
        response["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return response


def _add_limits(document: Json, limits: Limits) -> None:
    """Write the limits that this server has into the shapes."""
    shapes = document["components"]["schemas"]
    for shape, name in (("ClaimBody", "claim"), ("PairBody", "claim"), ("QueryBody", "query")):
        shapes[shape]["properties"][name]["maxLength"] = limits.claim_characters
    for shape, name in (("ClaimsBody", "claims"), ("PairsBody", "pairs"), ("QueriesBody", "queries")):
        shapes[shape]["properties"][name]["maxItems"] = limits.stream_claims
    shapes["TextBody"]["properties"]["text"]["maxLength"] = limits.text_characters
    shapes["QueryBody"]["properties"]["k"]["maximum"] = limits.hits
    shapes["PairBody"]["properties"]["evidence"]["maxItems"] = limits.evidence_pieces
    for path in ("/v1/check", "/v1/search"):
        for parameter in document["paths"][path]["get"]["parameters"]:
            if parameter["name"] in ("claim", "q"):
                parameter["schema"]["maxLength"] = limits.claim_characters
            elif parameter["name"] == "k":
                parameter["schema"]["maximum"] = limits.hits
