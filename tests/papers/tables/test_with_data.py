"""Tables filled from small data sets of our own."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from veritab.papers import baselines
from veritab.papers.baselines.measures import FitProgress
from veritab.papers.tables import (
    Number,
    ProgressStep,
    TableCell,
    TableEvent,
    TableInputs,
    TableNote,
    faviq,
    fitted,
    fm2,
    reproduce,
)

LIES = 40


def write(folder: Path, name: str, records: Sequence[Mapping[str, Any]]) -> None:
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def game(number: int, label: str, text: str) -> dict[str, Any]:
    """A record of Fool Me Twice."""
    return {
        "id": f"g{number}",
        "label": label,
        "text": text,
        "wikipedia_page": f"Bridge {number}",
        "gold_evidence": [{"section_header": "Summary", "text": f"Bridge {number} was built in {1800 + number}."}],
        "retrieved_evidence": [],
        "category": "History",
        "correct_votes": 1,
        "total_votes": 1,
        "total_likes": 0,
    }


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Bridges, of which those that are lied about were never built, but for every tenth."""
    records = []
    for number in range(2 * LIES):
        lies, odd = number % 2 == 0, number % 10 == 0
        verb = "was never" if lies != odd else "was at last"
        records.append(game(number, "REFUTES" if lies else "SUPPORTS", f"Bridge {number} {verb} built."))
    write(tmp_path, "fm2/dev", records)
    return tmp_path


def cells_of(told: Sequence[TableEvent]) -> dict[tuple[str, str], TableCell]:
    return {(each.row, each.column): each for each in told if isinstance(each, TableCell)}


def test_the_words_that_give_lies_away_come_first(games: Path) -> None:
    told = list(reproduce("fm2-3", TableInputs(data=games)))
    cells = cells_of(told)
    assert cells["FM2 Dev", "Top bigrams by LMI"].ours in ("was never, never built", "never built, was never") or str(
        cells["FM2 Dev", "Top bigrams by LMI"].ours
    ).startswith(("was never, never built", "never built, was never"))
    assert cells["FM2 Train", "Top bigrams by LMI"].why == "fm2/train is not on hand; see: veritab data"
    assert any(isinstance(each, TableNote) and each.text.startswith("80 supported and refuted") for each in told)


