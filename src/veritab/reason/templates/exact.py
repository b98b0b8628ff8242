"""Constructions that ask for one computation and no other: all but two, by a third, from the highest to the lowest.

Their words leave no choice between programs, so that the ranker, which was fitted without them, is not asked: whoever
wants a program that accounts for the whole claim tries these first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veritab.lexicon.accounting import HEDGES, LEVEL_STEMS, PERIOD_END_STEMS, PERIOD_START_STEMS, RELATING_STEMS
from veritab.lexicon.comparison import FELL, ROSE, direction, is_comparative, is_superlative
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.numbers import DENOMINATORS, NUMERATORS
from veritab.quantities import Date, Quantity, dimension
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.conditions import CellCondition, CellConditions, has_clash, make_condition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Count,
    Except,
    Is,
    Literal,
    Of,
    Percentage,
    Ratio,
    Relation,
    Some,
    Subtraction,
    Top,
    ValueProgram,
    Where,
)
from veritab.reason.programs.values import Term
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, as_count, split_target
from veritab.text import Span, stems

_BUT = frozenset({"but", "except", "bar"})
_WHOLE = frozenset({"all", "every", "each"})
_ONLY = frozenset({("only",), ("just",)})
_HALF, _ALL = 50.0, 100.0
_MAX_PAIRS = 4
_WHOLE_HEADER = 2
_MORE = {"more": 1, "fewer": -1, "less": -1}


def generate_exact(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """The programs of constructions that mean nothing else."""
    yield from _all_but(grounding)
    yield from _only_so_many(grounding)
    yield from _from_highest_to_lowest(grounding)
    yield from _by_a_share(grounding)
    yield from _by_a_share_more(grounding)
    yield from _by_an_amount(grounding)
    yield from _apart_in_number(grounding)
    yield from _columns_apart(grounding)
    yield from _than_the_rest(grounding)
    yield from _than_the_next(grounding)
    yield from _several_together(grounding)
    yield from _named_twice(grounding)
    yield from _in_full(grounding)
    yield from _differ_by(grounding)
    yield from _time_between(grounding)
    yield from _winning_margin(grounding)
    yield from _from_to(grounding)
    yield from _share_of_a_row(grounding)
    yield from _share_of_rows(grounding)


def asks_exactly(claim: ParsedClaim) -> bool:
    """Whether a claim may have such a construction."""
    return bool(
        all_but(claim)
        or only_so_many(claim)
        or extremes_apart(claim)
        or (claim.numbers and changes(claim))
        or than_the_rest(claim)
        or several_together(claim)
        or any(map(is_superlative, claim.stems))
        or claim.ranges
        or any(isinstance(number.value, Quantity) and number.value.unit == "%" for number in claim.numbers)
        or not _WHOLE.isdisjoint(claim.stems)
        or not (_PASSING | _WINNING | _DIFFERING).isdisjoint(claim.stems)
        or (len({"as", "than"} & {*claim.stems}) and (claim.multiples or claim.numbers))
    )


# -- all but one -------------------------------------------------------------------------------------------


def all_but(claim: ParsedClaim) -> StatedNumber | None:
    """The number of "all but two", "every runner but one", "all except three"."""
    for place, stem in enumerate(claim.stems):
        after = place + 2 if claim.stems[place + 1 : place + 2] == ("for",) else place + 1
        if stem not in _BUT or _WHOLE.isdisjoint(claim.stems[max(place - 3, 0) : place]):
            continue
        if claim.stems[after : after + 1] == ("one",):
            return StatedNumber(Quantity(1.0), (after, after + 1))
        for number in claim.numbers:
            if number.span[0] == after and as_count(number) is not None:
                return number
    return None


def _all_but(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How many rows do not meet what all the others do."""
    number = all_but(grounding.claim)
    if not number:
        return
    conditions = tuple(c for c in grounding.conditions if c.span != number.span)
    for others, target in split_target(conditions):
        if len(others) + 1 < len(conditions):
            continue
        scope = grounding.where(others)
        missing = Subtraction(Count(scope), Count(grounding.where([target], scope)))
        statement = Is(missing, number.relation, Literal(number.value))
        yield from grounding.build(statement, "all but", (*others, target), (), number)


