"""Words find entries: a tantivy index per kind of entry, on disk, memory-mapped, changed in place.

There are three sub-indexes. A page is in `PAGES` as a whole and by its introduction; its sentences, items, captions and
passages lie on `TEXTS`, its tables on `TABLES`, one entry each. They are kept apart because BM25 weighs a word by how
many entries have it and how long those are: pages, sentences and tables each have their own idea of that.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from tantivy import DocAddress, Document, Index, IndexWriter, Occur, Query, Schema, SchemaBuilder, Searcher

from veritab.cancel import stop_if_cancelled
from veritab.retrieve.index_errors import damaged_index, translate_errors
from veritab.schema import Kind, ListBlock, Page, Section, TableBlock
from veritab.text import TERMS, content_terms, terms

_ANALYSER = "veritab"
_HEAP = 64_000_000
# A query of ten thousand words finds what its first few hundred find, a hundred times slower.
MOST_TERMS = 200
# A larger table is several entries, so that its last row is found as well as its first.
_CELLS_AN_ENTRY = 2000
# Entries that score the same are put in order here, as tantivy's own order depends on how segments were merged; of more
# than these, which come first is left to it.
_MOST_TIES = 20_000
# Scores are sums of 32-bit numbers, whose last digits depend on the order of adding up. Digits are counted from the
# first that is not zero: a word on every page of a large corpus scores next to nothing, which is still not nothing.
_DIGITS = 6
_NO_BOOSTS: Mapping[str, float] = {}


@dataclass(frozen=True)
class SubIndex:
    """A kind of entry and the fields it has."""

    name: str
    fields: tuple[str, ...]


PAGES = SubIndex("pages", ("title", "introduction", "body"))
TEXTS = SubIndex("texts", ("title", "section", "body"))
TABLES = SubIndex("tables", ("title", "section", "headers", "body"))
SUB_INDEXES = (PAGES, TEXTS, TABLES)


class LocalId(NamedTuple):
    """Which element of its page an entry is."""

    kind: Kind
    path: tuple[int, ...] = ()


_KINDS = tuple(Kind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_PATHS = {Kind.TITLE: 0, Kind.ITEM: 2}
_BITS = 30  # the numbers of an address have at most nine digits
_MASK = (1 << _BITS) - 1


def _to_number(place: LocalId) -> int:
    kind, path = place
    first = path[0] if path else 0
    second = path[1] if len(path) > 1 else 0
    return _NUMBERS[kind] << 2 * _BITS | first << _BITS | second


def _from_number(number: int) -> LocalId:
    kind = _KINDS[number >> 2 * _BITS]
    return LocalId(kind, (number >> _BITS & _MASK, number & _MASK)[: _PATHS.get(kind, 1)])


class IndexEntry(NamedTuple):
    """Something to be found: where it is, and its words by field."""

    place: LocalId
    fields: dict[str, str]


class SparseHit(NamedTuple):
    """An entry that matches: the number of its page in the store, where on the page, and how well."""

    page: int
    place: LocalId
    score: float

    def share_of(self, best: SparseHit) -> float:
        """How well it matches, compared with the best; words that every entry has weigh next to nothing."""
        return self.score / best.score if best.score else 1.0


class Clause(NamedTuple):
    """A word, or words in a row, in a field, and what they weigh."""

    field: str
    words: tuple[str, ...]
    weight: float


class TermStatistics(NamedTuple):
    """How many entries there are, how long on average by field, and how many have each word of a field."""

    entries: int
    lengths: dict[str, float]
    frequencies: dict[tuple[str, str], int]

    def weigh(self, field: str, words: Iterable[str]) -> float:
        """What words weigh by how rare they are, as BM25 has it."""
        counts = (self.frequencies[field, word] for word in words)
        return sum(log(1 + (self.entries - count + 0.5) / (count + 0.5)) for count in counts)


class ShardQuery(NamedTuple):
    """What a shard is asked for: its `k` best entries by the statistics of all shards."""

    sub_index: str
    clauses: tuple[Clause, ...]
    kinds: tuple[Kind, ...] | None
    statistics: TermStatistics
    k: int


class ShardAnswer(NamedTuple):
    """The pages of a shard's best entries, and the most that any other of its entries may score, 0 if there is none."""

    pages: tuple[int, ...]
    most: float


# -- what of a page is indexed -----------------------------------------------------------------------------


