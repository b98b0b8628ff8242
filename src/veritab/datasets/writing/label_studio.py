"""Tasks for Label Studio, one JSON array, and the labelling interface they are made for.

The label is an annotation marked as the ground truth. What the claim has besides travels in `data`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any, BinaryIO

from veritab.datasets.example_rows import to_row
from veritab.datasets.label_studio import FROM_NAME, TO_NAME
from veritab.datasets.writing.account import LossAccount
from veritab.datasets.writing.sets import ElementOf, words_of
from veritab.schema import Example, Label

_CHOICES = "\n".join(f'    <Choice value="{escape(label)}"/>' for label in Label)
INTERFACE = f"""<View>
  <Header value="Claim"/>
  <Text name="{TO_NAME}" value="$claim"/>
  <Header value="Evidence"/>
  <Text name="evidence" value="$evidence"/>
  <Choices name="{FROM_NAME}" toName="{TO_NAME}" choice="single-radio" required="true">
{_CHOICES}
  </Choices>
</View>
"""
"""The labelling configuration: a claim, its evidence, and one of three labels to choose."""


def task_of(example: Example, account: LossAccount, task: str, element_of: ElementOf | None = None) -> dict[str, Any]:
    """A claim as a task: what is shown, what came with it, and the label where it has one."""
    row = to_row(example, task)
    data = {
        "claim_id": row["id"],
        "claim": row["claim"],
        "evidence": _shown(example, element_of),
        "sets": row["evidence"],
        **{key: row[key] for key in ("challenge", "silver", "task", "record")},
    }
    return {"data": data, "annotations": [_annotation(example.label)] if example.label else []}


def _shown(example: Example, element_of: ElementOf | None) -> str:
    """The evidence for people: in words where these are known, by address elsewhere."""
    words = words_of(example, element_of)
    if words:
        return "\n".join(": ".join(filter(None, (" | ".join(filter(None, each[:2])), each.text))) for each in words)
    return "\n".join("; ".join(map(str, sorted(gold))) for gold in example.evidence)


def _annotation(label: Label) -> dict[str, Any]:
    choice = {"from_name": FROM_NAME, "to_name": TO_NAME, "type": "choices", "value": {"choices": [str(label)]}}
    return {"result": [choice], "ground_truth": True, "was_cancelled": False}


def write(tasks: Iterable[dict[str, Any]], file: BinaryIO) -> None:
    """Write tasks as one array, one task a line."""
    before = b"[\n"
    for task in tasks:
        file.write(before + json.dumps(task, ensure_ascii=False).encode())
        before = b",\n"
    file.write(b"\n]\n" if before == b",\n" else b"[]\n")
