"""Claims over the tables of any corpus: what a cell says of the thing that its row is about, and of two such things.

Only columns whose headers can be said in a sentence are spoken of, and only rows that a name tells apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple, TypeAlias

from veritab.build.inflection import base_noun, is_common_word, is_noun
from veritab.build.processes import map_in_order
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut
from veritab.build.sampling import random_stream, weighted_choice
from veritab.build.tables.near_values import BLANK, SUMMED, near_numbers, nearest
from veritab.build.tables.page_subject import headed_by, place_claim, with_article
from veritab.build.tables.wording import add_country_articles
from veritab.datasets.table_questions import SourceTable, find_opening
from veritab.engine import Engine
from veritab.errors import InputError
from veritab.lexicon.numbers import MONTH_NAMES, ORDINALS
from veritab.schema import ElementId, Kind, Label, Page, Table

RULE = "table"
"""What the claims of tables are called where none could be made."""
_SHAPES = {"value": 0.7, "compared": 0.15, "shared": 0.15}
_MOST_TRIED = 12
_MOST_ROWS = 100
_LEAST_NUMBERED = 3
_MOST_WORDS, _MOST_HEADER_WORDS = 8, 4
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_DATE = re.compile(rf"\b(?:{'|'.join(MONTH_NAMES)}|[A-Z][a-z]{{2}})\b.*\d|\d.*\b(?:{'|'.join(MONTH_NAMES)})\b")
_NAME = re.compile(r"[^\W\d_a-z]|[\"“]|\d+ [a-z×]")
"""How a name begins: with a capital, a quote, or as "100 metres" does."""
_NO_KEY = re.compile(
    r"\b(?:rank|position|place|number|year|date|day|month|season|week|round|time|result|score|period|note|remark|type)s?\b"
)
_NO_VALUE = re.compile(
    r"^number$|\b(?:other|best|note|remark|comment|reference|source|detail|description|image|key|code|link|symbol)s?\b"
)
_NO_AMOUNT = re.compile(
    r"\b(?:rank|position|place|number|year|date|season|week|round|series|seed|time|day|age|"
    r"district|ward|division|precinct|zone|sector|region|lane|heat|grid|channel|chapter|code|route|class|level|stage)s?\b"
)
_LONG_FORMS = {
    "pts": "points", "pos": "position", "rnd": "round", "no": "number", "pop": "population", "att": "attendance",
    "nat": "nationality", "gp": "games played", "pld": "games played",
}  # fmt: skip
_SAYS_NOTHING = re.compile(r"\W*|(?:tables?|lists?|data|overview|details)(?: \d+)?\W*", re.IGNORECASE)
"""Headings of a table that do not tell it from others."""
_MEDALS = frozenset({"gold", "silver", "bronze"})
_SMALL = frozenset({"of", "in", "by", "for", "the", "and", "to", "per", "at"})


def build_of_pages(
    pages: Iterable[Page], source: str, seed: int, *, per_table: int = 1, engine: Engine | None = None
) -> Iterator[Built]:
    """Two claims, a true one and a false one, of each table; as many pairs as asked for, or why there are fewer."""
    work = partial(_of_page, source=source, seed=seed, per_table=per_table)
    built = map_in_order(work, (page for page in pages if page.tables), engine)
    # Every table gives a claim or a reason why it gives none.
    first = next(built, None)
    if first is None:
        raise InputError(f"{source} holds no table; claims of its sentences are made by `veritab build mutate`")
    yield from chain((first,), built)


def _of_page(page: Page, source: str, seed: int, per_table: int) -> list[Built]:
    return [each for table in page.tables for each in _of_table(table, page, source, seed, per_table)]


def _of_table(table: Table, page: Page, source: str, seed: int, per_table: int) -> Iterator[Built]:
    name = str(table.id)
    try:
        view = _ClaimRows(table)
    except ValueError as error:
        yield LeftOut(name, "", str(error), RULE)
        return
    made: set[str] = set()
    for place in range(per_table):
        for turn in range(_MOST_TRIED):
            rng = random_stream(seed, "corpus table", name, place, turn)
            shape = weighted_choice(rng, _SHAPES)
            pair = _SHAPE_MAKERS[shape](view, rng)
            if pair and pair.true not in made:
                break
        else:
            yield LeftOut(name, "", "none of the shapes of claims fits its rows", RULE)
            return
        made.add(pair.true)
        cells = tuple(dict.fromkeys(filter(None, (view.address(row, column) for row, column in pair.cells))))
        origin = ClaimOrigin(source, name, shape, seed)
        for claim, label, suffix in ((pair.true, Label.SUPPORTS, "true"), (pair.false, Label.REFUTES, "false")):
            text = _place(add_country_articles(claim), table, page)
            yield BuiltRecord(f"{name}-{place}-{suffix}", text, label, origin, (cells,))


# -- a table -----------------------------------------------------------------------------------------------


class _ClaimRows:
    """The rows of a table that claims can be made of: each with a name of its own, under columns that can be said."""

    def __init__(self, table: Table) -> None:
        """ValueError says why no claims can be made of a table."""
        self._table = table
        headed = [_is_header_row(table, row) for row in range(len(table.grid))]
        if not headed or not headed[0]:
            raise ValueError("it has no header")
        if table.infobox:
            raise ValueError("it is an infobox, which has no rows to tell apart")
        width = len(table.grid[0])
        if ragged := next((row for row, line in enumerate(table.grid) if len(line) != width), None):
            raise ValueError(f"it is ragged: row {ragged} has {len(table.grid[ragged])} cells, the header {width}")
        self._depth = headed.index(False) if False in headed else len(headed)
        rows = [row for row in range(self._depth, len(headed)) if not headed[row] and len(set(table.grid[row])) > 1]
        if len(rows) < 2:
            raise ValueError("it has fewer than two rows under its header")
        names = {column: self._say_header(column) for column in range(width)}
        self.names = {column: name for column, name in names.items() if name and list(names.values()).count(name) == 1}
        if set(self.names.values()) >= _MEDALS:
            self.names = {n: f"{name} medals" if name in _MEDALS else name for n, name in self.names.items()}
        self.rows = rows[:_MOST_ROWS]
        self.key = self._find_key(rows)

    def _say_header(self, column: int) -> str:
        """What a column is called inside a sentence; nothing where its header cannot be said."""
        levels = list(dict.fromkeys(filter(None, (self._table.text(row, column) for row in range(self._depth)))))
        bare = [re.sub(r"\s*[(\[].*?[)\]]", "", level).strip(" .:").lower() for level in levels]
        bare = [_LONG_FORMS.get(each, each) for each in bare]
        if not bare or len(bare) > 2 or any(level.isupper() and len(level) > 4 for level in levels):
            return ""
        if len(bare) == 2 and (" " in bare[0] or base_noun(bare[0]) == bare[0]):
            return ""
        name = " ".join(reversed(bare))
        words = name.split()
        if not 0 < len(words) <= _MOST_HEADER_WORDS or _NO_VALUE.search(name):
            return ""
        if not all(word in _SMALL or (len(word) > 2 and word.isalpha() and is_common_word(word)) for word in words):
            return ""
        return name if is_noun(_head(name)) else ""

    def _find_key(self, rows: Sequence[int]) -> int:
        """The column that names the rows: the first with a name in each, and none twice."""
        for column, name in self.names.items():
            texts = [self._table.text(row, column) for row in rows]
            named = [row for row, text in zip(rows, texts, strict=True) if not SUMMED.fullmatch(text)]
            kept = [self._table.text(row, column) for row in named]
            if (
                not _NO_KEY.search(name)
                and len(set(texts)) == len(texts)
                and len(kept) > 1
                and all(map(_is_name, kept))
            ):
                self.rows = named[:_MOST_ROWS]
                return column
        raise ValueError("no column names its rows")

    @cached_property
    def columns(self) -> list[int]:
        """The columns that something can be said of."""
        return [column for column in self.names if column != self.key]

    def address(self, row: int, column: int) -> ElementId | None:
        return self._table.grid[row][column]

    def text(self, row: int, column: int) -> str:
        """What a cell says; nothing where that cannot stand in a sentence."""
        text = self._table.text(row, column)
        return "" if BLANK.fullmatch(text) or text.count(" ") >= _MOST_WORDS or "\n" in text else text

    def amounts(self, column: int) -> dict[int, float]:
        """The numbers of a column whose cells are nothing else."""
        texts = {row: self.text(row, column) for row in self.rows}
        return {row: float(text.replace(",", "")) for row, text in texts.items() if _AMOUNT.fullmatch(text)}

    def counts(self, column: int) -> bool:
        """Whether a column tells how many of something there are."""
        name = self.names[column]
        plural = base_noun(_head(name)) != _head(name)
        return (
            plural
            and not _NO_AMOUNT.search(name)
            and all(_WHOLE.fullmatch(self.text(row, column)) for row in self.rows)
        )

    def other(self, row: int, column: int, rng: random.Random) -> str:
        """Another value for a cell: one of the rows around, or a number near it."""
        texts = [self._table.text(each, column) for each in self.rows]
        text = self.text(row, column)
        found = [each for each in nearest(texts, self.rows.index(row)) if "\n" not in each] or near_numbers(text, rng)
        return rng.choice(found) if found else ""


def _is_header_row(table: Table, row: int) -> bool:
    line = table.grid[row]
    headers = all(id is not None and id.kind is Kind.HEADER_CELL for id in line)
    return headers and any(table.text(row, column) for column in range(len(line)))


def _head(name: str) -> str:
    """The noun that the name of a column ends with, before what is said of it: "population in towns"."""
    return re.split(r" (?:of|in|by|for|per|at|to) ", name)[0].split()[-1]


def _is_name(text: str) -> bool:
    if BLANK.fullmatch(text) or (len(text) < 3 and text.isalpha()) or text.count(" ") >= _MOST_WORDS or "\n" in text:
        return False
    return bool(_NAME.match(text)) and not _DATE.search(text) and text.lower() not in ORDINALS


# -- claims ------------------------------------------------------------------------------------------------


class _ClaimPair(NamedTuple):
    """A true claim and a false one that differ in one cell or one word, and the cells that decide both."""

    true: str
    false: str
    cells: tuple[tuple[int, int], ...]


_Maker: TypeAlias = Callable[[_ClaimRows, random.Random], "_ClaimPair | None"]


def _say(view: _ClaimRows, row: int, column: int, value: str) -> str:
    """What a cell says of the thing that its row is about."""
    key, name = view.text(row, view.key), view.names[column]
    if view.counts(column):
        return f"{key} has {value} {_counted(name, value)}"
    return f"the {name} listed for {key} is {value}"


def _counted(name: str, value: str) -> str:
    head = _head(name)
    return name.replace(head, base_noun(head), 1) if value == "1" else name


def _can_say(view: _ClaimRows, row: int, column: int) -> bool:
    """Whether a cell gives a sentence: a single thing has a single name, and medals are counted."""
    name = view.names[column]
    plural = base_noun(_head(name)) != _head(name)
    return bool(view.text(row, column)) and (view.counts(column) or not (plural or name in _MEDALS))


def _make_value(view: _ClaimRows, rng: random.Random) -> _ClaimPair | None:
    """What one or two cells say of one row."""
    row = rng.choice(view.rows)
    known = [column for column in view.columns if _can_say(view, row, column)]
    if not known:
        return None
    first, *more = rng.sample(known, min(len(known), rng.choice((1, 1, 2))))
    other = view.other(row, first, rng)
    if not other:
        return None
    added = "".join(_say_also(view, row, column) for column in more)
    texts = [f"{_say(view, row, first, value)}{added}." for value in (view.text(row, first), other)]
    return _ClaimPair(texts[0], texts[1], ((row, first), (row, view.key), *((row, column) for column in more)))


def _say_also(view: _ClaimRows, row: int, column: int) -> str:
    value, name = view.text(row, column), view.names[column]
    return f", with {value} {_counted(name, value)}" if view.counts(column) else f", and the {name} is {value}"


def _make_compared(view: _ClaimRows, rng: random.Random) -> _ClaimPair | None:
    """Which of two rows has more; the false claim says the other way round."""
    amounts = {column: view.amounts(column) for column in view.columns if not _NO_AMOUNT.search(view.names[column])}
    columns = [column for column, found in amounts.items() if len(found) > 1 and not _is_numbering(found)]
    if not columns:
        return None
    column = rng.choice(columns)
    one, other = rng.sample(sorted(amounts[column]), 2)
    if amounts[column][one] == amounts[column][other]:
        return None
    is_more = amounts[column][one] > amounts[column][other]
    name, keys = view.names[column], [view.text(row, view.key) for row in (one, other)]
    if view.counts(column):
        texts = [f"{keys[0]} has {word} {name} than {keys[1]}." for word in _order(("more", "fewer"), is_more)]
    else:
        words = _order(("higher", "lower"), is_more)
        texts = [f"the {name} of {keys[0]} is {word} than that of {keys[1]}." for word in words]
    return _ClaimPair(texts[0], texts[1], ((one, column), (other, column), (one, view.key), (other, view.key)))


def _is_numbering(amounts: Mapping[int, float]) -> bool:
    """Whether numbers only tell rows apart: each once, and without a gap."""
    values = sorted(amounts.values())
    return len(values) >= _LEAST_NUMBERED and values == [values[0] + step for step in range(len(values))]


def _order(words: tuple[str, str], as_they_are: bool) -> tuple[str, str]:
    return words if as_they_are else (words[1], words[0])


def _make_shared(view: _ClaimRows, rng: random.Random) -> _ClaimPair | None:
    """What two rows have in common."""
    for column in rng.sample(view.columns, len(view.columns)):
        known = [row for row in view.rows if _can_say(view, row, column)]
        pairs = [(a, b) for a in known for b in known if a < b and view.text(a, column) == view.text(b, column)]
        if not pairs:
            continue
        one, other = rng.choice(pairs)
        false = view.other(one, column, rng)
        if not false:
            continue
        keys = [view.text(row, view.key) for row in (one, other)]
        texts = [_say_shared(view, column, keys, value) for value in (view.text(one, column), false)]
        return _ClaimPair(texts[0], texts[1], ((one, column), (other, column), (one, view.key), (other, view.key)))
    return None


def _say_shared(view: _ClaimRows, column: int, keys: Sequence[str], value: str) -> str:
    name = view.names[column]
    if view.counts(column):
        return f"{keys[0]} and {keys[1]} have {value} {_counted(name, value)} each."
    return f"the {name} listed for both {keys[0]} and {keys[1]} is {value}."


_SHAPE_MAKERS: dict[str, _Maker] = {"value": _make_value, "compared": _make_compared, "shared": _make_shared}


def _place(claim: str, table: Table, page: Page) -> str:
    """The claim with where it holds before it: the page, and the heading of the table where the page has several."""
    sections = tuple(each.text for each in table.context[1:])
    source = SourceTable("", page.title, (), sections, table.caption, find_opening(page))
    heading = next((each for each in (table.caption, *sections[-1:]) if not _SAYS_NOTHING.fullmatch(each)), "")
    if len(page.tables) < 2 or not heading or headed_by(source) or heading.count(" ") >= _MOST_WORDS:
        return place_claim(claim, source)
    return f'In the table "{heading}" of {with_article(page.title, source)}, {claim}'
