"""Tables without the row that sums up their others: "All specialties", "Whole school", "Total spending"."""

from __future__ import annotations

import re

from veritab.quantities import Quantity
from veritab.reason.tables import ColumnType, TypedTable

SUMMING = re.compile(r"(?:both|all|combined|together|overall|total|whole|entire)\b(?!-)(?! \w+ \w+ \w+)", re.IGNORECASE)
_ROUNDING = 0.005
_MIN_ROWS = 3


def leave_out_sum(table: TypedTable) -> TypedTable | None:
    """The table without its one row that has the name of all others and their sum; None where it has no such row."""
    key = table.key
    if key is None or table.height <= _MIN_ROWS:
        return None
    named = [row for row, text in enumerate(table.columns[key].texts) if SUMMING.match(text)]
    if len(named) != 1 or not _adds_up(table, named[0]):
        return None
    return table.without_row(named[0])


def _adds_up(table: TypedTable, total: int) -> bool:
    """Whether in some column the row has the sum of all others."""
    for column in table.columns:
        known = {row: value.value for row, value in enumerate(column.values) if isinstance(value, Quantity)}
        whole = known.pop(total, 0.0)
        if column.type is ColumnType.NUMBER and whole > 0 and abs(sum(known.values()) - whole) <= _ROUNDING * whole:
            return True
    return False
