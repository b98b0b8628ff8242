"""FEVER, tables 3 and 5 and figure 3: FEVER's two classifiers on evidence that is given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veritab.papers.tables.cells import ProgressStep, TableCell, TableEvent, TableNote, share
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.corpora import TableCorpus, open_table_corpus, three_way
from veritab.papers.tables.fever_retrieval import ORIGINAL
from veritab.papers.tables.fitted import fit_or_load, predict_labels, recipe_of
from veritab.papers.tables.inputs import TableInputs
from veritab.schema import Element, Example, Kind, Label

if TYPE_CHECKING:
    from veritab.train.examples import VerdictExample

TRAINED = TableNote(
    "training",
    "fitted on the claims of fever/train_pairs (at most 10,000 of FEVER's 145,449, without pages that are measured); "
    "evidence that is not enough is sampled for claims that have evidence, as no unverifiable ones are on hand, one to "
    "four sentences; every second gold sentence has others of its page beside it, or their number would tell; "
    "word vectors are learned from the pairs, not GloVe's",
)
_LABELS = list(Label)
_WORDS_READ = 1000
_SEED = 0


def oracle_sentences(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 3: gold sentences as evidence."""
    near, far = _given_sentences(inputs)
    yield TRAINED
    yield TableNote(
        "claims",
        f"{len(near):,} claims of fever/dev_three_way_with_text replace the 9,999 of the development set; where a "
        "claim is NOT ENOUGH INFO its sentences are retrieved ones, or for RANDOMS one of fever/sentences by chance",
    )
    yield TableNote("snli", "fitted on 30,000 pairs of nli/snli in place of all 550,152, and without GloVe's vectors")
    for row, settings in table.settings["models"].items():
        for column, sources in table.settings["training"].items():
            if column not in table.published.get(row, {}):
                continue
            model = yield from fit_or_load(inputs, f"{row} / {column}", recipe_of(settings, sources))
            pairs = far if column == "RANDOMS" else near
            fit = "snli" if column == "SNLI" else "training"
            yield TableCell(row, column, share(_right(pairs, predict_labels(model, pairs))), notes=(fit, "claims"))
        if "SNLI" not in table.published.get(row, {}):
            yield TableCell(row, "SNLI", why="not in the paper either")


def _right(pairs: Sequence[VerdictExample], answers: Sequence[int]) -> list[bool]:
    return [pair.label == answer for pair, answer in zip(pairs, answers, strict=True)]


def _given_sentences(inputs: TableInputs) -> tuple[list[VerdictExample], list[VerdictExample]]:
    """The development claims with their sentences; and the same with sentences of chance for NOT ENOUGH INFO."""
    from veritab.build.elements import sentence
    from veritab.datasets import DataFiles
    from veritab.datasets.normalise import NOT_ENOUGH, page_title, plain_text
    from veritab.train.sources import examples
    from veritab.train.sources.evidence import render_elements

    near = inputs.sample(
        examples("verdict", "fever/dev_three", inputs.data_folder, seed=_SEED), lambda pair: str(pair.claim)
    )
    chance = random.Random(_SEED)
    lines = list(DataFiles(inputs.data_folder).records("fever/sentences"))
    far = []
    for pair in near:
        line = chance.choice(lines)
        drawn = render_elements([sentence(page_title(line["page"]), line["line"], plain_text(line["text"]))])
        far.append(pair._replace(evidence=drawn) if pair.label == NOT_ENOUGH else pair)
    return near, far


def curve(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Figure 3: accuracy by the number of training pairs; of some fits the best on one half, shown on the other."""
    pairs, _ = _given_sentences(inputs)
    chosen_on, shown_on = pairs[::2], pairs[1::2]
    yield TRAINED
    seeds = table.settings["seeds"]
    yield TableNote(
        "claims",
        f"the best of {seeds} (the paper: 5) on {len(chosen_on):,} claims of fever/dev_three_way_with_text, measured "
        f"on the other {len(shown_on):,}, in place of development and test set",
    )
    yield TableNote("figure", "the paper shows a curve without numbers")
    for size in table.settings["sizes"]:
        for row, settings in table.settings["models"].items():
            best: tuple[float, list[int]] = (-1.0, [])
            for seed in range(seeds):
                sources = [{**each, **({"at_most": size} if size else {})} for each in table.settings["training"]]
                model = yield from fit_or_load(
                    inputs, f"{row}, {size or 'all'} pairs", recipe_of(settings, sources, seed)
                )
                reached = share(_right(chosen_on, predict_labels(model, chosen_on))).value
                if reached > best[0]:
                    best = reached, predict_labels(model, shown_on)
            name = f"{size:,} pairs" if size else "all pairs"
            yield TableCell(name, row, share(_right(shown_on, best[1])), notes=("training", "claims", "figure"))


# -- whole documents ---------------------------------------------------------------------------------------


def oracle_documents(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """Table 5: all sentences of the gold pages as evidence."""
    with open_table_corpus(inputs) as corpus:
        examples, note = three_way(corpus, "fever/paper_dev")
        yield from (corpus.note(ORIGINAL), note, TRAINED)
        yield ProgressStep("whole pages")
        nearest = corpus.pages("drqa", [example.claim for example in examples], 1)
        titles = list(corpus.store.titles())
        chance = random.Random(_SEED)
        drawn = [chance.choice(titles) for _ in examples]
        sets = {
            "NEARESTP": _page_pairs(corpus, examples, [hits[0].element.id.page if hits else "" for hits in nearest]),
            "RANDOMS": _page_pairs(corpus, examples, drawn),
        }
        yield from classified(table, inputs, sets, ("corpus", "claims", "training"))


def classified(
    table: TableConfig, inputs: TableInputs, sets: Mapping[str, Sequence[VerdictExample]], notes: tuple[str, ...]
) -> Iterator[TableEvent]:
    """How often each model, fitted in the way of each column, is right on the pairs of that column."""
    for row, settings in table.settings["models"].items():
        for column, sources in table.settings["training"].items():
            model = yield from fit_or_load(inputs, f"{row} / {column}", recipe_of(settings, sources))
            answers = predict_labels(model, sets[column])
            yield TableCell(row, column, share(_right(sets[column], answers)), notes=notes)


def _page_pairs(corpus: TableCorpus, examples: Sequence[Example], others: Sequence[str]) -> list[VerdictExample]:
    """The claims beside their gold pages, or beside another page where nothing settles them."""
    from veritab.train.examples import VerdictExample

    found = []
    for example, other in zip(examples, others, strict=True):
        decided_claims = example.label is not Label.NOT_ENOUGH_INFO
        pages = sorted({id.page for id in example.evidence[0]}) if decided_claims else [other]
        elements = [element for page in pages if page for element in prose_of(corpus, page)]
        found.append(VerdictExample(example.claim.text, rendered(elements), label_number(example)))
    return found


def prose_of(corpus: TableCorpus, page: str) -> list[Element]:
    """The sentences of a page."""
    return [each for each in corpus.store.page(page).elements if each.kind in (Kind.SENTENCE, Kind.PASSAGE)]


def rendered(elements: Sequence[Element]) -> str:
    """Evidence as the classifiers read it, none of it left out."""
    from veritab.verify.render import render

    return render(elements, most=_WORDS_READ).text


def label_number(example: Example) -> int:
    """0 SUPPORTS, 1 REFUTES, 2 NOT ENOUGH INFO."""
    wanted: Any = example.label
    return _LABELS.index(wanted)