def entries(page: Page) -> dict[SubIndex, list[IndexEntry]]:
    """Everything of a page that can be found."""
    texts: list[IndexEntry] = []
    tables: list[IndexEntry] = []
    sections: list[tuple[int, str]] = []
    introduction: list[str] = []
    for block in page.blocks:
        section = " ".join(name for _, name in sections)
        if type(block) is Section:
            while sections and sections[-1][0] >= block.level:
                sections.pop()
            if not page.is_called_by(block):
                sections.append((block.level, block.text))
        elif type(block) is TableBlock:
            shared = {"title": page.title, "section": section}
            place = LocalId(Kind.TABLE, (block.number,))
            tables += [IndexEntry(place, shared | fields) for fields in _table_fields(block)]
            if block.caption:
                texts.append(IndexEntry(LocalId(Kind.TABLE_CAPTION, (block.number,)), shared | {"body": block.caption}))
        elif type(block) is ListBlock:
            for position, item in enumerate(block.items):
                fields = {"title": page.title, "section": section, "body": item.text}
                texts.append(IndexEntry(LocalId(Kind.ITEM, (block.number, position)), fields))
        else:
            kind = Kind(type(block).__name__.lower())
            fields = {"title": page.title, "section": section, "body": block.text}
            texts.append(IndexEntry(LocalId(kind, (block.number,)), fields))
            if not sections:
                introduction.append(block.text)
    whole = {
        "title": page.title,
        "introduction": " ".join(introduction),
        "body": "\n".join(chain((text for text, _ in page.texts()), filter(None, [page.file]))),
    }
    return {PAGES: [IndexEntry(LocalId(Kind.TITLE), whole)], TEXTS: texts, TABLES: tables}


def _table_fields(block: TableBlock) -> Iterator[dict[str, str]]:
    cells = [cell for row in block.rows for cell in row]
    for start in range(0, max(len(cells), 1), _CELLS_AN_ENTRY):
        part = cells[start : start + _CELLS_AN_ENTRY]
        # The headers of the first rows are those of the rest; there may be others among it.
        heads = part if not start else [*cells[:_CELLS_AN_ENTRY], *part]
        headers = " ".join(cell.text for cell in heads if cell.header)
        yield {
            "headers": f"{block.caption} {headers}",
            "body": " ".join(cell.text for cell in part if not cell.header),
        }


# -- on disk -----------------------------------------------------------------------------------------------


_META = "meta.json"
_MANAGED = ".managed.json"
_READ_LOCK = ".tantivy-meta.lock"
_WRITE_LOCK = ".tantivy-writer.lock"


def _schema(sub_index: SubIndex) -> Schema:
    builder = SchemaBuilder()
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("kind", indexed=True)
    builder.add_unsigned_field("place", fast=True)
    builder.add_unsigned_field("size", fast=True)
    for field in sub_index.fields:
        builder.add_text_field(field, tokenizer_name=_ANALYSER, index_option="position")
    return builder.build()


def find_leftovers(folder: Path, sub_index: SubIndex) -> Iterator[Path]:
    """The files in the folder of a sub-index that are no part of it: its writer was ended while it wrote them."""
    own = folder / sub_index.name
    if not (own / _META).is_file():
        return
    with translate_errors(folder):
        segments = {
            segment["segment_id"].replace("-", ""): segment["deletes"]
            for segment in json.loads((own / _META).read_bytes())["segments"]
        }
        for path in own.iterdir():
            name, _, kind = path.name.partition(".")
            deletes = segments.get(name)
            is_part = name in segments and (
                path.suffix != ".del" or bool(deletes and kind == f"{deletes['opstamp']}.del")
            )
            if not is_part and path.name not in (_META, _MANAGED, _READ_LOCK, _WRITE_LOCK):
                yield path


def _open_index(folder: Path) -> Index:
    index = Index.open(str(folder))
    index.register_tokenizer(_ANALYSER, TERMS)
    index.config_reader("Manual")
    index.reload()
    return index


def _has_room_for_locks(folder: Path) -> bool:
    """Whether tantivy can take its lock there, which it does to read."""
    lock = folder / _READ_LOCK
    return os.access(lock if lock.exists() else folder, os.W_OK)


