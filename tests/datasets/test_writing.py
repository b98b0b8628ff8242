"""Examples written in a format and read again are the same; what a format cannot carry is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets.samples import (
    CELL,
    FEVER_TITLES,
    K2,
    NOT_ENOUGH,
    TEXTS,
    addresses,
    again,
    evidence,
    examples,
    lines,
    lost,
    sentence,
)
from veritab import datasets
from veritab.datasets.writing import FORMATS, write
from veritab.errors import InputError
from veritab.schema import Claim, Example, Kind, Label

# Each writes files and reads them: a few find what a hundred would.
few = settings(max_examples=15)
ANY = evidence(addresses())
TWO = (Label.SUPPORTS, Label.REFUTES)
CHALLENGES = st.sampled_from(["", "Numerical Reasoning", "Other"])


# -- there and back --


@few
@given(examples(labels=TWO, sets=evidence(addresses([Kind.SENTENCE], FEVER_TITLES), least=1)))
def test_fever_carries_sets_of_sentences(given: list[Example]) -> None:
    back, written = again(given, "fever")
    assert back == given
    assert not written.lost


@few
@given(examples(labels=(Label.NOT_ENOUGH_INFO, None)))
def test_fever_carries_claims_without_evidence(given: list[Example]) -> None:
    assert again(given, "fever")[0] == given


@few
@given(examples(labels=tuple(Label), sets=ANY, challenges=CHALLENGES))
def test_feverous_carries_everything_but_silver(given: list[Example]) -> None:
    assert again(given, "feverous")[0] == given


@few
@given(examples(labels=TWO, sets=ANY, challenges=CHALLENGES, silver=st.booleans()))
def test_kilt_carries_two_labels_and_evidence_of_every_kind(given: list[Example]) -> None:
    assert again(given, "kilt")[0] == given


@few
@given(examples(labels=(*TWO, None)))
def test_fm2_carries_claims_without_addresses(given: list[Example]) -> None:
    assert again(given, "fm2")[0] == given


@few
@given(examples(labels=(*TWO, None), silver=st.just(True)))
def test_faviq_carries_claims_whose_evidence_was_found(given: list[Example]) -> None:
    assert again(given, "faviq")[0] == given


@pytest.mark.parametrize("format", ["beir", "label-studio", "parquet"])
@few
@given(given=examples(sets=ANY, challenges=CHALLENGES, silver=st.booleans()), task=st.sampled_from(datasets.TASKS))
def test_formats_with_room_of_their_own_carry_everything(format: str, given: list[Example], task: str) -> None:
    back, _ = again(given, format, task)
    assert back == given


@few
@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_quoted_evidence_goes_through_fm2_parquet_and_label_studio(page: str, quotes: list[tuple[str, str]]) -> None:
    gold = [{"section_header": section, "text": text} for section, text in quotes]
    record = {"text": "K2 is high.", "gold_evidence": gold, "wikipedia_page": page, "total_votes": 3}
    example = Example(Claim("a", "K2 is high."), Label.SUPPORTS, record=record)
    expected = datasets.gold_texts(example)
    assert [text.text for text in expected] == [text for _, text in quotes]
    for format in ("fm2", "parquet", "label-studio"):
        (back,), written = again([example], format, "fm2")
        assert back == example
        assert datasets.gold_texts(back) == expected
        assert not written.lost
        # and from there into the first format again
        (there,), _ = again([back], "fm2")
        assert there.record["total_votes"] == 3


UNTIDY = st.lists(st.frozensets(addresses(), max_size=2), max_size=3).map(lambda sets: (*sets, *sets[:1]))


@settings(max_examples=80)
@given(examples(sets=UNTIDY, challenges=CHALLENGES, silver=st.booleans()), st.sampled_from(sorted(FORMATS)))
def test_what_does_not_come_back_as_it_was_is_told(given: list[Example], format: str) -> None:
    for example in given[:2]:
        try:
            back, written = again([example], format, "feverous", leave_out=True)
        except InputError as error:
            told = "no claim can be written" in str(error)
        else:
            told = back == [example] or bool(written.lost)
        assert told


def test_every_format_is_tested_here() -> None:
    assert set(FORMATS) == {"fever", "feverous", "fm2", "faviq", "kilt", "beir", "label-studio", "parquet"}


# -- what a format cannot carry --


@pytest.mark.parametrize(
    ("format", "example", "why"),
    [
        ("fm2", NOT_ENOUGH, "no label NOT ENOUGH INFO"),
        ("faviq", NOT_ENOUGH, "no label NOT ENOUGH INFO"),
        ("kilt", NOT_ENOUGH, "no label NOT ENOUGH INFO"),
        ("fever", replace(K2, evidence=(frozenset({CELL}),)), "not sentences alone"),
        ("fever", replace(K2, evidence=(frozenset({sentence("A_b", 0)}),)), "not sentences alone"),
        ("fever", replace(K2, evidence=()), "a label but no evidence"),
        ("fever", replace(K2, silver=True), "found, not annotated"),
        ("feverous", replace(K2, silver=True), "found, not annotated"),
        ("fm2", replace(K2, silver=True), "found, not annotated"),
        ("fm2", replace(K2, evidence=(frozenset({sentence("K2", 0), sentence("Nile", 1)}),)), "from several pages"),
    ],
)
def test_a_claim_that_a_format_has_no_words_for_is_refused(
    format: str, example: Example, why: str, tmp_path: Path
) -> None:
    into = tmp_path / "out.jsonl"
    with pytest.raises(InputError, match=rf"claim '{example.claim.id}' cannot be written as {format}: .*{why}"):
        write({"dev": [example]}, format, into)
    assert list(tmp_path.iterdir()) == []


def test_claims_that_do_not_fit_are_left_out_and_counted_where_that_is_asked(tmp_path: Path) -> None:
    other = replace(NOT_ENOUGH, claim=Claim("9", "K2 is young."))
    written = write({"dev": [K2, NOT_ENOUGH, other]}, "kilt", tmp_path / "out.jsonl", leave_out=True)
    (left_out,) = written.left_out
    assert (written.claims, left_out.claims, left_out.first) == (1, 2, "8")
    assert [record["id"] for record in lines(tmp_path / "out.jsonl")] == ["7"]


def test_a_file_of_which_nothing_is_left_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no claim can be written as fm2: the format has no label"):
        write({"dev": [NOT_ENOUGH]}, "fm2", tmp_path / "out.jsonl", leave_out=True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_lost_of_written_claims_is_told(tmp_path: Path) -> None:
    cells = frozenset({CELL})
    example = replace(K2, evidence=(*K2.evidence, cells), challenge="Other", record={"id": 7, "votes": 3, "notes": ""})
    written = write({"dev": [example, K2]}, "fever", tmp_path / "out.jsonl")
    assert {each.what: (each.claims, each.first) for each in written.lost} == {
        "the challenge": (1, "7"),
        "'votes' of the records": (1, "7"),
        "some of the evidence sets (its evidence is not sentences alone)": (1, "7"),
    }


def test_what_is_lost_of_claims_that_are_left_out_is_not_told_twice(tmp_path: Path) -> None:
    written = write(
        {"dev": [K2, replace(NOT_ENOUGH, challenge="Other")]}, "fm2", tmp_path / "out.jsonl", leave_out=True
    )
    assert "the challenge" not in lost(written)


@pytest.mark.parametrize(
    ("format", "example", "what"),
    [
        ("fever", replace(NOT_ENOUGH, evidence=K2.evidence), "the evidence of claims that say NOT ENOUGH INFO"),
        ("feverous", replace(K2, label=None), "the evidence of claims without a label"),
        ("feverous", replace(K2, evidence=(*K2.evidence, frozenset())), "evidence sets without a piece"),
        ("feverous", replace(K2, evidence=K2.evidence * 2), "evidence sets that were written before"),
        ("feverous", K2, "the context beyond the title"),
        ("kilt", replace(K2, label=None), "the evidence of claims without a label"),
        ("kilt", K2, "wikipedia_id"),
        ("fm2", K2, "only the corpus has its words"),
        ("faviq", K2, "that the evidence was annotated"),
        ("beir", K2, "the words of evidence"),
        (
            "feverous",
            replace(K2, evidence=(), record={"claim": "x", "evidence": "K2 rises to 8,611 m.", "page": "K2"}),
            "'page' of the records",
        ),
        (
            "feverous",
            replace(K2, evidence=(), record={"claim": "x", "label": "SUPPORTS", "evidence": "K2 rises to 8,611 m."}),
            "the quoted words of the evidence",
        ),
    ],
)
def test_losses_by_format(format: str, example: Example, what: str, tmp_path: Path) -> None:
    written = write({"dev": [example]}, format, tmp_path / "out")
    assert any(what in each for each in lost(written)), lost(written)


# -- real records --


@pytest.mark.parametrize("format", ["fever", "feverous", "beir", "label-studio", "parquet"])
def test_feverous_records_come_back_whole(format: str, data_folder: Path) -> None:
    given = list(datasets.load(data_folder / "feverous" / "official_records_dev50.jsonl.gz"))
    assert len(given) == 50
    back, written = again(given, format, "feverous", leave_out=True)
    if format == "fever":
        assert written.claims + sum(each.claims for each in written.left_out) == 50
        assert {example.claim for example in back} < {example.claim for example in given}
    else:
        assert back == given
    if format == "feverous":
        assert [example.record["annotator_operations"] for example in back] == [
            example.record["annotator_operations"] for example in given
        ]
        assert not written.lost
