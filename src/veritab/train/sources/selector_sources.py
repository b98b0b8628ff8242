"""Sources of selector examples: which sentences, and which rows and cells of tables, are evidence for a claim."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from veritab.build.elements import sentence
from veritab.build.library import library
from veritab.build.sampling import NegativeSampler, content_terms, jaccard
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.datasets.tabular import SEMTABFACTS_DEV, feverous_table, semtabfacts, tabfact_table
from veritab.retrieve.candidate_text import candidate_text, row_candidates
from veritab.schema import CELLS, Element, ElementId, Kind, Table
from veritab.text import squeeze
from veritab.train.examples import SelectorExample
from veritab.train.sources import mutated_claims as sentence_claims
from veritab.train.sources import table_claims as row_claims
from veritab.train.sources.context import SourceContext
from veritab.train.sources.held_out import sections_of
from veritab.train.sources.pages import held_out_titles, is_held_out
from veritab.train.sources.sentences import gold_of_claims
from veritab.train.sources.tfidf import TfidfIndex
from veritab.train.sources.written import DEVELOPMENT, TRAIN, read_pages

# A sentence with this Jaccard similarity to the gold one says the same.
_SAYS_THE_SAME = 0.3
_SAYS_THE_CLAIM = 0.6
_MOST_RELEVANT_ROWS = 8
_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM})


def _choose(claim: str, gold: Sequence[Element], others: Iterable[Element]) -> Iterator[SelectorExample]:
    """The gold sentences, and others that do not say the same."""
    known = [content_terms(each.text) for each in gold]
    claim_terms = content_terms(claim)
    for each in gold:
        yield SelectorExample(claim, candidate_text(each), True, ())
    for each in others:
        own = content_terms(each.text)
        says_it = len(claim_terms & own) > _SAYS_THE_CLAIM * len(claim_terms)
        if not says_it and not any(jaccard(own, one) >= _SAYS_THE_SAME for one in known):
            yield SelectorExample(claim, candidate_text(each), False, ())


# -- sentences ---------------------------------------------------------------------------------------------


def fever(context: SourceContext, *, others: int = 6) -> Iterator[SelectorExample]:
    """FEVER's gold sentences, and other sentences of their pages and of pages that the claims name."""
    held_out = held_out_titles(context.data)
    sampler = NegativeSampler(library(context.data), held_out)
    for claim, gold in gold_of_claims(context.data).items():
        page = gold[0].id.page
        if any(title_key(each.id.page) in held_out for each in gold):
            context.left_out["on a page that is measured"] += 1
            continue
        rng = context.rng("choices of fever", claim)
        ids = {each.id for each in gold}
        same_page = [each for each in sampler.page(page) if each.id not in ids]
        other_pages = [
            each for name in sampler.named_pages(claim, page) for each in sampler.page(name)[:3] if each.id not in ids
        ]
        yield from _choose(claim, gold, _some(same_page, others, rng) + _some(other_pages, others // 2, rng))


def vitaminc(context: SourceContext, *, others: int = 5) -> Iterator[SelectorExample]:
    """VitaminC's sentences, other sentences of their pages, and the nearest ones of other pages."""
    held_out = held_out_titles(context.data)
    sampler = NegativeSampler(library(context.data), held_out)
    settled = [
        (page_title(record["page"]), plain_text(record["claim"]), plain_text(record["evidence"]))
        for record in context.data.records("vitaminc/real")
        if not is_held_out(page_title(record["page"])) and record["label"] != "NOT ENOUGH INFO"
    ]
    settled = [each for each in settled if title_key(each[0]) not in held_out]
    pool = list(dict.fromkeys((page, gold) for page, _, gold in settled))
    nearest = TfidfIndex(gold for _, gold in pool)
    for number, (page, claim, gold) in enumerate(settled):
        rng = context.rng("choices of vitaminc", number)
        found = (pool[place] for place in nearest.best(claim, 12))
        other_pages = [sentence(other, 0, text) for other, text in found if other != page][: others // 2]
        same_page = _some(sampler.page(page), others - len(other_pages), rng)
        yield from _choose(claim, [sentence(page, 0, gold)], same_page + other_pages)


def snli(context: SourceContext) -> Iterator[SelectorExample]:
    """Sentences that settle a hypothesis of SNLI, and sentences about the same things that do not."""
    return _settling(context, "nli/snli")


def mnli(context: SourceContext) -> Iterator[SelectorExample]:
    """Sentences that settle a hypothesis of MNLI, and sentences about the same things that do not."""
    return _settling(context, "nli/mnli")


def _settling(context: SourceContext, name: str) -> Iterator[SelectorExample]:
    for record in context.data.records(name):
        premise = plain_text(record["premise"])
        if premise and record["label"] in LABELS:
            candidate = candidate_text(sentence("", 0, premise))
            yield SelectorExample(
                plain_text(record["hypothesis"]), candidate, LABELS[record["label"]] != NOT_ENOUGH, ()
            )


def mutated(context: SourceContext, *, pairs: int = 30_000, others: int = 6) -> Iterator[SelectorExample]:
    """The sentences that claims were made of, and their neighbours."""
    for generated in sentence_claims.make_claims(context, pairs=pairs):
        page, texts = generated.introduction
        elements = [sentence(page, number, text) for number, text in enumerate(texts)]
        gold = [elements[number] for number in dict.fromkeys(generated.used)]
        rest = [each for each in elements if each not in gold]
        yield from _choose(
            generated.built.text, gold, _some(rest, others, context.rng("choices", generated.built.text))
        )


def _some(elements: Sequence[Element], most: int, rng: random.Random) -> list[Element]:
    return rng.sample(list(elements), min(len(elements), most))


# -- rows and cells ----------------------------------------------------------------------------------------


def _rows(
    claim: str, table: Table, relevant: frozenset[tuple[int, int]], others: int | None, rng: random.Random
) -> Iterator[SelectorExample]:
    """The rows with relevant cells, and some others, or all where `others` is None; header rows are left out."""
    wanted = sorted({row for row, _ in relevant})
    body = [row for row, line in enumerate(table.rows) if not all(cell.header for cell in line)]
    rest = [row for row in body if row not in wanted]
    kept = rest if others is None else sorted(rng.sample(rest, min(len(rest), others)))
    if others is not None and len(wanted) > _MOST_RELEVANT_ROWS:
        wanted = sorted(rng.sample(wanted, _MOST_RELEVANT_ROWS))
    for row, ids in row_candidates(table, sorted({*(row for row in wanted if row in body), *kept})):
        marks = tuple((id.path[1], id.path[2]) in relevant for id in ids)
        yield SelectorExample(claim, row, any(marks), marks)


def tabfact_cells(context: SourceContext, *, others: int = 4) -> Iterator[SelectorExample]:
    """True statements of TabFact with the cells that they mention; of its training tables only."""
    for number, record in enumerate(context.data.records("tabfact/entailed_cell_links")):
        if record["split"] != "train":
            context.left_out["not of the training tables"] += 1
            continue
        linked = frozenset((link["row"], link["col"]) for link in record["cell_links"] if link["row"] > 0)
        if not linked:
            context.left_out["no cell but headers"] += 1
            continue
        table = tabfact_table(context.data, record["table_id"])
        yield from _rows(record["statement"], table, linked, others, context.rng("cells of tabfact", number))


def table_claims(context: SourceContext, *, pairs: int = 20_000, others: int = 3) -> Iterator[SelectorExample]:
    """The cells that claims were made of, and other rows of their tables."""
    for generated in row_claims.make_claims(context, pairs=pairs):
        rng = context.rng("cells", generated.built.text)
        yield from _rows(generated.built.text, generated.table, generated.used, others, rng)


def written(context: SourceContext, *, others: int = 6) -> Iterator[SelectorExample]:
    """What the claims written for Veritab need: their sentences and cells, and the nearest others of the same pages."""
    return _written(context, TRAIN, others)


def written_dev(context: SourceContext) -> Iterator[SelectorExample]:
    """The same of the pages for development."""
    return _written(context, DEVELOPMENT, 20)


def _written(context: SourceContext, name: str, others: int) -> Iterator[SelectorExample]:
    pages = context.data.once(read_pages)
    held_out = held_out_titles(context.data)
    for record in context.data.records(name):
        gold = [ElementId.parse(id) for id in record["evidence"][0]["content"]]
        titles = list(dict.fromkeys(id.page for id in gold))
        if name == TRAIN and any(title_key(title) in held_out for title in titles):
            context.left_out["on a page that is measured"] += 1
            continue
        rng = context.rng("choices of written", record["id"])
        claim = squeeze(record["claim"])
        texts = [each for title in titles for each in pages[title].elements if each.kind in _TEXTS]
        chosen = [each for each in texts if each.id in gold]
        rest = [each for each in texts if each.id not in gold]
        own = content_terms(claim)
        near = sorted(rest, key=lambda each: -len(own & content_terms(each.text)))[:others]
        if chosen:
            yield from _choose(claim, chosen, [*near, *_some(rest, 2, rng)])
        for id in dict.fromkeys(id.table for id in gold if id.kind in CELLS):
            table = next((table for table in pages[id.page].tables if table.id == id), None) if id else None
            if table:
                places = frozenset(
                    (each.path[1], each.path[2]) for each in gold if each.table == id and each.kind in CELLS
                )
                yield from _rows(claim, table, places, others, rng)
        if not chosen:
            for each in near:
                yield SelectorExample(claim, candidate_text(each), False, ())


# -- what is measured --------------------------------------------------------------------------------------


def fool_me_twice(context: SourceContext) -> Iterator[SelectorExample]:
    """All sentences that Fool Me Twice's file holds for a claim, those first that its retriever brought first."""
    for record in context.data.records("fm2/dev"):
        gold = {squeeze(piece["text"]) for piece in record["gold_evidence"]}
        pieces = [*record["retrieved_evidence"], *record["gold_evidence"]]
        texts = {squeeze(piece["text"]): sections_of(piece["section_header"]) for piece in reversed(pieces)}
        for number, (text, sections) in enumerate(reversed(texts.items())):
            element = sentence(record["wikipedia_page"], number, text, sections)
            yield SelectorExample(squeeze(record["text"]), candidate_text(element), text in gold, ())


def feverous_cells(context: SourceContext) -> Iterator[SelectorExample]:
    """All rows of the tables of FEVEROUS claims, with their gold cells."""
    for number, record in enumerate(context.data.records("feverous/full_table_gold_cells")):
        table = feverous_table(context.data, record["table"], page_title(record["page"]))
        gold = frozenset(_gold_places(record, table))
        if not gold:
            context.left_out["no gold cell in the table"] += 1
            continue
        yield from _rows(squeeze(record["claim"]), table, gold, None, context.rng(number))


def _gold_places(record: dict[str, Any], table: Table) -> Iterator[tuple[int, int]]:
    for cell in record["cells"]:
        if cell["grid_position"]:
            row, column = cell["grid_position"]
            if row < len(table.rows) and column < len(table.rows[row]):
                yield row, column


def semtabfacts_cells(context: SourceContext) -> Iterator[SelectorExample]:
    """All rows of the tables of SemTabFacts' development statements, with the cells that decide them."""
    for number, (statement, relevant) in enumerate(semtabfacts(context.data, SEMTABFACTS_DEV)):
        if not relevant:
            context.left_out["no relevant cell"] += 1
            continue
        yield from _rows(statement.claim, statement.table, relevant, None, context.rng(number))
