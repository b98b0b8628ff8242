"""Many claims at once: files of them, runs that lose nothing, several processes, and answers brought up to date."""

from __future__ import annotations

from veritab.bulk.asked import Asked, ClaimsFile, read_claims
from veritab.bulk.checking import Opening, check_all, check_in_processes
from veritab.bulk.rechecking import recheck
from veritab.bulk.runs import Run, open_run, read_results

__all__ = [
    "Asked",
    "ClaimsFile",
    "Opening",
    "Run",
    "check_all",
    "check_in_processes",
    "open_run",
    "read_claims",
    "read_results",
    "recheck",
]
