"""What becomes of ambiguous questions: how many claims of each kind, what leaks, how good silver evidence is.

    python -m benchmarks.build_sets --corpus DIR      writes results/build_sets.md; --every N takes one question in N

Reads AmbigQA in the folder that VERITAB_DATA names; DIR is a corpus with its index, corpus R for the figures kept.
`--list FILE` writes a hundred true claims with the evidence found for them, drawn of the whole file, as JSON lines for
reading; what a reader said of them is in silver_read.txt, by the id of the claim and a digest of its evidence, so that
a mark counts only as long as the same passage is found. `--into FILE` writes every built claim.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus_r import DATA
from benchmarks.report import Report
from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import Classifier, transfer_predictions
from veritab.build.ambiguous import AmbiguousBuilder, told_by_claims
from veritab.build.ambiguous_questions import AmbiguousQuestion, distinct_readings, read_ambiguous
from veritab.build.passages import FoundPassage, PassageSearch
from veritab.build.questions.conversion import convert
from veritab.build.records import BuiltRecord, LeftOut
from veritab.build.silver import find_silver
from veritab.datasets.registry import find_data_file
from veritab.processes import open_processes
from veritab.schema import Label

RESULTS = Path(__file__).parent / "results" / "build_sets.md"
READ = Path(__file__).parent / "silver_read.txt"
AMBIGUOUS = "ambigqa/ambigqa"
SEED, MOST_TOLD, SAMPLE, PUBLISHED_PRECISION = 0, 0.53, 100, 0.70
OTHERS: tuple[Classifier, ...] = ("logistic regression", "naive bayes")
A_SET, SILVER = "A set: ambiguous questions", "Silver evidence"


def main() -> None:
    """Build the set, and tell what became of every question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="take one question in so many")
    parser.add_argument("--list", type=Path, help="write the sample to be read there")
    parser.add_argument("--into", type=Path, help="write every built claim there")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    report = Report("Claims made of ambiguous questions", "python -m benchmarks.build_sets --corpus DIR")
    path = find_data_file(AMBIGUOUS, DATA)
    measure_silver(report, path, asked.corpus, asked.list)
    records = measure_ambiguous(report, path, asked.corpus, asked.every, asked.processes)
    if asked.into:
        asked.into.write_text("".join(json.dumps(each.as_dict()) + "\n" for each in records), encoding="utf-8")
    report.write(RESULTS)


# -- the A set ---------------------------------------------------------------------------------------------


def measure_ambiguous(report: Report, path: Path, corpus: Path, every: int, processes: int) -> list[BuiltRecord]:
    """Build claims of ambiguous questions, without a corpus and with it."""
    asked = [each for number, each in enumerate(read_ambiguous(path)) if number % every == 0]
    with open_processes(processes) as engine, AmbiguousBuilder(AMBIGUOUS, seed=SEED, engine=engine) as plain:
        crossed = [each for each in plain.build(asked) if isinstance(each, BuiltRecord)]
    begun = time.perf_counter()
    with (
        open_processes(processes) as engine,
        AmbiguousBuilder(AMBIGUOUS, corpus, SEED, MOST_TOLD, engine=engine) as builder,
    ):
        built = list(builder.build(asked))
    taken = time.perf_counter() - begun
    records = [each for each in built if isinstance(each, BuiltRecord)]
    left = [each for each in built if isinstance(each, LeftOut)]

    told = told_by_claims(records)
    without = told_by_claims(crossed)
    report.promise(
        "A set: words of claims alone tell the label, balanced, questions held out whole",
        f"{told:.1%}" if told is not None else "too few",
        f"at most {MOST_TOLD:.0%}",
        kept=told is not None and told <= MOST_TOLD,
    )
    could = builder.mixing["could_be_built"]
    labels = Counter(each.label for each in records)
    rows = [("kind", "label", "could be built", "in the set")]
    for rule, label in (("matching", Label.SUPPORTS), ("crossed", Label.REFUTES), ("mined", Label.REFUTES)):
        rows.append((rule, str(label), f"{could[rule]:,}", f"{sum(each.origin.rule == rule for each in records):,}"))
    report.table(A_SET, rows)
    counts = f"{labels[Label.SUPPORTS]:,} true and {labels[Label.REFUTES]:,} false claims"
    report.note(A_SET, f"{len(asked):,} questions, one in {every} of the file: {counts}")
    if without is not None:
        report.note(A_SET, f"crossed pairs alone, no corpus: words of claims tell the label in {without:.1%}")
    for share, accuracy in builder.mixing.get("told_by_claims", {}).items():
        report.note(A_SET, f"with a mined answer in {share.split()[0]} of false claims: {accuracy:.1%}")
    for classifier in OTHERS:
        accuracy = told_to_another(records, classifier)
        if accuracy is not None:
            what = "which mixing does not stop by, half of the questions held out"
            report.note(A_SET, f"told to a classifier by {classifier}, {what}: {accuracy:.1%}")
    report.note(A_SET, f"{len(asked) / taken * 60:,.0f} questions a minute with {processes} processes")
    whole = Counter(each.reason for each in left if not each.rule)
    report.table(
        "Questions left out", [("reason", "questions"), *((reason, str(n)) for reason, n in whole.most_common(12))]
    )
    part = Counter((each.rule, each.reason) for each in left if each.rule)
    parts = [(rule, reason, str(number)) for (rule, reason), number in part.most_common(12)]
    report.table("Kinds that could not be built of a question", [("kind", "reason", "questions"), *parts])
    with_evidence = sum(each.silver for each in records if each.label is Label.SUPPORTS)
    report.note(SILVER, f"{with_evidence:,} of {labels[Label.SUPPORTS]:,} true claims of the set have evidence")
    return records


