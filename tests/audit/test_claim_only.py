"""The claim-only classifier: what it finds, what it must not find, and folds that keep pages together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.audit.samples import REFUTES, SUPPORTS, UNKNOWN, giveaway_rows, row, silent_rows
from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import (
    FOLDS,
    Classifier,
    claim_only_baseline,
    folds,
    groups_of,
    transfer_accuracy,
    transfer_predictions,
)
from veritab.audit.ngrams import count_ngrams
from veritab.audit.partition import write_partition


def labels(rows: list[AuditRow]) -> list[str]:
    return [str(each.label) for each in rows]


def test_a_word_that_tells_is_found() -> None:
    rows = giveaway_rows()
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.accuracy.value > 0.95
    assert result.majority.value == pytest.approx(0.5, abs=0.1)
    assert result.gain.low > 0.3
    assert result.gain.value == pytest.approx(result.accuracy.value - result.majority.value)
    assert result.together == "pages"
    assert result.groups == 12


def test_claims_that_tell_nothing_are_not_told() -> None:
    rows = silent_rows()
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.gain.low <= 0


def test_the_same_claims_give_the_same_answers() -> None:
    rows = giveaway_rows(60)
    assert claim_only_baseline(rows, labels(rows)) == claim_only_baseline(
        rows, labels(rows), count_ngrams(each.text for each in rows)
    )


@pytest.mark.parametrize("rows", [[], giveaway_rows(40), [row(str(n), SUPPORTS, str(n)) for n in range(80)]])
def test_too_little_to_learn_from_gives_nothing(rows: list[AuditRow]) -> None:
    assert claim_only_baseline(rows, labels(rows)) is None


def test_a_rare_answer_does_not_hide_what_claims_tell_of_the_others() -> None:
    rare = [row(f"rare {n}", UNKNOWN, f"Page {n}") for n in range(4)]
    rows = [*giveaway_rows(), *rare]
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.recall["SUPPORTS"].value > 0.95
    rows = [*(row(str(n), SUPPORTS, str(n)) for n in range(80)), *rare]
    assert claim_only_baseline(rows, labels(rows)) is None


def test_the_majority_is_that_of_all_claims_however_they_fall_into_folds() -> None:
    """The most frequent answer of the other folds is, in a balanced data set, what the fold asked has least of."""
    rows = [row(f"word{n}", (SUPPORTS, REFUTES)[n % 14 // 7], f"Page {n % 14}") for n in range(84)]
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.majority.value == 0.5


def test_claims_of_two_pages_only_are_dealt_out_one_by_one() -> None:
    rows = [each._replace(pages=(f"Page {place % 2}",)) for place, each in enumerate(giveaway_rows())]
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.together == "claims"


def test_claims_that_share_no_word_and_labels_that_share_a_page_are_no_failure() -> None:
    alone = [row(f"word{n}", (SUPPORTS, REFUTES)[n % 2], f"Page {n}") for n in range(60)]
    result = claim_only_baseline(alone, labels(alone))
    assert result is not None
    assert result.gain.value <= 0
    apart = [each._replace(pages=("Lies",) if each.label is REFUTES else each.pages) for each in giveaway_rows()]
    result = claim_only_baseline(apart, labels(apart))
    assert result is not None
    assert result.recall["REFUTES"].value == 0


# -- folds --


@given(st.lists(st.tuples(st.sampled_from("SRN"), st.integers(0, 30)), min_size=20, max_size=200))
def test_a_page_is_never_in_two_folds(claims: list[tuple[str, int]]) -> None:
    answers, pages = [answer for answer, _ in claims], [str(page) for _, page in claims]
    chosen = folds(answers, pages).tolist()
    assert all(
        len({fold for fold, page in zip(chosen, pages, strict=True) if page == each}) == 1 for each in set(pages)
    )


def test_folds_hold_as_much_of_each_answer() -> None:
    answers = ["S"] * 300 + ["R"] * 100
    chosen = folds(answers, [str(number) for number in range(400)]).tolist()
    assert Counter(chosen[:300]) == dict.fromkeys(range(FOLDS), 60)
    assert Counter(chosen[300:]) == dict.fromkeys(range(FOLDS), 20)


def test_claims_built_of_one_record_share_a_fold_whatever_their_pages() -> None:
    rows = [
        row("Ann sang it", SUPPORTS, "Ann")._replace(origin=("asked.jsonl", "1")),
        row("Bob sang it", REFUTES, "Bob")._replace(origin=("asked.jsonl", "1")),
        row("Bob left", REFUTES, "Bob")._replace(origin=("other.jsonl", "1")),
    ]
    together, (one, other, third) = groups_of(rows)
    assert together == "records"
    assert one == other != third
    assert groups_of([*rows, row("Bob came", SUPPORTS, "Bob")])[0] == "pages"


def test_claims_with_several_pages_go_with_the_one_that_most_claims_have() -> None:
    rows = [row("a", SUPPORTS, "Rare", "Often"), row("b", REFUTES, "Often"), row("c", REFUTES, "Other")]
    assert groups_of(rows) == ("pages", ["Often", "Often", "Other"])


def test_where_some_claims_have_no_page_all_go_by_what_their_words_say() -> None:
    rows = [
        row("Soul Food was made by a studio.", SUPPORTS, "Soul Food (film)"),
        row("A studio has paid for Soul Food.", UNKNOWN),
        row("Ann Lee sang.", UNKNOWN),
        row("Ann Lee danced.", REFUTES, "Song (2001)"),
    ]
    assert groups_of(rows) == ("subjects", ["Soul Food (film)", "Soul Food (film)", "ann lee", "ann lee"])


def test_pages_that_only_some_labels_have_do_not_make_the_classifier_worse_than_the_majority() -> None:
    """Were claims without a page dealt out one by one, words of a held-out page would always mean "no page"."""
    drawn = Random(0)
    rows = []
    for place in range(400):
        town = f"Town T{drawn.randrange(20)}"
        label = drawn.choice((SUPPORTS, REFUTES, UNKNOWN))
        text = f"{town} lies in land {drawn.randrange(300)} near {drawn.randrange(300)}."
        rows.append(row(text, label, *(() if label is UNKNOWN else (town,)), id=str(place)))
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    assert result.together == "subjects"
    assert result.gain.high > 0


# -- another data set, and the parts --


def test_what_was_learned_elsewhere_is_asked_here() -> None:
    here, there = giveaway_rows(60), giveaway_rows(120)[60:]
    metric = transfer_accuracy(here, labels(here), there, labels(there))
    assert metric is not None
    assert metric.value > 0.95
    assert transfer_accuracy(here, labels(here), [], []) is None


@pytest.mark.parametrize("classifier", ["svm", "logistic regression", "naive bayes"])
def test_each_classifier_finds_what_gives_claims_away(classifier: Classifier) -> None:
    here, there = giveaway_rows(60), giveaway_rows(120)[60:]
    predicted = transfer_predictions(here, there, labels(there), classifier)
    assert predicted is not None
    assert sum(map(str.__eq__, predicted, labels(here))) > 57
    assert transfer_predictions(here, there, ["SUPPORTS"] * len(there), classifier) is None


def test_the_parts_are_written_in_order(tmp_path: Path) -> None:
    rows = giveaway_rows(60)
    result = claim_only_baseline(rows, labels(rows))
    assert result is not None
    easy = write_partition(result, tmp_path / "parts.jsonl")
    lines = [orjson.loads(line) for line in (tmp_path / "parts.jsonl").read_bytes().splitlines()]
    assert [line["id"] for line in lines] == [each.id for each in rows]
    assert sum(line["partition"] == "EASY" for line in lines) == easy == round(result.accuracy.value * 60)
    for line, each in zip(lines, rows, strict=True):
        assert (line["partition"] == "EASY") == (line["predicted_label"] == each.label)
