"""`veritab transfer`: a grid in three steps, its table, and errors that say what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.train.small_transfer import grid_file
from veritab import train as package
from veritab.cli import app
from veritab.errors import InputError, MissingExtra, NotFound


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["transfer", *words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_grid_is_prepared_fitted_and_reported_step_by_step(tmp_path: Path) -> None:
    grid, folder = grid_file(tmp_path, nei=["merged"], then=[]), ("--into", str(tmp_path / "run"))
    prepared = json.loads(run(str(grid), *folder, "--only", "prepare", "--epochs", "0.5", "--json"))
    assert (prepared["event"], prepared["models"]) == ("prepared", 3)
    lines = run(*folder, "--only", "fit", "--device", "cpu", "--json").splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["start", "model", "model", "model"]
    said = run(*folder, "--only", "report")
    assert "accuracy, NEI merged" in said
    assert "majority label" in said
    assert "made > first" in said
    assert "made, NEI merged, on sets that were not trained on: helps in" in said
    assert "gamma, NEI merged" in run(*folder, "--only", "report", "--measure", "gamma")
    told = json.loads(run(*folder, "--only", "report", "--json"))
    assert {"trainings", "scores", "built", "summary", "sets"} <= set(told)
    assert json.loads((tmp_path / "run" / "report.json").read_text())["scores"] == told["scores"]


def test_a_grid_is_described_by_options_alone(tmp_path: Path) -> None:
    grid_file(tmp_path)
    files = [word for name in ("first", "two") for word in ("--file", f"{name}={tmp_path / f'{name}.jsonl'}")]
    words = [*files, "--train", "first", "--test", "two", "--built", f"made={tmp_path / 'made.jsonl'}"]
    grid = tmp_path / "base.toml"
    grid.write_text('base = "random:tiny"\nmax_length = 32\n')
    told = run(str(grid), *words, "--into", str(tmp_path / "run"), "--only", "prepare", "--at-most", "50", "--json")
    assert {each["source"]: each["examples"] for each in json.loads(told)["sources"].values()} == {
        "two/tune": 30,
        "two/test": 50,
        "first": 50,
        "made": 50,
    }


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--train", "fever", "--test", "fm2"], "with --into RUN"),
        (["--into", "run", "--train", "fever"], "a grid needs something to test"),
        (["--into", "run", "--only", "guess"], "no step 'guess'; expected one of prepare, fit, report"),
        (["--into", "run", "--device", "tpu"], "no device 'tpu'; expected cpu or cuda"),
        (["--into", "run", "--built", "x.jsonl"], "--built is 'x.jsonl'; expected NAME=FILE"),
        (
            ["--into", "run", "--train", "fever", "--test", "fm2", "--epochs", "0"],
            "epochs is 0.0; expected more than 0",
        ),
        (["--into", "run", "--train", "fever", "--test", "fm2", "--rate", "0"], "rate is 0.0; expected more than 0"),
        (["--into", "run", "--measure", "luck"], "no measure 'luck'; expected one of accuracy"),
        (["--into", "run", "--only", "fit", "--train", "fever"], "to change it, prepare it again"),
        (["--into", "run", "--train", "fever", "--test", "fmm2"], "no set 'fmm2'.*did you mean 'fm2'"),
    ],
)
def test_words_that_are_off_are_refused(words: list[str], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        run(*words)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    words = ("--into", str(tmp_path / "run"), "--train", "fever", "--test", "fm2", "--built", "made=gone.jsonl")
    with pytest.raises(NotFound, match=r"no file 'gone\.jsonl'"):
        run(*words)


def test_a_run_that_was_not_prepared_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no prepared grid"):
        run("--into", str(tmp_path), "--only", "report")


def test_sets_without_a_data_folder_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERITAB_DATA", raising=False)
    grid = tmp_path / "base.toml"
    grid.write_text('base = "random:tiny"\ntrain = ["fever"]\ntest = ["fm2"]\n')
    with pytest.raises(NotFound, match="VERITAB_DATA"):
        run(str(grid), "--into", str(tmp_path / "run"))


def test_fitting_without_torch_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "_NEEDED", {**package._NEEDED, "fit": ("no_such_package",)})
    with pytest.raises(MissingExtra, match=r"pip install 'veritab\[train\]'"):
        run("--into", str(tmp_path), "--only", "fit")
