"""Claims made by rule: what a change does to a sentence, and that the claim alone does not tell its label."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.train import small_sets
from veritab.build.mutations import (
    Mutation,
    NameSwaps,
    count,
    country,
    day,
    nationality,
    negate,
    number,
    opposite,
    year,
)
from veritab.build.training_claims.sentence_claims import claim_sentences, drop_last_clause
from veritab.text import words
from veritab.train.examples import VerdictExample
from veritab.train.sources import examples

CHANCE = 0.45
"""A claim alone must not tell its label more often than this; a third is chance."""


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_sets.write(tmp_path_factory.mktemp("sets"))


def rng() -> random.Random:
    return random.Random(5)


# -- single changes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "text", "old"),
    [
        (year, "It opened in 1931.", "1931"),
        (number, "It has 1,250 seats.", "1,250"),
        (number, "It is 3.5 miles long.", "3.5"),
        (day, "It began on May 4, 1990.", "May 4"),
        (count, "It has three towers.", "three"),
        (nationality, "She is a Danish poet.", "Danish"),
        (country, "It lies in Chile.", "Chile"),
        (opposite, "It is the largest lake.", "largest"),
    ],
)
def test_a_rule_changes_what_it_is_for(rule: object, text: str, old: str) -> None:
    assert callable(rule)
    (mutation,) = rule(text, rng())
    assert mutation.old == old
    assert mutation.new != old
    assert mutation.apply(text) == text.replace(old, mutation.new)


def test_a_day_of_the_month_and_a_year_are_no_plain_numbers() -> None:
    assert list(number("It began on May 4, 1990.", rng())) == []


def test_the_article_fits_the_new_word() -> None:
    assert Mutation("Danish", "Austrian", "").apply("She is a Danish poet.") == "She is an Austrian poet."
    assert Mutation("Austrian", "Danish", "").apply("An Austrian poet.") == "A Danish poet."


def test_a_number_inside_another_is_left_alone() -> None:
    assert not Mutation("25", "30", "").affects("It cost $25 in 1925, or 0.25 of 25,000.")


def test_names_are_swapped_within_their_kind() -> None:
    names = NameSwaps({"Lyon": "place", "Turin": "place", "Porto": "place", "Ann Lee": "person"}.get)  # type: ignore[arg-type]
    names.learn(["A house in Lyon.", "A house in Turin.", "A house in Porto."] * 3)
    (mutation,) = names.swaps("He was born in Lyon.", "He was born in Lyon.", rng())
    assert mutation.old == "Lyon"
    assert mutation.new in ("Turin", "Porto")


def test_a_denial_says_the_opposite_of_one_statement() -> None:
    assert negate("She was born in Lyon.") == "She was not born in Lyon."
    assert negate("It has been sold.") == "It has not been sold."
    assert negate("She was not born in Lyon.") == ""
    assert negate("She was a poet who lived in Lyon.") == ""


# -- sentences as claims ------------------------------------------------------------------------------------


def test_a_pronoun_becomes_the_name_of_the_page() -> None:
    told = claim_sentences("Ann Lee (poet)", ["Ann Lee was a Danish writer.", "She moved to Porto in 1931."], rng())
    assert [each.claim for each in told] == ["Ann Lee was a Danish writer.", "Ann Lee moved to Porto in 1931."]


def test_a_pronoun_that_cannot_mean_the_page_makes_no_claim() -> None:
    told = claim_sentences(
        "Lee Medal", ["The Lee Medal is an award for rowing boats.", "They were built in 1931 in Porto."], rng()
    )
    assert [each.number for each in told] == [0]


def test_dates_of_life_become_claims() -> None:
    told = claim_sentences("Ann Lee", ["Ann Lee (May 4, 1890 – June 1, 1950) was a Danish writer of novels."], rng())
    phrase = {each.claim for each in told}
    assert any("was born" in claim and "1890" in claim for claim in phrase)
    assert any("died" in claim and "1950" in claim for claim in phrase)


def test_the_last_clause_can_be_dropped() -> None:
    assert (
        drop_last_clause("Ann Lee opened a school in Porto, which closed in 1931.")
        == "Ann Lee opened a school in Porto."
    )


def test_a_superlative_keeps_what_limits_it() -> None:
    text = "Ann Lee was the first woman in the guild, which closed in 1931."
    assert drop_last_clause(text) == text


def test_a_clause_that_opens_a_sentence_is_no_sentence() -> None:
    text = "Born in Porto to a weaver, she opened a school."
    assert drop_last_clause(text) == text


# -- claims that are made -----------------------------------------------------------------------------------


def naive_bayes(pairs: Sequence[VerdictExample]) -> float:
    """How often the words of a claim alone tell its label, in five parts by turns, with labels equally frequent."""
    least = min(Counter(pair.label for pair in pairs).values())
    kept = [pair for label in range(3) for pair in [each for each in pairs if each.label == label][:least]]
    random.Random(0).shuffle(kept)
    right = 0
    for part in range(5):
        learned = [Counter[str]() for _ in range(3)]
        for place, pair in enumerate(kept):
            if place % 5 != part:
                learned[pair.label].update(set(words(pair.claim)))
        known = len(set().union(*learned))
        totals = [each.total() + known for each in learned]
        for pair in kept[part::5]:
            told = set(words(pair.claim))
            scores = [
                sum(math.log((each[word] + 1) / total) for word in told)
                for each, total in zip(learned, totals, strict=True)
            ]
            right += scores.index(max(scores)) == pair.label
    return right / len(kept)


@pytest.mark.parametrize("name", ["mutated", "table_claims"])
def test_the_claim_alone_does_not_tell_its_label(sets: Path, name: str) -> None:
    pairs = [pair for seed in range(2) for pair in examples("verdict", name, sets, seed=seed, pairs=300)]
    assert len(pairs) >= 400
    assert naive_bayes(pairs) < CHANCE


def test_naive_bayes_finds_a_label_that_the_claim_gives_away() -> None:
    pairs = [VerdictExample(f"word{label} and {place}", "", label) for place in range(60) for label in range(3)]
    assert naive_bayes(pairs) > 0.9


def test_all_labels_are_made_about_equally_often(sets: Path) -> None:
    made = Counter(pair.label for pair in examples("verdict", "mutated", sets, seed=0, pairs=300))
    assert min(made.values()) > 60


def test_a_supported_claim_has_its_words_in_the_evidence_and_an_unsettled_one_lacks_some(sets: Path) -> None:
    def missing(pair: VerdictExample) -> set[str]:
        figures = {word for word in words(pair.claim) if word.isdigit()}
        return figures - set(words(pair.evidence))

    made = list(examples("verdict", "mutated", sets, seed=0, pairs=300, titled=1.0))
    assert not [pair for pair in made if pair.label == 0 and missing(pair) and " not " not in pair.claim]
    assert any(pair.label == 2 and missing(pair) for pair in made)
    assert any(pair.label == 1 and missing(pair) for pair in made)


def test_no_more_claims_are_made_than_asked_for(sets: Path) -> None:
    for name in ("mutated", "table_claims"):
        assert len(list(examples("verdict", name, sets, seed=0, pairs=17))) == 17


def test_claims_of_two_sentences_are_made(sets: Path) -> None:
    claims = [pair.claim for pair in examples("verdict", "mutated", sets, seed=0, pairs=300)]
    assert any(" and " in claim and len(claim.split()) > 15 for claim in claims)


def test_claims_of_tables_name_their_page_and_values_of_one_row(sets: Path) -> None:
    supported = [pair for pair in examples("verdict", "table_claims", sets, seed=0, pairs=60) if pair.label == 0]
    for pair in supported:
        page = pair.evidence.partition(".")[0]
        assert page in pair.claim
        assert "Clubs › Northern league" in pair.evidence
