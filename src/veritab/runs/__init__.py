"""Many claims, long work: read them from files, check them, resume, recheck, cache stages, and compare runs."""

from __future__ import annotations

from veritab.runs.checking import CheckerFactory, check_all, check_on_engine, check_what_can_be
from veritab.runs.claims import ClaimRecord, ClaimsFile, read_claims
from veritab.runs.folders import ClaimsFolder
from veritab.runs.rechecking import recheck
from veritab.runs.run import Run, open_run, read_results

__all__ = [
    "CheckerFactory",
    "ClaimRecord",
    "ClaimsFile",
    "ClaimsFolder",
    "Run",
    "check_all",
    "check_on_engine",
    "check_what_can_be",
    "open_run",
    "read_claims",
    "read_results",
    "recheck",
]
