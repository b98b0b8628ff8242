"""Many claims at once: files of them, runs that lose nothing, several processes, and answers brought up to date."""

from __future__ import annotations

from veritab.runs.asked import Asked, ClaimsFile, read_claims
from veritab.runs.checking import Opening, check_all, check_in_processes
from veritab.runs.rechecking import recheck
from veritab.runs.runs import Run, open_run, read_results

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
