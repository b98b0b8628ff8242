"""What an encoder learns from: claims, the passages that decide them, and passages that only look like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from veritab.corpus.fever import title_of
from veritab.schema import Kind, Table
from veritab.text import squeeze
from veritab.train.examples import EncoderExample
from veritab.train.sources import mutated_claims as sentence_claims
from veritab.train.sources import table_claims as row_claims
from veritab.train.sources.context import SourceContext
from veritab.train.sources.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.train.sources.pages import Library, held_out_titles, is_aside, library
from veritab.train.sources.tabular import tabfact_statements
from veritab.train.sources.tfidf import TfidfIndex

_WORDS = 100
"""So much of a page goes into its passage."""
_FURTHER = 8
_ROWS = 3
_POOL = 20_000


class _Asked(NamedTuple):
    """A claim and the passage that decides it, as numbered in a pool."""

    claim: str
    passage: int


def passage(page: str, sentences: Iterable[str]) -> str:
    """A page as the index of pages knows it: its title and its first words."""
    return f"{page}. {' '.join(' '.join(sentences).split()[:_WORDS])}"


class _Pool:
    """Passages, each once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.pages: list[str] = []
        self._places: dict[str, int] = {}

    def add(self, page: str, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.texts)
            self.texts.append(text)
            self.pages.append(title_key(page))
        return self._places[text]


def _triples(pool: _Pool, asked: Sequence[_Asked], negatives: int, given: SourceContext) -> Iterator[EncoderExample]:
    """Each claim with the nearest passage of another page, and with some that are a little further."""
    nearest = TfidfIndex(pool.texts)
    for number, (claim, place) in enumerate(asked):
        found = [other for other in nearest.best(claim, negatives + _FURTHER) if pool.pages[other] != pool.pages[place]]
        chance = given.chance("negatives", number)
        further = chance.sample(found[1:], min(len(found[1:]), negatives - 1))
        chosen = [*found[:1], *further]
        while len(chosen) < negatives and len(pool.texts) > negatives:
            other = chance.randrange(len(pool.texts))
            if pool.pages[other] != pool.pages[place] and other not in chosen:
                chosen.append(other)
        yield EncoderExample(claim, pool.texts[place], tuple(pool.texts[other] for other in chosen))


def _with_others(pool: _Pool, known: Library, barred: frozenset[str], given: SourceContext) -> None:
    """Introductions that nothing is asked about, which have to be told from those that decide."""
    titles = [each for each in known.titles if title_key(each) not in barred]
    for page in given.chance("pool").sample(titles, min(len(titles), _POOL)):
        pool.add(page, passage(page, known.introduction(page).sentences))


# -- sentences ---------------------------------------------------------------------------------------------


def fever(given: SourceContext, *, negatives: int = 2, pages: float = 0.5) -> Iterator[EncoderExample]:
    """FEVER's claims with their gold sentence, or as often as `pages` says with what their page begins with."""
    known, barred, pool = library(given.data), held_out_titles(given.data), _Pool()
    asked = []
    for number, record in enumerate(given.data.records("fever/train_pairs")):
        page = title_of(record["page"])
        if title_key(page) in barred:
            given.left_out["on a page that is measured"] += 1
            continue
        texts = known.introduction(page).sentences
        whole = texts and given.chance("page of fever", number).random() < pages
        text = passage(page, texts) if whole else f"{page}. {plain_text(record['sentence'])}"
        asked.append(_Asked(squeeze(record["claim"]), pool.add(page, text)))
    _with_others(pool, known, barred, given)
    return _triples(pool, asked, negatives, given)


def vitaminc(given: SourceContext, *, negatives: int = 2) -> Iterator[EncoderExample]:
    """VitaminC's claims with the sentences that settle them; other revisions of a sentence are no negatives."""
    barred, pool = held_out_titles(given.data), _Pool()
    asked = []
    for record in given.data.records("vitaminc/real"):
        page = page_title(record["page"])
        if is_aside(page) or title_key(page) in barred or LABELS[record["label"]] == NOT_ENOUGH:
            given.left_out["measured, or settled by nothing"] += 1
            continue
        asked.append(_Asked(plain_text(record["claim"]), pool.add(page, f"{page}. {plain_text(record['evidence'])}")))
    return _triples(pool, asked, negatives, given)


def mutated(given: SourceContext, *, negatives: int = 2, pairs: int = 30_000) -> Iterator[EncoderExample]:
    """Claims made of introductions, with these."""
    pool = _Pool()
    asked = [
        _Asked(made.pair.claim, pool.add(made.introduction.title, passage(*made.introduction)))
        for made in sentence_claims.made(given, pairs=pairs)
    ]
    return _triples(pool, asked, negatives, given)


# -- tables ------------------------------------------------------------------------------------------------


def table_text(table: Table, rows: int = 0) -> str:
    """A table as one passage: title, sections and caption, the names of its columns, and its first rows."""
    above = [each.text for each in table.context if each.id.kind is Kind.SECTION]
    parts = ["" if table.id.page == "Table" else table.id.page, *above, table.caption]
    header = ", ".join(filter(None, (cell.text for cell in table.rows[0]))) if table.rows else ""
    body = "; ".join(", ".join(filter(None, (cell.text for cell in row))) for row in table.rows[1 : rows + 1])
    lead = ". ".join(filter(None, parts))
    return f"{lead}{': ' if lead else ''}{header}{'. ' if body else ''}{body}"


def table_claims(given: SourceContext, *, negatives: int = 2, pairs: int = 20_000) -> Iterator[EncoderExample]:
    """Claims made of the rows of tables, with the names that these tables have."""
    return _of_tables(
        given, ((each.pair.claim, each.table) for each in row_claims.made(given, pairs=pairs)), table_text, negatives
    )


def tabfact(given: SourceContext, *, negatives: int = 2, rows: int = _ROWS) -> Iterator[EncoderExample]:
    """TabFact's training statements, with the beginnings of their tables."""
    statements = ((each.claim, each.table) for each in tabfact_statements(given.data, "train_partial"))
    return _of_tables(given, statements, lambda table: table_text(table, rows), negatives)


def _of_tables(
    given: SourceContext, told: Iterable[tuple[str, Table]], text: Callable[[Table], str], negatives: int
) -> Iterator[EncoderExample]:
    pool = _Pool()
    asked = [_Asked(claim, pool.add(table.id.page, text(table))) for claim, table in told]
    return _triples(pool, asked, negatives, given)
