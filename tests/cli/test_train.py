"""`veritab train`: from a recipe to a model's folder, and errors that say what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.train import small_sets
from tests.train.small_runs import recipe_of
from veritab import train as package
from veritab.cli import app
from veritab.errors import InputError, MissingExtra, NotFound


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["train", *words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_recipes_that_ship_are_listed_with_what_they_make() -> None:
    assert "tiny" in run("--list")
    assert json.loads(run("--list", "--json"))["tiny"]["job"] == "verdict"


def test_a_recipe_becomes_a_model(tmp_path: Path) -> None:
    recipe = tmp_path / "small.toml"
    recipe.write_text(recipe_of(epochs=0.5))
    lines = [json.loads(line) for line in run(str(recipe), "--into", str(tmp_path / "run"), "--json").splitlines()]
    assert [line["event"] for line in lines if line["event"] not in ("step", "measured")] == [
        "prepared",
        "start",
        "end",
        "exported",
        "agreement",
    ]
    assert sorted(path.name for path in (tmp_path / "run" / "model").iterdir()) == [
        "card.toml",
        "model.onnx",
        "tokenizer.json",
    ]
    said = run(str(recipe), "--into", str(tmp_path / "run"), "--only", "export")
    assert "agreement with the trained network: 100.0 %" in said


def test_a_baseline_tells_what_it_read_what_it_measured_and_where_it_is(tmp_path: Path) -> None:
    sets = small_sets.write(tmp_path / "sets")
    recipe = tmp_path / "words.toml"
    recipe.write_text(
        'job = "baseline"\nmodel = "claim-only"\nsources = [{name = "mutated", pairs = 60}]\n'
        'measure = [{name = "fever/dev_three"}]\n'
    )
    words = (str(recipe), "--into", str(tmp_path / "run"), "--data", str(sets))
    read, measured, written = run(*words).splitlines()
    assert read == "read: 60 pairs"
    assert re.fullmatch(r"fever/dev_three: three-way [\d.]+ %, two-way [\d.]+ %, .* macro F1 [\d.]+ %", measured)
    assert written == f"wrote model and measured.json into {tmp_path / 'run'}"
    assert all(json.loads(line)["event"] in ("baseline", "written") for line in run(*words, "--json").splitlines())


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        ((), InputError, "veritab train tiny --into RUN"),
        (("tiny",), InputError, "a recipe and a folder"),
        (("tinny", "--into", "x"), NotFound, "did you mean 'tiny'"),
        (("tiny", "--into", "x", "--only", "fitting"), InputError, "no step 'fitting'"),
        (("tiny", "--into", "nowhere", "--only", "fit"), NotFound, "prepare the run first"),
        (("verdict", "--into", "nowhere"), InputError, "--base DIR"),
        (("verdict-rounded", "--into", "x"), NotFound, "'verdict-rounded' is called 'verdict' now"),
        (("tiny", "--into", "x", "--draw", "1"), InputError, "write --seed 1"),
        (("tiny", "--into", "x", "--device", "gpu"), InputError, "no device 'gpu'; expected cpu or cuda"),
    ],
)
def test_wrong_words_are_answered_with_what_to_do(
    words: tuple[str, ...], kind: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        run(*words)


def test_a_second_recipe_is_fitted_with_the_token_files_of_another_run(tmp_path: Path) -> None:
    recipe = tmp_path / "small.toml"
    recipe.write_text(recipe_of(epochs=0.5))
    run(str(recipe), "--into", str(tmp_path / "one"), "--only", "prepare")
    recipe.write_text(recipe_of(epochs=0.1))
    options = ("--into", str(tmp_path / "two"), "--prepared", str(tmp_path / "one" / "prepared"))
    lines = run(str(recipe), *options, "--trial", "40", "--device", "cpu", "--seed", "3", "--json").splitlines()
    events = {line["event"]: line for line in map(json.loads, lines)}
    assert {"start", "measured", "end", "exported", "agreement"} <= events.keys()
    assert events["measured"]["examples"] == 40
    assert (events["start"]["seed"], events["start"]["draw"]) == (0, 3)
    assert not (tmp_path / "two" / "prepared").exists()


def test_a_file_is_no_folder_for_a_run(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match="file' is a file; give a folder"):
        run("tiny", "--into", str(file))


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (recipe_of(more='[teacher]\nrun = "nowhere"\n'), NotFound, "no run of a teacher at 'nowhere'"),
        (recipe_of().replace("random:tiny", "random:huge"), InputError, "no base 'random:huge'"),
    ],
)
def test_what_fitting_would_miss_is_told_before_preparing(
    wrong: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    recipe = tmp_path / "small.toml"
    recipe.write_text(wrong)
    with pytest.raises(kind, match=message):
        run(str(recipe), "--into", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "_NEEDED", dict.fromkeys(package.STEPS, ("no_such_package",)))
    with pytest.raises(MissingExtra, match=r"veritab\[train\]"):
        run("tiny", "--into", str(tmp_path / "run"))
