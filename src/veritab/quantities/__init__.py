"""Numbers and dates in running text and in cells, parsed and compared in one way wherever two values meet.

`parse_quantities("rose 1.2 million km² by 9 May 1931")` gives a `Quantity` and a `Date`; two of them joined by a dash
give a `Range`, which is also what a score ("6–16") and a record ("5–3–2") look like. `agree` compares as tolerantly as
the values were written, converting units; `compare` says which is greater, `difference` and `age` by how much.
"""

from veritab.quantities.comparison import age, agree, bare_year, compare, difference
from veritab.quantities.parser import parse_numbers, parse_quantities
from veritab.quantities.types import Date, NumberOrDate, Quantity, Range
from veritab.quantities.units import convert, dimension, parse_unit

Reading = NumberOrDate
quantities = parse_quantities
readings = parse_numbers
unit_named = parse_unit

__all__ = [
    "Date",
    "NumberOrDate",
    "Quantity",
    "Range",
    "Reading",
    "age",
    "agree",
    "bare_year",
    "compare",
    "convert",
    "difference",
    "dimension",
    "parse_numbers",
    "parse_quantities",
    "parse_unit",
    "quantities",
    "readings",
    "unit_named",
]
