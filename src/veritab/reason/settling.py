"""Whether a computed value is what a claim says, taken as exactly as the claim says it."""

from __future__ import annotations

from dataclasses import replace

from veritab.quantities import Date, Quantity, Reading, convert, dimension
from veritab.reason.hedges import holds_roughly, is_slight
from veritab.reason.programs.programs import Is, Literal, Relation
from veritab.reason.statements.kinds import Amount

_FACTOR_HOLDS, _FACTOR_FAILS = 0.05, 0.15
"""How far from "twice" a factor may be, as a share of it, and from where on it is not twice."""


def as_decided(program: Is, value: object, holds: bool) -> Is:
    """A program whose rough number is as rough as the answer takes it to be."""
    stated = program.other.term if isinstance(program.other, Literal) else None
    if not holds or not isinstance(value, Quantity) or not isinstance(stated, Quantity):
        return program
    converted = convert(value, stated.unit) if value.unit and stated.unit else value
    if converted is None or program.relation is not Relation.IS:
        return program
    step = max(stated.step, 2.01 * abs(converted.value - stated.value))
    return replace(program, other=Literal(replace(stated, step=step)))


def meets(value: object, amount: Amount, exactly: bool | None) -> bool | None:
    """Whether a computed value is the amount that a claim gives."""
    stated = amount.number.value
    if not isinstance(value, Quantity) or not isinstance(stated, Quantity) or exactly is None:
        return None
    if amount.number.relation is not Relation.IS:
        return settle_limit(exactly, value, amount)
    if amount.hedge:
        return holds_roughly(value, stated, amount.hedge)
    if amount.is_factor:
        apart = abs(value.value / stated.value - 1)
        return True if apart <= _FACTOR_HOLDS else False if apart >= _FACTOR_FAILS else None
    return exactly


def settle_limit(holds: bool, value: Quantity, amount: Amount) -> bool | None:
    """The answer to a limit; one that is only slightly passed must not be passed by far."""
    stated = amount.number.value
    if not amount.slight or not holds or not isinstance(stated, Quantity):
        return holds
    return is_slight(value, stated)


def by_calendar(holds: bool | None, amount: Amount, later: Date, earlier: Date) -> bool | None:
    """Nothing is said where years counted by the calendar and by days differ: from late 1867 to early 1879."""
    stated = amount.number.value
    if holds is not False or not isinstance(stated, Quantity) or stated.unit != "year":
        return holds
    if later.year is None or earlier.year is None or amount.number.relation is not Relation.IS:
        return holds
    return None if later.year - earlier.year == stated.value else holds


def comparable(one: Reading, other: Reading) -> bool:
    """Whether two values can be compared: both dates, or numbers of one dimension."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return dimension(one.unit) == dimension(other.unit)
    return isinstance(one, Date) and isinstance(other, Date)


def can_differ_by(amount: Reading, value: Reading) -> bool:
    """Whether an amount can be the difference of such values: days of dates, but not seconds of plain numbers."""
    if not isinstance(amount, Quantity) or isinstance(value, Date):
        return isinstance(amount, Quantity) and dimension(amount.unit) == "time"
    return not amount.unit or dimension(amount.unit) == dimension(value.unit)
