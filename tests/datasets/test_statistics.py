"""The numbers of data sets: counted by hand here, and compared with the papers where their data is on hand."""

from __future__ import annotations

import json
import statistics as reference
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import datasets
from veritab.datasets.statistics import Spread, pages_of, statistics, together, type_of
from veritab.datasets.summary import as_markdown, summary_rows
from veritab.schema import Claim, ElementId, EvidenceSet, Example, Label


def gold(*ids: str) -> EvidenceSet:
    return frozenset(map(ElementId.parse, ids))


EXAMPLES = [
    Example(
        Claim("1", "K2 is a high mountain in Asia"),
        Label.SUPPORTS,
        (gold("K2_sentence_0"), gold("K2_sentence_0"), gold("K2_cell_0_1_0", "K2_cell_0_3_1", "Asia_sentence_4")),
        "Other",
    ),
    Example(Claim("2", "K2 is low"), Label.REFUTES, (gold("K2_cell_0_3_1", "K2_table_caption_0"),)),
    Example(Claim("3", "K2 is old"), Label.NOT_ENOUGH_INFO, (gold("Asia_item_0_2", "K2_sentence_1"),)),
    Example(Claim("4", "Who knows"), None),
]


@given(st.lists(st.integers(0, 50), min_size=2, max_size=60))
def test_quartiles_are_those_of_the_standard_library(numbers: list[int]) -> None:
    spread = Spread.of(Counter(numbers))
    expected = reference.quantiles(numbers, n=4, method="inclusive")
    assert (spread.first, spread.median, spread.third) == pytest.approx(tuple(expected))
    assert spread.mean == pytest.approx(reference.fmean(numbers))
    assert (spread.n, spread.least, spread.greatest) == (len(numbers), min(numbers), max(numbers))


def test_the_spread_of_nothing_and_of_one_number() -> None:
    assert Spread.of({}) == Spread()
    assert Spread.of({7: 1}) == Spread(1, 7, 7, 7, 7, 7, 7)


def test_claims_labels_and_lengths_are_counted() -> None:
    told = statistics(EXAMPLES, "four")
    assert (told.name, told.claims) == ("four", 4)
    assert list(told.labels.items()) == [("SUPPORTS", 1), ("REFUTES", 1), ("NOT ENOUGH INFO", 1), ("unlabelled", 1)]
    assert told.distribution == {2: 1, 3: 2, 7: 1}
    assert told.lengths_by_label["SUPPORTS"].mean == 7
    assert told.challenges == {"Other": 1}


def test_built_claims_are_counted_by_rule_and_by_what_they_were_built_of() -> None:
    some = [
        Example(Claim(str(number), "K2 is low"), None, record={"origin": {"source": "a", "record": of, "rule": rule}})
        for number, (of, rule) in enumerate([("1", "negate"), ("1", "value"), ("2", "value")])
    ]
    told = statistics([*some, EXAMPLES[0]])
    assert (told.origins, told.rules) == (2, {"value": 2, "negate": 1})
    assert ("rule: value", "2 (50 %)") in summary_rows([told])


def test_several_data_sets_are_counted_together_and_averaged() -> None:
    one, other = statistics(EXAMPLES[:1], "one"), statistics(EXAMPLES[1:], "other")
    whole = together([one, other], "all")
    assert (whole.claims, whole.labels, whole.lengths) == (4, statistics(EXAMPLES).labels, statistics(EXAMPLES).lengths)
    assert Spread.mean_of([one.lengths, other.lengths])[:2] == (4, (7 + 8 / 3) / 2)


def test_evidence_sets_are_counted_once_and_by_type() -> None:
    told = statistics(EXAMPLES)
    assert told.sets == 4
    assert told.sets_by_type == {"cells": 1, "sentences": 1, "sentences + cells": 1, "sentences + lists": 1}
    assert told.sets_per_claim == Spread(3, 4 / 3, 1, 1, 1, 1.5, 2)
    assert told.set_sizes == {1: 1, 2: 2, 3: 1}
    assert told.mean_per_set == {"sentences": 3 / 4, "cells": 3 / 4, "tables": 2 / 4}
    assert (told.with_evidence, told.several_pieces, told.several_pages) == (3, 3, 2)
    assert (told.need_several_pieces, told.need_several_pages) == (2, 1)


def test_pieces_and_their_places_are_counted_once_for_each_claim() -> None:
    told = statistics(EXAMPLES)
    assert told.pieces_by_kind == {"sentence": 3, "table_caption": 1, "cell": 3, "item": 1}
    assert told.sentence_positions == {0: 1, 1: 1, 4: 1}
    assert told.row_positions == {1: 1, 3: 2}


def test_pages_are_counted_over_claims_and_claims_over_pages() -> None:
    told = statistics(EXAMPLES)
    assert told.pages == 2
    assert told.pages_per_claim.n == 3
    assert told.claims_per_page == Spread(2, 2.5, 2, 2.25, 2.5, 2.75, 3)


