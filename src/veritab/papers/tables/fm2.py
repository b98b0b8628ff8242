"""Fool Me Twice, tables 5, 6 and 7: passages that are found, what claims alone give away, and both in a row."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from veritab.audit.audit_rows import audit_rows
from veritab.audit.claim_only import FOLDS, claim_only_baseline
from veritab.evaluate.retrieval import Level, evaluate_rankings
from veritab.papers.tables.cells import ProgressStep, TableCell, TableEvent, TableNote, number, share
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import TableCorpus, open_table_corpus
from veritab.papers.tables.giveaway_bigrams import decided_claims
from veritab.papers.tables.inputs import ALMANAC, TableInputs
from veritab.papers.tables.passages import BI_ENCODER, BI_ENCODER_NOTE, DEPTH, aligned, rerank_by_encoder
from veritab.papers.tables.verdict_model import logits, model_note, two_way
from veritab.schema import Claim, Example, Hit, Label
from veritab.text import squeeze

ORIGINAL = "22 million passages of 100 words, Wikipedia of August 2019"


def retrieval(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 5: R-precision and recall of passages."""
    with open_table_corpus(inputs) as corpus:
        yield from (corpus.note(ORIGINAL), BI_ENCODER_NOTE)
        for short, name in table.settings["data"].items():
            if corpus.is_almanac and short != "FM2":
                for system in ("TF-IDF", BI_ENCODER):
                    for column in table.columns:
                        yield TableCell(
                            f"{system}, {short}", column, why="the almanac's claims are used once, as FM2's"
                        )
                continue
            examples, note = aligned(corpus, name)
            yield note
            for system, most in (
                ("TF-IDF", inputs.at_most),
                (BI_ENCODER, inputs.at_most or table.settings["dense_at_most"]),
            ):
                yield from _ranked(corpus, system, short, name, inputs.sample_examples(examples, most))


def _ranked(
    corpus: TableCorpus, system: str, short: str, name: str, examples: Sequence[Example]
) -> Iterator[TableEvent]:
    row = f"{system}, {short}"
    notes = ("corpus", name) if system == "TF-IDF" else ("corpus", name, "dense")
    found = yield from _retrieve(corpus, system, [example.claim for example in examples])
    scores = evaluate_rankings(examples, found, Level.TEXT, (5, 10))
    for column, metric in (("R-Precision", "r_precision"), ("Recall@5", "recall@5"), ("Recall@10", "recall@10")):
        if scores.claims:
            yield TableCell(row, column, number(scores.metric(metric), len(scores.claims)), notes=notes)
        else:
            yield TableCell(row, column, why=f"no evidence of {name} lies in {corpus}")


def _retrieve(
    corpus: TableCorpus, system: str, claims: Sequence[Claim]
) -> Generator[ProgressStep, None, list[list[Hit]]]:
    yield ProgressStep(f"passages for {len(claims):,} claims, by {system}")
    if system == "TF-IDF":
        return corpus.passages(claims, DEPTH)
    return (yield from rerank_by_encoder(corpus, claims))


# -- what claims alone give away ---------------------------------------------------------------------------


