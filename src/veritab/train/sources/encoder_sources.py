"""Sources of encoder examples: claims, the passages that decide them, and hard negatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from veritab.build.library import Library, library
from veritab.corpus.fever import title_of
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.datasets.tabular import tabfact_statements
from veritab.schema import Kind, Table
from veritab.text import squeeze
from veritab.train.examples import EncoderExample
from veritab.train.sources import mutated_claims as sentence_claims
from veritab.train.sources import table_claims as row_claims
from veritab.train.sources.context import SourceContext
from veritab.train.sources.pages import held_out_titles, is_held_out
from veritab.train.sources.tfidf import TfidfIndex

_WORDS = 100
"""Words of a page in its passage."""
_FURTHER = 8
_ROWS = 3
_POOL = 20_000


class _ClaimPassage(NamedTuple):
    """A claim and the passage that decides it, as numbered in a pool."""

    claim: str
    passage: int


def passage(page: str, sentences: Iterable[str]) -> str:
    """A page as one passage, as in the index of pages: its title and its first words."""
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


def _triples(
    pool: _Pool, queries: Sequence[_ClaimPassage], negatives: int, context: SourceContext
) -> Iterator[EncoderExample]:
    """Each claim with the most similar passage of another page, and some that are a little less so, as negatives."""
    nearest = TfidfIndex(pool.texts)
    for number, (claim, place) in enumerate(queries):
        found = [other for other in nearest.best(claim, negatives + _FURTHER) if pool.pages[other] != pool.pages[place]]
        rng = context.rng("negatives", number)
        further = rng.sample(found[1:], min(len(found[1:]), negatives - 1))
        chosen = [*found[:1], *further]
        while len(chosen) < negatives and len(pool.texts) > negatives:
            other = rng.randrange(len(pool.texts))
            if pool.pages[other] != pool.pages[place] and other not in chosen:
                chosen.append(other)
        yield EncoderExample(claim, pool.texts[place], tuple(pool.texts[other] for other in chosen))


def _with_others(pool: _Pool, known: Library, held_out: frozenset[str], context: SourceContext) -> None:
    """Add introductions that no claim is about, as negatives."""
    titles = [each for each in known.titles if title_key(each) not in held_out]
    for page in context.rng("pool").sample(titles, min(len(titles), _POOL)):
        pool.add(page, passage(page, known.introduction(page).sentences))


# -- sentences ---------------------------------------------------------------------------------------------


def fever(context: SourceContext, *, negatives: int = 2, pages: float = 0.5) -> Iterator[EncoderExample]:
    """FEVER's claims with their gold sentence, or with the share `pages` their page's introduction."""
    known, held_out, pool = library(context.data), held_out_titles(context.data), _Pool()
    queries = []
    for number, record in enumerate(context.data.records("fever/train_pairs")):
        page = title_of(record["page"])
        if title_key(page) in held_out:
            context.left_out["on a page that is measured"] += 1
            continue
        texts = known.introduction(page).sentences
        whole = texts and context.rng("page of fever", number).random() < pages
        text = passage(page, texts) if whole else f"{page}. {plain_text(record['sentence'])}"
        queries.append(_ClaimPassage(squeeze(record["claim"]), pool.add(page, text)))
    _with_others(pool, known, held_out, context)
    return _triples(pool, queries, negatives, context)


def vitaminc(context: SourceContext, *, negatives: int = 2) -> Iterator[EncoderExample]:
    """VitaminC's claims with the sentences that settle them; other revisions of a sentence are not negatives."""
    held_out, pool = held_out_titles(context.data), _Pool()
    queries = []
    for record in context.data.records("vitaminc/real"):
        page = page_title(record["page"])
        if is_held_out(page) or title_key(page) in held_out or LABELS[record["label"]] == NOT_ENOUGH:
            context.left_out["measured, or settled by nothing"] += 1
            continue
        queries.append(
            _ClaimPassage(plain_text(record["claim"]), pool.add(page, f"{page}. {plain_text(record['evidence'])}"))
        )
    return _triples(pool, queries, negatives, context)


def mutated(context: SourceContext, *, negatives: int = 2, pairs: int = 30_000) -> Iterator[EncoderExample]:
    """Claims made of introductions, with these."""
    pool = _Pool()
    queries = [
        _ClaimPassage(generated.built.text, pool.add(generated.introduction.title, passage(*generated.introduction)))
        for generated in sentence_claims.make_claims(context, pairs=pairs)
    ]
    return _triples(pool, queries, negatives, context)


# -- tables ------------------------------------------------------------------------------------------------


def table_text(table: Table, rows: int = 0) -> str:
    """A table as one passage: title, sections and caption, the names of its columns, and its first rows."""
    above = [each.text for each in table.context if each.id.kind is Kind.SECTION]
    parts = ["" if table.id.page == "Table" else table.id.page, *above, table.caption]
    header = ", ".join(filter(None, (cell.text for cell in table.rows[0]))) if table.rows else ""
    body = "; ".join(", ".join(filter(None, (cell.text for cell in row))) for row in table.rows[1 : rows + 1])
    lead = ". ".join(filter(None, parts))
    return f"{lead}{': ' if lead else ''}{header}{'. ' if body else ''}{body}"


def table_claims(context: SourceContext, *, negatives: int = 2, pairs: int = 20_000) -> Iterator[EncoderExample]:
    """Claims made of the rows of tables, with the names that these tables have."""
    return _of_tables(
        context,
        ((each.built.text, each.table) for each in row_claims.make_claims(context, pairs=pairs)),
        table_text,
        negatives,
    )


def tabfact(context: SourceContext, *, negatives: int = 2, rows: int = _ROWS) -> Iterator[EncoderExample]:
    """TabFact's training statements, with the beginnings of their tables."""
    statements = ((each.claim, each.table) for each in tabfact_statements(context.data, "train_partial"))
    return _of_tables(context, statements, lambda table: table_text(table, rows), negatives)


def _of_tables(
    context: SourceContext, statements: Iterable[tuple[str, Table]], text: Callable[[Table], str], negatives: int
) -> Iterator[EncoderExample]:
    pool = _Pool()
    queries = [_ClaimPassage(claim, pool.add(table.id.page, text(table))) for claim, table in statements]
    return _triples(pool, queries, negatives, context)
