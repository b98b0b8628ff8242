"""The program that a comparison of measurements is, over a small table of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from veritab.lexicon.attributes import BIRTH_STEMS, COUNTER_HEADER_STEMS, RANK_HEADER_STEMS
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
from veritab.lexicon.measures import COMPARED_ATTRIBUTES
from veritab.quantities import Date, Quantity, age, dimension
from veritab.reason.comparisons.linking import MeasurementPair, in_unit, synonyms
from veritab.reason.comparisons.reading import Operation
from veritab.reason.measurements import Measurement
from veritab.reason.programs.printing import format_value
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    Either,
    Is,
    Literal,
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
from veritab.reason.settling import can_differ_by
from veritab.reason.source_words import tell_value
from veritab.reason.subjects import name_attribute
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable, ToldValue

_AGEING, _AGES = frozenset("older younger newer".split()), frozenset("old older new newer".split())
_BEGINNING = BIRTH_STEMS | frozenset("built founded established opened".split())


def _dates_a_beginning(measurement: Measurement) -> bool:
    """Whether a value says how old something is; in running text, only what was born or made is as old as that."""
    if not measurement.attribute:
        return not _BEGINNING.isdisjoint((*measurement.words, *measurement.attribute_words))
    if name_attribute(measurement.attribute) in COMPARED_ATTRIBUTES["older"][0]:
        return True
    return any(_AGES & synonyms(stem) for stem in measurement.attribute_words)


def _relation(comparative: str, measurement: Measurement) -> Relation | None:
    """How a comparative relates one such value to another; None where it cannot be about them."""
    value = measurement.value
    dimensions = COMPARED_DIMENSIONS.get(comparative)
    if dimensions and isinstance(value, Quantity):
        # In a column, the unit may be understood.
        fitting = dimension(value.unit) in dimensions if value.unit else bool(measurement.attribute)
        if not fitting:
            return None
    up, down = MORE, LESS
    # Of numbers that count up, later is the only way in which one is more than another.
    if measurement.attribute_words & COUNTER_HEADER_STEMS or isinstance(value, Date):
        up, down = LATER, EARLIER
    elif measurement.attribute_words & RANK_HEADER_STEMS or value.ordinal:
        # The higher the rank, the lower its number.
        up, down = WORSE_RANKED, BETTER_RANKED
    elif comparative in FASTER | SLOWER:
        up, down = (SLOWER, FASTER) if dimension(value.unit) == "time" else (FASTER, SLOWER)
    return Relation.ABOVE if comparative in up else Relation.BELOW if comparative in down else None


def comparison_program(pair: MeasurementPair) -> tuple[SyntheticTable, TruthProgram | None]:
    comparison, amount = pair.comparison, pair.comparison.amount
    table = _build_table([*pair.left, *pair.right])
    one, other = _side_value(table, 0, len(pair.left)), _side_value(table, len(pair.left), len(pair.right))
    if comparison.comparative in _AGEING and not all(map(_dates_a_beginning, (*pair.left, *pair.right))):
        return table, None
    relation = _relation(comparison.comparative, pair.left[0])
    if comparison.operation is Operation.COMPARE:
        return table, Is(one, relation, other) if relation else None
    assert amount
    computed: ValueProgram
    match comparison.operation:
        case Operation.THRESHOLD:
            computed = one
        case Operation.RATIO:
            computed = Ratio(one, other)
        case Operation.PERCENTAGE:
            if not _is_part(pair):
                return table, None
            computed = Percentage(one, other)
        case Operation.MARGIN:
            computed = Subtraction(one, other)
        case Operation.DURATION:
            computed = Subtraction(other, one)
        case _:
            if relation is None or not can_differ_by(amount.value, pair.left[0].value):
                return table, None
            computed = Subtraction(one, other) if relation is Relation.ABOVE else Subtraction(other, one)
    return table, Is(computed, amount.relation, Literal(amount.value))


def age_program(pair: MeasurementPair) -> tuple[SyntheticTable, TruthProgram | None]:
    """Ages are whole years, counted from birthday to birthday."""
    born, died, amount = pair.left[0], pair.right[0], pair.comparison.amount
    assert amount
    assert isinstance(born.value, Date)
    assert isinstance(died.value, Date)
    years = age(born.value, died.value)
    id, whole = died.ids[0], f"{years.value:.0f} years" if years else ""
    told = ToldValue(f"from {born.text} to {died.text}", "", whole)
    table = SyntheticTable(id, [SourcedText("Age", id)], [[SourcedText(whole, id)]], told=(told,))
    if years is None or years.step:
        return table, None
    return table, Is(Of(0, All()), amount.relation, Literal(amount.value))


def _is_part(pair: MeasurementPair) -> bool:
    """Whether the first can be a share of the second: not more than it, and neither of them a share already."""
    if any("%" in each.attribute for each in (*pair.left, *pair.right)):
        return False
    unit = pair.right[0].value.unit if isinstance(pair.right[0].value, Quantity) else ""
    part, whole = ([in_unit(each.value, unit) for each in side] for side in (pair.left, pair.right))
    if None in part or None in whole:
        return False
    return 0 <= math.fsum(filter(None, part)) <= math.fsum(filter(None, whole))


def _build_table(measurements: Sequence[Measurement]) -> SyntheticTable:
    """A table of the measurements alone: what each is of, and its value."""
    first = measurements[0]
    one_attribute = len({each.attribute for each in measurements}) == 1
    id = first.ids[0]
    kind = "date" if isinstance(first.value, Date) else dimension(first.value.unit).split(":")[0] or "number"
    header = [SourcedText("name", id), SourcedText((one_attribute and first.attribute) or kind, id)]
    body = []
    for label, each in zip(_row_labels(measurements), measurements, strict=True):
        text, value = each.text, each.value
        # A unit that stands only in the header of its column is written out.
        if not one_attribute and isinstance(value, Quantity) and value.unit and dimension(value.unit) != "time":
            text = text if any(map(str.isalpha, text)) else format_value(value)
        body.append([SourcedText(label, each.ids[-1]), SourcedText(text, each.ids[0])])
    return SyntheticTable(id, header, body, told=list(map(_tell, measurements)))


def _tell(measurement: Measurement) -> ToldValue:
    """A value with what its source calls it: in an infobox it is that of the page."""
    each = measurement
    unit = each.value.unit if isinstance(each.value, Quantity) else ""
    told = tell_value(each.attribute, each.entity or each.ids[0].page, each.text, each.value, unit)
    if not each.in_infobox:
        return told
    part = "" if each.entity == each.attribute[: len(each.entity)] else f" ({each.entity})"
    return told._replace(attribute=f"{told.attribute}{part}", owner=each.ids[0].page)


def _row_labels(measurements: Sequence[Measurement]) -> list[str]:
    """What to call each value: by its entity, or whatever else tells them apart."""
    names, pages = [each.entity for each in measurements], [each.ids[0].page for each in measurements]
    options = [names, [each.attribute for each in measurements], pages]
    # In an infobox a value is named by its line, which others have too.
    if any(each.in_infobox for each in measurements):
        options.insert(0, pages)
    for labels in options:
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [f"{name or page} ({number})" for number, (name, page) in enumerate(zip(names, pages, strict=True), 1)]


def _side_value(table: SyntheticTable, start: int, size: int) -> ValueProgram:
    rows: list[RowProgram] = [Where(All(), 0, Relation.IS, row[0].text) for row in table.body[start : start + size]]
    return Of(1, rows[0] if rows else All()) if size < 2 else Aggregate(Aggregation.SUM, 1, reduce(Either, rows))
