"""All figures of a studio in one pass over its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from veritab.errors import InputError
from veritab.studio.figures.agreement import AgreementFigures, measure_agreement
from veritab.studio.figures.bias import AuthorBias, measure_bias
from veritab.studio.figures.claims import ClaimCounter, ClaimFigures
from veritab.studio.figures.evidence import EvidenceCounter, EvidenceFigures
from veritab.studio.figures.handling import ApprovalFigures, HandlingCounter, HandlingFigures, measure_approval
from veritab.studio.figures.overlap import Overlap
from veritab.studio.figures.recall import SuperAnnotation, UnfoundEvidence, estimate_unfound, measure_super_annotation
from veritab.studio.figures.rows import AnnotationRow, AuthoredClaim, MemberRow, WritingRow
from veritab.studio.vocabulary import Pool


class StudioFigures(NamedTuple):
    """Everything that the papers print of annotation, of one studio's work; practice and calibration are left out."""

    writing: ClaimFigures
    verification: EvidenceFigures
    handling: HandlingFigures
    agreement: AgreementFigures
    super_annotation: SuperAnnotation
    unfound: UnfoundEvidence
    approval: Mapping[str, ApprovalFigures]
    bias: tuple[AuthorBias, ...]


def measure_studio(
    annotations: Iterable[AnnotationRow],
    writings: Iterable[WritingRow],
    members: Iterable[MemberRow],
    claims: Iterable[AuthoredClaim],
) -> StudioFigures:
    """The figures of all rows, each read once: annotations in order of time, claims by author.

    What is held grows with people and with claims that several people answered, not with the others.
    """
    written = ClaimCounter()
    for writing in writings:
        written.add(writing)
    known = list(members)
    scores = {member.member: member.accuracy for member in known if member.accuracy is not None}
    evidence, handling, overlap, before = EvidenceCounter(), HandlingCounter(), Overlap(), 0.0
    for row in annotations:
        if row.at < before:
            raise InputError(f"the annotation of claim {row.claim!r} is earlier than the one before; sort them by time")
        before = row.at
        overlap.add(row)
        if row.pool == Pool.WORK:
            evidence.add(row)
            handling.add(row)
    return StudioFigures(
        written.result(),
        evidence.result(),
        handling.result(),
        measure_agreement(overlap, scores),
        measure_super_annotation(overlap),
        estimate_unfound(overlap),
        measure_approval(known),
        measure_bias(claims),
    )