def _open_linked(folders: Sequence[Path]) -> Index:
    """The sub-indexes in some folders as one, through a folder of links to all their segments.

    Once it is open the files are mapped and the links no longer needed. A writer may remove segments that it merged
    before they are opened; its list of segments has then changed, and is read again.
    """
    while True:
        lists = [(folder / _META).read_bytes() for folder in folders]
        try:
            with tempfile.TemporaryDirectory(prefix="veritab-", ignore_cleanup_errors=True) as shadow:
                _link_segments(Path(shadow), folders, lists)
                return _open_index(Path(shadow))
        except (OSError, ValueError):
            if lists == [(folder / _META).read_bytes() for folder in folders]:
                raise


def _link_segments(shadow: Path, folders: Sequence[Path], lists: Sequence[bytes]) -> None:
    """Make a folder that holds all segments of some sub-indexes, whose lists of segments these are."""
    whole: dict[str, Any] = {}
    segments: list[dict[str, Any]] = []
    for folder, content in zip(folders, lists, strict=True):
        try:
            own = json.loads(content)
            names = [UUID(segment["segment_id"]) for segment in own["segments"]]
            whole = whole or own
            fits = all(own[part] == whole[part] for part in ("schema", "index_settings"))
        except (ValueError, LookupError, TypeError, AttributeError):
            raise damaged_index(folder.parent, f"{str(folder / _META)!r} cannot be read") from None
        if not fits:
            raise damaged_index(folder.parent, f"its {folder.name} have other fields than those of other shards")
        for name, segment in zip(names, own["segments"], strict=True):
            # They are numbered anew: a folder may be a copy of another, and have segments of the same names.
            new = UUID(int=len(segments) + 1)
            segments.append({**segment, "segment_id": str(new)})
            for path in folder.resolve().glob(f"{name.hex}.*"):
                (shadow / f"{new.hex}{path.name.removeprefix(name.hex)}").symlink_to(path)
    (shadow / _META).write_text(json.dumps({**whole, "segments": segments}), encoding="utf-8")


