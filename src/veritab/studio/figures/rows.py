"""What the figures of a studio are counted from: small rows, streamed, of people by their pseudonyms.

They know nothing of the database, so that every figure can be worked out by hand on a few rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from veritab.schema import ElementId, EvidenceSet, Label
from veritab.studio.vocabulary import Pool

FULL_TEXT_PREFIX = "contains..."
"""What FEVEROUS writes before a search that took none of the suggested pages."""


class OperationCounts(NamedTuple):
    """How often an annotator searched and followed links; `full_text` are those of the searches for words in pages."""

    searches: int = 0
    full_text: int = 0
    hyperlinks: int = 0
    page_searches: int = 0


def count_operations(operations: Iterable[tuple[str, str]]) -> OperationCounts:
    """Count the operations of one annotation, given by FEVEROUS's names with their values."""
    searches = full_text = hyperlinks = page_searches = 0
    for operation, value in operations:
        match operation.lower():
            case "search":
                searches += 1
                full_text += value.lower().startswith(FULL_TEXT_PREFIX)
            case "hyperlink":
                hyperlinks += 1
            case "page search":
                page_searches += 1
    return OperationCounts(searches, full_text, hyperlinks, page_searches)


class AnnotationRow(NamedTuple):
    """What one person did with one claim: an answer where it has a label, else a rating, a skip or a report."""

    claim: str
    text: str
    annotator: str
    kind: str
    at: float
    """When it ended, in seconds since 1970."""
    pool: str = Pool.WORK
    author: str | None = None
    """Who wrote the claim; None where it came from a file."""
    label: Label | None = None
    evidence: tuple[EvidenceSet, ...] = ()
    sections: tuple[int, ...] = ()
    """The number of the section that each piece of evidence stands in, -1 for the introduction; as far as known."""
    challenge: str | None = None
    rating: str | None = None
    seconds: float | None = None
    operations: OperationCounts | None = None
    skipped: str | None = None
    """The reason for skipping the claim; None where it was not, and likewise below."""
    flagged: str | None = None
    reported: str | None = None
    overlaps: bool = True
    """Whether others may answer the same claim; only then the answer is kept until all rows are read."""

    @property
    def pieces(self) -> frozenset[ElementId]:
        """The elements of all its evidence sets."""
        return frozenset().union(*self.evidence)


class WrittenClaim(NamedTuple):
    """A claim as its author was asked for it."""

    text: str
    type: str | None = None
    mutation: str | None = None
    truth: str | None = None
    """The truth value that was prescribed."""


class WritingRow(NamedTuple):
    """What one person wrote for one highlight, or why it was skipped."""

    author: str
    kind: str
    claims: tuple[WrittenClaim, ...]
    pool: str = Pool.WORK
    highlight: str | None = None
    """What was highlighted: sentences or a table."""
    page_rule: str | None = None
    """Whether the claim beyond the highlight had to stay on the page or leave it."""
    seconds: float | None = None
    operations: OperationCounts | None = None
    skipped: str | None = None


class MemberRow(NamedTuple):
    """What calibration said of a person for one kind of task."""

    member: str
    kind: str
    stage: str
    accuracy: float | None = None
    """The share of right verdicts over both phases."""
    approved: bool | None = None
    """None before the decision."""


class AuthoredClaim(NamedTuple):
    """A claim with its settled label; the figures of an author's wording need all claims of one author in a row."""

    author: str
    claim: str
    text: str
    label: Label
    pages: tuple[str, ...] = ()
    """The pages of its evidence."""
