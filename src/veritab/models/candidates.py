"""What a selector reads beside a claim: a text, and the spans of cells in it that get scores of their own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from veritab.models.pair_tokens import clean

if TYPE_CHECKING:
    from tokenizers import Encoding

UNREAD = -30.0
"""The score of a span that the model did not read, being empty or beyond its window: lower than any it gives."""


class CandidateText(NamedTuple):
    """A text that may be evidence, and where it is a row of a table, the spans of its cells as (start, end)."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


class CandidateScore(NamedTuple):
    """The log odds that a candidate, and each of its spans, is evidence for a claim."""

    whole: float
    spans: tuple[float, ...] = ()


def clean_candidate(candidate: CandidateText) -> CandidateText:
    """A candidate in the form that tokenizers take, its spans moved with their text."""
    text = clean(candidate.text)
    if text == candidate.text:
        return candidate
    size = len(candidate.text)
    edges = sorted({0, size, *(min(max(edge, 0), size) for span in candidate.spans for edge in span)})
    moved, pieces, length = {0: 0}, [], 0
    for start, end in pairwise(edges):
        pieces.append(clean(candidate.text[start:end]))
        length += len(pieces[-1])
        moved[end] = length
    spans = tuple((moved[min(max(start, 0), size)], moved[min(max(end, 0), size)]) for start, end in candidate.spans)
    return CandidateText("".join(pieces), spans)


def span_tokens(encoding: Encoding, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """For each span of the second text the indices of its tokens."""
    second = [
        (place, start, end)
        for place, ((start, end), text) in enumerate(zip(encoding.offsets, encoding.sequence_ids, strict=True))
        if text == 1 and end > start
    ]
    return [
        [place for place, start, end in second if first < last and start < last and end > first]
        for first, last in spans
    ]
