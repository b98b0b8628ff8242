"""What the written claims hold, and how far the claim alone goes: counts, lengths, and baselines that see no evidence.

    python -m benchmarks.written      writes results/written.md and the counts of docs/data-written.md

The files that ship are counted, whatever a data folder has. An encoder that reads the claim alone is trained elsewhere:
`--encoder 0.45 --encoder-name NAME` puts its accuracy on written/dev beside the baselines.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from benchmarks.report import Report
from veritab import datasets
from veritab.audit.audit_rows import audit_rows
from veritab.audit.claim_only import Classifier, transfer_predictions
from veritab.errors import NotFound
from veritab.evaluate.metrics import wilson
from veritab.schema import Example, Label

RESULTS = Path(__file__).parent / "results" / "written.md"
CARD = Path(__file__).parents[1] / "docs" / "data-written.md"
Rows: TypeAlias = list[tuple[str, ...]]
"""A table; the first row names the columns."""
TRAIN, DEV = "written/train", "written/dev"
KINDS = ("S1", "S2", "T1", "T2", "TS", "M", "D", "B", "C", "U", "P", "Q")
CLASSIFIERS: tuple[Classifier, ...] = ("naive bayes", "logistic regression", "svm")
OLDER, NEWER = "older", "newer"
COLUMNS = ("all claims", "older claims", "newer claims")
NOTES = (
    "Baselines are taught on written/train and asked on written/dev; one classifier is asked older and newer claims.",
    "Intervals are Wilson's, 95 %; they take claims for independent, which the three of a family are not.",
    "The accuracy of an encoder is handed to the script and not measured by it.",
)
_OLDER_ID = re.compile(r"set\d+-")
_BEGIN, _END = "<!-- counts: begin -->\n", "<!-- counts: end -->"


def shipped(name: str) -> list[Example]:
    """The claims of a part as it ships."""
    path = datasets.REGISTRY[name].bundled_file()
    if path is None:
        raise NotFound(f"{name} does not lie in examples/written")
    return list(iter(datasets.load(path, task="feverous", strict=True)))


def age_of(example: Example) -> str:
    """Whether a claim is of the older third, whose ids begin with the number of a set."""
    return OLDER if _OLDER_ID.match(example.claim.id) else NEWER


# -- counts ------------------------------------------------------------------------------------------------


def counts(train: Sequence[Example], dev: Sequence[Example]) -> Rows:
    """Claims by kind, part and label."""
    rows: Rows = [("kind", "train", "dev", *map(str, Label), "all")]
    for name in (*KINDS, "all"):
        parts = [[each for each in part if name in ("all", each.challenge)] for part in (train, dev)]
        both = [each for part in parts for each in part]
        by_label = Counter(each.label for each in both)
        numbers = (*map(len, parts), *(by_label[label] for label in Label), len(both))
        rows.append((name, *(f"{number:,}" for number in numbers)))
    return rows


def whole(train: Sequence[Example], dev: Sequence[Example]) -> Rows:
    """Claims, families and pages of each part, and what the parts share."""
    both = (*train, *dev)
    rows: Rows = [("", "train", "dev", "all")]
    rows.append(("claims", *(f"{len(part):,}" for part in (train, dev, both))))
    for name in (OLDER, NEWER):
        found = (sum(age_of(each) == name for each in part) for part in (train, dev, both))
        rows.append((f"of the {name} claims", *(f"{each:,}" for each in found)))
    rows.append(("families", *(f"{len({each.record['family'] for each in part}):,}" for part in (train, dev, both))))
    rows.append(("pages", *(f"{len(_pages(part)):,}" for part in (train, dev, both))))
    shared = _pages(train) & _pages(dev)
    on_shared = [sum(bool(shared.intersection(each.record["pages"])) for each in part) for part in (train, dev)]
    rows.append(("claims on a page of both parts", *(f"{each:,}" for each in (*on_shared, sum(on_shared)))))
    return rows


def _pages(examples: Sequence[Example]) -> set[str]:
    return {page for each in examples for page in each.record["pages"]}


def lengths(train: Sequence[Example], dev: Sequence[Example]) -> Rows:
    """Mean words of a claim by label, in words between white space."""
    rows: Rows = [("label", "train", "dev", "older", "newer")]
    both = (*train, *dev)
    groups = (train, dev, *([each for each in both if age_of(each) == name] for name in (OLDER, NEWER)))
    for label in Label:
        rows.append((str(label), *(_mean_words([each for each in group if each.label == label]) for group in groups)))
    return rows


def _mean_words(examples: Sequence[Example]) -> str:
    return f"{fmean(len(each.claim.text.split()) for each in examples):.1f}" if examples else "–"


# -- the claim alone ---------------------------------------------------------------------------------------


def claim_only(train: Sequence[Example], dev: Sequence[Example], classifier: Classifier) -> list[bool] | None:
    """Whether a classifier taught on the claims of train is right on each of dev; None where there are too few."""
    taught = [str(each.label) for each in train]
    predicted = transfer_predictions(list(audit_rows(dev)), list(audit_rows(train)), taught, classifier)
    return None if predicted is None else [said == str(each.label) for said, each in zip(predicted, dev, strict=True)]


def baselines(
    train: Sequence[Example], dev: Sequence[Example], encoder: float | None = None, name: str = "encoder"
) -> tuple[Rows, Rows]:
    """Three-way accuracies with Wilson's intervals, and the recall of each label among older and newer claims."""
    often = Counter(each.label for each in dev).most_common(1)[0][1] / len(dev)
    accuracies: Rows = [
        ("claim alone", *COLUMNS),
        ("always one label", _interval(often, len(dev)), "", ""),
    ]
    recalls: Rows = [("claim alone", "claims", *map(str, Label))]
    ages = {age: [age_of(each) == age for each in dev] for age in (OLDER, NEWER)}
    for classifier in CLASSIFIERS:
        right = claim_only(train, dev, classifier)
        if right is None:
            continue
        title = f"{classifier}, words and word pairs"
        accuracies.append((title, *(_accuracy(right, which) for which in ([True] * len(dev), *ages.values()))))
        for age, which in ages.items():
            of_label = (
                [is_age and each.label == label for is_age, each in zip(which, dev, strict=True)] for label in Label
            )
            recalls.append((title, age, *(_accuracy(right, some) for some in of_label)))
    accuracies.append((name, "not measured" if encoder is None else _interval(encoder, len(dev)), "", ""))
    return accuracies, recalls


