"""Our references for questions: which claims are right for a question of the public data.

`references/questions-*.jsonl` hold lines {"data", "record", "wording", "answer", "claims"}: the name of a data set, the
number of its record, which of its wordings (AmbigQA has several) and which of its answers, and our claims. The
questions themselves stay in the folder that VERITAB_DATA names; a line without claims is one to refuse. Lines with a
"form" were written blind, stratified by it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets import DataFiles

REFERENCES = Path(__file__).parent / "references"
DEVELOPMENT = REFERENCES / "questions-development.jsonl"


class Referenced(NamedTuple):
    """A question with its answer, and the claims that are right; none where it should be refused."""

    id: str
    question: str
    answer: str
    claims: tuple[str, ...]
    blind: bool = False
    """Whether the claims were written before anything was made of the question, rather than read and kept."""


def read_references(path: Path, data: DataFiles) -> list[Referenced]:
    """The references of a file, each with its question and answer."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    wanted: dict[str, set[int]] = defaultdict(set)
    for line in lines:
        wanted[line["data"]].add(line["record"])
    records = {
        (name, number): record
        for name, numbers in wanted.items()
        for number, record in enumerate(data.records(name))
        if number in numbers
    }
    return [_join(line, records[line["data"], line["record"]]) for line in lines]


def _join(line: dict[str, Any], record: dict[str, Any]) -> Referenced:
    if "wording" in line:
        asked = record["disambiguations"][line["wording"]]
        question, answers = asked["question"], asked["answers"]
    else:
        question, answers = record["question"], record["answer"]
    id = f"{line['data']} {line['record']}"
    return Referenced(id, question, answers[line["answer"]], tuple(line["claims"]), "form" in line)


def read_faviq(data: DataFiles) -> list[Referenced]:
    """FaVIQ's samples: looked at and measured, never trained on."""
    return [
        Referenced(each["id"], each["question"], each["answer"], (each["claim"],))
        for each in data.records("faviq/samples")
    ]
