"""The papers' baselines: they learn what can be learned, nothing else, and come out the same every time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("transformers", reason="training needs transformers")

import tomllib

import numpy as np
import torch

from tests.train.synthetic_pairs import NAMES, by_chance, by_claim, by_evidence, losses
from veritab.errors import FormatError, InputError, MissingExtra, NotFound
from veritab.papers import baselines
from veritab.papers.baselines import attention, claim_only, evidence_types, riedel
from veritab.papers.baselines.folders import load_tensors
from veritab.papers.baselines.measures import FitProgress, finish, score_labels, three_way, two_way
from veritab.papers.baselines.training import split_held_out
from veritab.papers.baselines.vocabulary import SparseRows, most_frequent
from veritab.train.examples import VerdictExample
from veritab.train.recipe import SourceUse

SMALL: dict[str, dict[str, Any]] = {
    "riedel": {"hidden": 30, "batch": 50, "epochs": 25, "held_out": 0.0},
    "attention": {"size": 20, "hidden": 30, "batch": 16, "epochs": 10, "rate": 5e-3, "held_out": 0.0, "dropout": 0.0},
    "claim_only": {},
}
READING = [riedel, attention]
FITTING = [*READING, claim_only]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small networks wait for each other's threads longer than they work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def settings(module: ModuleType) -> dict[str, Any]:
    return SMALL[module.__name__.rsplit(".", 1)[-1]]


def fitted(module: ModuleType, pairs: Sequence[VerdictExample]) -> Any:
    return baselines.fit(module.NAME, pairs, **settings(module))


def accuracy(model: baselines.Baseline, pairs: Sequence[VerdictExample]) -> float:
    return three_way([pair.label for pair in pairs], model.scores(pairs)).accuracy


# -- all of them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_the_loss_falls(module: Any) -> None:
    pairs = by_claim(90) if module is claim_only else by_evidence(300)
    found = losses(module.steps(pairs, baselines._config(module.NAME)(**settings(module))))
    assert found[-1] < 0.7 * found[0]


@pytest.mark.parametrize("module", READING, ids=lambda module: module.NAME)
def test_what_evidence_tells_is_learned(module: Any) -> None:
    assert accuracy(fitted(module, by_evidence(300)), by_evidence(150, seed=1)) > 0.8


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_labels_of_chance_cannot_be_told(module: Any) -> None:
    assert 0.2 < accuracy(fitted(module, by_chance(300)), by_chance(300, seed=1)) < 0.47


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_a_model_comes_back_from_its_folder_as_it_was(module: Any, tmp_path: Path) -> None:
    model = fitted(module, by_evidence(60))
    model.save(tmp_path / "kept")
    unseen = [*by_evidence(20, seed=1), VerdictExample("", "", 0), VerdictExample("Señor Zebra 1999", "…", 2)]
    assert module.load(tmp_path / "kept").scores(unseen) == model.scores(unseen)
    assert baselines.load(tmp_path / "kept").scores(unseen) == model.scores(unseen)


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_two_fits_write_the_same_bytes_and_leave_chance_alone(module: Any, tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    for name, before in (("one", 5), ("other", 5)):
        torch.manual_seed(before)
        fitted(module, by_evidence(60)).save(tmp_path / name)
        assert torch.rand(1) == expected
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["baseline.json", "baseline.safetensors"]
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes() for name in files)


@pytest.mark.parametrize("module", READING, ids=lambda module: module.NAME)
def test_another_seed_is_another_model(module: Any) -> None:
    pairs = by_evidence(60)
    assert fitted(module, pairs).scores(pairs) != baselines.fit(module.NAME, pairs, **settings(module), seed=1).scores(
        pairs
    )


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_scores_are_probabilities_whatever_is_asked(module: Any) -> None:
    model = fitted(module, by_evidence(60))
    rows = model.scores(
        [VerdictExample("", "", 0), VerdictExample("word " * 2000, "x", 0), VerdictExample("中文", "\x00", 1)]
    )
    assert all(abs(sum(row) - 1) < 1e-5 and min(row) >= 0 for row in rows)
    assert model.scores([]) == []


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_what_cannot_be_fitted_to_is_named(module: Any) -> None:
    with pytest.raises(InputError, match="no pairs"):
        baselines.fit(module.NAME, [])
    with pytest.raises(InputError, match="label 7"):
        baselines.fit(module.NAME, [VerdictExample("a", "b", 7)])
    with pytest.raises(InputError, match="no setting 'epoch'"):
        baselines.fit(module.NAME, [VerdictExample("a", "b", 1)], epoch=3)


@pytest.mark.parametrize("module", FITTING, ids=lambda module: module.NAME)
def test_texts_without_a_word_can_be_fitted_to(module: Any) -> None:
    model = fitted(module, [VerdictExample("", "...", 0), VerdictExample("!", "", 1)])
    assert len(model.scores([VerdictExample("a", "b", 0)])) == 1


# -- each of them ------------------------------------------------------------------------------------------


def test_the_first_layer_of_the_perceptron_is_what_ten_thousand_and_one_inputs_would_give() -> None:
    pairs = by_evidence(12)
    known = riedel.TfidfFeaturiser.of(pairs, 5000)
    network = riedel.RiedelNetwork(len(known.numbers), riedel.RiedelConfig(hidden=7))
    claims, evidence, cosines = known.features(pairs).batch(np.arange(12))
    dense = torch.zeros(12, len(known.numbers))
    ends = [*claims.begins.tolist()[1:], len(claims.columns)]
    for row, (begin, end) in enumerate(zip(claims.begins.tolist(), ends, strict=True)):
        dense[row, claims.columns[begin:end]] = claims.weights[begin:end]
    assert torch.allclose(dense.norm(dim=1), torch.ones(12))
    found = network.claim(claims.columns, claims.begins, per_sample_weights=claims.weights)
    assert torch.allclose(found, dense @ network.claim.weight, atol=1e-6)
    assert cosines.min() >= 0
    assert cosines.max() <= 1 + 1e-6
    assert len(evidence.begins) == 12


def test_the_same_text_has_a_cosine_of_one_and_strangers_of_nought() -> None:
    known = riedel.TfidfFeaturiser.of(by_evidence(30), 5000)
    features = known.features(
        [VerdictExample("ada lives", "ada lives", 0), VerdictExample("ada", "paris", 0), VerdictExample("", "paris", 0)]
    )
    cosines = features.batch(np.arange(3))[2]
    assert cosines.tolist() == pytest.approx([1, 0, 0])


def test_negations_are_no_stop_words() -> None:
    known = riedel.TfidfFeaturiser.of([VerdictExample("it is not the one", "no", 0)], 5000).numbers
    assert set(known) == {"not", "no", "one"}


def test_only_the_most_frequent_words_count_and_ties_go_by_name() -> None:
    assert most_frequent([["b", "a"], ["c", "b"]], 2) == {"b": 0, "a": 1}
    assert most_frequent([["b", "a"], ["c", "b"]], 9, at_least=2) == {"b": 0}


def test_rows_come_in_the_order_they_are_asked_for() -> None:
    bags = SparseRows([{0: 1.0}, {}, {2: 0.5, 4: 0.25}]).bags(np.array([2, 1, 0]))
    assert (bags.columns.tolist(), bags.begins.tolist(), bags.weights.tolist()) == (
        [2, 4, 0],
        [0, 2, 2],
        [0.5, 0.25, 1],
    )


def test_no_claim_is_both_learned_from_and_held_out() -> None:
    pairs = by_evidence(300)
    learnt, aside = split_held_out(pairs, 0.3)
    assert len(aside) > 10
    assert not {pairs[place].claim for place in learnt} & {pairs[place].claim for place in aside}


def test_a_fit_stops_when_what_is_held_out_gains_nothing_and_keeps_the_best() -> None:
    asked = riedel.RiedelConfig(hidden=30, batch=50, epochs=60, held_out=0.3, patience=3)
    steps = list(riedel.steps(by_chance(300), asked))
    best = max(range(len(steps)), key=lambda at: (steps[at].values["held out"], -at))
    assert len(steps) == best + 1 + 3


def test_padding_changes_nothing() -> None:
    model = fitted(attention, by_evidence(60))
    alone = model.scores([VerdictExample("ada lives", "ada", 0)])[0]
    beside = model.scores(
        [VerdictExample("ada lives", "ada", 0), VerdictExample("ada lives in paris " * 5, "ada never " * 9, 0)]
    )[0]
    assert alone == pytest.approx(beside, abs=1e-6)


def test_words_outside_the_lexicon_fall_into_the_same_bucket_every_time() -> None:
    lexicon = attention.AttentionVocabulary(["known"], attention.AttentionConfig(buckets=5))
    assert lexicon.read("known zebra zebra")[1:] == [7, *[lexicon.read("zebra")[1]] * 2]
    assert 2 <= lexicon.read("zebra")[1] < 7


def test_given_word_vectors_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    lines = [f"{word} {number} 1 {number % 3}" for number, word in enumerate([*NAMES, "lives", "in"])]
    file.write_text("\n".join(lines), encoding="utf-8")
    model = baselines.fit("attention", by_evidence(60), vectors=str(file), epochs=2, hidden=8, held_out=0.0)
    model.save(tmp_path / "kept")
    kept = json.loads((tmp_path / "kept" / "baseline.json").read_text(encoding="utf-8"))
    assert kept["settings"]["size"] == 3
    weights = load_tensors(tmp_path / "kept")["words.weight"]
    given = attention.word_vectors(file, 100, kept["words"])
    assert np.allclose(weights[-len(given) :], np.stack([given[word] for word in kept["words"]]))
    file.unlink()
    assert attention.load(tmp_path / "kept").scores(by_evidence(3)) == model.scores(by_evidence(3))


def test_an_unknown_optimiser_is_named() -> None:
    with pytest.raises(InputError, match="optimiser is 'sgd'"):
        baselines.fit("attention", by_evidence(3), optimiser="sgd")
    assert baselines.fit("attention", by_evidence(3), optimiser="adagrad", epochs=1).scores([]) == []


@pytest.mark.parametrize("text", ["", "word 1 2\nother 1\n", "word 1 2\nother 1 x\n", "word 1 nan\n"])
def test_a_file_that_holds_no_word_vectors_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"vectors\.txt"):
        attention.word_vectors(file, 10)


def test_a_missing_file_of_word_vectors_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.txt"):
        baselines.fit("attention", by_evidence(3), vectors=str(tmp_path / "nowhere.txt"))


def test_the_claim_alone_tells_what_it_gives_away_and_no_more() -> None:
    assert accuracy(fitted(claim_only, by_claim(90)), by_claim(60, seed=1)) > 0.95
    assert accuracy(fitted(claim_only, by_evidence(300)), by_evidence(300, seed=1)) < 0.45


def test_the_claim_alone_never_reads_the_evidence() -> None:
    model = fitted(claim_only, by_evidence(60))
    one, other = model.scores(
        [VerdictExample("ada lives in rome", "ada lives in rome", 0), VerdictExample("ada lives in rome", "", 2)]
    )
    assert one == other


def test_labels_may_be_any_words() -> None:
    model = finish(
        claim_only.labelled_steps([("many goals", "cells"), ("he said", "sentences")] * 5, claim_only.ClaimOnlyConfig())
    )
    assert model.labels == ("cells", "sentences")
    assert model.probabilities(["many goals"])[0][0] > 0.9
    with pytest.raises(InputError, match="not verdicts"):
        model.scores([VerdictExample("many goals", "", 0)])


# -- kinds of evidence -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (["A_sentence_0", "B_item_1_2"], "sentences"),
        (["A_cell_0_1_2", "A_header_cell_0_0_1", "A_table_caption_0"], "cells"),
        (["A_cell_sentence_0", "A_cell_0_1_2"], "both"),
        (["A_title", "A_section_3"], ""),
    ],
)
def test_the_kind_of_evidence_is_read_from_its_ids(ids: list[str], kind: str) -> None:
    assert evidence_types.kind_of(ids) == kind


def test_folds_measure_claims_that_were_not_learned_from() -> None:
    chance = random.Random(0)
    claims = [(f"{chance.random()} {word}", kind) for word, kind in [("goals", "cells"), ("said", "sentences")] * 40]
    steps = evidence_types.cross_validate(claims, evidence_types.EvidenceTypeConfig())
    assert finish(steps)[1].accuracy == 1
    mixed = [(claim, chance.choice(["cells", "sentences"])) for claim, _ in claims]
    assert finish(evidence_types.cross_validate(mixed, evidence_types.EvidenceTypeConfig()))[1].accuracy < 0.7


def test_too_few_claims_for_the_folds_are_named() -> None:
    with pytest.raises(InputError, match="too few for 5 folds"):
        finish(evidence_types.cross_validate([("a", "cells")], evidence_types.EvidenceTypeConfig()))


@pytest.mark.slow
def test_kinds_of_evidence_are_told_from_real_claims(data_folder: Path, tmp_path: Path) -> None:
    recipe = tomllib.loads((baselines.RECIPES / "baseline-claim-only-type.toml").read_text(encoding="utf-8"))
    list(baselines.run({**recipe, "folds": 2, "rounds": 3}, data_folder, tmp_path, None))
    found = json.loads((tmp_path / "measured.json").read_text(encoding="utf-8"))["measured"]["folds"]
    assert found["accuracy"] > found["majority"] + 0.05


# -- measures ----------------------------------------------------------------------------------------------


def test_measures_are_what_they_are_by_hand() -> None:
    scores = score_labels([0, 0, 1, 2], [0, 1, 1, 1], 3)
    assert (scores.accuracy, scores.majority, scores.claims) == (0.5, 0.5, 4)
    assert scores.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_two_ways_leave_not_enough_out() -> None:
    rows = [(0.2, 0.1, 0.7), (0.3, 0.4, 0.3), (0.9, 0.1, 0.0)]
    assert two_way([0, 1, 2], rows).accuracy == 1
    assert two_way([0, 1, 2], rows).claims == 2
    assert three_way([0, 1, 2], rows).accuracy == pytest.approx(1 / 3)


# -- recipes -----------------------------------------------------------------------------------------------


RECIPE: dict[str, Any] = {
    "job": "baseline",
    "model": "claim-only",
    "sources": [{"name": "toy", "count": 60, "times": 2, "at_most": 50}],
    "measure": [{"name": "toy", "count": 30}],
}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Sources of which only one is known; what was asked of it is kept."""
    asked: list[Mapping[str, Any]] = []

    def examples(job: str, name: str, data: Path, *, seed: int, count: int) -> Iterator[VerdictExample]:
        asked.append({"job": job, "name": name, "data": data, "seed": seed, "count": count})
        return iter(by_claim(count, seed))

    monkeypatch.setattr("veritab.train.sources.examples", examples, raising=False)
    return asked


