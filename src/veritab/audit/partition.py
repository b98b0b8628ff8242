"""The EASY and HARD parts of a data set, as Fool Me Twice cuts them: whether the claim alone gives its label away."""

from __future__ import annotations

from pathlib import Path

import orjson

from veritab.audit.claim_only import ClaimOnlyResult
from veritab.files import replacing


def write_partition(result: ClaimOnlyResult, path: Path) -> int:
    """Write a line {"id", "partition", "predicted_label"} for every claim, in order; gives how many are EASY.

    `veritab evaluate --claim-only` takes the file and scores both parts apart.
    """
    with replacing(path) as file:
        for guess in result.predictions:
            line = {"id": guess.id, "partition": guess.part, "predicted_label": guess.predicted}
            file.write(orjson.dumps(line) + b"\n")
    return sum(guess.part == "EASY" for guess in result.predictions)