class SparseIndex:
    """A sub-index on disk, open for searching; that of several shards is searched as one.

    `folder` is the index it is part of; `shards` are the indexes of shards, whose entries are found together: one
    searcher over all their segments, so that words weigh what they weigh in one index of all their entries.
    """

    def __init__(self, folder: Path, sub_index: SubIndex, shards: Sequence[Path] = ()) -> None:
        self.folders = [each / sub_index.name for each in shards or (folder,)]
        self.sub_index = sub_index
        self._parent = folder
        self._open()

    def _open(self) -> None:
        for folder in self.folders:
            if not (folder / _META).is_file():
                raise damaged_index(folder.parent, f"{str(folder / _META)!r} is missing")
        with translate_errors(self._parent):
            self._is_linked = len(self.folders) > 1 or not _has_room_for_locks(self.folders[0])
            self._index = _open_linked(self.folders) if self._is_linked else _open_index(self.folders[0])
            self._schema = self._index.schema
            self._look()

    def __len__(self) -> int:
        count: int = self._searcher.num_docs
        return count

    def refresh(self) -> None:
        """See what was committed since the sub-index was opened."""
        if self._is_linked:
            self._open()
            return
        with translate_errors(self._parent):
            self._index.reload()
            self._look()

    def _look(self) -> None:
        self._searcher = self._index.searcher()
        self._entries, self._lengths = 0, dict[str, float]()

    def frequency(self, field: str, term: str) -> int:
        """How many entries have a term in a field."""
        with translate_errors(self._parent):
            count: int = self._searcher.doc_freq(field, term)
        return count

    def terms_that_begin(self, field: str, beginning: str) -> list[str]:
        """The terms of a field with this beginning."""
        with translate_errors(self._parent):
            return [term for term, _ in self._searcher.terms_with_prefix(field, beginning)]

    def search(
        self,
        text: str | Sequence[str],
        weights: Mapping[str, float],
        k: int,
        *,
        pages: Iterable[int] | None = None,
        kinds: Iterable[Kind] | None = None,
        phrases: Iterable[tuple[str, float]] = (),
        boosts: Mapping[str, float] = _NO_BOOSTS,
    ) -> list[SparseHit]:
        """The entries that fit best: BM25 summed over fields by weight, phrases on top; perhaps of some pages only.

        `boosts` are the weights of terms that count more or less than the others.
        """
        wanted = (content_terms(text) if isinstance(text, str) else list(text))[:MOST_TERMS]
        clauses = [
            Clause(field, (term,), weight * boosts.get(term, 1.0))
            for term in wanted
            for field, weight in weights.items()
            if weight
        ]
        for phrase, boost in phrases:
            if len(words := tuple(terms(phrase)[:MOST_TERMS])) > 1:
                clauses += (Clause(field, words, boost * weight) for field, weight in weights.items() if weight)
        return self._search(clauses, k, pages, kinds) if clauses else []

    def _search(
        self, clauses: Sequence[Clause], k: int, pages: Iterable[int] | None, kinds: Iterable[Kind] | None
    ) -> list[SparseHit]:
        return self._run(self._query(clauses, pages, kinds), k)

    def largest(self, term: str, field: str, k: int) -> list[SparseHit]:
        """The longest entries that have a term in a field; being written about at length is a sort of fame."""
        query = Query.term_query(self._schema, field, term, "freq")
        return [entry._replace(score=0.0) for entry in self._run(query, k, order="size")]

    def matching(
        self, query: Query, k: int, *, pages: Iterable[int] | None = None, kinds: Iterable[Kind] | None = None
    ) -> list[SparseHit]:
        """The entries a ready-made query finds; perhaps of some pages or kinds only."""
        return self._run(Query.boolean_query([(Occur.Must, query), *self._only(pages, kinds)]), k)

    @property
    def schema(self) -> Schema:
        return self._schema

    # -- a shard among others --

    def statistics(self, clauses: Iterable[Clause]) -> TermStatistics:
        """What the scores of some clauses depend on besides the entries themselves."""
        frequencies: dict[tuple[str, str], int] = {}
        for field, words, _ in clauses:
            for word in words:
                if (field, word) not in frequencies:
                    frequencies[field, word] = self.frequency(field, word)
                if frequencies[field, word] and field not in self._lengths:
                    self._measure(field, word)
        return TermStatistics(self._entries, dict(self._lengths), frequencies)

    def _measure(self, field: str, term: str) -> None:
        """Note how many entries count for scores, and how long they are in a field that some have a term in."""
        query = Query.term_query(self._schema, field, term, "freq")
        with translate_errors(self._parent):
            for _, address in self._searcher.search(query, 1, count=False).hits:
                told = Query.explain(query, self._searcher, address).to_json()
                values = {each["description"]: each["value"] for each in _details(json.loads(told))}
                self._entries = int(values["N, total number of docs"])
                self._lengths[field] = values["avgdl, average length of field"]

    def best(self, query: ShardQuery) -> ShardAnswer:
        """Where the best entries of a shard lie by the statistics of all, and what any other may score at most."""
        own, every = self.statistics(query.clauses), query.statistics
        clauses = [
            Clause(field, words, weight * every.weigh(field, words) / own.weigh(field, words))
            for field, words, weight in query.clauses
            if all(own.frequencies[field, word] for word in words)
        ]
        if not clauses:
            return ShardAnswer((), 0.0)
        lengths = own.lengths
        grows = max(1.0, *(every.lengths[field] / lengths[field] for field, _, _ in clauses if field in lengths))
        with translate_errors(self._parent):
            hits = self._searcher.search(self._query(clauses, None, query.kinds), query.k, count=False).hits
            pages = self._searcher.fast_field_values("page", [address for _, address in hits])
        most = hits[-1][0] * grows if len(hits) == query.k else 0.0
        return ShardAnswer(tuple(dict.fromkeys(int(page or 0) for page in pages)), most)

    def _query(self, clauses: Iterable[Clause], pages: Iterable[int] | None, kinds: Iterable[Kind] | None) -> Query:
        whole = Query.boolean_query([(Occur.Should, self._weighted(*clause)) for clause in clauses])
        only = list(self._only(pages, kinds))
        return Query.boolean_query([(Occur.Must, whole), *only]) if only else whole

    def _weighted(self, field: str, words: tuple[str, ...], weight: float) -> Query:
        if len(words) > 1:
            query = Query.phrase_query(self._schema, field, list(words))
        else:
            query = Query.term_query(self._schema, field, words[0], "freq")
        return query if weight == 1 else Query.boost_query(query, weight)

    def _only(self, pages: Iterable[int] | None, kinds: Iterable[Kind] | None) -> Iterator[tuple[Occur, Query]]:
        numbers = None if pages is None else [page for page in pages if 0 <= page < 1 << 63]
        places = None if kinds is None else [_NUMBERS[kind] for kind in kinds]
        for field, values in (("page", numbers), ("kind", places)):
            if values is not None:
                query = Query.term_set_query(self._schema, field, values) if values else Query.empty_query()
                yield Occur.Must, Query.const_score_query(query, 0.0)

    def _run(self, query: Query, k: int, order: str | None = None) -> list[SparseHit]:
        """The best `k`: one more is asked for, and more again as long as the last one may be among them.

        The parts of a large table are one of them, so that what is found does not depend on what else is asked for.
        """
        searcher = self._searcher
        k = min(k, searcher.num_docs)
        if k < 1:
            return []
        asked = k + 1
        with translate_errors(self._parent):
            while True:
                stop_if_cancelled()
                hits = searcher.search(query, asked, count=False, order_by_field=order).hits
                found = _found(searcher, hits)
                if (
                    len(hits) < asked
                    or asked > _MOST_TIES
                    or (found[k - 1 :] and _rounded(hits[-1]) < found[k - 1].score)
                ):
                    return found[:k]
                asked *= 4


