"""What becomes of questions that people asked: how many claims of each kind, what leaks, how good silver evidence is.

    python -m benchmarks.build_sets --corpus DIR      writes results/build_sets.md

Reads AmbigQA in the folder that VERITAB_DATA names; DIR is a corpus with its index, corpus R for the figures kept.
`--limit N` takes the first N questions of each file, and writes nothing. `--list FILE` writes the sample whose evidence
is to be read, as JSON lines; what a reader said of it is in silver_read.txt, by the id of the claim and a digest of its
evidence, so that a mark counts only as long as the same passage is found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.corpus_r import DATA
from benchmarks.report import Report
from veritab.build.ambiguous import AmbiguousBuilder, told_by_claims
from veritab.build.ambiguous_questions import read_ambiguous
from veritab.build.records import Built, BuiltRecord, LeftOut
from veritab.corpus import open_corpus
from veritab.datasets.registry import find_data_file
from veritab.schema import Label

RESULTS = Path(__file__).parent / "results" / "build_sets.md"
READ = Path(__file__).parent / "silver_read.txt"
AMBIGUOUS = "ambigqa/ambigqa"
SEED, MOST_TOLD, SAMPLE, PUBLISHED_PRECISION = 0, 0.53, 100, 0.70
A_SET, SILVER = "A set: ambiguous questions", "Silver evidence"


def main() -> None:
    """Build the sets, and tell what became of every question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="take the first questions only, and write no results")
    parser.add_argument("--list", type=Path, help="write the sample to be read there")
    parser.add_argument("--into", type=Path, help="write every built claim there")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    report = Report("Claims made of questions that people asked", "python -m benchmarks.build_sets --corpus DIR")
    built = measure_ambiguous(report, asked.corpus, asked.limit, asked.processes)
    records = [each for each in built if isinstance(each, BuiltRecord)]
    sample = draw_silver(records)
    measure_silver(report, records, sample)
    if asked.into:
        asked.into.write_text("".join(json.dumps(each.as_dict()) + "\n" for each in records), encoding="utf-8")
    if asked.list:
        list_silver(sample, asked.corpus, asked.list)
    if asked.limit is None:
        report.write(RESULTS)


# -- the A set ---------------------------------------------------------------------------------------------


def measure_ambiguous(report: Report, corpus: Path, limit: int | None, processes: int) -> list[Built]:
    """Build claims of ambiguous questions, without a corpus and with it."""
    path = find_data_file(AMBIGUOUS, DATA)
    with AmbiguousBuilder(AMBIGUOUS, seed=SEED, processes=processes) as plain:
        crossed = [each for each in plain.build(islice(read_ambiguous(path), limit)) if isinstance(each, BuiltRecord)]
    begun = time.perf_counter()
    with AmbiguousBuilder(AMBIGUOUS, corpus, SEED, MOST_TOLD, processes=processes) as builder:
        built = list(builder.build(islice(read_ambiguous(path), limit)))
    taken = time.perf_counter() - begun
    records = [each for each in built if isinstance(each, BuiltRecord)]
    left = [each for each in built if isinstance(each, LeftOut)]
    questions = sum(1 for _ in islice(read_ambiguous(path), limit))

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
    report.note(
        A_SET, f"{questions:,} questions, {labels[Label.SUPPORTS]:,} true and {labels[Label.REFUTES]:,} false claims"
    )
    if without is not None:
        report.note(A_SET, f"crossed pairs alone, no corpus: words of claims tell the label in {without:.1%}")
    for share, accuracy in builder.mixing.get("told_by_claims", {}).items():
        report.note(A_SET, f"share of questions with a mined answer {share.split()[0]}: {accuracy:.1%}")
    report.note(A_SET, f"{questions / taken * 60:,.0f} questions a minute with {processes} processes")
    whole = Counter(each.reason for each in left if not each.rule)
    report.table(
        "Questions left out", [("reason", "questions"), *((reason, str(n)) for reason, n in whole.most_common(12))]
    )
    part = Counter((each.rule, each.reason) for each in left if each.rule)
    parts = [(rule, reason, str(number)) for (rule, reason), number in part.most_common(12)]
    report.table("Kinds that could not be built of a question", [("kind", "reason", "questions"), *parts])
    return built


# -- silver evidence ---------------------------------------------------------------------------------------


def draw_silver(records: Sequence[BuiltRecord]) -> list[BuiltRecord]:
    """A hundred true claims with evidence, drawn by a digest of their ids: a claim more changes little."""
    true = [each for each in records if each.silver and each.label is Label.SUPPORTS]
    return sorted(true, key=lambda each: hashlib.sha256(f"silver|{each.id}".encode()).hexdigest())[:SAMPLE]


def measure_silver(report: Report, records: Sequence[BuiltRecord], sample: Sequence[BuiltRecord]) -> None:
    """How many claims have silver evidence, and how much of it supports them as a reader says."""
    lines = READ.read_text(encoding="utf-8").splitlines() if READ.exists() else ()
    said = {(id, digest): answer for id, digest, answer in map(str.split, lines)}
    found = [said[key] for each in sample if (key := (each.id, digest_of(each))) in said]
    if found:
        right = found.count("supports")
        report.promise(
            f"silver evidence that supports its claim, of {len(found)} drawn and read",
            f"{right / len(found):.0%}",
            f"the paper's {PUBLISHED_PRECISION:.0%}",
            kept=right / len(found) >= PUBLISHED_PRECISION,
        )
    true = [each for each in records if each.label is Label.SUPPORTS]
    with_evidence = sum(each.silver for each in true)
    report.note(
        SILVER,
        f"{with_evidence:,} of {len(true):,} true claims have evidence ({with_evidence / max(len(true), 1):.0%})",
    )
    negatives = sum("negative" in each.details for each in true)
    report.note(SILVER, f"{negatives:,} of them have a negative passage besides")


def digest_of(record: BuiltRecord) -> str:
    """What tells whether a claim still has the evidence that was read."""
    ids = "|".join(str(id) for ids in record.evidence for id in ids)
    return hashlib.sha256(f"{record.details['answer']}|{ids}".encode()).hexdigest()[:8]


def list_silver(sample: Sequence[BuiltRecord], corpus: Path, path: Path) -> None:
    """Write claims with the text of their evidence, for reading."""
    with path.open("w", encoding="utf-8") as file:
        store = open_corpus(corpus)
        for each in sample:
            text = " ".join(store.element(id).text for id in each.evidence[0])
            line = {"id": each.id, "digest": digest_of(each), "question": each.details["question"]}
            line |= {"claim": each.claim, "page": each.evidence[0][0].page, "text": text}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        store.close()


if __name__ == "__main__":
    main()
