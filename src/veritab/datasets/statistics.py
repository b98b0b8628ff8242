"""What a data set looks like in numbers, as the papers report them: claims, labels, lengths, where evidence lies.

Every figure is counted in one pass over the examples, however many there are. Evidence sets that are written twice for
one claim count once, and so does a piece that stands in several sets of it. Lengths are in words between white space,
as FM2 and FaVIQ count them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from veritab.datasets.example_rows import built_of, origin_of, original_record
from veritab.datasets.quoted import GoldText, gold_texts
from veritab.schema import CELLS, EvidenceSet, Example, Kind, Label

UNLABELLED = "unlabelled"
INTRODUCTION = "introduction"
NO_EVIDENCE = "no evidence"

_FAMILIES = {
    Kind.SENTENCE: "sentences",
    Kind.PASSAGE: "passages",
    Kind.ITEM: "lists",
    Kind.LIST: "lists",
    Kind.CELL: "cells",
    Kind.HEADER_CELL: "cells",
    Kind.TABLE_CAPTION: "cells",
    Kind.TABLE: "cells",
    Kind.TITLE: "headings",
    Kind.SECTION: "headings",
}
"""What counts as one type of evidence; captions stand with the cells of their table."""
_ORDER = tuple(dict.fromkeys(_FAMILIES.values()))


class Spread(NamedTuple):
    """How numbers are spread: how many there are, their mean, the least, the quartiles and the greatest."""

    n: int = 0
    mean: float = 0.0
    least: float = 0.0
    first: float = 0.0
    median: float = 0.0
    third: float = 0.0
    greatest: float = 0.0

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Spread:
        """The spread of numbers, given how often each comes; all zero where there is none."""
        n = sum(counts.values())
        if not n:
            return cls()
        ordered = sorted(counts)
        first, median, third = (_quantile(ordered, counts, share * (n - 1)) for share in (0.25, 0.5, 0.75))
        mean = sum(value * count for value, count in counts.items()) / n
        return cls(n, mean, ordered[0], first, median, third, ordered[-1])

    @classmethod
    def mean_of(cls, several: Sequence[Spread]) -> Spread:
        """Each number of some spreads averaged, whatever their sizes (a macro-average)."""
        n = sum(each.n for each in several)
        return cls(n, *(sum(numbers) / len(several) for numbers in list(zip(*several, strict=True))[1:]))


NOTHING = Spread()


def _quantile(ordered: Sequence[int], counts: Mapping[int, int], place: float) -> float:
    """The number at a place of the sorted row; between two places, between their numbers."""
    seen, below = 0, None
    for value in ordered:
        seen += counts[value]
        if below is not None:
            return below + (value - below) * (place % 1)
        if seen > place + 1 or (seen > place and place % 1 == 0):
            return float(value)
        if seen > place:
            below = value
    return float(ordered[-1])


@dataclass(frozen=True)
class Statistics:
    """The numbers of one data set, or of one of its splits."""

    name: str
    claims: int = 0
    silver: int = 0
    """Claims whose evidence was found, not annotated."""
    labels: Mapping[str, int] = field(default_factory=dict)
    challenges: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    """How many claims each rule built, where claims were built."""
    origins: int = 0
    """How many records claims were built of: questions, say."""
    lengths: Spread = NOTHING
    lengths_by_label: Mapping[str, Spread] = field(default_factory=dict)
    distribution: Mapping[int, int] = field(default_factory=dict, repr=False)
    """How many claims have each length."""
    sets: int = 0
    sets_by_type: Mapping[str, int] = field(default_factory=dict)
    sets_per_claim: Spread = NOTHING
    pieces_per_set: Spread = NOTHING
    set_sizes: Mapping[int, int] = field(default_factory=dict, repr=False)
    """How many sets hold so many pieces."""
    pieces_by_kind: Mapping[str, int] = field(default_factory=dict)
    mean_per_set: Mapping[str, float] = field(default_factory=dict)
    """How many sentences, cells and tables a set holds on average."""
    with_evidence: int = 0
    """Claims that have an evidence set."""
    several_pieces: int = 0
    """Claims with a set of more than one piece."""
    several_pages: int = 0
    """Claims with a set from more than one page."""
    need_several_pieces: int = 0
    """Claims that no set of one piece settles."""
    need_several_pages: int = 0
    """Claims that no set from one page settles."""
    pages: int = 0
    pages_per_claim: Spread = NOTHING
    claims_per_page: Spread = NOTHING
    sentence_positions: Mapping[int, int] = field(default_factory=dict, repr=False)
    row_positions: Mapping[int, int] = field(default_factory=dict, repr=False)
    sections: Mapping[str, int] = field(default_factory=dict, repr=False)
    evidence_lengths: Spread = NOTHING
    """Of all that the record of a claim itself quotes as evidence."""

    def as_dict(self) -> dict[str, Any]:
        """The numbers as JSON."""
        numbers: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Spread):
                value = value._asdict()
            elif isinstance(value, Mapping):
                value = {str(k): v._asdict() if isinstance(v, Spread) else v for k, v in value.items()}
            numbers[name] = value
        return numbers


def together(several: Sequence[Statistics], name: str) -> Statistics:
    """The claims, labels and lengths of several data sets counted as one."""
    every: Counter[int] = sum((Counter(each.distribution) for each in several), Counter())
    labels: Counter[str] = sum((Counter(each.labels) for each in several), Counter())
    return Statistics(
        name,
        claims=sum(each.claims for each in several),
        labels=_in_order(labels, (*Label, UNLABELLED)),
        lengths=Spread.of(every),
        distribution=dict(sorted(every.items())),
    )


def statistics(examples: Iterable[Example], name: str = "") -> Statistics:
    """Count what there is to count of a data set."""
    counted = StatisticsCounter()
    for example in examples:
        counted.add(example)
    return counted.result(name)


class StatisticsCounter:
    """The counts while a data set is read, for those who do something else with the examples meanwhile."""

    def __init__(self) -> None:
        self.claims = self.silver = self.sets = self.with_evidence = 0
        self.several: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.challenges: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.origins: set[tuple[str, str]] = set()
        self.lengths: dict[str, Counter[int]] = {}
        self.types: Counter[str] = Counter()
        self.sets_per_claim: Counter[int] = Counter()
        self.pieces_per_set: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.in_sets: Counter[str] = Counter()
        self.pages_per_claim: Counter[int] = Counter()
        self.pages: Counter[str] = Counter()
        self.sentences: Counter[int] = Counter()
        self.rows: Counter[int] = Counter()
        self.sections: Counter[str] = Counter()
        self.evidence_lengths: Counter[int] = Counter()

    def add(self, example: Example) -> None:
        """Count one example."""
        label = str(example.label or UNLABELLED)
        self.claims += 1
        self.silver += example.silver
        self.labels[label] += 1
        self.lengths.setdefault(label, Counter())[len(example.claim.text.split())] += 1
        if example.challenge:
            self.challenges[example.challenge] += 1
        if origin := built_of(example):
            self.rules[str(origin_of(example).get("rule", ""))] += 1
            self.origins.add(origin)
        sets = dict.fromkeys(filter(None, example.evidence))
        for gold in sets:
            self._add_set(gold)
        if sets:
            self.with_evidence += 1
            self.sets_per_claim[len(sets)] += 1
            pieces, pages = [len(gold) for gold in sets], [len({id.page for id in gold}) for gold in sets]
            self.several["several_pieces"] += max(pieces) > 1
            self.several["several_pages"] += max(pages) > 1
            self.several["need_several_pieces"] += min(pieces) > 1
            self.several["need_several_pages"] += min(pages) > 1
        self._add_pieces(frozenset().union(*sets))
        quoted = gold_texts(example)
        self.sections.update(_sections(example, quoted))
        if quoted:
            self.evidence_lengths[sum(len(text.text.split()) for text in quoted)] += 1
        from_pages = _pages(example, quoted)
        self.pages.update(from_pages)
        if from_pages:
            self.pages_per_claim[len(from_pages)] += 1

    def _add_set(self, gold: EvidenceSet) -> None:
        self.sets += 1
        self.types[type_of(gold)] += 1
        self.pieces_per_set[len(gold)] += 1
        self.in_sets["sentences"] += sum(id.kind is Kind.SENTENCE for id in gold)
        self.in_sets["cells"] += sum(id.kind in CELLS for id in gold)
        self.in_sets["tables"] += len({id.table for id in gold} - {None})

    def _add_pieces(self, pieces: EvidenceSet) -> None:
        for id in pieces:
            self.kinds[id.kind] += 1
            if id.kind is Kind.SENTENCE:
                self.sentences[id.path[0]] += 1
            elif id.kind in CELLS:
                self.rows[id.path[1]] += 1

    def result(self, name: str) -> Statistics:
        """The numbers of all that was counted."""
        every: Counter[int] = sum(self.lengths.values(), Counter())
        return Statistics(
            name=name,
            claims=self.claims,
            silver=self.silver,
            labels=_in_order(self.labels, (*Label, UNLABELLED)),
            challenges=_in_order(self.challenges, ()),
            rules=_in_order(self.rules, ()),
            origins=len(self.origins),
            lengths=Spread.of(every),
            lengths_by_label={label: Spread.of(self.lengths[label]) for label in _in_order(self.labels, Label)},
            distribution=dict(sorted(every.items())),
            sets=self.sets,
            sets_by_type=_in_order(self.types, ()),
            sets_per_claim=Spread.of(self.sets_per_claim),
            pieces_per_set=Spread.of(self.pieces_per_set),
            set_sizes=dict(sorted(self.pieces_per_set.items())),
            pieces_by_kind=_in_order(self.kinds, Kind),
            mean_per_set={each: self.in_sets[each] / self.sets for each in self.in_sets} if self.sets else {},
            with_evidence=self.with_evidence,
            **self.several,
            pages=len(self.pages),
            pages_per_claim=Spread.of(self.pages_per_claim),
            claims_per_page=Spread.of(Counter(self.pages.values())),
            sentence_positions=dict(sorted(self.sentences.items())),
            row_positions=dict(sorted(self.rows.items())),
            sections=sections_in_order(self.sections),
            evidence_lengths=Spread.of(self.evidence_lengths),
        )


def _in_order(counts: Mapping[str, int], order: Iterable[str]) -> dict[str, int]:
    """Counts in an order of their names; other names follow, the most frequent first."""
    first = [name for name in order if name in counts]
    rest = sorted(counts.keys() - set(first), key=lambda name: (-counts[name], name))
    return {str(name): counts[name] for name in (*first, *rest)}


def type_of(gold: EvidenceSet) -> str:
    """What an evidence set is made of, e.g. "sentences" or "sentences + cells"; items of lists are "lists"."""
    families = {_FAMILIES[id.kind] for id in gold}
    return " + ".join(family for family in _ORDER if family in families) or NO_EVIDENCE


def pages_of(example: Example) -> frozenset[str]:
    """The pages that a claim's evidence is from, by address or, where there is none, as the record names them."""
    return _pages(example, () if any(example.evidence) else gold_texts(example))


