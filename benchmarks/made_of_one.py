"""Statements about one row or two: what it holds, which has more, by how much, which is first, how long it lasted."""

from __future__ import annotations

import re

from benchmarks.made_subject import (
    ORDINALS,
    PARTICIPLES,
    Subject,
    adjectives,
    cell_said,
    comparison,
    has_more,
    heading,
    is_countable,
    is_most,
    some_part,
    written,
)
from veritab.quantities import Date, Quantity
from veritab.reason.programs.values import sort_key
from veritab.reason.tables import ColumnType

_STARTS = re.compile(
    r"\b(?:from|start|began|begin|born|birth|opened|founded|established|joined|launch\w*|built)\b", re.I
)
_ENDS = re.compile(r"\b(?:to|until|end|ended|died|death|closed|left|retired|demolished|decommissioned)\b", re.I)


def lookups(s: Subject, true: bool) -> str | None:
    column = s.chance.choice([*s.numbers, *s.dates, *s.sorts] or [None])
    if column is None:
        return None
    row, other = s.rows(2)
    said = cell_said(column, row if true else other)
    if (said == cell_said(column, row)) != true:
        return None
    name, head = s.names[row], heading(column)
    if column.type is ColumnType.DATE:
        verb = next((word for word in head.split() if word in PARTICIPLES), None)
        if verb:
            return s.pick(f"{name} was {verb} in {said}.", f"{said} is the year in which {name} was {verb}.")
        return s.pick(f"{name} dates from {said}.", f"The {head} of {name} is {said}.")
    if column.type is ColumnType.NUMBER:
        return s.pick(
            f"The {head} of {name} is {said}.",
            f"{name} has {said} {head}." if is_countable(column) else f"{name} has a {head} of {said}.",
            f"With a {head} of {said}, {name} is on the list.",
        )
    if s.chance.random() < 0.3:
        # The same two values, denied: what was to be true is false.
        denied = cell_said(column, other if true else row)
        if (denied == cell_said(column, row)) == true:
            return None
        return s.pick(
            f"The {head} of {name} is not {denied}.",
            f"{name} is not in {denied}.",
            f"{name} does not belong to {denied}.",
            f"{name} does not have {denied} as its {head}.",
        )
    return s.pick(f"The {head} of {name} is {said}.", f"{name} has {said} as its {head}.", f"{name} belongs to {said}.")


