"""What was found: verdicts, evidence sets, kinds and places of their pieces (FEVEROUS, 7.5.2 and figures 4 and 5)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from veritab.schema import CELLS, ElementId, Kind, Label
from veritab.studio.figures.effort import Effort, EffortCounter
from veritab.studio.figures.rows import AnnotationRow
from veritab.studio.figures.values import Figure, Histogram, Tally, mean_figure
from veritab.text import words


class EvidenceFigures(NamedTuple):
    """The answers of a studio, what they took, and where their evidence is from.

    A piece that stands in several sets of an answer counts once, and header cells are cells. `title_in_claim` is the
    share of answers with evidence for which a page of the evidence is named in the claim: the words of its title,
    without a bracket at its end, one after another, whatever their case and accents.
    """

    answers: int
    effort: Mapping[str, Effort]
    labels: Tally
    challenges: Tally
    ratings: Tally
    sets: Figure
    """Evidence sets of an answer that has any, on average."""
    several_sets: int
    pieces: Tally
    title_in_claim: Figure
    sentence_positions: Histogram
    row_positions: Histogram
    section_positions: Histogram
    """Sections by number, -1 for the introduction."""
    pieces_per_set: Histogram


class EvidenceCounter:
    """Counts answers and their evidence; its memory does not grow with them."""

    def __init__(self) -> None:
        self.answers = self.with_evidence = self.sets = self.several_sets = self.titles_in_claim = 0
        self.effort: defaultdict[str, EffortCounter] = defaultdict(EffortCounter)
        self.labels: Counter[str] = Counter()
        self.challenges: Counter[str] = Counter()
        self.ratings: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.sentences: Counter[int] = Counter()
        self.rows: Counter[int] = Counter()
        self.sections: Counter[int] = Counter()
        self.pieces_per_set: Counter[int] = Counter()

    def add(self, row: AnnotationRow) -> None:
        """Count one answer, or a rating that says why there is none; anything else is no annotation."""
        if row.rating is not None:
            self.ratings[row.rating] += 1
        if row.label is not None or row.rating is not None:
            self.effort[row.kind].add(row.seconds, row.operations)
        if row.label is not None:
            self._add_answer(row, row.label)

    def _add_answer(self, row: AnnotationRow, label: Label) -> None:
        self.answers += 1
        self.labels[label] += 1
        if row.challenge is not None:
            self.challenges[row.challenge] += 1
        sets = [each for each in row.evidence if each]
        if not sets:
            return
        self.with_evidence += 1
        self.sets += len(sets)
        self.several_sets += len(sets) > 1
        self.pieces_per_set.update(map(len, sets))
        self.sections.update(row.sections)
        pieces = row.pieces
        self.titles_in_claim += any(names_title(row.text, page) for page in {id.page for id in pieces})
        for id in pieces:
            self._add_piece(id)

    def _add_piece(self, id: ElementId) -> None:
        self.kinds[Kind.CELL if id.kind in CELLS else id.kind] += 1
        if id.kind is Kind.SENTENCE:
            self.sentences[id.path[0]] += 1
        elif id.kind in CELLS:
            self.rows[id.path[1]] += 1

    def result(self) -> EvidenceFigures:
        """The figures of all that was counted."""
        return EvidenceFigures(
            self.answers,
            {kind: each.result() for kind, each in sorted(self.effort.items())},
            Tally.of(self.labels),
            Tally.of(self.challenges),
            Tally.of(self.ratings),
            mean_figure(self.sets, self.with_evidence, "answer with evidence"),
            self.several_sets,
            Tally.of(self.kinds),
            mean_figure(self.titles_in_claim, self.with_evidence, "answer with evidence"),
            Histogram.of(self.sentences),
            Histogram.of(self.rows),
            Histogram.of(self.sections),
            Histogram.of(self.pieces_per_set),
        )


_QUALIFIER = re.compile(r" \([^()]*\)\Z")


def names_title(claim: str, title: str) -> bool:
    """Whether a claim has the words of a page's title, without a bracket at its end, one after another."""
    said, named = words(claim), words(_QUALIFIER.sub("", title))
    return bool(named) and _holds(said, named)


def _holds(said: Sequence[str], named: Sequence[str]) -> bool:
    return any(said[start : start + len(named)] == named for start in range(len(said) - len(named) + 1))
