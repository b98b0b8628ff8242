"""Claims beside the evidence that the pipeline brings for them, as `python -m benchmarks.retrieved_evidence` wrote it.

A claim whose gold evidence was found keeps its label; where something of it is missing, the label is NOT ENOUGH INFO.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.errors import InputError
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.normalise import LABELS, NOT_ENOUGH


def retrieved(context: SourceContext, *, file: str = "", missed: float = 0.5) -> Iterator[VerdictExample]:
    """The claims of a file to train on; `missed` is the share kept of those whose evidence was not found."""
    return _examples(context, file, "train", missed)


def retrieved_dev(context: SourceContext, *, file: str = "") -> Iterator[VerdictExample]:
    """The claims of a file for development; those whose evidence was not found keep their labels."""
    return _examples(context, file, "dev", None)


def _examples(context: SourceContext, file: str, split: str, missed: float | None) -> Iterator[VerdictExample]:
    if not file:
        raise InputError("retrieved needs a file; make one with python -m benchmarks.retrieved_evidence")
    for number, record in enumerate(context.data.records(file.removesuffix(".jsonl"))):
        if record["split"] != split:
            continue
        label = LABELS[record["label"]]
        if not record["found"] and missed is not None and label != NOT_ENOUGH:
            if context.rng(file, number).random() >= missed:
                context.left_out["evidence was not found"] += 1
                continue
            label = NOT_ENOUGH
        if not record["evidence"]:
            context.left_out["nothing to read"] += 1
            continue
        yield VerdictExample(record["claim"], record["evidence"], label)
