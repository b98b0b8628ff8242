"""Corrections of refuted claims beside what people wrote: `python -m benchmarks.correct`.

Needs vitaminc/real (VERITAB_DATA). A claim that its evidence refutes is corrected by that evidence; another claim that
the same evidence supports is the reference, any of them where there are several. Of the tenth of the pages that nothing
is trained on, half are for development (`--development`, which writes no results) and the other half are reported: a
page is for development where the first byte of its title's digest (SHA-256) is even. `--most N` takes N claims.
`--list FILE` writes every correction as JSON lines for reading; what a reader said of a sample is in
corrections_read.txt, by the id of the claim and a digest of the correction.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from benchmarks.corpus_r import DATA
from benchmarks.report import Report
from veritab.build.correcting.correction import correct_given
from veritab.corpus.fever import title_of
from veritab.datasets import DataFiles
from veritab.schema import Claim, Correction, Label, Verdict
from veritab.text import words
from veritab.train.sources.pages import is_held_out
from veritab.verify.judge import judge_many
from veritab.verify.model import ModelVerifier

RESULTS = Path(__file__).parent / "results" / "correct.md"
READ = Path(__file__).parent / "corrections_read.txt"
_SEED = 7
_HALF = "half of the held pages of vitaminc/real, those whose title's digest (SHA-256) begins with an %s byte; "
_REPORTED = _HALF % "odd" + "the rules were written with the other half in view"
_DEVELOPMENT = _HALF % "even" + "the rules were written with these in view, so that the figures are no result"
_PROGRESS = 50


class Task(NamedTuple):
    """A refuted claim, its evidence, and what the same evidence supports."""

    id: str
    claim: str
    page: str
    text: str
    references: tuple[str, ...]


class Result(NamedTuple):
    """A claim, what it was corrected to, and how long that took."""

    task: Task
    correction: Correction
    seconds: float

    @property
    def is_exact(self) -> bool:
        return bool(self.correction.text) and words(self.correction.text) in map(words, self.task.references)

    def distance(self, text: str) -> int:
        """How many words lie between a text and the nearest reference."""
        return min(Levenshtein.distance(words(text), words(each)) for each in self.task.references)


def is_for_development(page: str) -> bool:
    """Whether rules may be written with a page in view."""
    return hashlib.sha256(page.encode()).digest()[0] % 2 == 0


def read_tasks(*, development: bool) -> list[Task]:
    """The refuted claims of half of the pages held out, whose evidence supports another claim."""
    by_evidence = defaultdict(list)
    for record in DataFiles(DATA).records("vitaminc/real"):
        page = record["page"]
        if is_held_out(page) and is_for_development(page) is development:
            by_evidence[page, record["evidence"]].append(record)
    tasks = []
    for (page, text), records in by_evidence.items():
        true = tuple(dict.fromkeys(each["claim"] for each in records if each["label"] == "SUPPORTS"))
        tasks += [
            Task(each["unique_id"], each["claim"], title_of(page), text, true)
            for each in records
            if each["label"] == "REFUTES" and true
        ]
    return tasks


def correct_all(tasks: Sequence[Task], verifier: ModelVerifier) -> Iterator[Result]:
    """Each claim corrected by its evidence."""

    def judge(pairs: object) -> list[Verdict]:
        return judge_many(pairs, verifier=verifier)  # type: ignore[arg-type]

    for number, task in enumerate(tasks, 1):
        begun = time.perf_counter()
        evidence = [{"title": task.page, "text": task.text}]
        correction = correct_given(Claim(task.id, task.claim), evidence, judge)
        yield Result(task, correction, time.perf_counter() - begun)
        if not number % _PROGRESS:
            print(f"  {number:,} of {len(tasks):,}", flush=True)


def tell(report: Report, results: Sequence[Result], verifier: ModelVerifier, *, development: bool) -> None:
    """The figures."""
    refuted = [each for each in results if each.correction.verdict.label is Label.REFUTES]
    offered = [each for each in results if each.correction.text]
    exact = [each for each in offered if each.is_exact]
    references = [(each.task.references[0], [{"title": each.task.page, "text": each.task.text}]) for each in results]
    accepted = sum(each.label is Label.SUPPORTS for each in judge_many(references, verifier=verifier))
    by_fast = judge_many(
        [(each.correction.text, [{"title": each.task.page, "text": each.task.text}]) for each in offered], model="fast"
    )
    fast = sum(each.label is Label.SUPPORTS for each in by_fast)
    rows = [
        ["", "claims", "share"],
        ["refuted by people", f"{len(results):,}", ""],
        ["refuted by the checker too, so that it looks for an edit", *_share(len(refuted), len(results))],
        ["a correction is offered", *_share(len(offered), len(results))],
        ["the correction is a reference, word for word", *_share(len(exact), len(results))],
        ["of those offered, word for word", *_share(len(exact), len(offered))],
        ["of those offered, supported by the smaller model too", *_share(fast, len(offered))],
        ["first references that the checker supports, which bounds what it can offer", *_share(accepted, len(results))],
        *_read_by_writer(offered),
    ]
    report.note("Measured on", _DEVELOPMENT if development else _REPORTED)
    report.table("Corrections", rows)
    report.table("Words between a claim and the nearest reference", [
        ["", "as it was", "as corrected"],
        ["all, those without a correction as they were", _mean(each.distance(each.task.claim) for each in results),
         _mean(each.distance(each.correction.text or each.task.claim) for each in results)],
        ["those with a correction", _mean(each.distance(each.task.claim) for each in offered),
         _mean(each.distance(each.correction.text) for each in offered)],
    ])  # fmt: skip
    kinds = Counter(_kind(each) for each in offered)
    right = Counter(_kind(each) for each in exact)
    listed = [[kind, f"{count:,}", f"{right[kind] / count:.0%}"] for kind, count in kinds.most_common()]
    report.table("By kind of edit", [["edit", "offered", "word for word"], *listed])
    tried, seconds = [each.correction.tried for each in refuted], sorted(each.seconds for each in refuted)
    report.note(
        "Cost",
        f"{_mean(tried)} edited claims are read for a refuted claim; {seconds[len(seconds) // 2]:.2f} s at the median, "
        f"{seconds[-len(seconds) // 20]:.2f} s at the 95th percentile, one thread, beside other work",
    )


def _share(part: int, whole: int) -> list[str]:
    return [f"{part:,}", f"{part / max(whole, 1):.1%}"]


def _mean(values: Iterator[int] | Sequence[int]) -> str:
    listed = list(values)
    return f"{sum(listed) / max(len(listed), 1):.2f}"


def _kind(result: Result) -> str:
    return " and ".join(sorted({edit.kind for edit in result.correction.edits}))


def _read_by_writer(offered: Sequence[Result]) -> Iterator[list[str]]:
    """What a reader said of a random sample, as far as it is still what is offered."""
    lines = READ.read_text(encoding="utf-8").splitlines() if READ.exists() else ()
    said = {(id, digest): answer for id, digest, answer in map(str.split, lines)}
    found = [said[key] for each in offered if (key := (each.task.id, _digest(each.correction.text))) in said]
    if found:
        what = "of a random sample of those offered, right as the writer of the rules read them"
        yield [what, *_share(found.count("right"), len(found))]


def _digest(text: str) -> str:
    """Tells one correction from another without quoting it."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--list", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    tasks = read_tasks(development=options.development)
    random.Random(_SEED).shuffle(tasks)
    tasks = tasks[: options.most]
    verifier = ModelVerifier.open("verdict", threads=1)
    results = list(correct_all(tasks, verifier))
    if options.list:
        with options.list.open("w", encoding="utf-8") as out:
            for each in results:
                found: dict[str, object] = {"outcome": str(each.correction.outcome), "correction": each.correction.text}
                found |= {"exact": each.is_exact, "edits": [list(edit[2:5]) for edit in each.correction.edits]}
                out.write(json.dumps({**each.task._asdict(), **found}, ensure_ascii=False) + "\n")
    report = Report("Corrections", "python -m benchmarks.correct")
    tell(report, results, verifier, development=options.development)
    if not options.development and options.most is None:
        report.write(RESULTS)


if __name__ == "__main__":
    main()
