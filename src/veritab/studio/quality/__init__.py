"""Quality: answers are graded, compared, shown and decided on; claims that were reported are dealt with.

from veritab.studio import quality
quality.settle(session, task, now=now)          # after every submission
quality.answers_of(session, task, viewer=member)
quality.adjudicate(session, task, by=manager, label="REFUTES", annotation_id=7, reason="...", now=now)
"""

from __future__ import annotations

from veritab.studio.quality.calibration import (
    CALIBRATING,
    CalibrationState,
    GradedAnswer,
    GradeTotals,
    advance,
    advance_after,
    calibration_of,
    count_ungraded,
    read_feedback,
    who_calibrated,
)
from veritab.studio.quality.grading import grade_by_hand
from veritab.studio.quality.kept import sets_of, standing_decisions, texts_of
from veritab.studio.quality.measures import Gold, Measures, match_evidence, measure, read_gold
from veritab.studio.quality.members import GoldWarning, decide_member, read_warning, stage_reason, warning_of
from veritab.studio.quality.own_work import OwnAnswer, OwnClaim, OwnReport, my_claims, my_reports, my_work
from veritab.studio.quality.reports import decide_claim, end_report
from veritab.studio.quality.settling import adjudicate, decision_of, decisions_of, reopen, review, settle
from veritab.studio.quality.showing import ShownAnswer, answers_of

__all__ = [
    "CALIBRATING",
    "CalibrationState",
    "Gold",
    "GoldWarning",
    "GradeTotals",
    "GradedAnswer",
    "Measures",
    "OwnAnswer",
    "OwnClaim",
    "OwnReport",
    "ShownAnswer",
    "adjudicate",
    "advance",
    "advance_after",
    "answers_of",
    "calibration_of",
    "count_ungraded",
    "decide_claim",
    "decide_member",
    "decision_of",
    "decisions_of",
    "end_report",
    "grade_by_hand",
    "match_evidence",
    "measure",
    "my_claims",
    "my_reports",
    "my_work",
    "read_feedback",
    "read_gold",
    "read_warning",
    "reopen",
    "review",
    "sets_of",
    "settle",
    "stage_reason",
    "standing_decisions",
    "texts_of",
    "warning_of",
    "who_calibrated",
]
