"""FaVIQ, table 5 and section 4.2: verification of claims made of questions, and gamma, which moves the border."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from veritab import datasets
from veritab.papers.tables.cells import Cell, Note, Step, Told, share
from veritab.papers.tables.config import Config
from veritab.papers.tables.corpora import Corpus, corpus_of
from veritab.papers.tables.fitted import fitted, recipe_of
from veritab.papers.tables.give_aways import on_hand
from veritab.papers.tables.given import Given
from veritab.papers.tables.judged import logits, model_note, two_way
from veritab.papers.tables.passages import DEPTH, by_meaning
from veritab.schema import Element, Example, Hit, Label

ORIGINAL = "26 million passages of 100 words, Wikipedia of August 2019"
_PASSAGES = 3
_ZERO = "FEVER: "
_OWN = "FAVIQ: "


def verification(table: Config, given: Given) -> Iterator[Told]:
    """Table 5: accuracy on FaVIQ's sets, by the claim alone and with passages."""
    with corpus_of(given) as corpus:
        yield corpus.note(ORIGINAL)
        yield model_note("BART-large, fitted on FEVER")
        yield Note("alone", "logistic regression over words, fitted on fever/train_pairs, stands in for BART-large")
        yield Note("dense", "the shipped encoder, over TF-IDF's first 100 passages, stands in for DPR over all of them")
        for column, name in table.settings["columns"].items():
            if on_hand([name], given) is None:
                rows = [row for row in table.published if row.startswith(_ZERO)]
                yield from (Cell(row, column, why=f"{name} is not on hand; see: veritab data") for row in rows)
                continue
            loaded = datasets.load(name, data=given.data_folder)
            examples = given.some_examples([example for example in loaded if example.label], given.at_most)
            yield Note(
                name, f"{len(examples):,} claims of {name}; which of FaVIQ's two sets a sample is from is not told"
            )
            yield from _zero_shot(table, corpus, examples, column, name)
        for row in (row for row in table.published if row.startswith(_OWN)):
            for column in table.columns:
                why = "FaVIQ's training claims are not on hand, and without a stated licence not to be trained on"
                yield Cell(row, column, why=why)


def _zero_shot(
    table: Config, corpus: Corpus, examples: Sequence[Example], column: str, name: str
) -> Generator[Told, None, None]:
    from veritab.train.examples import VerdictExample

    given = corpus.given
    claims = [example.claim for example in examples]
    alone = yield from fitted(
        given, "the claim alone", recipe_of(table.settings["alone"], table.settings["alone_sources"])
    )
    scores = alone.scores([VerdictExample(claim.text, "", 0) for claim in claims])
    said = [int(row[1] > row[0]) for row in scores]
    yield Cell(f"{_ZERO}claim only", column, share(_right(examples, said)), notes=("alone", name))
    yield Step(f"passages for {len(claims):,} claims")
    sparse = corpus.passages(claims, DEPTH)
    dense = yield from by_meaning(corpus, claims)
    silver = [_silver(example) for example in examples]
    for row, texts, extra in (
        ("TF-IDF", [_text(hits) for hits in sparse], ("corpus",)),
        ("DPR", [_text(hits) for hits in dense], ("corpus", "dense")),
        ("silver passage", silver, ()),
    ):
        found = yield from logits(given, [(claim.text, text) for claim, text in zip(claims, texts, strict=True)])
        notes = (*extra, "model", name)
        yield Cell(f"{_ZERO}{row}", column, share(_right(examples, two_way(found))), notes=notes)


def _text(hits: Sequence[Hit]) -> str:
    return _rendered([hit.element for hit in hits[:_PASSAGES]])


def _rendered(elements: Sequence[Element]) -> str:
    from veritab.verify.render import render

    return render(elements).text


def _silver(example: Example) -> str:
    """The passage that the record itself holds as found evidence."""
    return " ".join(each.text for each in datasets.gold_texts(example)[:1])


def _right(examples: Sequence[Example], said: Sequence[int]) -> list[bool]:
    return [list(Label)[place] is example.label for example, place in zip(examples, said, strict=True)]


# -- gamma -------------------------------------------------------------------------------------------------


def gamma(table: Config, given: Given) -> Iterator[Told]:
    """Section 4.2: on claims of another kind than a model learned from, gamma tuned on one half, shown on the other."""
    from veritab.train.sources import examples

    yield model_note("BART-large with DPR, fitted on FEVER")
    for column in ("Snopes", "SciFact"):
        for row in table.settings["published_rows"]:
            yield Cell(row, column, why=f"{column} is not on hand")
    for column, source in table.settings["data"].items():
        pairs = given.some(examples("verdict", source, given.data_folder, seed=0), lambda pair: str(pair.claim))
        pairs = [pair for pair in pairs if pair.label < 2]
        found = yield from logits(given, [(pair.claim, pair.evidence) for pair in pairs])
        yield from _shifted(column, source, [pair.label for pair in pairs], found)


def _shifted(column: str, source: str, labels: Sequence[int], found: Any) -> Iterator[Told]:
    import numpy as np

    from veritab.verify.fit import fit_gamma

    decided = np.asarray(found)[:, :2]
    raised = np.exp(decided - decided.max(axis=1, keepdims=True))
    supports = raised[:, 0] / raised.sum(axis=1)
    true = np.asarray(labels) == 0
    tuned, shown = slice(0, None, 2), slice(1, None, 2)
    value = fit_gamma(supports[tuned], true[tuned])
    yield Note(
        source,
        f"claims of {source} beside gold evidence stand in for Snopes and SciFact: gamma = {value:+.3f} was tuned on "
        f"{len(true[tuned]):,} of them, the numbers are of the other {len(true[shown]):,}",
    )
    notes = ("model", source)
    usual = bool(true[tuned].mean() >= 0.5)
    yield Cell("Majority only", column, share((true[shown] == usual).tolist()), notes=notes)
    margins = 2 * supports[shown] - 1
    yield Cell("Zero-shot, gamma = 0", column, share(((margins > 0) == true[shown]).tolist()), notes=notes)
    yield Cell("Zero-shot, gamma tuned", column, share(((margins + value > 0) == true[shown]).tolist()), notes=notes)
