"""Vectors as rows of eight-bit numbers: how they are rounded, kept in a file, and compared with a query.

A row is a scale and as many whole numbers as the vector has; the scale gives the row unit length.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from veritab.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

BLOCK = 8192  # rows turned into floats at a time


def checked(vectors: Array, dimension: int) -> Array:
    """The vectors as floats, if they have that many numbers each and all of them make sense."""
    import numpy as np

    array = np.asarray(vectors, dtype=np.float32)
    if array.ndim != 2 or array.shape[1] != dimension:
        raise InputError(f"vectors of shape {array.shape}; expected (n, {dimension})")
    if not np.isfinite(array).all():
        raise InputError("a vector has a number that is not finite; the encoder's model is damaged")
    return array


def rounded(vectors: Array) -> Array:
    """Each vector as eight-bit numbers that use their whole range."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    return np.rint(vectors * (127 / np.where(largest > 0, largest, 1))).astype(np.int8)


def packed(vectors: Array) -> bytes:
    """The rows of these vectors, as a file holds them."""
    import numpy as np

    values = rounded(vectors)
    lengths = np.linalg.norm(values.astype(np.float64), axis=1)
    rows = np.empty(len(values), dtype=_row_type(values.shape[1]))
    rows["scale"], rows["values"] = 1 / np.where(lengths > 0, lengths, 1), values
    return rows.tobytes()


def row_bytes(dimension: int) -> int:
    """How long a row is."""
    return 4 + dimension


def _row_type(dimension: int) -> np.dtype[Any]:
    import numpy as np

    return np.dtype([("scale", "<f4"), ("values", "i1", (dimension,))])


def mapped(file: Path, dimension: int, count: int) -> Array:
    """The first rows of a file, read when they are looked at."""
    import numpy as np

    kind = _row_type(dimension)
    # Nothing cannot be mapped.
    return np.memmap(file, dtype=kind, mode="r", shape=(count,)) if count else np.empty(0, dtype=kind)


def nearest(rows: Array, live: Array | None, queries: Array, start: int, limit: int) -> list[Array]:
    """The best rows from `start` on for each rounded query, and all that are as good as the last of them."""
    import numpy as np

    # Sums of products of whole numbers below this are exact in any order: equal rows get equal scores.
    exact = 127 * 127 * queries.shape[1] < 2**24
    left = queries.astype(np.float32 if exact else np.float64)
    best = [(np.empty(0, left.dtype), np.empty(0, np.int64)) for _ in queries]
    for first in range(start, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        scores = (left @ block["values"].astype(left.dtype).T) * block["scale"]
        if live is not None:
            scores[:, ~live[first : first + BLOCK]] = -np.inf
        best = [_better(*old, new, first, limit) for old, new in zip(best, scores, strict=True)]
    return [numbers for _, numbers in best]


def _better(scores: Array, numbers: Array, new: Array, first: int, limit: int) -> tuple[Array, Array]:
    import numpy as np

    worst = scores.min() if len(scores) >= limit else -np.inf
    promising = np.flatnonzero(new >= worst if worst > -np.inf else new > worst)
    scores = np.concatenate([scores, new[promising]])
    numbers = np.concatenate([numbers, promising + first])
    if len(scores) <= limit:
        return scores, numbers
    kept = scores >= np.partition(scores, -limit)[-limit]
    return scores[kept], numbers[kept]


def cosines(rows: Array, numbers: Array, query: Array) -> dict[int, float]:
    """The cosine of each of these rows and the query as it is, to six digits; the same wherever the row stands."""
    import numpy as np

    chosen = rows[numbers]
    products = chosen["values"].astype(np.float64) * query.astype(np.float64)
    length = float(np.linalg.norm(query.astype(np.float64)))
    scores = np.round(products.sum(axis=1) * chosen["scale"] / (length or 1.0), 6)
    return dict(zip(numbers.tolist(), scores.tolist(), strict=True))
