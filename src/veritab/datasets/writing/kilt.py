"""KILT: what is asked, and for each evidence set an output with the answer and the passages it is from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veritab.corpus.fever import id_of
from veritab.datasets.example_rows import original_record
from veritab.datasets.kilt import ELEMENT, is_kilt
from veritab.datasets.records import listed, text_of
from veritab.datasets.writing.account import LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import NO_LABEL, UNLABELLED, distinct_sets, is_sentence
from veritab.schema import ElementId, Example, Label

_NO_NUMBER = "the numbers that Wikipedia gives its pages (wikipedia_id): passages are named by title alone"


def record_of(example: Example, account: LossAccount) -> dict[str, Any]:
    """A claim as KILT writes it. The element's address is in each passage's `meta`, and what else we know in ours."""
    if example.label is Label.NOT_ENOUGH_INFO:
        raise UnsupportedExample(NO_LABEL)
    account.lose_rest(example)
    record = original_record(example)
    meta = {key: value for key, value in (("challenge", example.challenge), ("silver", example.silver)) if value}
    asked = {"id": example.claim.id, "input": example.claim.text}
    if example.label is None:
        if example.evidence:
            account.lose(UNLABELLED)
        return {**asked, "output": [], "meta": meta}
    numbers = _numbers(record) if is_kilt(record) else {}
    sets = distinct_sets(example, account)
    if any(id.page not in numbers for gold in sets for id in gold):
        account.lose(_NO_NUMBER)
    outputs = [
        {"answer": str(example.label), "provenance": [_passage(id, numbers) for id in sorted(gold)]} for gold in sets
    ]
    return {**asked, "output": outputs or [{"answer": str(example.label)}], "meta": meta}


def _numbers(record: Mapping[str, Any]) -> dict[str, str]:
    passages = [each for output in listed(record, "output") for each in listed(output, "provenance")]
    named = [each for each in passages if isinstance(each, dict) and "wikipedia_id" in each]
    return {title: str(each["wikipedia_id"]) for each in named if (title := text_of(each, "title"))}


def _passage(id: ElementId, numbers: Mapping[str, str]) -> dict[str, Any]:
    meta: dict[str, Any] = {ELEMENT: str(id)}
    if is_sentence(id):
        meta |= {"fever_page_id": id_of(id.page), "fever_sentence_id": id.path[0]}
    number = {"wikipedia_id": numbers[id.page]} if id.page in numbers else {}
    return {**number, "title": id.page, "meta": meta}
