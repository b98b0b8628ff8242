"""What several formats ask of evidence: the sets that fit, and the words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from veritab.datasets.quoted import gold_texts
from veritab.datasets.records import GoldText
from veritab.datasets.writing.account import LossAccount, UnsupportedExample
from veritab.schema import Element, ElementId, EvidenceSet, Example, Kind, Page

ElementOf: TypeAlias = Callable[[ElementId], Element | None]
"""Finds an element in a corpus, or nothing."""

EMPTY_SETS = "evidence sets without a piece"
REPEATED_SETS = "evidence sets that were written before"
CHALLENGE = "the challenge"
NO_LABEL = "the format has no label NOT ENOUGH INFO"
ADDRESSES = "the addresses of the evidence; the format quotes it"
NO_WORDS = "the evidence: the format quotes it, and only the corpus has its words (--corpus)"
UNLABELLED = "the evidence of claims without a label"
NO_ROOM_FOR_SILVER = "its evidence was found, not annotated, and the format has no way to say so"

# What no claim rests on: titles and headings are context.
_NO_EVIDENCE = frozenset({Kind.TITLE, Kind.SECTION, Kind.TABLE, Kind.LIST})
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def number_or_text(id: str) -> int | str:
    """An id as files write it: a number where it is one."""
    return int(id) if _NUMBER.fullmatch(id) else id


def distinct_sets(example: Example, account: LossAccount) -> tuple[EvidenceSet, ...]:
    """The evidence sets that hold something, each once: readers of the official formats keep no others."""
    filled = tuple(filter(None, example.evidence))
    sets = tuple(dict.fromkeys(filled))
    if len(filled) < len(example.evidence):
        account.lose(EMPTY_SETS)
    if len(sets) < len(filled):
        account.lose(REPEATED_SETS)
    return sets


def sets_that_fit(
    example: Example, account: LossAccount, matches: Callable[[ElementId], bool], why: str
) -> tuple[EvidenceSet, ...]:
    """The sets of which every piece has a place in the format; a claim of which no set has is not written."""
    sets = distinct_sets(example, account)
    fitting = tuple(gold for gold in sets if all(map(matches, gold)))
    if sets and not fitting:
        raise UnsupportedExample(why)
    if len(fitting) < len(sets):
        account.lose(f"some of the evidence sets ({why})")
    return fitting


def evidence_elements(pages: Iterable[Page]) -> Iterator[Element]:
    """Everything on pages that can be evidence, for formats that hold a whole corpus."""
    for page in pages:
        yield from (element for element in page.elements if element.kind not in _NO_EVIDENCE and element.text)


def is_sentence(id: ElementId) -> bool:
    """Whether an address is that of a sentence."""
    return id.kind is Kind.SENTENCE


def words_of(example: Example, element_of: ElementOf | None) -> tuple[GoldText, ...]:
    """The evidence in words: as the record quotes it, else the first set as the corpus has it, as far as it does."""
    quoted = gold_texts(example)
    if quoted or not element_of or not example.evidence:
        return quoted
    found = [element for id in sorted(example.evidence[0]) if (element := element_of(id))]
    return tuple(GoldText(each.id.page, _section(each), _words(each)) for each in found)


def _section(element: Element) -> str:
    return " | ".join(context.text for context in element.context if context.id.kind is Kind.SECTION)


def _words(element: Element) -> str:
    """The text of an element; that of a cell under its headers, as "1991" alone says nothing."""
    headers = [context.text for context in element.context if context.id.kind is Kind.HEADER_CELL and context.text]
    return f"{' · '.join(headers)}: {element.text}" if headers else element.text
