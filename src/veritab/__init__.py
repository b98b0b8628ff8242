"""Veritab checks claims against documents and shows the evidence: sentences, list items, captions and table cells.

The names below are the public ones; each is imported when it is first used, so that `import veritab` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veritab.corpus import Corpus, open_corpus
    from veritab.datasets import load
    from veritab.errors import VeritabError
    from veritab.judging import judge, score
    from veritab.pipeline import Checker, Pipeline
    from veritab.schema import (
        Claim,
        Element,
        ElementId,
        Example,
        Hit,
        Kind,
        Label,
        Page,
        Retriever,
        Selector,
        Table,
        Verdict,
        Verifier,
    )
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
    "Pipeline",
    "Retriever",
    "Selector",
    "Settings",
    "Table",
    "Verdict",
    "Verifier",
    "VeritabError",
    "__version__",
    "judge",
    "load",
    "open_corpus",
    "score",
]

# Where each public name that is not one of the schema's is defined.
_HOMES = {
    "Checker": "pipeline",
    "Corpus": "corpus",
    "Pipeline": "pipeline",
    "Settings": "settings",
    "VeritabError": "errors",
    "judge": "judging",
    "load": "datasets",
    "open_corpus": "corpus",
    "score": "judging",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"veritab.{_HOMES.get(name, 'schema')}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
