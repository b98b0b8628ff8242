"""Which of two things that pages date came first: "A became capital before B became capital"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from veritab.quantities import Date, Quantity
from veritab.reason.hedges import holds_roughly
from veritab.reason.joined.concluding import conclude_joined
from veritab.reason.joined.moments import dated_values
from veritab.reason.programs.programs import Relation
from veritab.reason.reasoner import Reasoning
from veritab.reason.statements.amounts import parse_degree
from veritab.reason.statements.kinds import Amount
from veritab.reason.subjects import Subjects

_NUMBER = (
    r"(?:\d[\d,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)"
    r"teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ][a-z]+)?|(?:a|one|two|three) hundred)"
)
_HEDGES = r"(?:(?:more|less|fewer) than |over |under |almost |nearly |about |only |at least |exactly )*"
_ORDER = re.compile(
    rf"(?P<one>.+?)(?P<amount> {_HEDGES}{_NUMBER} years?)? "
    r"(?P<order>before|after|earlier than|later than|in the same year (?:as|that)) (?P<other>.+)",
    re.IGNORECASE,
)
_MAX_PAIRS = 9


def decide_order(claim: str, text: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answers that the dates of two clauses give."""
    found = _ORDER.fullmatch(text)
    if not found:
        return
    read = parse_degree(found["amount"] or "")
    if read is None or read[1] or (found["amount"] and not read[0]):
        return
    pairs = product(dated_values(found["one"], subjects), dated_values(found["other"], subjects))
    for one, other in islice(pairs, _MAX_PAIRS):
        holds = _compare(one.date, other.date, found["order"].lower(), read[0])
        if holds is not None and one.ids != other.ids:
            yield conclude_joined(claim, holds, f"{one.said}, {other.said}", (*one.ids, *other.ids))


def _compare(one: Date, other: Date, order: str, amount: Amount | None) -> bool | None:
    """Whether two dates are in an order; None where they are of one year, or as far apart as is said by a hair."""
    if one.year is None or other.year is None:
        return None
    if order.startswith("in the same year"):
        return one.year == other.year
    apart = other.year - one.year if order in ("before", "earlier than") else one.year - other.year
    if not apart:
        return None
    if amount is None or apart < 0:
        return apart > 0
    stated = amount.number.value
    if not isinstance(stated, Quantity) or stated.unit != "year":
        return None
    if amount.hedge:
        return holds_roughly(Quantity(apart, "year"), stated, amount.hedge)
    difference = apart - stated.value
    match amount.number.relation:
        case Relation.IS:
            return True if not difference else False if abs(difference) > 1 else None
        case Relation.ABOVE:
            return difference > 0 if abs(difference) >= 1 else None
        case Relation.BELOW:
            return difference < 0 if abs(difference) >= 1 else None
    return None
