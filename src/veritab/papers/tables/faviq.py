"""FaVIQ, table 5 and section 4.2: verification of claims made of questions, and gamma, which moves the border."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from veritab import datasets
from veritab.papers.tables.cells import ProgressStep, TableCell, TableEvent, TableNote, share
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import TableCorpus, open_table_corpus
from veritab.papers.tables.fitted import fit_or_load, recipe_of
from veritab.papers.tables.giveaway_bigrams import first_available
from veritab.papers.tables.inputs import TableInputs
from veritab.papers.tables.passages import BI_ENCODER, BI_ENCODER_NOTE, DEPTH, rerank_by_encoder
from veritab.papers.tables.verdict_model import logits, model_note, two_way
from veritab.schema import Element, Example, Hit, Label

ORIGINAL = "26 million passages of 100 words, Wikipedia of August 2019"
_PASSAGES = 3
_ZERO = "FEVER: "
_OWN = "FAVIQ: "


def verification(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 5: accuracy on FaVIQ's sets, by the claim alone and with passages."""
    with open_table_corpus(inputs) as corpus:
        yield corpus.note(ORIGINAL)
        yield model_note("BART-large, fitted on FEVER")
        yield TableNote("alone", "logistic regression over words, fitted on fever/train_pairs, replaces BART-large")
        yield BI_ENCODER_NOTE
        for column, name in table.settings["columns"].items():
            if first_available([name], inputs) is None:
                rows = [row for row in table.published if row.startswith(_ZERO)]
                yield from (TableCell(row, column, why=f"{name} is not on hand; see: veritab data") for row in rows)
                continue
            loaded = datasets.load(name, data=inputs.data_folder)
            examples = inputs.sample_examples([example for example in loaded if example.label], inputs.at_most)
            yield TableNote(
                name, f"{len(examples):,} claims of {name}; which of FaVIQ's two sets a sample is from is not stated"
            )
            yield from _zero_shot(table, corpus, examples, column, name)
        for row in (row for row in table.published if row.startswith(_OWN)):
            for column in table.columns:
                why = "FaVIQ's training claims are not on hand, and without a stated licence not to be trained on"
                yield TableCell(row, column, why=why)


def _zero_shot(
    table: TableConfig, corpus: TableCorpus, examples: Sequence[Example], column: str, name: str
) -> Generator[TableEvent, None, None]:
    from veritab.train.examples import VerdictExample

    inputs = corpus.inputs
    claims = [example.claim for example in examples]
    alone = yield from fit_or_load(
        inputs, "the claim alone", recipe_of(table.settings["alone"], table.settings["alone_sources"])
    )
    scores = alone.scores([VerdictExample(claim.text, "", 0) for claim in claims])
    predict_labels = [int(row[1] > row[0]) for row in scores]
    yield TableCell(f"{_ZERO}claim only", column, share(_right(examples, predict_labels)), notes=("alone", name))
    yield ProgressStep(f"passages for {len(claims):,} claims")
    sparse = corpus.passages(claims, DEPTH)
    dense = yield from rerank_by_encoder(corpus, claims)
    silver = [_silver(example) for example in examples]
    for row, texts, extra in (
        ("TF-IDF", [_text(hits) for hits in sparse], ("corpus",)),
        (BI_ENCODER, [_text(hits) for hits in dense], ("corpus", "dense")),
        ("silver passage", silver, ()),
    ):
        found = yield from logits(inputs, [(claim.text, text) for claim, text in zip(claims, texts, strict=True)])
        notes = (*extra, "model", name)
        yield TableCell(f"{_ZERO}{row}", column, share(_right(examples, two_way(found))), notes=notes)


def _text(hits: Sequence[Hit]) -> str:
    return _rendered([hit.element for hit in hits[:_PASSAGES]])


def _rendered(elements: Sequence[Element]) -> str:
    from veritab.verify.render import render

    return render(elements).text


def _silver(example: Example) -> str:
    """The passage that the record itself holds as found evidence."""
    return " ".join(each.text for each in datasets.gold_texts(example)[:1])


def _right(examples: Sequence[Example], predict_labels: Sequence[int]) -> list[bool]:
    return [list(Label)[place] is example.label for example, place in zip(examples, predict_labels, strict=True)]


# -- gamma -------------------------------------------------------------------------------------------------


def gamma(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Section 4.2: on claims of another kind than a model learned from, gamma tuned on one half, shown on the other."""
    from veritab.train.sources import examples

    yield model_note("BART-large with DPR, fitted on FEVER")
    for column in ("Snopes", "SciFact"):
        for row in table.settings["published_rows"]:
            yield TableCell(row, column, why=f"{column} is not on hand")
    for column, source in table.settings["data"].items():
        pairs = inputs.sample(examples("verdict", source, inputs.data_folder, seed=0), lambda pair: str(pair.claim))
        pairs = [pair for pair in pairs if pair.label < 2]
        found = yield from logits(inputs, [(pair.claim, pair.evidence) for pair in pairs])
        yield from _shifted(column, source, [pair.label for pair in pairs], found)


def _shifted(column: str, source: str, labels: Sequence[int], found: Any) -> Iterator[TableEvent]:
    import numpy as np

    from veritab.verify.fit import fit_gamma

    decided_claims = np.asarray(found)[:, :2]
    raised = np.exp(decided_claims - decided_claims.max(axis=1, keepdims=True))
    supports = raised[:, 0] / raised.sum(axis=1)
    true = np.asarray(labels) == 0
    tuned, shown = slice(0, None, 2), slice(1, None, 2)
    value = fit_gamma(supports[tuned], true[tuned])
    yield TableNote(
        source,
        f"claims of {source} beside gold evidence replace Snopes and SciFact: gamma = {value:+.3f} was tuned on "
        f"{len(true[tuned]):,} of them, the numbers are of the other {len(true[shown]):,}",
    )
    notes = ("model", source)
    usual = bool(true[tuned].mean() >= 0.5)
    yield TableCell("Majority only", column, share((true[shown] == usual).tolist()), notes=notes)
    margins = 2 * supports[shown] - 1
    yield TableCell("Zero-shot, gamma = 0", column, share(((margins > 0) == true[shown]).tolist()), notes=notes)
    yield TableCell(
        "Zero-shot, gamma tuned", column, share(((margins + value > 0) == true[shown]).tolist()), notes=notes
    )
