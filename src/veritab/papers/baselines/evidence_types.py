"""Which kind of evidence a claim needs, told by the claim alone: sentences, cells or both (FEVEROUS, supplement 7.7.1).

The paper's set-up is kept: five folds, each told by a classifier that was fitted to the other four, against always
saying the most frequent kind. Its model is a fine-tuned BERT; here it is the classifier of `claim_only`. The claims are
development data: what is saved is a baseline, no weights to ship.
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
from veritab.papers.baselines.config import nearest, settings_of
from veritab.papers.baselines.measures import Scores, measured
from veritab.papers.baselines.progress import Progress
from veritab.papers.baselines.vocabulary import bucket

NAME = "claim-only-type"
SENTENCES, CELLS, BOTH = "sentences", "cells", "both"
_KIND = re.compile(r"_(sentence|item|cell|header_cell|table_caption)(?:_\d+)+$")
_IN_TEXT = frozenset({"sentence", "item"})


@dataclass(frozen=True)
class Settings(claim_only.Settings):
    """Those of the classifier, and the number of folds."""

    folds: int = 5


def typed(sources: Iterable[str], data: Path) -> Iterator[tuple[str, str]]:
    """The claims of some sources, each claim once, with the kind of evidence that it needs."""
    seen = set()
    for name in sources:
        if name not in _SOURCES:
            raise InputError(f"no source {name!r} says what kind of evidence a claim needs; {nearest(name, _SOURCES)}")
        for record in DataFiles(data).records(name):
            claim, kind = _SOURCES[name](record)
            if kind and claim not in seen:
                seen.add(claim)
                yield claim, kind


def across_folds(
    claims: Sequence[tuple[str, str]], settings: Settings
) -> Generator[Progress, None, tuple[claim_only.ClaimOnly, Scores]]:
    """How well the kinds are told in each fold by a classifier that saw the others; then one fitted to all claims."""
    if settings.folds < 2:
        raise InputError(f"{settings.folds} folds leave nothing to measure; at least 2 are needed")
    own = {field.name: getattr(settings, field.name) for field in fields(claim_only.Settings)}
    asked = settings_of(claim_only.Settings, own, NAME)
    kinds = sorted({kind for _, kind in claims})
    told: list[tuple[str, str]] = []
    for fold in range(settings.folds):
        outside = [each for each in claims if bucket(each[0], settings.folds) == fold]
        inside = [each for each in claims if bucket(each[0], settings.folds) != fold]
        if not outside or not inside:
            raise InputError(f"{len(claims)} claims are too few for {settings.folds} folds")
        model = claim_only.fit_labels(inside, **own)
        rows = model.probabilities(claim for claim, _ in outside)
        here = [(kind, model.labels[row.index(max(row))]) for (_, kind), row in zip(outside, rows, strict=True)]
        told += here
        right = sum(kind == said for kind, said in here) / len(here)
        yield Progress(f"fold {fold + 1}", {"accuracy": right})
    model = yield from claim_only.labelled_steps(claims, asked)
    found = measured([kinds.index(kind) for kind, _ in told], [kinds.index(said) for _, said in told], len(kinds))
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
