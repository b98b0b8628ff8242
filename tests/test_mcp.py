"""Assistants call four tools; every answer is bounded, and errors are told in our words."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from veritab.errors import InputError, MissingExtra, NotFound
from veritab.mcp import Tools, require_sdk
from veritab.pipeline import Checker
from veritab.schema import Cell, Page, Sentence, TableBlock
from veritab.settings import Settings

pytest.importorskip("mcp.server.mcpserver", reason="the mcp extra is not installed")

# Words and numbers alone decide: the tests are about tools, not about weights.
NO_MODELS = {"select": {"model": "none"}, "verify": {"model": "none"}}


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker.open(settings=Settings.of(NO_MODELS)) as opened:
        yield opened


@pytest.fixture
def tools(checker: Checker) -> Tools:
    return Tools(checker)


@pytest.fixture
def with_page(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> Callable[[Page], Tools]:
    def place(page: Page) -> Tools:
        monkeypatch.setattr(type(tools.checker.store), "page", lambda self, title: page)
        return tools

    return place


# -- the tools --


def test_a_verdict_names_its_evidence(tools: Tools) -> None:
    told = tools.verify_claim("The  Danube is longer than the Nile.")
    assert told["label"] in ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
    assert told["claim"] == "The Danube is longer than the Nile."
    assert told["evidence"]
    assert len(told["evidence"]) <= 15
    assert told["evidence_in_all"] >= len(told["evidence"])
    assert told["corpus"]["name"] == "almanac"
    json.dumps(told)


def test_search_finds_cells_with_their_headers(tools: Tools) -> None:
    hits = tools.search_evidence("everest height", kind="cell", limit=2)["hits"]
    assert len(hits) == 2
    assert {hit["kind"] for hit in hits} <= {"cell", "header_cell"}
    assert any("Height" in text for text in hits[0]["context"])


def test_a_page_is_its_texts_and_the_names_of_its_tables(tools: Tools) -> None:
    told = tools.get_page("Chomolungma")
    assert told["title"] == "Mount Everest"
    kinds = {text["kind"] for text in told["texts"]}
    assert {"sentence", "section", "table"} <= kinds
    assert not kinds & {"cell", "header_cell"}


def test_a_table_is_every_square_with_its_address(tools: Tools) -> None:
    told = tools.get_table("Eight-thousander_table_1")
    assert told["caption"] == "The fourteen eight-thousanders"
    assert told["of"] == len(told["rows"]) == 16
    assert {"id": "Eight-thousander_cell_1_3_2", "text": "8,611"} in told["rows"][3]["cells"]
    assert tools.get_table("Eight-thousander_cell_1_3_2") == told


def test_a_long_page_comes_in_pieces_that_make_the_whole(with_page: Callable[[Page], Tools]) -> None:
    page = Page("Long", tuple(Sentence(n, f"{n} " + "word " * 100) for n in range(200)))
    tools = with_page(page)
    start, numbers = 0, []
    while True:
        told = tools.get_page("Long", start)
        assert len(json.dumps(told)) < 20_000
        numbers += [int(text["text"].split()[0]) for text in told["texts"]]
        if "next_start" not in told:
            break
        start = told["next_start"]
    assert numbers == list(range(200))


def test_a_huge_table_comes_in_pieces_and_its_columns_are_bounded(with_page: Callable[[Page], Tools]) -> None:
    rows = tuple(tuple(Cell("x" * 2000) for _ in range(80)) for _ in range(300))
    tools = with_page(Page("Huge", (TableBlock(0, rows),)))
    told = tools.get_table("Huge_table_0")
    assert told["columns_left_out"] == 30
    assert told["next_start_row"] == 1
    assert len(json.dumps(told)) < 80_000
    assert tools.get_table("Huge_table_0", start_row=299)["rows"][0]["row"] == 299


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda tools: tools.verify_claim("  "), InputError, "expected a claim"),
        (lambda tools: tools.verify_claim("x" * 3000), InputError, "3,000 characters is too long; give 2,000"),
        (lambda tools: tools.search_evidence("k2", limit=99), InputError, "limit is 99; expected 1 to 25"),
        (lambda tools: tools.search_evidence("k2", kind="paragraph"), InputError, "a kind is one of"),
        (lambda tools: tools.get_page("No such page"), NotFound, "No such page"),
        (lambda tools: tools.get_page("K2", start=9999), InputError, "start is 9999; expected 0 to"),
        (lambda tools: tools.get_page("K2", start=-1), InputError, "start is -1"),
        (lambda tools: tools.get_table("K2_sentence_0"), InputError, "does not lie in a table"),
        (lambda tools: tools.get_table("K2_table_99"), NotFound, "its tables: K2_table_0"),
        (lambda tools: tools.get_table("../../etc/passwd"), InputError, "is not an element id"),
    ],
)
def test_a_wrong_call_is_told_with_the_remedy(
    tools: Tools, call: Callable[[Tools], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(tools)


def test_without_the_extra_the_line_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingExtra, match=r"pip install 'veritab\[mcp\]'"):
        require_sdk()


# -- the server --


def served(tmp_path: Path, talk: Callable[[Any], Awaitable[None]]) -> None:
    """Start the command as an assistant does, and talk to it with the protocol's own client."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    config = tmp_path / "settings.toml"
    config.write_text('[select]\nmodel = "none"\n[verify]\nmodel = "none"\n')
    command = StdioServerParameters(command=sys.executable, args=["-m", "veritab", "mcp", "--config", str(config)])

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(command)) as client:
                await talk(client)

    anyio.run(run)


@pytest.mark.slow
def test_an_assistant_lists_the_tools_and_calls_each(tmp_path: Path) -> None:
    async def talk(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["verify_claim", "search_evidence", "get_page", "get_table"]
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
        calls = {
            "verify_claim": {"claim": "K2 is higher than Mount Everest."},
            "search_evidence": {"query": "longest river", "limit": 3},
            "get_page": {"title": "K2"},
            "get_table": {"id": "K2_table_0"},
        }
        answers = {}
        for name, arguments in calls.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
            assert json.loads(answer.content[0].text) == answer.structured_content
            answers[name] = answer.structured_content
        assert answers["verify_claim"]["label"] in ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
        assert answers["verify_claim"]["evidence"]
        assert 1 <= len(answers["search_evidence"]["hits"]) <= 3
        assert answers["get_page"]["title"] == "K2"
        assert answers["get_table"]["id"] == "K2_table_0"

        wrong = await client.call_tool("get_page", {"title": "Nowhere at all"})
        assert wrong.is_error
        assert "Nowhere at all" in wrong.content[0].text
        missing = await client.call_tool("verify_claim", {})
        assert missing.is_error

    served(tmp_path, talk)
