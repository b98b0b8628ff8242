"""What people's ratings say of built claims: how many read well, whose labels are right, how far the raters agree.

Ratings come from a studio, or from lines {"id", "rater", "natural", "label"} that readers of a sheet wrote. A sheet
names each claim by `blind_id`, as the ids of built claims tell the rule that made them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from veritab.audit.agreement import cohen_kappa, krippendorff_alpha, nominal
from veritab.build.sampling import random_stream
from veritab.datasets import gold_texts
from veritab.datasets.example_rows import origin_of
from veritab.datasets.lines import records_of
from veritab.datasets.records import Record
from veritab.errors import FormatError, NotFound, short_repr
from veritab.schema import Element, ElementId, Example, Label
from veritab.verify.render import render

PERFECT, MINOR, INCOMPREHENSIBLE = NATURAL = ("perfect", "minor", "incomprehensible")
_LONGEST_EVIDENCE = 600
_MOST_SETS = 3


class GivenRating(Protocol):
    """What one person said of one claim."""

    @property
    def claim(self) -> str: ...
    @property
    def annotator(self) -> str: ...
    @property
    def rating(self) -> str: ...
    @property
    def label(self) -> Label | None: ...
    @property
    def cause(self) -> str: ...


class BuiltAs(NamedTuple):
    """How a claim was built: its id, the rule, and the label it got; None is "unknown"."""

    id: str
    rule: str
    label: Label | None


class RatingLine(NamedTuple):
    """What one person said of one claim, as a line of a file has it."""

    claim: str
    annotator: str
    rating: str
    label: Label | None
    """None where they could not tell."""
    cause: str = ""


# -- sheets and the lines that come back -------------------------------------------------------------------


def blind_id(id: str) -> str:
    """A name for a claim that tells nothing of how it was built."""
    return hashlib.blake2b(id.encode(), digest_size=6).hexdigest()


def built_as(built: Iterable[Example]) -> dict[str, BuiltAs]:
    """How claims were built, by their ids and by their blind ids."""
    found = {}
    for each in built:
        how = BuiltAs(each.claim.id, _rule_of(each), each.label)
        found[how.id] = found[blind_id(how.id)] = how
    return found


def rating_sheet(
    built: Sequence[Example], element_of: Callable[[ElementId], Element | None], *, most: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Claims drawn at random with their evidence, for people to rate: lines where `natural` and `label` are to fill in.

    Of each rule about as many are drawn, so that a rare one is rated too.
    """
    rng = random_stream(seed, "ratings")
    by_rule: dict[str, list[Example]] = {}
    for each in rng.sample(built, len(built)):
        by_rule.setdefault(_rule_of(each), []).append(each)
    drawn: list[Example] = []
    while len(drawn) < most and (left := [rule for rule in sorted(by_rule) if by_rule[rule]]):
        drawn += [by_rule[rule].pop() for rule in left[: most - len(drawn)]]
    for each in rng.sample(drawn, len(drawn)):
        yield {
            "id": blind_id(each.claim.id),
            "claim": each.claim.text,
            "evidence": _evidence_texts(each, element_of),
            "natural": "",
            "label": "",
        }


def _evidence_texts(example: Example, element_of: Callable[[ElementId], Element | None]) -> list[str]:
    quoted = [f"{each.page}. {each.text}" if each.page else each.text for each in gold_texts(example)]
    if quoted:
        return quoted
    texts = []
    for ids in example.evidence[:_MOST_SETS]:
        elements = [element for id in sorted(ids) if (element := element_of(id))]
        shown = render(elements, most=_LONGEST_EVIDENCE).text
        missing = [str(id) for id in sorted(ids) if not any(each.id == id for each in elements)]
        texts.append("; ".join(filter(None, (shown, *missing))))
    return texts


def read_rating_lines(path: Path) -> Iterator[RatingLine]:
    """The ratings of a file of lines {"id", "rater", "natural", "label"}, without those that nobody filled in."""
    if not path.exists():
        raise NotFound(f"no file {str(path)!r}; give a path that exists")
    for line in records_of(path):
        if line.record is None:
            raise FormatError(f"{path.name}, {line.where}: {line.wrong}")
        if line.record.get("natural") == "":
            continue
        try:
            yield _rating_of(line.record, path.stem)
        except ValueError as error:
            raise FormatError(f"{path.name}, {line.where}: {error}") from error