def limits(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, (row, other) = s.chance.choice(s.numbers), s.rows(2)
    own, limit = sort_key(column.values[row], column.unit), sort_key(column.values[other], column.unit)
    if own is None or limit is None or own == limit:
        return None
    up = (own > limit) == true
    head, said, name = heading(column), written(column, limit), s.names[row]
    words = s.pick("more than", "over") if up else s.pick("less than", "under")
    if s.chance.random() < 0.3:
        opposite = "less than" if up else "more than"
        return f"{name} does not have {s.pick('a ', '')}{head} of {opposite} {said}."
    return s.pick(
        f"{name} has {words} {said} {head}." if is_countable(column) else f"{name} has a {head} of {words} {said}.",
        f"The {head} of {name} is {words} {said}.",
    )


def comparisons(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, (one, other) = s.chance.choice(columns), s.rows(2)
    a, b = sort_key(column.values[one], column.unit), sort_key(column.values[other], column.unit)
    if a is None or b is None or a == b:
        return None
    up = (a > b) == true
    first, second, head = s.names[one], s.names[other], heading(column)
    if column.type is ColumnType.DATE:
        verb = next((word for word in head.split() if word in PARTICIPLES), "built")
        if s.chance.random() < 0.2:
            return f"{first} was not {verb} {'before' if up else 'after'} {second}."
        return s.pick(
            f"{first} was {verb} {'after' if up else 'before'} {second}.",
            f"{first} was {verb} {'later' if up else 'earlier'} than {second}.",
            f"{first} is {'newer' if up else 'older'} than {second}.",
        )
    if s.chance.random() < 0.2:
        return f"The {head} of {first} is not {'lower' if up else 'higher'} than that of {second}."
    tail = s.pick("", "", f", another of the {s.noun}", " does" if "has" in has_more(s, column, up) else "")
    return s.pick(
        f"{first} {has_more(s, column, up)} than {second}{tail}.",
        f"The {head} of {first} is {'higher' if up else 'lower'} than that of {second}.",
    )


def differences(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, (one, other) = s.chance.choice(columns), s.rows(2)
    a, b = column.values[one], column.values[other]
    if isinstance(a, Date) and isinstance(b, Date) and a.year and b.year:
        gap = abs(a.year - b.year)
        if gap < 2 or a.month or b.month:
            return None
        said = gap if true else gap + s.chance.choice([-1, 1, 2, 5])
        early, late = (one, other) if a.year < b.year else (other, one)
        verb = next((word for word in heading(column).split() if word in PARTICIPLES), "completed")
        years = f"{s.count(said)} years"
        return s.pick(
            f"{s.names[early]} predates {s.names[late]} by {years}.",
            f"{s.names[early]} was {verb} {years} before {s.names[late]}.",
            f"{s.names[late]} was {verb} {years} after {s.names[early]}.",
            f"{s.names[late]} is {years} younger than {s.names[early]}.",
        )
    if not isinstance(a, Quantity) or not isinstance(b, Quantity) or a.value <= b.value:
        return None
    gap_value = a.value - b.value
    said_value = gap_value if true else gap_value * s.chance.choice([0.8, 1.1, 1.5, 2.0])
    number, head = written(column, float(f"{said_value:.6g}")), heading(column)
    if not true and round(said_value) == round(gap_value):
        return None
    first, second = s.names[one], s.names[other]
    if is_countable(column):
        return s.pick(
            f"{first} has {number} more {head} than {second}.",
            f"{second} has {number} fewer {head} than {first}.",
            f"{first} leads {second} by {number} {head}.",
        )
    return s.pick(
        f"The {head} of {first} is {number} above that of {second}.",
        f"The difference in {head} between {first} and {second} is {number}.",
        f"{second} lies {number} below {first} in {head}.",
    )


def ratios(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, (one, other) = s.chance.choice(s.numbers), s.rows(2)
    a, b = sort_key(column.values[one], column.unit), sort_key(column.values[other], column.unit)
    if not a or not b or not 1.2 < a / b < 60:
        return None
    ratio = a / b
    times = max(2, int(ratio)) if ratio > 2.2 else 2
    up = s.chance.random() < 0.6
    if (ratio > times) != (up == true):
        times = int(ratio) + 1 if up != true or ratio < times else times
        if times < 2 or (ratio > times) != (up == true):
            up = (ratio > times) == true
    words = {2: "twice", 3: "three times"}.get(times, f"{s.count(times)} times")
    adjective = adjectives(column)[0] or ("many" if is_countable(column) else "high")
    phrase = f"as many {heading(column)} as" if adjective == "many" else f"as {adjective} as"
    if adjective == "high":
        phrase = f"as high a {heading(column)} as"
    verb = "has" if adjective in ("many", "high") else "is"
    return f"{s.names[one]} {verb} {'more' if up else 'less'} than {words} {phrase} {s.names[other]}."


def extremes(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, up = s.chance.choice(columns), s.chance.random() < 0.7
    order = s.order(column)
    ranked = order[::-1] if up else order
    place = s.chance.choice([1, 1, 1, 1, 2, 3])
    if len({value for value, _ in order}) < len(order):
        return None
    row = (
        ranked[place - 1][1] if true else s.chance.choice([row for _, row in ranked[:6] if row != ranked[place - 1][1]])
    )
    name, before = s.names[row], f"{ORDINALS[place]} " if place > 1 else ""
    of = s.pick("", f" of {s.group()}", f" among {s.group()}")
    if column.type is ColumnType.DATE:
        word = s.pick("newest", "latest", "youngest") if up else s.pick("oldest", "earliest")
        if place == 1 and s.chance.random() < 0.5:
            end = "last" if up else "first"
            return s.pick(f"{name} was the {end}{of}.", f"Of {s.group()}, {name} was the {end}.")
        return f"{name} is the {before}{word}{of or f' of the {s.noun}'}."
    if place == 1 and s.chance.random() < 0.5:
        more = has_more(s, column, up)
        return s.pick(
            f"{name} {more} than any other {s.one}.",
            f"No other {s.one} {more} than {name}.",
            f"None of the other {s.noun} {more} than {name}.",
            f"{name} {more} than all the other {s.noun}.",
        )
    if place == 3 and s.chance.random() < 0.5:
        inside = row in [r for _, r in ranked[:3]]
        if inside != true:
            return None
        adjective = adjectives(column)[0 if up else 1]
        if adjective:
            return f"{name} is one of the three {comparison(adjective, 'est')} {s.noun}."
        return f"{name} is one of the three {s.noun} with the {'highest' if up else 'lowest'} {heading(column)}."
    if place > 1 and up and s.chance.random() < 0.4:
        return s.pick(
            f"{name} ranks {before}by {heading(column)}{of}.",
            f"{name} is {before}in {heading(column)}{of}.",
            f"Counted by {heading(column)}, {name} was {before}{of}.",
        )
    return s.pick(
        f"{name} {is_most(s, column, up, before)}{of}.", f"Of {s.group()}, {name} {is_most(s, column, up, before)}."
    )


def extremes_of_part(s: Subject, true: bool) -> str | None:
    part = some_part(s)
    if not part or not s.numbers:
        return None
    said, rows = part
    column, up = s.chance.choice([*s.numbers, *s.dates]), s.chance.random() < 0.7
    order = [(value, row) for value, row in s.order(column) if row in rows]
    if len({value for value, _ in order}) < len(order):
        return None
    best = order[-1 if up else 0][1]
    row = best if true else s.chance.choice([row for _, row in order if row != best])
    if column.type is ColumnType.DATE:
        return f"Of {said}, {s.names[row]} is the {s.pick('newest', 'latest') if up else s.pick('oldest', 'earliest')}."
    if s.chance.random() < 0.3:
        word = "highest" if up else "lowest"
        return (
            f"The {word} {heading(column)} of {said} is {cell_said(column, row)}."
            if cell_said(column, row) != ""
            else None
        )
    return s.pick(
        f"Of {said}, {s.names[row]} {is_most(s, column, up)}.",
        f"{s.names[row]} {is_most(s, column, up)} of {said}.",
        f"{s.names[row]} {has_more(s, column, up)} than any other of {said}.",
    )


def both_extremes(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if len(columns) < 2:
        return None
    one, other = s.chance.sample(columns, 2)
    first, second = s.order(one), s.order(other)
    if len({value for value, _ in first}) < len(first) or len({value for value, _ in second}) < len(second):
        return None
    up, high = s.chance.random() < 0.5, s.chance.random() < 0.5
    if (first[-1 if up else 0][1] == second[-1 if high else 0][1]) != true:
        return None
    ends = []
    for column, way in ((one, up), (other, high)):
        date = ("newest" if way else "oldest") if column.type is ColumnType.DATE else ""
        ends.append(f"is the {date}" if date else is_most(s, column, way))
    start = ends[0].replace("is the ", f"The {s.one} that is the ").replace("has the ", f"The {s.one} that has the ")
    return s.pick(f"{start} also {ends[1]}.", f"{s.names[second[-1 if high else 0][1]]} {ends[0]} and {ends[1]}.")


def extreme_values(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, up = s.chance.choice(s.numbers), s.chance.random() < 0.7
    order = s.order(column)
    value = order[-1 if up else 0][0] if true else s.chance.choice(order[1:-1])[0]
    if not true and value in (order[0][0], order[-1][0]):
        return None
    head, said, word = heading(column), written(column, value), "highest" if up else "lowest"
    adjective = adjectives(column)[0 if up else 1]
    options = [
        f"The {word} {head} of {s.group()} is {said}.",
        f"The {word} {head} is {said}.",
        f"The {s.one} with the {word} {head} has {said}.",
    ]
    if adjective:
        options.append(f"The {comparison(adjective, 'est')} of {s.group()} has a {head} of {said}.")
    options.append(f"No {s.one} has a {head} of {'more' if up else 'less'} than {said}.")
    return s.chance.choice(options)


def alike(s: Subject, true: bool) -> str | None:
    columns = [*s.sorts, *s.dates]
    if not columns:
        return None
    column = s.chance.choice(columns)
    one, other = s.rows(2)
    alike = column.texts[one].casefold() == column.texts[other].casefold()
    pair, head = f"{s.names[one]} and {s.names[other]}", heading(column)
    if alike == true:
        if column.type is ColumnType.DATE:
            verb = next((word for word in head.split() if word in PARTICIPLES), "completed")
            return f"{pair} were {verb} in the same year." if len(column.texts[one]) == 4 else None
        return s.pick(
            f"{pair} have the same {head}.", f"{pair} share the same {head}.", f"The {head} of {pair} is the same."
        )
    return f"{pair} have different {head}s." if column in s.sorts else None


def durations(s: Subject, true: bool) -> str | None:
    pairs = [(a, b) for a in s.dates for b in s.dates if _STARTS.search(a.name) and _ENDS.search(b.name) and a is not b]
    if not pairs:
        return None
    start, end = s.chance.choice(pairs)
    spans = [
        b.year - a.year
        for a, b in zip(start.values, end.values, strict=True)
        if isinstance(a, Date) and isinstance(b, Date) and a.year and b.year
    ]
    if len(spans) < s.table.height or min(spans) < 0:
        return None
    row, other = s.rows(2)
    way = s.chance.randrange(4)
    verb = s.pick("served", "held office", "was in office", "lasted", "stayed")
    if way == 0:
        said = spans[row] if true else spans[row] + s.chance.choice([3, 5])
        return f"{s.names[row]} {verb} for {s.count(said)} years." if said > 1 else None
    if way == 1:
        limit = max(1, spans[row] + s.chance.choice([-3, -2, 2, 3]))
        if limit == spans[row]:
            return None
        how = "more" if (spans[row] > limit) == true else "less"
        return f"{s.names[row]} {verb} for {how} than {s.count(limit)} years."
    if way == 2 and spans[row] != spans[other]:
        how = "longer" if (spans[row] > spans[other]) == true else "less long"
        return f"{s.names[row]} {verb} {how} than {s.names[other]}."
    if s.chance.random() < 0.4 and abs(spans[row] - spans[other]) > 1:
        longer, shorter = (row, other) if spans[row] > spans[other] else (other, row)
        gap = spans[longer] - spans[shorter] + (0 if true else s.chance.choice([2, 4]))
        least = s.pick("", "at least " if true else "")
        return f"{s.names[longer]} {verb} {least}{s.count(gap)} years longer than {s.names[shorter]}."
    if s.chance.random() < 0.4:
        limit = s.chance.choice(spans) or 1
        size = sum(span > limit for span in spans) + (0 if true else 1)
        return f"{s.count(size).capitalize()} of the {s.noun} {verb} for more than {s.count(limit)} years."
    best = max(range(len(spans)), key=spans.__getitem__)
    if spans.count(spans[best]) > 1:
        return None
    name = s.names[best if true else other]
    return f"No {s.one} {verb} for longer than {name}." if true or other != best else None


def two_columns(s: Subject, true: bool) -> str | None:
    pairs = [
        (a, b)
        for a in s.numbers
        for b in s.numbers
        if a.number < b.number and a.unit == b.unit and set(heading(a).split()) & set(heading(b).split())
    ]
    if not pairs:
        return None
    one, other = s.chance.choice(pairs)
    row = s.rows(1)[0]
    a, b = sort_key(one.values[row], one.unit), sort_key(other.values[row], other.unit)
    if a is None or b is None or a == b:
        return None
    first, second = heading(one), heading(other)
    if s.chance.random() < 0.5:
        gap = float(f"{abs(a - b) if true else abs(a - b) * s.chance.choice([0.7, 1.3, 2]):.6g}")
        limit = float(f"{abs(a - b) * s.chance.choice([0.5, 0.8, 1.2, 2]):.2g}")
        said, name = written(one, gap), s.names[row]
        low, high = (first, second) if a < b else (second, first)
        how = "more" if (abs(a - b) > limit) == true else "less"
        return s.pick(
            f"The {high} of {name} is {said} higher than its {low}.",
            f"{name} has {said} more {high} than {low}.",
            f"{name} had {said} fewer in {low} than in {high}.",
            f"From {first} to {second} {name} {'gained' if b > a else 'lost'} {how} than {written(one, limit)}.",
        )
    if s.chance.random() < 0.5:
        return f"The {first} of {s.names[row]} is {'higher' if (a > b) == true else 'lower'} than its {second}."
    more = [
        row for row in range(s.table.height) if (sort_key(one.values[row]) or 0) > (sort_key(other.values[row]) or 0)
    ]
    if (not more) == true:
        return f"No {s.one} has a higher {first} than {second}."
    return f"{s.names[row]} has more {first} than {second}." if (a > b) == true else None
