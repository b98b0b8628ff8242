"""A task once it is done: one's answer, the right one in practice, the checker's where it is shown, what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import select
from starlette.responses import Response

from veritab.schema import ElementId, Label
from veritab.studio import quality
from veritab.studio.records import AnnotationRecord
from veritab.studio.states import AssignmentState
from veritab.studio.submission import FEVER_CLAIM_FIELDS, MUTATION_FIELDS, WRITING_KINDS
from veritab.studio.tasks import can_revise
from veritab.studio.vocabulary import Challenge, ClaimRating, Pool
from veritab.web.studio.answers import comments_on
from veritab.web.studio.browsing import describe_piece
from veritab.web.studio.rendering import render
from veritab.web.studio.screens import Work
from veritab.web.studio.suggesting import is_shown

VERDICTS = {
    Label.SUPPORTS: "Supported",
    Label.REFUTES: "Refuted",
    Label.NOT_ENOUGH_INFO: "Not enough information",
}
"""What people read for a label."""


class ShownPiece(NamedTuple):
    """A piece of evidence of an answer, as it is read afterwards."""

    text: str
    place: str
    href: str


class FinishedAnswer(NamedTuple):
    """An answer as it is read afterwards: its lines, and the pieces of each set."""

    lines: Sequence[tuple[str, str]]
    sets: Sequence[Sequence[ShownPiece]]
    takes_evidence: bool = True


def show_done(work: Work) -> Response:
    """A task that is not in one's hands any more."""
    annotation = work.visit.session.scalar(
        select(AnnotationRecord).where(AnnotationRecord.assignment_id == work.assignment.id, AnnotationRecord.is_last)
    )
    is_practice = work.task.pool == Pool.PRACTICE
    return render(
        work.visit,
        "work_done.html",
        work=work,
        claim=work.claim.text if work.claim else "",
        state=AssignmentState(work.assignment.state),
        own=_show_answer(work, annotation) if annotation else None,
        right=_show_gold(work) if annotation and is_practice else None,
        is_flagged=bool(annotation and annotation.is_flagged),
        can_change=bool(annotation) and _can_change(work),
        suggestion=work.to("suggestion") if annotation and is_shown(work) else "",
        comments=comments_on(work.visit, work.task),
        is_practice=is_practice,
    )


def _can_change(work: Work) -> bool:
    is_submitted = work.assignment.state == AssignmentState.SUBMITTED
    return is_submitted and work.kind not in WRITING_KINDS and can_revise(work.task)


def _show_answer(work: Work, annotation: AnnotationRecord) -> FinishedAnswer:
    lines = _list_lines(annotation.label, annotation.challenge, annotation.rating)
    sets = quality.sets_of(work.visit.session, [annotation.id]).get(annotation.id, ())
    written = _list_written(annotation.fields)
    return FinishedAnswer([*lines, *written], _show_sets(work, sets), work.kind not in WRITING_KINDS)


_CLAIMS = {name: name.replace("-", " ").capitalize() for name in FEVER_CLAIM_FIELDS}
_WRITTEN = {
    **{name: mutation.label for mutation, name in MUTATION_FIELDS.items()},
    **{
        name: label
        for claim, words in _CLAIMS.items()
        for name, label in ((claim, words), (claim.replace("claim", "challenge"), "Expected challenge"))
    },
}
"""What people read for the fields of written claims, in the order in which a screen has them."""


_VERDICTS_OF_SETS = {label.value: words for label, words in VERDICTS.items()}


def _list_written(fields: Mapping[str, str]) -> list[tuple[str, str]]:
    claims = [(label, fields[name]) for name, label in _WRITTEN.items() if name in fields]
    return claims + [
        (name.replace("-", " ").capitalize(), _VERDICTS_OF_SETS.get(text, text) if name.startswith("set-") else text)
        for name, text in fields.items()
        if name not in _WRITTEN
    ]


def _show_gold(work: Work) -> FinishedAnswer | None:
    gold = quality.read_gold(work.task.gold)
    return FinishedAnswer(_list_lines(gold.label, gold.challenge), _show_sets(work, gold.sets)) if gold else None


def _list_lines(label: str, challenge: str, rating: str = "") -> list[tuple[str, str]]:
    lines = [
        ("Rating", ClaimRating(rating).label if rating else ""),
        ("Verdict", VERDICTS[Label(label)] if label else ""),
        ("Challenge", Challenge(challenge).label if challenge else ""),
    ]
    return [(name, words) for name, words in lines if words]


def _show_sets(work: Work, sets: Sequence[Sequence[ElementId]]) -> list[list[ShownPiece]]:
    return [[_show_piece(work, id) for id in pieces] for pieces in sets]


def _show_piece(work: Work, id: ElementId) -> ShownPiece:
    piece = describe_piece(work.shelf, id)
    return ShownPiece(piece["text"], piece["place"], f"{work.visit.to('page')}{piece['href']}")
