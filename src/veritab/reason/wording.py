"""What was computed, for readers: the names and numbers of the source, the step between them, and what follows.

`tell` writes the line that a verdict shows: `Elevation of Mount Everest: 8,849 m; of K2: 8,611 m; 8,849 − 8,611 = 238 m
more, so "taller" holds`. The logical form itself is written by `programs.english`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from veritab.quantities import Date, Quantity, age, convert, difference
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.denotations import RowNumbers
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.phrases import RowFilter, Verbalizer, split_filters
from veritab.reason.programs.printing import format_value, join_items, ordinal_word, truncate
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Count,
    Different,
    Distinct,
    Either,
    Every,
    Is,
    Literal,
    Most,
    MostCommon,
    No,
    Not,
    Nth,
    Of,
    Only,
    Percentage,
    Ratio,
    Relation,
    Rising,
    RowProgram,
    Same,
    Some,
    Subtraction,
    Top,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.programs.values import compare_values
from veritab.reason.source_words import SourceWords, is_unique_year

_LONGEST = 320
_MAX_WORD = 40
_MOST_TERMS = 6
_MOST_EXAMPLES = 3
_LIMITS = {
    Relation.ABOVE: ("more than", "after"), Relation.BELOW: ("less than", "before"),
    Relation.AT_LEAST: ("at least", "at least"), Relation.AT_MOST: ("at most", "at most"),
}  # fmt: skip
_PARTICIPLE = re.compile(r"(?:[a-z]+ed|born|built|made|won|begun|sunk|found)\b[a-z ]*", re.IGNORECASE)
_NUMBER = re.compile(r"([−–+-]?[0-9][0-9.,]*)(\D*)")
_SAME = 1e-9
_BACKWARDS = ", the other way round"
_LIST_COLUMNS = frozenset({"name", "detail"})


def tell(program: TruthProgram, executor: Executor, holds: bool | None, word: str | None = None) -> str:
    """The computation in a line, and what follows for the claim or for the word of it that was tested."""
    tested = f'"{truncate(word, _MAX_WORD)}"' if word else "that"
    follows = "cannot be told" if holds is None else "holds" if holds else "is false"
    meaning = f", so {tested} {follows}"
    line = truncate(_Teller(executor).statement(program), _LONGEST - len(meaning)) + meaning
    return f"{line[:1].upper()}{line[1:]}"


class _Named(NamedTuple):
    """A value with what it is and what it is of."""

    attribute: str
    owner: str
    result: str

    def __str__(self) -> str:
        if not self.attribute or not self.owner:
            return f"{self.attribute or self.owner}: {self.result}"
        if _PARTICIPLE.fullmatch(self.attribute):
            return f"{self.owner}: {self.attribute.lower()} {self.result}"
        return f"{self.attribute} of {self.owner}: {self.result}"


class _Teller:
    """Tells what was computed over one table."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.table = executor.table
        self.words = SourceWords(executor.table)
        self.verbalizer = Verbalizer(executor.table, full_name=self._full_name)

    def _full_name(self, condition: Where) -> str:
        rows = self.executor.pick(replace(condition, rows=All())).rows
        return self.words.row(rows[0]) if len(rows) == 1 else ""

    # -- values

    def value(self, program: ValueProgram) -> str:
        """What is computed, and its result."""
        match program:
            case Literal():
                return format_value(program.term)
            case Of():
                return str(self._named(program))
            case Count():
                return self._counted(program.rows)
            case Distinct():
                return self._distinct(program)
            case Aggregate():
                return self._aggregated(program)
            case MostCommon():
                rows, of = self.executor.compute(program).cells[-1].rows, self.executor.pick(program.rows).rows
                name = f"most common {self.words.column(program.column)}{self._among(program.rows)}"
                return f"{name}: {self.result(program)} ({len(rows):,} of {len(of):,} rows)"
            case Subtraction() | Ratio():
                return "; ".join(filter(None, (*self._pair(program.one, program.other), self._combined(program))))
            case Percentage():
                return "; ".join(filter(None, (*self._pair(program.part, program.whole), self._combined(program))))

    def result(self, program: ValueProgram) -> str:
        """The result alone."""
        value = self.executor.compute(program).value
        rows = self.executor.pick(program.rows).rows if isinstance(program, Of) else ()
        if isinstance(program, Of) and rows:
            held = dict.fromkeys(self.words.cell(row, program.column) for row in rows[: _MOST_TERMS + 1])
            return next(iter(held)) if value is not None else join_items(list(held), of=len(set(held)))
        if isinstance(program, Aggregate) and _is_extreme(program) and value is not None:
            return self.words.cell(self.executor.compute(program).cells[-1].rows[0], program.column)
        return format_value(value)

    def _term(self, program: ValueProgram) -> str:
        """The result as a term of another step."""
        derived = isinstance(program, Of) and isinstance(self.table.columns[program.column], DerivedColumn)
        return format_value(self.executor.compute(program).value) if derived else self.result(program)

    def _named(self, program: Of) -> _Named:
        rows = self.executor.pick(program.rows).rows
        told = self.words.told(rows[0]) if len(rows) == 1 else None
        if told:
            return _Named(told.attribute, told.owner, told.printed)
        name = self.words.column(program.column)
        attribute = "" if name in _LIST_COLUMNS else name
        return _Named(attribute, self._owner(program.rows, rows, program.column), self.result(program))

    def _owner(self, program: RowProgram, rows: RowNumbers, column: int) -> str:
        """What rows are called, with the condition that chose them where that is not their name."""
        base, conditions = split_filters(program)
        names = [self.verbalizer.name_of(condition) for condition in conditions]
        besides = [self.words.has(each) for each, name in zip(conditions, names, strict=True) if not name]
        if not isinstance(base, All):
            besides.append(self.verbalizer.rows(base).removeprefix("the "))
        key = self.table.key
        # A row goes by its key, but for one that is looked up in it.
        called = [self.table.columns[key].texts[row] for row in rows] if key not in (None, column) and rows else []
        name = join_items(called[: _MOST_EXAMPLES + 1], of=len(called)) or next(filter(None, names), "")
        name = name or self._subject
        match conditions:
            case (Where(_, number, Relation.IS, Quantity() | Date() as term),) if not name:
                return f"{self.words.column(number)} {format_value(term)}"
        if not name:
            return f"the row with {' and '.join(besides)}" if besides else ""
        return f"{name} ({' and '.join(besides)})" if besides else name

    # -- counts and aggregates

    def _counted(self, rows: RowProgram) -> str:
        base, conditions = split_filters(rows)
        found = self.executor.pick(rows).rows
        if not conditions and isinstance(base, All):
            return f"{len(found):,} row{'s' * (len(found) != 1)} in all"
        names = self.words.rows(found)
        listed = f" ({names})" if names else ""
        having = self._having(rows)
        if not having:
            those = self.verbalizer.bare(rows)
            return f"{len(found):,} of {those}{listed}" if conditions else f"{len(found):,} ({those}){listed}"
        if not found:
            return f"no row has {having}"
        return f"{len(found):,} row{'s have' if len(found) > 1 else ' has'} {having}{listed}"

    def _having(self, rows: RowProgram) -> str:
        """The conditions that rows meet; empty where they are chosen in another way."""
        base, conditions = split_filters(rows)
        if isinstance(base, Either) and not conditions:
            sides = [self._having(base.one), self._having(base.other)]
            return " or ".join(sides) if all(sides) else ""
        return " and ".join(map(self.words.has, conditions)) if isinstance(base, All) else ""

    def _distinct(self, program: Distinct) -> str:
        rows = self.executor.pick(program.rows).rows
        held = list(dict.fromkeys(text for row in rows if (text := self.table.columns[program.column].texts[row])))
        shown = join_items([truncate(text, _MAX_WORD) for text in held[: _MOST_TERMS + 1]], _MOST_TERMS, len(held))
        name = f"{self.words.column(program.column)}{self._among(program.rows)}"
        return f"{len(held):,} different values of {name} ({shown})" if held else f"no value of {name}"

    def _aggregated(self, program: Aggregate) -> str:
        column, name = program.column, self.words.column(program.column)
        if _is_extreme(program):
            return self._top(Top(program.rows, column, program.aggregation is Aggregation.HIGHEST), ())
        rows = [row for row in self.executor.pick(program.rows).rows if self.table.columns[column].texts[row]]
        terms = [self.words.cell(row, column) for row in rows[: _MOST_TERMS + 1]]
        result = format_value(self.executor.compute(program).value)
        is_sum = program.aggregation is Aggregation.SUM
        told = [self.words.told(row) for row in rows[: _MOST_TERMS + 1]]
        owners = [each.owner for each in told if each]
        if told and all(told) and len(rows) <= _MOST_TERMS:
            name, which = (told[0].attribute if told[0] else name), f" of {join_items(owners, _MOST_TERMS)}"
        elif len(rows) <= _MOST_TERMS and (names := self.words.rows(rows, column) or _list_terms(program.rows)):
            which = f" of {names}"
        else:
            which = f"{self._among(program.rows)} over {len(rows):,} rows"
        if len(rows) == 1:
            return f"{name}{which}: {terms[0]}"
        if len(rows) > _MOST_TERMS and is_sum:
            return f"sum of {name}{which}: {result}"
        if len(rows) > _MOST_TERMS:
            total = format_value(self.executor.compute(replace(program, aggregation=Aggregation.SUM)).value)
            return f"mean of {name}{which}: {total} / {len(rows):,} = {result}"
        step = _drop_unit(" + ", terms, result)
        if is_sum:
            return f"{name}{which}: {step} = {result}"
        return f"{name}{which}: ({step}) / {len(rows):,} = {result}"

    def _among(self, rows: RowProgram) -> str:
        having = self._having(rows)
        return f" in rows with {having}" if having else self.verbalizer.among(rows)

    # -- two values

    def _pair(self, one: ValueProgram, other: ValueProgram) -> Iterator[str]:
        """Two values; what both are is said once."""
        if not isinstance(one, Of) or not isinstance(other, Of):
            yield from (self.value(one), self.value(other))
            return
        first, second = self._named(one), self._named(other)
        yield str(first)
        plain = first.attribute and first.attribute == second.attribute and not _PARTICIPLE.fullmatch(first.attribute)
        yield f"of {second.owner}: {second.result}" if plain and first.owner and second.owner else str(second)

    def _combined(self, program: Subtraction | Ratio | Percentage) -> str:
        """The step from two values to their difference, ratio or share."""
        sides = (program.part, program.whole) if isinstance(program, Percentage) else (program.one, program.other)
        value = self.executor.compute(program).value
        first, second = (self.executor.compute(side).value for side in sides)
        if value is None:
            return ""
        if isinstance(first, Date) and isinstance(second, Date):
            backwards = (compare_values(first, second) or 0) < 0
            start, end = (first, second) if backwards else (second, first)
            apart = format_value(replace(value, value=abs(value.value)) if isinstance(value, Quantity) else value)
            return f"from {format_value(start)} to {format_value(end)} it is {apart}{_BACKWARDS * backwards}"
        sign = " − " if isinstance(program, Subtraction) else " / "
        result = format_value(value)
        terms = [self._term(side) for side in sides]
        written = _drop_unit(sign, terms, result if isinstance(program, Subtraction) else "")
        return f"{written} = {result}{' times' * isinstance(program, Ratio)}"

    def _compared(self, program: Is) -> str:
        if isinstance(program.other, Literal):
            return self._against(program, program.other)
        return "; ".join(filter(None, (*self._pair(program.one, program.other), self._apart(program))))

    def _apart(self, program: Is) -> str:
        """How far apart two values are, and which way."""
        one, other = self.executor.compute(program.one).value, self.executor.compute(program.other).value
        if self.executor.decide(program).holds is None:
            return "these cannot be compared"
        if program.relation in (Relation.IS, Relation.IS_NOT, Relation.CONTAINS):
            return ""
        sign = compare_values(one, other)
        if not sign:
            return "these are the same" if sign == 0 else ""
        if isinstance(one, Date) and isinstance(other, Date):
            return f"{_time_between(*((other, one) if sign > 0 else (one, other)))}{'later' if sign > 0 else 'earlier'}"
        larger, smaller = (program.one, program.other) if sign > 0 else (program.other, program.one)
        difference = self.executor.compute(Subtraction(larger, smaller)).value
        ordinal = any(isinstance(each, Quantity) and each.ordinal for each in (one, other))
        if not isinstance(difference, Quantity) or ordinal:
            return ""
        result = format_value(difference)
        written = _drop_unit(" − ", [self._term(larger), self._term(smaller)], result)
        return f"{written} = {result} {'more' if sign > 0 else 'less'}"

    def _against(self, program: Is, given: Literal) -> str:
        """A value beside the one that the claim gives."""
        holds = self.executor.decide(program).holds
        said, value = self.value(program.one), self.executor.compute(program.one).value
        if isinstance(program.one, Aggregate) and _is_extreme(program.one):
            said = said.partition(", next ")[0]  # only what is beside the number of the claim
        column = program.one.column if isinstance(program.one, Of) else 0
        stated = self.words.term(given.term, column)
        if holds is None:
            return f"{said}, which cannot be compared with {stated}"
        if program.relation in _LIMITS:
            limit = _LIMITS[program.relation][isinstance(given.term, Date)]
            return f"{said}, {'' if holds else 'not '}{limit} {stated}"
        if holds is (program.relation is not Relation.IS_NOT):
            return f"{said}{_roughly(value, given.term)}"
        if said.endswith(_BACKWARDS):
            return said
        is_list = isinstance(program.one, Count) and said.endswith(")")
        counted = f": {format_value(value)}" if is_list else ""
        return f"{said}{counted}, not {stated}"

    # -- statements

    def statement(self, program: TruthProgram) -> str:
        """A computation in one line."""
        match program:
            case Is():
                return self._compared(program)
            case Some():
                return self._some(program.rows)
            case Every() | No() | Most() | Only():
                return self._quantified(program)
            case Same() | Different():
                return self._alike(program)
            case Rising():
                return self._rising(program)
            case Not():
                return self.statement(program.statement)
            case And():
                half = (_LONGEST - 2) // 2
                return f"{truncate(self.statement(program.one), half)}; {truncate(self.statement(program.other), half)}"

    # -- rows that are there, or not

    def _some(self, rows: RowProgram) -> str:
        base, conditions = split_filters(rows)
        found = self.executor.pick(rows).rows
        if isinstance(base, Top):
            return self._top(base, conditions)
        if isinstance(base, Best | Nth):
            return self._chosen(base, conditions)
        if not isinstance(base, All) or not conditions:
            return self._counted(rows)
        return self._found(conditions, found) if found else self._not_found(conditions)

    def _top(self, base: Top, conditions: Sequence[RowFilter]) -> str:
        """The highest with the next one, or with the one that a claim says is the highest."""
        column = base.column
        chosen = self.executor.pick(base).rows
        name = f"{self.words.column(column)}{self._among(base.rows)}"
        extreme = self.verbalizer.extreme(column, base.highest)
        label = f"{extreme} {name}" if base.place == 1 else f"{ordinal_word(base.place)} {extreme} {name}"
        if not chosen:
            return f"{label}: not known"
        said = f"{label}: {self._cell_of(chosen, column)}"
        claimed = self._meeting(conditions, base.rows) if conditions else ()
        beside = [each for each in conditions if each.column not in (self.table.key, column)]
        if claimed and not set(claimed) & set(chosen):
            own = f"; {self._cell_of(claimed, column, first=True)}" if len(claimed) == 1 else ""
            return f"{said}{own or self._beside(beside, chosen)}"
        if base.place == 1 and len(chosen) == 1:
            following = self.executor.pick(replace(base, place=2)).rows
            said += f", next {self._cell_of(following, column)}" if following else ""
        return said + self._beside(beside, chosen)

    def _cell_of(self, rows: Sequence[int], column: int, *, first: bool = False) -> str:
        """What a column holds, and in which rows: 66 (Ohio State)."""
        told = self.words.told(rows[0])
        name = told.owner if told else self._key_names(rows, column)
        held = self.words.cell(rows[0], column)
        if first and name:
            return f"{name}: {held}"
        return f"{held} ({name})" if name else held

    def _key_names(self, rows: Sequence[int], column: int) -> str:
        key = self.table.key
        if key in (None, column):
            return self.words.rows(rows, column)
        names = [self.table.columns[key or 0].texts[row] for row in rows[: _MOST_EXAMPLES + 1]]
        return join_items(list(filter(None, names)), of=len(rows))

    def _chosen(self, base: Best | Nth, conditions: Sequence[RowFilter]) -> str:
        rows = self.executor.pick(base).rows
        label = self.verbalizer.rows(base).removeprefix("the ")
        if isinstance(base, Best):
            keys = self.executor.keys(base.column)
            rows = tuple(sorted(rows, key=lambda row: keys[row] or 0.0, reverse=base.highest))
            name = f"{self.words.column(base.column)}{self._among(base.rows)}"
            label = f"{base.size:,} {self.verbalizer.extreme(base.column, base.highest)} {name}"
            held = [self._cell_of([row], base.column) for row in rows[: _MOST_TERMS + 1]]
        else:
            held = [self.words.row(row) or f"row {row + 1:,}" for row in rows[: _MOST_TERMS + 1]]
        beside = [each for each in conditions if each.column not in (self.table.key, getattr(base, "column", None))]
        return f"{label}: {join_items(held, _MOST_TERMS, len(rows)) or 'none'}{self._beside(beside, rows[:1])}"

    def _beside(self, conditions: Sequence[RowFilter], rows: Sequence[int]) -> str:
        """What rows hold in the columns that conditions are about."""
        columns = dict.fromkeys(condition.column for condition in conditions)
        return "".join(f", {self.words.column(column)} {self._held(rows, column)}" for column in columns)

    def _held(self, rows: Sequence[int], column: int) -> str:
        held = dict.fromkeys(self.words.cell(row, column) for row in rows[: _MOST_TERMS + 1])
        return join_items(list(held)) or "nothing"

    def _found(self, conditions: Sequence[RowFilter], rows: RowNumbers) -> str:
        name, rest = self.verbalizer.subject(conditions)
        more = f" (and {len(rows) - 1:,} more row{'s' * (len(rows) > 2)})" if len(rows) > 1 else ""
        if len(rest) == 1 and (name or len(rows) == 1) and rest[0].column != self.table.key:
            column = rest[0].column
            if not (name and is_unique_year(self.table.columns[column])):
                return f"{self._named_cell(rows[0], column)}{more}"
        columns = dict.fromkeys(each.column for each in (rest or conditions))
        said = ", ".join(f"{self.words.column(column)} {self.words.cell(rows[0], column)}" for column in columns)
        key = self.table.key
        if name and key is not None and rest:
            return f"{self.table.columns[key].texts[rows[0]]} ({self.words.column(key)}): {said}{more}"
        return f"{said}{more}"

    def _not_found(self, conditions: Sequence[RowFilter]) -> str:
        """The condition that fails, with what the rows that meet the others hold instead."""
        name, rest = self.verbalizer.subject(conditions)
        order = (
            [*reversed(rest), *(each for each in conditions if each not in rest)] if name else [*reversed(conditions)]
        )
        for failing in order if len(order) > 1 else ():
            kept = [condition for condition in conditions if condition is not failing]
            rows = self._meeting(kept, All())
            if rows:
                plain = isinstance(failing, Where) and failing.relation in (Relation.IS, Relation.CONTAINS)
                term = f", not {self.words.term(failing.term, failing.column)}" if plain else ""  # type: ignore[union-attr]
                return f"{self._named(Of(failing.column, _where(kept)))}{term}"
        if self.table.height == 1:
            return self._beside(conditions, (0,)).removeprefix(", ")
        return self._counted(_where(conditions))

    def _meeting(self, conditions: Sequence[RowFilter], among: RowProgram) -> RowNumbers:
        return self.executor.pick(_where(conditions, among)).rows

    # -- all, most, none, only

    def _quantified(self, program: Every | No | Most | Only) -> str:
        rows, others = self.executor.pick(program.rows).rows, set(self.executor.pick(program.others).rows)
        common = [row for row in rows if row in others]
        if not rows:
            return self._counted(program.rows)
        _, conditions = split_filters(program.others)
        counted = f"{len(common):,} of {len(rows):,} {self._those(program.rows, rows)}{self._predicate(program.others)}"
        if len(rows) == 1 and conditions:
            counted = self._beside(conditions, rows).removeprefix(", ")
            counted = f"{self._those(program.rows, rows).strip() or 'that row'}: {counted}"
        if isinstance(program, Only):
            besides = sorted(others - set(rows))
            if not besides:
                return f"{counted}, and no other"
            names = self._key_names(besides, -1) or f"{len(besides):,} other rows"
            does = "does" if len(besides) == 1 else "do"
            return f"{counted}, and also {names}" if common else f"{counted}, but {names} {does}"
        if isinstance(program, Every) and len(common) < len(rows) and not (len(rows) == 1 and conditions):
            return f"{counted}, not {self._examples(conditions, [row for row in rows if row not in others])}"
        if isinstance(program, No) and common and len(rows) > 1:
            return f"{counted}: {self._examples(conditions, common)}"
        return counted

    def _those(self, program: RowProgram, rows: RowNumbers) -> str:
        """The rows that are spoken of, before what is said of them."""
        base, conditions = split_filters(program)
        if isinstance(base, All) and not conditions:
            return "rows "
        names = self._key_names(rows, -1) if len(rows) <= _MOST_TERMS else ""
        if len(rows) > 1 and (terms := _list_terms(base)):
            return f"({terms}) "
        if names and (len(rows) == 1 or isinstance(base, Either) or any(map(self.verbalizer.name_of, conditions))):
            return f"{names} " if len(rows) == 1 else f"({names}) "
        having = " and ".join(map(self.words.has, conditions))
        return f"rows with {having} " if isinstance(base, All) else f"{self.verbalizer.bare(program)} "

    def _predicate(self, others: RowProgram) -> str:
        base, conditions = split_filters(others)
        if not isinstance(base, All) or not conditions:
            return f"are among {self.verbalizer.rows(others)}"
        name, rest = self.verbalizer.subject(conditions)
        if name and not rest:
            return f"are {name}"
        return f"have {' and '.join(map(self.words.has, conditions))}"

    def _examples(self, conditions: Sequence[RowFilter], rows: Sequence[int]) -> str:
        columns = [condition.column for condition in conditions if condition.column != self.table.key]
        names = [self.words.row(row) or f"row {row + 1:,}" for row in rows[: _MOST_EXAMPLES + 1]]
        held = [f" ({self.words.cell(row, columns[0])})" if columns else "" for row in rows]
        return join_items([f"{name}{cell}" for name, cell in zip(names, held, strict=False)], of=len(rows))

    # -- alike, rising

    def _alike(self, program: Same | Different) -> str:
        column = program.column
        rows = [row for row in self.executor.pick(program.rows).rows if self.table.columns[column].texts[row]]
        if 0 < len(rows) <= _MOST_EXAMPLES:
            named = [self._named_cell(row, column) for row in rows]
            terms = list(_either_terms(program.rows))
            if len(terms) == len(rows) and all(terms):
                named = [
                    each if each.owner else each._replace(owner=term) for each, term in zip(named, terms, strict=True)
                ]
            same = len({each.result for each in named}) == 1
            plain = not _PARTICIPLE.fullmatch(named[0].attribute) and all(each.owner for each in named)
            rest = [f"of {each.owner}: {each.result}" if plain else str(each) for each in named[1:]]
            return f"{'; '.join((str(named[0]), *rest))}; {'the same' if same else 'different'}"
        held = Counter(self.words.cell(row, column) for row in rows).most_common()
        name = f"{self.words.column(column)}{self._among(program.rows)}"
        if len(held) == len(rows):
            shown = join_items([each for each, _ in held[: _MOST_EXAMPLES + 1]], of=len(held))
            return f"{name} is different in each of {len(rows):,} rows ({shown})"
        if len(held) == 1:
            return f"{name} is {held[0][0]} in all {len(rows):,} rows"
        often = [f"{value} ({count:,} of {len(rows):,} rows)" for value, count in held[: _MOST_EXAMPLES + 1]]
        return f"{name}: {join_items(often, of=len(held))}"

    def _named_cell(self, row: int, column: int) -> _Named:
        told = self.words.told(row)
        if told:
            return _Named(*told)
        name = self.words.column(column)
        owner = self._key_names([row], column) or self._subject
        return _Named("" if name in _LIST_COLUMNS else name, owner, self.words.cell(row, column))

    @property
    def _subject(self) -> str:
        """What an infobox is about."""
        return self.table.title if self.table.height == 1 and getattr(self.table.table, "infobox", False) else ""

    def _rising(self, program: Rising) -> str:
        keys, column = self.executor.keys(program.column), program.column
        rows = [row for row in self.executor.pick(program.rows).rows if keys[row] is not None]
        name = f"{self.words.column(column)}{self._among(program.rows)}"
        for before, after in pairwise(rows):
            first, second = keys[before] or 0.0, keys[after] or 0.0
            if first > second if program.up else first < second:
                start, end = self._cell_of([before], column), self._cell_of([after], column)
                return f"{name} goes from {start} {'down' if program.up else 'up'} to {end}"
        if len(rows) < 2:
            return f"{name}: {self._held(rows, column)}"
        start, end = self._cell_of(rows[:1], column), self._cell_of(rows[-1:], column)
        return f"{name} goes from {start} to {end} and never {'falls' if program.up else 'rises'}"


