"""Assistants call six tools; every answer is bounded, and errors are told in our words."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from veritab.errors import InputError, MissingExtra, NotFound
from veritab.mcp import Tools, create_server, require_sdk
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


def test_a_refuted_claim_is_told_what_would_be_true(tools: Tools) -> None:
    told = tools.correct_claim("K2 is  taller than Mount Everest.")
    assert (told["outcome"], told["correction"]) == ("corrected", "K2 is shorter than Mount Everest.")
    assert [(edit["old"], edit["new"]) for edit in told["edits"]] == [("taller", "shorter")]
    assert told["evidence"]
    assert tools.correct_claim("Mount Everest is taller than K2.")["correction"] is None
    json.dumps(told)


def test_a_text_is_its_claims_with_offsets_and_short_verdicts(tools: Tools) -> None:
    text = "Is it far?\r\nThe Danube is longer than the Nile. It is in Europe."
    told = tools.check_text(text)
    assert [text[each["start"] : each["end"]] for each in told["claims"]] == [
        "The Danube is longer than the Nile.",
        "It is in Europe.",
    ]
    assert told["claims"][0]["label"] == "REFUTES"
    assert told["claims"][1]["claim"] == "The Danube is in Europe."
    assert all(len(each["evidence"]) <= 3 for each in told["claims"])
    assert told["of"] == 2
    assert "next_start" not in told


def test_a_text_of_many_claims_comes_in_pieces(tools: Tools) -> None:
    text = " ".join(f"River number {n} is {n + 5} km long." for n in range(25))
    first = tools.check_text(text)
    assert (len(first["claims"]), first["of"], first["next_start"]) == (20, 25, 20)
    rest = tools.check_text(text, first["next_start"])
    assert text[rest["claims"][0]["start"] :].startswith("River number 20 ")
    assert "next_start" not in rest


def test_documents_are_scored_side_by_side_with_claims(tools: Tools) -> None:
    heights = "K2 is 8,611 m high, Everest 8,849 m."
    told = tools.score([heights, heights], ["Everest is higher than K2.", "K2 is higher than Everest."])
    assert told["labels"] == [1, 0]
    assert told["probabilities"][0] > 0.5 > told["probabilities"][1]


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
        (lambda tools: tools.check_text("x" * 100_001), InputError, "100,001 characters is too long; give 100,000"),
        (lambda tools: tools.check_text("Tea is hot.", 7), InputError, "start is 7; expected 0 to 0"),
        (lambda tools: tools.score(["a"] * 21, ["b"] * 21), InputError, "21 claims are too many for one call; give 20"),
        (lambda tools: tools.score(["a"], ["b", "c"]), InputError, "1 docs and 2 claims do not pair up"),
        (lambda tools: tools.score(["a" * 60_000] * 2, ["b"] * 2), InputError, "what is in docs of 120,000 characters"),
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


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("verify_claim", {}, "claim: it is missing"),
        ("verify_claim", {"claim": 5}, "claim: it is a number; expected a text"),
        ("verify_claim", {"claim": None}, "claim: it is null; expected a text"),
        ("verify_claim", {"claim": ["K2 is high."]}, "claim: it is a list; expected a text"),
        ("verify_claim", {"claim": " "}, "' ' has no words; expected a claim"),
        ("verify_claim", {"claims": ["K2"]}, "verify_claim takes no argument 'claims'; did you mean 'claim'?"),
        ("verify_claim", {"claim": "K2", "corpus": "x"}, "verify_claim takes no argument 'corpus'; it takes claim"),
        ("search_evidence", {"query": "k2", "limit": "many"}, "limit: it is a text; expected a whole number"),
        ("search_evidence", {"query": "k2", "limit": 1.5}, "limit: it is a number; expected a whole number"),
        ("search_evidence", {"query": True, "kind": {}}, "query: it is true; expected a text; kind: it is an object; "),
        ("get_table", {"id": "K2_sentence_0"}, "'K2_sentence_0' does not lie in a table"),
        ("check_text", {"text": {}}, "text: it is an object; expected a text"),
        ("score", {"docs": "K2", "claims": ["K2 is high."]}, "docs: it is a text; expected a list"),
        ("score", {"docs": ["K2", 1], "claims": ["K2 is high."]}, "docs.1: it is a number; expected a text"),
        (
            "fly",
            {},
            "there is no tool 'fly'; there are verify_claim, correct_claim, check_text, score, search_evidence, get_page, ",
        ),
    ],
)
def test_bad_arguments_are_told_in_our_words(
    checker: Checker, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert call_wrongly(checker, tool, arguments).startswith(message)


def test_an_accident_tells_nothing_of_the_inside(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(Tools, "verify_claim", fail)
    told = call_wrongly(checker, "verify_claim", {"claim": "K2 is high."})
    assert told == "an unexpected error happened; the log of veritab mcp says what"


def call_wrongly(checker: Checker, tool: str, arguments: dict[str, Any]) -> str:
    """What a client is told by a tool that fails."""
    from mcp.client.client import Client

    async def run() -> str:
        async with Client(create_server(checker)) as client:
            answer: Any = await client.call_tool(tool, arguments)
            assert answer.is_error
            return str(answer.content[0].text)

    return anyio.run(run)


def served(tmp_path: Path, talk: Callable[[Any], Awaitable[None]]) -> None:
    """Start the command as an assistant does, and talk to it with the protocol's own client."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    config = tmp_path / "settings.toml"
    config.write_text('[select]\nmodel = "none"\n[verify]\nmodel = "none"\n')
    arguments = ["-m", "veritab", "mcp", "--config", str(config)]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(command)) as client:
                await talk(client)

    anyio.run(run)


@pytest.mark.slow
def test_an_assistant_lists_the_tools_and_calls_each(tmp_path: Path) -> None:
    async def talk(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "verify_claim", "correct_claim", "check_text", "score", "search_evidence", "get_page", "get_table",
        ]  # fmt: skip
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
        calls = {
            "verify_claim": {"claim": "K2 is higher than Mount Everest."},
            "correct_claim": {"claim": "K2 is higher than Mount Everest."},
            "check_text": {"text": "K2 is higher than Mount Everest. Is it?"},
            "score": {"docs": ["K2 is 8,611 m high, Everest 8,849 m."], "claims": ["K2 is higher than Everest."]},
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
        assert answers["correct_claim"]["outcome"] in ("corrected", "no correction found", "not enough info")
        assert [claim["start"] for claim in answers["check_text"]["claims"]] == [0]
        assert answers["score"]["labels"] == [0]
        assert 1 <= len(answers["search_evidence"]["hits"]) <= 3
        assert answers["get_page"]["title"] == "K2"
        assert answers["get_table"]["id"] == "K2_table_0"

        wrong = await client.call_tool("get_page", {"title": "Nowhere at all"})
        assert wrong.is_error
        assert "Nowhere at all" in wrong.content[0].text

    served(tmp_path, talk)
