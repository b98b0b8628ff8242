"""Sentences and cells as elements of pages: made of texts that a file holds, or found in a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from veritab.corpus import Corpus
from veritab.datasets.tabular import UNTITLED, cells_of
from veritab.errors import NotFound
from veritab.schema import Context, Element, ElementId, Kind, Table


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


def find_element(corpus: Corpus, id: ElementId) -> Element | None:
    """The element with that address; None where the corpus has none."""
    try:
        return corpus.element(id)
    except NotFound:
        return None