def _where(conditions: Sequence[RowFilter], among: RowProgram | None = None) -> RowProgram:
    rows: RowProgram = among or All()
    for condition in conditions:
        rows = replace(condition, rows=rows)
    return rows


def _either_terms(rows: RowProgram) -> Iterator[str]:
    """The names of rows that a claim lists; an empty one for rows that it does not name."""
    match rows:
        case Either():
            yield from _either_terms(rows.one)
            yield from _either_terms(rows.other)
        case Where(All(), _, Relation.IS | Relation.CONTAINS):
            yield format_value(rows.term)
        case _:
            yield ""


def _list_terms(rows: RowProgram) -> str:
    """The names of rows that a claim lists, in a phrase; empty where it names not all of them."""
    terms = list(_either_terms(rows)) if isinstance(rows, Either) else []
    return join_items(terms, _MOST_TERMS) if all(terms) else ""


def _is_extreme(program: Aggregate) -> bool:
    return program.aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST)


def _drop_unit(sign: str, terms: Sequence[str], result: str) -> str:
    """Terms of a step; the unit that all of them and the result have is said with the result alone."""
    parts = [_NUMBER.fullmatch(term) for term in (*terms, *([result] if result else []))]
    units = {part[2] for part in parts if part}
    if not all(parts) or len(units) != 1:
        return sign.join(terms)
    return sign.join(
        _in_brackets(part[1]) if place else part[1] for place, part in enumerate(parts[: len(terms)]) if part
    )


def _in_brackets(number: str) -> str:
    return f"({number})" if number[0] in "−–-" else number


def _time_between(earlier: Date, later: Date) -> str:
    """How long after one date another is, in whole years or else in days: "11 years ", with a space behind."""
    years = age(earlier, later)
    if years and years.value >= 1 and not years.step:
        return f"{years.value:.0f} year{'s' * (years.value != 1)} "
    if earlier.year is not None and later.year is not None and later.year > earlier.year:
        apart = later.year - earlier.year
        return f"{apart} year{'s' * (apart != 1)} "
    passed = difference(later, earlier)
    return f"{format_value(passed)} " if passed else ""


def _roughly(value: object, stated: object) -> str:
    """That a value is only about what a claim says, or the same in the unit of the claim."""
    if not isinstance(value, Quantity) or not isinstance(stated, Quantity):
        return ""
    converted = convert(value, stated.unit) if value.unit and stated.unit else value
    if converted is None or format_value(value) == format_value(stated):
        return ""
    if converted.value == stated.value and not (value.unit and stated.unit):
        return ""
    same = abs(converted.value - stated.value) < _SAME * max(abs(stated.value), 1)
    return f", {'the same as' if same else 'about'} {format_value(stated)}"
