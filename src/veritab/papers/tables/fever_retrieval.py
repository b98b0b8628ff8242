"""FEVER, table 2 and section 5.4: which documents and which sentences TF-IDF finds."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.evaluate.retrieval import Level, evaluate_rankings
from veritab.papers.tables.cells import Number, ProgressStep, TableCell, TableEvent, TableNote, number
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import open_table_corpus, verifiable
from veritab.papers.tables.inputs import TableInputs

ORIGINAL = "the introductions of 5.4 million Wikipedia pages of June 2017"
_NOTES = ("corpus", "claims")
_SUPPORTED, _ORACLE = "Fully supported", "Oracle accuracy"


def documents(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 2: for how many claims all pages of an evidence set are among the first k."""
    with open_table_corpus(inputs) as corpus:
        examples, note = verifiable(corpus, "fever/paper_dev")
        yield from (corpus.note(ORIGINAL), note)
        claims = [example.claim for example in examples]
        for system, suffix in (("drqa", ""), ("veritab", ", Veritab")):
            yield ProgressStep(f"pages for {len(claims):,} claims, by {system}")
            ks = [k for k in table.settings["k"] if not suffix or k <= table.settings["veritab_k"]]
            found = corpus.pages(system, claims, max(ks))
            scores = evaluate_rankings(examples, found, Level.PAGE, ks)
            for k in ks:
                supported = number(scores.metric(f"full_coverage@{k}"), len(scores.claims))
                yield TableCell(str(k), _SUPPORTED + suffix, supported, notes=_NOTES)
                yield TableCell(str(k), _ORACLE + suffix, _oracle(supported), notes=_NOTES)


def sentences(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Section 5.4: for how many claims a full evidence set is among five sentences of five pages."""
    with open_table_corpus(inputs) as corpus:
        examples, note = verifiable(corpus, "fever/paper_dev")
        yield from (corpus.note(ORIGINAL), note)
        claims = [example.claim for example in examples]
        yield ProgressStep(f"pages for {len(claims):,} claims, by drqa")
        pages = corpus.pages("drqa", claims, table.settings["pages"])
        for row, selector in table.settings["selectors"].items():
            yield ProgressStep(f"sentences, by {selector}")
            scores = evaluate_rankings(examples, corpus.selected(selector, claims, pages), Level.SENTENCE, (5,))
            supported = number(scores.metric("full_coverage@5"), len(scores.claims))
            notes: tuple[str, ...] = _NOTES
            if scores.left_out:
                notes = (*_NOTES, "kinds")
                yield TableNote(
                    "kinds", f"{scores.left_out:,} of them are left out, as they can be settled without a sentence"
                )
            yield TableCell(row, _SUPPORTED, supported, notes=notes)
            yield TableCell(row, _ORACLE, _oracle(supported), notes=notes)


def _oracle(supported: Number) -> Number:
    """What a classifier that never errs would get, a third of the claims being NOT ENOUGH INFO."""
    value, low, high = ((1 + 2 * each) / 3 for each in supported[:3])
    return Number(value, low, high, supported.n)
