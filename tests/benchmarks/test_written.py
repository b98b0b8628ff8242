"""The benchmark of the written claims: what it counts, and that the data card has its tables."""

from __future__ import annotations

import pytest
from benchmarks import written

from veritab.schema import Claim, ElementId, Example, Label

WORDS = {Label.SUPPORTS: "lies in", Label.REFUTES: "was founded by", Label.NOT_ENOUGH_INFO: "paid more for"}


def example(number: int, label: Label, *, id: str = "w0", kind: str = "S1") -> Example:
    page = f"Town {number}"
    return Example(
        Claim(f"{id}-{number}{label[0]}", f"{page} {WORDS[label]} France."),
        label,
        (frozenset({ElementId.parse(f"{page}_sentence_0")}),),
        kind,
        record={"family": f"{id}/{number}", "pages": [page]},
    )


def families(*numbers: int, id: str = "w0", kind: str = "S1") -> list[Example]:
    return [example(number, label, id=id, kind=kind) for number in numbers for label in Label]


def test_claims_are_counted_by_kind_part_and_label() -> None:
    rows = {row[0]: row[1:] for row in written.counts(families(1, 2) + families(3, kind="Q"), families(4))}
    assert rows["kind"] == ("train", "dev", "SUPPORTS", "REFUTES", "NOT ENOUGH INFO", "all")
    assert rows["S1"] == ("6", "3", "3", "3", "3", "9")
    assert rows["Q"] == ("3", "0", "1", "1", "1", "3")
    assert rows["all"] == ("9", "3", "4", "4", "4", "12")


def test_pages_of_both_parts_are_told() -> None:
    rows = {row[0]: row[1:] for row in written.whole(families(1, 2, id="set01"), families(2, 3))}
    assert rows["claims"] == ("6", "6", "12")
    assert rows["of the older claims"] == ("6", "0", "6")
    assert rows["families"] == ("2", "2", "4")
    assert rows["pages"] == ("2", "2", "3")
    assert rows["claims on a page of both parts"] == ("3", "3", "6")


def test_mean_words_are_those_of_each_label() -> None:
    rows = {row[0]: row[1:] for row in written.lengths(families(1), families(2))}
    assert rows["SUPPORTS"] == ("5.0", "5.0", "–", "5.0")
    assert rows["NOT ENOUGH INFO"] == ("6.0", "6.0", "–", "6.0")


def test_baselines_find_what_words_tell_and_the_encoder_has_its_place() -> None:
    accuracies, recalls = written.baselines(families(*range(30)), families(*range(30, 50)))
    assert [row[0].partition(",")[0] for row in accuracies[1:]] == ["always one label", *written.CLASSIFIERS, "encoder"]
    assert accuracies[1][1] == "33.3 % [22.7, 45.9]"
    assert all(row[1].startswith("100.0 % [") and row[2] == "–" for row in accuracies[2:-1])
    assert accuracies[-1][1] == "not measured"
    assert {row[2:] for row in recalls if row[1] == "older"} == {("–", "–", "–")}
    accuracies, _ = written.baselines(families(*range(30)), families(*range(30, 50)), 0.5, "small")
    assert accuracies[-1][:2] == ("small", "50.0 % [37.7, 62.3]")


def test_tables_go_between_the_marks_and_nowhere_else() -> None:
    card = f"Before.\n{written._BEGIN}old\n{written._END}\nAfter.\n"
    assert written.with_counts(card, "| new |\n") == (f"Before.\n{written._BEGIN}\n| new |\n\n{written._END}\nAfter.\n")
    with pytest.raises(ValueError, match="lacks the marks"):
        written.with_counts("Nothing.", "")


def test_the_data_card_and_the_results_have_the_counts_of_the_files_that_ship() -> None:
    train, dev = written.shipped(written.TRAIN), written.shipped(written.DEV)
    card, results = (path.read_text(encoding="utf-8") for path in (written.CARD, written.RESULTS))
    tables = written.card_counts(train, dev)
    assert card == written.with_counts(card, tables), "run: python -m benchmarks.written"
    assert all(table.strip() in results for table in tables.split("\n\n")), "run: python -m benchmarks.written"
