"""Veritab checks claims against documents and shows the evidence: sentences, list items, captions and table cells."""

from veritab.corpus import Corpus, open_corpus
from veritab.errors import VeritabError
from veritab.judging import judge
from veritab.schema import Claim, Element, ElementId, Example, Hit, Kind, Label, Page, Problem, Redirect, Table, Verdict

__version__ = "0.1.0"

__all__ = [
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
    "Table",
    "Verdict",
    "VeritabError",
    "__version__",
    "judge",
    "open_corpus",
]
