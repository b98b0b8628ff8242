"""FEVEROUS, tables 3 and 4: what its baseline finds, what gold evidence says, and both in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from veritab import datasets
from veritab.errors import NotFound
from veritab.evaluate import official
from veritab.evaluate.retrieval import Level, evaluate_rankings
from veritab.papers.tables.cells import (
    ProgressStep,
    TableCell,
    TableEvent,
    TableNote,
    f1_of,
    macro_f1,
    number,
    resampled,
    share,
)
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import TableCorpus, open_table_corpus, reachable, refuse_none, verdicts_on
from veritab.papers.tables.inputs import ALMANAC, TableInputs
from veritab.papers.tables.verdict_model import logits, model_note, three_way
from veritab.schema import ElementId, Example, Hit, Kind, Label, Sentence
from veritab.text import terms

if TYPE_CHECKING:
    from veritab.corpus.store import Store

ORIGINAL = "5.4 million whole Wikipedia pages of December 2020"
_READER = (
    "RoBERTa-large, fitted on 71,291 claims of FEVEROUS; its labels are those of its card's default calibration, which "
    "was not fitted on FEVEROUS"
)
_SAME = 0.7
"""Two readings of one sentence share at least this share of their words."""


# -- table 4, left -----------------------------------------------------------------------------------------


def coverage(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """How much of the evidence FEVEROUS's own retrieval finds: documents, sentences, tables."""
    with open_table_corpus(inputs) as corpus:
        examples, note = _claims(corpus)
        yield from (corpus.note(ORIGINAL), note)
        yield TableNote("names", "pages a claim names are found by Veritab's own reader of names, in place of spaCy's")
        claims = [example.claim for example in examples]
        yield ProgressStep(f"five pages for {len(claims):,} claims")
        pages = corpus.pages("feverous-pages", claims, 5)
        yield ProgressStep("their sentences and tables")
        found = corpus.selected("feverous-elements", claims, pages)
        sides = (("Doc", Level.PAGE, pages), ("Sent", Level.SENTENCE, found), ("Tab", Level.TABLE, found))
        for column, level, ranked in sides:
            ks = [k for k in table.settings["k"] if column in table.published[str(k)]]
            scores = evaluate_rankings(examples, ranked, level, ks)
            for k in ks:
                if not scores.claims:
                    yield TableCell(str(k), column, why="the evidence of no claim on hand is of this kind")
                    continue
                value = number(scores.metric(f"recall@{k}"), len(scores.claims))
                yield TableCell(str(k), column, value, notes=("corpus", "claims", "names"))


def _claims(corpus: TableCorpus) -> tuple[list[Example], TableNote]:
    inputs = corpus.inputs
    if corpus.is_almanac:
        every = list(datasets.load(ALMANAC))
        return inputs.sample_examples(every), TableNote(
            "claims", f"{len(every):,} claims of {ALMANAC}, for the paper's 7,890"
        )
    folder = inputs.data_folder
    whole = datasets.REGISTRY["feverous/dev"].find(folder)
    names = ("feverous/dev",) if whole else ("feverous/sentence_claims", "feverous/full_table_gold_cells")
    asked = {name: list(datasets.load(name, data=folder)) for name in names}
    here = reachable if whole else _placed
    held = {name: [kept for each in sample if (kept := here(each, corpus.store))] for name, sample in asked.items()}
    described = " and ".join(f"{len(held[name]):,} of {len(asked[name]):,} claims of {name}" for name in names)
    refuse_none([each for sample in held.values() for each in sample], " and ".join(names), corpus)
    note = f"{described}, those with evidence in the corpus, for the paper's 7,890"
    return inputs.sample_examples([each for sample in held.values() for each in sample]), TableNote("claims", note)


def _placed(example: Example, store: Store) -> Example | None:
    """The example with evidence in this store: tables by their addresses, sentences that are quoted by their text."""
    tables = [
        frozenset(id.table for id in sample if id.table and _has_table(store, id.table)) for sample in example.evidence
    ]
    sets = tuple(sample for sample in tables if sample) or tuple(filter(None, [_quoted(example, store)]))
    return replace(example, evidence=sets) if sets else None


def _has_table(store: Store, id: ElementId) -> bool:
    try:
        store.table(id)
    except NotFound:
        return False
    return True


def _quoted(example: Example, store: Store) -> frozenset[ElementId]:
    """The sentences of the store that say what a record quotes; none where one of them is not there."""
    found = set()
    for gold in datasets.gold_texts(example):
        try:
            page = store.page(gold.page)
        except NotFound:
            return frozenset()
        own = set(terms(gold.text))
        near = [
            (len(own & other) / len(own | other), -block.number)
            for block in page.blocks
            if isinstance(block, Sentence) and (other := set(terms(block.text)))
        ]
        likeness, place = max(near, default=(0.0, 0))
        if likeness < _SAME:
            return frozenset()
        found.add(ElementId(page.title, Kind.SENTENCE, (-place,)))
    return frozenset(found)


# -- table 4, right ----------------------------------------------------------------------------------------