def _rating_of(record: Record, rater: str) -> RatingLine:
    id, natural, label = record.get("id"), record.get("natural"), record.get("label")
    if not isinstance(id, int | str) or isinstance(id, bool) or not str(id):
        raise ValueError(f"the id is {short_repr(id)}; expected that of the claim")
    if natural not in NATURAL:
        raise ValueError(f'"natural" is {short_repr(natural)}; expected one of {", ".join(NATURAL)}')
    labels = [str(each) for each in Label]
    if label not in (None, "", "unknown", *labels):
        raise ValueError(f'"label" is {short_repr(label)}; expected {", ".join(labels)}, or "" where nothing tells')
    said = Label(label) if label in labels and natural != INCOMPREHENSIBLE else None
    return RatingLine(str(id), str(record.get("rater") or rater), natural, said, str(record.get("cause") or ""))


def _rule_of(example: Example) -> str:
    rule = origin_of(example).get("rule")
    return rule if isinstance(rule, str) else "unknown"


# -- figures -----------------------------------------------------------------------------------------------


@dataclass
class RatedClaims:
    """Claims that people rated: by claim, what each person said, and the label that the claim was built with."""

    said: dict[str, dict[str, GivenRating]] = field(default_factory=dict)
    labels: dict[str, Label | None] = field(default_factory=dict)

    def add(self, how: BuiltAs, given: GivenRating) -> None:
        """Take in what somebody said; of two things that one person said of a claim, the last."""
        self.said.setdefault(how.id, {})[given.annotator] = given
        self.labels[how.id] = how.label

    def as_dict(self) -> dict[str, Any]:
        """Shares of ratings, shares of claims on which all raters agree, and agreement beyond chance."""
        ratings = [given.rating for each in self.said.values() for given in each.values()]
        right = {
            claim: [given.label is label for given in each.values() if given.label]
            for claim, each in self.said.items()
            if (label := self.labels[claim])
        }
        judged = [each for labels in right.values() for each in labels]
        several = {claim: each for claim, each in self.said.items() if len(each) > 1}
        agreed = [labels for claim, labels in right.items() if claim in several and labels]
        return {
            "claims": len(self.said),
            "ratings": len(ratings),
            "perfect": _share(word == PERFECT for word in ratings),
            "incomprehensible": _share(word == INCOMPREHENSIBLE for word in ratings),
            "labels": len(judged),
            "labels_right": _share(judged),
            "by_all": {
                "claims": len(several),
                "perfect": _share(_all_say(each, PERFECT) for each in several.values()),
                "incomprehensible": _share(_all_say(each, INCOMPREHENSIBLE) for each in several.values()),
                "labels_right": _share(map(all, agreed)),
                "labels_wrong": _share(not any(labels) for labels in agreed),
            },
            "kappa": {
                "rating": _kappa([{who: given.rating for who, given in each.items()} for each in several.values()]),
                "label": _kappa(
                    [{who: str(given.label) for who, given in each.items() if given.label} for each in several.values()]
                ),
            },
        }


def _all_say(given: Mapping[str, GivenRating], rating: str) -> bool:
    return all(each.rating == rating for each in given.values())


@dataclass
class RatingReport:
    """What people's ratings say of built claims, of all and by rule."""

    every: RatedClaims = field(default_factory=RatedClaims)
    rules: dict[str, RatedClaims] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)
    """What makes claims false, where people said so."""
    unknown: int = 0
    """Ratings of claims that the file does not hold."""

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {
            **self.every.as_dict(),
            "unknown": self.unknown,
            "rules": {rule: self.rules[rule].as_dict() for rule in sorted(self.rules)},
            "causes": dict(self.causes.most_common()),
        }


def measure_ratings(built: Mapping[str, BuiltAs], ratings: Iterable[GivenRating]) -> RatingReport:
    """Compare ratings with how the claims were built."""
    report = RatingReport()
    for given in ratings:
        how = built.get(given.claim)
        if how is None:
            report.unknown += 1
            continue
        report.every.add(how, given)
        report.rules.setdefault(how.rule, RatedClaims()).add(how, given)
        if given.cause:
            report.causes[given.cause] += 1
    return report


def _kappa(claims: Iterable[Mapping[str, str]]) -> float | None:
    """Cohen's kappa where the same two rated all that two rated, else Krippendorff's alpha, which is its like."""
    shared = [each for each in claims if len(each) > 1]
    people = {frozenset(each) for each in shared}
    if len(people) == 1 and len(pair := sorted(next(iter(people)))) == 2:
        return cohen_kappa([each[pair[0]] for each in shared], [each[pair[1]] for each in shared])
    return krippendorff_alpha([list(each.values()) for each in shared], nominal) if shared else None


def _share(which: Iterable[bool]) -> float | None:
    counted = Counter(which)
    return counted[True] / counted.total() if counted else None
