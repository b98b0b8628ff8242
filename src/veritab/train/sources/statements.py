"""Statements about tables: TabFact, InfoTabS and SemTabFacts, with the rows or the facts that bear on them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from veritab.build.elements import numbered
from veritab.build.sampling import content_terms
from veritab.datasets import DataFiles
from veritab.datasets.normalise import NOT_ENOUGH
from veritab.datasets.tabular import (
    TableStatement,
    feverous_statements,
    infotabs_statements,
    semtabfacts,
    tabfact_statements,
)
from veritab.errors import InputError
from veritab.schema import Table
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import DerivedFacts
from veritab.train.sources.evidence import render_elements, render_table_evidence
from veritab.verify.compose import headline

_WAYS = ("rows", "facts", "both", "none")
# A table that holds more of a statement's words than this might say something about it.
_MOST_SHARED = 0.3
_TRIES = 20


class TableRenderer:
    """Shows tables as rows, as derived facts, as both, or not at all."""

    def __init__(self, way: str, facts: DerivedFacts) -> None:
        if way not in _WAYS:
            raise InputError(f"as = {way!r} is not a way to show a table; expected one of {', '.join(_WAYS)}")
        self._way = way
        self._facts = facts

    def render(self, statement: TableStatement) -> str:
        """What a model reads of a statement's table and of the sentences around it."""
        table = statement.table
        sentences = numbered(table.id.page, statement.context)
        if self._way == "none":
            return render_elements(sentences or headline(table))
        facts = () if self._way == "rows" else self._facts.of(statement)
        return render_table_evidence(statement.claim, table, sentences, facts, with_rows=self._way != "facts")


def tabfact(
    context: SourceContext, *, as_: str = "facts", facts: str = "", nei: float = 0.0
) -> Iterator[VerdictExample]:
    """TabFact's training statements; `nei` adds that share of them beside a table that says nothing of them."""
    renderer = TableRenderer(as_, DerivedFacts(context.data, facts, "train"))
    return _pairs(context, tabfact_statements(context.data, "train_partial"), renderer, as_, nei)


def _statement_source(
    read: Callable[[DataFiles], Iterable[TableStatement]], split: str, shown_as: str
) -> Callable[..., Iterator[VerdictExample]]:
    """A source of statements beside their own tables; `split` is the name they have in files of facts."""

    def source(context: SourceContext, *, as_: str = shown_as, facts: str = "") -> Iterator[VerdictExample]:
        return _pairs(context, read(context.data), TableRenderer(as_, DerivedFacts(context.data, facts, split)))

    return source


tabfact_val = _statement_source(lambda data: tabfact_statements(data, "val"), "val", "facts")
infotabs = _statement_source(lambda data: infotabs_statements(data, "train"), "train", "rows")
infotabs_dev = _statement_source(lambda data: infotabs_statements(data, "dev"), "dev", "rows")
infotabs_alpha1 = _statement_source(lambda data: infotabs_statements(data, "test_alpha1"), "test_alpha1", "rows")
feverous_tables = _statement_source(feverous_statements, "full_tables", "both")


def semtabfacts_train(context: SourceContext, *, as_: str = "rows", nei: float = 0.3) -> Iterator[VerdictExample]:
    """SemTabFacts' training statements; the reasoner's weights know them, so rows are shown rather than facts."""
    statements = (each.statement for each in semtabfacts(context.data))
    return _pairs(context, statements, TableRenderer(as_, DerivedFacts()), as_, nei)


def _pairs(
    context: SourceContext,
    statements: Iterable[TableStatement],
    renderer: TableRenderer,
    as_: str = "rows",
    nei: float = 0.0,
) -> Iterator[VerdictExample]:
    others: list[TableStatement] = []
    # Facts that were written to a file are of the statement's own table.
    unrelated = TableRenderer(as_, DerivedFacts())
    for number, statement in enumerate(statements):
        evidence = renderer.render(statement)
        if not evidence:
            context.left_out["a table without text"] += 1
            continue
        yield VerdictExample(statement.claim, evidence, statement.label)
        if not nei:
            continue
        rng = context.rng("statement", number)
        if rng.random() < nei and (other := _unrelated_table(statement, others, rng)):
            yield VerdictExample(statement.claim, unrelated.render(statement._replace(table=other)), NOT_ENOUGH)
        others.append(statement)


def _unrelated_table(statement: TableStatement, others: Sequence[TableStatement], rng: random.Random) -> Table | None:
    """The table of another statement that has next to no word of this one."""
    claim_terms = content_terms(statement.claim)
    for _ in range(_TRIES if others else 0):
        other = rng.choice(others)
        shared = claim_terms & content_terms(" ".join(cell.text for row in other.table.rows for cell in row))
        if other.key != statement.key and len(shared) <= _MOST_SHARED * len(claim_terms):
            return other.table
    return None
