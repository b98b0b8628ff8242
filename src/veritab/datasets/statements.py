"""Other labelled statements, which the audits compare with: VitaminC, TabFact, InfoTabS, SNLI and MultiNLI."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.corpus.tokenised import detokenise
from veritab.datasets.records import GoldText, Record, RecordFormat, no_evidence, text_of
from veritab.text import squeeze, title_form


def _revision(record: Record) -> Iterator[GoldText]:
    if text := detokenise(text_of(record, "evidence")):
        yield GoldText(title_form(text_of(record, "page")), "", text)


def _premise(record: Record) -> Iterator[GoldText]:
    if text := squeeze(text_of(record, "premise")):
        yield GoldText("", "", text)


def _quotes_one_text(record: Record) -> bool:
    return isinstance(record.get("evidence"), str) and "claim" in record


def _has_statement(record: Record) -> bool:
    return "statement" in record


def _has_hypothesis(record: Record) -> bool:
    return "hypothesis" in record


VITAMINC = RecordFormat("VitaminC", "claims", _quotes_one_text, no_evidence, _revision)
TABFACT = RecordFormat("TabFact", "claims", _has_statement, no_evidence, _premise, claim="statement")
NLI = RecordFormat("premise and hypothesis", "claims", _has_hypothesis, no_evidence, _premise, claim="hypothesis")
