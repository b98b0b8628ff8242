"""The checker's own answer to a claim, for whoever verifies it: after they have answered, or from the beginning."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

from veritab.errors import NotFound
from veritab.pipeline import Checker
from veritab.render.view import LABELS, LabelView, format_percent
from veritab.schema import Label
from veritab.studio.records import JsonObject
from veritab.studio.tasks import has_answered
from veritab.studio.vocabulary import SuggestionTime
from veritab.web.studio.browsing import ADDRESSES, describe_context
from veritab.web.studio.screens import Work

_MOST_KEPT = 256
_MOST_SHOWN = 6


class SuggestedEvidence(NamedTuple):
    """Something that the checker found, and where to see it."""

    text: str
    place: str
    href: str


class Suggestion(NamedTuple):
    """What the checker says of a claim."""

    label: Label
    scores: dict[str, float]
    elements: tuple[str, ...]
    evidence: tuple[SuggestedEvidence, ...]

    @property
    def view(self) -> LabelView:
        return LABELS[self.label]

    @property
    def percent(self) -> str:
        return format_percent(self.scores[self.label])

    def record(self, shown: SuggestionTime) -> JsonObject:
        """What an annotation keeps of it."""
        return {
            "shown": shown.value,
            "label": self.label.value,
            "scores": self.scores,
            "evidence": list(self.elements),
        }


class Question(NamedTuple):
    """A claim that the checker is to be asked about."""

    checker: Checker
    digest: str
    claim: str
    shown: SuggestionTime


def is_shown(work: Work) -> bool:
    """Whether somebody may see the checker's answer now."""
    return ask_about(work) is not None


def ask_about(work: Work) -> Question | None:
    """What to ask the checker, where its answer is shown by now."""
    shown = work.visit.settings.suggestion
    if work.claim is None or shown is SuggestionTime.HIDDEN:
        return None
    if shown is SuggestionTime.AFTER and not has_answered(work.visit.session, work.assignment):
        return None
    return Question(work.shelf.checker, work.shelf.digest, work.claim.text, shown)


def require_question(work: Work) -> Question:
    """What to ask the checker; not found as long as its answer is hidden."""
    question = ask_about(work)
    if question is None:
        raise NotFound("the checker's answer is not shown here, or not yet")
    return question


class _Answered:
    """What the checker said lately: it says the same of the same claim and corpus."""

    def __init__(self) -> None:
        self.found: OrderedDict[tuple[str, str], Suggestion] = OrderedDict()
        self.lock = threading.Lock()


_ANSWERED = _Answered()


def answer(question: Question) -> Suggestion:
    """The checker's answer; it takes a moment the first time."""
    key = question.digest, question.claim
    with _ANSWERED.lock:
        if key in _ANSWERED.found:
            return _ANSWERED.found[key]
    verdict = question.checker.check(question.claim)
    made = Suggestion(
        verdict.label,
        {label.value: round(score, 4) for label, score in verdict.scores.items()},
        tuple(str(hit.element.id) for hit in verdict.evidence),
        tuple(
            SuggestedEvidence(
                hit.element.text,
                describe_context(hit.element),
                ADDRESSES.element(hit.element.id),
            )
            for hit in verdict.evidence[:_MOST_SHOWN]
        ),
    )
    with _ANSWERED.lock:
        _ANSWERED.found[key] = made
        while len(_ANSWERED.found) > _MOST_KEPT:
            _ANSWERED.found.popitem(last=False)
    return made
