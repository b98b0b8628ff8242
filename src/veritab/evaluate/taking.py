"""Answers that somebody else gave become a run: those of `veritab check --into`, or any system's predictions."""

from __future__ import annotations

import hashlib
import platform
import shutil
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from veritab.errors import NotFound
from veritab.evaluate.predictions import Missing, read_predictions
from veritab.evaluate.runs import PREDICTIONS, EvaluatedRun, Questions, score_run, write_predictions
from veritab.runs import open_run
from veritab.runs.runs import RECORD, RESULTS, read_record, refuse_foreign

_OF_A_CHECK = ("veritab", "settings", "digest", "models", "corpus", "folder")


def take_answers(
    answers: Path,
    into: Path,
    questions: Questions,
    told: Mapping[str, Any],
    missing: Missing = "fail",
    *,
    resume: bool = False,
) -> EvaluatedRun:
    """Score a folder of verdicts or a file of predictions, and keep it all as a run.

    `missing` says whether claims without a prediction are a fault or count as wrong; `resume` scores them again where
    the run was stopped or damaged.
    """
    refuse_foreign(into)
    source = _source(answers)
    known = read_record(answers) if answers.is_dir() and (answers / RECORD).is_file() else {}
    record = {
        **questions.record,
        **told,
        "file": str(questions.data.path.absolute()),
        "veritab": version("veritab"),
        "python": platform.python_version(),
        **{key: known[key] for key in _OF_A_CHECK if key in known},
        "answers": {"name": source.name if answers.is_file() else answers.name, "sha256": _sha256(source)},
    }
    with tempfile.TemporaryDirectory() as aside:  # what cannot be scored leaves no run behind
        _lay(source, Path(aside), questions, verdicts=answers.is_dir())
        ids = [example.claim.id for example in questions]
        read_predictions(Path(aside) / PREDICTIONS, questions.task, ids, missing=missing)
        with open_run(into, record, questions.asked(), resume=resume):
            for file in Path(aside).iterdir():
                shutil.copy(file, into / file.name)
            return score_run(into, questions, missing=missing)


def _source(answers: Path) -> Path:
    source = answers / RESULTS if answers.is_dir() else answers
    if source.is_file():
        return source
    if answers.is_dir():
        raise NotFound(f"no {RESULTS} in {str(answers)!r}; name a folder that veritab check --into made, or a file")
    raise NotFound(f"no file {str(answers)!r}; give a path that exists")


def _lay(source: Path, folder: Path, questions: Questions, *, verdicts: bool) -> None:
    """The answers as a run has them."""
    shutil.copy(source, folder / (RESULTS if verdicts else PREDICTIONS))
    if verdicts:
        write_predictions(folder, questions.task)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
