"""Evidence that settles nothing: what is taken from around gold evidence, and what is left when a part of it goes."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.train import small_sets
from veritab.build.elements import numbered, row_elements
from veritab.build.library import library
from veritab.build.sampling import NegativeSampler, drop_cells, drop_sentence
from veritab.datasets import DataFiles
from veritab.errors import InputError
from veritab.schema import Kind, Table
from veritab.text import words
from veritab.train.examples import VerdictExample
from veritab.train.sources import examples
from veritab.train.sources.tfidf import TfidfIndex

CLAIM, PAGE = "Ada Almer travelled to Rome by ship.", "Ada Almer"
GOLD = ["She sailed to Rome (twice)."]


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_sets.write(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="session")
def sampler(sets: Path) -> NegativeSampler:
    return NegativeSampler(library(DataFiles(sets)), frozenset({"bruno holm"}))


def chances(times: int = 20) -> list[random.Random]:
    return [random.Random(seed) for seed in range(times)]


def test_a_page_has_the_lines_of_fever_first_and_then_its_introduction(sampler: NegativeSampler) -> None:
    texts = [element.text for element in sampler.page(PAGE)]
    assert texts[:2] == ['"Three apples" were all that Almer ate.', "She sailed to Rome (twice)."]
    assert len(texts) == 7


def test_nearest_brings_other_sentences_of_the_page_and_never_the_gold_one(sampler: NegativeSampler) -> None:
    found = [sampler.nearest(CLAIM, PAGE, GOLD, rng) for rng in chances()]
    assert all(1 <= len(each) <= 5 for each in found)
    assert {element.id.page for each in found for element in each} == {PAGE}
    assert not [element for each in found for element in each if "Rome" in element.text]


def test_nearest_takes_no_page_for_what_a_thing_is(sampler: NegativeSampler) -> None:
    assert not sampler.nearest("Ada Almer was a painter.", PAGE, ["She painted."], random.Random(0))


def test_other_pages_that_the_claim_names_are_near(sampler: NegativeSampler) -> None:
    assert sampler.named_pages("Ada Almer taught Karl Brandt and Bruno Holm.", PAGE) == ["Karl Brandt"]


def test_random_evidence_is_of_another_page(sampler: NegativeSampler) -> None:
    for rng in chances():
        pages = {element.id.page for element in sampler.from_any_page(CLAIM, PAGE, GOLD, rng)}
        assert pages
        assert PAGE not in pages


def test_a_swapped_claim_is_about_another_page_of_the_same_kind(sets: Path) -> None:
    sampler = NegativeSampler(library(DataFiles(sets)))
    kinds = {"Red Sand": "film", "Blue Sand": "film", "White Sand": "song"}
    pages = {
        title: numbered(title, [f"{title} was a famous {kind}.", "Karl Brandt disliked it.", "Critics praised it."])
        for title, kind in kinds.items()
    }
    sampler.page = pages.__getitem__  # type: ignore[assignment]
    sampler.group_by_kind(kinds)
    for rng in chances():
        claim, evidence = sampler.swap_page("Red Sand was praised by Karl Brandt.", "Red Sand", rng)
        assert claim == "Blue Sand was praised by Karl Brandt."
        assert evidence
        assert {element.id.page for element in evidence} == {"Blue Sand"}
        assert not [element for element in evidence if "Karl Brandt" in element.text]
        assert sampler.swap_page("White Sand was praised by Karl Brandt.", "White Sand", rng) == ("", [])


def test_what_stands_beside_gold_evidence_does_not_repeat_it(sampler: NegativeSampler) -> None:
    for rng in chances():
        beside = sampler.distractors(CLAIM, PAGE, GOLD, rng)
        assert 1 <= len(beside) <= 3
        assert not [element for element in beside if element.text in GOLD]


def test_one_sentence_is_removed() -> None:
    gold = numbered("Bridge", ["It is old.", "It is long.", "It is wide."])
    found = [drop_sentence(gold, rng) for rng in chances()]
    assert {len(left) for left in found} == {2}
    assert {element.id for left in found for element in left} == {element.id for element in gold}
    assert all(drop_sentence(gold, rng, {gold[1].id}) == [gold[0], gold[2]] for rng in chances())


def test_a_single_sentence_leaves_nothing() -> None:
    assert drop_sentence(numbered("Bridge", ["It is old."]), random.Random(0)) == []


def test_a_table_is_removed_and_sentences_stay() -> None:
    cells = row_elements(Table.of([["third", "12 m"]], header=["Arch", "Width"], title="Bridge"), 1)
    said = numbered("Bridge", ["It is old."])
    assert drop_cells([*said, *cells]) == said
    assert drop_cells(said) == []
    assert {cell.kind for cell in cells} == {Kind.CELL}


def test_evidence_that_settles_nothing_is_labelled_so(sets: Path) -> None:
    only: dict[str, Any] = {"titled": 1.0, "distractors": 0.0, "nei": 1.0}
    for way in ("nearest", "random"):
        pairs: list[VerdictExample] = list(examples("verdict", "fever", sets, seed=3, sampling={way: 1.0}, **only))
        unsettled = [pair for pair in pairs if pair.label == 2]
        assert unsettled
        assert not [pair for pair in unsettled if "Rome" in pair.evidence or "dawn" in pair.evidence]


WAYS = [
    *(("mutated", way) for way in ("rest", "nearest", "random", "removed_sentence")),
    *(("table_claims", way) for way in ("rest", "removed_sentence", "removed_table")),
]


def unsettled(sets: Path, name: str, way: str) -> list[VerdictExample]:
    more: dict[str, Any] = {"introduction": 1.0} if name == "table_claims" else {"titled": 1.0}
    pairs = examples("verdict", name, sets, seed=0, pairs=300, sampling={way: 1.0}, **more)
    return [pair for pair in pairs if pair.label == 2]


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_every_way_of_sampling_can_be_asked_for(sets: Path, name: str, way: str) -> None:
    assert len(unsettled(sets, name, way)) >= 20


@pytest.mark.parametrize("name", ["mutated", "table_claims"])
def test_without_a_way_named_the_rest_of_the_page_or_table_is_taken(sets: Path, name: str) -> None:
    plain = list(examples("verdict", name, sets, seed=0, pairs=100))
    named = list(examples("verdict", name, sets, seed=0, pairs=100, sampling={"rest": 1}))
    assert plain == named


def test_a_claim_of_two_sentences_keeps_the_one_that_does_not_decide_it(sets: Path) -> None:
    def figures(text: str) -> set[str]:
        without_asides = re.sub(r"\([^)]*\)", "", text)  # claims leave them out
        return {word for word in words(without_asides) if word.isdigit()}

    pairs = unsettled(sets, "mutated", "removed_sentence")
    for pair in pairs:
        page, _, left = pair.evidence.partition(". ")
        assert page in pair.claim
        assert left.count(". ") == 0, "one sentence is left of two"
        assert figures(left) <= figures(pair.claim), "what is left does not refute the claim"
    assert any(figures(pair.claim) - figures(pair.evidence) for pair in pairs)


def test_random_evidence_for_a_claim_that_was_made_is_of_another_page(sets: Path) -> None:
    pairs = unsettled(sets, "mutated", "random")
    assert pairs
    assert not [pair for pair in pairs if pair.claim.startswith(pair.evidence.partition(".")[0])]


def test_without_its_table_a_claim_has_sentences_alone_and_without_its_sentence_cells_alone(sets: Path) -> None:
    without_table = unsettled(sets, "table_claims", "removed_table")
    without_sentence = unsettled(sets, "table_claims", "removed_sentence")
    assert without_table
    assert without_sentence
    for pair in without_table:
        assert "Northern league" not in pair.evidence
        assert "sport" in pair.evidence or "sailors" in pair.evidence
    for pair in without_sentence:
        assert "Northern league" in pair.evidence
        assert "sport" not in pair.evidence
        assert "sailors" not in pair.evidence
        assert "is an old sport, and" in pair.claim or "by sailors, and" in pair.claim


def test_what_is_left_without_its_sentence_does_not_refute_the_claim(sets: Path) -> None:
    pairs = unsettled(sets, "table_claims", "removed_sentence")
    plain = [pair for pair in pairs if "higher" not in pair.claim and "lower" not in pair.claim]
    assert plain
    for pair in plain:
        about_cells = pair.claim.partition(", and ")[2]
        figures = [word for word in words(about_cells) if word.isdigit()]
        assert set(figures) <= set(words(pair.evidence))


def test_gold_evidence_keeps_its_label_among_distractors(sets: Path) -> None:
    pairs = list(examples("verdict", "fever", sets, seed=0, distractors=1.0, nei=0.0, titled=1.0))
    (told,) = [pair for pair in pairs if pair.claim == CLAIM]
    assert told.label == 0
    assert "She sailed to Rome (twice)." in told.evidence
    assert len(told.evidence) > 60


def test_titles_are_dropped_as_often_as_asked(sets: Path) -> None:
    pairs = list(examples("verdict", "fever", sets, seed=0, titled=0.0, nei=0.0, distractors=0.0))
    assert pairs
    assert not [pair for pair in pairs if pair.evidence.startswith(("Ada Almer.", "Bruno Holm."))]


def test_unknown_ways_of_sampling_are_refused(sets: Path) -> None:
    for name in ("fever", "mutated", "table_claims"):
        with pytest.raises(InputError, match="'nearst'"):
            list(examples("verdict", name, sets, seed=0, sampling={"nearst": 1.0}))


def test_the_nearest_text_shares_the_rarest_words() -> None:
    nearest = TfidfIndex(["the red barn", "the red house", "a blue barn by the red sea", "nothing here"] * 3)
    assert nearest.best("blue sea", 1) == [2]
    assert nearest.best("blue sea", 2, without=[2]) == [6, 10]
    assert nearest.best("unheard words", 3) == []
