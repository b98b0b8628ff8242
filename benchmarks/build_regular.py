"""What `veritab build regular` is worth: recall of the span scorer, counts, claim-only, and wrongly false claims.

    python -m benchmarks.build_regular recall --corpus DIR [--count 300]     where the right answer stands
    python -m benchmarks.build_regular set --corpus DIR [--count 700]        counts, claim-only and questions a minute
    python -m benchmarks.build_regular read --corpus DIR [--of before|after] false claims to be read by a person
    python -m benchmarks.build_regular marks                                 what the readers of those said

The corpus is one of Wikipedia's introductions, indexed. Before the filter a wrong answer is the likeliest that is not
the right one word for word; after it, one drawn from the likeliest fifty that are not equivalent to any given answer.
Only questions are read whose passages hold the answer: only there other names for it turn up. FaVIQ counted 14 % and
2 % of false claims that are true, on 50 each.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from benchmarks.fit_answers import ask
from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import claim_only_baseline
from veritab.build.answers.answer_types import type_answer
from veritab.build.answers.corpus_names import CorpusNames
from veritab.build.answers.equivalence import same_answer, why_same
from veritab.build.answers.mining import TOP
from veritab.build.answers.scoring import SpanScorer
from veritab.build.passages import FoundPassage, PassageSearch
from veritab.build.questions.conversion import convert
from veritab.build.questions.normal_form import normal_form
from veritab.build.records import AnsweredQuestion, BuiltRecord, LeftOut, read_questions
from veritab.build.regular import RegularBuilder
from veritab.build.silver import AnswerMatcher
from veritab.build.unsuited import choose_answer
from veritab.datasets import DataFiles
from veritab.datasets.registry import data_folder, find_data_file
from veritab.processes import open_processes
from veritab.schema import Label
from veritab.text import words

MARKS = Path(__file__).with_name("regular_read.jsonl")
"""What a reader, a language model, said of each false claim: {"id", "of": "before" or "after", "mark"}."""
PLACES = (1, 5, 50)
SAMPLE = 50
WRONGLY_FALSE = "true"


class Recall:
    """How often the right answer is among the first candidates."""

    def __init__(self) -> None:
        self._within: Counter[int] = Counter()
        self._asked = self._held = 0

    def add(self, place: int | None, *, held: bool) -> None:
        """A question whose answer stands at a place among the candidates, from 0; None where it is none of them."""
        self._asked += 1
        self._held += held
        self._within.update(most for most in PLACES if place is not None and place < most)

    def __str__(self) -> str:
        said = ", ".join(f"at {most} {self._within[most] / self._asked:.1%}" for most in PLACES)
        held = self._held / self._asked
        return f"{self._asked:,} questions, {held:.1%} with the answer in their passages: recall {said}"


def measure_recall(corpus: Path, count: int) -> None:
    """Print the recall on questions made of sentences of held-out pages, and on questions that people typed."""
    backward = ((question, (answer,)) for question, answer in ask(DataFiles(data_folder()), count, measured=True))
    typed = ((each.text, each.answers) for each in sample(count))
    scorer = SpanScorer()
    with PassageSearch.open(corpus) as search:
        names = CorpusNames(search.index)
        for name, asked in (("backward questions", backward), ("nq_open/dev", typed)):
            recall, removed = Recall(), Counter[str]()
            for question, answers in asked:
                passages = search.find(question)
                matcher = AnswerMatcher(answers)
                held = any(matcher.holds(f"{each.title}. {each.text}") for each in passages)
                answer = type_answer(question, choose_answer(answers), names.sort_of)
                ranked = scorer.rank(question, answer, passages)
                right = (place for place, each in enumerate(ranked) if _is_right(each.text, answers))
                recall.add(next(right, None), held=held)
                for each in ranked[:TOP]:
                    whys = (why_same(each.text, answer, names.pages_of) for answer in answers)
                    removed.update(filter(None, [next(filter(None, whys), "")]))
            print(f"{name}: {recall}")
            print(f"  taken for the answer among the first {TOP}: {dict(removed.most_common())}")


def _is_right(text: str, answers: Iterable[str]) -> bool:
    """Whether a candidate is an answer, by rules alone: the classifier is there to be careful, not exact."""
    return any(same_answer(text, answer, classify=False) for answer in answers)


def sample(count: int) -> list[AnsweredQuestion]:
    """Questions of nq_open/dev, the same each time."""
    path = find_data_file("nq_open/dev", data_folder())
    every = [each for each in read_questions(path) if isinstance(each, AnsweredQuestion)]
    return random.Random(0).sample(every, min(count, len(every)))


def measure_set(corpus: Path, count: int, processes: int) -> None:
    """Print what was built, what the claims alone tell, and how fast it was."""
    start = time.monotonic()
    with (
        open_processes(processes) as engine,
        RegularBuilder("nq_open/dev", corpus, engine=engine) as builder,
    ):
        asked = sample(count)
        builder.count_years(asked)
        built = list(builder.build(asked))
    minutes = (time.monotonic() - start) / 60
    records = [each for each in built if isinstance(each, BuiltRecord)]
    labels = Counter(str(each.label) for each in records)
    silver = sum(each.silver for each in records)
    print(f"{count:,} questions: {len(records):,} claims {dict(labels)}, {silver:,} with silver evidence")
    for reason, times in Counter(_kind(each.reason) for each in built if isinstance(each, LeftOut)).most_common():
        print(f"  left out {times:,}: {reason}")
    rows = [AuditRow(each.id, each.claim, each.label, (each.origin.record,)) for each in records]
    told = claim_only_baseline(rows, [str(each.label) for each in records])
    if told:
        print(
            f"claim-only {told.accuracy.value:.1%} ({told.accuracy.low:.1%} to {told.accuracy.high:.1%}), wanted: 53 %"
        )
    print(f"{count / minutes:,.0f} questions a minute, {processes} processes")


def _kind(reason: str) -> str:
    """A reason without the answer it names."""
    return reason.split(": ")[0].split("'")[0].split('"')[0].strip()


def false_claims(corpus: Path, of: str) -> Iterator[tuple[str, str, AnsweredQuestion]]:
    """Id, claim and question of false claims before or after the filter, fifty of them."""
    with RegularBuilder("nq_open/dev", corpus) as builder, PassageSearch.open(corpus) as search:
        every = sample(6 * SAMPLE)
        held = [each for each in every if _is_held(each, search.find(each.text))]
        builder.count_years(every)
        by_id = {each.id: each for each in held}
        claims: Iterator[tuple[str, str]]
        if of == "after":
            made = (each for each in builder.build(held) if isinstance(each, BuiltRecord))
            claims = ((each.origin.record, each.claim) for each in made if each.label is Label.REFUTES)
        else:
            claims = _naive_claims(held, search)
        for id, claim in islice(claims, SAMPLE):
            yield id, claim, by_id[id]


def _naive_claims(questions: Iterable[AnsweredQuestion], search: PassageSearch) -> Iterator[tuple[str, str]]:
    """Claims with the likeliest answer that is not a given one word for word."""
    names, scorer = CorpusNames(search.index), SpanScorer()
    for each in questions:
        answer = choose_answer(each.answers)
        ranked = scorer.rank(each.text, type_answer(each.text, answer, names.sort_of), search.find(each.text))
        given = set(map(normal_form, each.answers))
        wrong = next((found.text for found in ranked if normal_form(found.text) not in given), "")
        claim = convert(each.text, wrong).claim if convert(each.text, answer).claim else None
        if claim is not None:
            yield each.id, claim


def _is_held(question: AnsweredQuestion, passages: Iterable[FoundPassage]) -> bool:
    return any(_holds(passage, answer) for passage in passages for answer in question.answers)


def _holds(passage: FoundPassage, answer: str) -> bool:
    """Whether a passage has an answer word by word; silver evidence asks for more, and may ask for more again."""
    return f" {' '.join(words(answer))} " in f" {' '.join(words(passage.text))} "


def count_marks() -> None:
    """Print how many of the false claims were found true."""
    marks = [json.loads(line) for line in MARKS.read_text("utf-8").splitlines()]
    for of in ("before", "after"):
        said = Counter(each["mark"] for each in marks if each["of"] == of)
        shares = ", ".join(f"{count} {mark}" for mark, count in said.most_common())
        share = said[WRONGLY_FALSE] / max(said.total(), 1)
        print(f"{of} the filter: {share:.0%} of {said.total()} false claims are true ({shares})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("recall", "set", "read", "marks"))
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--count", type=int)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--of", choices=("before", "after"), default="after")
    chosen = parser.parse_args()
    if chosen.what == "marks":
        count_marks()
    elif chosen.what == "recall":
        measure_recall(chosen.corpus, chosen.count or 300)
    elif chosen.what == "set":
        measure_set(chosen.corpus, chosen.count or 700, chosen.processes)
    else:
        for id, claim, question in false_claims(chosen.corpus, chosen.of):
            print(f"{id} | {claim} | {question.text} | {'; '.join(question.answers)}")


if __name__ == "__main__":
    main()
