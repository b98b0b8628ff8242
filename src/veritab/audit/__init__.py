"""What gives a data set away: telling words, claims that need no evidence, repetitions, leaks, disagreement.

from veritab import audit, datasets
result = audit.audit(datasets.load("fm2/dev"), "fm2/dev")
audit.measures(result)                          # every figure by name
result.claim_only.accuracy, result.pairs.lmi["REFUTES"]
"""

from __future__ import annotations

from veritab.audit.agreement import cohen_kappa, fleiss_kappa, jaccard, krippendorff_alpha, masi, nominal
from veritab.audit.auditing import Audit, audit
from veritab.audit.measures import MEASURES, exceeded, limits_of, measures
from veritab.audit.partition import write_partition

__all__ = [
    "MEASURES",
    "Audit",
    "audit",
    "cohen_kappa",
    "exceeded",
    "fleiss_kappa",
    "jaccard",
    "krippendorff_alpha",
    "limits_of",
    "masi",
    "measures",
    "nominal",
    "write_partition",
]