def test_claims_that_their_words_tell_are_easy_and_the_others_hard(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def logits(
        inputs: TableInputs, pairs: Sequence[tuple[str, str]]
    ) -> Generator[ProgressStep, None, list[list[float]]]:
        """Says what "never" says, so that it errs where words mislead."""
        yield ProgressStep("judging")
        return [[0.0, 1.0, 0.0] if "never" in claim else [1.0, 0.0, 0.0] for claim, _ in pairs]

    monkeypatch.setattr(fm2, "logits", logits)
    only = {"id": 1, "claim": "It is.", "label": "SUPPORTS", "evidence_text": "It is.", "evidence_pages": ["It"]}
    write(games, "fever/dev_gold_text", [only])
    cells = cells_of(list(reproduce("fm2-6", TableInputs(data=games))))
    alone, easy, hard, every = (cells["FM2", column].ours for column in ("Claim-Only", "EASY", "HARD", "ALL"))
    assert isinstance(alone, Number)
    assert isinstance(easy, Number)
    assert isinstance(hard, Number)
    assert isinstance(every, Number)
    assert (alone.value, every.value) == (0.9, 0.9)
    assert (easy.value, easy.n) == (1.0, 72)
    assert (hard.value, hard.n) == (0.0, 8)
    assert "too few" in cells["FEVER", "ALL"].why


def test_gamma_moves_the_border_to_where_the_labels_part() -> None:
    # A model that finds everything likely: what is false has 0.6, what is true 0.9.
    labels = [0, 0, 1, 1] * 10
    found = [[2.2, 0.0, 0.0] if label == 0 else [0.4, 0.0, 0.0] for label in labels]
    cells = cells_of(list(faviq._shifted("FM2 dev", "fm2/dev", labels, found)))
    plain, tuned = (cells[f"Zero-shot, gamma {how}", "FM2 dev"].ours for how in ("= 0", "tuned"))
    assert isinstance(plain, Number)
    assert isinstance(tuned, Number)
    assert (plain.value, tuned.value) == (0.5, 1.0)
    assert plain.n == len(labels) // 2


def test_a_model_is_fitted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def run(recipe: Mapping[str, Any], data: Path, into: Path, base: Path | None) -> Generator[Any, None, None]:
        runs.append(recipe["seed"])
        (into / baselines.MODEL).mkdir(parents=True)
        yield FitProgress("epoch 1", {})

    monkeypatch.setattr(baselines, "run", run)
    monkeypatch.setattr(baselines, "load", lambda folder: folder)
    inputs = TableInputs(data=tmp_path, cache=tmp_path / "cache")
    recipe = fitted.recipe_of({"recipe": "baseline-riedel", "epochs": 1}, [{"name": "fever"}])
    assert recipe["epochs"] == 1
    for _ in range(2):
        steps = list(fitted.fit_or_load(inputs, "MLP", recipe))
    assert runs == [0]
    assert steps == []
    list(fitted.fit_or_load(inputs, "MLP", {**recipe, "seed": 1}))
    assert runs == [0, 1]
    assert not list(inputs.cache_folder.glob("fitting-*"))


def test_faviq_answers_on_what_is_on_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Opinion:
        def scores(self, pairs: Sequence[Any]) -> list[tuple[float, float, float]]:
            return [(0.2, 0.7, 0.1) for _ in pairs]

    def stub(inputs: TableInputs, what: str, recipe: Mapping[str, Any]) -> Generator[ProgressStep, None, Opinion]:
        yield ProgressStep(what)
        return Opinion()

    def logits(
        inputs: TableInputs, pairs: Sequence[tuple[str, str]]
    ) -> Generator[ProgressStep, None, list[list[float]]]:
        yield ProgressStep("judging")
        return [[1.0, 0.0, 0.0] if "1402" in text else [0.0, 1.0, 0.0] for _, text in pairs]

    def rerank_by_encoder(corpus: Any, claims: Sequence[Any]) -> Generator[ProgressStep, None, Any]:
        yield ProgressStep("meaning")
        return [[] for _ in claims]

    monkeypatch.setattr(faviq, "fit_or_load", stub)
    monkeypatch.setattr(faviq, "logits", logits)
    monkeypatch.setattr(faviq, "rerank_by_encoder", rerank_by_encoder)
    passage = {"id": "1", "title": "Bridge", "text": "Bridge It was built in 1402."}
    other = {"id": "2", "title": "Bridge", "text": "Bridge It fell in 1510."}
    write(
        tmp_path,
        "faviq/samples",
        [
            {
                "id": str(number),
                "claim": f"the bridge was built in {year}.",
                "label": label,
                "positive_evidence": evidence,
                "negative_evidence": other,
            }
            for number, (year, label, evidence) in enumerate(
                [("1402", "SUPPORTS", passage), ("1500", "REFUTES", other), ("1600", "REFUTES", other)]
            )
        ],
    )
    cells = cells_of(list(reproduce("faviq-5", TableInputs(data=tmp_path, cache=tmp_path / "cache"))))
    alone, silver = (cells[f"FEVER: {row}", "samples"].ours for row in ("claim only", "silver passage"))
    assert isinstance(alone, Number)
    assert isinstance(silver, Number)
    assert alone.value == pytest.approx(2 / 3)
    assert silver.value == 1
    assert cells["FEVER: bi-encoder (ours) for DPR", "Dev A"].why == "faviq/a/dev is not on hand; see: veritab data"
    assert "licence" in cells["FAVIQ: DPR", "Test R"].why
