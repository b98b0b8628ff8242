"""Our references for questions: which claims are right for a question of the public data.

`references/questions-*.jsonl` hold lines {"data", "record", "wording", "answer", "claims"}: the name of a data set,
the number of its record, which of its wordings (AmbigQA has several) and which of its answers, and our claims. The
questions themselves stay in the folder that VERITAB_DATA names; a line without claims is one to refuse. Lines with a
"form" were written blind, stratified by it. Of the half that results are reported on, "also" holds further wordings
that a second reader found right, as blind; they are counted apart.

    python -m benchmarks.question_references > SHEET     draws questions of AmbigQA that have no reference yet, to be
                                                         given to writers who know nothing of the rules
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets import DataFiles
from veritab.datasets.registry import data_folder

REFERENCES = Path(__file__).parent / "references"
DEVELOPMENT = REFERENCES / "questions-development.jsonl"
REPORTED = REFERENCES / "questions-report.jsonl"
"""Written after the rules and weights were done; nothing is fitted on it."""
AMBIGQA = "ambigqa/ambigqa"
SEED = 21
DRAWN = {
    "when": 25,
    "what": 25,
    "who-verb": 25,
    "who-aux": 21,
    "where": 9,
    "which": 7,
    "preposition-first": 7,
    "how-many": 6,
    "elliptical": 6,
    "wh-inside": 6,
    "how-long": 4,
    "how-other": 4,
    "how-old": 4,
    "yes-no": 4,
    "how-much": 3,
    "why": 2,
}
"""How many questions of each form are drawn; of rare forms, those that are left."""
_QUESTION_WORDS = frozenset("what when where which who whom whose why how".split())
_AUXILIARIES = frozenset("is are was were am do does did has have had will would can could may should".split())
_PREPOSITIONS = frozenset("in on at for from to by of with during under as into".split())


class Referenced(NamedTuple):
    """A question with its answer, and the claims that are right; none where it should be refused."""

    id: str
    question: str
    answer: str
    claims: tuple[str, ...]
    blind: bool = False
    """Whether the claims were written before anything was made of the question, rather than read and kept."""
    also: tuple[str, ...] = ()
    """Further claims that a second reader found right; writers and readers are language models."""


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


def form_of(question: str) -> str:
    """How a question asks, by its words alone: what references are stratified by."""
    first, *others = question.lower().split()
    if first == "how":
        return f"how-{others[0]}" if others[:1] and f"how-{others[0]}" in DRAWN else "how-other"
    if first in ("who", "whom"):
        return "who-aux" if others and others[0] in _AUXILIARIES else "who-verb"
    if first in _QUESTION_WORDS:
        return first
    if first in _AUXILIARIES:
        return "yes-no"
    if first in _PREPOSITIONS:
        return "preposition-first"
    return "wh-inside" if _QUESTION_WORDS & set(others) else "elliptical"


def draw_questions(data: DataFiles) -> list[dict[str, Any]]:
    """Questions of AmbigQA without a reference, so many of each form, in an order that tells nothing."""
    taken = {
        line["record"]
        for path in REFERENCES.glob("*.jsonl")
        for line in map(json.loads, path.read_text("utf-8").splitlines())
        if line["data"] == AMBIGQA
    }
    by_form: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, record in enumerate(data.records(AMBIGQA)):
        asked = record["disambiguations"][0]
        if asked["answers"] and number not in taken:
            line = {"record": number, "question": asked["question"], "answer": asked["answers"][0]}
            by_form[form_of(asked["question"])].append(line)
    chance = random.Random(SEED)
    drawn = [
        {**line, "form": form}
        for form, count in DRAWN.items()
        for line in chance.sample(by_form[form], min(count, len(by_form[form])))
    ]
    return chance.sample(drawn, len(drawn))


def _join(line: dict[str, Any], record: dict[str, Any]) -> Referenced:
    if "wording" in line:
        asked = record["disambiguations"][line["wording"]]
        question, answers = asked["question"], asked["answers"]
    else:
        question, answers = record["question"], record["answer"]
    id = f"{line['data']} {line['record']}"
    claims, also = tuple(line["claims"]), tuple(line.get("also", ()))
    return Referenced(id, question, answers[line["answer"]], claims, "form" in line, also)


def read_faviq(data: DataFiles) -> list[Referenced]:
    """FaVIQ's samples: looked at and measured, never trained on."""
    return [
        Referenced(each["id"], each["question"], each["answer"], (each["claim"],))
        for each in data.records("faviq/samples")
    ]


def main() -> None:
    """Print a sheet of questions to write references for."""
    for line in draw_questions(DataFiles(data_folder())):
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
