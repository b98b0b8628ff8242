"""Derived facts for statements about tables: computed, or read from a file.

For statements that the reasoner's weights were fitted on, facts have to come from a file: the weights know them.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from veritab.datasets import DataFiles
from veritab.datasets.tabular import TableStatement
from veritab.errors import FormatError, InputError, NotFound
from veritab.reason.facts import truncate_facts
from veritab.reason.reasoner import Reasoner

WORDS = 200
"""Words of facts at most."""


class DerivedFacts:
    """The facts of statements."""

    def __init__(self, data: DataFiles | None = None, file: str = "", split: str = "") -> None:
        self._file = file
        self._known = dict(_read(data, file, split)) if data and file else {}
        self._reasoner = Reasoner()

    def of(self, statement: TableStatement) -> tuple[str, ...]:
        """The facts that can be derived for a statement, the most relevant first."""
        if not self._file:
            found = self._reasoner.reason(statement.claim, statement.table)
            return tuple(fact.text for fact in truncate_facts(found.facts, WORDS))
        known = self._known.get((statement.key, statement.claim))
        if known is None:
            raise InputError(
                f"{self._file!r} has no facts for {statement.claim!r} about {statement.key!r}; make the file again "
                "with python -m benchmarks.reasoning_facts"
            )
        return known


def _read(data: DataFiles, file: str, split: str) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """The facts of one split of a file of JSON lines, by the name of the table and the claim."""
    try:
        path = data.file(file)
    except NotFound:
        raise NotFound(f"no file of facts {file!r}; make one with python -m benchmarks.reasoning_facts") from None
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = orjson.loads(line)
                if record["split"] == split:
                    claim = record["claim"] if "claim" in record else record["statement"]
                    yield (str(record["table_id"]), claim), tuple(record["facts"])
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise FormatError(
                    f"{path.name}:{number} has no split, table_id, statement and facts ({error}); make the file again "
                    "with python -m benchmarks.reasoning_facts"
                ) from None
