"""Statements made by rule from tables, true and false in equal parts: every form and many phrasings of each.

People's statements about tables seldom speak of ratios, shares or durations; without examples the ranker would not know
how such claims are worded. The tables are Wikipedia's, the sentences our own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import made_of_many as many
from benchmarks import made_of_one as one
from benchmarks.made_subject import MadeStatement, Subject, wiki_tables
from benchmarks.tabfact import Statement
from veritab.reason.tables import TypedTable

# One maker for each family: given whether it is to be true, it gives a sentence, or None where the table has none.
# Those that stand here more than once make more of their kind.
MAKERS: tuple[Callable[[Subject, bool], str | None], ...] = (
    one.lookups, one.limits, one.comparisons, one.differences, one.ratios, one.extremes, one.extremes,
    one.extreme_values, many.counts, many.counts, many.quantified, many.quantified, one.extremes_of_part,
    one.extremes_of_part, many.folds_of_part, many.folds_of_part, many.quantified_part, many.quantified_part,
    many.quantified_part, one.both_extremes, many.whole_lists, many.both_rows, many.sums, many.means, many.shares,
    many.shares_given, many.distinct_values, one.alike, one.durations, one.two_columns,
)  # fmt: skip


def made_statements(data: Path, most: int, seed: int = 0) -> Iterator[Statement]:
    """So many statements about Wikipedia's tables, one of each family in turn, as many true as false."""
    chance = random.Random(seed)
    ids = sorted(wiki_tables(data))
    chance.shuffle(ids)
    made: Counter[tuple[int, bool]] = Counter()
    each = most // (2 * len(MAKERS)) + 1
    for id in ids:
        subject = Subject(TypedTable.of(wiki_tables(data)[id]), chance)
        if not subject.usable:
            continue
        for place, maker in enumerate(MAKERS):
            true = made[place, True] <= made[place, False]
            text = maker(subject, true) if made[place, true] < each else None
            if text:
                made[place, true] += 1
                yield MadeStatement(text, true, id, data)
        if made.total() >= most:
            return
