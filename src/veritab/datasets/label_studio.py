"""Tasks of Label Studio: the claim in `data`, the answers of people in `annotations`.

What `veritab data convert --to label-studio` wrote can be read back, before and after people worked on it there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from veritab.datasets.records import Record
from veritab.schema import Label

FROM_NAME, TO_NAME = "verdict", "claim"
"""How the answer and what it is about are called in the labelling interface."""


def is_task(record: Record) -> bool:
    """Whether a record is a task of Label Studio that holds a claim."""
    data = record.get("data")
    return isinstance(data, dict) and isinstance(data.get("claim"), str)


def row_of_task(record: Record) -> dict[str, Any]:
    """A task as a row; ValueError where people gave it different answers."""
    data = record["data"]
    return {
        "id": data.get("claim_id", record.get("id")),
        "claim": data["claim"],
        "label": _label(_listed(record.get("annotations"))),
        "evidence": data.get("sets") or [],
        "challenge": data.get("challenge") or "",
        "silver": bool(data.get("silver")),
        "task": data.get("task") or "claims",
        "record": data.get("record") or {},
    }


class TaskAnswer(NamedTuple):
    """What one person answered to a task; `seconds` is how long it took them."""

    annotator: str
    label: str
    seconds: float
    is_truth: bool


def answers_of_task(record: Record) -> list[TaskAnswer]:
    """What each person answered, in order; ValueError where somebody chose several answers or an unknown one."""
    answers = []
    for place, each in enumerate(_listed(record.get("annotations")), 1):
        chosen = list(dict.fromkeys(_answers(each)))
        if len(chosen) > 1:
            raise ValueError(f"annotation {place} has several answers ({', '.join(chosen)[:120]}); leave one")
        if chosen:
            person, seconds = each.get("completed_by"), each.get("lead_time")
            if isinstance(person, dict):
                person = person.get("id")  # never the e-mail address that is beside it
            answers.append(
                TaskAnswer(
                    str(place if person is None else person),
                    _known(chosen[0]),
                    float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < math.inf else 0.0,
                    bool(each.get("ground_truth")),
                )
            )
    return answers


def _known(answer: str) -> str:
    if answer not in set(Label):
        raise ValueError(f"the answer {answer[:80]!r} is unknown; expected one of {', '.join(Label)}")
    return answer


def _label(annotations: list[Any]) -> str | None:
    """The answer that was marked as the truth, else the one on which all agree."""
    true = [each for each in annotations if isinstance(each, dict) and each.get("ground_truth")]
    answers = list(dict.fromkeys(answer for each in true or annotations for answer in _answers(each)))
    if len(answers) > 1:
        raise ValueError(f"people disagree ({', '.join(answers)[:120]}); mark one annotation as the ground truth")
    return _known(answers[0]) if answers else None


def _answers(annotation: Any) -> list[str]:
    if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
        return []
    values = [
        each.get("value")
        for each in _listed(annotation.get("result"))
        if isinstance(each, dict) and each.get("from_name") == FROM_NAME
    ]
    chosen = [choice for value in values if isinstance(value, dict) for choice in _listed(value.get("choices"))]
    return [choice for choice in chosen if isinstance(choice, str)]


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []
