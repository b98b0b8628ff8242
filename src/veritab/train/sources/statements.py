"""Statements about tables: TabFact, InfoTabS and SemTabFacts, with the rows or the facts that bear on them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from veritab.errors import InputError
from veritab.schema import Table
from veritab.train.examples import Pair
from veritab.train.sources.derived import Facts
from veritab.train.sources.evidence import numbered, shown, shown_table
from veritab.train.sources.given import Given
from veritab.train.sources.reading import NOT_ENOUGH
from veritab.train.sources.sampling import content
from veritab.train.sources.tabular import (
    Statement,
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


class Shower:
    """Shows tables as rows, as derived facts, as both, or not at all."""

    def __init__(self, way: str, facts: Facts) -> None:
        if way not in _WAYS:
            raise InputError(f"as = {way!r} is no way to show a table; expected one of {', '.join(_WAYS)}")
        self._way = way
        self._facts = facts

    def shown(self, statement: Statement) -> str:
        """What a model reads of a statement's table and of the sentences around it."""
        table = statement.table
        said = numbered(table.id.page, statement.context)
        if self._way == "none":
            return shown(said or headline(table))
        facts = () if self._way == "rows" else self._facts.of(statement)
        return shown_table(statement.claim, table, said, facts, with_rows=self._way != "facts")


def _shower(given: Given, way: str, facts: str, split: str) -> Shower:
    return Shower(way, Facts(given.file(facts), split))


def tabfact(given: Given, *, as_: str = "facts", facts: str = "", nei: float = 0.0) -> Iterator[Pair]:
    """TabFact's training statements; `nei` adds that share of them beside a table that says nothing of them."""
    return _pairs(given, tabfact_statements(given.data, "train_partial"), _shower(given, as_, facts, "train"), as_, nei)


def tabfact_val(given: Given, *, as_: str = "facts", facts: str = "") -> Iterator[Pair]:
    """TabFact's validation statements."""
    return _pairs(given, tabfact_statements(given.data, "val"), _shower(given, as_, facts, "val"))


def infotabs(given: Given, *, as_: str = "rows", facts: str = "") -> Iterator[Pair]:
    """InfoTabS' training statements."""
    return _pairs(given, infotabs_statements(given.data, "train"), _shower(given, as_, facts, "train"))


def infotabs_dev(given: Given, *, as_: str = "rows", facts: str = "") -> Iterator[Pair]:
    """InfoTabS' development statements."""
    return _pairs(given, infotabs_statements(given.data, "dev"), _shower(given, as_, facts, "dev"))


def infotabs_alpha1(given: Given, *, as_: str = "rows", facts: str = "") -> Iterator[Pair]:
    """InfoTabS' first test set."""
    return _pairs(given, infotabs_statements(given.data, "test_alpha1"), _shower(given, as_, facts, "test_alpha1"))


def semtabfacts_train(given: Given, *, as_: str = "rows", nei: float = 0.3) -> Iterator[Pair]:
    """SemTabFacts' training statements; the reasoner's weights know them, so rows are shown rather than facts."""
    statements = (each.statement for each in semtabfacts(given.data))
    return _pairs(given, statements, Shower(as_, Facts()), as_, nei)


def feverous_tables(given: Given, *, as_: str = "both", facts: str = "") -> Iterator[Pair]:
    """FEVEROUS claims with their whole table and the sentences that belong to it."""
    return _pairs(given, feverous_statements(given.data), _shower(given, as_, facts, "full_tables"))


def _pairs(
    given: Given, statements: Iterable[Statement], shower: Shower, as_: str = "rows", nei: float = 0.0
) -> Iterator[Pair]:
    others: list[Statement] = []
    # Facts that were written to a file are of the statement's own table.
    strange = Shower(as_, Facts())
    for number, statement in enumerate(statements):
        evidence = shower.shown(statement)
        if not evidence:
            given.left_out["a table without text"] += 1
            continue
        yield Pair(statement.claim, evidence, statement.label)
        if not nei:
            continue
        chance = given.chance("statement", number)
        if chance.random() < nei and (other := _strange(statement, others, chance)):
            yield Pair(statement.claim, strange.shown(statement._replace(table=other)), NOT_ENOUGH)
        others.append(statement)


def _strange(statement: Statement, others: Sequence[Statement], chance: random.Random) -> Table | None:
    """The table of another statement that has next to no word of this one."""
    asked = content(statement.claim)
    for _ in range(_TRIES if others else 0):
        other = chance.choice(others)
        if other.key != statement.key and len(asked & _held(other.table)) <= _STRANGE * len(asked):
            return other.table
    return None


def _held(table: Table) -> frozenset[str]:
    return content(" ".join(cell.text for row in table.rows for cell in row))