def entailment(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 6: the claim alone, and gold evidence, for all claims and for those that the claim alone tells or not."""
    from veritab.train.sources import examples

    yield model_note("BERT-base, fitted on each data set's own training claims")
    yield TableNote(
        "alone",
        f"a linear classifier over words and pairs of words in {FOLDS} folds of the development claims, pages kept "
        "together, replaces BERT-base fitted on the training claims",
    )
    for row, source in table.settings["rows"].items():
        yield ProgressStep(f"{row}: the claim alone")
        known = decided_claims(source["data"], inputs)
        guessed = claim_only_baseline(list(audit_rows(known)), [str(example.label) for example in known])
        if guessed is None:
            for column in table.columns:
                yield TableCell(row, column, why=f"{len(known)} claims are too few for a classifier")
            continue
        yield TableNote(source["data"], f"{len(known):,} claims of {source['data']}; the paper: {source['paper']}")
        yield TableCell(
            row,
            "Claim-Only",
            share(each.part == "EASY" for each in guessed.predictions),
            notes=("alone", source["data"]),
        )
        part = {squeeze(e.claim.text): g.part for e, g in zip(known, guessed.predictions, strict=True)}
        pairs = [
            each for each in examples("verdict", source["pairs"], inputs.data_folder, seed=0) if each.claim in part
        ]
        pairs = inputs.sample(pairs, lambda pair: str(pair.claim), inputs.at_most or source["at_most"])
        found = yield from logits(inputs, [(pair.claim, pair.evidence) for pair in pairs])
        right = [
            (part[pair.claim], pair.label == predict_labels)
            for pair, predict_labels in zip(pairs, two_way(found), strict=True)
        ]
        for column in ("EASY", "HARD", "ALL"):
            outcomes = share(is_right for which, is_right in right if column in (which, "ALL"))
            yield TableCell(row, column, outcomes, notes=("model", "alone", source["data"]))


# -- end to end --------------------------------------------------------------------------------------------


def end_to_end(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 7: label accuracy with the mean of the logits over the first passages."""
    with open_table_corpus(inputs) as corpus:
        yield from (
            corpus.note(ORIGINAL),
            BI_ENCODER_NOTE,
            model_note("BERT-base, fitted on retrieved passages of FM2"),
        )
        known, note = aligned(corpus, "fm2/dev")
        yield note
        sample = inputs.sample_examples(known)
        gold = [sorted(example.evidence[0])[:1] for example in sample]
        pairs = [(example.claim.text, _text(corpus.passage(ids[0]))) for example, ids in zip(sample, gold, strict=True)]
        rows_of = yield from logits(inputs, pairs)
        yield TableCell(
            "Oracle", "Top-1", share(_right(sample, two_way(rows_of))), notes=("corpus", "model", "fm2/dev")
        )
        asked, claims_note = _with_page(corpus, inputs, table.settings["at_most"])
        yield claims_note
        for system in ("TF-IDF", BI_ENCODER):
            found = yield from _retrieve(corpus, system, [example.claim for example in asked])
            yield from _averaged(system, inputs, asked, found)


def _with_page(corpus: TableCorpus, inputs: TableInputs, most: int) -> tuple[list[Example], TableNote]:
    """The claims whose page the corpus has, whether or not their evidence is on it."""
    from veritab import datasets

    name = ALMANAC if corpus.is_almanac else "fm2/dev"
    loaded = datasets.load(name, data=None if corpus.is_almanac else inputs.data_folder)
    every = [example for example in loaded if example.label in (Label.SUPPORTS, Label.REFUTES)]
    held = [example for example in every if _page(example) in corpus.store]
    sample = inputs.sample_examples(held, inputs.at_most or most)
    what = f"{len(held):,} of {len(every):,} claims of {name} are about a page of the corpus; {len(sample):,} are taken"
    return sample, TableNote(
        "pages", f"{what}. Where the corpus has introductions only, most of their evidence is not in it"
    )


def _page(example: Example) -> str:
    return str(example.record.get("wikipedia_page") or next((id.page for each in example.evidence for id in each), ""))


def _text(hit: Hit) -> str:
    return f"{hit.element.id.page}. {hit.element.text}"


def _right(examples: Sequence[Example], predict_labels: Sequence[int]) -> list[bool]:
    return [list(Label)[place] is example.label for example, place in zip(examples, predict_labels, strict=True)]


def _averaged(
    system: str, inputs: TableInputs, examples: Sequence[Example], found: Sequence[Sequence[Hit]]
) -> Generator[TableEvent, None, None]:
    import numpy as np

    notes = ("corpus", "pages", "model") if system == "TF-IDF" else ("corpus", "pages", "model", "dense")
    pairs = [
        (example.claim.text, _text(hit)) for example, hits in zip(examples, found, strict=True) for hit in hits[:5]
    ]
    every = iter((yield from logits(inputs, pairs)))
    rows_of = [np.array([next(every) for _ in hits[:5]]).reshape(-1, 3) for hits in found]
    for k in (1, 3, 5):
        means = [each[:k].mean(axis=0) if len(each) else np.zeros(3) for each in rows_of]
        yield TableCell(system, f"Top-{k}", share(_right(examples, two_way(means))), notes=notes)
