"""What people answered to tasks of Label Studio, one by one."""

from __future__ import annotations

from typing import Any

import pytest

from veritab.datasets.label_studio import TaskAnswer, answers_of_task


def said(*labels: str, **more: Any) -> dict[str, Any]:
    choice = {"from_name": "verdict", "type": "choices", "value": {"choices": list(labels)}}
    return {"result": [choice], **more}


def task(*annotations: Any) -> dict[str, Any]:
    return {"data": {"claim": "K2 is high."}, "annotations": list(annotations)}


def test_each_person_has_an_answer_and_no_address() -> None:
    person = {"id": 7, "email": "a@example.org"}
    answers = answers_of_task(
        task(
            said("SUPPORTS", completed_by=person, lead_time=12.5),
            said("REFUTES", completed_by=3, ground_truth=True, lead_time=-1),
            said("REFUTES", completed_by=4, was_cancelled=True),
            said(),
            "odd",
            said("NOT ENOUGH INFO"),
        )
    )
    assert answers == [
        TaskAnswer("7", "SUPPORTS", 12.5, False),
        TaskAnswer("3", "REFUTES", 0.0, True),
        TaskAnswer("6", "NOT ENOUGH INFO", 0.0, False),
    ]


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (said("SUPPORTS", "REFUTES"), "annotation 1 has several answers"),
        (said("maybe"), "the answer 'maybe' is unknown"),
    ],
)
def test_an_answer_that_says_nothing_clear_is_told(annotation: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        answers_of_task(task(annotation))
