"""Trainer: the loss falls, the same seed gives the same bytes, and a run that was stopped ends as if it had not been."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies
from safetensors.torch import load_file

from tests.train import small_sets
from tests.train.small_runs import ROUNDED, fitted, prepared, recipe_of
from veritab.errors import FormatError, InputError, NotFound
from veritab.train import provenance, tokens
from veritab.train.examples import SelectorExample, VerdictExample
from veritab.train.folders import MANIFEST, TrainingRun, sha256_of
from veritab.train.loop import FitOptions, fit
from veritab.train.metrics import area
from veritab.train.network import WEIGHTS, open_network, weights_of
from veritab.train.prepare import prepare
from veritab.train.recipe import read
from veritab.train.synthetic import examples
from veritab.train.tokenise import Tokeniser

AVERAGED = "average = 0.4\ncheckpoint = 1e-9"


def losses(events: list[dict[str, Any]]) -> list[float]:
    return [event["loss"] for event in events if event["event"] == "step"]


def weights(run: TrainingRun) -> bytes:
    return (run.trained / WEIGHTS).read_bytes()


def shape(values: Any) -> tuple[int, ...]:
    return tuple(np.asarray(values).shape)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingRun, list[dict[str, Any]]]:
    """A run from its first step to its last."""
    text = recipe_of(top=f"{AVERAGED}\nkeep_logits = true", more=ROUNDED)
    return fitted(tmp_path_factory.mktemp("whole"), text)


def test_the_loss_falls_and_what_is_measured_is_learnt(whole: tuple[TrainingRun, list[dict[str, Any]]]) -> None:
    found = losses(whole[1])
    assert found[-1] < 0.5 * found[0] < 0.5
    (last,) = [event for event in whole[1] if event["event"] == "measured" and event["stage"] == "second"]
    assert last["three-way"] > 95


def test_the_log_tells_what_went_in_and_what_happened(whole: tuple[TrainingRun, list[dict[str, Any]]]) -> None:
    run, events = whole
    logged = [json.loads(line) for line in run.log.read_text().splitlines()]
    assert logged == events
    assert logged[0]["event"] == "start"
    assert sorted(logged[0]["prepared"]) == sorted(path.stem for path in run.prepared.glob("synthetic*.npz"))
    assert logged[-1]["event"] == "end"
    with np.load(run.measured) as kept:
        assert [shape(kept[name]) for name in kept] == [(64, 3)]


def test_the_same_seed_gives_the_same_bytes_even_when_stopped_on_the_way(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    text = recipe_of(top=f"{AVERAGED}\nkeep_logits = true", more=ROUNDED)
    run = prepared(tmp_path, text)
    events = fit(run)
    while next(events)["event"] != "step":
        pass
    events.close()
    assert run.checkpoint.is_file()
    assert not run.trained.exists()
    resumed = list(fit(run, FitOptions(resume=True)))
    assert resumed[0]["resumed"]
    assert weights(run) == weights(whole[0])
    assert not run.checkpoint.exists()


def test_another_seed_gives_other_weights(whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path) -> None:
    run, _ = fitted(tmp_path, recipe_of(epochs=0.1, top="seed = 1"))
    other, _ = fitted(tmp_path / "other", recipe_of(epochs=0.1, top="seed = 2"))
    assert weights(run) != weights(other)


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of(top="checkpoint = 1e-9"))
    events = fit(run)
    while next(events)["event"] != "step":
        pass
    events.close()
    run.recipe.write_text(recipe_of(top="checkpoint = 1e-9\nsmoothing = 0.1"))
    with pytest.raises(InputError, match="another recipe"):
        list(fit(run, FitOptions(resume=True)))


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of())
    with pytest.raises(NotFound, match="no checkpoint"):
        list(fit(run, FitOptions(resume=True)))


def test_a_limit_of_seconds_leaves_out_steps(tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of(epochs=2000))
    events = list(fit(run, FitOptions(seconds=0.5)))
    assert sum(events[0]["steps"]) > 30000
    steps = [event for event in events if event["event"] == "step"]
    assert steps[-1]["step"] == steps[-1]["of"] < 10000


@pytest.mark.parametrize(
    ("job", "figures", "least"), [("selector", ("auc", "cells auc"), 0.95), ("encoder", ("recall at 1",), 95.0)]
)
def test_other_jobs_learn_too(job: str, figures: tuple[str, ...], least: float, tmp_path: Path) -> None:
    top = "anchor = 0.1" if job == "encoder" else ""
    _, events = fitted(tmp_path, recipe_of(job, top=top))
    assert losses(events)[-1] < 0.5 * losses(events)[0]
    last = [event for event in events if event["event"] == "measured"][-1]
    assert [last[figure] > least for figure in figures] == [True] * len(figures)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The weights of a run that is told nothing special."""
    return weights(fitted(tmp_path_factory.mktemp("plain"), recipe_of(epochs=5))[0])


@pytest.mark.parametrize("told", ["adversarial = 0.5", "two_way = 0.5"])
def test_what_is_learnt_in_another_way_is_learnt_too(plain: bytes, told: str, tmp_path: Path) -> None:
    run, events = fitted(tmp_path, recipe_of(epochs=5, top=told))
    assert losses(events)[-1] < 0.5 * losses(events)[0]
    assert weights(run) != plain


def test_ways_of_learning_that_are_off_change_no_byte(plain: bytes, tmp_path: Path) -> None:
    run, _ = fitted(tmp_path, recipe_of(epochs=5, top="adversarial = 0.0\ntwo_way = 0.0"))
    assert weights(run) == plain


def test_a_student_learns_from_the_answers_of_its_teacher(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    teacher = f'[teacher]\nrun = "{whole[0].folder}"\nweight = 1.0\n'
    run, events = fitted(tmp_path, recipe_of(more=teacher))
    assert losses(events)[-1] < 0.5 * losses(events)[0]
    assert weights(run) != weights(whole[0])
    answers = {path.name.removesuffix(".logits.npy"): path for path in whole[0].prepared.glob("*.logits.npy")}
    assert events[0]["teacher"] == {key: sha256_of(path) for key, path in answers.items()}


def test_a_teacher_that_has_not_answered_to_all_is_named(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    moved = recipe_of(more='[teacher]\nrun = "nowhere"\n')
    with pytest.raises(NotFound, match="'nowhere'"):
        fitted(tmp_path / "moved", moved)
    split_by_length = TrainingRun(tmp_path / "cut")
    split_by_length.prepared.mkdir(parents=True)
    with pytest.raises(NotFound, match=r"no answers to synthetic \(count=512\).*keep_logits"):
        fitted(tmp_path / "other", moved, teacher=split_by_length.folder)
    for answers in whole[0].prepared.glob("*.logits.npy"):
        np.save(split_by_length.prepared / answers.name, np.load(answers)[:-1])
    for most in (None, 512):
        with pytest.raises(FormatError, match="answers for"):
            fitted(tmp_path / "other", moved, teacher=split_by_length.folder, examples=most)


def test_a_trial_on_few_examples_keeps_the_answers_of_these_only(tmp_path: Path) -> None:
    run, events = fitted(tmp_path, recipe_of(epochs=0.5, top="keep_logits = true"), examples=40)
    assert {shape(np.load(path)) for path in run.prepared.glob("*.logits.npy")} == {(40, 3)}
    assert {event["examples"] for event in events if event["event"] == "measured"} == {40}


def test_another_seed_of_the_order_gives_other_weights_and_runs_can_be_averaged(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    base, prepared = whole[0].trained, whole[0].prepared
    text = recipe_of(top='base = "trained"').replace('base = "random:tiny"\n', "")
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    runs = [TrainingRun(tmp_path / name) for name in ("one", "two", "mean")]
    for seed, run in enumerate(runs[:2]):
        list(
            fit(run, FitOptions(base=base, prepared=prepared, recipe=tmp_path / "recipe.toml", seed=seed, examples=64))
        )
    one, two = (load_file(run.trained / WEIGHTS) for run in runs[:2])
    assert not torch.equal(one["out.weight"], two["out.weight"])
    both = open_network(read(tmp_path / "recipe.toml"), runs[0].trained, prepared / "tokenizer.json", [runs[1].trained])
    assert torch.allclose(both.out.weight, (one["out.weight"] + two["out.weight"]).float() / 2, atol=1e-6)


def test_a_run_goes_on_from_what_another_has_trained(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    text = recipe_of(epochs=0.07).replace("random:tiny", "earlier")
    (tmp_path / "recipe.toml").write_text(text)
    told = FitOptions(base=whole[0].trained, prepared=whole[0].prepared)
    events = list(fit(TrainingRun(tmp_path), told))
    assert losses(events)[0] < 0.5 * losses(whole[1])[0]
    assert events[0]["from"] == {str(whole[0].trained): sha256_of(whole[0].trained / WEIGHTS)}
    assert whole[1][0]["from"] == {}


def test_the_weights_of_an_encoder_may_lie_in_several_files(tmp_path: Path) -> None:
    parts = [tmp_path / f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    for part in parts:
        part.write_text(part.name)
    (tmp_path / "model.onnx").touch()
    assert weights_of(tmp_path) == parts
    together = tmp_path / "together"
    together.write_text("".join(part.name for part in parts))
    assert sha256_of(*parts) == sha256_of(together)


def test_what_earlier_runs_learned_from_is_kept(
    whole: tuple[TrainingRun, list[dict[str, Any]]], tmp_path: Path
) -> None:
    assert provenance.read_counts(whole[0].trained) == {"synthetic": 512}
    earlier = copytree(whole[0].trained, tmp_path / "earlier")
    provenance.write_counts(earlier, {"synthetic": 40, "another": 7})
    run = TrainingRun(tmp_path / "run")
    run.folder.mkdir()
    run.recipe.write_text(recipe_of(epochs=0.07).replace("random:tiny", "earlier"))
    told = FitOptions(base=earlier, prepared=whole[0].prepared)
    list(fit(run, told))
    assert provenance.read_counts(run.trained) == {"another": 7, "synthetic": 512}
    (earlier / "data.json").unlink()
    with pytest.raises(NotFound, match=r"no data\.json in .*earlier.*fit that run again, or write one"):
        next(fit(run, told))


@pytest.mark.parametrize("job", ["verdict", "encoder"])
def test_examples_without_a_manifest_are_counted(job: str, tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of(job))
    copied = tmp_path / "copied"
    copied.mkdir()
    for path in run.prepared.iterdir():
        if path.name != MANIFEST:
            copy(path, copied)
    for folder in (run.prepared, copied):
        assert provenance.count_examples(read(run.recipe), folder) == {"synthetic": 512}


# -- preparing ---------------------------------------------------------------------------------------------


def test_preparing_twice_gives_the_same_files_and_notes_what_they_are(tmp_path: Path) -> None:
    one, other = (prepared(tmp_path / name, recipe_of()) for name in ("one", "other"))
    names = sorted(path.name for path in one.prepared.iterdir())
    assert names == sorted(path.name for path in other.prepared.iterdir())
    assert all((one.prepared / name).read_bytes() == (other.prepared / name).read_bytes() for name in names)
    noted = json.loads(one.manifest.read_text())
    assert sorted(each["examples"] for each in noted["sources"].values()) == [64, 128, 512]


def test_what_a_source_leaves_out_is_counted(tmp_path: Path) -> None:
    text = recipe_of().replace('"synthetic", count = 64, salt = 2', '"fever/dev_three"')
    (tmp_path / "given.toml").write_text(text)
    run = TrainingRun(tmp_path / "run")
    prepare(read(tmp_path / "given.toml"), text, run, data=small_sets.write(tmp_path / "sets"), base=None)
    noted = json.loads(run.manifest.read_text())["sources"].values()
    assert {each["source"]: each["left_out"] for each in noted} == {
        "synthetic": {},
        "fever/dev_three": {"a gold sentence without text": 1},
    }
    (file,) = (each["files"] for each in noted if each["source"] == "fever/dev_three")
    path = "fever/dev_three_way_with_text.jsonl.gz"
    assert file == {path: sha256_of(tmp_path / "sets" / path)}


def test_what_is_measured_is_never_trained_on(tmp_path: Path) -> None:
    text = recipe_of().replace("count = 64, salt = 2", "count = 512")
    with pytest.raises(InputError, match="both trained on and measured"):
        prepared(tmp_path, text)


def test_a_source_that_needs_data_says_where_to_name_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data"):
        prepared(tmp_path, recipe_of().replace('"synthetic", count = 64, salt = 2', '"fm2/dev"'))


def test_claims_stay_whole_and_evidence_loses_its_end(tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of())
    tokeniser = Tokeniser(run.prepared / "tokenizer.json", 16)
    pair = VerdictExample("Ardun sells salt.", "Ardun sells wool. " * 20, 1)
    (short,) = (tokeniser.verdict([pair]),)
    alone = tokeniser.verdict([pair._replace(evidence="")])
    first = int(short.firsts[0])
    assert short.lengths.tolist() == [16]
    assert short.ids[:first].tolist() == alone.ids[:first].tolist()


def test_every_cell_has_its_tokens_marked(tmp_path: Path) -> None:
    run = prepared(tmp_path, recipe_of("selector"))
    choices = [each for each in examples("selector", seed=3, count=40) if isinstance(each, SelectorExample)]
    made = Tokeniser(run.prepared / "tokenizer.json", 32).selector(choices)
    ends = np.cumsum(made.lengths.astype(int))
    for choice, start, end in zip(choices, ends - made.lengths, ends, strict=True):
        marks = made.marks[start:end]
        words = [choice.candidate.text[first:last].split() for first, last in choice.candidate.spans]
        wanted = [2 * n + yes for n, (own, yes) in enumerate(zip(words, choice.cells, strict=True), 1) for _ in own]
        assert marks[marks > 0].tolist() == wanted
    assert {choice.cells for choice in choices} == {(False, False), (True, False), (False, True)}


def test_short_and_long_texts_of_a_step_are_run_apart() -> None:
    lengths = np.array([10, 200, 12, 11, 190], dtype=np.int64)
    shapes = tokens.split_by_length(np.arange(5), lengths, parts=2)
    assert [(sorted(shape.rows.tolist()), shape.width) for shape in shapes] == [([0, 2, 3], 16), ([1, 4], 208)]


@given(strategies.lists(strategies.integers(1, 60), min_size=1, max_size=12), strategies.integers(1, 4))
def test_a_step_is_cut_where_the_least_is_left_to_fill(sizes: list[int], parts: int) -> None:
    lengths = np.array(sizes, dtype=np.int64)
    shapes = tokens.split_by_length(np.arange(len(sizes)), lengths, parts)
    assert sorted(row for shape in shapes for row in shape.rows.tolist()) == list(range(len(sizes)))
    assert len(shapes) <= parts
    ordered = sorted(sizes)
    every_way = (
        sum((end - start) * ordered[end - 1] for start, end in pairwise((0, *ends, len(sizes))))
        for ends in combinations(range(1, len(sizes)), min(parts, len(sizes)) - 1)
    )
    assert sum(len(shape.rows) * lengths[shape.rows].max() for shape in shapes) == min(every_way)


def test_the_area_under_the_curve_counts_ties_as_half() -> None:
    wanted = np.array([True, False, True, False])
    assert area(np.array([3.0, 1.0, 2.0, 0.0]), wanted) == 1.0
    assert area(np.zeros(4), wanted) == 0.5