# -- only two ----------------------------------------------------------------------------------------------


def only_so_many(claim: ParsedClaim) -> StatedNumber | None:
    """The number of "only two mountains", "just three of the sites", of things and not of a measure."""
    for number in claim.numbers:
        size, after = as_count(number), range(number.span[1], len(claim.stems))
        if not size or size < 2 or number.relation is not Relation.IS or claim.before(number.span, 1) not in _ONLY:
            continue
        if claim.stems[number.span[1] : number.span[1] + 1] == ("of",) or any(
            claim.is_plural(place) for place in claim.noun_phrase(after.start)
        ):
            return number
    return None


def _only_so_many(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How many rows meet all that the claim says of them."""
    number = only_so_many(grounding.claim)
    used = tuple(c for c in grounding.conditions if number and c.span != number.span)
    if not number or not used or has_clash(used) or len(used) != len(grounding.conditions):
        return
    statement = Is(Count(grounding.where(used)), Relation.IS, Literal(number.value))
    yield from grounding.build(statement, "count", used, (), number)


# -- from the highest to the lowest ------------------------------------------------------------------------


def extremes_apart(claim: ParsedClaim) -> tuple[int, int] | None:
    """The positions of two superlatives that are set against each other, the one of the highest first."""
    found = [place for place, stem in enumerate(claim.stems) if is_superlative(stem)]
    said = {*claim.stems}
    apart = not said.isdisjoint(("difference", "gap", "range", "spread", "separate", "apart"))
    compared = "than" in said and any(map(is_comparative, claim.stems))
    if len(found) != 2 or not (apart or compared or claim.multiples):
        return None
    one, other = (direction(claim.stems[place], "age") for place in found)
    if one * other != -1:
        return None
    return (found[0], found[1]) if one > 0 else (found[1], found[0])


def _from_highest_to_lowest(grounding: Grounding) -> Iterator[ProgramCandidate]:
    if not extremes_apart(grounding.claim):
        return
    for column in grounding.ordered:
        if grounding.links.table.columns[column].type is not ColumnType.NUMBER:
            continue
        numbers = [n for n in grounding.claim.numbers if isinstance(n.value, Quantity) and not n.value.ordinal]
        spans = {number.span for number in numbers}
        others = tuple(c for c in grounding.conditions_beyond(column) if c.span not in spans)
        rows = grounding.where(others)
        high, low = (Aggregate(each, column, rows) for each in (Aggregation.HIGHEST, Aggregation.LOWEST))
        fitting = [number for number in numbers if grounding.can_be_value(number, column)]
        # Six times the smallest is no difference of six.
        for number in fitting if len(numbers) == 1 and not grounding.claim.multiples else ():
            statement = Is(Subtraction(high, low), number.relation, Literal(number.value))
            yield from grounding.build(statement, "spread", others, (column,), number)
        for times in grounding.claim.multiples[:1]:
            ratio = Is(Ratio(high, low), times.relation, Literal(times.value))
            yield from grounding.build(ratio, "spread", others, (column,), times)


# -- by a third --------------------------------------------------------------------------------------------


def changes(claim: ParsedClaim) -> int:
    """1 where a claim says that something rose, -1 where it fell, 0 where neither or both."""
    up = any(stem in ROSE or stem in _RISING for stem in claim.stems)
    down = any(stem in FELL or stem in _FALLING for stem in claim.stems)
    return up - down


_CHANGE_REACH = 5
_WAYS = frozenset({"up", "down"})
_RISING = frozenset({"increase", "rise", "growth", "up"})
_FALLING = frozenset({"decrease", "drop", "decline", "down"})
_CHANGE_WORDS = ROSE | FELL | _RISING | _FALLING


def stated_share(claim: ParsedClaim) -> StatedNumber | None:
    """By what percentage something changed: "by a third", "by 25 %", "a growth of 25 %", "went up about 25 %"."""
    for number in claim.numbers:
        if isinstance(number.value, Quantity) and number.value.unit == "%" and _follows_change(claim, number):
            return number
    for place, stem in enumerate(claim.stems):
        if stem != "by":
            continue
        start = place + 1
        while start < len(claim.stems) and start <= place + 4:
            found = _fraction_at(claim, start)
            if found:
                return found
            start += 1
    return None


def _follows_change(claim: ParsedClaim, number: StatedNumber) -> bool:
    """Whether nothing but a limit, a hedge or an "of" stands between a verb or noun of change and a percentage."""
    place = number.span[0] - 1
    while place > 0 and claim.stems[place] in RELATING_STEMS | HEDGES | {"of"} and claim.stems[place] not in _WAYS:
        place -= 1
    return claim.stems[place] in _CHANGE_WORDS and "to" not in claim.stems[place : number.span[0]]


def _fraction_at(claim: ParsedClaim, place: int) -> StatedNumber | None:
    stems = claim.stems
    for number in claim.numbers:
        if number.span[0] == place and isinstance(number.value, Quantity) and number.value.unit == "%":
            return number
    if stems[place] == "half":
        return _share_of(claim, (place, place + 1), _HALF)
    numerator = NUMERATORS.get(stems[place])
    denominator = DENOMINATORS.get(stems[place + 1]) if place + 1 < len(stems) else None
    if numerator and denominator and numerator < denominator:
        return _share_of(claim, (place, place + 2), 100 * numerator / denominator)
    return None


def _share_of(claim: ParsedClaim, span: Span, percent: float) -> StatedNumber:
    return StatedNumber(Quantity(percent, "%", step=0.1 * percent), span, claim.relation_at(span))


def _by_a_share(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By what share of its first value something rose or fell, between two columns or two rows."""
    share, up = stated_share(grounding.claim), changes(grounding.claim)
    if not share or not up:
        return
    for first, last, used, columns in _changes(grounding, share):
        change = Subtraction(last, first) if up > 0 else Subtraction(first, last)
        statement = Is(Percentage(change, first), share.relation, Literal(share.value))
        yield from grounding.build(statement, "change", used, columns, share)


def _by_a_share_more(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By what share one column or row has more than another: "14 percent higher in 2023 than in 2019"."""
    claim = grounding.claim
    if claim.stems.count("than") != 1:
        return
    than = claim.stems.index("than")
    for number in claim.numbers:
        compared = claim.stems[number.span[1] : number.span[1] + 1]
        percent = isinstance(number.value, Quantity) and number.value.unit == "%"
        if not percent or not compared or not is_comparative(compared[0]):
            continue
        for one, other, used, columns in (
            *_columns_around(grounding, than, number),
            *_rows_around(grounding, than, number),
        ):
            if any(grounding.links.table.columns[each].unit == "%" for each in columns):
                continue  # Five percent more of a share may be five points.
            up = direction(compared[0], "number")
            change = Subtraction(one, other) if up > 0 else Subtraction(other, one)
            statement = Is(Percentage(change, other), number.relation, Literal(number.value))
            yield from grounding.build(statement, "change", used, columns, number)


def _columns_around(
    grounding: Grounding, than: int, number: StatedNumber
) -> Iterator[tuple[ValueProgram, ValueProgram, CellConditions, tuple[int, ...]]]:
    """What a row has in two columns, one named before "than" and one after it."""
    mentions = grounding.links.header_mentions
    for column in grounding.links.table.columns:
        if not isinstance(column, DerivedColumn) or column.lasts:
            continue
        start, end = (mentions.own_position(a, b) for a, b in _both_ways(column))
        if start is None or end is None or (start < than) is (end < than):
            continue
        first, second = (column.start, column.end) if start < than else (column.end, column.start)
        ends = (column.start.number, column.end.number)
        used = tuple(
            c for c in grounding.conditions if c.column not in (column.number, *ends) and c.span != number.span
        )
        if used and not has_clash(used):
            rows = grounding.where(used)
            yield Of(first.number, rows), Of(second.number, rows), used, ends


def _rows_around(
    grounding: Grounding, than: int, number: StatedNumber
) -> Iterator[tuple[ValueProgram, ValueProgram, CellConditions, tuple[int, ...]]]:
    """What two rows have in a column, one named before "than" and one after it."""
    named = [c for c in grounding.conditions if not c.others and len(c.rows) == 1 and c.span != number.span]
    named = [replace(c, relation=Relation.IS) if isinstance(c.term, Date) else c for c in named]
    pairs = [
        (one, other)
        for one in named
        for other in named
        if one.column == other.column and one.span[1] <= than < other.span[0] and one.rows.isdisjoint(other.rows)
    ]
    for one, other in pairs[:_MAX_PAIRS]:
        for column in grounding.ordered:
            if column != one.column and grounding.links.table.columns[column].type is ColumnType.NUMBER:
                left, right = (Of(column, grounding.where([each])) for each in (one, other))
                yield left, right, (one, other), (column,)


def _by_an_amount(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By how much something rose or fell between two columns or two rows: "lost about 60,000 inhabitants"."""
    up = changes(grounding.claim)
    if not up or stated_share(grounding.claim) or grounding.claim.multiples:
        return
    amounts = [n for n in grounding.claim.numbers if _can_change_by(grounding.claim, n)]
    for number in map(grounding.links.number_links.scaled, amounts if len(amounts) == 1 else ()):
        for first, last, used, columns in _changes(grounding, number):
            if grounding.can_be_value(number, columns[-1]):
                change = Subtraction(last, first) if up > 0 else Subtraction(first, last)
                statement = Is(change, number.relation, Literal(number.value))
                yield from grounding.build(statement, "change", used, columns, number)


def _can_change_by(claim: ParsedClaim, number: StatedNumber) -> bool:
    """Whether a number follows its verb: "rose by five", "lost some 60,000 people"."""
    before = frozenset(claim.before(number.span, _CHANGE_REACH))
    is_amount = isinstance(number.value, Quantity) and not number.value.ordinal
    return is_amount and not before.isdisjoint(ROSE | FELL | _RISING | _FALLING)


def _changes(
    grounding: Grounding, share: StatedNumber
) -> Iterator[tuple[ValueProgram, ValueProgram, CellConditions, tuple[int, ...]]]:
    """The values before and after, with the conditions and columns that name them."""
    taken = range(*share.span)
    conditions = tuple(c for c in grounding.conditions if not set(taken) & set(range(*c.span)))
    for column in grounding.links.table.columns:
        if isinstance(column, DerivedColumn) and not column.lasts:
            ends = (column.start.number, column.end.number)
            used = tuple(c for c in conditions if c.column not in (column.number, *ends))
            if has_clash(used):
                continue
            rows = grounding.where(used)
            yield Of(ends[0], rows), Of(ends[1], rows), used, ends
    for one, other in _years_in_rows(grounding, conditions):
        rest = tuple(c for c in conditions if c.column != one.column)
        for number in grounding.ordered:
            if number != one.column and grounding.links.table.columns[number].type is ColumnType.NUMBER:
                before, after = (Of(number, grounding.where((each, *rest))) for each in (one, other))
                yield before, after, (one, other, *rest), (number,)


def _years_in_rows(grounding: Grounding, conditions: CellConditions) -> Iterator[tuple[CellCondition, CellCondition]]:
    """Two rows that are named by their years, the earlier first."""
    dated = [
        c
        for c in conditions
        if grounding.links.table.columns[c.column].type is ColumnType.DATE and not c.is_limit and len(c.rows) == 1
    ]
    if len(dated) == 2 and dated[0].column == dated[1].column:
        keys = grounding.executor.keys(dated[0].column)
        first, second = sorted(dated, key=lambda each: keys[min(each.rows)] or 0.0)
        yield first, second


# -- counts set against each other -------------------------------------------------------------------------


def _apart_in_number(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How many more rows, or how many times as many, meet one condition than another."""
    conditions = [c for c in grounding.conditions if not c.is_limit and isinstance(c.term, str) and not c.others]
    pairs = [
        (one, other)
        for place, one in enumerate(conditions)
        for other in conditions[place + 1 :]
        if one.column == other.column and one.rows.isdisjoint(other.rows) and one.rows and other.rows
    ]
    for one, other in pairs[:_MAX_PAIRS]:
        rest = tuple(c for c in grounding.conditions if c not in (one, other))
        first, second = (Count(grounding.where((each, *rest))) for each in (one, other))
        used = (one, other, *rest)
        for times in grounding.claim.multiples[:1]:
            ratio = Is(Ratio(first, second), times.relation, Literal(times.value))
            yield from grounding.build(ratio, "count ratio", used, (), times)
        for number in grounding.free_numbers[:1]:
            more = _more_than(grounding.claim, number)
            if more and as_count(number) is not None:
                apart = Subtraction(first, second) if more > 0 else Subtraction(second, first)
                statement = Is(apart, number.relation, Literal(number.value))
                yield from grounding.build(statement, "count difference", used, (), number)


def _columns_apart(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By how much one row has more in one column than in another: "20 fewer chairs in May than in April"."""
    than = [place for place, stem in enumerate(grounding.claim.stems) if stem == "than"]
    if len(than) != 1:
        return
    mentions = grounding.links.header_mentions
    for column in grounding.links.table.columns:
        if not isinstance(column, DerivedColumn) or column.lasts:
            continue
        start, end = (mentions.own_position(a, b) for a, b in _both_ways(column))
        if start is None or end is None or (start < than[0]) is (end < than[0]):
            continue
        first, second = (column.start, column.end) if start < than[0] else (column.end, column.start)
        ends = (column.start.number, column.end.number)
        for number in grounding.free_numbers[:1]:
            more = _more_than(grounding.claim, number)
            used = tuple(c for c in grounding.conditions if c.column not in (column.number, *ends))
            one, other = (Of(each.number, grounding.where(used)) for each in (first, second))
            apart = Subtraction(one, other) if more > 0 else Subtraction(other, one)
            if more and not has_clash(used):
                statement = Is(apart, number.relation, Literal(number.value))
                yield from grounding.build(statement, "column difference", used, ends, number)


# -- one against all the others together -------------------------------------------------------------------

_REST = frozenset({"other", "rest", "rival", "remaining"})
_TOGETHER = frozenset({"combined", "together"})


def than_the_rest(claim: ParsedClaim) -> int | None:
    """The position of the "than" of "more than all the others combined"."""
    if claim.stems.count("than") != 1:
        return None
    than = claim.stems.index("than")
    after = frozenset(claim.stems[than:])
    return than if after & _REST and after & _TOGETHER else None


def _than_the_rest(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether one row has more than all the other rows together."""
    than = than_the_rest(grounding.claim)
    named = [c for c in grounding.conditions if not c.is_limit and not c.others and isinstance(c.term, str)]
    if than is None or len(named) != 1 or named[0].span[1] > than or len(named[0].rows) != 1:
        return
    (one,) = named
    compared = [stem for stem in grounding.claim.stems[:than] if is_comparative(stem)]
    sizes = {as_count(number) for number in grounding.claim.numbers if number.span[0] > than} - {None}
    if not compared or not sizes <= {grounding.links.table.height - 1}:
        return
    for column in grounding.ordered:
        if grounding.links.table.columns[column].type is not ColumnType.NUMBER:
            continue
        rest = Aggregate(Aggregation.SUM, column, Except(All(), grounding.where([one])))
        relation = Relation.ABOVE if direction(compared[-1], "number") > 0 else Relation.BELOW
        statement = Is(Of(column, grounding.where([one])), relation, rest)
        yield from grounding.build(statement, "compare rest", (one,), (column,), detail=relation.value)


def _than_the_next(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether the first row has more than the next few together: "more than the next three combined"."""
    claim = grounding.claim
    named = [c for c in grounding.conditions if not c.is_limit and not c.others and isinstance(c.term, str)]
    sizes = [number for number in claim.numbers if claim.before(number.span, 1) == ("next",)]
    size = as_count(sizes[0]) if len(sizes) == 1 else None
    if not size or _TOGETHER.isdisjoint(claim.stems) or claim.stems.count("than") != 1 or len(named) != 1:
        return
    (one,) = named
    than = claim.stems.index("than")
    compared = [stem for stem in claim.stems[:than] if is_comparative(stem)]
    if len(one.rows) != 1 or one.span[1] > than or not compared or direction(compared[-1], "number") <= 0:
        return
    for column in grounding.ordered:
        first = grounding.executor.pick(Top(All(), column, True)).rows
        if grounding.links.table.columns[column].type is not ColumnType.NUMBER or set(first) != set(one.rows):
            continue
        following = Except(Best(All(), column, True, size + 1), grounding.where([one]))
        several = Aggregate(Aggregation.SUM, column, following)
        statement = Is(Of(column, grounding.where([one])), Relation.ABOVE, several)
        yield from grounding.build(statement, "compare rest", (one,), (column,), sizes[0], "above")


_SEVERAL = frozenset({"together", "combined", "altogether"})


def several_together(claim: ParsedClaim) -> bool:
    """Whether a claim sets several things together against another: "A and B together have less than C"."""
    return claim.stems.count("than") == 1 and not _SEVERAL.isdisjoint(claim.stems)


def _several_together(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether several rows have more or less together than another one, on whichever side of "than" they are."""
    if not several_together(grounding.claim) or len(grounding.conditions) != 2:
        return
    than = grounding.claim.stems.index("than")
    one, other = sorted(grounding.conditions, key=lambda each: each.span)
    sizes = [len(each.rows) for each in (one, other)]
    if one.span[1] > than or other.span[0] <= than or sorted(sizes)[0] != 1 or max(sizes) < 2 or one.rows & other.rows:
        return
    several, place = (one, than) if sizes[0] > 1 else (other, len(grounding.claim.stems))
    # Of "A than B and C together", the first is no side of its own.
    said = [p for p, stem in enumerate(grounding.claim.stems) if stem in _SEVERAL]
    if any(c.is_limit or not isinstance(c.term, str) for c in (one, other)) or not several.span[0] <= said[0] < place:
        return
    counts = {as_count(n) for n in grounding.claim.numbers if several.span[0] - 2 <= n.span[0] < several.span[1]}
    if not counts <= {len(several.rows), None}:
        return
    for column in grounding.ordered:
        if not _can_add(grounding.links.table.columns[column]):
            continue
        sides = [
            Aggregate(Aggregation.SUM, column, grounding.where([each]))
            if each is several
            else Of(column, grounding.where([each]))
            for each in (one, other)
        ]
        for relation in (Relation.ABOVE, Relation.BELOW):
            statement = Is(sides[0], relation, sides[1])
            yield from grounding.build(statement, "compare sum", (one, other), (column,), detail=relation.value)


def _can_add(column: Column) -> bool:
    """Whether the numbers of a column are amounts that add up, and no averages, rates or years."""
    words = frozenset(stems(column.name))
    return column.type is ColumnType.NUMBER and column.unit not in ("°C", "°F") and words.isdisjoint(LEVEL_STEMS)


# -- how far two rows are apart ----------------------------------------------------------------------------

_DIFFERING = frozenset({"differ", "differed"})
_PASSING = frozenset({"passed", "elapsed", "lay"})
_FINAL = frozenset({"finish", "final", "total", "overall", "result"})
_WINNING = frozenset({"win", "won", "victory"})


def _differ_by(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By how much two rows differ, whichever of them has more: "Titania and Oberon differ by 54 km"."""
    named = [c for c in grounding.conditions if not c.others and not c.is_limit and len(c.rows) == 1]
    if _DIFFERING.isdisjoint(grounding.claim.stems) or len(named) != 2 or len(named) != len(grounding.conditions):
        return
    one, other = named
    numbers = grounding.free_numbers
    if one.column != other.column or one.rows == other.rows or len(numbers) != 1:
        return
    for column in grounding.ordered:
        typed = grounding.links.table.columns[column]
        if typed.type is not ColumnType.NUMBER or not grounding.can_be_value(numbers[0], column):
            continue
        keys = grounding.executor.keys(column)
        less, more = sorted(named, key=lambda each: keys[min(each.rows)] or 0.0)
        apart = Subtraction(Of(column, grounding.where([more])), Of(column, grounding.where([less])))
        statement = Is(apart, numbers[0].relation, Literal(numbers[0].value))
        yield from grounding.build(statement, "difference", (more, less), (column,), numbers[0], "above")


def _time_between(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How long it was from one row's date to another's: "two months passed between A and B"."""
    if _PASSING.isdisjoint(grounding.claim.stems) or "between" not in grounding.claim.stems:
        return
    named = [c for c in grounding.conditions if not c.others and not c.is_limit and len(c.rows) == 1]
    dates = [column.number for column in grounding.links.table.columns if column.type is ColumnType.DATE]
    numbers = [n for n in grounding.free_numbers if isinstance(n.value, Quantity) and dimension(n.value.unit) == "time"]
    if len(named) != 2 or len(named) != len(grounding.conditions) or len(numbers) != 1 or len(dates) != 1:
        return
    (column,) = dates
    keys = grounding.executor.keys(column)
    first, second = sorted(named, key=lambda each: keys[min(each.rows)] or 0.0)
    if first.column != second.column or first.rows == second.rows:
        return
    apart = Subtraction(Of(column, grounding.where([second])), Of(column, grounding.where([first])))
    statement = Is(apart, numbers[0].relation, Literal(numbers[0].value))
    yield from grounding.build(statement, "time between", (first, second), (column,), numbers[0])


def _winning_margin(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """By how much the first row of those in question is ahead of the next one: "won by 85 seconds"."""
    claim = grounding.claim
    numbers = [n for n in grounding.free_numbers if claim.before(n.span, 1) == ("by",)]
    if len(numbers) != 1 or _WINNING.isdisjoint(claim.stems):
        return
    for others, winner in split_target(grounding.conditions):
        if len(others) + 1 < len(grounding.conditions) or len(winner.rows) != 1 or any(c.is_limit for c in others):
            continue
        for column in _final_columns(grounding, numbers[0]):
            highest = dimension(grounding.links.table.columns[column].unit) != "time"
            scope = grounding.where(others)
            if set(grounding.executor.pick(Top(scope, column, highest)).rows) != set(winner.rows):
                continue
            one, other = Of(column, grounding.where([winner])), Of(column, Top(scope, column, highest, 2))
            apart = Subtraction(one, other) if highest else Subtraction(other, one)
            statement = Is(apart, numbers[0].relation, Literal(numbers[0].value))
            yield from grounding.build(statement, "margin", (*others, winner), (column,), numbers[0])


def _final_columns(grounding: Grounding, number: StatedNumber) -> list[int]:
    """The one column by which something is won, if it is clear which: the only one of its measure, or the final one."""
    fitting = [
        column
        for column in grounding.links.table.columns
        if column.type is ColumnType.NUMBER and grounding.can_be_value(number, column.number)
    ]
    measured = [column for column in fitting if column.unit and not isinstance(column, DerivedColumn)]
    final = [column for column in measured if not _FINAL.isdisjoint(stems(column.name))] or measured
    return [column.number for column in final] if len(final) == 1 else []


def _from_to(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a row lasts from one date to another: "was president from 1962 to 1964"."""
    ends = _period_columns(grounding)
    dated = [ends for ends in grounding.claim.ranges if all(isinstance(_number_at(grounding, e), Date) for e in ends)]
    if ends is None or len(dated) != 1:
        return
    spans = dated[0]
    named = tuple(c for c in grounding.conditions if c.span not in spans and c.column not in ends)
    rows = [c.rows for c in named]
    if not named or any(c.is_limit or c.others for c in named) or len(frozenset.intersection(*rows)) != 1:
        return
    both = [
        make_condition(
            grounding.links.header_mentions,
            grounding.executor,
            span,
            column,
            Relation.IS,
            _number_at(grounding, span),
            1.0,
        )
        for span, column in zip(spans, ends, strict=True)
    ]
    one, other = (Some(grounding.where((*named, each))) for each in both)
    within = grounding.claim.before(spans[0], 1) == ("between",)
    for candidate in grounding.build(And(one, other), "from to", (*named, *both)):
        if candidate.truth.holds or not within:
            yield candidate  # Who was in office from 1968 to 1975 was so between 1970 and 1972.


def _number_at(grounding: Grounding, span: Span) -> Term:
    return next(number.value for number in grounding.claim.numbers if number.span == span)


def _period_columns(grounding: Grounding) -> tuple[int, int] | None:
    """The one column of dates from which, and the one up to which something lasts."""
    found = []
    for wanted in (PERIOD_START_STEMS, PERIOD_END_STEMS):
        dates = [each for each in grounding.links.table.columns if each.type is ColumnType.DATE]
        fitting = [each.number for each in dates if wanted & {*stems(each.name)}]
        if len(fitting) != 1:
            return None
        found += fitting
    return (found[0], found[1]) if found[0] != found[1] else None


# -- a hundred percent -------------------------------------------------------------------------------------


def _in_full(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How many rows have all of what a column of shares counts: "in three subjects every candidate passed"."""
    whole = [place for place, stem in enumerate(grounding.claim.stems) if stem in _WHOLE]
    counts = [number for number in grounding.free_numbers if as_count(number) is not None]
    if len(whole) != 1 or len(counts) != 1 or grounding.conditions:
        return
    for column in grounding.links.table.columns:
        mention = grounding.links.mentions.get(column.number)
        if column.unit != "%" or not mention or not mention.exact or min(mention.exact) < whole[0]:
            continue
        full = Where(grounding.rows, column.number, Relation.IS, Quantity(_ALL, "%", step=0.0))
        statement = Is(Count(full), counts[0].relation, Literal(counts[0].value))
        yield from grounding.build(statement, "full", (), (column.number,), counts[0])


def _share_of_a_row(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a row has the share that a whole header counts: "half of its patients are seen within 18 weeks"."""
    shares = [n for n in grounding.claim.numbers if isinstance(n.value, Quantity) and n.value.unit == "%"]
    said = frozenset(grounding.claim.stems)
    for column in grounding.links.table.columns:
        words = frozenset(stems(without_brackets(column.name))) - TABLE_STOP_STEMS
        if column.unit != "%" or isinstance(column, DerivedColumn) or len(shares) != 1 or not words <= said:
            continue
        used = tuple(c for c in grounding.conditions if c.span != shares[0].span and c.column != column.number)
        rows = grounding.executor.pick(grounding.where(used)).rows
        if len(words) < _WHOLE_HEADER or not used or any(c.is_limit for c in used) or len(rows) != 1:
            continue
        statement = Is(Of(column.number, grounding.where(used)), shares[0].relation, Literal(shares[0].value))
        yield from grounding.build(statement, "share given", used, (column.number,), shares[0])


def _share_of_rows(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """What share of all rows meets the one thing said of them: "half of the counters stand on separate tracks"."""
    shares = [n for n in grounding.claim.numbers if isinstance(n.value, Quantity) and n.value.unit == "%"]
    used = tuple(c for c in grounding.conditions if not shares or c.span != shares[0].span)
    if len(shares) != 1 or len(used) != 1 or len(used) != len(grounding.conditions) or used[0].others:
        return
    (share,), (target,) = shares, used
    end = share.span[1]
    if grounding.claim.stems[end : end + 1] != ("of",) or target.span[0] < end or isinstance(target.term, Quantity):
        return
    part = Percentage(Count(grounding.where([target])), Count(grounding.rows))
    yield from grounding.build(Is(part, share.relation, Literal(share.value)), "share", used, (), share)


# -- a row that the claim names twice ----------------------------------------------------------------------


def _named_twice(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a row with two names is first among all rows: "TS6 at Port Tessary is the highest"."""
    places = [place for place, stem in enumerate(grounding.claim.stems) if is_superlative(stem)]
    names = [c for c in grounding.conditions if isinstance(c.term, str) and not c.others and len(c.rows) == 1]
    if len(places) != 1 or len(names) < 2 or len(names) != len(grounding.conditions):
        return
    if len({c.rows for c in names}) != 1 or max(c.span[1] for c in names) > places[0]:
        return
    for column in grounding.ordered:
        if any(c.column == column for c in names):
            continue
        for highest in (True, False):
            statement = Some(grounding.where(names, Top(grounding.rows, column, highest)))
            yield from grounding.build(statement, "named top", names, (column,), detail="high" if highest else "low")


def _both_ways(column: DerivedColumn) -> tuple[tuple[Column, Column], tuple[Column, Column]]:
    return (column.start, column.end), (column.end, column.start)


def _more_than(claim: ParsedClaim, number: StatedNumber) -> int:
    """1 for "three more", -1 for "three fewer", 0 for anything else."""
    after = claim.stems[number.span[1] : number.span[1] + 1]
    return _MORE.get(after[0], 0) if after else 0
