"""FEVER, tables 4 and 6: pages, sentences and classifiers in a row, with and without sentence selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from veritab.evaluate import official
from veritab.papers.tables.cells import ProgressStep, TableCell, TableEvent, TableNote, share
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import TableCorpus, open_table_corpus, three_way, verdicts_on
from veritab.papers.tables.fever_classification import TRAINED, classified, label_number, prose_of, rendered
from veritab.papers.tables.fever_retrieval import ORIGINAL
from veritab.papers.tables.fitted import fit_or_load, predict_labels, recipe_of
from veritab.papers.tables.inputs import TableInputs
from veritab.schema import ElementId, Example, Hit, Kind, Label

if TYPE_CHECKING:
    from veritab.train.examples import VerdictExample

_NOTES = ("corpus", "claims", "training")
_ACCURACY, _SCORE = "NoScoreEv", "ScoreEv"


def pipeline(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 4: label accuracy, and the FEVER score, of the whole pipeline."""
    with open_table_corpus(inputs) as corpus:
        examples, note = three_way(corpus, "fever/paper_dev")
        yield from (corpus.note(ORIGINAL), note, TRAINED)
        claims = [example.claim for example in examples]
        yield ProgressStep(f"five sentences for {len(claims):,} claims")
        found = corpus.selected("drqa-sentences", claims, corpus.pages("drqa", claims, 5))
        pairs = _pairs(examples, found)
        ids = [[hit.element.id for hit in hits] for hits in found]
        for name, settings in table.settings["models"].items():
            for way, sources in table.settings["training"].items():
                model = yield from fit_or_load(inputs, f"{name} / {way}", recipe_of(settings, sources))
                answers = [list(Label)[place] for place in predict_labels(model, pairs)]
                yield from _scored(f"{name} / {way}", examples, answers, ids, _NOTES)
    yield from _veritab(inputs, inputs.sample_examples(examples, table.settings["veritab_at_most"]))


def _pairs(examples: Sequence[Example], found: Sequence[Sequence[Hit]]) -> list[VerdictExample]:
    from veritab.train.examples import VerdictExample

    return [
        VerdictExample(example.claim.text, rendered([hit.element for hit in hits]), label_number(example))
        for example, hits in zip(examples, found, strict=True)
    ]


def _scored(
    row: str,
    examples: Sequence[Example],
    answers: Sequence[Label],
    evidence: Sequence[Sequence[ElementId]],
    notes: tuple[str, ...],
) -> Iterator[TableCell]:
    """Accuracy and FEVER score, each claim by the official scorer."""
    outcomes = official.fever_outcomes([_record(*each) for each in zip(examples, answers, evidence, strict=True)])
    yield TableCell(row, _ACCURACY, share(outcome.right for outcome in outcomes), notes=notes)
    yield TableCell(row, _SCORE, share(outcome.strict for outcome in outcomes), notes=notes)


def _record(example: Example, answer: Label, evidence: Sequence[ElementId]) -> dict[str, Any]:
    """A prediction beside its gold, in the form of FEVER's scorer."""
    gold = [[[None, None, *_address(id)] for id in sorted(sample)] for sample in example.evidence]
    return {
        "label": str(example.label),
        "evidence": gold or [[[None, None, None, None]]],
        "predicted_label": str(answer),
        "predicted_evidence": [_address(id) for id in evidence],
    }


def _address(id: ElementId) -> list[Any]:
    """FEVER knows pages and lines only; what the almanac has besides is addressed by its own name."""
    return [id.page, *id.path] if id.kind is Kind.SENTENCE else [str(id), 0]


def _veritab(inputs: TableInputs, examples: Sequence[Example]) -> Iterator[TableEvent]:
    """The same claims through the whole of Veritab, as it ships."""
    from veritab.retrieve import cut

    yield TableNote("veritab", "Veritab as it ships; nothing of it was fitted on these claims")
    verdicts = yield from verdicts_on(inputs, [example.claim for example in examples])
    ids = [[hit.element.id for hit in cut(verdict.evidence, sentences=5, cells=0)] for verdict in verdicts]
    answers = [verdict.label for verdict in verdicts]
    yield from _scored("Veritab", examples, answers, ids, ("corpus", "claims", "veritab"))


def without_selection(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 6: label accuracy where all sentences of five pages are read."""
    with open_table_corpus(inputs) as corpus:
        examples, note = three_way(corpus, "fever/paper_dev")
        yield from (corpus.note(ORIGINAL), note, TRAINED)
        claims = [example.claim for example in examples]
        yield ProgressStep(f"five pages for {len(claims):,} claims")
        pages = corpus.pages("drqa", claims, 5)
        pairs = [_whole(corpus, *each) for each in zip(examples, pages, strict=True)]
        yield from classified(table, inputs, dict.fromkeys(table.settings["training"], pairs), _NOTES)


def _whole(corpus: TableCorpus, example: Example, pages: Sequence[Hit]) -> VerdictExample:
    from veritab.train.examples import VerdictExample

    elements = [element for hit in pages for element in prose_of(corpus, hit.element.id.page)]
    return VerdictExample(example.claim.text, rendered(elements), label_number(example))
