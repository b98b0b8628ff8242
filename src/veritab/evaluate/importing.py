"""Verdicts of `veritab check --into`, or any system's predictions, become a scored run."""

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
from veritab.evaluate.scored_runs import PREDICTIONS, ScoredRun, score_run, write_predictions
from veritab.runs.labelled import LabelledClaims
from veritab.runs.run import RECORD, RESULTS, open_run, read_record, refuse_foreign

_KEPT_KEYS = ("veritab", "settings", "digest", "models", "corpus", "folder")


def import_answers(
    answers: Path,
    into: Path,
    claims: LabelledClaims,
    tags: Mapping[str, Any],
    missing: Missing = "fail",
    *,
    resume: bool = False,
) -> ScoredRun:
    """Score a folder of verdicts or a file of predictions, and keep it all as a run.

    `missing` says whether claims without a prediction are an error or count as wrong; `resume` scores a run again that
    was stopped or damaged.
    """
    refuse_foreign(into)
    source = _find_source(answers)
    old = read_record(answers) if answers.is_dir() and (answers / RECORD).is_file() else {}
    record = {
        **claims.record,
        **tags,
        "file": str(claims.data.path.absolute()),
        "veritab": version("veritab"),
        "python": platform.python_version(),
        **{key: old[key] for key in _KEPT_KEYS if key in old},
        "answers": {"name": source.name if answers.is_file() else answers.name, "sha256": _sha256(source)},
    }
    with tempfile.TemporaryDirectory() as aside:  # what cannot be scored leaves no run behind
        shutil.copy(source, Path(aside) / (RESULTS if answers.is_dir() else PREDICTIONS))
        if answers.is_dir():
            write_predictions(Path(aside), claims.task)
        ids = [example.claim.id for example in claims]
        read_predictions(Path(aside) / PREDICTIONS, claims.task, ids, missing=missing)
        with open_run(into, record, claims.claim_records(), resume=resume):
            for file in Path(aside).iterdir():
                shutil.copy(file, into / file.name)
            return score_run(into, claims, missing=missing)


def _find_source(answers: Path) -> Path:
    source = answers / RESULTS if answers.is_dir() else answers
    if source.is_file():
        return source
    if answers.is_dir():
        raise NotFound(f"no {RESULTS} in {str(answers)!r}; name a folder that veritab check --into made, or a file")
    raise NotFound(f"no file {str(answers)!r}; give a path that exists")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