def _details(explanation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield explanation
    for detail in explanation.get("details", ()):
        yield from _details(detail)


def _rounded(hit: tuple[float, DocAddress]) -> float:
    value = hit[0]
    # Ordered by a field, hits come with its whole numbers.
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _found(searcher: Searcher, hits: Sequence[tuple[float, DocAddress]]) -> list[SparseHit]:
    addresses = [address for _, address in hits]
    pages = searcher.fast_field_values("page", addresses)
    places = searcher.fast_field_values("place", addresses)
    best: dict[tuple[int, LocalId], SparseHit] = {}  # the parts of a large table are one
    for hit, page, place in zip(hits, pages, places, strict=True):
        found = SparseHit(int(page or 0), _from_number(int(place or 0)), _rounded(hit))
        best.setdefault((found.page, found.place), found)
    return sorted(best.values(), key=lambda entry: (-entry.score, entry.page, entry.place))


class SparseIndexWriter:
    """Changes a sub-index; readers see nothing of it before `commit`."""

    def __init__(self, folder: Path, sub_index: SubIndex, *, begun: bool = False) -> None:
        self._parent = folder
        self._folder = folder / sub_index.name
        self._schema = _schema(sub_index)
        with translate_errors(folder):
            if not (self._folder / _META).is_file():
                if begun:
                    raise damaged_index(folder, f"{str(self._folder / _META)!r} is missing")
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder.mkdir(parents=True)
            index = Index(self._schema, path=str(self._folder), reuse=True)
            index.register_tokenizer(_ANALYSER, TERMS)
            # One thread: entries lie in the order they came, so equal corpora make equal indexes.
            self._writer: IndexWriter | None = index.writer(_HEAP, 1)

    def remove(self, pages: Sequence[int]) -> None:
        """Take every entry of these pages away, as far as they were added before."""
        with translate_errors(self._parent):
            # By query: tantivy's deleting by term takes a Python number for a signed one, and finds nothing.
            self._open.delete_documents_by_query(Query.term_set_query(self._schema, "page", list(pages)))

    def add(self, page: int, found: Iterable[IndexEntry]) -> None:
        """Add entries of a page."""
        with translate_errors(self._parent):
            for place, fields in found:
                numbers = {"page": page, "kind": _NUMBERS[place.kind], "place": _to_number(place)}
                numbers["size"] = sum(map(len, fields.values()))
                self._open.add_document(Document.from_dict(numbers | fields, self._schema))

    def commit(self) -> None:
        with translate_errors(self._parent):
            self._open.commit()
            self._share()

    def close(self) -> None:
        """Let merges of segments come to their end."""
        with translate_errors(self._parent):
            self._open.wait_merging_threads()
            self._share()
        self._writer = None

    def collect_garbage(self) -> None:
        """Remove the files that tantivy wrote and no longer needs, and close."""
        with translate_errors(self._parent):
            self._open.garbage_collect_files()
        self.close()

    def abandon(self) -> None:
        """Forget what was not committed, and let others write."""
        self._writer = None

    @property
    def _open(self) -> IndexWriter:
        assert self._writer is not None, "the sub-index is closed"
        return self._writer

    def _share(self) -> None:
        """tantivy writes these two for its own user only; whoever may read the rest may read them."""
        for name in (_META, _MANAGED):
            (self._folder / name).chmod((self._folder / _WRITE_LOCK).stat().st_mode & 0o666)
