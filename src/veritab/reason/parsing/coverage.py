"""How much of a claim a program covers."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from veritab.lexicon.comparison import direction, is_comparative, is_superlative
from veritab.lexicon.cues import PROGRAM_CUES
from veritab.lexicon.grammar import BEFORE_GROUP_SIZES
from veritab.quantities import Quantity
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.conditions import merge_lists
from veritab.reason.parsing.cues import is_meant
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.templates.grounding import ProgramCandidate, as_count
from veritab.text import Span

_CUE_FAMILY = {
    "share of sum": "share", "share given": "share", "only one": "only", "these": "only", "all same": "same",
    "all different": "distinct", "both same": "same", "column difference": "difference", "compare sum": "sum",
}  # fmt: skip
_ORDERED_TEMPLATES = frozenset(
    {
        "top", "top value", "among top", "both top", "nth", "compare", "compare counts", "compare sum", "difference",
        "column difference", "ratio",
    }
)  # fmt: skip
_BEFORE_SIZES = frozenset([(), *((word,) for word in BEFORE_GROUP_SIZES | {"other"})])
_MAX_LEFT = 3


class Uncovered(NamedTuple):
    """What a program does not cover: the share of words, the number of numbers, and of phrases that are whole cells."""

    words: float
    numbers: float
    full: float


class Coverage:
    """Measures how much of a claim its candidate programs cover."""

    def __init__(self, links: EntityLinks) -> None:
        self.links = links
        self.claim = links.claim
        tokens, title = self.claim.stems, links.header_mentions.title_words
        idle = {place for span in (*links.number_links.ignored, *self._idle) for place in range(*span)}
        self._content = frozenset(place for place in self.claim.content - idle if tokens[place] not in title)
        full = [slot for slot in links.slots if slot.conditions and slot.conditions[0].weight > 0.99]
        self._full = [slot for slot in full if slot.span[0] not in idle]
        self._orders = frozenset(
            place for place, stem in enumerate(tokens) if is_superlative(stem) or is_comparative(stem)
        )
        self._counting = [number for number in self.claim.numbers if not self._is_ignored(number)]

    @cached_property
    def directions(self) -> list[tuple[int, str]]:
        """The words with a direction, up or down, earlier or later, with their positions."""
        tokens = self.claim.stems
        return [
            (place, stem)
            for place, stem in enumerate(tokens)
            if is_meant(tokens, place) and (direction(stem, "number") or direction(stem, "date"))
        ]

    @cached_property
    def group_sizes(self) -> frozenset[Span]:
        """The spans where the claim counts what some phrase names: "all three editions of the Principia"."""
        likeliest = tuple(slot.conditions[0] for slot in self.links.slots if slot.conditions)
        counted = {len(c.rows) for slot in self.links.slots for c in slot.conditions if isinstance(c.term, str)}
        counted |= {len(c.members) for c in merge_lists(likeliest, self.claim, self.links.header_mentions.joining)}
        return frozenset(
            number.span
            for number in self.claim.numbers
            if as_count(number) in counted - {0, 1} and self.claim.before(number.span, 1) in _BEFORE_SIZES
        )

    def unexplained(self, candidate: ProgramCandidate) -> int:
        """How many content words a program does not cover."""
        return len(self._content - self._covered(candidate))

    def uncovered(self, candidate: ProgramCandidate) -> Uncovered:
        """What a program does not cover."""
        covered = self._covered(candidate)
        left = len(self._content - covered) / (len(self._content) or 1)
        sizes = self._sizes(candidate)
        numbers = sum(
            not covered.issuperset(range(*number.span)) and as_count(number) not in sizes for number in self._counting
        )
        full = sum(not covered.issuperset(range(*slot.span)) for slot in self._full)
        return Uncovered(left, float(min(numbers, _MAX_LEFT)), float(min(full, _MAX_LEFT)))

    def leaves_measure(self, candidate: ProgramCandidate) -> bool:
        """Whether a program leaves a number with a unit unused."""
        used = {condition.span for condition in candidate.conditions}
        if candidate.number:
            used.add(candidate.number.span)
        return any(_has_unit(number) and number.span not in used for number in self.claim.numbers)

    def _covered(self, candidate: ProgramCandidate) -> set[int]:
        """The positions of the words that a program covers."""
        covered: set[int] = set()
        spans = [condition.span for condition in candidate.conditions]
        if candidate.number:
            spans.append(candidate.number.span)
        for start, end in spans:
            covered.update(range(start, end))
        for column in (*candidate.columns, *(condition.column for condition in candidate.conditions)):
            mention = self.links.mentions.get(column)
            if mention:
                covered |= {place for place in mention.words if place in mention.exact or place not in self._orders}
        return covered | self._cue_positions(candidate.template.removeprefix("not "))

    def _cue_positions(self, template: str) -> set[int]:
        """The positions of the cue words that a template covers."""
        known = PROGRAM_CUES.get(_CUE_FAMILY.get(template, template), "").split()
        covered = {place for place, stem in enumerate(self.claim.stems) if stem in known}
        if template in _ORDERED_TEMPLATES:
            covered |= {place for place, _ in self.directions}
        if template in ("top", "nth"):
            covered |= {place for number in self.claim.numbers if _is_ordinal(number) for place in range(*number.span)}
        return covered

    def _sizes(self, candidate: ProgramCandidate) -> frozenset[int | None]:
        """The counts that follow from the program: a claim that repeats them adds nothing."""
        height = self.links.table.height
        if not candidate.number and not candidate.columns and len(candidate.conditions) < 2:
            return frozenset({height})
        listed = (len(condition.members) for condition in candidate.conditions if condition.others)
        rows = (len(condition.rows) for condition in candidate.conditions)
        return frozenset({height, *listed, *rows})

    @cached_property
    def _idle(self) -> list[Span]:
        """The phrases that every row matches."""
        height = self.links.table.height
        return [s.span for s in self.links.slots if any(len(c.rows) == height and not c.is_limit for c in s.conditions)]

    def _is_ignored(self, number: StatedNumber) -> bool:
        """Whether a number need not be covered: the number of rows, a year of the title, the "first" of a verb."""
        if number.span in self.links.number_links.ignored or number.span in self._idle:
            return True
        if _is_ordinal(number) and getattr(number.value, "value", None) == 1:
            return True
        return self.links.header_mentions.title_words.issuperset(self.claim.stems[slice(*number.span)])


def _is_ordinal(number: StatedNumber) -> bool:
    return isinstance(number.value, Quantity) and number.value.ordinal


def _has_unit(number: StatedNumber) -> bool:
    return isinstance(number.value, Quantity) and bool(number.value.unit)
