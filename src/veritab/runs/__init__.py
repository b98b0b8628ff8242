"""Many claims, long work: read them from files, check them, resume, recheck, cache stages, and compare runs."""

from __future__ import annotations

from veritab.runs.checking import CheckerFactory, check_all, check_in_processes
from veritab.runs.claims import ClaimRecord, ClaimsFile, read_claims
from veritab.runs.rechecking import recheck
from veritab.runs.run import Run, open_run, read_results

__all__ = [
    "CheckerFactory",
    "ClaimRecord",
    "ClaimsFile",
    "Run",
    "check_all",
    "check_in_processes",
    "open_run",
    "read_claims",
    "read_results",
    "recheck",
]
