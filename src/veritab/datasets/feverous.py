"""FEVEROUS's records: evidence is sets of element ids; claims without enough information have evidence, too."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from veritab.corpus.feverous import read_text
from veritab.datasets.records import (
    EMPTY_SET,
    NFD,
    NO_ADDRESS,
    DataNotes,
    GoldText,
    Record,
    RecordFormat,
    is_composed,
    label_of,
    listed,
    text_of,
    whole_number,
)
from veritab.errors import InputError, short_repr
from veritab.schema import ElementId, Kind, Label
from veritab.text import squeeze, title_form

_KINDS = frozenset(map(str, Kind))
_SET = '{"content": ["Alan Turing_sentence_0", ...]}'


@lru_cache(maxsize=2**14)
def _parsed(id: str) -> ElementId:
    return ElementId.parse(id)


def _address(given: Any, notes: DataNotes) -> ElementId:
    """An element id, as one text or, as the official scorer has it, as page, kind and numbers."""
    try:
        if isinstance(given, str):
            if not is_composed(given):
                notes.add(NFD)
            return _parsed(given)
        if isinstance(given, list) and len(given) == 3 and all(isinstance(part, str) for part in given[:2]):
            page, kind, numbers = given
            path = tuple(whole_number(number, notes) for number in str(numbers).split("_") if number)
            return ElementId(page, Kind(kind), path)
    except (InputError, ValueError) as error:
        raise ValueError(f"{short_repr(given)} is not an address of evidence: {error}") from None
    raise ValueError(f"{short_repr(given)} is not an address of evidence; expected e.g. 'Alan Turing_sentence_0'")


def _is_official(record: Record) -> bool:
    evidence = record.get("evidence")
    return isinstance(evidence, list) and any(_is_set(each) for each in evidence)


def _is_set(given: Any) -> bool:
    return "content" in given if isinstance(given, dict) else isinstance(given, list) and _is_triple(given[:1])


def _is_triple(given: list[Any]) -> bool:
    return bool(given) and all(
        isinstance(each, list) and len(each) == 3 and isinstance(each[1], str) and each[1] in _KINDS for each in given
    )


def _sets(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    evidence = record.get("evidence")
    if evidence is None:
        return ()
    if not isinstance(evidence, list):
        raise ValueError(f"the evidence is {short_repr(evidence)}; expected sets such as {_SET}")
    sets = []
    for each in evidence:
        content = each.get("content") if isinstance(each, dict) else each
        if not isinstance(content, list):
            raise ValueError(f"an evidence set is {short_repr(each)}; expected e.g. {_SET}")
        if content:
            sets.append(frozenset(_address(id, notes) for id in content))
        elif label is not None:
            notes.add(EMPTY_SET)
    return tuple(dict.fromkeys(sets))


def _cells(record: Record) -> Iterator[GoldText]:
    for cell in listed(record, "cells"):
        if isinstance(cell, dict) and isinstance(cell.get("value"), str):
            yield GoldText(_page(cell.get("id")), "", plain(cell["value"]))


def _page(id: Any) -> str:
    try:
        return _parsed(id).page if isinstance(id, str) else ""
    except InputError:
        return ""


def plain(text: str) -> str:
    """A text of FEVEROUS's Wikipedia without the marks of its links."""
    return read_text(text)[0]


OFFICIAL = RecordFormat("FEVEROUS", "feverous", _is_official, _sets, _cells, dummy=True)

# -- claims that `veritab build` made -----------------------------------------------------------------------


def _is_built(record: Record) -> bool:
    origin = record.get("origin")
    return "silver" in record and isinstance(origin, dict) and "rule" in origin


def _quotes(record: Record) -> Iterator[GoldText]:
    for quoted in listed(record, "quotes"):
        given = {"text": quoted} if isinstance(quoted, str) else quoted
        if isinstance(given, dict) and isinstance(given.get("text"), str):
            yield GoldText(*(text_of(given, key) for key in GoldText._fields))


BUILT = RecordFormat("claims that were built", "feverous", _is_built, _sets, _quotes)

# -- other files made of FEVEROUS --------------------------------------------------------------------------


def _unaddressed(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    notes.add(NO_ADDRESS)
    return ()


def _quotes_sentences(record: Record) -> bool:
    return isinstance(record.get("evidence"), str) and "\t" in record["evidence"] and "challenge" in record


def _sentences(record: Record) -> Iterator[GoldText]:
    for line in text_of(record, "evidence").split("\n"):
        page, tab, text = line.partition("\t")
        if tab and text.strip():
            yield GoldText(title_form(page), "", plain(text))


SENTENCES = RecordFormat("FEVEROUS, sentences quoted", "feverous", _quotes_sentences, _unaddressed, _sentences)

_NUMBERED = {"0": Label.REFUTES, "1": Label.SUPPORTS, "2": Label.NOT_ENOUGH_INFO}


def _numbered(record: Record, notes: DataNotes) -> Label | None:
    given = record.get("label")
    return _NUMBERED[str(given)] if str(given) in _NUMBERED else label_of(given, notes)


def _table_and_sentences(record: Record) -> Iterator[GoldText]:
    title = title_form(text_of(record, "title"))
    for sentence in listed(record, "context"):
        if isinstance(sentence, str):
            yield GoldText(title, "", plain(sentence))
    table = record.get("table")
    if isinstance(table, dict):
        caption = squeeze(text_of(table, "caption"))
        for row in (listed(table, "header"), *listed(table, "rows")):
            cells = [squeeze(str(cell)) for cell in row] if isinstance(row, list) else []
            if any(cells):
                yield GoldText(title, caption, " | ".join(cells))


def _is_whole_table(record: Record) -> bool:
    return "query" in record and "table" in record


TABLES = RecordFormat(
    "FEVEROUS, whole tables quoted",
    "feverous",
    _is_whole_table,
    _unaddressed,
    _table_and_sentences,
    claim="query",
    label=_numbered,
)
