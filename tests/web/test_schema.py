"""The OpenAPI document is complete, and what the server does is what it says."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema_rs import validator_for
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from tests.web import reference
from tests.web.serving import served, until, without_models
from tests.web.six_documents import write_six_documents
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.corpora import Corpora
from veritab.web.keys import Keys
from veritab.web.limits import Limits
from veritab.web.uploads import Uploads

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


OPERATIONS = [
    ("/v1/check", "GET"),
    ("/v1/check", "POST"),
    ("/v1/text", "POST"),
    ("/v1/judge", "POST"),
    ("/v1/score", "POST"),
    ("/v1/search", "GET"),
    ("/v1/search", "POST"),
    ("/v1/pages/{title}", "GET"),
    ("/v1/elements/{id}", "GET"),
    ("/v1/corpora", "GET"),
    ("/v1/corpora", "POST"),
    ("/v1/corpora/{name}", "GET"),
    ("/v1/corpora/{name}", "DELETE"),
]
CASES = [
    (path, method, mode)
    for path, method in OPERATIONS
    for mode in GenerationMode
    # Every text is a name, and a request without parameters cannot be wrong.
    if mode is GenerationMode.POSITIVE or ("{" not in path and (path, method) != ("/v1/corpora", "GET"))
]


@pytest.fixture(scope="module")
def described(checker: Checker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The API as schemathesis reads it from a real server, which takes two sets of documents."""

    def opened(folder: Path, name: str) -> Checker:
        return Checker.open(folder, without_models(), name=name)

    limits = Limits(uploads_per_client=2)
    uploads = Uploads(tmp_path_factory.mktemp("schema"), opened, limits=limits)
    with served(create_app(Corpora([checker], uploads), limits=limits, pages=False)) as (_, (host, port)):
        yield schemathesis.openapi.from_url(f"http://{host}:{port}/openapi.json")


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_the_server_does_what_the_document_says(described: Any, path: str, method: str, mode: GenerationMode) -> None:
    """Asks what the document allows, and what it does not."""

    @given(case=described[path][method].as_strategy(generation_mode=mode))
    @settings(max_examples=12, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    ask()


@pytest.fixture(scope="module")
def document(checker: Checker) -> dict[str, Any]:
    """The document of a server that asks for keys."""
    told: dict[str, Any] = create_app(
        checker, limits=Limits(hits=7), keys=Keys(["a-key-that-is-long-enough"])
    ).openapi()
    return told


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Every route with its method and what is said of it."""
    return [(path, method, told) for path, methods in document["paths"].items() for method, told in methods.items()]


def success(told: dict[str, Any]) -> dict[str, Any]:
    """The answer when all went well."""
    (answer,) = (answer for status, answer in told["responses"].items() if status.startswith("2"))
    return dict(answer)


def test_every_route_is_in_the_document_with_words_and_examples(document: dict[str, Any]) -> None:
    assert {path for path, _, _ in operations(document)} == {
        "/v1/check",
        "/v1/correct",
        "/v1/text",
        "/v1/judge",
        "/v1/score",
        "/v1/search",
        "/v1/pages/{title}",
        "/v1/elements/{id}",
        "/v1/corpora",
        "/v1/corpora/{name}",
        "/healthz",
        "/readyz",
        "/metrics",
    }
    for path, _, told in operations(document):
        assert told["summary"], path
        shown = success(told)["content"]
        assert path == "/metrics" or shown["application/json"]["examples"], path
        assert all("example" in parameter for parameter in told.get("parameters", ())), path
        for kind, body in told.get("requestBody", {"content": {}})["content"].items():
            assert kind == "multipart/form-data" or body["examples"], path


def test_every_error_in_the_document_is_a_problem(document: dict[str, Any]) -> None:
    for path, _, told in operations(document):
        errors = {status: answer for status, answer in told["responses"].items() if not status.startswith("2")}
        assert {"400", "500", "503"} <= errors.keys(), path
        assert "422" not in errors
        assert ("401" in errors) == (path not in ("/healthz", "/readyz"))
        assert all(list(answer["content"]) == ["application/problem+json"] for answer in errors.values())


def test_the_examples_are_what_the_shapes_say(document: dict[str, Any]) -> None:
    for path, method, told in operations(document):
        answers = success(told)["content"].get("application/json", {})
        bodies = told.get("requestBody", {}).get("content", {}).get("application/json", {})
        for shown in (answers, bodies):
            if shown:
                shape = {**shown["schema"], "components": document["components"]}
                for example in shown["examples"].values():
                    validator_for(shape).validate(example["value"])
        assert answers or path == "/metrics", method


def test_the_examples_work(client: TestClient, document: dict[str, Any]) -> None:
    for path, method, told in operations(document):
        if path == "/readyz" or method == "delete" or (path, method) == ("/v1/corpora", "post"):
            continue  # one is not ready yet; the others are about documents, which this server does not take
        parameters = {each["name"]: (each["in"], each["example"]) for each in told.get("parameters", ())}
        address = path.format(**{name: value for name, (place, value) in parameters.items() if place == "path"})
        query = {name: value for name, (place, value) in parameters.items() if place == "query"}
        bodies = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {"": {}})
        for body in bodies.values():
            sent = {"json": body["value"]} if body else {}
            assert client.request(method, address, params=query, **sent).status_code == 200, (path, method)


def test_the_limits_of_the_server_are_in_the_document(document: dict[str, Any]) -> None:
    shapes = document["components"]["schemas"]
    assert shapes["QueryBody"]["properties"]["k"]["maximum"] == 7
    assert shapes["ClaimBody"]["properties"]["claim"]["maxLength"] == 2000
    assert document["components"]["securitySchemes"] == {"key": {"type": "http", "scheme": "bearer"}}


# -- what is written about it ------------------------------------------------------------------------------


def test_the_reference_is_what_the_api_says() -> None:
    assert reference.FILE.read_text(encoding="utf-8") == reference.reference(), "run: python -m tests.web.reference"


@pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
def test_the_requests_of_the_howto_are_answered(checker: Checker, tmp_path: Path) -> None:
    howto = (reference.FILE.parent / "howto-serve.md").read_text(encoding="utf-8")
    requests = [line for line in howto.splitlines() if line.startswith("curl ")]
    assert len(requests) >= 8
    report, _, figures, *_ = write_six_documents(tmp_path)
    report.rename(tmp_path / "report.pdf")
    figures.rename(tmp_path / "figures.xlsx")

    def opened(folder: Path, name: str) -> Checker:
        return Checker.open(folder, without_models(), name=name)

    brought = ""
    corpora = Corpora([checker], Uploads(tmp_path / "uploads", opened))
    with served(create_app(corpora, pages=False)) as (_, (_, port)):
        for line in requests:
            command = shlex.split(line.replace(":8321/", f":{port}/").replace("corpus=ID", f"corpus={brought}"))
            command = [*(part.replace("/corpora/ID", f"/corpora/{brought}") for part in command), "--fail", "--silent"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
            assert done.returncode == 0, line
            answers = [json.loads(each) for each in done.stdout.splitlines()]
            assert answers
            if "files=@" in line:
                brought = answers[0]["id"]
                upload = corpora.require_uploads().require(brought)
                until(lambda upload=upload: upload.is_over, 60)
                assert [(document.name, document.pages) for document in upload.documents] == [
                    ("figures.xlsx", 1),
                    ("report.pdf", 2),
                ]
