"""Held-out sets: models are measured on them, and never trained on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from veritab.build.elements import sentence
from veritab.build.sampling import content_terms
from veritab.corpus.almanac import open_almanac
from veritab.corpus.fever import title_of
from veritab.datasets import load
from veritab.datasets.normalise import LABELS, page_title, plain_text, strip_links
from veritab.errors import InputError, NotFound
from veritab.schema import Context, Element, ElementId, Kind
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_elements


def fool_me_twice(context: SourceContext) -> Iterator[VerdictExample]:
    """Fool Me Twice's development claims with their gold sentences."""
    return (example for _, example in fool_me_twice_by_page(context, "fm2/dev"))


def fool_me_twice_by_page(context: SourceContext, name: str) -> Iterator[tuple[str, VerdictExample]]:
    """The claims of one of Fool Me Twice's files with their gold sentences, each with its page."""
    for record in context.data.records(name):
        gold = [
            sentence(record["wikipedia_page"], number, squeeze(piece["text"]), sections_of(piece["section_header"]))
            for number, piece in enumerate(record["gold_evidence"])
        ]
        if not gold:
            context.left_out["no evidence"] += 1
            continue
        example = VerdictExample(squeeze(record["text"]), render_elements(gold), LABELS[record["label"]])
        yield record["wikipedia_page"], example


def sections_of(header: str) -> list[str]:
    """The sections of a sentence; an introduction has none."""
    return [] if header == "Summary" else [part for part in map(str.strip, header.split("|")) if part]


# -- FEVER -------------------------------------------------------------------------------------------------


def fever_gold(context: SourceContext) -> Iterator[VerdictExample]:
    """FEVER's verifiable development claims with their gold sentences, whose text is one line for all of them."""
    for record in context.data.records("fever/dev_gold_text"):
        pages = record["evidence_pages"]
        # The file does not say which of several pages a sentence is from.
        evidence = sentence(title_of(pages[0]) if len(pages) == 1 else "", 0, plain_text(record["evidence_text"]))
        if not evidence.text:
            context.left_out["no evidence"] += 1
            continue
        yield VerdictExample(squeeze(record["claim"]), render_elements([evidence]), LABELS[record["label"]])


def fever_three(context: SourceContext) -> Iterator[VerdictExample]:
    """FEVER's development claims of all three labels, with gold or retrieved sentences."""
    return (example for _, example in fever_three_by_pages(context))


def fever_three_by_pages(context: SourceContext) -> Iterator[tuple[tuple[str, ...], VerdictExample]]:
    """The same, each with the pages of its sentences."""
    for record in context.data.records("fever/dev_three_way_with_text"):
        if any(len(each) < 3 for each in record["evidence"]):
            context.left_out["a gold sentence without text"] += 1
            continue
        elements = [
            sentence(plain_text(title_of(name)), number, _after_title(plain_text(text)))
            for number, (name, _, text) in enumerate(record["evidence"])
        ]
        example = VerdictExample(squeeze(record["claim"]), render_elements(elements), LABELS[record["label"]])
        yield tuple(element.id.page for element in elements), example


def _after_title(text: str) -> str:
    """A line of that file without the title in brackets that it begins with."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[place + 1 :].strip()
    return text


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def feverous_sentences(context: SourceContext) -> Iterator[VerdictExample]:
    """FEVEROUS claims that sentences decide."""
    for record in context.data.records("feverous/sentence_claims"):
        lines = [line.partition("\t") for line in record["evidence"].split("\n")]
        gold = [
            sentence(page_title(page), number, strip_links(text))
            for number, (page, _, text) in enumerate(lines)
            if text
        ]
        if not gold:
            context.left_out["no evidence"] += 1
            continue
        yield VerdictExample(squeeze(record["claim"]), render_elements(gold), LABELS[record["label"]])


def feverous_cells(context: SourceContext) -> Iterator[VerdictExample]:
    """FEVEROUS claims that cells decide, each with its headers as far as the files have them."""
    whole = {record["id"]: record["table"] for record in context.data.records("feverous/full_table_gold_cells")}
    for record in context.data.records("feverous/cell_claims"):
        table = whole.get(record["id"])
        grid = [table["header"], *table["rows"]] if table else []
        header_ids = {id: around for each in record["evidence"] for id, around in each["context"].items()}
        gold = [each for cell in record["cells"] if (each := _gold_cell(cell, header_ids.get(cell["id"], ()), grid))]
        if not gold:
            context.left_out["no cell with text"] += 1
            continue
        yield VerdictExample(squeeze(record["claim"]), render_elements(gold), LABELS[record["label"]])


def _gold_cell(cell: dict[str, Any], header_ids: Sequence[str], grid: Sequence[Sequence[str]]) -> Element | None:
    id, text = _parsed(cell["id"]), strip_links(cell["value"])
    if not (id and text):
        return None
    context = [Context(ElementId(id.page, Kind.TITLE), id.page)]
    if id.kind is not Kind.CELL:
        return Element(id, text, (), tuple(context))
    headers = [each for name in header_ids if (each := _parsed(name)) and each.kind is Kind.HEADER_CELL]
    context += [Context(each, name) for each in headers if (name := _row_name(id, each, grid))]
    above = [each for each in headers if each.path[1] != id.path[1]]
    named = [cell["header"]] if isinstance(cell["header"], str) else cell["header"] or []
    columns = [name for name in map(strip_links, named) if name and not _is_title(name, id.page)]
    places = above if len(above) >= len(columns) else [_above(id, number) for number in range(len(columns))]
    return Element(id, text, (), (*context, *map(Context, places, columns)))


def _parsed(address: str) -> ElementId | None:
    try:
        return ElementId.parse(address)
    except InputError:
        return None


def _row_name(cell: ElementId, header: ElementId, grid: Sequence[Sequence[str]]) -> str:
    """The text of a header on the left of a cell, where the whole table is known and is the cell's own."""
    row, column = header.path[1:]
    if row != cell.path[1] or row >= len(grid) or column >= len(grid[row]):
        return ""
    return strip_links(grid[row][column])


def _is_title(header: str, page: str) -> bool:
    """Whether a header only repeats what the page is called, as the first line of an infobox does."""
    if header.casefold().startswith(page.partition(" (")[0].casefold()):
        return True
    return bool(content_terms(header) & content_terms(page)) and len(content_terms(header) - content_terms(page)) <= 1


def _above(cell: ElementId, number: int) -> ElementId:
    """The address of a header over a cell, where the file has only its text."""
    table, row, column = cell.path
    return ElementId(cell.page, Kind.HEADER_CELL, (table, number if number < row else row + 1 + number, column))


# -- the almanac -------------------------------------------------------------------------------------------


def almanac(context: SourceContext, *, claims: str = "") -> Iterator[VerdictExample]:
    """Claims about the bundled corpus, or those of the file `claims`, with their gold evidence."""
    store = open_almanac()
    for example in load(Path(claims) if claims else "almanac/claims", strict=True):
        record = example.record
        gold = [ElementId.parse(id) for each in record["evidence"][:1] for id in each["content"]]
        try:
            elements = [store.element(id) for id in gold]
        except NotFound:
            context.left_out["evidence that is not in the corpus"] += 1
            continue
        if not elements:
            context.left_out["no evidence"] += 1
            continue
        yield VerdictExample(squeeze(record["claim"]), render_elements(elements), LABELS[record["label"]])
