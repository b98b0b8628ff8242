"""People search a corpus: words find pages, sentences, tables and cells, and say which of their words were found.

Scores are BM25 over the whole corpus, divided by the best that the query could get: about the share of the question
that an answer holds, so that pages, sentences and tables can stand in one list, and a single page can be searched too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import log
from pathlib import Path

from tantivy import Occur, Query

from veritab.cancel import stop_if_cancelled
from veritab.errors import NotFound
from veritab.retrieve.index import Index, open_index
from veritab.retrieve.name_index import NameSource, key
from veritab.retrieve.search.highlight import held, highlights
from veritab.retrieve.search.query import QueryTerm, SearchQuery, parse_kind, parse_query
from veritab.retrieve.search.suggest import suggest
from veritab.retrieve.sparse import PAGES, TABLES, TEXTS, LocalId, SparseHit, SparseIndex
from veritab.schema import Element, ElementId, Kind, ListBlock, Page, Passage, Section, Sentence, Table, TableBlock
from veritab.schema import Place as Square
from veritab.text import Span

_WEIGHTS: dict[str, dict[str, float]] = {
    PAGES.name: {"title": 2.0, "introduction": 1.0, "body": 0.7},
    TEXTS.name: {"title": 0.5, "section": 0.3, "body": 1.0},
    TABLES.name: {"title": 0.6, "section": 0.5, "headers": 1.0, "body": 0.8},
}
_TEXT_KINDS = (Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE, Kind.SECTION, Kind.TABLE_CAPTION)
# Headings and captions are found as what they head: alone they say little, and being short they would come first.
_RUNNING_TEXT = (Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE)
_CELLS = (Kind.CELL, Kind.HEADER_CELL)
# An answer that holds every word stands before one that holds some of them often, words side by side before words
# apart, and a page that is called so before what mentions it; all in shares of the best that the words alone can score.
_ALL_WORDS = 0.5
_SIDE_BY_SIDE = 0.2
_IN_TITLE = 0.4
_SLOP = 2
# Of a pasted article the rarest words that the corpus knows are looked for.
_MOST_UNITS = 40
_SATURATION = 2.2  # what BM25 makes of a word that is repeated without end: k1 + 1
_TIE = 0.3
_MOST_SENTENCES = 2000
_MOST_TABLES = 100
_MOST_ROWS = 2
_AS_GOOD = 0.7  # a second row is shown when it says about as much
_MOST_IN_ROW = 24
_LONGEST_NAME = 300
_LONGEST_SIDE_BY_SIDE = 8
# What the rest of the row and the headers add to a cell, more so where its row and its column together are all that
# the query; what the caption and the headings add, and the table as a whole.
_BESIDE = 0.5
_CROSSING = 0.8
_AROUND = 0.25
_OF_TABLE = 0.1
_MOST_OF_TABLE = 3
_NOTHING: frozenset[QueryTerm] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """Something found: its score up to about 1, the spans of its text that were looked for, and what shows why.

    A page comes with its best sentence, a table with its best rows cell by cell, a cell with its row.
    """

    element: Element
    score: float
    highlights: tuple[Span, ...] = ()
    snippet: Match | None = None
    rows: tuple[tuple[Match, ...], ...] = ()


class Search:
    """Full-text search over the index of a corpus."""

    def __init__(self, index: Index) -> None:
        self.index = index

    @classmethod
    def open(cls, path: Path | str | None = None) -> Search:
        """Search the corpus in a folder, or the bundled almanac."""
        return cls(open_index(path))

    def close(self) -> None:
        self.index.close()
        self.index.store.close()

    def search(self, query: str, k: int = 10, kind: Kind | str | None = None, page: str | None = None) -> list[Match]:
        """What fits a query best, best first, of any kind or of one; on one page when a title is given."""
        question = parse_query(query)
        if kind is not None:
            question = replace(question, kind=parse_kind(kind))
        if page is not None:
            question = replace(question, page=self.index.store.page(page).title)
        if not question or k < 1:
            return []
        pages = self._numbers(question.page)
        if pages == []:
            return []
        return _Search(self.index, question, pages, k).matches()

    def _numbers(self, title: str | None) -> list[int] | None:
        if title is None:
            return None
        found = self.index.store.resolve(title)
        return list(self.index.store.numbers_by_title([found]).values()) if found else []

    def suggest(self, beginning: str, limit: int = 10) -> list[str]:
        """Titles that complete what was typed so far."""
        return suggest(self.index, beginning, limit)


class _Search:
    """One query over the sub-indexes."""

    def __init__(self, index: Index, question: SearchQuery, pages: list[int] | None, k: int) -> None:
        self._index = index
        self._query = question
        self._numbers = pages
        self._k = k
        self._pages: dict[int, Page] = {}
        units = question.units
        every = {unit: _rarity(index.texts, unit) for unit in units}
        rarest = sorted(units, key=lambda unit: (not _is_known(index, unit), -every[unit]))[:_MOST_UNITS]
        self._weight = {unit: every[unit] for unit in units if unit in set(rarest)}
        self._total = sum(self._weight.values()) or 1.0

    def matches(self) -> list[Match]:
        kind = self._query.kind
        if kind in _CELLS:
            return self._cells(kind)
        found: list[SparseHit] = []
        if kind is Kind.TITLE or (kind is None and self._numbers is None):
            found += self._named(self._entries(self._index.pages))
        if kind is None or kind in _TEXT_KINDS:
            found += self._entries(self._index.texts, _RUNNING_TEXT if kind is None else (kind,))
        if kind is None or kind is Kind.TABLE:
            found += self._entries(self._index.tables)
        found.sort(key=lambda entry: (-entry.score, entry.page, entry.place))
        found = found[: self._k]
        self._load(found)
        return list(self._matches(entry for entry in found if entry.page in self._pages))

    # -- the sub-indexes --

    def _entries(self, sparse: SparseIndex, kinds: Iterable[Kind] | None = None, k: int = 0) -> list[SparseHit]:
        weights = dict(_WEIGHTS[sparse.sub_index.name])
        asked = {field for _, field in self._query.required if field}
        if not asked <= set(weights):
            return []
        if self._numbers is not None and len(weights) > 1 and sparse is not self._index.pages:
            del weights["title"]  # every entry of the page has it
        ideal = self._ideal(sparse, weights)
        query = Query.boolean_query(list(self._clauses(sparse, weights, ideal)))
        found = sparse.matching(query, k or self._k, pages=self._numbers, kinds=kinds)
        best = ideal * (1 + _ALL_WORDS + _SIDE_BY_SIDE)
        return [entry._replace(score=entry.score / best) for entry in found]

    def _ideal(self, sparse: SparseIndex, weights: Mapping[str, float]) -> float:
        """What an entry would score that is about nothing but the question."""
        sums = (
            max(weight * _rarity(sparse, unit, field) for field, weight in weights.items()) for unit in self._weight
        )
        fields = (
            weights.get(field, 0.0) * _rarity(sparse, unit, field) for unit, field in self._query.required if field
        )
        return _SATURATION * (sum(sums) + sum(fields)) or 1.0

    def _clauses(
        self, sparse: SparseIndex, weights: Mapping[str, float], ideal: float
    ) -> Iterator[tuple[Occur, Query]]:
        anywhere = {unit: _anywhere(sparse, unit, weights) for unit in self._weight}
        for unit, field in self._query.required:
            if field:
                yield Occur.Must, Query.boost_query(_in_field(sparse, unit, field), weights.get(field, 0.0))
            elif unit in anywhere:
                yield Occur.Must, anywhere[unit]
        wanted = [unit for unit in self._query.wanted if unit in anywhere]
        if wanted:
            demanded = Occur.Should if self._query.required else Occur.Must
            yield demanded, Query.boolean_query([(Occur.Should, anywhere[unit]) for unit in wanted])
        if anywhere and sparse.sub_index is TEXTS:
            # What only stands on the right page, or under the right heading, is not a match by itself.
            some = [(Occur.Should, _in_field(sparse, unit, "body")) for unit in anywhere]
            yield Occur.Must, Query.const_score_query(Query.boolean_query(some), 0.0)
        yield from self._bonuses(sparse, wanted, anywhere, ideal)
        for unit, field in self._query.excluded:
            fields = [field] if field else list(weights)
            for one in fields:
                if one in sparse.sub_index.fields:
                    yield Occur.MustNot, _in_field(sparse, unit, one)

    def _bonuses(
        self, sparse: SparseIndex, wanted: Sequence[QueryTerm], anywhere: Mapping[QueryTerm, Query], ideal: float
    ) -> Iterator[tuple[Occur, Query]]:
        if wanted:
            every = Query.boolean_query([(Occur.Must, anywhere[unit]) for unit in wanted])
            yield Occur.Should, Query.const_score_query(every, _ALL_WORDS * ideal)
        if sparse.sub_index is PAGES and anywhere:
            titled = Query.boolean_query([(Occur.Must, _in_field(sparse, unit, "title")) for unit in anywhere])
            yield Occur.Should, Query.const_score_query(titled, _IN_TITLE * ideal)
        side_by_side = [term for unit in wanted for term in unit]
        if 1 < len(side_by_side) <= _LONGEST_SIDE_BY_SIDE:
            near = [
                (Occur.Should, Query.phrase_query(sparse.schema, field, list(side_by_side), _SLOP))
                for field in _WEIGHTS[sparse.sub_index.name]
            ]
            yield Occur.Should, Query.const_score_query(Query.boolean_query(near), _SIDE_BY_SIDE * ideal)

    def _named(self, found: list[SparseHit]) -> list[SparseHit]:
        """With the page that is called just what was typed, perhaps by a redirect, in the first place."""
        name = key(self._query.name[:_LONGEST_NAME])
        if not name or not self._query.is_plain or self._numbers is not None:
            return found
        targets = self._index.names.targets([name]).get(name, [])
        names = [target.target for target in targets if target.how in (NameSource.TITLE, NameSource.REDIRECT)]
        titles = [title for title in self._index.store.resolve_all(names).values() if title]
        called = {
            number: SparseHit(number, LocalId(Kind.TITLE), 1.0)
            for number in self._index.store.numbers_by_title(titles).values()
        }
        return [*called.values(), *(entry for entry in found if entry.page not in called)]

    # -- what is shown --

    def _load(self, found: Iterable[SparseHit]) -> None:
        numbers = {entry.page for entry in found} - self._pages.keys()
        for number, title in self._index.store.titles_by_number(numbers).items():
            self._pages[number] = self._index.store.page(title)

    def _matches(self, found: Iterable[SparseHit]) -> Iterator[Match]:
        for entry in found:
            stop_if_cancelled()
            try:
                yield self._match(entry)
            except NotFound:  # gone from the corpus since the index was built
                continue

    def _match(self, entry: SparseHit) -> Match:
        page = self._pages[entry.page]
        match = self._marked(page.element(ElementId(page.title, entry.place.kind, entry.place.path)), entry.score)
        if entry.place.kind is Kind.TITLE:
            return replace(match, snippet=self._snippet(page))
        if entry.place.kind is Kind.TABLE:
            return replace(match, rows=self._rows(page, page.table(entry.place.path[0])))
        return match

    def _marked(self, element: Element, score: float) -> Match:
        return Match(element, score, highlights(element.text, self._weight))

    def _share(self, units: Iterable[QueryTerm]) -> float:
        """How much of the question these units are, from 0 to 1."""
        return sum(self._weight[unit] for unit in units) / self._total

    def _snippet(self, page: Page) -> Match | None:
        """The sentence or item that holds most of the query, else the first."""
        best, most = None, -1.0
        for place, text in islice(_running_text(page), _MOST_SENTENCES):
            share = self._share(held(text, self._weight))
            if share > most:
                best, most = place, share
        if best is None:
            return None
        return self._marked(page.element(ElementId(page.title, best.kind, best.path)), most)

    def _rows(self, page: Page, table: Table) -> tuple[tuple[Match, ...], ...]:
        """The rows of a table that hold most of the query, else its first."""
        grid = _Grid(table, self._weight)
        shares = [(-self._share(grid.row(row)), row) for row in grid.data_rows]
        best = sorted(shares)[:_MOST_ROWS]
        best = [one for one in best if one[0] <= _AS_GOOD * best[0][0]]
        return tuple(self._row(page, table, row) for _, row in sorted(best, key=lambda one: one[1]))

    def _row(self, page: Page, table: Table, row: int) -> tuple[Match, ...]:
        places = dict.fromkeys(place for place in table.places[row] if place)
        cells = (page.element(table.cell_id(place)) for place in islice(places, _MOST_IN_ROW))
        return tuple(self._marked(cell, self._share(held(cell.text, self._weight))) for cell in cells)

    # -- cells --

    def _cells(self, kind: Kind) -> list[Match]:
        # What a cell must not say may well be said elsewhere in its table.
        tables = replace(self._query, excluded=())
        found = _Search(self._index, tables, self._numbers, self._k)._entries(
            self._index.tables, k=min(_MOST_TABLES, 20 + 2 * self._k)
        )
        self._load(found)
        scored = [scored for entry in found for scored in self._cells_of(entry, kind)]
        scored.sort(key=lambda one: (-one[0], one[1]))
        pages = {page.title: page for page in self._pages.values()}
        chosen = _spread(scored, self._k) if self._numbers is None else scored[: self._k]
        return [self._cell(pages[id.page], id, score) for score, id in chosen]

    def _cell(self, page: Page, id: ElementId, score: float) -> Match:
        row = self._row(page, page.table(id.path[0]), id.path[1])
        return replace(self._marked(page.element(id), score), rows=(row,))

    def _cells_of(self, entry: SparseHit, kind: Kind) -> Iterator[tuple[float, ElementId]]:
        """The cells of a table that match the query, or lie where a matching row and column cross."""
        stop_if_cancelled()
        if entry.page not in self._pages:
            return
        page = self._pages[entry.page]
        table = page.table(entry.place.path[0])
        grid = _Grid(table, self._weight)
        around = held(f"{_headings(page, entry.place)} {table.caption}", self._weight)
        for place, own in grid.held.items():
            if grid.is_kind(place, kind) and not self._is_excluded(table.rows[place[0]][place[1]].text):
                heads, beside = grid.heads(place), grid.beside(place)
                crossing = len(self._weight) > 1 and heads and len(own | heads | beside | around) == len(self._weight)
                if own or (crossing and kind is Kind.CELL):
                    share = self._share(own) * grid.fullness(place)
                    share += (_CROSSING if crossing else _BESIDE) * self._share((heads | beside) - own)
                    share += _AROUND * self._share(around - own - heads - beside)
                    yield (share + _OF_TABLE * entry.score) / (1 + _OF_TABLE), table.cell_id(place)

    def _is_excluded(self, text: str) -> bool:
        return bool(held(text, [unit for unit, field in self._query.excluded if not field]))


def _spread(scored: Sequence[tuple[float, ElementId]], k: int) -> list[tuple[float, ElementId]]:
    """The best cells, but of each table only a few while others have some."""
    times: Counter[tuple[str, int]] = Counter()
    first: list[tuple[float, ElementId]] = []
    later: list[tuple[float, ElementId]] = []
    for score, id in scored:
        times[id.page, id.path[0]] += 1
        (first if times[id.page, id.path[0]] <= _MOST_OF_TABLE else later).append((score, id))
    return sorted([*first, *later][:k], key=lambda one: (-one[0], one[1]))


class _Grid:
    """A table with what each cell of it holds of a question."""

    def __init__(self, table: Table, units: Iterable[QueryTerm]) -> None:
        self._table = table
        wanted = tuple(units)
        self.held = {
            (row, position): held(cell.text, wanted)
            for row, cells in enumerate(table.rows)
            for position, cell in enumerate(cells)
        }
        self._first: dict[Square, Square] = {}
        self._along: dict[int, frozenset[QueryTerm]] = {}
        self._across: dict[int, frozenset[QueryTerm]] = {}
        self._row: dict[int, frozenset[QueryTerm]] = {}
        for row, line in enumerate(table.places):
            for column, place in enumerate(line):
                if place is not None:
                    self._put(row, column, place)

    def _put(self, row: int, column: int, place: Square) -> None:
        self._first.setdefault(place, (row, column))
        own = self.held[place]
        self._row[row] = self._row.get(row, _NOTHING) | own
        if own and self._table.rows[place[0]][place[1]].header:
            self._along[row] = self._along.get(row, _NOTHING) | own
            self._across[column] = self._across.get(column, _NOTHING) | own

    @cached_property
    def data_rows(self) -> list[int]:
        """The rows that are not all headers."""
        rows = self._table.rows
        return [
            row
            for row, line in enumerate(self._table.places)
            if any(place and not rows[place[0]][place[1]].header for place in line)
        ]

    @cached_property
    def _data_rows(self) -> frozenset[int]:
        return frozenset(self.data_rows)

    def is_kind(self, place: Square, kind: Kind) -> bool:
        """Header cells are headers; cells are what stands in rows of data, the header of such a row too."""
        header = self._table.rows[place[0]][place[1]].header
        return header if kind is Kind.HEADER_CELL else (not header or place[0] in self._data_rows)

    def row(self, row: int) -> frozenset[QueryTerm]:
        return self._row.get(row, _NOTHING)

    def beside(self, place: Square) -> frozenset[QueryTerm]:
        """What the row of a cell holds."""
        return self.row(self._first[place][0])

    def heads(self, place: Square) -> frozenset[QueryTerm]:
        """What the headers of a cell's row and column hold."""
        row, column = self._first[place]
        return self._along.get(row, _NOTHING) | self._across.get(column, _NOTHING)

    def fullness(self, place: Square) -> float:
        """Nearly 1 for a cell that holds nothing but words of the query, less where it holds other words too."""
        asked = sum(map(len, self.held[place]))
        return 0.6 + 0.4 * min(1.0, asked / max(1, len(self._table.rows[place[0]][place[1]].text.split())))


