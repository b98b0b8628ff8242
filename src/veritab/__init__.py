"""Veritab checks claims against documents and shows the evidence: sentences, list items, captions and table cells."""

from veritab.corpus import Corpus, open_corpus
from veritab.errors import VeritabError
from veritab.judging import judge, score
from veritab.pipeline import Checker
from veritab.schema import Claim, Element, ElementId, Example, Hit, Kind, Label, Page, Problem, Redirect, Table, Verdict
from veritab.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "Checker",
    "Claim",
    "Corpus",
    "Element",
    "ElementId",
    "Example",
    "Hit",
    "Kind",
    "Label",
    "Page",
    "Problem",
    "Redirect",
    "Settings",
    "Table",
    "Verdict",
    "VeritabError",
    "__version__",
    "judge",
    "open_corpus",
    "score",
]
