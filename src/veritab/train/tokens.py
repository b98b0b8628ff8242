"""Examples as token ids: what preparing writes and fitting reads, and how texts are batched; needs only numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veritab.errors import FormatError, NotFound

QUERY, POSITIVE, NEGATIVE = range(3)
"""What a text is to its group where an encoder is trained."""
MOST_CELLS = 127
"""Cells of one candidate that get marks of their own."""
_ALIGNED = 16
"""Padded widths are a multiple of this; fast attention kernels need 8."""
_LINE, _LEAST_LINE = 64, 256
"""Packed sequences are as wide as a multiple of the first, the block of attention kernels, and at least the second:
wider ones need less padding, and spend more attention between tokens of different texts."""


class Tokens(NamedTuple):
    """Texts, or pairs of texts, one after the other: text i has the next `lengths[i]` of `ids` and of `marks`.

    `firsts` are the lengths of their first parts. `labels` are verdicts, or whether a candidate is relevant, or what
    a text is to its group. `groups` number what belongs together: the candidates of a claim, a query with its
    passages. `marks` are 0 outside of cells, and inside twice the number of the cell, counted from 1, plus whether
    it is relevant.
    """

    ids: NDArray[Any]
    lengths: NDArray[Any]
    firsts: NDArray[Any]
    labels: NDArray[Any]
    groups: NDArray[Any]
    marks: NDArray[Any]

    @property
    def texts(self) -> int:
        """How many texts these are."""
        return len(self.lengths)


DTYPES: dict[str, Any] = {
    "ids": np.uint16,
    "lengths": np.uint16,
    "firsts": np.uint16,
    "labels": np.uint8,
    "groups": np.uint32,
    "marks": np.uint8,
}


def columns_of(tokens: Tokens) -> dict[str, NDArray[Any]]:
    return dict(zip(Tokens._fields, tokens, strict=True))


def concatenate(parts: Iterable[Tokens]) -> Tokens:
    """Several sets as one; their groups stay separate."""
    kept = list(parts)
    if not kept:
        return Tokens(*(np.zeros(0, dtype=DTYPES[name]) for name in Tokens._fields))
    shifted, next_group = [], 0
    for part in kept:
        groups = part.groups.astype(np.int64) + next_group
        next_group = int(groups.max(initial=next_group - 1)) + 1
        shifted.append(part._replace(groups=groups))
    return Tokens(*(np.concatenate(column) for column in zip(*map(_fields, shifted), strict=True)))


def _fields(tokens: Tokens) -> tuple[NDArray[Any], ...]:
    return tuple(tokens)


def write(path: Path, tokens: Tokens) -> None:
    """Write a set into a file, compressed."""
    arrays = {name: column.astype(DTYPES[name]) for name, column in columns_of(tokens).items()}
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type, unused-ignore]


def read(path: Path) -> Tokens:
    """The set in a file."""
    if not path.is_file():
        raise NotFound(f"no prepared examples at {str(path)!r}; prepare the run again with the same recipe and seed")
    try:
        with np.load(path) as arrays:
            ids, *others, marks = (arrays[name] for name in Tokens._fields)
    except (KeyError, ValueError, OSError) as error:
        raise FormatError(f"{str(path)!r} holds no prepared examples; prepare the run again: {error}") from None
    return Tokens._make((ids, *(column.astype(np.int64) for column in others), marks))


def examples_of(job: str, tokens: Tokens) -> int:
    """How many examples these are: an encoder learns from a query and its passages together."""
    return len(group_starts(tokens.groups)) if job == "encoder" else tokens.texts


# -- padded batches ----------------------------------------------------------------------------------------


class PaddedShape(NamedTuple):
    """Texts of similar length that are run together, padded to one width."""

    rows: NDArray[np.int64]
    width: int


def shape_of(rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> PaddedShape:
    return PaddedShape(rows, -(-int(lengths[rows].max()) // _ALIGNED) * _ALIGNED)


def split_by_length(rows: NDArray[np.int64], lengths: NDArray[np.int64], parts: int = 4) -> list[PaddedShape]:
    """The texts of one step as a few padded batches, split by length so that padding is least.

    A step mixes all sets. Sorting texts into steps by length would leave few tables beside the sentences.
    """
    rows = rows[np.argsort(lengths[rows], kind="stable")]
    # From each text back to each before it, the padded size of a batch from there to here.
    count = np.arange(1, len(rows) + 1)[:, None] - np.arange(len(rows))[None, :]
    cost = np.where(count > 0, count * lengths[rows][:, None], np.inf)
    least, starts = cost[:, 0], []
    for _ in range(min(parts, len(rows)) - 1):
        through = cost + np.concatenate([[0], least[:-1]])[None, :]
        starts.append(through.argmin(1))
        least = through.min(1)
    ends = [len(rows)]
    for start in reversed(starts):
        ends.append(int(start[ends[-1] - 1]) if ends[-1] else 0)
    bounds = sorted({0, *ends})
    return [shape_of(rows[start:end], lengths) for start, end in pairwise(bounds)]


def batches_by_length(rows: NDArray[np.int64], lengths: NDArray[np.int64], most: int) -> list[PaddedShape]:
    """All texts, those of similar length together, with no more than `most` tokens at once."""
    rows = rows[np.argsort(lengths[rows], kind="stable")]
    shapes, start = [], 0
    while start < len(rows):
        width = -(-int(lengths[rows[start]]) // _ALIGNED) * _ALIGNED
        end = start + max(1, most // width)
        # The last of them is the longest; fewer fit then.
        longest = int(lengths[rows[min(end, len(rows)) - 1]])
        end = start + max(1, most // max(longest, 1))
        shapes.append(shape_of(rows[start:end], lengths))
        start = end
    return shapes


# -- packed sequences ----------------------------------------------------------------------------------------


class PackedLines(NamedTuple):
    """Texts packed into sequences of one width; `starts` say where each begins, counted through all sequences."""

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    height: int
    width: int


def line_width(lengths: NDArray[np.int64]) -> int:
    """The width of packed sequences that hold any of these texts; fixed for all steps, so that shapes are few."""
    return max(_LEAST_LINE, -(-int(lengths.max(initial=1)) // _LINE) * _LINE)


def pack_sequences(rows: NDArray[np.int64], lengths: NDArray[np.int64], width: int, most: int) -> list[PackedLines]:
    """Pack the texts of one step, the longest first, each into the first sequence with room for it.

    No more than `most` tokens are run at once.
    """
    sizes = lengths[rows]
    starts, room = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), width)
    for place in np.argsort(-sizes, kind="stable").tolist():
        line = int((room >= sizes[place]).argmax())
        starts[place] = (line + 1) * width - room[line]
        room[line] -= sizes[place]
    lines, high = starts // width, max(1, most // width)
    found = []
    for first in range(0, int(lines.max(initial=0)) + 1, high):
        own = (first <= lines) & (lines < first + high)
        height = int(lines[own].max(initial=first)) + 1 - first
        found.append(PackedLines(rows[own], starts[own] - first * width, height, width))
    return found


def group_starts(groups: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """The index at which each group starts."""
    numbers = np.asarray(groups)
    return np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]]) if len(numbers) else np.zeros(0, dtype=np.int64)
