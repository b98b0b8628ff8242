"""Questions with their answers become claims: refused, or listed and ranked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from veritab.build.inflection import check_installed
from veritab.build.processes import in_batches, map_in_order
from veritab.build.questions.enumeration import list_readings
from veritab.build.questions.names import capitalise_names
from veritab.build.questions.naturalness import naturalness
from veritab.build.questions.ranking import LinearRanker, Ranker, ReadQuestion
from veritab.build.questions.refusals import no_reading, refusal, remarks
from veritab.build.questions.wording import mend_wording
from veritab.build.records import AnsweredQuestion, LeftOut
from veritab.engine import Engine, ThisProcess
from veritab.text import nfc, squeeze

_TOGETHER = 64


class Conversion(NamedTuple):
    """What became of a question: a claim with the ranker's confidence in it, or None and the reason."""

    id: str
    claim: str | None
    reason: str
    """Why there is no claim; with one, what to know of it: the first of several answers was taken."""
    confidence: float
    """From 0 to 1, by the ranker's margin between the first reading and the second, and less where the claim reads
    oddly; 0 without a claim."""
    where: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON lines have it."""
        return {"id": self.id, "claim": self.claim, "reason": self.reason, "confidence": self.confidence}


class _Prepared(NamedTuple):
    read: ReadQuestion
    reason: str


def convert_all(
    questions: Iterable[AnsweredQuestion | LeftOut], ranker: Ranker | None = None, *, engine: Engine | None = None
) -> Iterator[Conversion]:
    """What becomes of each question, in their order; lines that could not be read keep their place and say why."""
    check_installed()
    if ranker is None:
        yield from map_in_order(_convert_by_weights, questions, engine)
        return
    convert_some = partial(_convert_batch, ranker=ranker)
    for made in (engine or ThisProcess()).map(convert_some, in_batches(questions, _TOGETHER)):
        yield from made


def _convert_by_weights(each: AnsweredQuestion | LeftOut) -> list[Conversion]:
    return _convert_batch([each], LinearRanker())


def _convert_batch(batch: Sequence[AnsweredQuestion | LeftOut], ranker: Ranker) -> list[Conversion]:
    prepared = [_prepare(each) for each in batch]
    ranked = ranker.rank([each.read for each in prepared])
    made = []
    for source, each, scores in zip(batch, prepared, ranked, strict=True):
        id = source.record if isinstance(source, LeftOut) else source.id
        claim, confidence = _best(each.read, scores)
        made.append(Conversion(id, claim, each.reason, confidence, source.where))
    return made


def convert(question: str, answer: str | Sequence[str], ranker: Ranker | None = None) -> Conversion:
    """The claim that a question with its answer means, or why there is none."""
    answers = (answer,) if isinstance(answer, str) else tuple(answer)
    kept = tuple(filter(None, (squeeze(nfc(each)) for each in answers)))
    (found,) = convert_all([AnsweredQuestion("", "", squeeze(nfc(question)), kept, {})], ranker)
    return found


def _prepare(each: AnsweredQuestion | LeftOut) -> _Prepared:
    if isinstance(each, LeftOut):
        return _Prepared(ReadQuestion("", "", ()), each.reason)
    answer = each.answers[0] if each.answers else ""
    # AmbigQA writes several wordings of one question as one, with "|" between them.
    wordings = [wording for wording in map(str.strip, each.text.split("|")) if wording] or [""]
    reasons = []
    for wording in wordings:
        reason = refusal(wording, answer)
        readings = () if reason else list_readings(wording, answer)
        if readings:
            notes = remarks(wording, answer, each.answers, len(wordings))
            return _Prepared(ReadQuestion(wording, answer, readings), "; ".join(notes))
        reasons.append(reason or no_reading(wording))
    return _Prepared(ReadQuestion(each.text, answer, ()), reasons[0])


def _best(read: ReadQuestion, scores: Sequence[float]) -> tuple[str | None, float]:
    """The reading with the highest score, the earlier of equals, and how far it is ahead."""
    if not read.readings:
        return None, 0.0
    first = max(range(len(scores)), key=lambda place: (scores[place], -place))
    others = [score for place, score in enumerate(scores) if place != first]
    margin = scores[first] - max(others) if others else math.inf
    claim = mend_wording(capitalise_names(read.readings[first].text, read.answer), read.answer)
    return claim, round(math.tanh(margin / 2) * naturalness(claim, read.question, read.answer), 4)
