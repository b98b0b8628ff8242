"""Audits of data sets: giveaway n-grams, claim-only baselines, duplicates, leaks, inter-annotator agreement.

from veritab import audit, datasets
result = audit.audit(datasets.load("fm2/dev"), "fm2/dev")
audit.measures(result)                          # every measure by name
result.claim_only.accuracy, result.pairs.lmi["REFUTES"]
"""

from __future__ import annotations

from veritab.audit.agreement import cohen_kappa, fleiss_kappa, jaccard, krippendorff_alpha, masi, nominal
from veritab.audit.auditing import Audit, audit
from veritab.audit.measures import MEASURES, exceeded_limits, measures, parse_limits
from veritab.audit.partition import write_partition

__all__ = [
    "MEASURES",
    "Audit",
    "audit",
    "cohen_kappa",
    "exceeded_limits",
    "fleiss_kappa",
    "jaccard",
    "krippendorff_alpha",
    "masi",
    "measures",
    "nominal",
    "parse_limits",
    "write_partition",
]