def test_few_of_a_source_are_taken_from_all_of_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # FEVER's training pairs come one label after the other.
    sorted_by_label = [VerdictExample(f"claim {number}", "evidence", number // 100) for number in range(300)]
    monkeypatch.setattr("veritab.train.sources.examples", lambda *_, **__: iter(sorted_by_label))
    found = list(baselines._pairs(SourceUse("toy", at_most=60), tmp_path, seed=0))
    assert len(found) == 60
    assert {pair.label for pair in found} == {0, 1, 2}


def test_a_recipe_is_run_measured_and_written_down(toy: list[Mapping[str, Any]], tmp_path: Path) -> None:
    steps = list(baselines.run({**RECIPE, "seed": 3}, tmp_path, tmp_path / "run", None))
    assert steps[0] == FitProgress("read", {"pairs": 100})
    right = dict.fromkeys(("three-way", "two-way", "three-way macro F1", "two-way macro F1"), 1.0)
    assert steps[-1] == FitProgress("toy (count=30)", right)
    assert [(each["job"], each["seed"], each["count"]) for each in toy] == [("verdict", 3, 60), ("verdict", 3, 30)]
    found = json.loads((tmp_path / "run" / "measured.json").read_text(encoding="utf-8"))
    assert found["measured"]["toy (count=30)"]["three-way"]["accuracy"] == 1
    assert found["recipe"]["model"] == "claim-only"
    assert len(found["sha256"]) == 64
    assert accuracy(baselines.load(tmp_path / "run" / "model"), by_claim(30, seed=9)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"job": "verdict"}, 'job = "baseline"'),
        ({"model": "riedl"}, "did you mean 'riedel'"),
        ({"epochs": 3}, "no setting 'epochs'"),
        ({"decay": "much"}, "decay of .* is 'much'"),
        ({"min_count": True}, "min_count of"),
        ({"seed": "one"}, "seed is 'one'"),
        ({"sources": []}, "has no sources"),
        ({"sources": ["toy"]}, "expected a list such as"),
        ({"measure": {"sources": []}}, "expected a list such as"),
        ({"measure": [{"name": "toy", "count": 60}]}, "both trained on and measured"),
    ],
)
def test_a_recipe_that_is_off_is_told_so(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        list(baselines.run({**RECIPE, **change}, tmp_path, tmp_path, None))


def test_a_run_without_data_says_how_to_name_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data DIR"):
        list(baselines.run(RECIPE, None, tmp_path, None))


def test_an_old_name_of_a_setting_is_refused_with_the_new_one() -> None:
    with pytest.raises(InputError, match=r"'longest_gradient' of .* is called 'clip' now"):
        baselines.parse_baseline({**RECIPE, "longest_gradient": 5.0})


def test_local_models_are_looked_for_in_the_folder_of_models(tmp_path: Path) -> None:
    asked = baselines.parse_baseline({**RECIPE, "model": "reader", "base": "bart"}, tmp_path)
    assert asked.config.base == str(tmp_path / "bart")


def test_without_torch_the_missing_part_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(baselines, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"veritab\[train\]"):
        list(baselines.run(RECIPE, tmp_path, tmp_path, None))


RECIPES = sorted(baselines.RECIPES.glob("baseline-*.toml"))


def test_every_baseline_has_a_recipe() -> None:
    told = [tomllib.loads(path.read_text(encoding="utf-8")) for path in RECIPES]
    assert {recipe["model"] for recipe in told if recipe["job"] == "baseline"} == set(baselines.MODELS)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_that_ship_can_be_read(path: Path) -> None:
    recipe = tomllib.loads(path.read_text(encoding="utf-8"))
    if recipe["job"] == "baseline":
        assert baselines.parse_baseline(recipe).sources
    else:
        from veritab.train.recipe import read

        assert read(path).stages


def test_a_folder_that_holds_another_model_is_named(tmp_path: Path) -> None:
    fitted(claim_only, by_claim(9)).save(tmp_path)
    with pytest.raises(FormatError, match="'claim-only', not 'riedel'"):
        riedel.load(tmp_path)
    (tmp_path / "baseline.safetensors").write_bytes(b"broken")
    with pytest.raises(FormatError, match="cannot be read"):
        claim_only.load(tmp_path)
    with pytest.raises(NotFound, match=r"holds no baseline\.json"):
        baselines.load(tmp_path / "nowhere")