# -- words and sub-indexes ---------------------------------------------------------------------------------


def _is_known(index: Index, unit: QueryTerm) -> bool:
    """Whether some page has each word of a unit."""
    return all(index.pages.frequency("body", term) or index.pages.frequency("title", term) for term in unit)


def _rarity(sparse: SparseIndex, unit: QueryTerm, field: str = "body") -> float:
    """BM25's weight of a unit: words of few entries weigh more, and a phrase weighs what its words weigh."""
    size = len(sparse)
    frequencies = (sparse.frequency(field, term) for term in unit)
    return sum(log(1 + max(0.0, size - frequency + 0.5) / (frequency + 0.5)) for frequency in frequencies)


def _in_field(sparse: SparseIndex, unit: QueryTerm, field: str) -> Query:
    if len(unit) == 1:
        return Query.term_query(sparse.schema, field, unit[0], "freq")
    return Query.phrase_query(sparse.schema, field, list(unit))


def _anywhere(sparse: SparseIndex, unit: QueryTerm, weights: Mapping[str, float]) -> Query:
    """The best field counts, the others a little."""
    some = [Query.boost_query(_in_field(sparse, unit, field), weight) for field, weight in weights.items()]
    return Query.disjunction_max_query(some, _TIE)


def _headings(page: Page, place: LocalId) -> str:
    """The title, and the headings over a table. (Its element knows them too, but building all of a page takes long.)"""
    sections: list[Section] = []
    for block in page.blocks:
        if type(block) is Section:
            while sections and sections[-1].level >= block.level:
                sections.pop()
            sections.append(block)
        elif type(block) is TableBlock and place.path == (block.number,):
            break
    return " ".join((page.title, *(section.text for section in sections)))


def _running_text(page: Page) -> Iterator[tuple[LocalId, str]]:
    """Sentences, passages and items, in reading order."""
    for block in page.blocks:
        if type(block) is ListBlock:
            for position, item in enumerate(block.items):
                yield LocalId(Kind.ITEM, (block.number, position)), item.text
        elif type(block) is Sentence or type(block) is Passage:
            yield LocalId(Kind(type(block).__name__.lower()), (block.number,)), block.text
