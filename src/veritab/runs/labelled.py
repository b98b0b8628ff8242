"""The labelled claims of a data set, as a run answers them and a score needs them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from veritab.errors import InputError
from veritab.runs.claims import ClaimRecord
from veritab.schema import Example

if TYPE_CHECKING:
    from veritab.datasets import DataSet, Task


@dataclass(frozen=True)
class LabelledClaims:
    """The claims of a data set that a run answers: all of them, or the first `at_most`."""

    data: DataSet
    at_most: int | None = None

    def __iter__(self) -> Iterator[Example]:
        return islice(self.data, self.at_most)

    def claim_records(self) -> Iterator[ClaimRecord]:
        """The claims without their labels."""
        return (ClaimRecord(number, each.claim.id, each.claim.text) for number, each in enumerate(self, 1))

    @property
    def task(self) -> Task:
        """The task whose scorer applies."""
        if self.data.task == "claims":
            raise InputError(
                f"{self.data.name} belongs to no known task; say how to score it, e.g. --task faviq to score labels "
                "alone"
            )
        return self.data.task

    @cached_property
    def record(self) -> dict[str, Any]:
        """What identifies these claims and their gold, hashed by content: a file that was recompressed is the same."""
        count, claims, gold = 0, hashlib.sha256(), hashlib.sha256()
        for example in self:
            count += 1
            if example.label is None:
                raise InputError(
                    f"{self.data.name}: claim {example.claim.id!r} has no label, so answers to it cannot be scored; "
                    "check the file with veritab check --file instead"
                )
            claims.update(hashed_line(example.claim.id, example.claim.text))
            gold.update(orjson.dumps([example.claim.id, example.label, example.silver, gold_ids(example)]) + b"\n")
        if not count:
            raise InputError(f"{self.data.name} holds no claims; name another data set")
        return {
            "dataset": self.data.name,
            "task": self.task,
            "claims": count,
            "claims_sha256": claims.hexdigest(),
            "gold_sha256": gold.hexdigest(),
            "data_sha256": self.data.sha256,
        }


def hashed_line(id: str, text: str) -> bytes:
    """A claim as it enters the hash of a run's claims."""
    return orjson.dumps([id, text]) + b"\n"


def gold_ids(example: Example) -> list[list[str]]:
    """The evidence sets of an example as sorted element ids."""
    return [sorted(map(str, each)) for each in example.evidence]
