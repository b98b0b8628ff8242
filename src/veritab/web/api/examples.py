"""Examples for the OpenAPI document, all of them about the almanac that ships."""

from __future__ import annotations

from typing import Any

_CLAIM = "Mount Everest is higher than K2."
_TABLE = {
    "title": "Highest mountains",
    "table": {"header": ["Mountain", "Height"], "rows": [["Mount Everest", "8,849 m"], ["K2", "8,611 m"]]},
}
_VERDICT: dict[str, Any] = {
    "claim": _CLAIM,
    "label": "SUPPORTS",
    "scores": {"SUPPORTS": 0.97, "REFUTES": 0.01, "NOT ENOUGH INFO": 0.02},
    "uncertain": False,
    "evidence": [
        {
            "id": "Mount Everest_sentence_0",
            "kind": "sentence",
            "text": "Mount Everest is Earth's highest mountain above sea level.",
            "score": 0.93,
            "by": "selector",
            "context": [{"id": "Mount Everest_title", "text": "Mount Everest"}],
        }
    ],
    "reasoning": ["8,849 m is more than 8,611 m."],
    "certificate": {"confidence": 0.97, "calibrated": True, "smallest": ["Mount Everest_sentence_0"]},
    "corpus": {"name": "almanac", "revision": "7d9cc2a42e3af37c", "pages": 226},
}
_JUDGEMENT = {
    **_VERDICT,
    "corpus": {},
    "cells": ["Highest mountains_cell_0_1_1", "Highest mountains_cell_0_2_1"],
    "facts": [],
}
_CORPUS = {"id": "almanac", "state": "ready", **_VERDICT["corpus"]}
_UPLOAD = {
    "id": "Yq3kX0b7Tn2VdJ5sR8mZcA",
    "name": "report.pdf",
    "state": "ready",
    "pages": 1,
    "revision": "0d4f6b1c9a3e5f72",
    "done": 1,
    "total": 1,
    "error": "",
    "documents": [
        {"name": "report.pdf", "pages": 1, "texts": 212, "tables": 9, "problem_count": 0, "problems": []},
    ],
    "left_out": [],
    "seconds_held": 7200.0,
}
_EDITED = {
    "claim": "K2 is higher than Mount Everest.",
    "outcome": "corrected",
    "correction": "K2 is lower than Mount Everest.",
    "edits": [{"start": 6, "end": 12, "old": "higher", "new": "lower", "kind": "comparison", "element": None}],
    "evidence": _VERDICT["evidence"],
    "tried": 1,
    "verdict": {**_VERDICT, "claim": "K2 is higher than Mount Everest.", "label": "REFUTES"},
    "corrected_verdict": {**_VERDICT, "claim": "K2 is lower than Mount Everest."},
}
_FOUND = {
    "query": "highest mountain",
    "hits": [
        {
            "id": "Mount Everest_title",
            "page": "Mount Everest",
            "kind": "page",
            "text": "Mount Everest",
            "score": 0.91,
            "highlights": [],
            "context": [],
        }
    ],
}

_TEXT = "Mount Everest is the highest mountain. Is it higher than K2? It was first climbed in 1953."
_TEXT_VERDICT = {"start": 0, "end": 38, "text": _TEXT[:38], **_VERDICT, "id": "1", "claim": _TEXT[:38]}
_DOCUMENT = "K2 is 8,611 m high, Everest 8,849 m."

REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/check": {
        "one": {"summary": "One claim", "value": {"claim": _CLAIM}},
        "many": {
            "summary": "Several claims",
            "value": {"claims": [_CLAIM, {"id": "7", "claim": "Paris is the capital of Italy."}]},
        },
    },
    "/v1/text": {"text": {"summary": "A text", "value": {"text": _TEXT}}},
    "/v1/correct": {
        "one": {"summary": "One claim", "value": {"claim": _EDITED["claim"]}},
        "many": {"summary": "Several claims", "value": {"claims": [_EDITED["claim"], _CLAIM]}},
    },
    "/v1/judge": {
        "one": {"summary": "A claim and a table", "value": {"claim": _CLAIM, "evidence": [_TABLE]}},
        "many": {
            "summary": "Several claims, each with its evidence",
            "value": {"pairs": [{"id": "1", "claim": _CLAIM, "evidence": ["K2 is 8,611 m high, Everest 8,849 m."]}]},
        },
    },
    "/v1/score": {
        "many": {
            "summary": "Documents and claims, side by side",
            "value": {"docs": [_DOCUMENT, "Paris is the capital of France."], "claims": [_CLAIM, "Paris is in Italy."]},
        },
        "one document": {
            "summary": "One document for several claims",
            "value": {"doc": _DOCUMENT, "claims": [_CLAIM, "K2 is higher than Everest."]},
        },
        "one": {"summary": "One of each", "value": {"doc": _TABLE, "claim": _CLAIM}},
    },
    "/v1/search": {
        "one": {"summary": "One search", "value": {"query": "highest mountain", "k": 5}},
        "many": {"summary": "Several", "value": {"queries": [{"query": "highest mountain", "kind": "table"}]}},
    },
}
"""Bodies by route."""

ANSWERS: dict[tuple[str, str], dict[str, Any]] = {
    ("/v1/check", "get"): {"one": {"value": _VERDICT}},
    ("/v1/check", "post"): {"one": {"value": _VERDICT}, "many": {"value": {"verdicts": [_VERDICT]}}},
    ("/v1/text", "post"): {"text": {"value": {"verdicts": [_TEXT_VERDICT]}}},
    ("/v1/correct", "post"): {"one": {"value": _EDITED}, "many": {"value": {"corrections": [_EDITED]}}},
    ("/v1/judge", "post"): {"one": {"value": _JUDGEMENT}, "many": {"value": {"verdicts": [_JUDGEMENT]}}},
    ("/v1/score", "post"): {
        "many": {"value": {"labels": [1, 0], "probabilities": [0.97, 0.02]}},
        "one": {"value": {"label": 1, "probability": 0.97}},
    },
    ("/v1/search", "get"): {"one": {"value": _FOUND}},
    ("/v1/search", "post"): {"one": {"value": _FOUND}, "many": {"value": {"searches": [_FOUND]}}},
    ("/v1/pages/{title}", "get"): {
        "page": {"value": {"title": "K2", "order": ["sentence_0"], "sentence_0": "K2 is a mountain in Asia."}}
    },
    ("/v1/elements/{id}", "get"): {
        "sentence": {
            "value": {
                "id": "K2_sentence_0",
                "kind": "sentence",
                "text": "K2 is a mountain in Asia.",
                "context": [{"id": "K2_title", "text": "K2"}],
                "links": [{"text": "Asia", "target": "Asia", "start": 20, "end": 24}],
            }
        }
    },
    ("/v1/corpora", "get"): {"corpora": {"value": {"corpora": [_CORPUS]}}},
    ("/v1/corpora", "post"): {
        "received": {"value": {**_UPLOAD, "state": "waiting", "documents": [], "pages": 0, "revision": ""}}
    },
    ("/v1/corpora/{name}", "get"): {"a corpus": {"value": _CORPUS}, "documents": {"value": _UPLOAD}},
    ("/v1/corpora/{name}", "delete"): {"gone": {"value": {**_UPLOAD, "state": "gone"}}},
    ("/healthz", "get"): {"alive": {"value": {"status": "alive"}}},
    ("/readyz", "get"): {"ready": {"value": {"status": "ready", "corpus": _VERDICT["corpus"]}}},
}
"""Answers by route and method."""

PARAMETERS: dict[str, Any] = {
    "corpus": "almanac",
    "name": "almanac",
    "claim": _CLAIM,
    "q": "highest mountain",
    "kind": "sentence",
    "page": "Mount Everest",
    "k": 5,
    "title": "Mount Everest",
    "id": "Mount Everest_sentence_0",
}
"""Parameters by name."""
