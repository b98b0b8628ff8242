"""FEVER's records: evidence is groups of sentences, each named by the id of its page and the number of its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from veritab.corpus.fever import title_of
from veritab.corpus.tokenised import detokenise
from veritab.datasets.records import (
    ESCAPED,
    NFD,
    NO_ADDRESS,
    UNGROUPED,
    DataNotes,
    GoldText,
    Record,
    RecordFormat,
    is_composed,
    label_of,
    listed,
    no_evidence,
    text_of,
    whole_number,
)
from veritab.errors import short_repr
from veritab.schema import ElementId, Kind, Label
from veritab.text import title_form

_TUPLE = "[annotation id, evidence id, page, line]"

# -- addresses ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=2**15)
def _title(page: str) -> tuple[str, tuple[str, ...]]:
    """The title that an id of FEVER stands for, and what there is to note about the id."""
    escaped = ESCAPED if "-LRB-" in page or "-COLON-" in page or "-LSB-" in page else ""
    return title_of(page), tuple(filter(None, (escaped, "" if is_composed(page) else NFD)))


def _address(page: Any, line: Any, notes: DataNotes) -> ElementId:
    title, remarks = _title(page) if isinstance(page, str) else ("", ())
    if not title:
        raise ValueError(
            f"the page of the evidence is {short_repr(page)}; expected an id, e.g. 'Soul_Food_-LRB-film-RRB-'"
        )
    for remark in remarks:
        notes.add(remark)
    return ElementId(title, Kind.SENTENCE, (whole_number(line, notes),))


def _distinct(sets: Iterable[frozenset[ElementId]]) -> tuple[frozenset[ElementId], ...]:
    """Several annotators name the same sentences; each set once, in the order of the file."""
    return tuple(dict.fromkeys(filter(None, sets)))


# -- official records --------------------------------------------------------------------------------------


def _is_official(record: Record) -> bool:
    evidence = record.get("evidence")
    return "evidence_text" in record or (
        isinstance(evidence, list)
        and any(isinstance(group, list) and group and _is_tuple(group[0]) for group in evidence)
    )


def _is_tuple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 4 and not isinstance(item[0], str)


def _groups(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    evidence = record.get("evidence")
    if label is Label.NOT_ENOUGH_INFO:
        return ()  # its groups hold no sentence, only the number of the annotation
    if evidence is None:
        if "evidence_text" in record:
            notes.add(NO_ADDRESS)
        return ()
    if not isinstance(evidence, list) or not all(isinstance(group, list) for group in evidence):
        raise ValueError(f"the evidence is {short_repr(evidence)}; expected groups of {_TUPLE}")
    sets = _distinct([_group(group, notes) for group in evidence])
    if label is not None and not sets:
        raise ValueError(f"{label}, but its evidence names no sentence; expected groups of {_TUPLE}")
    return sets


def _group(group: list[Any], notes: DataNotes) -> frozenset[ElementId]:
    found = []
    for item in group:
        if not isinstance(item, list) or len(item) not in (2, 4):
            raise ValueError(f"a piece of evidence is {short_repr(item)}; expected {_TUPLE}")
        page, line = item[-2:]
        if page is not None or line is not None:
            found.append(_address(page, line, notes))
    return frozenset(found)


def _quoted(record: Record) -> Iterator[GoldText]:
    """The sentences of `evidence_text`, which are from the one page that is named, or from several."""
    pages = listed(record, "evidence_pages")
    if text := text_of(record, "evidence_text").strip():
        yield GoldText(
            title_of(pages[0]) if len(pages) == 1 and isinstance(pages[0], str) else "", "", detokenise(text)
        )


OFFICIAL = RecordFormat("FEVER", "fever", _is_official, _groups, _quoted)

# -- other files made of FEVER -----------------------------------------------------------------------------


def _one_sentence(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    return (frozenset({_address(record.get("page"), record.get("line"), notes)}),)


def _its_text(record: Record) -> Iterator[GoldText]:
    if sentence := text_of(record, "sentence"):
        yield GoldText(title_of(text_of(record, "page")), "", detokenise(sentence))


def _is_pair(record: Record) -> bool:
    return "sentence" in record and "page" in record


PAIRS = RecordFormat("FEVER, a sentence beside each claim", "fever", _is_pair, _one_sentence, _its_text)


def _has_texts(record: Record) -> bool:
    evidence = record.get("evidence")
    return isinstance(evidence, list) and bool(evidence) and all(map(_is_text_item, evidence)) and "label" in record


def _is_text_item(item: Any) -> bool:
    return isinstance(item, list) and len(item) in (2, 3) and isinstance(item[0], str) and type(item[1]) in (int, str)


def _addressed(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    """All sentences of a record as one set."""
    if label is Label.NOT_ENOUGH_INFO:
        return ()  # what stands there was retrieved
    items = record.get("evidence")
    if not isinstance(items, list) or not all(map(_is_text_item, items)):
        raise ValueError(f"the evidence is {short_repr(items)}; expected pieces of [page, line, text]")
    if len(items) > 1:
        notes.add(UNGROUPED)
    return _distinct([frozenset(_address(item[0], item[1], notes) for item in items)])


def _texts(record: Record) -> Iterator[GoldText]:
    for item in listed(record, "evidence"):
        if _is_text_item(item) and len(item) == 3 and isinstance(item[2], str):
            yield GoldText(title_of(item[1] if isinstance(item[1], str) else item[0]), "", _without_title(item[2]))


def _without_title(text: str) -> str:
    """A sentence without the title in brackets that such files put before it."""
    if not text.startswith("( "):
        return detokenise(text)
    depth = 0
    tokens = text.split(" ")
    for position, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth == 0:
            return detokenise(" ".join(tokens[position + 1 :]))
    return detokenise(text)


WITH_TEXT = RecordFormat("FEVER, evidence with its text", "fever", _has_texts, _addressed, _texts)

# -- a fact taken away -------------------------------------------------------------------------------------


def _label_after(record: Record, notes: DataNotes) -> Label | None:
    after = record.get("label_after")
    if not isinstance(after, str):
        raise ValueError(f"label_after is {short_repr(after)}; expected e.g. 'NOT ENOUGH'")
    return Label.NOT_ENOUGH_INFO if after.startswith("NOT ENOUGH") else label_of(record.get("label_before"), notes)


def _titled(record: Record) -> Iterator[GoldText]:
    for item in listed(record, "evidence"):
        if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
            yield GoldText(title_form(item[0]), "", detokenise(item[1]))


def _is_shortened(record: Record) -> bool:
    return "label_after" in record


SUFFICIENT = RecordFormat(
    "evidence with a fact removed", "claims", _is_shortened, no_evidence, _titled, label=_label_after
)
