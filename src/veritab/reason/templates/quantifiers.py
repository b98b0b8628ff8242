"""Quantifiers: all, most, none or only some of the rows."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.programs.denotations import CellGroup
from veritab.reason.programs.programs import Every, Most, No, Only
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, split_target

_ARE = frozenset("are were include included".split())
_FORMS = (
    ("all", "every", Every),
    ("most_of", "most", Most),
    ("none", "no", No),
    ("not", "no", No),
    ("only", "only", Only),
)


def generate_quantifiers(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """What every row, most rows, no row, or only these rows meet."""
    for template, make in dict.fromkeys((template, make) for cue, template, make in _FORMS if cue in grounding.cues):
        for others, target in split_target(grounding.conditions):
            statement = make(grounding.where(others), grounding.where([target]))
            read = (CellGroup(grounding.executor.pick(grounding.rows).rows, target.column),) if make is Only else ()
            yield from grounding.build(statement, template, (*others, target), read=read)
    for listed in grounding.lists:
        rest = tuple(condition for condition in grounding.conditions if condition is not listed)
        if rest and _is_whole(grounding, listed):
            these = Only(grounding.where([listed]), grounding.where(rest))
            yield from grounding.build(these, "these", (*rest, listed))


def _is_whole(grounding: Grounding, listed: CellCondition) -> bool:
    """Whether a claim gives a list as complete: "those in Africa are A and B", "and there is no third"."""
    before = grounding.claim.before(listed.span, 2)
    return bool(grounding.cues & {"are the", "none"}) or not _ARE.isdisjoint(before)
