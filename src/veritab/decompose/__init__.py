"""Texts become claims, and claims become parts; no model and no corpus is needed.

`read_document` gives a document as running text, `extract_claims` finds the check-worthy sentences of a text and makes
each stand alone, `split_claim` cuts a claim of several assertions into claims of one.

    split <- coordination, appositives, distributive   a claim becomes parts
    extract <- coreference, checkworthy                a text becomes claims: what pronouns mean, what to check
    statements                                         whether words are a claim at all
    clauses, subjects, parts_of_speech, verbs          the syntax of a sentence, by rules
"""

from __future__ import annotations

from veritab.decompose.documents import RunningText, page_text, parse_document, read_document
from veritab.decompose.extract import ExtractedClaim, count_passed_over, extract_claims, number_claims
from veritab.decompose.split import split_claim

__all__ = [
    "ExtractedClaim",
    "RunningText",
    "count_passed_over",
    "extract_claims",
    "number_claims",
    "page_text",
    "parse_document",
    "read_document",
    "split_claim",
]
