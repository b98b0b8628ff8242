"""Claims of questions that can be read in several ways: each reading with its answer is true, with another's false.

Matching pairs of reading and answer make SUPPORTS, crossed pairs REFUTES, as FaVIQ's A set has it. Where a file answers
one reading only, the other side of a crossed pair is always a reading that is not answered, and its words alone tell
the label: claims of the answered reading with wrong answers, mined in a corpus, are mixed in until they do not, and of
several false claims the one is taken whose words are needed (`mixing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import claim_only_baseline
from veritab.build.ambiguous_questions import AmbiguousQuestion, ReadingOfQuestion, distinct_readings, why_not_crossed
from veritab.build.answers.corpus_names import CorpusNames
from veritab.build.answers.equivalence import PagesOf
from veritab.build.answers.mining import mine_answers
from veritab.build.mixing import FalseOption, balance_words
from veritab.build.passages import FoundPassage, PassageSearch
from veritab.build.processes import from_anywhere, map_in_order
from veritab.build.questions.conversion import convert
from veritab.build.questions.normal_form import normal_form
from veritab.build.questions.ranking import ModelRanker, Ranker
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut, refuse_repeated
from veritab.build.sampling import random_stream
from veritab.build.silver import SilverEvidence, find_silver
from veritab.build.unsuited import LEAST_CONFIDENCE, choose_answer, why_unsuited
from veritab.engine import Engine, ThisProcess
from veritab.errors import MissingExtra
from veritab.schema import Element, ElementId, Label

MATCHING, CROSSED, MINED = "matching", "crossed", "mined"
_DRAWN_FROM = 10
"""Wrong answers are drawn from so many of the best: always the very best would be the same mistake each time."""
_MINED_IN = 20
"""The passages found first that wrong answers are looked for in: reading more takes longest, and finds worse ones."""
_MOST_OPTIONS = 3
_COSTS = (inf, 4.0, 2.0, 1.0, 0.5, 0.0)
"""What taking a mined answer costs, from never to freely."""
_COST_UNMEASURED = 1.0


@dataclass(frozen=True)
class ClaimsOfQuestion:
    """What could be built of one ambiguous question; the false claims are options, of which one is taken."""

    id: str
    matching: tuple[BuiltRecord, ...] = ()
    crossed: tuple[tuple[BuiltRecord, ...], ...] = ()
    mined: tuple[tuple[BuiltRecord, ...], ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def false(self) -> tuple[tuple[BuiltRecord, ...], ...]:
        """Every option."""
        return (*self.crossed, *self.mined)

    def chosen(self, option: int) -> tuple[BuiltRecord, ...]:
        """As many true claims as there are false ones in an option, and those."""
        false = self.false[option]
        size = min(len(self.matching), len(false))
        return (*self.matching[:size], *false[:size])


@dataclass
class AmbiguousBuilder:
    """Builds claims of ambiguous questions; with a corpus also silver evidence and claims with mined answers."""

    source: str
    corpus: Path | None = None
    seed: int = 0
    limit: float = 0.53
    """Mined answers are mixed in until the words of claims alone tell the label in at most this share."""
    least: float = LEAST_CONFIDENCE
    """Claims with less confidence than this are left out."""
    ranker: str | None = None
    engine: Engine = field(default_factory=ThisProcess)
    mixing: dict[str, Any] = field(default_factory=dict)
    """What could be built and what was mixed, once everything is."""
    _search: PassageSearch | None = None

    def __enter__(self) -> AmbiguousBuilder:
        self._search = PassageSearch.open(self.corpus) if self.corpus else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._search:
            self._search.close()

    def element(self, id: ElementId) -> Element | None:
        """An element that a record cites."""
        return self._search.index.store.element(id) if self._search else None

    def build(self, questions: Iterable[AmbiguousQuestion | LeftOut]) -> Iterator[Built]:
        """The claims of a file, in its order; what was left out comes first, as choosing needs every claim."""
        work = _Work(self.source, self.corpus, self.seed, self.least, self.ranker, self._search)
        made: list[ClaimsOfQuestion] = []
        for each in map_in_order(work, refuse_repeated(questions), self.engine):
            yield from each.left_out
            made.append(each)
        yield from self._mix([each for each in made if each.matching])

    def _mix(self, made: Sequence[ClaimsOfQuestion]) -> list[BuiltRecord]:
        """The claims with as few mined answers as it takes for words alone not to tell labels better than allowed."""
        could = {
            MATCHING: sum(len(each.matching) for each in made),
            CROSSED: sum(bool(each.crossed) and len(each.crossed[0]) for each in made),
            MINED: sum(bool(each.mined) and len(each.mined[0]) for each in made),
        }
        self.mixing = {"could_be_built": could}
        told: list[tuple[float, list[BuiltRecord]]] = []
        for cost in _COSTS if could[MINED] else _COSTS[:1]:
            records = choose_claims(made, cost)
            accuracy = told_by_claims(records)
            if accuracy is None:
                return choose_claims(made, _COST_UNMEASURED)
            told.append((accuracy, records))
            if accuracy <= self.limit:
                break
        self.mixing["told_by_claims"] = {f"{_mined_share(each):.0%} mined": round(found, 4) for found, each in told}
        return min(told, key=lambda each: each[0])[1] if told else []


def choose_claims(made: Sequence[ClaimsOfQuestion], cost: float) -> list[BuiltRecord]:
    """True claims and as many false ones of each question, chosen by their words; a mined answer costs so much."""
    options = [
        [FalseOption(tuple(each.claim for each in option), option in question.mined) for option in question.false]
        for question in made
    ]
    if cost == inf:
        options = [[each for each in some if not each.mined] or some for some in options]
    true = [each.claim for question in made for each in question.matching]
    chosen = balance_words(true, options, 0.0 if cost == inf else cost)
    return [record for question, option in zip(made, chosen, strict=True) for record in question.chosen(option)]


def _mined_share(records: Sequence[BuiltRecord]) -> float:
    false = [each for each in records if each.label is Label.REFUTES]
    return sum(each.origin.rule == MINED for each in false) / max(len(false), 1)


def told_by_claims(records: Sequence[BuiltRecord]) -> float | None:
    """How often the words of claims alone tell the label, questions held out whole; None where it cannot be said."""
    rows = [AuditRow(each.id, each.claim, each.label, (each.origin.record,)) for each in records]
    try:
        found = claim_only_baseline(rows, [str(each.label) for each in records])
    except MissingExtra:
        return None
    return found.accuracy.value if found else None


# -- one question ------------------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """A reading and what is given as its answer."""

    reading: ReadingOfQuestion
    answer: str
    page: str = ""
    """Where a mined answer was found."""


class _Found(NamedTuple):
    """What a corpus has for a reading."""

    passages: list[FoundPassage]
    silver: SilverEvidence


@dataclass
class _Work:
    """Makes the claims of one question, in whatever process; each opens the corpus and the ranker for itself."""

    source: str
    corpus: Path | None
    seed: int
    least: float
    ranker_folder: str | None
    search: PassageSearch | None = None
    names: CorpusNames | None = None
    ranker: Ranker | None = None

    def __getstate__(self) -> dict[str, Any]:
        left = {"corpus": from_anywhere(self.corpus), "search": None, "names": None, "ranker": None}
        return self.__dict__ | left

    def __call__(self, question: AmbiguousQuestion | LeftOut) -> list[ClaimsOfQuestion]:
        if isinstance(question, LeftOut):
            return [ClaimsOfQuestion(question.record, left_out=(question,))]
        if self.corpus and self.search is None:
            self.search = PassageSearch.open(self.corpus)
        if self.search and self.names is None:
            self.names = CorpusNames(self.search.index)
        if self.ranker_folder and self.ranker is None:
            self.ranker = ModelRanker.open(self.ranker_folder)
        readings = distinct_readings(question.readings, self._pages_of)
        if not any(each.answers for each in readings):
            return [_nothing(question, "no reading has an answer")]
        if len(readings) < 2:
            why = "only one reading" if len(question.readings) < 2 else "only one reading with an answer of its own"
            return [_nothing(question, f"{why}, so that there is nothing to cross")]
        unsuited = {each: why for each in readings if (why := why_unsuited(each.question, _answer_of(each)))}
        suited = [each for each in readings if each not in unsuited]
        if not any(each.answers for each in suited):
            return [_nothing(question, next(why for each, why in unsuited.items() if each.answers))]
        return [self._build(question, suited)]

    @property
    def _pages_of(self) -> PagesOf | None:
        return self.names.pages_of if self.names else None

    def _build(self, question: AmbiguousQuestion, readings: Sequence[ReadingOfQuestion]) -> ClaimsOfQuestion:
        rng = random_stream(self.seed, "readings", question.id)
        answered = [each for each in readings if each.answers]
        drawn = sorted(rng.sample(answered, min(2, len(answered))))
        found = {each.place: self._find(each) for each in drawn}
        reasons: dict[str, str] = {}
        maker = partial(self._make, question, found, reasons)
        matching = [each for reading in drawn for each in maker(MATCHING, [_Pair(reading, _answer_of(reading))], ())]
        if not matching:
            return _nothing(question, f"no true claim: {reasons[MATCHING]}")
        true = {normal_form(each.claim) for each in matching}
        crossed = [maker(CROSSED, pairs, true) for pairs in _crossed(drawn, readings, rng, self._pages_of)]
        mined = [maker(MINED, self._mined(each, found[each.place], rng), true) for each in drawn if self.search]
        # Where two readings are answered, an option has a false claim of each.
        options = [tuple(zip(*filter(None, each), strict=False)) for each in (crossed, mined)]
        if not any(options):
            why = "; ".join(reasons[rule] for rule in (CROSSED, MINED) if rule in reasons)
            return _nothing(question, f"no false claim: {why}")
        missing = [rule for rule, each in ((CROSSED, crossed), (MINED, mined)) if not all(each)]
        left = tuple(LeftOut(question.where, question.id, reasons[rule], rule) for rule in missing)
        return ClaimsOfQuestion(question.id, tuple(matching), options[0], options[1], left)

    def _find(self, reading: ReadingOfQuestion) -> _Found:
        if self.search is None:
            return _Found([], SilverEvidence())
        question = reading.question.replace("|", " ")
        passages = self.search.find(question)
        return _Found(passages, find_silver(self.search, question, reading.answers, passages))

    def _mined(self, reading: ReadingOfQuestion, found: _Found, rng: Random) -> list[_Pair | str]:
        if not found.passages:
            return ["nothing in the corpus is about the question"]
        passages = found.passages[:_MINED_IN]
        own = _answer_of(reading)
        answers = (own, *(each for each in reading.answers if each != own))
        best = mine_answers(reading.question, answers, passages, names=self.names, most=_DRAWN_FROM)
        if not best:
            return ["no wrong answer of the answer's sort in what was found"]
        return [
            _Pair(reading, each.text, each.passage.title) for each in rng.sample(best, min(_MOST_OPTIONS, len(best)))
        ]

    def _make(
        self,
        question: AmbiguousQuestion,
        found: dict[int, _Found],
        reasons: dict[str, str],
        rule: str,
        pairs: Sequence[_Pair | str],
        true: Collection[str],
    ) -> list[BuiltRecord]:
        """The claims of pairs, none of them a true one; the first reason why there is none is noted for the rule."""
        made: dict[str, BuiltRecord] = {}
        for pair in pairs:
            if isinstance(pair, str):
                reasons.setdefault(rule, pair)
                continue
            conversion = convert(pair.reading.question, pair.answer, self.ranker)
            if conversion.claim is None:
                reasons.setdefault(rule, conversion.reason)
            elif conversion.confidence < self.least:
                reasons.setdefault(rule, f"less confidence than {self.least:g}")
            elif normal_form(conversion.claim) in true:
                reasons.setdefault(rule, "the claim is the true one word for word")
            else:
                silver = found[pair.reading.place].silver if pair.reading.place in found else SilverEvidence()
                record = self._record(question, rule, pair, conversion.claim, conversion.confidence, silver)
                made.setdefault(normal_form(record.claim), record)
            if len(made) == _MOST_OPTIONS:
                break
        return list(made.values())

    def _record(
        self, question: AmbiguousQuestion, rule: str, pair: _Pair, claim: str, confidence: float, silver: SilverEvidence
    ) -> BuiltRecord:
        details = {"question": pair.reading.question, "answer": pair.answer, "confidence": confidence}
        if pair.page:
            details["answer_from"] = pair.page
        if silver.negative:
            details["negative"] = [str(id) for id in silver.negative.elements]
        return BuiltRecord(
            f"{question.id}-{rule}-{pair.reading.place}",
            claim,
            Label.SUPPORTS if rule == MATCHING else Label.REFUTES,
            ClaimOrigin(self.source, question.id, rule, self.seed),
            (silver.passage.elements,) if silver.passage else (),
            silver=silver.passage is not None,
            details=details,
        )


def _answer_of(reading: ReadingOfQuestion) -> str:
    return choose_answer(reading.answers) if reading.answers else ""


def _nothing(question: AmbiguousQuestion, reason: str) -> ClaimsOfQuestion:
    return ClaimsOfQuestion(question.id, left_out=(LeftOut(question.where, question.id, reason),))


def _crossed(
    drawn: Sequence[ReadingOfQuestion],
    readings: Sequence[ReadingOfQuestion],
    rng: Random,
    pages_of: PagesOf | None,
) -> list[list[_Pair | str]]:
    """What to try for each false claim: two answers crossed, or one answer with the readings that are not answered."""
    if len(drawn) == 2:
        return [[_cross(asked, other, pages_of)] for asked, other in (drawn, drawn[::-1])]
    others = [each for each in readings if each.place != drawn[0].place]
    if not others:
        return [["none of its other readings can be asked to be told apart"]]
    return [
        sorted(
            (_cross(each, drawn[0], pages_of) for each in rng.sample(others, len(others))),
            key=lambda each: isinstance(each, str),
        )
    ]


def _cross(asked: ReadingOfQuestion, answered: ReadingOfQuestion, pages_of: PagesOf | None) -> _Pair | str:
    answer = _answer_of(answered)
    return why_not_crossed(asked, answered, answer, pages_of) or _Pair(asked, answer)
