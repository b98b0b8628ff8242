"""Tables that the corpus which ships can fill, without data sets and with stand-ins for models."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from veritab.papers.tables import (
    Number,
    ProgressStep,
    TableCell,
    TableInputs,
    TableNote,
    fever_classification,
    fever_pipeline,
    find,
    fm2,
    reproduce,
)
from veritab.papers.tables import feverous as feverous_work
from veritab.train.examples import VerdictExample

CLAIMS = 24


class AlwaysSupports:
    """A classifier of one opinion."""

    def scores(self, pairs: Sequence[VerdictExample]) -> list[tuple[float, float, float]]:
        return [(0.9, 0.05, 0.05) for _ in pairs]


def stub_fitted(
    inputs: TableInputs, what: str, recipe: Mapping[str, Any]
) -> Generator[ProgressStep, None, AlwaysSupports]:
    yield ProgressStep(what)
    return AlwaysSupports()


def stub_logits(
    inputs: TableInputs, pairs: Sequence[tuple[str, str]]
) -> Generator[ProgressStep, None, list[list[float]]]:
    yield ProgressStep("judging")
    return [[3.0, 0.0, 0.0] for _ in pairs]


def nothing(*_: Any) -> Iterator[Any]:
    return iter(())


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (fever_classification, fever_pipeline):
        monkeypatch.setattr(module, "fit_or_load", stub_fitted)
    for module in (feverous_work, fm2):
        monkeypatch.setattr(module, "logits", stub_logits)
    monkeypatch.setattr(fever_pipeline, "_veritab", nothing)
    monkeypatch.setattr(feverous_work, "_veritab", nothing)
    monkeypatch.setattr(fm2, "_retrieve", stub_passages)


def stub_passages(corpus: Any, system: str, claims: Sequence[Any]) -> Generator[ProgressStep, None, Any]:
    yield ProgressStep(system)
    return corpus.passages(claims, 10)


def filled(name: str, cache: Path) -> tuple[dict[tuple[str, str], TableCell], dict[str, str]]:
    told = list(reproduce(name, TableInputs(cache=cache, at_most=CLAIMS)))
    cells = {(each.row, each.column): each for each in told if isinstance(each, TableCell)}
    return cells, {each.name: each.text for each in told if isinstance(each, TableNote)}


@pytest.mark.usefixtures("stubs")
@pytest.mark.parametrize(
    "name",
    ["fever-2", "fever-sentences", "fever-4", "fever-5", "fever-6", "feverous-3", "feverous-4-left", "fm2-5", "fm2-7"],
)
def test_every_published_cell_has_ours_or_a_reason_and_says_what_differs(name: str, cache: Path) -> None:
    cells, notes = filled(name, cache)
    for row, columns in find(name).published.items():
        for column, theirs in columns.items():
            cell = cells[row, column]
            assert cell.published == theirs
            assert bool(cell.why) != isinstance(cell.ours, Number), cell
    for cell in cells.values():
        assert set(cell.notes) <= set(notes)
        assert cell.why or {"corpus"} <= set(cell.notes)
        if isinstance(cell.ours, Number):
            assert 0 <= cell.ours.low <= cell.ours.value <= cell.ours.high <= 1
            assert 0 < cell.ours.n <= 360
    assert "almanac" in notes["corpus"]


def test_more_pages_hold_more_and_an_oracle_is_as_good_as_they_allow(cache: Path) -> None:
    cells, _ = filled("fever-2", cache)
    shares = [cells[str(k), "Fully supported"].ours for k in (1, 5, 10, 25, 50, 100)]
    values = [each.value for each in shares if isinstance(each, Number)]
    assert values == sorted(values)
    assert len(values) == 6
    oracle = cells["5", "Oracle accuracy"].ours
    assert isinstance(oracle, Number)
    assert oracle.value == pytest.approx(1 / 3 + 2 / 3 * values[1])


@pytest.mark.usefixtures("stubs")
def test_one_who_always_supports_is_right_as_often_as_claims_are_supported(cache: Path) -> None:
    from veritab.papers.tables.corpora import open_table_corpus, three_way

    inputs = TableInputs(cache=cache, at_most=CLAIMS)
    with open_table_corpus(inputs) as corpus:
        examples, _ = three_way(corpus, "fever/paper_dev")
    labels = [str(example.label) for example in examples]
    assert labels.count("NOT ENOUGH INFO") == CLAIMS // 3
    cells, _ = filled("fever-4", cache)
    right, scored = (cells["DA / NP", column].ours for column in ("NoScoreEv", "ScoreEv"))
    assert isinstance(right, Number)
    assert isinstance(scored, Number)
    assert right.value == labels.count("SUPPORTS") / len(labels)
    assert scored.value <= right.value


def test_rankings_are_kept_and_read_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from veritab.papers.tables.corpora import TableCorpus

    first, _ = filled("fever-2", cache)

    def search(self: TableCorpus, name: str) -> Any:
        raise AssertionError(f"{name} was asked again")

    monkeypatch.setattr(TableCorpus, "_retriever", search)
    assert filled("fever-2", cache)[0] == first


def test_a_corpus_without_the_claims_of_a_table_is_answered_with_what_to_do(tmp_path: Path) -> None:
    told = list(reproduce("feverous-3", TableInputs(data=tmp_path, corpus=tmp_path, cache=tmp_path)))
    assert {each.why for each in told if isinstance(each, TableCell)} == {
        "feverous/dev is not on hand; leave --corpus out, and the almanac and its claims are used"
    }
