"""The page that describes the API says all that the OpenAPI document says, and its examples work."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess

import pytest
from lxml import html
from starlette.testclient import TestClient

from tests.web.seen import drawn, words
from tests.web.serving import served
from veritab.pipeline import Checker
from veritab.web.api.manual import SERVER
from veritab.web.app import create_app
from veritab.web.keys import Keys
from veritab.web.limits import Limits
from veritab.web.pages.api import mark_code


@pytest.fixture(scope="module")
def page(client: TestClient) -> html.HtmlElement:
    return drawn(client, "/docs")


def test_every_route_is_there_with_its_parameters_answers_and_problems(
    client: TestClient, page: html.HtmlElement
) -> None:
    document = client.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, told in operations.items():
            (heading,) = page.cssselect(f"#{told['operationId'].replace('_', '-')}")
            assert heading.text_content().split() == [method.upper(), path]
            section = heading.getparent()
            said = " ".join(section.text_content().split())
            assert told["summary"] in said
            names = {name.split()[0] for name in words(section, ".api-fields dt")}
            assert {each["name"] for each in told.get("parameters", ())} <= names
            assert {status for status in told["responses"] if not status.startswith("2")} <= names
            assert words(section, "pre")[0].startswith("curl ")


def test_every_shape_is_there_and_every_link_leads_somewhere(client: TestClient, page: html.HtmlElement) -> None:
    document = client.get("/openapi.json").json()
    for name, shape in document["components"]["schemas"].items():
        (heading,) = page.cssselect(f"#{name.lower()}")
        fields = words(heading.getparent(), ".api-fields dt")
        assert fields == list(shape.get("properties", ()))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = [href for href in page.xpath("//main//a/@href") if href.startswith("#")]
    assert len(links) > 50
    assert not [href for href in links if href[1:] not in ids]
    assert "/openapi.json" in page.xpath("//main//a/@href")


def test_the_contents_list_every_route(page: html.HtmlElement) -> None:
    listed = words(page, ".contents li")
    assert "POST /v1/text" in listed
    assert len(listed) == len(page.cssselect(".api-method")) + 1


def test_the_page_is_in_the_footer_of_every_page_and_loads_nothing(client: TestClient, page: html.HtmlElement) -> None:
    assert "/docs" in drawn(client, "/search").xpath("//footer//a/@href")
    loaded = page.xpath("//script/@src | //link/@href | //img/@src")
    assert all(address.startswith("/static/") for address in loaded)


def test_the_limits_and_keys_of_the_server_are_said(checker: Checker) -> None:
    app = create_app(checker, limits=Limits(text_characters=777), keys=Keys(["a-key-that-is-long-enough"]))
    with TestClient(app, headers={"authorization": "Bearer a-key-that-is-long-enough"}) as client:
        said = drawn(client, "/docs")
    (shape,) = said.cssselect("section[aria-labelledby=textbody]")
    assert "at most 777 characters" in shape.text_content()
    commands = words(said, "pre")
    assert "-H 'Authorization: Bearer KEY'" in commands[0]
    assert not [each for each in commands if "/healthz" in each and "KEY" in each]


@pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
def test_the_examples_work_as_they_stand(checker: Checker, page: html.HtmlElement) -> None:
    commands = [said for said in (pre.text_content() for pre in page.cssselect("pre")) if said.startswith("curl ")]
    assert len(commands) > 12
    with served(create_app(checker)) as (_, (host, port)):
        for command in commands:
            if "/readyz" in command or "/metrics" in command:
                continue
            if "/v1/corpora" in command and ("-F" in command or "DELETE" in command):
                continue  # these need documents, and are tried with those of the how-to
            said = shlex.split(command.replace(SERVER, f"http://{host}:{port}"))
            done = subprocess.run([*said, "--fail", "--silent"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, command
            json.loads(done.stdout)


def test_code_in_words_is_escaped() -> None:
    assert mark_code("a `<b>` & c") == "a <code>&lt;b&gt;</code> &amp; c"
