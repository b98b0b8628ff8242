"""What an audit keeps of each claim: small values, so that a large data set is read once and not held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias

from veritab.audit.agreement import Category
from veritab.datasets import gold_texts
from veritab.datasets.example_rows import built_of, original_record
from veritab.datasets.statistics import pages_of, type_of
from veritab.errors import NotFound
from veritab.schema import Element, ElementId, Example, Label
from veritab.text import content_terms, terms

EvidenceTexts: TypeAlias = Callable[[Example], Iterable[str]]
"""Gives the texts of the evidence of an example, as far as they are known."""

_ENDS = ((0, "first on its page"), (4, "2nd to 5th"), (19, "6th to 20th"))
_FAR = "after the 20th"
_INTRODUCTION, _SECTION = "in the introduction", "in another section"


class Votes(NamedTuple):
    """How many players of a game judged a claim correctly."""

    correct: int
    total: int


class AuditRow(NamedTuple):
    """A claim as an audit sees it; what a data set does not record is empty or None."""

    id: str
    text: str
    label: Label | None
    pages: tuple[str, ...] = ()
    kind: str = ""
    """What its first evidence set is made of, e.g. "sentences + cells"."""
    places: tuple[str, ...] = ()
    """Where on their pages the pieces of evidence are, each place once."""
    overlap: float | None = None
    """The share of the claim's words that its evidence has too."""
    votes: Votes | None = None
    labels_given: tuple[Category, ...] = ()
    """The label of each annotator, where a record has them."""
    evidence_given: tuple[Category, ...] = ()
    """The evidence that each annotator chose, as sets."""
    origin: tuple[str, str] | None = None
    """What the claim was built of, where it was built: the source and the record there."""


def audit_rows(examples: Iterable[Example], evidence_texts_of: EvidenceTexts | None = None) -> Iterator[AuditRow]:
    """A row for each example, in order."""
    for example in examples:
        record = original_record(example)
        yield AuditRow(
            example.claim.id,
            example.claim.text,
            example.label,
            tuple(sorted(pages_of(example))),
            type_of(example.evidence[0]) if example.evidence else "",
            _places(example),
            _overlap(example, (evidence_texts_of or quoted_texts)(example)),
            _votes(record),
            tuple(_labels_given(record)),
            _evidence_given(record),
            built_of(example),
        )


# -- texts of evidence -------------------------------------------------------------------------------------


def quoted_texts(example: Example) -> tuple[str, ...]:
    """The evidence that the record itself quotes."""
    return tuple(quoted.text for quoted in gold_texts(example))


class ElementSource(Protocol):
    """A corpus, as far as an audit needs one."""

    def element(self, id: ElementId) -> Element: ...


def evidence_texts(corpus: ElementSource) -> EvidenceTexts:
    """The quotes of a record; where it has only element ids, the texts of its first evidence set in the corpus.

    A set of which the corpus lacks a piece counts as unknown.
    """

    def evidence_texts_of(example: Example) -> tuple[str, ...]:
        quoted = quoted_texts(example)
        if quoted or not example.evidence:
            return quoted
        try:
            return tuple(corpus.element(id).text for id in sorted(example.evidence[0], key=str))
        except NotFound:
            return ()

    return evidence_texts_of


def _overlap(example: Example, texts: Iterable[str]) -> float | None:
    read = set(terms(" ".join(texts)))
    claimed = content_terms(example.claim.text)
    return sum(term in read for term in claimed) / len(claimed) if read and claimed else None


# -- positions of evidence ---------------------------------------------------------------------------------


def _places(example: Example) -> tuple[str, ...]:
    if example.evidence:
        found = {_place(id.path[0]) for gold in example.evidence for id in gold if id.path}
    else:
        sections = (quoted.section.split("|")[0].strip() for quoted in gold_texts(example))
        found = {_INTRODUCTION if section == "Summary" else _SECTION for section in sections if section}
    return tuple(sorted(found))


def _place(number: int) -> str:
    return next((name for end, name in _ENDS if number <= end), _FAR)


# -- votes and annotations ---------------------------------------------------------------------------------


def _votes(record: Any) -> Votes | None:
    correct, total = record.get("correct_votes"), record.get("total_votes")
    if type(correct) is int and type(total) is int and 0 <= correct <= total:
        return Votes(correct, total)
    return None


def _labels_given(record: Any) -> Iterator[Category]:
    """The labels of a record's annotations: texts, or objects with a label."""
    annotations = record.get("annotations")
    for each in annotations if isinstance(annotations, list) else ():
        label = each.get("label") if isinstance(each, dict) else each
        if isinstance(label, str) and label:
            yield label


def _evidence_given(record: Any) -> tuple[Category, ...]:
    """The evidence that each annotator chose: annotations with an evidence list, or FEVER's tuples by annotation id."""
    annotations = record.get("annotations")
    if isinstance(annotations, list):
        lists = [each.get("evidence") for each in annotations if isinstance(each, dict)]
        return tuple(frozenset(map(str, each)) for each in lists if isinstance(each, list))
    return tuple(frozenset(chosen) for chosen in _by_annotation(record.get("evidence")).values())


def _by_annotation(evidence: Any) -> dict[int, set[tuple[str, int]]]:
    chosen: dict[int, set[tuple[str, int]]] = {}
    for group in evidence if isinstance(evidence, list) else ():
        for piece in group if isinstance(group, list) else ():
            match piece:
                case [int(annotation), _, str(page), int(line)]:
                    chosen.setdefault(annotation, set()).add((page, line))
    return chosen
