"""The claim speaks of all, most, none or only some of the rows."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.conditions import Condition
from veritab.reason.programs.answers import Block
from veritab.reason.programs.programs import Every, Most, No, Only
from veritab.reason.templates.reading import Candidate, Reading, splits

_ARE = frozenset("are were include included".split())
_FORMS = (
    ("all", "every", Every),
    ("most_of", "most", Most),
    ("none", "no", No),
    ("not", "no", No),
    ("only", "only", Only),
)


def quantified(reading: Reading) -> Iterator[Candidate]:
    """What every row, most rows, no row, or only these rows meet."""
    for form, make in dict.fromkeys((form, make) for sign, form, make in _FORMS if sign in reading.signs):
        for others, target in splits(reading.conditions):
            statement = make(reading.where(others), reading.where([target]))
            read = (Block(reading.machine.pick(reading.rows).rows, target.column),) if make is Only else ()
            yield from reading.made(statement, form, (*others, target), read=read)
    for listed in reading.lists:
        rest = tuple(condition for condition in reading.conditions if condition is not listed)
        if rest and _is_whole(reading, listed):
            these = Only(reading.where([listed]), reading.where(rest))
            yield from reading.made(these, "these", (*rest, listed))


def _is_whole(reading: Reading, listed: Condition) -> bool:
    """Whether a claim says that a list has all there are: "those in Africa are A and B", "and there is no third"."""
    before = reading.asked.before(listed.span, 2)
    return bool(reading.signs & {"are the", "none"}) or not _ARE.isdisjoint(before)
