"""The formats as others read them, what others write in them, and the places they are written to."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.datasets.samples import CELL, K2, NOT_ENOUGH, lines, sentence
from veritab import datasets
from veritab.datasets.writing import CardInfo, WriteResult, write
from veritab.errors import InputError
from veritab.schema import Claim, Context, Element, ElementId, Example, Kind, Label

# -- formats as others read them --


def test_fever_keeps_the_numbers_of_annotations_while_they_still_say_the_same(tmp_path: Path) -> None:
    evidence = [[[289914, 283015, "K2", 0]], [[291259, 284217, "K2", 0]]]
    record = {"id": 7, "label": "SUPPORTS", "claim": "K2 is high.", "verifiable": "VERIFIABLE", "evidence": evidence}
    write({"dev": [replace(K2, record=record)]}, "fever", tmp_path / "a.jsonl")
    assert lines(tmp_path / "a.jsonl") == [record]
    changed = replace(K2, evidence=(frozenset({sentence("Soul Food (film)", 3)}),), record=record)
    write({"dev": [changed]}, "fever", tmp_path / "b.jsonl")
    assert lines(tmp_path / "b.jsonl")[0]["evidence"] == [[[None, None, "Soul_Food_-LRB-film-RRB-", 3]]]


def test_feverous_has_a_first_line_that_readers_skip_and_ids_that_are_numbers(tmp_path: Path) -> None:
    operations = [{"operation": "start", "value": "start", "time": "0"}]
    context = {"K2_sentence_0": ["K2_title", "K2_section_1"]}
    record = {"evidence": [{"content": ["K2_sentence_0"], "context": context}], "annotator_operations": operations}
    write({"dev": [replace(K2, record=record)]}, "feverous", tmp_path / "out.jsonl")
    first, second = lines(tmp_path / "out.jsonl")
    assert not any(first[key] for key in ("id", "claim", "label"))
    assert list(second) == ["evidence", "id", "claim", "label", "annotator_operations", "challenge"]
    assert second["id"] == 7
    assert second["evidence"] == [{"content": ["K2_sentence_0"], "context": context}]
    assert second["annotator_operations"] == operations


def test_feverous_keeps_the_order_and_the_spelling_of_the_record(tmp_path: Path) -> None:
    content = ["Me\u0301xico_sentence_4", "Me\u0301xico_sentence_0"]  # as published: decomposed, as they were chosen
    context = {id: ["Me\u0301xico_title"] for id in content}
    record = {"evidence": [{"content": content, "context": context}]}
    gold = frozenset({sentence("M\u00e9xico", 0), sentence("M\u00e9xico", 4)})
    write({"dev": [replace(K2, evidence=(gold,), record=record)]}, "feverous", tmp_path / "a.jsonl")
    assert lines(tmp_path / "a.jsonl")[1]["evidence"] == record["evidence"]
    changed = gold | {sentence("K2", 0)}
    write({"dev": [replace(K2, evidence=(changed,), record=record)]}, "feverous", tmp_path / "b.jsonl")
    assert lines(tmp_path / "b.jsonl")[1]["evidence"][0]["content"] == [str(id) for id in sorted(changed)]


def test_lines_carry_what_of_the_records_they_are_asked_to(tmp_path: Path) -> None:
    example = replace(K2, record={"annotations": [{"label": "SUPPORTS"}], "editor": "x"})
    for format in ("fever", "feverous", "fm2", "faviq", "kilt"):
        given = replace(example, silver=format == "faviq")
        written = write({"dev": [given]}, format, tmp_path / format, carry=("annotations", "highlight"))
        assert lines(tmp_path / format)[-1]["annotations"] == [{"label": "SUPPORTS"}]
        told = {each.what for each in written.lost}
        assert "'annotations' of the records" not in told
        assert "'editor' of the records" in told


def element(id: ElementId) -> Element | None:
    title = Context(ElementId(id.page, Kind.TITLE), id.page)
    section = Context(ElementId(id.page, Kind.SECTION, (0,)), "Height")
    header = Context(ElementId(id.page, Kind.HEADER_CELL, (0, 0, 2)), "Metres")
    return Element(id, "8,611", (), (title, section, header)) if id == CELL else None


def test_a_corpus_gives_context_and_words(tmp_path: Path) -> None:
    example = replace(K2, evidence=(frozenset({CELL}),))
    written = write({"dev": [example]}, "feverous", tmp_path / "a.jsonl", element_of=element)
    (evidence,) = lines(tmp_path / "a.jsonl")[1]["evidence"]
    assert evidence["context"] == {str(CELL): ["K2_title", "K2_section_0", "K2_header_cell_0_0_2"]}
    assert not written.lost
    write({"dev": [example]}, "fm2", tmp_path / "b.jsonl", element_of=element)
    (record,) = lines(tmp_path / "b.jsonl")
    assert record["gold_evidence"] == [{"section_header": "Height", "text": "Metres: 8,611"}]
    assert record["wikipedia_page"] == "K2"


def test_kilt_has_an_output_for_each_set_with_fevers_own_address(tmp_path: Path) -> None:
    other = frozenset({sentence("Soul Food (film)", 2), CELL})
    write({"dev": [replace(K2, evidence=(*K2.evidence, other))]}, "kilt", tmp_path / "out.jsonl")
    (record,) = lines(tmp_path / "out.jsonl")
    assert record["input"] == "K2 is high."
    assert [output["answer"] for output in record["output"]] == ["SUPPORTS", "SUPPORTS"]
    titles = [[passage["title"] for passage in output["provenance"]] for output in record["output"]]
    assert titles == [["K2"], ["K2", "Soul Food (film)"]]
    meta = record["output"][1]["provenance"][1]["meta"]
    assert (meta["fever_page_id"], meta["fever_sentence_id"]) == ("Soul_Food_-LRB-film-RRB-", 2)


def test_a_record_of_kilt_is_read_by_fevers_address_and_keeps_its_numbers(tmp_path: Path) -> None:
    meta = {"fever_page_id": "Soul_Food_-LRB-film-RRB-", "fever_sentence_id": 2}
    passage = {"wikipedia_id": "123", "title": "Soul Food (film)", "start_paragraph_id": 1, "meta": meta}
    record = {"id": "x", "input": "It is a film.", "output": [{"answer": "REFUTES", "provenance": [passage]}]}
    file = tmp_path / "kilt.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (example,) = datasets.load(file)
    assert (example.claim, example.label) == (Claim("x", "It is a film."), Label.REFUTES)
    assert example.evidence == (frozenset({sentence("Soul Food (film)", 2)}),)
    written = write({"dev": [example]}, "kilt", tmp_path / "again.jsonl")
    assert lines(tmp_path / "again.jsonl")[0]["output"][0]["provenance"][0]["wikipedia_id"] == "123"
    assert not written.lost


@pytest.mark.parametrize("provenance", [7, [[]], [{"wikipedia_id": 1, "title": ["K2"]}]])
def test_passages_of_kilt_without_a_title_are_written_without_numbers(tmp_path: Path, provenance: Any) -> None:
    file = tmp_path / "kilt.jsonl"
    file.write_text(
        json.dumps({"id": 1, "input": "K2 is high.", "output": [{"answer": "SUPPORTS", "provenance": provenance}]})
    )
    written = write({"dev": list(datasets.load(file))}, "kilt", tmp_path / "again.jsonl")
    assert written.claims == 1


def test_answers_of_kilt_that_are_no_labels_are_told_by_line(tmp_path: Path) -> None:
    file = tmp_path / "kilt.jsonl"
    good = {"id": "1", "input": "K2 is high.", "output": [{"answer": "SUPPORTS"}]}
    bad = {"id": "2", "input": "how high is K2", "output": [{"answer": "8,611 m"}]}
    file.write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n")
    read = datasets.load(file)
    assert [example.claim.id for example in read] == ["1"]
    (problem,) = read.problems
    assert problem.where == "line 2"
    assert "8,611 m" in problem.what


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 1, "input": "x", "output": [7]}',
        '{"id": 1, "input": "x", "output": [{"answer": ["SUPPORTS"]}]}',
        '{"id": 1, "input": "x", "output": [{"answer": "SUPPORTS"}, {"answer": "REFUTES"}]}',
        '{"id": 1, "claim": "x"}',
        '{"id": 1, "input": "x", "output": [{"answer": "SUPPORTS", "provenance": [{"meta": {"element": "K2"}}]}]}',
    ],
)
def test_bad_records_of_kilt_are_lost_and_told(line: str, tmp_path: Path) -> None:
    file = tmp_path / "kilt.jsonl"
    file.write_text(f'{{"id": 0, "input": "K2 is high.", "output": [{{"answer": "SUPPORTS"}}]}}\n{line}\n')
    read = datasets.load(file)
    assert len(read) == 1
    assert [problem.where for problem in read.problems if problem.lost] == ["line 2"]


@pytest.mark.parametrize(
    "annotations",
    [None, 7, [7], [{"result": 7}], [{"result": [7]}], [{"result": [{"from_name": "verdict", "value": 7}]}]],
)
def test_annotations_that_say_nothing_give_no_label(annotations: Any, tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([{"id": 1, "data": {"claim": "K2 is high."}, "annotations": annotations}]))
    (example,) = datasets.load(file)
    assert example.label is None


@pytest.mark.parametrize("judged", [b"query-id\tcorpus-id\tscore\n1\tdoc\n", b"a\tb\tc\n\xff\t1\t1\n"])
def test_judgements_that_cannot_be_read_are_told(judged: bytes, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "K2 is high."}\n')
    (tmp_path / "qrels" / "dev.tsv").write_bytes(judged)
    with pytest.raises(InputError, match=r"dev\.tsv'"):
        datasets.load(tmp_path)


def beir_of(given: Mapping[str, list[Example]], folder: Path, **options: Any) -> WriteResult:
    return write(given, "beir", folder, about=CardInfo(task="feverous"), **options)


def test_a_folder_of_beir_is_what_beir_reads(tmp_path: Path) -> None:
    other = replace(K2, claim=Claim("9", "K2 is cold."), evidence=(frozenset({CELL}), frozenset({sentence("K2", 0)})))
    written = beir_of({"train": [K2], "dev": [other, NOT_ENOUGH]}, tmp_path / "out")
    folder = tmp_path / "out"
    assert {str(file.relative_to(folder)) for file in written.files} == {
        "corpus.jsonl", "queries.jsonl", "qrels/train.tsv", "qrels/dev.tsv",
    }  # fmt: skip
    assert [query["_id"] for query in lines(folder / "queries.jsonl")] == ["7", "9", "8"]
    with (folder / "qrels" / "dev.tsv").open(newline="") as file:
        judged = list(csv.reader(file, delimiter="\t"))
    assert judged == [["query-id", "corpus-id", "score"], ["9", "K2_cell_0_1_2", "1"], ["9", "K2_sentence_0", "1"]]
    assert {document["_id"] for document in lines(folder / "corpus.jsonl")} == {"K2_cell_0_1_2", "K2_sentence_0"}
    assert [example.claim.id for example in datasets.load(folder / "qrels" / "dev.tsv")] == ["9", "8"]
    assert list(datasets.load(folder)) == [K2, other, NOT_ENOUGH]


def test_documents_of_beir_have_the_words_of_the_corpus_and_of_the_records(tmp_path: Path) -> None:
    quoted = Example(
        Claim("q", "It is a film."),
        Label.SUPPORTS,
        record={
            "text": "x",
            "gold_evidence": [{"section_header": "Plot", "text": "A film."}],
            "wikipedia_page": "Soul",
        },
    )
    other = Element(sentence("Nile", 0), "The Nile is long.")
    example = replace(K2, evidence=(frozenset({CELL}),))
    written = beir_of({"dev": [example, quoted]}, tmp_path / "out", element_of=element, elements=[other])
    cell, film, nile = lines(tmp_path / "out" / "corpus.jsonl")
    assert (cell["_id"], cell["title"], cell["text"]) == ("K2_cell_0_1_2", "K2", "8,611")
    assert (film["title"], film["text"], film["metadata"]) == ("Soul", "A film.", {"section": "Plot"})
    assert nile["text"] == "The Nile is long."
    assert not written.lost


def test_a_folder_of_beir_by_others_is_read_without_labels(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "K2 is high."}\n{"_id": "2", "text": "Nile"}\n')
    (tmp_path / "corpus.jsonl").write_text('{"_id": "K2_sentence_0", "title": "K2", "text": "K2 is high."}\n')
    judged = "query-id\tcorpus-id\tscore\n1\tK2_sentence_0\t1\n1\tdoc7\t1\n2\tK2_sentence_1\t0\n"
    (tmp_path / "qrels" / "test.tsv").write_text(judged)
    first, second = datasets.load(tmp_path)
    assert (first.label, first.evidence) == (None, (frozenset({sentence("K2", 0)}),))
    assert second.evidence == ()
    assert [example.claim.id for example in datasets.load(tmp_path / "qrels" / "test.tsv")] == ["1"]


def test_two_queries_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="claim '7' cannot be written as beir: another claim has its id"):
        beir_of({"train": [K2], "dev": [K2]}, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_label_studio_gets_tasks_and_an_interface_that_fits_them(tmp_path: Path) -> None:
    written = write({"dev": [K2, replace(NOT_ENOUGH, label=None)]}, "label-studio", tmp_path / "tasks.json")
    first, second = json.loads((tmp_path / "tasks.json").read_text())
    (result,) = first["annotations"][0]["result"]
    assert result["value"] == {"choices": ["SUPPORTS"]}
    assert second["annotations"] == []
    interface = (tmp_path / "tasks.interface.xml").read_text()
    assert f'<Choices name="{result["from_name"]}" toName="{result["to_name"]}"' in interface
    assert f'type="{result["type"]}"' not in interface
    assert '<Choice value="SUPPORTS"/>' in interface
    assert all(name in first["data"] for name in ("claim", "evidence"))
    assert [file.name for file in written.files] == ["tasks.json", "tasks.interface.xml"]


def annotation(choice: str, **more: Any) -> dict[str, Any]:
    result = {"from_name": "verdict", "to_name": "claim", "type": "choices", "value": {"choices": [choice]}}
    return {"result": [result], **more}


def test_what_people_did_in_label_studio_is_read(tmp_path: Path) -> None:
    data = {"claim_id": "7", "claim": "K2 is high."}
    tasks = [
        {"id": 1, "data": data, "annotations": [annotation("REFUTES"), annotation("SUPPORTS", was_cancelled=True)]},
        {"id": 2, "data": {**data, "claim_id": "8"}, "annotations": [annotation("REFUTES"), annotation("SUPPORTS")]},
        {"id": 3, "data": {"claim": "K2 is old."}, "annotations": []},
        {
            "id": 4,
            "data": {**data, "claim_id": "9"},
            "annotations": [annotation("REFUTES"), annotation("SUPPORTS", ground_truth=True)],
        },
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks))
    read = datasets.load(file)
    assert [(example.claim.id, example.label) for example in read] == [
        ("7", Label.REFUTES), ("3", None), ("9", Label.SUPPORTS),
    ]  # fmt: skip
    assert any("people disagree (REFUTES, SUPPORTS)" in problem.what for problem in read.problems)


def test_the_card_of_a_parquet_folder_says_what_it_holds(tmp_path: Path) -> None:
    about = CardInfo("heights", "fever", "CC BY-SA 3.0", "https://example.org")
    write({"train": [K2], "dev": [NOT_ENOUGH]}, "parquet", tmp_path / "out", about=about)
    card = (tmp_path / "out" / "README.md").read_text()
    _, front, body = card.split("---\n", 2)
    assert front.splitlines()[:2] == ['pretty_name: "heights"', "license: cc-by-sa-3.0"]
    assert "  - split: train\n    path: data/train-*\n  - split: dev\n    path: data/dev-*\n" in front
    assert "- n<1K\n" in front
    assert "| claims | 1 | 1 |" in body
    assert "https://example.org" in body
    read = datasets.load(tmp_path / "out")
    assert sorted(example.claim.id for example in read) == ["7", "8"]
    assert read.task == "fever"
    assert len(read.sha256) == 64


@pytest.mark.parametrize(
    ("licence", "said"),
    [("", "license: unknown"), ("Apache-2.0", "license: apache-2.0"), ('My "own"', 'license_name: "My \\"own\\""')],
)
def test_licences_are_spelled_as_the_hub_does_or_named(licence: str, said: str, tmp_path: Path) -> None:
    write({"dev": [K2]}, "parquet", tmp_path / "out", about=CardInfo(licence=licence))
    assert said in (tmp_path / "out" / "README.md").read_text()


def test_a_file_that_is_no_parquet_any_more_is_told(tmp_path: Path) -> None:
    write({"dev": [K2]}, "parquet", tmp_path / "out")
    (file,) = (tmp_path / "out" / "data").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InputError, match="not a complete Parquet file"):
        datasets.load(file)


# -- places --


def test_a_name_that_ends_in_gz_is_compressed_and_always_to_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write({"dev": [K2]}, "fever", tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert json.loads(gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()))["id"] == 7
    assert list(datasets.load(tmp_path / "a.jsonl.gz")) == [K2]


def test_a_folder_that_holds_something_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="holds files already"):
        write({"dev": [K2]}, "parquet", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled_and_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write({"dev": [K2]}, "beir", tmp_path / "empty")
    assert (tmp_path / "empty" / "queries.jsonl").is_file()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file; name a folder"):
        write({"dev": [K2]}, "beir", tmp_path / "file")
    with pytest.raises(InputError, match="there is no folder"):
        write({"dev": [K2]}, "beir", tmp_path / "no" / "such")


def test_names_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no format 'csv'; expected one of fever, feverous"):
        write({"dev": [K2]}, "csv", tmp_path / "out")
    with pytest.raises(InputError, match="'paper dev' cannot name a split"):
        write({"paper dev": [K2]}, "parquet", tmp_path / "out")
    with pytest.raises(InputError, match="fever is one file for one split, not for 2"):
        write({"a": [K2], "b": [K2]}, "fever", tmp_path / "out")


def test_a_folder_that_is_no_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a folder without queries.jsonl"):
        datasets.load(tmp_path)
