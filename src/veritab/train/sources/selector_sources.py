"""What a selector learns from: which sentences, and which rows and cells of tables, bear on a claim."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from veritab.retrieve.candidate_text import candidate_text, row_candidates
from veritab.schema import Element, Table
from veritab.text import squeeze
from veritab.train.examples import SelectorExample
from veritab.train.sources import mutated_claims as sentence_claims
from veritab.train.sources import table_claims as row_claims
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import sentence
from veritab.train.sources.held_out import sections_of
from veritab.train.sources.normalise import LABELS, NOT_ENOUGH, page_title, plain_text, title_key
from veritab.train.sources.pages import held_out_titles, is_aside, library
from veritab.train.sources.sampling import NegativeSampler, alike, content
from veritab.train.sources.sentences import gold_of_claims
from veritab.train.sources.tabular import SEMTABFACTS_DEV, feverous_table, semtabfacts, tabfact_table
from veritab.train.sources.tfidf import TfidfIndex

# Another sentence that has so many of its words in common with the gold one says the same.
_SAYS_THE_SAME = 0.3
_SAYS_THE_CLAIM = 0.6
_MOST_RELEVANT_ROWS = 8


def _chosen(claim: str, gold: Sequence[Element], others: Iterable[Element]) -> Iterator[SelectorExample]:
    """The gold sentences, and others that do not say the same."""
    known = [content(each.text) for each in gold]
    asked = content(claim)
    for each in gold:
        yield SelectorExample(claim, candidate_text(each), True, ())
    for each in others:
        own = content(each.text)
        says_it = len(asked & own) > _SAYS_THE_CLAIM * len(asked)
        if not says_it and not any(alike(own, one) >= _SAYS_THE_SAME for one in known):
            yield SelectorExample(claim, candidate_text(each), False, ())


# -- sentences ---------------------------------------------------------------------------------------------


def fever(given: SourceContext, *, others: int = 6) -> Iterator[SelectorExample]:
    """FEVER's gold sentences, and other sentences of their pages and of pages that the claims name."""
    barred = held_out_titles(given.data)
    around = NegativeSampler(library(given.data), barred)
    for claim, gold in gold_of_claims(given.data).items():
        page = gold[0].id.page
        if any(title_key(each.id.page) in barred for each in gold):
            given.left_out["on a page that is measured"] += 1
            continue
        chance = given.chance("choices of fever", claim)
        ids = {each.id for each in gold}
        near = [each for each in around.page(page) if each.id not in ids]
        far = [each for name in around.named(claim, page) for each in around.page(name)[:3] if each.id not in ids]
        yield from _chosen(claim, gold, _some(near, others, chance) + _some(far, others // 2, chance))


def vitaminc(given: SourceContext, *, others: int = 5) -> Iterator[SelectorExample]:
    """VitaminC's sentences, other sentences of their pages, and the nearest ones of other pages."""
    barred = held_out_titles(given.data)
    around = NegativeSampler(library(given.data), barred)
    told = [
        (page_title(record["page"]), plain_text(record["claim"]), plain_text(record["evidence"]))
        for record in given.data.records("vitaminc/real")
        if not is_aside(page_title(record["page"])) and record["label"] != "NOT ENOUGH INFO"
    ]
    told = [each for each in told if title_key(each[0]) not in barred]
    pool = list(dict.fromkeys((page, gold) for page, _, gold in told))
    nearest = TfidfIndex(gold for _, gold in pool)
    for number, (page, claim, gold) in enumerate(told):
        chance = given.chance("choices of vitaminc", number)
        found = (pool[place] for place in nearest.best(claim, 12))
        far = [sentence(other, 0, text) for other, text in found if other != page][: others // 2]
        near = _some(around.page(page), others - len(far), chance)
        yield from _chosen(claim, [sentence(page, 0, gold)], near + far)


def snli(given: SourceContext) -> Iterator[SelectorExample]:
    """Sentences that settle a hypothesis of SNLI, and sentences about the same things that do not."""
    return _settling(given, "nli/snli")


def mnli(given: SourceContext) -> Iterator[SelectorExample]:
    """Sentences that settle a hypothesis of MNLI, and sentences about the same things that do not."""
    return _settling(given, "nli/mnli")


def _settling(given: SourceContext, name: str) -> Iterator[SelectorExample]:
    for record in given.data.records(name):
        premise = plain_text(record["premise"])
        if premise and record["label"] in LABELS:
            told = candidate_text(sentence("", 0, premise))
            yield SelectorExample(plain_text(record["hypothesis"]), told, LABELS[record["label"]] != NOT_ENOUGH, ())


def mutated(given: SourceContext, *, pairs: int = 30_000, others: int = 6) -> Iterator[SelectorExample]:
    """The sentences that claims were made of, and their neighbours."""
    for made in sentence_claims.made(given, pairs=pairs):
        page, texts = made.introduction
        elements = [sentence(page, number, text) for number, text in enumerate(texts)]
        gold = [elements[number] for number in dict.fromkeys(made.used)]
        rest = [each for each in elements if each not in gold]
        yield from _chosen(made.pair.claim, gold, _some(rest, others, given.chance("choices", made.pair.claim)))


def _some(elements: Sequence[Element], most: int, chance: random.Random) -> list[Element]:
    return chance.sample(list(elements), min(len(elements), most))


# -- rows and cells ----------------------------------------------------------------------------------------


def _rows(
    claim: str, table: Table, relevant: frozenset[tuple[int, int]], others: int | None, chance: random.Random
) -> Iterator[SelectorExample]:
    """The rows with relevant cells, and some others, or all where `others` is None; headers are no rows."""
    wanted = sorted({row for row, _ in relevant})
    body = [row for row, line in enumerate(table.rows) if not all(cell.header for cell in line)]
    rest = [row for row in body if row not in wanted]
    kept = rest if others is None else sorted(chance.sample(rest, min(len(rest), others)))
    if others is not None and len(wanted) > _MOST_RELEVANT_ROWS:
        wanted = sorted(chance.sample(wanted, _MOST_RELEVANT_ROWS))
    for shown, ids in row_candidates(table, sorted({*(row for row in wanted if row in body), *kept})):
        marks = tuple((id.path[1], id.path[2]) in relevant for id in ids)
        yield SelectorExample(claim, shown, any(marks), marks)


def tabfact_cells(given: SourceContext, *, others: int = 4) -> Iterator[SelectorExample]:
    """True statements of TabFact with the cells that they mention; of its training tables only."""
    for number, record in enumerate(given.data.records("tabfact/entailed_cell_links")):
        if record["split"] != "train":
            given.left_out["not of the training tables"] += 1
            continue
        linked = frozenset((link["row"], link["col"]) for link in record["cell_links"] if link["row"] > 0)
        if not linked:
            given.left_out["no cell but headers"] += 1
            continue
        table = tabfact_table(given.data, record["table_id"])
        yield from _rows(record["statement"], table, linked, others, given.chance("cells of tabfact", number))


def table_claims(given: SourceContext, *, pairs: int = 20_000, others: int = 3) -> Iterator[SelectorExample]:
    """The cells that claims were made of, and other rows of their tables."""
    for made in row_claims.made(given, pairs=pairs):
        chance = given.chance("cells", made.pair.claim)
        yield from _rows(made.pair.claim, made.table, made.used, others, chance)


# -- what is measured --------------------------------------------------------------------------------------


def fool_me_twice(given: SourceContext) -> Iterator[SelectorExample]:
    """All sentences that Fool Me Twice's file holds for a claim, those first that its retriever brought first."""
    for record in given.data.records("fm2/dev"):
        gold = {squeeze(piece["text"]) for piece in record["gold_evidence"]}
        pieces = [*record["retrieved_evidence"], *record["gold_evidence"]]
        texts = {squeeze(piece["text"]): sections_of(piece["section_header"]) for piece in reversed(pieces)}
        for number, (text, sections) in enumerate(reversed(texts.items())):
            told = sentence(record["wikipedia_page"], number, text, sections)
            yield SelectorExample(squeeze(record["text"]), candidate_text(told), text in gold, ())


def feverous_cells(given: SourceContext) -> Iterator[SelectorExample]:
    """All rows of the tables of FEVEROUS claims, with their gold cells."""
    for number, record in enumerate(given.data.records("feverous/full_table_gold_cells")):
        table = feverous_table(given.data, record["table"], page_title(record["page"]))
        gold = frozenset(_gold_places(record, table))
        if not gold:
            given.left_out["no gold cell in the table"] += 1
            continue
        yield from _rows(squeeze(record["claim"]), table, gold, None, given.chance(number))


def _gold_places(record: dict[str, Any], table: Table) -> Iterator[tuple[int, int]]:
    for cell in record["cells"]:
        if cell["grid_position"]:
            row, column = cell["grid_position"]
            if row < len(table.rows) and column < len(table.rows[row]):
                yield row, column


def semtabfacts_cells(given: SourceContext) -> Iterator[SelectorExample]:
    """All rows of the tables of SemTabFacts' development statements, with the cells that decide them."""
    for number, (statement, relevant) in enumerate(semtabfacts(given.data, SEMTABFACTS_DEV)):
        if not relevant:
            given.left_out["no relevant cell"] += 1
            continue
        yield from _rows(statement.claim, statement.table, relevant, None, given.chance(number))
