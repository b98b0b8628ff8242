"""How well questions become claims: exact, up to tense and preposition, converted, by confidence, and how fast.

    python -m benchmarks.build_questions --faviq                            FaVIQ's 100 samples
    python -m benchmarks.build_questions --questions Q.jsonl --references R.jsonl [--ranker FOLDER] [--errors]

Q has lines {"id", "question", "answer"}, R lines {"id", "claims": [...]}: any one of the claims is right; a question
without claims is one that should be refused. Claims are compared after SQuAD's normalisation (case, articles and
punctuation gone), and again without prepositions, every verb in its base form. The oracle is whether a right claim is
among the readings at all: no ranker can do better.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from veritab.build.questions.conversion import Conversion, convert_all
from veritab.build.questions.enumeration import list_readings
from veritab.build.questions.normal_form import loose_form, normal_form
from veritab.build.questions.ranking import ModelRanker, Ranker, ReadQuestion
from veritab.build.records import AnsweredQuestion
from veritab.datasets import DataFiles
from veritab.datasets.registry import data_folder

COVERAGES = (1.0, 0.9, 0.8, 0.7, 0.5)
WANTED_A_MINUTE = 10_000


class Referenced(NamedTuple):
    """A question with its answer, and the claims that are right; none where it should be refused."""

    id: str
    question: str
    answer: str
    claims: tuple[str, ...]
    form: str = ""


class RulesAlone:
    """The reading that the rules list first: what weights and models have to beat."""

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        return [[-dict(reading.features)["cost"] for reading in each.readings] for each in questions]


def read_referenced(questions: Path, references: Path) -> list[Referenced]:
    """Questions and their references, matched by id."""
    lines = map(json.loads, questions.read_text("utf-8").splitlines())
    asked = {line["id"]: line for line in lines}
    found = []
    for line in map(json.loads, references.read_text("utf-8").splitlines()):
        question = asked[line["id"]]
        claims = tuple(line["claims"])
        found.append(Referenced(line["id"], question["question"], question["answer"], claims, question.get("form", "")))
    return found


def read_faviq() -> list[Referenced]:
    """FaVIQ's samples: looked at and measured, never trained on."""
    records = DataFiles(data_folder()).records("faviq/samples")
    return [Referenced(each["id"], each["question"], each["answer"], (each["claim"],), each["div"]) for each in records]


def convert_given(given: Sequence[Referenced], ranker: Ranker | None) -> list[Conversion]:
    return list(
        convert_all((AnsweredQuestion("", each.id, each.question, (each.answer,), {}) for each in given), ranker)
    )


def is_right(each: Referenced, claim: str | None, form: Callable[[str], str]) -> bool:
    return claim is not None and form(claim) in set(map(form, each.claims))


def measure(name: str, given: Sequence[Referenced], ranker: Ranker | None) -> list[tuple[Referenced, Conversion]]:
    """Print the figures of one set, and give what was wrong."""
    made = convert_given(given, ranker)
    pairs = [(each, conversion) for each, conversion in zip(given, made, strict=True) if each.claims]
    refusable = [conversion for each, conversion in zip(given, made, strict=True) if not each.claims]
    size = max(len(pairs), 1)
    exact = [is_right(each, conversion.claim, normal_form) for each, conversion in pairs]
    loose = [is_right(each, conversion.claim, loose_form) for each, conversion in pairs]
    converted = sum(conversion.claim is not None for _, conversion in pairs)
    print(f"{name}: {len(pairs)} questions with references, {len(refusable)} to refuse")
    print(f"  exact {_share(sum(exact), size)}, up to tense and preposition {_share(sum(loose), size)}", end="")
    print(f", converted {_share(converted, size)}, rightly refused {sum(not c.claim for c in refusable)}")
    order = sorted(range(len(pairs)), key=lambda place: -pairs[place][1].confidence)
    for coverage in COVERAGES:
        kept = order[: max(round(coverage * len(order)), 1)]
        least = pairs[kept[-1]][1].confidence
        print(
            f"  coverage {coverage:.0%} (confidence from {least:.2f}): exact "
            f"{_share(sum(exact[place] for place in kept), len(kept))}, "
            f"up to tense and preposition {_share(sum(loose[place] for place in kept), len(kept))}"
        )
    return [pair for pair, right in zip(pairs, exact, strict=True) if not right]


def oracle(given: Sequence[Referenced]) -> tuple[float, float, float]:
    """The share of questions with a right claim among the readings, the same up to tense, and readings on average."""
    asked = [each for each in given if each.claims]
    exact = loose = size = 0
    for each in asked:
        texts = [reading.text for part in each.question.split("|") for reading in list_readings(part, each.answer)]
        size += len(texts)
        exact += any(is_right(each, text, normal_form) for text in texts)
        loose += any(is_right(each, text, loose_form) for text in texts)
    return exact / len(asked), loose / len(asked), size / len(asked)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part} of {whole})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faviq", action="store_true")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--references", type=Path)
    parser.add_argument("--ranker", type=Path, help="the folder of a cross-encoder, by the recipe questions")
    parser.add_argument("--errors", action="store_true", help="also print what was wrong")
    chosen = parser.parse_args()
    sets = {"FaVIQ": read_faviq()} if chosen.faviq else {}
    if chosen.questions and chosen.references:
        sets[chosen.references.name] = read_referenced(chosen.questions, chosen.references)
    rankers: dict[str, Ranker | None] = {"rules alone": RulesAlone(), "weights": None}
    if chosen.ranker:
        rankers["cross-encoder"] = ModelRanker.open(chosen.ranker)
    for name, given in sets.items():
        exact, loose, size = oracle(given)
        print(f"{name}: oracle {exact:.1%}, up to tense and preposition {loose:.1%}, {size:.0f} readings a question")
        for kind, ranker in rankers.items():
            wrong = measure(f"{name}, {kind}", given, ranker)
            if chosen.errors and kind == list(rankers)[-1]:
                for each, conversion in wrong:
                    print(
                        f"  {each.question} | {each.answer}",
                        conversion.claim or conversion.reason,
                        each.claims[0],
                        sep="\n    ",
                    )
        for kind, ranker in list(rankers.items())[1:]:
            started = time.perf_counter()
            convert_given(given, ranker)
            a_minute = 60 * len(given) / (time.perf_counter() - started)
            wanted = f" (wanted {WANTED_A_MINUTE:,} on two cores)" if kind == "weights" else ""
            print(f"{name}: {a_minute:,.0f} questions a minute in one process by {kind}{wanted}")


if __name__ == "__main__":
    main()
