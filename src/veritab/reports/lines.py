"""Verdicts as JSON lines, the form in which other programs read them and Veritab reads them back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from veritab.schema import Verdict
from veritab.serial import to_json


@dataclass(frozen=True)
class Lines:
    """One verdict a line, as `veritab check --json` prints it."""

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each verdict as it comes; how many there were."""
        count = 0
        for verdict in verdicts:
            out.write(json.dumps(to_json(verdict), ensure_ascii=False) + "\n")
            count += 1
        return count