def told_to_another(records: Sequence[BuiltRecord], classifier: Classifier) -> float | None:
    """How often another classifier tells the label of claims by their words, half of the questions held out."""
    halves: tuple[list[BuiltRecord], list[BuiltRecord]] = ([], [])
    for each in records:
        halves[hashlib.sha256(each.origin.record.encode()).digest()[0] % 2].append(each)
    rows, others = ([AuditRow(each.id, each.claim, each.label) for each in half] for half in halves)
    predicted = transfer_predictions(rows, others, [str(row.label) for row in others], classifier)
    if predicted is None:
        return None
    return sum(found == row.label for found, row in zip(predicted, rows, strict=True)) / len(rows)


# -- silver evidence ---------------------------------------------------------------------------------------


class SilverClaim(NamedTuple):
    """A true claim and the passage found for it."""

    id: str
    claim: str
    answer: str
    passage: FoundPassage

    @property
    def digest(self) -> str:
        """What tells whether a claim still has the evidence that was read."""
        ids = "|".join(map(str, self.passage.elements))
        return hashlib.sha256(f"{self.answer}|{ids}".encode()).hexdigest()[:8]


def draw_silver(path: Path, corpus: Path) -> Iterator[SilverClaim]:
    """True claims with the evidence found for them, in an order that a digest of their ids gives."""
    known = []
    for question in read_ambiguous(path):
        if isinstance(question, AmbiguousQuestion):
            readings = distinct_readings(question.readings)
            answered = [each for each in readings if each.answers]
            if len(answered) == 1 and len(readings) > 1:
                known.append((f"{question.id}-matching-{answered[0].place}", answered[0]))
    with PassageSearch.open(corpus) as search:
        for id, reading in sorted(known, key=lambda each: hashlib.sha256(f"silver|{each[0]}".encode()).hexdigest()):
            text = reading.question.replace("|", " ")
            passage = find_silver(search, text, reading.answers, search.find(text)).passage
            if passage:
                claim = convert(reading.question, reading.answers[0]).claim
                if claim is not None:
                    yield SilverClaim(id, claim, reading.answers[0], passage)


def measure_silver(report: Report, path: Path, corpus: Path, into: Path | None) -> None:
    """How much silver evidence supports its claim, as a reader says."""
    lines = READ.read_text(encoding="utf-8").splitlines() if READ.exists() else ()
    said = {(id, digest): answer for id, digest, answer in map(str.split, lines)}
    sample = list(islice(draw_silver(path, corpus), SAMPLE))
    if into:
        listed = ({**each._asdict(), "digest": each.digest, "passage": each.passage[::2]} for each in sample)
        into.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in listed), encoding="utf-8")
    found = [said[key] for each in sample if (key := (each.id, each.digest)) in said]
    if found:
        right = found.count("supports")
        report.promise(
            f"silver evidence that supports its claim, of {len(found)} read of {len(sample)} drawn",
            f"{right / len(found):.0%}",
            f"the paper's {PUBLISHED_PRECISION:.0%}",
            kept=right / len(found) >= PUBLISHED_PRECISION,
        )


if __name__ == "__main__":
    main()
