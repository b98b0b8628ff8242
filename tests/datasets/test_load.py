"""Files of claims become examples: FEVER and FEVEROUS as they are published, and what is wrong with files told."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import datasets
from veritab.datasets import DataNote, DataSet, Task
from veritab.datasets.lines import ARRAY, BLANK, BYTE_ORDER_MARK, CUT
from veritab.datasets.reading import MOST_PROBLEMS
from veritab.datasets.records import DUMMY, ESCAPED, LABEL_CASE, NFD, NO_DUMMY, NUMBER_AS_TEXT
from veritab.errors import FormatError, InputError, NotFound
from veritab.schema import ElementId, Example, Kind, Label, Problem

SOUL_FOOD = {
    "id": 137334,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": "A studio released the film.",
    "evidence": [
        [[289914, 283015, "Soul_Food_-LRB-film-RRB-", 0]],
        [[291259, 284217, "Soul_Food_-LRB-film-RRB-", 0]],
        [[293412, 285960, "Soul_Food_-LRB-film-RRB-", 3], [293412, 285960, "Fox_2000_Pictures", 1]],
    ],
}
NOBODY = {
    "id": 91198,
    "verifiable": "NOT VERIFIABLE",
    "label": "NOT ENOUGH INFO",
    "claim": "Nobody knows this.",
    "evidence": [[[108548, None, None, None]]],
}
DUMMY_RECORD = {
    "evidence": [{"content": [], "context": {}}],
    "id": "",
    "claim": "",
    "label": "",
    "annotator_operations": [{"operation": "", "value": "", "time": ""}],
    "challenge": "",
}
KOREAN_AIR = {
    "evidence": [
        {"content": ["Korean Air_cell_1_19_0", "Korean Air_sentence_2"], "context": {}},
        {"content": ["Seoul_header_cell_0_2_1"], "context": {}},
    ],
    "id": 7,
    "claim": "The airline flies to two cities.",
    "label": "NOT ENOUGH INFO",
    "annotator_operations": [],
    "challenge": "Numerical Reasoning",
}


def fever(id: Any = 1, **changed: Any) -> dict[str, Any]:
    return {**SOUL_FOOD, "id": id, **changed}


def written(folder: Path, records: Sequence[Any], name: str = "claims.jsonl") -> Path:
    path = folder / name
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def opened(folder: Path, *records: Any, task: Task | None = None, strict: bool = False) -> DataSet:
    return datasets.load(written(folder, records), task=task, strict=strict)


def read(folder: Path, *records: Any, task: Task | None = None) -> list[Example]:
    return list(opened(folder, *records, task=task))


def problem(folder: Path, *records: Any) -> Problem:
    (only,) = opened(folder, *records).problems
    return only


def sentence(page: str, line: int) -> ElementId:
    return ElementId(page, Kind.SENTENCE, (line,))


# -- FEVER -------------------------------------------------------------------------------------------------


def test_a_fever_record_becomes_an_example(tmp_path: Path) -> None:
    (example,) = read(tmp_path, SOUL_FOOD)
    assert (example.claim.id, example.claim.text) == ("137334", "A studio released the film.")
    assert example.label is Label.SUPPORTS
    assert not example.silver
    assert example.record == SOUL_FOOD


def test_groups_of_sentences_become_evidence_sets_and_each_set_is_there_once(tmp_path: Path) -> None:
    (example,) = read(tmp_path, SOUL_FOOD)
    assert example.evidence == (
        frozenset({sentence("Soul Food (film)", 0)}),
        frozenset({sentence("Soul Food (film)", 3), sentence("Fox 2000 Pictures", 1)}),
    )


def test_a_claim_without_enough_information_has_no_evidence_in_fever(tmp_path: Path) -> None:
    several = {**NOBODY, "evidence": [[[1, None, None, None], [2, None, None, None]], [[3, None, None, None]]]}
    assert [example.evidence for example in read(tmp_path, SOUL_FOOD, NOBODY, {**several, "id": 2})][1:] == [(), ()]


def test_a_blind_test_file_has_claims_without_labels(tmp_path: Path) -> None:
    data = opened(tmp_path, {"id": 1, "claim": "One."}, {"id": 2, "claim": "Two."})
    assert data.task == "fever"
    assert [(example.label, example.evidence) for example in data] == [(None, ()), (None, ())]
    assert data.problems == ()


def test_titles_of_evidence_have_one_unicode_form_and_the_record_keeps_its_own(tmp_path: Path) -> None:
    page = unicodedata.normalize("NFD", "Beyoncé")
    data = opened(tmp_path, SOUL_FOOD, fever(2, evidence=[[[1, 2, page, 4]]]))
    example = list(data)[1]
    assert example.evidence == (frozenset({sentence("Beyoncé", 4)}),)
    assert example.record["evidence"][0][0][2] == page != "Beyoncé"
    assert DataNote(NFD, 1, 2) in data.notes


def test_claims_have_one_unicode_form_and_single_spaces(tmp_path: Path) -> None:
    (example,) = read(tmp_path, fever(claim=unicodedata.normalize("NFD", " Café  au lait. ")))
    assert example.claim.text == "Café au lait."


def test_brackets_and_colons_of_page_ids_are_restored_and_noted(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(evidence=[[[1, 2, "Star_Trek-COLON-_Beyond_-LRB-film-RRB-", 0]]]))
    assert next(iter(data)).evidence == (frozenset({sentence("Star Trek: Beyond (film)", 0)}),)
    assert data.notes == (DataNote(ESCAPED, 1, 1),)


def test_line_numbers_written_as_text_are_read_and_noted(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(evidence=[[["1", "2", "Aruba", "12"], [1, 2, "Aruba", 3]]]), task="fever")
    assert next(iter(data)).evidence == (frozenset({sentence("Aruba", 12), sentence("Aruba", 3)}),)
    assert data.notes == (DataNote(NUMBER_AS_TEXT, 1, 1),)


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ([[[1, 2, "Aruba", -1]]], "-1 is not a line number"),
        ([[[1, 2, "Aruba", True]]], "True is not a line number"),
        ([[[1, 2, "Aruba", "first"]]], "'first' is not a line number"),
        ([[[1, 2, "Aruba", None]]], "None is not a line number"),
        ([[[1, 2, None, 3]]], "the page of the evidence is None"),
        ([[[1, 2, "  ", 3]]], "the page of the evidence is '  '"),
        ([[[1, 2, ["Aruba"], 3]]], "the page of the evidence is ['Aruba']"),
        ([[[1, 2, "Aruba"]]], "a piece of evidence is [1, 2, 'Aruba']"),
        ([["Aruba"]], "a piece of evidence is 'Aruba'"),
        ("Aruba", "the evidence is 'Aruba'"),
        ([[]], "SUPPORTS, but its evidence names no sentence"),
        ([[[1, None, None, None]]], "SUPPORTS, but its evidence names no sentence"),
    ],
)
def test_evidence_that_cannot_be_read_is_told_by_its_line(tmp_path: Path, evidence: Any, told: str) -> None:
    found = problem(tmp_path, SOUL_FOOD, fever(2, evidence=evidence), NOBODY)
    assert (found.page, found.where, found.lost) == ("claims.jsonl", "line 2", True)
    assert told in found.what


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def test_a_feverous_record_becomes_an_example_with_evidence_for_every_label(tmp_path: Path) -> None:
    data = opened(tmp_path, DUMMY_RECORD, KOREAN_AIR)
    (example,) = data
    assert data.task == "feverous"
    assert (example.claim.id, example.label, example.challenge) == ("7", Label.NOT_ENOUGH_INFO, "Numerical Reasoning")
    assert [sorted(map(str, gold)) for gold in example.evidence] == [
        ["Korean Air_cell_1_19_0", "Korean Air_sentence_2"],
        ["Seoul_header_cell_0_2_1"],
    ]
    assert example.record == KOREAN_AIR


@pytest.mark.parametrize("dummy", [DUMMY_RECORD, {"header": ""}])
def test_an_empty_first_record_is_left_out_and_noted(tmp_path: Path, dummy: Mapping[str, Any]) -> None:
    data = opened(tmp_path, dummy, KOREAN_AIR)
    assert len(data) == 1
    assert data.notes == (DataNote(DUMMY, 1, 1),)


def test_a_file_without_an_empty_first_record_loses_no_claim(tmp_path: Path) -> None:
    data = opened(tmp_path, KOREAN_AIR, {**KOREAN_AIR, "id": 8})
    assert [example.claim.id for example in data] == ["7", "8"]
    assert data.notes == (DataNote(NO_DUMMY, 1, 1),)


def test_an_empty_record_further_down_is_a_problem(tmp_path: Path) -> None:
    found = problem(tmp_path, DUMMY_RECORD, KOREAN_AIR, DUMMY_RECORD)
    assert (found.where, found.lost) == ("line 3", True)


def test_claims_without_ids_are_numbered_without_the_empty_record(tmp_path: Path) -> None:
    given = [{"claim": "One."}, "{broken", {"claim": "Three."}]
    assert [example.claim.id for example in opened(tmp_path, DUMMY_RECORD, *given)] == ["0", "2"]


def test_line_by_line_examples_and_what_is_wrong_stand_in_their_places(tmp_path: Path) -> None:
    data = opened(tmp_path, DUMMY_RECORD, KOREAN_AIR, "{broken", {**KOREAN_AIR, "label": "maybe"}, KOREAN_AIR)
    found = list(data.by_line())
    assert [where for where, _ in found] == ["line 2", "line 3", "line 4", "line 5"]
    assert [isinstance(each, Problem) for _, each in found] == [False, True, True, False]
    assert [each for _, each in found if not isinstance(each, Problem)] == list(data)


def test_evidence_as_page_kind_and_numbers_is_read_too(tmp_path: Path) -> None:
    evidence = [[["Korean Air", "cell", "1_19_0"], ["Korean Air", "sentence", "2"]], [["Seoul", "table_caption", "0"]]]
    (example,) = read(tmp_path, {**KOREAN_AIR, "evidence": evidence})
    assert [sorted(map(str, gold)) for gold in example.evidence] == [
        ["Korean Air_cell_1_19_0", "Korean Air_sentence_2"],
        ["Seoul_table_caption_0"],
    ]


@pytest.mark.parametrize(
    "id", ["Korean Air_paragraph_0", "_sentence_0", 7, ["Korean Air", "cell"], ["X", "cell", "1_2"]]
)
def test_an_address_that_is_none_is_told(tmp_path: Path, id: Any) -> None:
    found = problem(tmp_path, DUMMY_RECORD, KOREAN_AIR, {**KOREAN_AIR, "id": 8, "evidence": [{"content": [id]}]})
    assert (found.where, found.lost) == ("line 3", True)
    assert "is not an address of evidence" in found.what


def test_nfd_element_ids_become_nfc_and_are_noted(tmp_path: Path) -> None:
    id = unicodedata.normalize("NFD", "São Paulo_sentence_1")
    data = opened(tmp_path, DUMMY_RECORD, {**KOREAN_AIR, "evidence": [{"content": [id], "context": {}}]})
    assert next(iter(data)).evidence == (frozenset({sentence("São Paulo", 1)}),)
    assert DataNote(NFD, 1, 2) in data.notes


# -- labels, ids and keys ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "label"),
    [("supports", Label.SUPPORTS), ("Refutes", Label.REFUTES), ("NOT_ENOUGH_INFO", Label.NOT_ENOUGH_INFO)],
)
def test_labels_in_another_case_are_read_and_noted(tmp_path: Path, given: str, label: Label) -> None:
    data = opened(tmp_path, NOBODY, fever(label=given))
    assert list(data)[1].label is label
    assert data.notes[0] == DataNote(LABEL_CASE, 1, 2)


@pytest.mark.parametrize("label", ["MAYBE", 1, ["SUPPORTS"], True])
def test_an_unknown_label_is_told_with_those_that_are_known(tmp_path: Path, label: Any) -> None:
    found = problem(tmp_path, SOUL_FOOD, fever(2, label=label))
    assert (found.where, found.lost) == ("line 2", True)
    assert repr(label) in found.what
    assert "SUPPORTS, REFUTES, NOT ENOUGH INFO" in found.what


@pytest.mark.parametrize("changed", [{"claim": ""}, {"claim": None}, {"claim": 7}, {"claim": " \u200b "}])
def test_a_record_without_a_claim_is_told(tmp_path: Path, changed: dict[str, Any]) -> None:
    found = problem(tmp_path, SOUL_FOOD, fever(2, **changed))
    assert (found.where, found.lost) == ("line 2", True)
    assert "no claim" in found.what


def test_a_missing_key_is_told_with_the_keys_that_are_there(tmp_path: Path) -> None:
    found = problem(tmp_path, SOUL_FOOD, {"id": 2, "statement": "x", "evidence": []})
    assert found.what == "no claim, only id, statement, evidence"


def test_a_missing_label_among_labels_is_told_and_the_claim_kept(tmp_path: Path) -> None:
    bare = {key: value for key, value in fever(2).items() if key != "label"}
    data = opened(tmp_path, SOUL_FOOD, bare, fever(3))
    assert [example.label for example in data] == [Label.SUPPORTS, None, Label.SUPPORTS]
    assert data.problems == (Problem("claims.jsonl", "line 2", "no label, though others have one"),)


def test_a_first_claim_without_a_label_does_not_make_problems_of_all_others(tmp_path: Path) -> None:
    bare = {key: value for key, value in fever(1).items() if key != "label"}
    data = opened(tmp_path, bare, fever(2), fever(3), {**bare, "id": 4})
    assert [(each.where, each.what) for each in data.problems] == [
        ("line 2", "a label, though those before have none"),
        ("line 4", "no label, though others have one"),
    ]


@pytest.mark.parametrize("kind", [["cell"], {"a": 1}, 1, None])
def test_a_kind_that_is_no_text_is_told(tmp_path: Path, kind: Any) -> None:
    good = {"id": 1, "claim": "K2 is high.", "label": "SUPPORTS", "evidence": [[["K2", "cell", "0_0_0"]]]}
    found = problem(tmp_path, good, {**good, "id": 2, "evidence": [[["K2", kind, "0_0_0"]]]})
    assert (found.where, found.lost) == ("line 2", True)
    assert "is not an address of evidence" in found.what


@pytest.mark.parametrize("form", ["{}", "[{}]"])
def test_halves_of_characters_are_replaced_and_noted(tmp_path: Path, form: str) -> None:
    record = json.dumps(fever(claim="Half \ud83d of it, all \U0001f600 of it.", evidence=[[[1, 2, "K\udc002", 0]]]))
    data = opened(tmp_path, form.format(record))
    (example,) = data
    assert example.claim.text == "Half ? of it, all \U0001f600 of it."
    assert example.evidence == (frozenset({sentence("K?2", 0)}),)
    assert ("halves of characters, replaced", 1) in {(note.what, note.times) for note in data.notes}
    json.dumps(example.record, ensure_ascii=False).encode()


def test_an_id_that_comes_twice_is_told_and_both_claims_are_kept(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(7), fever("x"), fever(" 7"), fever("x"), fever(10**15), fever(10**15))
    assert [example.claim.id for example in data] == ["7", "x", "7", "x", f"{10**15}", f"{10**15}"]
    assert [(each.where, each.what, each.lost) for each in data.problems] == [
        ("line 3", "the id '7' came before", False),
        ("line 4", "the id 'x' came before", False),
        ("line 6", f"the id '{10**15}' came before", False),
    ]


def test_claims_without_an_id_are_numbered_and_told_where_another_has_that_number(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(None), fever("  "), fever("1"))
    assert [example.claim.id for example in data] == ["0", "1", "1"]
    assert [(each.where, each.what) for each in data.problems] == [("line 3", "the id '1' came before")]


def test_ids_that_only_look_alike_are_two(tmp_path: Path) -> None:
    assert opened(tmp_path, fever(7), fever("07"), fever(-7), fever(0), fever("00")).problems == ()


@pytest.mark.parametrize("id", [True, 1.5, [1], {"a": 1}])
def test_an_id_that_is_neither_number_nor_text_is_told(tmp_path: Path, id: Any) -> None:
    found = problem(tmp_path, SOUL_FOOD, fever(id))
    assert found.lost
    assert f"the id is {id!r}" in found.what


# -- the lines of files ------------------------------------------------------------------------------------


def test_blank_lines_are_left_out_and_noted_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(1), "", "  \t", fever(2), "", fever(2))
    assert len(data) == 3
    assert data.notes[0] == DataNote(ESCAPED, 9, 1)
    assert data.notes[1] == DataNote(BLANK, 2, 4)
    assert [each.where for each in data.problems] == ["line 6"]


def test_a_byte_order_mark_is_left_out_and_noted(tmp_path: Path) -> None:
    data = opened(tmp_path, "\ufeff" + json.dumps(SOUL_FOOD))
    assert [example.claim.id for example in data] == ["137334"]
    assert data.notes[0] == DataNote(BYTE_ORDER_MARK, 1, 1)


def test_a_line_that_is_no_json_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(1), '{"id": 2,', "[1, 2]", '"text"', fever(3))
    assert [example.claim.id for example in data] == ["1", "3"]
    assert [each.where for each in data.problems] == ["line 2", "line 3", "line 4"]
    assert all(each.lost and each.what.startswith("not JSON: ") for each in data.problems)


def test_a_file_that_ends_in_a_record_is_told_to_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text(json.dumps(fever(1)) + "\n" + json.dumps(fever(2))[:-30], encoding="utf-8")
    data = datasets.load(path)
    assert len(data) == 1
    assert data.problems == (Problem("cut.jsonl", "line 2", CUT, lost=True),)


def test_a_compressed_file_that_is_cut_gives_what_it_still_holds(tmp_path: Path) -> None:
    lines = "".join(json.dumps(fever(number, claim=f"Claim {number * 7919}.")) + "\n" for number in range(5000))
    path = tmp_path / "cut.jsonl.gz"
    packed = gzip.compress(lines.encode(), mtime=0)
    path.write_bytes(packed[: len(packed) // 2])
    data = datasets.load(path)
    assert 0 < len(data) < 5000
    last = data.problems[-1]
    assert (last.page, last.lost) == ("cut.jsonl.gz", True)
    assert "the file is cut or damaged" in last.what


def test_a_compressed_file_that_is_damaged_from_the_start_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(SOUL_FOOD).encode(), mtime=0)[:15])
    with pytest.raises(FormatError, match=r"damaged\.jsonl\.gz.*cut or damaged"):
        datasets.load(path)


def test_bytes_that_are_not_utf8_are_replaced_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(fever(1), ensure_ascii=False).encode().replace(b"A studio", b"Caf\xe9") + b"\n")
    data = datasets.load(path)
    assert next(iter(data)).claim.text == "Caf\ufffd released the film."
    assert any("not UTF-8" in note.what for note in data.notes)


def test_a_record_that_nests_too_deep_is_told(tmp_path: Path) -> None:
    found = problem(tmp_path, SOUL_FOOD, '{"claim": ' + "[" * 200_000 + "]" * 200_000 + "}", NOBODY)
    assert (found.where, found.lost) == ("line 2", True)


@pytest.mark.parametrize("key", ["id", "claim", "label", "evidence"])
def test_values_that_nest_deep_are_told_wherever_they_stand(tmp_path: Path, key: str) -> None:
    deep = "[" * 1000 + "]" * 1000
    line = json.dumps(fever(2)).replace(json.dumps(fever(2)[key]), deep, 1)
    data = opened(tmp_path, line, fever(3))
    assert len(data) == 1
    assert [(each.where, each.lost) for each in data.problems] == [("line 1", True)]


@pytest.mark.parametrize("content", ["", "\n\n", " "])
def test_an_empty_file_is_an_error_that_says_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"empty\.jsonl.*it is empty"):
        datasets.load(path)


def test_a_file_of_the_dummy_record_alone_holds_no_claim(tmp_path: Path) -> None:
    data = opened(tmp_path, DUMMY_RECORD)
    assert not data
    assert (len(data), list(data), data.problems) == (0, [], ())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"missing\.jsonl"):
        datasets.load(tmp_path / "missing.jsonl")


# -- a data set --------------------------------------------------------------------------------------------


def test_a_data_set_is_read_as_far_as_it_is_asked_for(tmp_path: Path) -> None:
    data = opened(tmp_path, *(fever(number) for number in range(30)), "{broken", strict=True)
    assert next(iter(data)).claim.id == "0"
    with pytest.raises(FormatError, match=r"claims\.jsonl, line 31: "):
        list(data)


def test_a_data_set_is_read_anew_each_time(tmp_path: Path) -> None:
    path = written(tmp_path, [fever(1)])
    data = datasets.load(path)
    assert ([example.claim.id for example in data], len(data)) == (["1"], 1)
    written(tmp_path, [fever(2), fever(3)])
    assert ([example.claim.id for example in data], len(data)) == (["2", "3"], 2)


def test_a_reading_that_was_broken_off_does_not_count(tmp_path: Path) -> None:
    data = opened(tmp_path, fever(1), fever(2), "{broken", fever(3))
    next(iter(data))
    assert (len(data), len(data.problems)) == (3, 1)


def test_only_so_many_problems_are_kept_and_the_rest_are_counted(tmp_path: Path) -> None:
    data = opened(tmp_path, SOUL_FOOD, *["{broken"] * (MOST_PROBLEMS + 20), NOBODY)
    assert len(data.problems) == MOST_PROBLEMS + 1
    more = "20 more problems, not listed one by one"
    assert data.problems[-1] == Problem("claims.jsonl", "the file", more, lost=True)


def test_the_checksum_is_that_of_the_unpacked_file(tmp_path: Path) -> None:
    path = written(tmp_path, [SOUL_FOOD])
    packed = tmp_path / "claims.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert datasets.load(path).sha256 == datasets.load(packed).sha256
    assert len(datasets.load(path).sha256) == 64


def test_examples_are_equal_whatever_else_their_records_say(tmp_path: Path) -> None:
    one, other = read(tmp_path, fever(1), fever(1, verifiable="?"))
    assert one == other
    assert hash(one) == hash(other)
    assert "verifiable" not in repr(one)


# -- what is no data set, or another one -------------------------------------------------------------------


def test_fever_with_one_row_for_each_sentence_is_refused_with_the_reason(tmp_path: Path) -> None:
    row = {"id": 1, "label": "SUPPORTS", "claim": "X.", "evidence_annotation_id": 1, "evidence_id": 2}
    path = written(tmp_path, [{**row, "evidence_wiki_url": "Aruba", "evidence_sentence_id": 0}])
    for task in (None, "fever"):
        with pytest.raises(FormatError, match="which sentences belong together is lost"):
            datasets.load(path, task=task)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"id": 1, "predicted_label": "SUPPORTS", "predicted_evidence": []}, "holds predictions"),
        ({"id": "Aruba", "text": "Aruba .", "lines": "0\tAruba ."}, "holds pages of a corpus"),
        ({"question": "Who?", "answer": "Nobody"}, "its records have question, answer"),
    ],
)
def test_a_file_that_is_no_data_set_is_refused(tmp_path: Path, record: dict[str, Any], told: str) -> None:
    with pytest.raises(FormatError, match=told):
        opened(tmp_path, record)


def test_a_file_of_another_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="written as FEVEROUS, task 'feverous', not 'fever'"):
        opened(tmp_path, DUMMY_RECORD, KOREAN_AIR, task="fever")


# -- arrays ------------------------------------------------------------------------------------------------

FAVIQ = {
    "id": "9",
    "claim": "x won.",
    "label": "SUPPORTS",
    "positive_evidence": {"id": "3", "title": "X", "text": "X won."},
}


@pytest.mark.parametrize("indent", [None, 2])
def test_one_json_array_is_read_like_lines(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "dev.json"
    path.write_text("\ufeff" + json.dumps([FAVIQ, {**FAVIQ, "id": "10"}], indent=indent), encoding="utf-8")
    data = datasets.load(path)
    assert (data.task, [example.claim.id for example in data]) == ("faviq", ["9", "10"])
    assert data.notes == (DataNote(ARRAY, 1, 1),)
    assert data.problems == ()


def test_an_array_that_is_longer_than_what_is_read_at_once_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    records = [{**FAVIQ, "id": str(number), "claim": f"é {number} " + "x" * 5000} for number in range(200)]
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    data = datasets.load(path)
    assert [example.claim.id for example in data] == [str(number) for number in range(200)]
    assert data.problems == ()


@pytest.mark.parametrize("kept", [-20, len(json.dumps([FAVIQ])) - 1, len(json.dumps([FAVIQ]))])
def test_an_array_that_is_cut_gives_the_records_before(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([FAVIQ, {**FAVIQ, "id": "10"}])[:kept], encoding="utf-8")
    data = datasets.load(path)
    assert [example.claim.id for example in data] == ["9"]
    assert data.problems == (Problem("cut.json", "record 2", CUT, lost=True),)


def test_a_record_of_an_array_that_is_no_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(f"[{json.dumps(FAVIQ)}, {{'id': 1}}]", encoding="utf-8")
    data = datasets.load(path)
    assert len(data) == 1
    assert [each.what.startswith("not JSON: ") for each in data.problems] == [True]


def test_a_compressed_array_that_is_cut_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    records = [{**FAVIQ, "id": str(number), "claim": f"{number * 7919} won."} for number in range(9000)]
    packed = gzip.compress(json.dumps(records).encode(), mtime=0)
    path.write_bytes(packed[: len(packed) // 2])
    data = datasets.load(path)
    assert 0 < len(data) < 9000
    assert "the file is cut or damaged" in data.problems[-1].what


def test_an_empty_array_holds_no_record(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(" [ ] ", encoding="utf-8")
    with pytest.raises(FormatError, match="it is empty"):
        datasets.load(path)


def test_retrieved_passages_of_faviq_are_told_from_claims(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps([["1", "2"], ["3"]]), encoding="utf-8")
    with pytest.raises(FormatError, match="retrieved passages are not claims"):
        datasets.load(path)


# -- whatever comes ----------------------------------------------------------------------------------------

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
odd = st.fixed_dictionaries(
    {}, optional={"id": junk, "claim": junk | st.text(), "label": junk, "evidence": junk, "challenge": junk}
)


@given(st.lists(odd, max_size=6), st.sampled_from([SOUL_FOOD, KOREAN_AIR, FAVIQ]))
def test_whatever_records_hold_every_one_is_an_example_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], first: dict[str, Any]
) -> None:
    path = written(tmp_path_factory.mktemp("odd"), [first, *records])
    data = datasets.load(path)
    examples = list(data)
    assert len(examples) + sum(each.lost for each in data.problems) == len(records) + 1
    for example in examples:
        datasets.gold_texts(example)
