"""Sentences and cells as elements of pages, and elements as the text that a model reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from veritab.schema import Context, Element, ElementId, Evidence, Kind, Table
from veritab.train.sources.tabular import UNTITLED, cells_of
from veritab.verify.compose import compose
from veritab.verify.render import render

# The window of a verdict model, less its special tokens and a margin for the estimate of `tokens`.
_WINDOW = 384 - 24
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")


def sentence(page: str, number: int, text: str, sections: Sequence[str] = ()) -> Element:
    """A sentence of a page; a page without a title is one that rendering does not name."""
    name = page or UNTITLED
    context = [Context(ElementId(name, Kind.TITLE), name)]
    context += [Context(ElementId(name, Kind.SECTION, (n,)), section) for n, section in enumerate(sections)]
    return Element(ElementId(name, Kind.SENTENCE, (number,)), text, (), tuple(context))


def numbered(page: str, texts: Iterable[str]) -> list[Element]:
    """Sentences of a page in reading order."""
    return [sentence(page, number, text) for number, text in enumerate(texts)]


def untitled(elements: Iterable[Element]) -> list[Element]:
    """The same sentences on a page that has no title, as evidence that somebody pasted."""
    return [sentence("", number, element.text) for number, element in enumerate(elements)]


def row_elements(table: Table, row: int) -> list[Element]:
    """The cells of one row of the grid that have text, with their headers; header cells are part of those."""
    elements = (table.element(id) for id in cells_of(table, row) if id.kind is Kind.CELL)
    return [element for element in elements if element.text]


def render_elements(elements: Sequence[Element]) -> str:
    """The evidence as text, rendered as in use."""
    return render(elements).text


def render_table_evidence(
    claim: str, table: Table, context: Sequence[Element], facts: Sequence[str], *, with_rows: bool = True
) -> str:
    """A whole table, its context and its facts as text, rendered as in use."""
    return render_evidence(claim, Evidence.of(context, (table,)), facts, with_rows=with_rows)


def render_evidence(claim: str, evidence: Evidence, facts: Sequence[str] = (), *, with_rows: bool = True) -> str:
    """Evidence of any kind and its facts as text, rendered as in use."""
    return compose(claim, evidence, facts, _WINDOW - tokens(claim), tokens, with_rows=with_rows).text


def tokens(text: str) -> int:
    """An estimate of the number of tokens of an English text: within a tenth, for all the data sets here."""
    return sum(map(_tokens_of_word, _WORD.findall(text)))


def _tokens_of_word(word: str) -> int:
    return (len(word) + 2) // 3 if word[0].isdigit() else 1 + (len(word) > 8) + (len(word) > 12)