def _pages(example: Example, quoted: Iterable[GoldText]) -> frozenset[str]:
    addressed = frozenset(id.page for gold in example.evidence for id in gold)
    return addressed or frozenset(text.page for text in quoted if text.page)


# -- sections ----------------------------------------------------------------------------------------------

_SECTION = re.compile(r"_section_([0-9]+)\Z")
_NUMBERED = re.compile(r"section ([0-9]+)\Z")


def _sections(example: Example, quoted: Iterable[GoldText]) -> Iterator[str]:
    """Where each piece of evidence lies: FEVEROUS tells it in the context, other records by the name of the section."""
    contexts = dict(_contexts(original_record(example).get("evidence")))
    for context in contexts.values():
        numbers = [int(match[1]) for id in context if isinstance(id, str) and (match := _SECTION.search(id))]
        # Sections come with those around them, which have lower numbers.
        yield f"section {max(numbers)}" if numbers else INTRODUCTION
    if not contexts:
        for text in quoted:
            if text.section:
                name = text.section.split("|")[0].strip()
                yield INTRODUCTION if name in ("Summary", "") else name


def _contexts(evidence: object) -> Iterator[tuple[str, Sequence[object]]]:
    for each in evidence if isinstance(evidence, list) else ():
        context = each.get("context") if isinstance(each, dict) else None
        if isinstance(context, dict):
            yield from ((id, around) for id, around in context.items() if isinstance(around, list))


def sections_in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by section: the introduction, then sections by their number, then others, the most frequent first."""
    numbered = sorted((name for name in counts if _NUMBERED.match(name)), key=lambda name: int(name.split()[1]))
    return _in_order(counts, (INTRODUCTION, *numbered))
