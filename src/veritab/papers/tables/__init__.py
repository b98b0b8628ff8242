"""The tables of the papers, reproduced as far as the data on hand goes.

Each table is a TOML file in `tables/` with the published numbers and the settings of a function here that fills it:

    config.py   cells.py       what a table holds, and what its cells are
    inputs.py   corpora.py     the data sets, and the corpus that replaces a paper's own
    fitted.py                  the papers' classifiers, fitted on first use and cached
    verdict_model.py           the shipped verdict model, its logits cached
    fever_*.py  feverous.py  fm2.py  faviq.py  giveaway_bigrams.py    the tables

A number that cannot be measured on this data has a reason in its place; `TableNote`s say what replaces what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TypeAlias

from veritab.papers.tables.cells import Number, ProgressStep, TableCell, TableEvent, TableNote, with_published
from veritab.papers.tables.config import TableConfig, find, tables
from veritab.papers.tables.inputs import TableInputs

__all__ = [
    "Number",
    "ProgressStep",
    "TableCell",
    "TableConfig",
    "TableEvent",
    "TableInputs",
    "TableNote",
    "find",
    "reproduce",
    "tables",
]

FillTable: TypeAlias = Callable[[TableConfig, TableInputs], Iterator[TableEvent]]

FILLERS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "fever_retrieval",
        "sentences": "fever_retrieval",
        "oracle_sentences": "fever_classification",
        "oracle_documents": "fever_classification",
        "curve": "fever_classification",
        "pipeline": "fever_pipeline",
        "without_selection": "fever_pipeline",
        "coverage": "feverous",
        "gold_verdicts": "feverous",
        "baseline": "feverous",
        "top_bigrams": "giveaway_bigrams",
        "retrieval": "fm2",
        "entailment": "fm2",
        "end_to_end": "fm2",
        "verification": "faviq",
        "gamma": "faviq",
    }
)
"""What can fill a table, and the module it is in; a config names one of them."""


def reproduce(name: str, inputs: TableInputs) -> Iterator[TableEvent]:
    """The cells of a table as they become known, what replaces what, and what is being done meanwhile."""
    table = find(name)
    work: FillTable = getattr(import_module(f"{__name__}.{FILLERS[table.work]}"), table.work)
    yield from with_published(work(table, inputs), table.published)