def gold_verdicts(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """The F1 of each label where gold evidence is given."""
    from veritab.train.sources import examples

    columns = [(f1_of(place), name) for place, name in enumerate(table.columns[:3])] + [(macro_f1, table.columns[3])]
    yield model_note(_READER)
    for row in table.settings["without"]:
        for column in table.columns:
            yield TableCell(row, column, why="one would have to fit RoBERTa-large on FEVEROUS's training claims")
    for row, sources in table.settings["rows"].items():
        pairs = [
            pair
            for source in sources
            for pair in examples("verdict", source["name"], inputs.data_folder, seed=0)
            if pair.label in source["labels"]
        ]
        pairs = inputs.sample(
            pairs, lambda pair: f"{pair.claim} {pair.label}", inputs.at_most or table.settings["at_most"]
        )
        counts = ", ".join(f"{sum(p.label == place for p in pairs):,} {label}" for place, label in enumerate(Label))
        described = " and ".join(f"{each['name']} ({each['what']})" for each in sources)
        yield TableNote(row, f"{counts}: claims of {described}; the paper: 3,908, 3,481 and 501")
        found = yield from logits(inputs, [(pair.claim, pair.evidence) for pair in pairs])
        wanted = [pair.label for pair in pairs]
        for measure, column in columns:
            yield TableCell(row, column, resampled(wanted, three_way(found), measure), notes=("model", row))


# -- table 3 -----------------------------------------------------------------------------------------------


def baseline(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """The FEVEROUS score and the coverage of evidence of sentences alone, tables alone, and both."""
    from veritab.retrieve.cells import LexicalCells

    if inputs.corpus is not None and not datasets.REGISTRY["feverous/dev"].find(inputs.data):
        why = "feverous/dev is not on hand; leave --corpus out, and the almanac and its claims are used"
        yield from (TableCell(row, column, why=why) for row in table.published for column in table.columns)
        return
    with open_table_corpus(inputs) as corpus:
        examples, note = _scorable(corpus)
        yield from (corpus.note(ORIGINAL, larger=False), note, model_note(_READER))
        yield TableNote(
            "cells", "cells are chosen by words and numbers, in place of RoBERTa fitted on FEVEROUS's cells"
        )
        claims = [example.claim for example in examples]
        yield ProgressStep(f"sentences and tables for {len(claims):,} claims")
        pages = corpus.pages("feverous-pages", claims, 5)
        found = corpus.selected("feverous-elements", claims, pages)
        cells = LexicalCells(corpus.store.table).select(claims, found)
        chosen: Mapping[str, list[list[Hit]]] = {
            "Sentence-only baseline": [[hit for hit in hits if not hit.element.id.table] for hits in cells],
            "Table-only baseline": [[hit for hit in hits if hit.element.id.table] for hits in cells],
            "Full baseline": cells,
        }
        for row, evidence in chosen.items():
            pairs = [
                (claim.text, _render([hit.element for hit in hits]))
                for claim, hits in zip(claims, evidence, strict=True)
            ]
            labels = three_way((yield from logits(inputs, pairs)))
            ids = [[hit.element.id for hit in hits] for hits in evidence]
            answers = [list(Label)[place] for place in labels]
            yield from _scored(row, examples, answers, ids, ("corpus", "claims", "model", "cells"))
    yield from _veritab(inputs, examples)


def _scorable(corpus: TableCorpus) -> tuple[list[Example], TableNote]:
    name = ALMANAC if corpus.is_almanac else "feverous/dev"
    every = list(datasets.load(name, data=None if corpus.is_almanac else corpus.inputs.data_folder))
    sample = corpus.inputs.sample_examples(every)
    return sample, TableNote(
        "claims", f"{len(sample):,} claims of {name}, for the paper's 7,890; there is no second set to test on"
    )


def _render(elements: Sequence[Any]) -> str:
    from veritab.verify.render import render

    return render(elements).text


def _scored(
    row: str,
    examples: Sequence[Example],
    answers: Sequence[Label],
    evidence: Sequence[Sequence[ElementId]],
    notes: tuple[str, ...],
) -> Iterator[TableCell]:
    records = [
        {
            "label": str(example.label),
            "evidence": [[_address(id) for id in sorted(sample)] for sample in example.evidence],
            "predicted_label": str(answer),
            "predicted_evidence": [_address(id) for id in ids],
        }
        for example, answer, ids in zip(examples, answers, evidence, strict=True)
    ]
    outcomes = official.feverous_outcomes(records)
    yield TableCell(row, "Dev score", share(each.strict for each in outcomes), notes=notes)
    yield TableCell(row, "Dev evidence", share(each.recall == 1 for each in outcomes), notes=notes)
    for column in ("Test score", "Test evidence"):
        yield TableCell(row, column, why="the test set's labels are not public, and nothing on hand replaces it")


def _address(id: ElementId) -> list[str]:
    return [id.page, str(id.kind), "_".join(map(str, id.path))]


def _veritab(inputs: TableInputs, examples: Sequence[Example]) -> Iterator[TableEvent]:
    yield TableNote("veritab", "Veritab as it ships: its own retrieval, selection and computations")
    verdicts = yield from verdicts_on(inputs, [example.claim for example in examples])
    ids = [[hit.element.id for hit in verdict.evidence] for verdict in verdicts]
    answers = [verdict.label for verdict in verdicts]
    for cell in _scored("Veritab", examples, answers, ids, ("corpus", "claims", "veritab")):
        if not cell.why:
            yield cell
