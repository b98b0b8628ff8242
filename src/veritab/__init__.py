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
    from veritab.pipeline import Checker, Pipeline
    from veritab.schema import (
        Certificate,
        Claim,
        Decider,
        Element,
        ElementId,
        Evidence,
        Example,
        Hit,
        Kind,
        Label,
        Page,
        Reading,
        Retriever,
        Selector,
        Table,
        Verdict,
        Verifier,
    )
    from veritab.settings import Settings
    from veritab.verify.judge import judge, judge_many, score

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "Checker",
    "Claim",
    "Corpus",
    "Decider",
    "Element",
    "ElementId",
    "Evidence",
    "Example",
    "Hit",
    "Kind",
    "Label",
    "Page",
    "Pipeline",
    "Reading",
    "Retriever",
    "Selector",
    "Settings",
    "Table",
    "Verdict",
    "Verifier",
    "VeritabError",
    "__version__",
    "judge",
    "judge_many",
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
    "judge": "verify.judge",
    "judge_many": "verify.judge",
    "load": "datasets",
    "open_corpus": "corpus",
    "score": "verify.judge",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"veritab.{_HOMES.get(name, 'schema')}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
