"""Counts that are said to be equal: "A wrote as many symphonies as B", "A and B have the same number of letters"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from veritab.quantities import Date, Quantity, dimension
from veritab.reason.joined.concluding import conclude_joined
from veritab.reason.reasoner import Reasoning
from veritab.reason.statements.amounts import name_noun
from veritab.reason.subjects import Subjects, SubjectValue, name_attribute
from veritab.text import stem

_HAVING = (
    r"(?P<verb>has|have|had|wrote|composed|won|scored|made|hosted|got|received|sold|employs|employed|counts|contains|"
    r"uses|published|recorded|owns|runs)"
)
_EQUAL = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<one>.+?) {_HAVING} (?P<exactly>exactly |just )?as many (?P<noun>[\w -]+?) as (?P<other>.+?)"
        r"(?: does| did| has| had)?",
        rf"(?P<one>.+?) {_HAVING} (?P<exactly>exactly |the )(?:the )?same number of (?P<noun>[\w -]+?) as"
        r" (?P<other>.+?)(?: does| did| has| had)?",
        rf"(?P<one>.+?) and (?P<other>.+?) (?:both )?{_HAVING} (?P<exactly>exactly |the )(?:the )?same number of"
        r" (?P<noun>[\w -]+)",
    )
)
_OWNED = re.compile(
    r"the (?P<noun>\w+)s of (?P<one>.+?) and (?P<other>.+?) (?:were |was )?(?P<verb>opened|built|founded|completed)"
    r" in (?P<same>the same|different) years?",
    re.IGNORECASE,
)
_CONTESTS = frozenset(map(stem, "games matches races fights sets rounds tournaments elections starts".split()))
"""What is counted whether it is won or not."""
_MAX_PAIRS = 9


def decide_counts(claim: str, text: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answers that two counts, or two years of one thing in two places, give."""
    for pattern in _EQUAL:
        if found := pattern.fullmatch(text):
            if found["verb"].lower() == "won" and stem(found["noun"].split()[-1]) in _CONTESTS:
                return
            attributes = {name_noun(found["noun"]), name_attribute(f"number of {found['noun']}")}
            for one, other in _pairs(subjects, found, attributes):
                yield from _compare(claim, one, other, exactly=bool(found["exactly"]))
    if found := _OWNED.fullmatch(text):
        header = {stem(found["noun"]), stem(found["verb"])}
        for one, other in _pairs(subjects, found, {" ".join(sorted(header))}):
            first, second = one.read("opened"), other.read("opened")
            if isinstance(first, Date) and isinstance(second, Date) and first.year and second.year:
                same = (first.year == second.year) is (found["same"].lower() == "the same")
                yield conclude_joined(claim, same, _say(one, other), (*one.ids, *other.ids))


def _pairs(
    subjects: Subjects, found: re.Match[str], attributes: set[str]
) -> Iterator[tuple[SubjectValue, SubjectValue]]:
    values = (
        [value for value in subjects.values(found[name]) if value.attribute in attributes] for name in ("one", "other")
    )
    pairs = (pair for pair in product(*values) if pair[0].subject != pair[1].subject)
    return ((one, other) for one, other in islice(pairs, _MAX_PAIRS))


def _compare(claim: str, one: SubjectValue, other: SubjectValue, *, exactly: bool) -> Iterator[Reasoning]:
    first, second = one.read(), other.read()
    if not isinstance(first, Quantity) or not isinstance(second, Quantity):
        return
    if dimension(first.unit) != dimension(second.unit) or (first.value > second.value and not exactly):
        return
    yield conclude_joined(claim, first.value == second.value, _say(one, other), (*one.ids, *other.ids))


def _say(one: SubjectValue, other: SubjectValue) -> str:
    return f"{one.header} of {one.subject} = {one.text}, of {other.subject} = {other.text}"
