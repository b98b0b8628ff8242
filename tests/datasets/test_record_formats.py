"""Every form of record that is read: what becomes evidence, what is quoted, which label it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import datasets
from veritab.datasets import DataSet, GoldText
from veritab.datasets.record_formats import RECORD_FORMATS, find_format
from veritab.datasets.records import NO_ADDRESS, UNGROUPED
from veritab.schema import ElementId, Example, Kind, Label

PAIR = {"claim": "It is an island.", "label": "SUPPORTS", "page": "Aruba_-LRB-island-RRB-", "line": 2, "sentence": "Aruba -LRB- it , too -RRB- is an island ."}  # fmt: skip
GOLD_TEXT = {"id": 5, "claim": "It is an island.", "label": "REFUTES", "evidence_text": "It is `` no '' island .", "evidence_pages": ["Aruba"]}  # fmt: skip
THREE_WAY = {"id": "5", "claim": "It is an island.", "label": "SUPPORTS", "evidence": [["Aruba_-LRB-island-RRB-", 0, "( Aruba ( island ) ) Aruba is an island ."], ["Curaçao", 3]]}  # fmt: skip
RETRIEVED = {"id": "6", "claim": "It is large.", "label": "NOT ENOUGH INFO", "evidence": [["Aruba", "Aruba", "( Aruba ) Aruba is an island ."]]}  # fmt: skip
SHORTENED = {"claim": "It came out in 1990.", "evidence": [["Unison", "The album came out ."]], "label_before": "REFUTES", "label_after": "NOT ENOUGH"}  # fmt: skip
CELLS = {"id": 1, "claim": "It won.", "label": "REFUTES", "evidence": [{"content": ["Races_cell_1_1_1"], "context": {}}], "cells": [{"id": "Races_cell_1_1_1", "value": "[[Ohio_State|Ohio State]]"}]}  # fmt: skip
QUOTED = {"id": 1, "claim": "She was.", "label": "refutes", "challenge": "Other", "evidence": "Harriet\tShe is a [[Labor|member]].\nHarriet\tShe was."}  # fmt: skip
WHOLE_TABLE = {"title": "", "context": ["It was made in 2005."], "table": {"header": ["N", "Name"], "rows": [["1", "A"], ["", ""]], "caption": "Names"}, "query": "A is first.", "label": "1"}  # fmt: skip
GAME = {"id": "01E", "text": "The film was shot.", "label": "SUPPORTS", "wikipedia_page": "Gandhi (film)", "gold_evidence": [{"section_header": "Production", "text": "It was shot."}], "retrieved_evidence": []}  # fmt: skip
QUESTION = {"id": "9969", "claim": "x was captain.", "label": "REFUTES", "positive_evidence": {"id": "12", "title": "X", "text": "X was  captain."}, "negative_evidence": {"id": "13", "title": "Y", "text": "Y."}}  # fmt: skip
REVISION = {"unique_id": "5e_1", "claim": "More than 3 .", "label": "NOT ENOUGH INFO", "evidence": "There are 4 ( four ) .", "page": "Four"}  # fmt: skip
STATEMENT = {"table_id": "2-1.html.csv", "statement": "a be first", "label": "ENTAILED"}
HYPOTHESIS = {"premise": "A man sits.", "hypothesis": "A man stands.", "label": "contradiction"}
EVERY: list[dict[str, Any]] = [PAIR, GOLD_TEXT, THREE_WAY, RETRIEVED, SHORTENED, CELLS, QUOTED, WHOLE_TABLE, GAME, QUESTION, REVISION, STATEMENT, HYPOTHESIS]  # fmt: skip


def opened(folder: Path, *records: Any) -> DataSet:
    path = folder / "claims.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return datasets.load(path)


def only(folder: Path, record: Any) -> Example:
    (example,) = opened(folder, record)
    return example


def sentence(page: str, line: int) -> ElementId:
    return ElementId(page, Kind.SENTENCE, (line,))


def test_a_sentence_beside_a_claim_is_evidence_and_quoted_as_people_write(tmp_path: Path) -> None:
    example = only(tmp_path, PAIR)
    assert (example.claim.id, example.label) == ("0", Label.SUPPORTS)
    assert example.evidence == (frozenset({sentence("Aruba (island)", 2)}),)
    assert datasets.gold_texts(example) == (GoldText("Aruba (island)", "", "Aruba (it, too) is an island."),)


def test_evidence_text_without_tuples_is_quoted_and_noted(tmp_path: Path) -> None:
    data = opened(tmp_path, GOLD_TEXT)
    (example,) = data
    assert example.evidence == ()
    assert datasets.gold_texts(example) == (GoldText("Aruba", "", 'It is "no" island.'),)
    assert [note.what for note in data.notes] == [NO_ADDRESS]


def test_evidence_text_from_several_pages_names_none_of_them(tmp_path: Path) -> None:
    (quoted,) = datasets.gold_texts(only(tmp_path, {**GOLD_TEXT, "evidence_pages": ["Aruba", "Bonaire"]}))
    assert quoted.page == ""


def test_sentences_that_are_not_grouped_become_one_set_and_that_is_noted(tmp_path: Path) -> None:
    data = opened(tmp_path, THREE_WAY)
    (example,) = data
    assert example.evidence == (frozenset({sentence("Aruba (island)", 0), sentence("Curaçao", 3)}),)
    assert datasets.gold_texts(example) == (GoldText("Aruba (island)", "", "Aruba is an island."),)
    assert UNGROUPED in [note.what for note in data.notes]


def test_what_was_retrieved_is_quoted_and_is_no_evidence(tmp_path: Path) -> None:
    example = only(tmp_path, RETRIEVED)
    assert (example.label, example.evidence) == (Label.NOT_ENOUGH_INFO, ())
    assert datasets.gold_texts(example) == (GoldText("Aruba", "", "Aruba is an island."),)


@pytest.mark.parametrize(
    ("after", "label"), [("NOT ENOUGH", Label.NOT_ENOUGH_INFO), ("ENOUGH -- IRRELEVANT", Label.REFUTES)]
)
def test_a_claim_keeps_its_label_if_what_is_left_is_enough(tmp_path: Path, after: str, label: Label) -> None:
    data = opened(tmp_path, {**SHORTENED, "label_after": after})
    (example,) = data
    assert (data.task, example.label) == ("claims", label)
    assert datasets.gold_texts(example) == (GoldText("Unison", "", "The album came out."),)


def test_cells_are_quoted_without_the_marks_of_their_links(tmp_path: Path) -> None:
    example = only(tmp_path, CELLS)
    assert example.evidence == (frozenset({ElementId("Races", Kind.CELL, (1, 1, 1))}),)
    assert datasets.gold_texts(example) == (GoldText("Races", "", "Ohio State"),)


def test_official_records_hold_only_addresses(tmp_path: Path) -> None:
    assert datasets.gold_texts(only(tmp_path, {key: CELLS[key] for key in CELLS if key != "cells"})) == ()


def test_sentences_of_feverous_are_quoted_with_their_page(tmp_path: Path) -> None:
    data = opened(tmp_path, QUOTED)
    (example,) = data
    assert (data.task, example.label, example.challenge, example.evidence) == ("feverous", Label.REFUTES, "Other", ())
    assert datasets.gold_texts(example) == (GoldText("Harriet", "", "She is a member."), GoldText("Harriet", "", "She was."))  # fmt: skip


@pytest.mark.parametrize(("number", "label"), [("0", Label.REFUTES), (1, Label.SUPPORTS), ("2", Label.NOT_ENOUGH_INFO)])
def test_a_whole_table_is_quoted_row_by_row(tmp_path: Path, number: Any, label: Label) -> None:
    data = opened(tmp_path, {**WHOLE_TABLE, "label": number})
    (example,) = data
    assert (data.task, example.claim.text, example.label) == ("feverous", "A is first.", label)
    assert [(text.section, text.text) for text in datasets.gold_texts(example)] == [
        ("", "It was made in 2005."),
        ("Names", "N | Name"),
        ("Names", "1 | A"),
    ]


def test_a_claim_of_the_game_is_its_text_and_quotes_what_its_author_relied_on(tmp_path: Path) -> None:
    data = opened(tmp_path, GAME)
    (example,) = data
    assert (data.task, example.claim.id, example.claim.text) == ("fm2", "01E", "The film was shot.")
    assert not example.silver
    assert datasets.gold_texts(example) == (GoldText("Gandhi (film)", "Production", "It was shot."),)


def test_what_was_found_for_a_question_is_silver(tmp_path: Path) -> None:
    data = opened(tmp_path, QUESTION)
    (example,) = data
    assert (data.task, example.silver, example.evidence) == ("faviq", True, ())
    assert datasets.gold_texts(example) == (GoldText("X", "", "X was captain."),)


def test_a_revision_quotes_its_sentence(tmp_path: Path) -> None:
    data = opened(tmp_path, REVISION)
    (example,) = data
    assert (data.task, example.claim.id) == ("claims", "5e_1")
    assert datasets.gold_texts(example) == (GoldText("Four", "", "There are 4 (four)."),)


@pytest.mark.parametrize(
    ("record", "claim", "label"),
    [
        (STATEMENT, "a be first", Label.SUPPORTS),
        ({**STATEMENT, "label": "REFUTED"}, "a be first", Label.REFUTES),
        (HYPOTHESIS, "A man stands.", Label.REFUTES),
        ({"table_id": "T1", "hypothesis": "It is old.", "label": "N"}, "It is old.", Label.NOT_ENOUGH_INFO),
    ],
)
def test_statements_and_hypotheses_are_claims(tmp_path: Path, record: Any, claim: str, label: Label) -> None:
    data = opened(tmp_path, record)
    (example,) = data
    assert (data.task, example.claim.text, example.label) == ("claims", claim, label)


def test_no_two_forms_are_taken_for_each_other() -> None:
    shapes = {find_format(record) for record in EVERY}
    assert None not in shapes
    assert len(shapes) == len(EVERY) - 1  # what was retrieved stands in the file of what is gold


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["Races_cell_1_1_1", "( x ) y"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "text", "value", "rows"]), inner)
    ),
    max_leaves=10,
)


@given(st.sampled_from(EVERY), st.data())
def test_texts_and_evidence_of_damaged_records_are_told_or_left_out(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any], data: st.DataObject
) -> None:
    damaged = {**record, data.draw(st.sampled_from(sorted(record))): data.draw(junk)}
    read = opened(tmp_path_factory.mktemp("damaged"), record, damaged)
    examples = list(read)
    assert len(examples) + sum(each.lost for each in read.problems) == 2
    for example in examples:
        assert all(isinstance(part, str) for text in datasets.gold_texts(example) for part in text)


def test_every_form_has_a_name_of_its_own() -> None:
    assert len({format.name for format in RECORD_FORMATS}) == len(RECORD_FORMATS)
