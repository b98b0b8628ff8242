"""Claims that set two values against each other, decided over the values of a page wherever they stand.

The reasoner over tables learned which program a claim means; here the forms are few and the words decide: each side
of the claim must name its value, and hardly a word may be left over. The two values are put into a small table, so
that what is computed is a program like any other and is shown in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice

from veritab.lexicon.attributes import COUNTER_HEADER_STEMS, RANK_HEADER_STEMS
from veritab.lexicon.comparison import (
    BETTER_RANKED,
    COMPARED_DIMENSIONS,
    EARLIER,
    FASTER,
    LATER,
    LESS,
    MORE,
    SLOWER,
    WORSE_RANKED,
)
from veritab.quantities import Date, Quantity, Reading, age, convert, dimension
from veritab.reason.pairs.measures import Measure
from veritab.reason.pairs.naming import Finder, Pair, akin, distinct
from veritab.reason.pairs.questions import How, questions
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.english import conclude
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.printing import format_value
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    Either,
    Is,
    Literal,
    Not,
    Of,
    Percentage,
    Ratio,
    Relation,
    RowProgram,
    Subtraction,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable
from veritab.schema import ElementId

_MOST_QUESTIONS = 40
_MOST_DECIDED = 80
_NEAR = 0.3
"""Pairs that fit this much worse than the best one may still be meant."""
MOST_LEFT = 6
"""How many words of a claim may be left over."""
# Of 288 statements that were decided so among 15,000 of TabFact's training part, which no rule here was made by, 87 in
# 100 were decided right: 91 where no word was left over, fewer where some were.
_SURENESS, _LESS_SURE = 0.90, 0.03


@dataclass(frozen=True)
class Weighed:
    """What two values say of a claim."""

    holds: bool
    sure: float
    program: TruthProgram
    lines: tuple[str, ...]
    ids: tuple[ElementId, ...]


def weigh(claim: ParsedClaim, given: Iterable[Measure], most_left: int = MOST_LEFT) -> Weighed | None:
    """What the values say of the claim; None when it is not about two of them, or could be about others."""
    wanted = list(islice(questions(claim), _MOST_QUESTIONS))
    finder = Finder(claim, distinct(given) if wanted else [])
    pairs = sorted((pair for question in wanted for pair in finder.best(question)), key=lambda pair: -pair.fit)
    best: tuple[Pair, Weighed] | None = None
    for pair in pairs[:_MOST_DECIDED]:
        if best and pair.fit < best[0].fit - _NEAR:
            break
        decided = _decide(claim, pair, most_left)
        if decided is None:
            continue
        if best and decided.holds != best[1].holds:
            return None
        if best is None or decided.sure > best[1].sure:
            best = (best[0] if best else pair, decided)
    return best[1] if best else None


# -- what is computed of them ------------------------------------------------------------------------------


def _compares(comparative: str, measure: Measure) -> bool:
    """Whether a comparative can be about such a value; in a column, the unit may be understood."""
    wanted, value = COMPARED_DIMENSIONS.get(comparative), measure.value
    if wanted is None or isinstance(value, Date):
        return True
    return dimension(value.unit) in wanted if value.unit else bool(measure.what)


def _direction(comparative: str, measure: Measure) -> Relation | None:
    """Which way a comparative points for such a value."""
    value = measure.value
    if not _compares(comparative, measure):
        return None
    if measure.header & COUNTER_HEADER_STEMS:
        return Relation.BELOW if comparative in EARLIER else Relation.ABOVE if comparative in LATER else None
    if measure.header & RANK_HEADER_STEMS or (isinstance(value, Quantity) and value.ordinal):
        # The higher the rank, the lower its number.
        return (
            Relation.BELOW if comparative in BETTER_RANKED else Relation.ABOVE if comparative in WORSE_RANKED else None
        )
    if isinstance(value, Date):
        return Relation.BELOW if comparative in EARLIER else Relation.ABOVE if comparative in LATER else None
    timed = dimension(value.unit) == "time"
    if comparative in FASTER | SLOWER:
        return Relation.ABOVE if (comparative in SLOWER) == timed else Relation.BELOW
    return Relation.BELOW if comparative in LESS else Relation.ABOVE if comparative in MORE else None


def _decide(claim: ParsedClaim, pair: Pair, most_left: int) -> Weighed | None:
    left = _left_over(claim, pair)
    if left is None or left > most_left:
        return None
    if pair.question.how is How.AGE:
        return _aged(pair, _sureness(left), claim)
    table, program = _program(pair)
    if program is None or not _names_its_unit(claim, pair) or (pair.question.how is How.SHARE and not _is_part(pair)):
        return None
    return _decided(claim, pair, table, program, _sureness(left))


def _decided(
    claim: ParsedClaim,
    pair: Pair,
    table: SyntheticTable,
    program: TruthProgram,
    sure: float,
    before: tuple[str, ...] = (),
) -> Weighed | None:
    """What a program says of a pair, denied where the claim denies it; `before` are lines that lead to it."""
    meant = Not(program) if pair.question.negated else program
    executor = Executor(table.typed())
    holds = executor.decide(meant).holds
    if holds is None:
        return None
    line = conclude(meant, executor, word=None if before else _tested(claim, pair))
    return Weighed(holds, sure, meant, (*before, line), _evidence(claim, pair))


def _tested(claim: ParsedClaim, pair: Pair) -> str | None:
    """The word of the claim that stands or falls with the comparison."""
    question = pair.question
    if question.how is not How.COMPARE or question.negated:
        return None
    places = [place for place in sorted(question.asking) if claim.stems[place] == question.comparative]
    return claim.phrase((places[0], places[0] + 1)) if places else None


def _sureness(left: int) -> float:
    return _SURENESS - _LESS_SURE * left


def _program(pair: Pair) -> tuple[SyntheticTable, TruthProgram | None]:
    question, amount = pair.question, pair.question.amount
    table = _small_table([*pair.one, *pair.other])
    one = _value(table, 0, len(pair.one))
    if question.how is How.LIMIT and amount:
        return table, Is(one, amount.relation, Literal(amount.value))
    other = _value(table, len(pair.one), len(pair.other))
    if question.how is How.COMPARE:
        relation = _direction(question.comparative, pair.one[0])
        return table, Is(one, relation, other) if relation else None
    if amount is None:
        return table, None
    literal = Literal(amount.value)
    match question.how:
        case How.RATIO:
            return table, Is(Ratio(one, other), amount.relation, literal)
        case How.SHARE:
            return table, Is(Percentage(one, other), amount.relation, literal)
        case How.MARGIN:
            return table, Is(Subtraction(one, other), amount.relation, literal)
        case How.DURATION:
            return table, Is(Subtraction(other, one), amount.relation, literal)
    relation = _direction(question.comparative, pair.one[0])
    if relation is None or not _measures(amount.value, pair.one[0]):
        return table, None
    apart = Subtraction(one, other) if relation is Relation.ABOVE else Subtraction(other, one)
    return table, Is(apart, amount.relation, literal)


def _measures(amount: Reading, measure: Measure) -> bool:
    """Whether an amount can be the difference of such values: days of dates, and no seconds of plain numbers."""
    if not isinstance(amount, Quantity) or isinstance(measure.value, Date):
        return isinstance(amount, Quantity) and dimension(amount.unit) == "time"
    return not amount.unit or dimension(amount.unit) == dimension(measure.value.unit)


def _names_its_unit(claim: ParsedClaim, pair: Pair) -> bool:
    """Whether the values are of what is counted: "one more run than" is not about the attendance."""
    amount = pair.question.amount
    if pair.question.how is not How.DIFFERENCE or not amount or not pair.one[0].what:
        return True
    after = [claim.stems[place] for place in range(amount.span[1], len(claim.stems)) if place in claim.content]
    unit = amount.value.unit if isinstance(amount.value, Quantity) else ""
    if unit or not after or after[0] not in {claim.stems[place] for place in pair.question.one}:
        return True
    return any(after[0] == stem or after[0] in akin(stem) for stem in pair.one[0].header)


def _is_part(pair: Pair) -> bool:
    """Whether the first can be a share of the second, being no greater."""
    unit = pair.other[0].value.unit if isinstance(pair.other[0].value, Quantity) else None
    part, whole = (_total(side, unit) for side in (pair.one, pair.other)) if unit is not None else (None, None)
    return part is not None and whole is not None and 0 <= part <= whole


def _total(measures: Iterable[Measure], unit: str) -> float | None:
    """What values add up to in a unit; None where one has another dimension."""
    found = [_in_unit(measure.value, unit) for measure in measures]
    return math.fsum(value for value in found if value is not None) if None not in found else None


def _in_unit(value: Reading, unit: str) -> float | None:
    same = value if isinstance(value, Quantity) and value.unit == unit else None
    found = same or (convert(value, unit) if isinstance(value, Quantity) else None)
    return found.value if found else None


def _small_table(measures: Sequence[Measure]) -> SyntheticTable:
    """A table of the values alone: what each is of, and the value."""
    one_column = len({measure.what for measure in measures}) == 1
    labels = _labels(measures)
    id, value = measures[0].ids[0], measures[0].value
    sort = "date" if isinstance(value, Date) else dimension(value.unit).split(":")[0] or "number"
    header = [SourcedText("name", id), SourcedText((one_column and measures[0].what) or sort, id)]
    body = [
        [
            SourcedText(label, measure.ids[-1]),
            SourcedText(measure.text if one_column else _with_unit(measure), measure.ids[0]),
        ]
        for label, measure in zip(labels, measures, strict=True)
    ]
    return SyntheticTable(id, header, body)


def _labels(measures: Sequence[Measure]) -> list[str]:
    """What to call each value: by its own name, or whatever else tells them apart."""
    names = [measure.name for measure in measures]
    pages = [measure.ids[0].page for measure in measures]
    # In an infobox a value is named by its line, which others have too.
    if any(measure.column is None for measure in measures) and len(set(pages)) == len(pages):
        return pages
    for labels in (names, [measure.what for measure in measures], pages):
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [f"{name or page} ({number})" for number, (name, page) in enumerate(zip(names, pages, strict=True), 1)]


def _with_unit(measure: Measure) -> str:
    """The value as written, unless its unit stands only in the header of its column."""
    value = measure.value
    if not isinstance(value, Quantity) or not value.unit or dimension(value.unit) == "time":
        return measure.text
    return measure.text if any(map(str.isalpha, measure.text)) else format_value(value)


def _value(table: SyntheticTable, start: int, size: int) -> ValueProgram:
    rows: list[RowProgram] = [Where(All(), 0, Relation.IS, row[0].text) for row in table.body[start : start + size]]
    if size == 1:
        return Of(1, rows[0])
    return Aggregate(Aggregation.SUM, 1, reduce(Either, rows))


def _aged(pair: Pair, sure: float, claim: ParsedClaim) -> Weighed | None:
    """Ages are whole years, counted from birthday to birthday."""
    born, died, amount = pair.one[0], pair.other[0], pair.question.amount
    assert isinstance(born.value, Date)
    assert isinstance(died.value, Date)
    years = age(born.value, died.value)
    if years is None or years.step or amount is None:
        return None
    id = died.ids[0]
    table = SyntheticTable(id, [SourcedText("Age", id)], [[SourcedText(f"{years.value:.0f} years", id)]])
    program: TruthProgram = Is(Of(0, All()), amount.relation, Literal(amount.value))
    line = f"from {born.text} to {died.text} it is {years.value:.0f} years"
    return _decided(claim, pair, table, program, sure, (line,))


# -- what is left over, and what it rests on ---------------------------------------------------------------

# Verbs and nouns by which sentences say that something has a value.
_PLAIN = frozenset(
    """have had having number total amount amounted made make up reached found counted living lived home exactly take
    taken took need needed well much many far year time than part whole together combined share percent cent reach wa
    more most least les less point it also still even then now one two""".split()
)


# Words that make a claim say something else of more than two values.
_MORE_THAN_TWO = frozenset(
    """only sole all every each any none most both either neither also majority least other another others except while
    but whereas respectively average mean""".split()
)


def _left_over(claim: ParsedClaim, pair: Pair) -> int | None:
    """How many words of the claim nothing accounts for; None when one of them is a name or a number."""
    measures, asking = [*pair.one, *pair.other], pair.question.asking
    if any(word in _MORE_THAN_TWO and place not in asking for place, word in enumerate(claim.stems)):
        return None
    literal = {stem for m in measures for stem in (*m.said, *m.header, *m.around, *m.key)}
    known = literal | {word for m in measures for stem in (*m.header, *m.said) for word in akin(stem)}
    numbers = {place for number in claim.numbers for place in range(*number.span)}
    left = 0
    for place in (claim.content | numbers) - asking:
        stem = claim.stems[place]
        if stem in literal or (place not in numbers and (stem in known or stem in _PLAIN or _derived(stem, known))):
            continue
        word = claim.words[place]
        written = claim.text[word.start : word.end]
        if written[0].isupper() or place in numbers or stem.endswith("est"):
            return None
        left += 1
    return left


def _derived(stem: str, known: set[str]) -> bool:
    """Whether a word is made from a known one, or it from the word: Kenyan and Kenya."""
    return len(stem) > 4 and any(word[:5] == stem[:5] for word in known if abs(len(word) - len(stem)) < 4)


def _evidence(claim: ParsedClaim, pair: Pair) -> tuple[ElementId, ...]:
    """The values, what names them, and the cells that say other words of the claim about them."""
    found: dict[ElementId, None] = {}
    for measures, side in ((pair.one, pair.question.one), (pair.other, pair.question.other)):
        words = {claim.stems[place] for place in side}
        for measure in measures:
            found.update(dict.fromkeys(measure.ids))
            named = measure.key <= words
            for stem in sorted(words & measure.said.keys()) if not named else ():
                found.update(dict.fromkeys(measure.said[stem]))
    return tuple(found)
