"""Statements about many rows: how many, all or most or none, sums, means and shares, how many different values."""

from __future__ import annotations

from benchmarks.made_subject import Subject, as_list, has_more, heading, is_countable, some_demand, some_part, written
from veritab.reason.programs.values import sort_key


def folds_of_part(s: Subject, true: bool) -> str | None:
    """The sum or mean over some rows, or what all, most or none of them have."""
    part = some_part(s)
    if not part or not s.numbers:
        return None
    said, rows = part
    column = s.chance.choice(s.numbers)
    values, head = [sort_key(column.values[row], column.unit) or 0 for row in rows], heading(column)
    way = s.chance.randrange(3)
    if way < 2:
        total = sum(values) / (len(values) if way else 1)
        number = written(column, float(f"{total if true else total * s.chance.choice([0.8, 1.2, 1.5]):.5g}"))
        if way:
            return s.pick(f"On average {said} have {number} {head}.", f"The average {head} of {said} is {number}.")
        return s.pick(
            f"In all, {said} have {number} {head}.", f"{said.capitalize()} have a combined {head} of {number}."
        )
    limit = s.chance.choice([sort_key(value, column.unit) or 0 for value in column.values])
    above = sum(value > limit for value in values)
    demand = f"a {head} of more than {written(column, limit)}"
    size = s.count(above if true else above + 1)
    options = [f"{size.capitalize()} of {said} have {demand}."]
    if (above == len(rows)) == true:
        options += [f"All of {said} have {demand}.", f"Each of {said} has {demand}."]
    if (above == 0) == true:
        options += [f"None of {said} has {demand}.", f"Not one of {said} has {demand}."]
    if (2 * above > len(rows)) == true:
        options.append(f"Most of {said} have {demand}.")
    return s.chance.choice(options)


def quantified_part(s: Subject, true: bool) -> str | None:
    """What all, most, none or some number of some rows have."""
    part, found = some_part(s), some_demand(s)
    if not part or not found:
        return None
    said, rows = part
    demand, meeting = found
    both = len(set(rows) & set(meeting))
    single = demand.replace("have ", "has ").replace("are ", "is ").replace("were ", "was ").replace("their", "its")
    single = single.replace("belong ", "belongs ").replace("stand ", "stands ")
    options = []
    if (both == len(rows)) == true and both * 2 > len(rows):
        options += [f"All of {said} {demand}.", f"{said.capitalize()} all {demand}.", f"Every one of {said} {single}."]
    if (both == 0) == true and both * 2 < len(rows):
        options += [f"None of {said} {single}.", f"Not one of {said} {single}."]
    if (both * 2 > len(rows)) == true and both not in (0, len(rows)):
        options += [f"Most of {said} {demand}.", f"The majority of {said} {demand}."]
    size = both if true else both + s.chance.choice([-1, 1])
    if size > 0:
        options += [f"{s.count(size).capitalize()} of {said} {demand if size > 1 else single}."]
    return s.chance.choice(options) if options else None


def counts(s: Subject, true: bool) -> str | None:
    found = some_demand(s)
    if not found:
        return None
    demand, rows = found
    size = len(rows)
    way = s.chance.choice(["exactly", "", "", "at least", "at most", "fewer than", "more than"])
    low = s.chance.randint(1, 2)
    said = {
        "at least": size - low if true else size + low,
        "at most": size + low if true else size - low,
        "fewer than": size + low if true else size,
        "more than": size - low if true else size,
    }.get(way, size if true else size + s.chance.choice([-2, -1, 1, 2]))
    if not 1 <= said <= s.table.height:
        return None
    number = f"{way} {s.count(said)}".strip()
    if said == 1:
        demand = demand.replace("have ", "has ").replace("are ", "is ").replace("were ", "was ")
    text = s.pick(
        f"{number} of {s.group().removeprefix('all ')} {demand}.", f"{number} {s.noun if said > 1 else s.one} {demand}."
    )
    if s.chance.random() < 0.2 and not way:
        text = f"There are {number} {s.noun} that {demand}."
    return text[0].upper() + text[1:]


