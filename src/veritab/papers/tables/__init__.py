"""The tables of the papers, reproduced as far as the data on hand goes.

Each table is a TOML file in `tables/` with the published numbers and the settings of a function here that fills it:

    config.py   cells.py       what a table holds, and what its cells are
    given.py    corpora.py     the data sets, and the corpus that stands in for a paper's own
    fitted.py                  the papers' classifiers, fitted on first use and kept
    fever_*.py  feverous.py  fm2.py  faviq.py  give_aways.py    the work, table by table

A number that cannot be had on this data has a reason in its place; `Note`s say what stands in for what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TypeAlias

from veritab.papers.tables.cells import Cell, Note, Number, Step, Told, with_published
from veritab.papers.tables.config import Config, find, tables
from veritab.papers.tables.given import Given

__all__ = ["Cell", "Config", "Given", "Note", "Number", "Step", "Told", "find", "reproduce", "tables"]

Work: TypeAlias = Callable[[Config, Given], Iterator[Told]]

WORKS: Mapping[str, str] = MappingProxyType(
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
        "top_bigrams": "give_aways",
        "retrieval": "fm2",
        "entailment": "fm2",
        "end_to_end": "fm2",
        "verification": "faviq",
        "gamma": "faviq",
    }
)
"""What can fill a table, and the module it is in; a config names one of them."""


def reproduce(name: str, given: Given) -> Iterator[Told]:
    """The cells of a table as they become known, what stands in for what, and what is being done meanwhile."""
    table = find(name)
    work: Work = getattr(import_module(f"{__name__}.{WORKS[table.work]}"), table.work)
    yield from with_published(work(table, given), table.published)
