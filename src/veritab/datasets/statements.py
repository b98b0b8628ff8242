"""Other labelled statements: those for `veritab judge`, and VitaminC, TabFact, InfoTabS, SNLI and MultiNLI, which the
audits compare with."""

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


def _pieces(record: Record) -> Iterator[GoldText]:
    for piece in record["evidence"]:
        if "table" in piece:
            table = piece["table"]
            for row in [table.get("header", []), *table.get("rows", [])]:
                yield GoldText("", squeeze(table.get("caption", "")), " | ".join(map(str, row)))
        elif text := squeeze(text_of(piece, "text")):
            yield GoldText(title_form(text_of(piece, "title")), "", text)


def _is_for_judge(record: Record) -> bool:
    """Whether a record has its evidence as `veritab judge` takes it: titled texts and tables."""
    evidence = record.get("evidence")
    pieces = evidence if isinstance(evidence, list) and "claim" in record else []
    return bool(pieces) and all(isinstance(each, dict) and ("text" in each or "table" in each) for each in pieces)


def _quotes_one_text(record: Record) -> bool:
    return isinstance(record.get("evidence"), str) and "claim" in record


def _has_statement(record: Record) -> bool:
    return "statement" in record


def _has_hypothesis(record: Record) -> bool:
    return "hypothesis" in record


VITAMINC = RecordFormat("VitaminC", "claims", _quotes_one_text, no_evidence, _revision)
JUDGE = RecordFormat("texts and tables", "claims", _is_for_judge, no_evidence, _pieces)
TABFACT = RecordFormat("TabFact", "claims", _has_statement, no_evidence, _premise, claim="statement")
NLI = RecordFormat("premise and hypothesis", "claims", _has_hypothesis, no_evidence, _premise, claim="hypothesis")
