"""Statements about tables: TabFact, InfoTabS and SemTabFacts, with the rows or the facts that bear on them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from veritab.errors import InputError
from veritab.schema import Table
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import DerivedFacts
from veritab.train.sources.evidence import numbered, shown, shown_table
from veritab.train.sources.normalise import NOT_ENOUGH
from veritab.train.sources.sampling import content
from veritab.train.sources.tabular import (
    TableStatement,
    feverous_statements,
    infotabs_statements,
    semtabfacts,
    tabfact_statements,
)
from veritab.verify.reading import headline

_WAYS = ("rows", "facts", "both", "none")
# A table that holds more of a statement's words than this might say something about it.
_STRANGE = 0.3
_TRIES = 20


class TableRenderer:
    """Shows tables as rows, as derived facts, as both, or not at all."""

    def __init__(self, way: str, facts: DerivedFacts) -> None:
        if way not in _WAYS:
            raise InputError(f"as = {way!r} is no way to show a table; expected one of {', '.join(_WAYS)}")
        self._way = way
        self._facts = facts

    def shown(self, statement: TableStatement) -> str:
        """What a model reads of a statement's table and of the sentences around it."""
        table = statement.table
        said = numbered(table.id.page, statement.context)
        if self._way == "none":
            return shown(said or headline(table))
        facts = () if self._way == "rows" else self._facts.of(statement)
        return shown_table(statement.claim, table, said, facts, with_rows=self._way != "facts")


def _shower(given: SourceContext, way: str, facts: str, split: str) -> TableRenderer:
    return TableRenderer(way, DerivedFacts(given.data, facts, split))


def tabfact(given: SourceContext, *, as_: str = "facts", facts: str = "", nei: float = 0.0) -> Iterator[VerdictExample]:
    """TabFact's training statements; `nei` adds that share of them beside a table that says nothing of them."""
    return _pairs(given, tabfact_statements(given.data, "train_partial"), _shower(given, as_, facts, "train"), as_, nei)


def tabfact_val(given: SourceContext, *, as_: str = "facts", facts: str = "") -> Iterator[VerdictExample]:
    """TabFact's validation statements."""
    return _pairs(given, tabfact_statements(given.data, "val"), _shower(given, as_, facts, "val"))


def infotabs(given: SourceContext, *, as_: str = "rows", facts: str = "") -> Iterator[VerdictExample]:
    """InfoTabS' training statements."""
    return _pairs(given, infotabs_statements(given.data, "train"), _shower(given, as_, facts, "train"))


def infotabs_dev(given: SourceContext, *, as_: str = "rows", facts: str = "") -> Iterator[VerdictExample]:
    """InfoTabS' development statements."""
    return _pairs(given, infotabs_statements(given.data, "dev"), _shower(given, as_, facts, "dev"))


def infotabs_alpha1(given: SourceContext, *, as_: str = "rows", facts: str = "") -> Iterator[VerdictExample]:
    """InfoTabS' first test set."""
    return _pairs(given, infotabs_statements(given.data, "test_alpha1"), _shower(given, as_, facts, "test_alpha1"))


def semtabfacts_train(given: SourceContext, *, as_: str = "rows", nei: float = 0.3) -> Iterator[VerdictExample]:
    """SemTabFacts' training statements; the reasoner's weights know them, so rows are shown rather than facts."""
    statements = (each.statement for each in semtabfacts(given.data))
    return _pairs(given, statements, TableRenderer(as_, DerivedFacts()), as_, nei)


def feverous_tables(given: SourceContext, *, as_: str = "both", facts: str = "") -> Iterator[VerdictExample]:
    """FEVEROUS claims with their whole table and the sentences that belong to it."""
    return _pairs(given, feverous_statements(given.data), _shower(given, as_, facts, "full_tables"))


def _pairs(
    given: SourceContext,
    statements: Iterable[TableStatement],
    shower: TableRenderer,
    as_: str = "rows",
    nei: float = 0.0,
) -> Iterator[VerdictExample]:
    others: list[TableStatement] = []
    # DerivedFacts that were written to a file are of the statement's own table.
    strange = TableRenderer(as_, DerivedFacts())
    for number, statement in enumerate(statements):
        evidence = shower.shown(statement)
        if not evidence:
            given.left_out["a table without text"] += 1
            continue
        yield VerdictExample(statement.claim, evidence, statement.label)
        if not nei:
            continue
        chance = given.chance("statement", number)
        if chance.random() < nei and (other := _strange(statement, others, chance)):
            yield VerdictExample(statement.claim, strange.shown(statement._replace(table=other)), NOT_ENOUGH)
        others.append(statement)


def _strange(statement: TableStatement, others: Sequence[TableStatement], chance: random.Random) -> Table | None:
    """The table of another statement that has next to no word of this one."""
    asked = content(statement.claim)
    for _ in range(_TRIES if others else 0):
        other = chance.choice(others)
        if other.key != statement.key and len(asked & _held(other.table)) <= _STRANGE * len(asked):
            return other.table
    return None


def _held(table: Table) -> frozenset[str]:
    return content(" ".join(cell.text for row in table.rows for cell in row))
