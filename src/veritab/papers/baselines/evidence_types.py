"""Which kind of evidence a claim needs, predicted from the claim alone: sentences, cells or both.

As in FEVEROUS (supplement 7.7.1): five folds, each predicted by a classifier fitted to the other four, against always
predicting the most frequent kind. The paper's model is a fine-tuned BERT; here it is the classifier of `claim_only`.
The claims are development data: what is saved is a baseline, not weights to ship.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from veritab.datasets import DataFiles
from veritab.errors import InputError
from veritab.papers.baselines import claim_only
from veritab.papers.baselines.config import read_config, suggest_name
from veritab.papers.baselines.measures import BaselineScores, FitProgress, finish, score_labels
from veritab.papers.baselines.vocabulary import hash_bucket

NAME = "claim-only-type"
SENTENCES, CELLS, BOTH = "sentences", "cells", "both"
_KIND = re.compile(r"_(sentence|item|cell|header_cell|table_caption)(?:_\d+)+$")
_IN_TEXT = frozenset({"sentence", "item"})


@dataclass(frozen=True)
class EvidenceTypeConfig(claim_only.ClaimOnlyConfig):
    """Those of the classifier, and the number of folds."""

    folds: int = 5


def label_claims(sources: Iterable[str], data: Path) -> Iterator[tuple[str, str]]:
    """The claims of some sources, each claim once, with the kind of evidence that it needs."""
    seen = set()
    for name in sources:
        if name not in _SOURCES:
            raise InputError(
                f"no source {name!r} says what kind of evidence a claim needs; {suggest_name(name, _SOURCES)}"
            )
        for record in DataFiles(data).records(name):
            claim, kind = _SOURCES[name](record)
            if kind and claim not in seen:
                seen.add(claim)
                yield claim, kind


def cross_validate(
    claims: Sequence[tuple[str, str]], settings: EvidenceTypeConfig
) -> Generator[FitProgress, None, tuple[claim_only.ClaimOnlyClassifier, BaselineScores]]:
    """How well each fold is predicted by a classifier fitted to the others; then one fitted to all claims."""
    if settings.folds < 2:
        raise InputError(f"{settings.folds} folds leave nothing to measure; at least 2 are needed")
    own = {field.name: getattr(settings, field.name) for field in fields(claim_only.ClaimOnlyConfig)}
    config = read_config(claim_only.ClaimOnlyConfig, own, NAME)
    kinds = sorted({kind for _, kind in claims})
    predictions: list[tuple[str, str]] = []
    for fold in range(settings.folds):
        outside = [each for each in claims if hash_bucket(each[0], settings.folds) == fold]
        inside = [each for each in claims if hash_bucket(each[0], settings.folds) != fold]
        if not outside or not inside:
            raise InputError(f"{len(claims)} claims are too few for {settings.folds} folds")
        model = finish(claim_only.labelled_steps(inside, config))
        rows = model.probabilities(claim for claim, _ in outside)
        here = [(kind, model.labels[row.index(max(row))]) for (_, kind), row in zip(outside, rows, strict=True)]
        predictions += here
        right = sum(kind == said for kind, said in here) / len(here)
        yield FitProgress(f"fold {fold + 1}", {"accuracy": right})
    model = yield from claim_only.labelled_steps(claims, config)
    found = score_labels(
        [kinds.index(kind) for kind, _ in predictions], [kinds.index(said) for _, said in predictions], len(kinds)
    )
    return model, found


def kind_of(ids: Iterable[str]) -> str:
    """The kind of evidence that these elements are; captions are of tables, items of lists are text."""
    found = Counter("text" if match[1] in _IN_TEXT else "table" for id in ids if (match := _KIND.search(id)))
    if found["text"] and found["table"]:
        return BOTH
    return SENTENCES if found["text"] else CELLS if found["table"] else ""


def _of_first_group(record: Mapping[str, Any]) -> tuple[str, str]:
    """By the first group of evidence, which is the first that an annotator found."""
    return record["claim"], kind_of(record["evidence"][0]["content"]) if record["evidence"] else ""


def _of_whole_table(record: Mapping[str, Any]) -> tuple[str, str]:
    return record["query"], BOTH if record["context"] else CELLS


_SOURCES: dict[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "feverous/official_records_train10": _of_first_group,
    "feverous/official_records_dev50": _of_first_group,
    "feverous/cell_claims": _of_first_group,
    "feverous/sentence_claims": lambda record: (record["claim"], SENTENCES),
    "feverous/full_tables": _of_whole_table,
}