def test_sections_come_from_the_context_of_feverous() -> None:
    context = {
        "K2_sentence_0": ["K2_title"],
        "K2_cell_0_1_0": ["K2_title", "K2_section_2", "K2_section_3", "K2_header_cell_0_0_0"],
    }
    evidence = [{"content": list(context), "context": context}]
    example = Example(Claim("1", "x"), Label.SUPPORTS, (gold(*context),), record={"evidence": evidence})
    assert statistics([example]).sections == {"introduction": 1, "section 3": 1}


def test_sections_and_lengths_come_from_quoted_evidence() -> None:
    quotes = [("Summary", "It is high."), ("Plot | Part two", "It is very high."), ("Plot", "High.")]
    record = {
        "text": "x",
        "gold_evidence": [{"section_header": section, "text": text} for section, text in quotes],
        "wikipedia_page": "K2",
    }
    example = Example(Claim("1", "x"), Label.SUPPORTS, record=record)
    told = statistics([example])
    assert told.sections == {"introduction": 1, "Plot": 2}
    assert told.evidence_lengths == Spread(1, 8, 8, 8, 8, 8, 8)
    assert (told.pages, pages_of(example)) == (1, frozenset({"K2"}))


def test_an_empty_data_set_has_no_numbers_and_divides_by_nothing() -> None:
    told = statistics([])
    assert told.claims == told.sets == told.pages == 0
    assert summary_rows([told]) == [("claims", "0")]


def test_a_set_of_nothing_has_a_name() -> None:
    assert type_of(frozenset()) == "no evidence"


def test_the_numbers_are_json() -> None:
    told = json.loads(json.dumps(statistics(EXAMPLES).as_dict()))
    assert told["lengths"]["median"] == 3
    assert told["row_positions"] == {"1": 1, "3": 2}
    assert told["lengths_by_label"]["REFUTES"]["n"] == 1


def test_data_sets_stand_side_by_side_with_a_dash_where_one_has_nothing() -> None:
    table = {name: cells for name, *cells in summary_rows([statistics(EXAMPLES), statistics(EXAMPLES[3:])])}
    assert table["claims"] == ["4", "1"]
    assert table["SUPPORTS"] == ["1 (25 %)", "–"]
    assert table["unlabelled"] == ["1 (25 %)", "1 (100 %)"]
    assert table["sets of sentences"] == ["1 (25 %)", "–"]
    assert table["words of a claim, quartiles"] == ["2.75 · 3 · 4", "2 · 2 · 2"]
    assert "sets of passages" not in table


def test_the_table_of_markdown_has_a_column_for_each_data_set() -> None:
    header, line, first, *_ = as_markdown([statistics(EXAMPLES, "all"), statistics(EXAMPLES[:1], "one")]).splitlines()
    assert (header, line, first) == ("|  | all | one |", "| --- | ---: | ---: |", "| claims | 4 | 1 |")


# -- the papers --


def test_fifty_official_records_of_feverous_are_like_the_paper_says(data_folder: Path) -> None:
    told = statistics(datasets.load(data_folder / "feverous" / "official_records_dev50.jsonl.gz"))
    assert told.claims == 50
    assert told.lengths.mean == pytest.approx(25.3, abs=0.05)  # table 1: 25.3
    assert told.pieces_by_kind == {"sentence": 83, "table_caption": 3, "header_cell": 3, "cell": 102, "item": 5}
    assert told.sets == 53
    assert told.sets_per_claim.greatest == 2
    assert told.pieces_per_set.greatest == 14
    assert told.sets_per_claim.mean == pytest.approx(1.1, abs=0.05)  # supplement: 1.1
    # Table 2 has 43, 32 and 25 % of the whole; these were drawn evenly over labels and challenges.
    assert told.sets_by_type == {"sentences": 26, "sentences + cells": 15, "cells": 10, "sentences + lists": 2}


def test_a_part_of_fevers_development_set_is_like_the_paper_says(data_folder: Path) -> None:
    told = statistics(datasets.load("fever/paper_dev", data=data_folder))
    assert told.mean_per_set["sentences"] == pytest.approx(1.2, abs=0.05)  # table 1 of the FEVEROUS paper
    assert told.several_pages / told.with_evidence == pytest.approx(0.1215, abs=0.005)  # section 1
    assert told.several_pieces / told.with_evidence == pytest.approx(0.1682, abs=0.03)
    # Table 2 of the FaVIQ paper has 9.3, and 7, 9 and 11: the full stop is a word there.
    assert told.lengths.mean + 1 == pytest.approx(9.3, abs=0.2)
    assert [told.lengths.first + 1, told.lengths.median + 1, told.lengths.third + 1] == [7, 9, 11]


def test_the_development_set_of_foolmetwice_has_the_numbers_of_its_paper(data_folder: Path) -> None:
    told = statistics(datasets.load("fm2/dev", data=data_folder))
    assert told.claims == 1169  # table 1
    assert told.labels["SUPPORTS"] / told.claims == pytest.approx(0.51, abs=0.005)
    assert told.pages == 209
    assert told.lengths.mean == pytest.approx(13.9, abs=0.1)  # table 2 of the FaVIQ paper, with 9, 13 and 16.3
    assert (told.lengths.first, told.lengths.median, told.lengths.third) == (9, 12, 17)
