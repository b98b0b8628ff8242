"""The EASY and HARD parts of a data set, as Fool Me Twice cuts them: does the claim alone give its label away?."""

from __future__ import annotations

from pathlib import Path

import orjson

from veritab.audit.claim_only import ClaimOnly
from veritab.files import replacing


def write_partition(result: ClaimOnly, path: Path) -> int:
    """Write a line {"id", "partition", "predicted_label"} for every claim, in order; gives how many are EASY.

    `veritab evaluate --claim-only` takes the file and scores both parts apart.
    """
    with replacing(path) as file:
        for guess in result.guesses:
            line = {"id": guess.id, "partition": guess.part, "predicted_label": guess.guessed}
            file.write(orjson.dumps(line) + b"\n")
    return sum(guess.part == "EASY" for guess in result.guesses)
