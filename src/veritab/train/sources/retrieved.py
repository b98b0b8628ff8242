"""Claims beside what the pipeline reads for them, as `python -m benchmarks.retrieved_evidence` wrote it.

A claim whose gold evidence is in a text keeps its label; where some of it is missing, the label is NOT ENOUGH INFO.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.datasets.normalise import LABELS, NOT_ENOUGH
from veritab.errors import InputError
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext


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
        if not record["readings"]:
            context.left_out["nothing to read"] += 1
        for place, reading in enumerate(record["readings"]):
            label = LABELS[record["label"]]
            if not reading["found"] and missed is not None and label != NOT_ENOUGH:
                if context.rng(file, number, place).random() >= missed:
                    context.left_out["evidence was not found"] += 1
                    continue
                label = NOT_ENOUGH
            yield VerdictExample(reading["claim"], reading["text"], label)
