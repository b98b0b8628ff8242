"""How Veritab reads numbers and dates, in running text and in cells: one reader, used wherever two values are compared.

`quantities("rose 1.2 million km² by 9 May 1931")` gives a `Quantity` and a `Date`; two of them joined by a dash give a
`Range`, which is also what a score ("6–16") and a record ("5–3–2") look like. `agree` compares readings as tolerantly
as they were written, converting units; `compare` says which is greater, `difference` and `age` by how much.
"""

from veritab.quantities.order import age, agree, bare_year, compare, difference
from veritab.quantities.reader import quantities, readings
from veritab.quantities.units import convert, dimension, unit_named
from veritab.quantities.values import Date, Quantity, Range, Reading

__all__ = [
    "Date",
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
    "quantities",
    "readings",
    "unit_named",
]
