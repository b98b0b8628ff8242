"""What becomes of questions and answers over tables: how many claims of each kind, why others gave none, what leaks.

    python -m benchmarks.build_tables     writes results/build_tables.md; --every N prints one question in N

Reads WikiTableQuestions' training questions and FetaQA's development answers in the folder that VERITAB_DATA names.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Report
from veritab.audit.audit_rows import audit_rows
from veritab.audit.claim_only import claim_only_baseline
from veritab.build.questions.conversion import convert
from veritab.build.records import Built, BuiltRecord, LeftOut
from veritab.build.tables.builder import TableBuilder
from veritab.build.tables.page_subject import name_subject
from veritab.build.tables.question_claims import answer_kind
from veritab.datasets.table_questions import TableAnswer, TableQuestion, TableQuestions
from veritab.processes import open_processes
from veritab.schema import Problem

RESULTS = Path(__file__).parent / "results" / "build_tables.md"
QUESTIONS, ANSWERS = "wikitablequestions/training", "fetaqa/dev"
EVERY, SEED = 1, 0
DISAGREES = "what was computed disagrees with the given answer"
AGREED = (
    "what was computed does not rest on the answer",
    "nothing could be computed that tells the false answer from the given one",
)
"""Why a question gives no claims although computing over its table agreed with the given answer."""


class _Sample(TableQuestions):
    """One in so many of the questions of a file, read once."""

    def __init__(self, source: str, every: int) -> None:
        super().__init__(source)
        self._kept = [each for number, each in enumerate(super().__iter__()) if number % every == 0]

    def __iter__(self) -> Iterator[TableQuestion | TableAnswer | Problem]:
        return iter(self._kept)


def _kind(reason: str) -> str:
    """A reason without what is different for each line."""
    return re.sub(r"'[^']*'", "...", reason)


def _claim_only(built: list[Built]) -> tuple[str, str]:
    """The accuracy of a classifier of claims alone, and that of the majority label."""
    rows = tuple(audit_rows(each.as_example() for each in built if isinstance(each, BuiltRecord)))
    found = claim_only_baseline(rows, [str(row.label) for row in rows])
    return (f"{found.accuracy.value:.1%}", f"{found.majority.value:.1%}") if found else ("too few", "too few")


def _counts(heading: str, counts: Counter[str], of: int, report: Report) -> None:
    rows = [(name, f"{count:,}", f"{count / max(of, 1):.1%}") for name, count in counts.most_common()]
    report.table(heading, [("what", "number", "share"), *rows])


def main() -> None:
    """Build claims of both data sets, and tell what became of every line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=EVERY, help="take one question in so many")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    report = Report("Claims made of tables", "python -m benchmarks.build_tables")
    with open_processes(asked.processes) as engine:
        measure(report, TableBuilder(convert, SEED, engine=engine), asked.every)
    if asked.every == EVERY:
        report.write(RESULTS)


def measure(report: Report, builder: TableBuilder, every: int) -> None:
    """Tell what became of the questions, one in so many, and of the answers."""
    questions = _Sample(QUESTIONS, every)
    pointing = [name_subject(each.text, each.table) for each in questions if isinstance(each, TableQuestion)]
    texts = [each.text for each in questions if isinstance(each, TableQuestion)]
    named = sum(each.text not in ("", text) for each, text in zip(pointing, texts, strict=True))
    nameless = sum(bool(each.reason) for each in pointing)
    kinds = Counter(
        "several answers" if len(each.answers) > 1 else answer_kind(each.answers[0], each.table)
        for each in questions
        if isinstance(each, TableQuestion)
    )
    started = time.monotonic()
    built = list(builder.build(questions))
    seconds = time.monotonic() - started
    left = Counter(_kind(each.reason) for each in built if isinstance(each, LeftOut))
    rules = Counter(f"{each.label}: {each.origin.rule}" for each in built if isinstance(each, BuiltRecord))
    total, pairs = kinds.total(), rules.total() // 2
    agreed = pairs + sum(left[reason] for reason in AGREED)
    accuracy, majority = _claim_only(built)
    report.note(
        "Questions",
        f"{total:,} of {QUESTIONS}; {pairs:,} ({pairs / total:.1%}) became two claims each, in {seconds:.0f} s; "
        f"computing agreed with the given answer in {agreed:,} of {agreed + left[DISAGREES]:,} that it decided "
        f"({agreed / max(agreed + left[DISAGREES], 1):.1%}); claim-only {accuracy}, majority {majority}",
    )
    report.note("Pointing at the page or the table", f"{named:,} were named from the page, {nameless:,} were left out")
    _counts("Questions by answer", kinds, total, report)
    _counts("Claims of questions", rules, total, report)
    _counts("Why questions gave none", left, total, report)

    answers = list(builder.build(TableQuestions(ANSWERS)))
    left = Counter(_kind(each.reason) for each in answers if isinstance(each, LeftOut))
    rules = Counter(f"{each.label}: {each.origin.rule}" for each in answers if isinstance(each, BuiltRecord))
    sentences = rules.total() // 2 + left.total()
    accuracy, majority = _claim_only(answers)
    report.note("Answers", f"{sentences:,} sentences of {ANSWERS}; claim-only {accuracy}, majority {majority}")
    _counts("Claims of answers", rules, sentences, report)
    _counts("Why answers gave none", left, sentences, report)
    accuracy, majority = _claim_only([*built, *answers])
    report.note("Together", f"claim-only {accuracy}, majority {majority}")


if __name__ == "__main__":
    main()