def quantified(s: Subject, true: bool) -> str | None:
    found = some_demand(s)
    if not found:
        return None
    demand, rows = found
    share = len(rows) / s.table.height
    single = demand.replace("have ", "has ").replace("are ", "is ").replace("were ", "was ").replace("their", "its")
    single = single.replace("belong ", "belongs ")
    if (share > 0.5) == true and s.chance.random() < 0.4:
        return s.pick(
            f"Most of {s.group().removeprefix('all ')} {demand}.",
            f"The majority of the {s.noun} {demand}.",
            f"More than half of the {s.noun} {demand}.",
        )
    if (share < 0.5) == true and s.chance.random() < 0.3:
        return f"Less than half of the {s.noun} {demand}."
    if (share == 1) == true and (share > 0.6) and s.chance.random() < 0.3:
        return f"The {s.noun} all {demand}."
    if (share == 1) == true and (share > 0.6):
        return s.pick(
            f"All of {s.group().removeprefix('all ')} {demand}.",
            f"Every {s.one} {single}.",
            f"Each of the {s.noun} {single}.",
            f"All the {s.noun} {demand}.",
        )
    if (share == 0) == true and share < 0.4:
        return s.pick(
            f"None of {s.group().removeprefix('all ')} {demand}.", f"No {s.one} {single}.", f"Not one {s.one} {single}."
        )
    if len(rows) in (1, 2) and (len(rows) == 1) == true:
        name = s.names[rows[0]]
        return s.pick(
            f"{name} is the only {s.one} that {single}.",
            f"Only {name} {single}.",
            f"Apart from {name}, no {s.one} {single}.",
            f"{name} is the only one of the {s.noun} that {single}.",
        )
    return None


def whole_lists(s: Subject, true: bool) -> str | None:
    found = some_demand(s)
    if not found or not 2 <= len(found[1]) <= 4:
        return None
    demand, rows = found
    said = list(rows)
    if not true:
        outside = [row for row in range(s.table.height) if row not in rows]
        if not outside:
            return None
        if len(said) > 2 and s.chance.random() < 0.5:
            said.pop()
        else:
            said[-1] = s.chance.choice(outside)
    names = as_list([s.names[row] for row in said])
    text = s.pick(
        f"The {s.noun} that {demand} are {names}.",
        f"{names} are the {s.noun} that {demand}.",
        f"Of {s.group()}, those that {demand} are {names}.",
    )
    return text[0].upper() + text[1:]


def both_rows(s: Subject, true: bool) -> str | None:
    found = some_demand(s)
    if not found or len(found[1]) < 2:
        return None
    demand, rows = found
    one, other = s.chance.sample(rows, 2)
    outside = [row for row in range(s.table.height) if row not in rows]
    if not true:
        if not outside:
            return None
        other = s.chance.choice(outside)
    pair = [s.names[one], s.names[other]]
    s.chance.shuffle(pair)
    return s.pick(
        f"Both {pair[0]} and {pair[1]} {demand}.",
        f"{pair[0]} and {pair[1]} both {demand}.",
        f"{pair[0]} and {pair[1]} {demand}.",
    )


