"""Claims that were written for Veritab by reading Wikipedia's pages and invented documents, with their gold evidence.

A tenth of the pages is for development: nothing is trained on their claims.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.corpus.feverous import page_from_json
from veritab.corpus.wikipedia import WikipediaReader
from veritab.datasets import DataFiles
from veritab.datasets.normalise import LABELS, title_key
from veritab.errors import NotFound
from veritab.reason.facts import truncate_facts
from veritab.reason.page import page_reasoning
from veritab.schema import CELLS, Element, ElementId, Evidence, Kind, Page
from veritab.text import squeeze
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import WORDS
from veritab.train.sources.evidence import render_elements, render_evidence
from veritab.train.sources.pages import held_out_titles

TRAIN, DEVELOPMENT, DOCUMENTS = "written/train", "written/dev", "written/documents"


def written(context: SourceContext, *, whole_tables: float = 0.4, claim_only: bool = False) -> Iterator[VerdictExample]:
    """The claims to train on; as often as `whole_tables` says, cells stand in the whole of their tables.

    Pages that models are measured on are left out. With `claim_only` the evidence is left out: what a model learns of
    that, the wording gives away.
    """
    return _examples(context, TRAIN, whole_tables, claim_only=claim_only)


def written_dev(
    context: SourceContext, *, whole_tables: float = 0.4, claim_only: bool = False
) -> Iterator[VerdictExample]:
    """The claims of the pages for development."""
    return _examples(context, DEVELOPMENT, whole_tables, claim_only=claim_only)


def read_pages(data: DataFiles) -> dict[str, Page]:
    """Wikipedia's pages and the invented documents as Veritab reads them, by title."""
    reader = WikipediaReader()
    pages = {}
    for record in data.records("wiki/pages_html"):
        for page in reader.page(record["html"].encode(), record["title"]):
            if isinstance(page, Page):
                pages[page.title] = page
    for record in data.records(DOCUMENTS):
        pages |= {page.title: page for page in page_from_json(record) if isinstance(page, Page)}
    return pages


def _examples(context: SourceContext, name: str, whole_tables: float, *, claim_only: bool) -> Iterator[VerdictExample]:
    pages = context.data.once(read_pages)
    held_out = held_out_titles(context.data)
    known: dict[str, dict[ElementId, Element]] = {}
    for record in context.data.records(name):
        ids = [ElementId.parse(id) for id in record["evidence"][0]["content"]]
        titles = dict.fromkeys(id.page for id in ids)
        if name == TRAIN and any(title_key(title) in held_out for title in titles):
            context.left_out["on a page that is measured"] += 1
            continue
        for title in titles:
            if title not in known:
                known[title] = {element.id: element for element in pages[title].elements} if title in pages else {}
        try:
            elements = [known[id.page][id] for id in ids]
        except KeyError as missing:
            raise NotFound(f"{name} cites {missing.args[0]}, which is not in wiki/pages_html") from None
        claim = squeeze(record["claim"])
        in_tables = [element for element in elements if element.kind in CELLS]
        if in_tables and context.rng(name, record["id"]).random() < whole_tables:
            text = _render_tables(claim, elements, pages)
        else:
            text = render_elements(elements)
        yield VerdictExample(claim, "" if claim_only else text, LABELS[record["label"]])


def _render_tables(claim: str, elements: list[Element], pages: dict[str, Page]) -> str:
    """The evidence with the whole tables of its cells, and what can be derived from them."""
    ids = dict.fromkeys(element.id.table for element in elements if element.kind in CELLS)
    tables = [table for id in ids if id for table in pages[id.page].tables if table.id == id]
    texts = [element for element in elements if element.kind not in CELLS and element.kind is not Kind.TABLE_CAPTION]
    found = page_reasoning(claim, tables, texts)
    facts = [fact.text for fact in truncate_facts(found.facts, WORDS)]
    return render_evidence(claim, Evidence.of(texts, tables), facts)
