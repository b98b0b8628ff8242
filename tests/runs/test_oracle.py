"""Stages that are told the answer, and stages that remember."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.evaluate import mountains
from tests.evaluate.mountains import BIRTH, CELL, SENTENCE
from veritab import datasets
from veritab.errors import InputError
from veritab.pipeline import Checker, Pipeline
from veritab.runs.oracle import GOLD, Oracle, prepare_pipeline
from veritab.runs.stages import FILE, CachedRetriever, CachedSelector, StageCache, open_stage_cache
from veritab.schema import Claim, ElementId, Example, Hit, Kind, Label
from veritab.verify.evidence import select_readable


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    corpus = mountains.make_corpus(tmp_path_factory.mktemp("mountains"))
    with Checker.open(corpus, mountains.settings()) as opened:
        yield opened


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    return list(datasets.load(mountains.write_claims(tmp_path_factory.mktemp("claims") / "claims.jsonl")))


def claims(examples: Sequence[Example]) -> list[Claim]:
    return [example.claim for example in examples]


def found(pipeline: Pipeline, examples: Sequence[Example]) -> list[list[str]]:
    return [[str(hit.element.id) for hit in each.selected] for each in pipeline.find(claims(examples))]


# -- oracles --


def test_gold_pages_are_the_only_pages_that_are_searched(checker: Checker, examples: list[Example]) -> None:
    pipeline = prepare_pipeline(checker, Oracle.PAGES, examples)
    for example, each in zip(examples[:3], pipeline.find(claims(examples))[:3], strict=True):
        (page,) = {id.page for gold in example.evidence for id in gold}
        assert each.candidates
        assert {hit.element.id.page for hit in each.candidates} == {page}


def test_a_page_that_the_claim_does_not_lead_to_is_found_when_told(checker: Checker, examples: list[Example]) -> None:
    usual = replace(checker.pipeline.retrieve, depth=1)  # type: ignore[type-var]
    assert BIRTH not in [str(hit.element.id) for hit in usual.retrieve([examples[2].claim], 40)[0]]
    (hits,) = prepare_pipeline(checker, Oracle.PAGES, examples).retrieve.retrieve([examples[2].claim], 40)
    assert BIRTH in [str(hit.element.id) for hit in hits]


def test_claims_without_gold_evidence_are_searched_for_as_ever(checker: Checker, examples: list[Example]) -> None:
    usual = found(checker.pipeline, examples)[3]
    assert found(prepare_pipeline(checker, Oracle.PAGES, examples), examples)[3] == usual
    assert found(prepare_pipeline(checker, Oracle.EVIDENCE, examples), examples)[3] == usual


def test_gold_evidence_is_all_that_is_judged(checker: Checker, examples: list[Example]) -> None:
    pipeline = prepare_pipeline(checker, Oracle.EVIDENCE, examples)
    assert found(pipeline, examples)[:3] == [[SENTENCE], [CELL], [BIRTH]]
    verdicts = pipeline.run(claims(examples))
    assert {hit.by for hit in verdicts[2].evidence} == {GOLD}


def test_gold_evidence_that_the_corpus_does_not_have_is_left_out(checker: Checker) -> None:
    gone = [
        Example(Claim("1", "Boberg is high."), Label.SUPPORTS, (frozenset({ElementId.parse("Boberg_sentence_99")}),))
    ]
    assert found(prepare_pipeline(checker, Oracle.EVIDENCE, gone), gone) == [[]]


def test_gold_cells_are_read_beside_gold_texts(checker: Checker, examples: list[Example]) -> None:
    both = replace(examples[0], evidence=(frozenset(map(ElementId.parse, (SENTENCE, CELL))),))
    (each,) = prepare_pipeline(checker, Oracle.EVIDENCE, [both]).find([both.claim])
    assert {hit.element.kind for hit in select_readable(each.selected, 0.5)} == {Kind.SENTENCE, Kind.CELL}


def test_gold_labels_change_the_label_and_nothing_else(checker: Checker, examples: list[Example]) -> None:
    usual = checker.pipeline.run(claims(examples))
    told = prepare_pipeline(checker, Oracle.LABELS, examples).run(claims(examples))
    assert [verdict.label for verdict in told] == [example.label for example in examples]
    assert [verdict.evidence for verdict in told] == [verdict.evidence for verdict in usual]
    assert all(verdict.scores[verdict.label] == 1.0 for verdict in told)


def test_gold_pages_need_a_retriever_that_knows_pages(checker: Checker, examples: list[Example]) -> None:
    other = Checker.__new__(Checker)
    other.pipeline = replace(checker.pipeline, retrieve=Counting())
    with pytest.raises(InputError, match="not a Counting"):
        prepare_pipeline(other, Oracle.PAGES, examples)


def test_without_an_oracle_nothing_changes(checker: Checker, examples: list[Example]) -> None:
    assert prepare_pipeline(checker, None, examples) is checker.pipeline


# -- stages that remember --


@dataclass
class Counting:
    """Counts what it is asked, and finds the same for all."""

    hits: list[Hit] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        self.asked += [claim.text for claim in claims]
        return [self.hits[:k] for _ in claims]

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        self.asked += [claim.text for claim in claims]
        return [list(some[:1]) for some in hits]


@pytest.fixture
def stages(tmp_path: Path, checker: Checker) -> Iterator[StageCache]:
    with open_stage_cache(tmp_path / "stages", checker.store) as opened:
        yield opened


@pytest.fixture
def hits(checker: Checker) -> list[Hit]:
    return [
        Hit(checker.store.element(id), score, "made up")
        for id, score in ((SENTENCE, 0.75), (CELL, 0.1 + 0.2), ("Aaberg_table_0", 0.25))
    ]


A, B = Claim("1", "Boberg is high."), Claim("2", "Aaberg is low.")


def test_what_was_retrieved_once_is_not_retrieved_again(stages: StageCache, hits: list[Hit]) -> None:
    inner = Counting(hits)
    kept = CachedRetriever(inner, stages, "stage")
    first = kept.retrieve([A], 40)
    assert kept.retrieve([B, A], 40) == [hits, hits]
    assert first == [hits]
    assert inner.asked == [A.text, B.text]
    assert (stages.hits, stages.misses) == (1, 2)


def test_another_stage_another_number_and_another_oracle_are_asked_anew(stages: StageCache, hits: list[Hit]) -> None:
    inner = Counting(hits)
    CachedRetriever(inner, stages, "one").retrieve([A], 40)
    CachedRetriever(inner, stages, "two").retrieve([A], 40)
    CachedRetriever(inner, stages, "one").retrieve([A], 20)
    CachedRetriever(inner, stages, "one", {"1": ["Boberg"]}).retrieve([A], 40)
    assert inner.asked == [A.text] * 4


def test_a_selector_is_asked_again_where_it_is_given_other_hits(stages: StageCache, hits: list[Hit]) -> None:
    inner = Counting()
    kept = CachedSelector(inner, stages, "stage")
    assert kept.select([A], [hits]) == kept.select([A], [hits]) == [hits[:1]]
    assert kept.select([A], [hits[1:]]) == [hits[1:2]]
    assert kept.select([A], [[replace(hits[0], score=0.5)]]) == [[replace(hits[0], score=0.5)]]
    assert len(inner.asked) == 3


def test_two_systems_with_different_verifiers_retrieve_and_select_once(
    checker: Checker, examples: list[Example], tmp_path: Path
) -> None:
    with open_stage_cache(tmp_path, checker.store) as first:
        usual = prepare_pipeline(checker, None, examples, first).run(claims(examples))
    assert (first.hits, first.misses) == (0, 8)
    with open_stage_cache(tmp_path, checker.store) as second:
        told = prepare_pipeline(checker, Oracle.LABELS, examples, second).run(claims(examples))
    assert (second.hits, second.misses) == (8, 0)
    assert [verdict.evidence for verdict in told] == [verdict.evidence for verdict in usual]
    assert usual == checker.pipeline.run(claims(examples))


def test_a_stage_with_an_oracle_is_another_stage(checker: Checker, examples: list[Example], tmp_path: Path) -> None:
    with open_stage_cache(tmp_path, checker.store) as kept:
        usual = found(prepare_pipeline(checker, None, examples, kept), examples)
        told = found(prepare_pipeline(checker, Oracle.PAGES, examples, kept), examples)
        again = found(prepare_pipeline(checker, Oracle.PAGES, examples, kept), examples)
    assert told == again
    assert told[2] != usual[2]


def test_an_element_that_is_gone_is_looked_for_again(stages: StageCache, hits: list[Hit], tmp_path: Path) -> None:
    inner = Counting(hits)
    CachedRetriever(inner, stages, "stage").retrieve([A], 40)
    with sqlite3.connect(tmp_path / "stages" / FILE) as database:
        database.execute("UPDATE kept SET hits = ?", (b'[["Boberg_sentence_99", 1.0, "x"]]',))
    database.close()
    assert CachedRetriever(inner, stages, "stage").retrieve([A], 40) == [hits]
    assert len(inner.asked) == 2


def test_a_file_that_keeps_no_stages_is_told(tmp_path: Path, checker: Checker) -> None:
    (tmp_path / FILE).write_text("this is no database, whatever its name says " * 10)
    with (
        pytest.raises(InputError, match=r"stages\.sqlite.*--fresh"),
        open_stage_cache(tmp_path, checker.store),
    ):
        pass