def sums(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column = s.chance.choice(s.numbers)
    if column.unit == "%" or "rank" in heading(column):
        return None
    rows = s.rows(s.chance.choice([2, 2, 3]))
    total = sum(sort_key(column.values[row], column.unit) or 0 for row in rows)
    names, head = as_list([s.names[row] for row in rows]), heading(column)
    if s.chance.random() < 0.3 and len(rows) == 2:
        other = s.chance.choice([row for row in range(s.table.height) if row not in rows])
        alone = sort_key(column.values[other], column.unit) or 0
        if alone == total:
            return None
        joined = s.pick("together", "combined", "put together")
        if s.chance.random() < 0.3:
            less = (
                has_more(s, column, (alone > total) != true).replace("has ", "does not have ").replace("is ", "is not ")
            )
            return f"{s.names[other]} {less} than {names} {joined}."
        return f"{s.names[other]} {has_more(s, column, (alone > total) == true)} than {names} {joined}."
    if s.chance.random() < 0.4:
        limit = total * s.chance.choice([0.7, 0.9, 1.1, 1.3])
        limit = float(f"{limit:.2g}")
        if limit == total:
            return None
        number = f"{'more' if (total > limit) == true else 'less'} than {written(column, limit)}"
    else:
        number = written(column, float(f"{total if true else total * s.chance.choice([0.8, 1.2, 1.5]):.6g}"))
    return s.pick(
        f"{names} together have {number} {head}."
        if is_countable(column)
        else f"{names} have a combined {head} of {number}.",
        f"Taken together, {names} have {number} {head}.",
        f"{names} have {number} {head} {s.pick('in all', 'altogether', 'between them', 'in total')}.",
        f"The {head} of {names} add{'' if is_countable(column) else 's'} up to {number}.",
    )


def means(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column = s.chance.choice(s.numbers)
    rows = list(range(s.table.height)) if s.chance.random() < 0.6 else s.rows(2)
    values = [sort_key(column.values[row], column.unit) or 0 for row in rows]
    mean, head = sum(values) / len(values), heading(column)
    if s.chance.random() < 0.5:
        limit = float(f"{mean * s.chance.choice([0.7, 0.9, 1.1, 1.3]):.2g}")
        if limit == mean:
            return None
        number = f"{'more' if (mean > limit) == true else 'less'} than {written(column, limit)}"
    else:
        number = written(column, float(f"{mean if true else mean * s.chance.choice([0.7, 0.85, 1.2, 1.5]):.4g}"))
    who = s.group().removeprefix("all ") if len(rows) > 2 else f"{as_list([s.names[row] for row in rows])}"
    return s.pick(
        f"The average {head} of {who} is {number}.",
        f"The mean {head} of {who} is {number}.",
        f"On average {who} have {number} {head}.",
        f"An average of {number} {head} is found for {who}.",
    )


def shares(s: Subject, true: bool) -> str | None:
    columns = [c for c in s.numbers if not c.unit or c.unit != "%"]
    if not columns:
        return None
    column, row = s.chance.choice(columns), s.rows(1)[0]
    values = [sort_key(value, column.unit) or 0 for value in column.values]
    total = sum(values)
    if total <= 0 or min(values) < 0:
        return None
    part, head, name = 100 * values[row] / total, heading(column), s.names[row]
    limit = s.chance.choice([5, 10, 20, 25, 40, 50, 60, 75])
    if abs(part - limit) < 1:
        return None
    words = {50: s.pick("half", "50 %", "50 per cent")}.get(
        limit, f"{s.count(limit)} {s.pick('%', 'per cent', 'percent')}"
    )
    if limit == 50 and (part > 50) == true and s.chance.random() < 0.4:
        return f"{name} has a majority of the {head}."
    how = s.pick("more than", "over") if (part > limit) == true else s.pick("less than", "under")
    if s.chance.random() < 0.3:
        said = round(part) if true else round(part) + s.chance.choice([-12, 15, 20])
        if not 1 <= said <= 99:
            return None
        return f"About {said} {s.pick('%', 'per cent')} of the {head} {s.pick('belongs to', 'comes from')} {name}."
    return s.pick(
        f"{name} accounts for {how} {words} of the {head}.",
        f"{name} makes up {how} {words} of the total {head}.",
        f"{name} alone has {how} {words} of the {head} of {s.group().removeprefix('all ')}.",
    )


def shares_given(s: Subject, true: bool) -> str | None:
    """Shares that the table gives, of several things together."""
    columns = [c for c in s.numbers if c.unit == "%"]
    if not columns:
        return None
    column, rows = s.chance.choice(columns), s.rows(s.chance.choice([1, 2, 2, 3]))
    values = [sort_key(value, column.unit) or 0 for value in column.values]
    part, limit = sum(values[row] for row in rows), s.chance.choice([10, 20, 25, 33, 50, 66])
    if abs(part - limit) < 1 or max(values) > 100:
        return None
    words = {50: "half", 33: "a third", 25: "a quarter", 66: "two thirds", 20: "a fifth"}.get(limit, f"{limit} %")
    how = s.pick("more than", "over") if (part > limit) == true else s.pick("less than", "under")
    names, head = [s.names[row] for row in rows], heading(column)
    if len(rows) == 1:
        return s.pick(
            f"{names[0]} has {how} {words} of the {head}.", f"{names[0]} accounts for {how} {words} of the {head}."
        )
    return s.pick(
        f"{as_list(names)} together account for {how} {words} of the {head}.",
        f"{how.capitalize()} {words} of the {head} belongs to {as_list(names, 'or')}.",
    )


def distinct_values(s: Subject, true: bool) -> str | None:
    if not s.sorts:
        return None
    column = s.chance.choice(s.sorts)
    size, head = len({text.casefold() for text in column.texts}), heading(column)
    said = size if true else size + s.chance.choice([-2, -1, 1, 2, 3])
    plural = f"{head[:-1]}ies" if head.endswith("y") else head if head.endswith("s") else f"{head}s"
    if said < 2:
        return None
    who = s.group().removeprefix("all ")
    if s.chance.random() < 0.2 and (size == s.table.height) == true:
        return f"Each of the {s.noun} has a different {head}."
    return s.pick(
        f"In all, {who} have {s.count(said)} different {plural}.",
        f"The {s.noun} come from {s.count(said)} {plural}.",
        f"There are {s.count(said)} different {plural} among {who}.",
    )