def _accuracy(right: Sequence[bool], which: Sequence[bool]) -> str:
    """The share of claims that are right, of those that are asked about."""
    hits = [hit for hit, is_asked in zip(right, which, strict=True) if is_asked]
    return _interval(fmean(hits), len(hits)) if hits else "–"


def _interval(share: float, claims: int) -> str:
    low, high = wilson(share, claims)
    return f"{100 * share:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


# -- the data card -----------------------------------------------------------------------------------------


def card_counts(train: Sequence[Example], dev: Sequence[Example]) -> str:
    """The tables of the data card, as they stand between its marks."""
    return "\n\n".join("\n".join(_lines(rows)) for rows in (whole(train, dev), counts(train, dev))) + "\n"


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def with_counts(card: str, tables: str) -> str:
    """A data card with new tables between its marks."""
    before, begin, rest = card.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(f"{CARD.name} lacks the marks {_BEGIN.strip()} and {_END}")
    return f"{before}{begin}\n{tables}\n{end}{after}"


def main() -> None:
    """Count, ask the baselines, write the results and the tables of the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=_share, help="the accuracy, 0 to 1, of an encoder that reads the claim alone")
    parser.add_argument("--encoder-name", default="encoder", help="what that encoder is called in the table")
    asked = parser.parse_args()
    given = "" if asked.encoder is None else f' --encoder {asked.encoder:g} --encoder-name "{asked.encoder_name}"'
    train, dev = shipped(TRAIN), shipped(DEV)
    report = Report("The written claims", f"python -m benchmarks.written{given}")
    report.table("Parts", whole(train, dev))
    report.table("Claims by kind and label", counts(train, dev))
    report.table("Mean words of a claim", lengths(train, dev))
    accuracies, recalls = baselines(train, dev, asked.encoder, asked.encoder_name)
    report.table("Three-way accuracy of the claim alone, on written/dev", accuracies)
    report.table("Recall of each label by the claim alone, on written/dev", recalls)
    for note in NOTES:
        report.note("How to read it", note)
    report.write(RESULTS)
    CARD.write_text(with_counts(CARD.read_text(encoding="utf-8"), card_counts(train, dev)), encoding="utf-8")


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share from 0 to 1; write 0.45 for 45 %")
    return share


if __name__ == "__main__":
    main()
