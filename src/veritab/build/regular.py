"""Claims of questions with one answer: the right answer makes a true claim, one mined in a corpus a false one.

As FaVIQ's R set has it: the wrong answer is of the right one's type and drawn from the likeliest fifty, none of them
another name for a given answer. Evidence is silver: the first passage for the question that holds its answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from veritab.build.answers.answer_types import AnswerType, read_value, type_answer
from veritab.build.answers.corpus_names import CorpusNames
from veritab.build.answers.mining import MinedAnswer, mine_answers
from veritab.build.passages import PassageSearch
from veritab.build.processes import from_anywhere, map_in_order
from veritab.build.questions.conversion import Conversion, convert
from veritab.build.questions.normal_form import normal_form
from veritab.build.questions.ranking import ModelRanker, Ranker
from veritab.build.records import AnsweredQuestion, Built, BuiltRecord, ClaimOrigin, LeftOut, refuse_repeated
from veritab.build.sampling import random_stream
from veritab.build.silver import SilverEvidence, find_silver
from veritab.build.unsuited import LEAST_CONFIDENCE, choose_answer, why_unsuited
from veritab.engine import Engine, ThisProcess
from veritab.quantities import Date, Range
from veritab.schema import Element, ElementId, Label

RIGHT, MINED = "right", "mined"
_MOST_TRIES = 5
_EVERY_YEAR = 0.5
"""The weight of a year that is nowhere right, beside the times that another is."""


@dataclass(frozen=True)
class RegularPair:
    """The true and the false claim of one question."""

    true: BuiltRecord
    false: BuiltRecord


@dataclass
class RegularBuilder:
    """Builds a true and a false claim of each question, or one of the two."""

    source: str
    corpus: Path | None = None
    """The bundled almanac without one."""
    seed: int = 0
    one: bool = False
    """Whether a question makes one claim, by turns true and false, in random order."""
    least: float = LEAST_CONFIDENCE
    """Claims with less confidence than this are left out."""
    ranker: str | None = None
    engine: Engine = field(default_factory=ThisProcess)
    years: Counter[int] = field(default_factory=Counter)
    """How often each year is right: see `count_years`."""
    _search: PassageSearch | None = None

    def __enter__(self) -> RegularBuilder:
        self._search = PassageSearch.open(self.corpus)
        return self

    def __exit__(self, *_: object) -> None:
        if self._search:
            self._search.close()

    def element(self, id: ElementId) -> Element | None:
        """An element that a record cites."""
        return self._search.index.store.element(id) if self._search else None

    def count_years(self, questions: Iterable[AnsweredQuestion | LeftOut]) -> None:
        """Count the years of the answers that will be built of.

        People ask about late years. Wrong years are drawn the likelier the oftener they are right elsewhere, or the
        year of a claim alone would tell whether it is true.
        """
        asked = (each for each in questions if isinstance(each, AnsweredQuestion) and each.answers)
        self.years.update(filter(None, (year_of(choose_answer(each.answers)) for each in asked)))

    def build(self, questions: Iterable[AnsweredQuestion | LeftOut]) -> Iterator[Built]:
        """The claims of a file, in its order, with what was left out."""
        work = _Work(self.source, self.corpus, self.seed, self.least, self.ranker, self.years, self._search)
        pairs = 0
        for made in map_in_order(work, refuse_repeated(questions), self.engine):
            if isinstance(made, LeftOut):
                yield made
            elif self.one:
                yield made.true if self._is_true(pairs) else made.false
            else:
                yield made.true
                yield made.false
            pairs += isinstance(made, RegularPair)

    def _is_true(self, number: int) -> bool:
        """Of every two questions one makes a true claim and one a false one, whichever comes first."""
        first = random_stream(self.seed, "one of two", number // 2).random() < 0.5
        return first == (number % 2 == 0)


@dataclass
class _Work:
    """Makes the two claims of a question, in whatever process; each opens the corpus and the ranker for itself."""

    source: str
    corpus: Path | None
    seed: int
    least: float
    ranker_folder: str | None
    years: Counter[int]
    search: PassageSearch | None = None
    names: CorpusNames | None = None
    ranker: Ranker | None = None

    def __getstate__(self) -> dict[str, Any]:
        left = {"corpus": from_anywhere(self.corpus), "search": None, "names": None, "ranker": None}
        return self.__dict__ | left

    def __call__(self, question: AnsweredQuestion | LeftOut) -> list[RegularPair | LeftOut]:
        if isinstance(question, LeftOut):
            return [question]
        made = self._build(question)
        return [LeftOut(question.where, question.id, made) if isinstance(made, str) else made]

    def _build(self, question: AnsweredQuestion) -> RegularPair | str:
        """The claims of a question, or why there are none."""
        if not question.answers:
            return "no answer"
        answer = choose_answer(question.answers)
        if why := why_unsuited(question.text, answer):
            return why
        right = self._convert(question, answer)
        if right.claim is None:
            return f"no claim of the answer {answer[:80]!r}: {right.reason}"
        search, names = self._open()
        passages = search.find(question.text)
        if not passages:
            return "nothing in the corpus is about the question"
        answers = (answer, *(each for each in question.answers if each != answer))
        mined = mine_answers(question.text, answers, passages, names=names)
        if not mined:
            type = type_answer(question.text, answer, names.sort_of).type
            if type is AnswerType.OTHER:
                return f"the answer {answer[:80]!r} is of no type by which a wrong one could be found"
            return f"no wrong answer of the type {type} for {answer[:80]!r} in what was found"
        rng = random_stream(self.seed, "wrong answer", question.id)
        reason = ""
        for wrong in self._draw(mined, rng):
            false = self._convert(question, wrong.text)
            if false.claim is not None and normal_form(false.claim) != normal_form(right.claim):
                silver = find_silver(search, question.text, question.answers, passages)
                return RegularPair(
                    self._record(question, RIGHT, right, answer, silver),
                    self._record(question, MINED, false, wrong.text, silver, wrong.passage.title),
                )
            reason = reason or false.reason
        return f"no claim of a wrong answer: {reason or 'it says what the true one says'}"

    def _draw(self, mined: Sequence[MinedAnswer], rng: Random) -> Iterator[MinedAnswer]:
        """Some of the wrong answers, in random order."""
        left = list(mined)
        for _ in range(min(len(left), _MOST_TRIES)):
            weights = [_EVERY_YEAR + self.years[year] if (year := year_of(each.text)) else 1.0 for each in left]
            place = rng.choices(range(len(left)), weights)[0]
            yield left.pop(place)

    def _open(self) -> tuple[PassageSearch, CorpusNames]:
        self.search = self.search or PassageSearch.open(self.corpus)
        self.names = self.names or CorpusNames(self.search.index)
        return self.search, self.names

    def _convert(self, question: AnsweredQuestion, answer: str) -> Conversion:
        if self.ranker_folder and self.ranker is None:
            self.ranker = ModelRanker.open(self.ranker_folder)
        found = convert(question.text, answer, self.ranker)
        if found.claim is not None and found.confidence < self.least:
            return found._replace(claim=None, reason=f"confidence {found.confidence} is below {self.least}")
        return found

    def _record(
        self,
        question: AnsweredQuestion,
        rule: str,
        made: Conversion,
        answer: str,
        silver: SilverEvidence,
        found_on: str = "",
    ) -> BuiltRecord:
        details: dict[str, Any] = {"question": question.text, "answer": answer, "confidence": made.confidence}
        if found_on:
            details["answer_from"] = found_on
        if silver.negative:
            details["negative"] = [str(id) for id in silver.negative.elements]
        return BuiltRecord(
            f"{question.id}-{rule}",
            made.claim or "",
            Label.SUPPORTS if rule == RIGHT else Label.REFUTES,
            ClaimOrigin(self.source, question.id, rule, self.seed),
            (silver.passage.elements,) if silver.passage else (),
            silver=silver.passage is not None,
            details=details,
        )


def year_of(answer: str) -> int | None:
    """The year that an answer is, or that its day or month is in; None where it is no date."""
    value = read_value(answer)
    first = value.low if isinstance(value, Range) else value
    return first.year if isinstance(first, Date) else None
