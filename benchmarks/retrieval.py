"""What retrieval promises, measured side by side: `python -m benchmarks.retrieval CORPUS_R [--encoder ENCODER]` prints
it and writes results/retrieval.md. The folder is made and indexed when it does not exist. Needs the public data sets
(VERITAB_DATA).

Every figure of ours comes with a 95 % interval. One default configuration serves all rows; the other columns are the
papers' retrievers, plain BM25 and BM25 behind the pages a claim names, run over the same corpus in the same run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cells import cell_coverage, feverous_cases, halves, in_reading_order, large
from benchmarks.corpus_r import (
    build,
    fever_examples,
    feverous_sentence_examples,
    feverous_table_examples,
    fm2_examples,
    records,
)
from benchmarks.report import Report
from veritab import datasets
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import FILE, Store
from veritab.errors import NotFound, StaleIndex
from veritab.evaluate.metrics import RESAMPLES, SEED
from veritab.evaluate.retrieval import Level, compare, evaluate_budget, evaluate_rankings
from veritab.evaluate.trec import write_run
from veritab.models.encoder import Encoder
from veritab.papers.retrieval.configurations import EntityPages, retriever, selector
from veritab.pipeline import Checker
from veritab.retrieve import EvidenceRetriever, Index, PageRetriever, build_index, named_pages
from veritab.retrieve.in_page import rank_in_page
from veritab.schema import Claim, Element, ElementId, Example, Hit, Kind, Retriever
from veritab.settings import NONE, Settings

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "retrieval.md"
DEPTH = 10
AT = (1, 5, 10)
OURS = "Veritab"
BM25 = "BM25 title + body"
Wanted = Mapping[int, float]


class PlainWords:
    """BM25 over title and body, nothing else: the floor."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        return [list(self._hits(claim, k)) for claim in claims]

    def _hits(self, claim: Claim, k: int) -> Iterator[Hit]:
        found = self._index.pages.search(claim.text, {"title": 1.0, "body": 1.0}, k)
        titles = self._index.store.titles_by_number(hit.page for hit in found)
        for hit in found:
            title = titles[hit.page]
            yield Hit(Element(ElementId(title, Kind.TITLE), title), hit.score, "bm25")


def prepare(folder: Path) -> Index:
    """Corpus R with its index, made when it is not there."""
    if not (folder / FILE).is_file():
        for line in build(folder):
            print(line, flush=True)
    store = Store.open(folder)
    try:
        return Index(store)
    except (NotFound, StaleIndex):
        for _ in build_index(store):
            pass
        return Index(store)


# -- pages -------------------------------------------------------------------------------------------------


def is_single(example: Example) -> bool:
    """Whether one page can settle the claim."""
    return any(len({id.page for id in evidence}) == 1 for evidence in example.evidence)


class Row(NamedTuple):
    """Some claims of a data set, and what is wanted of them."""

    name: str
    belongs: Callable[[Example], bool]
    wanted: Wanted


FEVER_WANTED = {1: 0.92, 5: 0.985, 10: 0.99}
FEVEROUS_WANTED = {1: 0.85, 5: 0.97, 10: 0.98}


def every(example: Example) -> bool:
    return bool(example.evidence)


def page_rows(store: Store) -> Iterator[tuple[list[Example], list[Row]]]:
    """Data set by data set, its claims and the rows they make."""
    yield (
        fever_examples(store),
        [
            Row("FEVER, verifiable, all", every, FEVER_WANTED),
            Row("FEVER, verifiable, one page suffices", is_single, FEVER_WANTED),
            Row("FEVER, evidence on several pages", lambda example: not is_single(example), {5: 0.65, 10: 0.75}),
        ],
    )
    yield fm2_examples(store), [Row("FM2 dev, page in the corpus", every, {1: 0.78, 5: 0.92, 10: 0.95})]
    yield (
        feverous_sentence_examples(store),
        [
            Row("FEVEROUS sentence_claims, all", every, FEVEROUS_WANTED),
            Row("FEVEROUS sentence_claims, one page suffices", is_single, FEVEROUS_WANTED),
        ],
    )


def page_systems(index: Index, drqa: Retriever) -> dict[str, Retriever]:
    """What takes part, ours last."""

    def matcher(claim: str) -> list[str]:
        return named_pages(index, claim)

    words = PlainWords(index)
    return {
        "DrQA TF-IDF": drqa,
        "FEVEROUS rule": retriever("feverous-pages", index.store, matcher=matcher),
        BM25: words,
        "names first, then BM25": EntityPages(index.store, words, matcher, "names-first"),
        "Veritab, no links": PageRetriever(index, followed=0),
        OURS: PageRetriever(index),
    }


def pages(report: Report, index: Index, drqa: Retriever, runs: Path | None) -> None:
    systems = page_systems(index, drqa)
    table = [["claims", "n", *systems]]
    ranks = [["claims", "R-precision (KILT's)", "R-precision (trec_eval's)", f"MRR within {DEPTH}"]]
    for examples, rows in page_rows(index.store):
        claims = [example.claim for example in examples]
        found = {system: finder.retrieve(claims, DEPTH) for system, finder in systems.items()}
        for row in rows:
            _page_row(report, row, examples, found, table, ranks)
        if runs:
            _write_runs(runs, rows[0].name, claims, found)
    report.table("Pages, full coverage of a gold set at 1 / 5 / 10", table)
    report.table("Pages, ranks (Veritab)", ranks)


def _page_row(
    report: Report,
    row: Row,
    examples: Sequence[Example],
    rankings: Mapping[str, Sequence[Sequence[Hit]]],
    table: list[list[str]],
    ranks: list[list[str]],
) -> None:
    kept = [place for place, example in enumerate(examples) if row.belongs(example)]
    some = [examples[place] for place in kept]
    scores = {
        system: evaluate_rankings(
            some, [found[place] for place in kept], Level.PAGE, AT, trec=("RR", "Rprec") if system == OURS else ()
        )
        for system, found in rankings.items()
    }
    ours = scores[OURS]
    metrics = {system: [score.metric(f"full_coverage@{k}") for k in AT] for system, score in scores.items()}
    cells = [
        " / ".join(str(metric) if system == OURS else f"{metric.value:.3f}" for metric in found)
        for system, found in metrics.items()
    ]
    table.append([row.name, f"{len(some):,}", *cells])
    ranks.append([row.name, *(str(ours.metric(name)) for name in ("r_precision", "Rprec", "RR"))])
    single = sum(map(is_single, some))
    for k, least in row.wanted.items():
        metric = ours.metric(f"full_coverage@{k}")
        wanted = f"≥ {least}"
        if k == 1 and single < len(some):
            wanted += f" (reachable: {single / len(some):.3f})"
        report.promise(f"pages: {row.name}, full coverage @{k}", str(metric), wanted, kept=metric.value >= least)
    if 0 < single < len(some):
        report.note(
            "What one page can reach",
            f"{row.name}: {len(some) - single:,} of {len(some):,} claims need several pages, so that at most "
            f"{single / len(some):.3f} can be reached at 1.",
        )
    better = compare(scores[BM25], ours, "full_coverage@5")
    report.note(
        "Pages against plain BM25, paired", f"{row.name}, @5: {better.difference:+.3f} (p = {better.p_value:.4f})."
    )


def _write_runs(
    folder: Path, name: str, claims: Sequence[Claim], rankings: Mapping[str, Sequence[Sequence[Hit]]]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for system, found in rankings.items():
        tag = f"{name} {system}".replace(" ", "-").replace(",", "")
        write_run(folder / f"{tag}.run", {c.id: hits for c, hits in zip(claims, found, strict=True)}, tag, Level.PAGE)


# -- sentences ---------------------------------------------------------------------------------------------


def sentences(report: Report, index: Index, drqa: Retriever) -> None:
    ours = EvidenceRetriever(PageRetriever(index))
    table = [["claims", "n", "DrQA pages + TF-IDF sentences", "DrQA pages + unigram sentences", OURS]]
    for name, examples in (
        ("FEVER", fever_examples(index.store)),
        ("FEVEROUS sentence_claims", feverous_sentence_examples(index.store)),
    ):
        known = [kept for example in examples if (kept := _reachable(example, index.store))]
        claims = [example.claim for example in known]
        pages = drqa.retrieve(claims, 5)
        rankings = {
            "DrQA": selector("drqa-sentences", index.store).select(claims, pages),
            "unigram": selector("unigram-sentences", index.store).select(claims, pages),
            OURS: ours.retrieve(claims, 20),
        }
        scores = {key: evaluate_rankings(known, found, Level.SENTENCE, (1, 5)) for key, found in rankings.items()}
        table.append([name, f"{len(known):,}", *(str(score.metric("full_coverage@5")) for score in scores.values())])
        better = compare(scores["DrQA"], scores[OURS], "full_coverage@5")
        report.promise(
            f"sentences: {name}, full coverage @5 over the DrQA configuration",
            f"{better.difference * 100:+.1f} points [{better.low * 100:+.1f}, {better.high * 100:+.1f}]",
            "≥ 10 points",
            kept=better.difference >= 0.1,
        )
    report.table("Sentences, full coverage at 5 over the whole corpus", table)


def _reachable(example: Example, store: Store) -> Example | None:
    """The example with the evidence sets whose sentences are all in the corpus."""
    sets = tuple(evidence for evidence in example.evidence if all(_is_there(id, store) for id in evidence))
    return replace(example, evidence=sets) if sets else None


def _is_there(id: ElementId, store: Store) -> bool:
    try:
        store.element(id)
    except NotFound:
        return False
    return True


def in_page(report: Report, encoder: Path | None) -> None:
    """FM2: given the page, how much gold is among the first ten? The page is what its claims' players saw of it."""
    by_page: dict[str, dict[str, dict[str, None]]] = {}
    for record in records("fm2/dev"):
        # The first ten retrieved sentences are the game's own; what follows them would give the gold away.
        for evidence in (*record["retrieved_evidence"][:10], *record["gold_evidence"]):
            section = by_page.setdefault(record["wikipedia_page"], {}).setdefault(evidence["section_header"], {})
            section[evidence["text"].strip()] = None
    sizes = [sum(len(texts) for texts in sections.values()) for sections in by_page.values()]
    report.note(
        "FM2 in-page",
        "A page here is not the whole page, which the data set does not hold, but the union of what the game showed to "
        f"the players of its claims and of their gold: {sum(sizes) / len(sizes):.0f} sentences on average, up to "
        f"{max(sizes)}.",
    )
    game = _found_share(list(_game_rankings()))
    report.note("FM2 in-page", f"The game's own retriever, gold among its first ten: {game}.")
    with tempfile.TemporaryDirectory() as folder:
        index = _page_corpus(Path(folder), by_page)
        _in_page_row(report, "by words", index, None, game)
        if encoder:
            remembered = Remembering(Encoder.open(encoder))
            _in_page_row(report, f"by words and meaning ({encoder.name})", index, remembered, game)
        index.close()
        index.store.close()


class Remembering:
    """An encoder that takes no text twice: many claims ask the same pages."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[tuple[str, bool], Any] = {}

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        new = list(dict.fromkeys(text for text in texts if (text, query) not in self._known))
        if new:
            self._known |= {
                (text, query): v for text, v in zip(new, self._encoder.encode(new, query=query), strict=True)
            }
        return np.stack([self._known[text, query] for text in texts])


def _in_page_row(report: Report, how: str, index: Index, encoder: Remembering | None, game: Share) -> None:
    share = _found_share(list(_rank_in_pages(index, encoder)))
    report.promise(
        f"FM2 in-page, {how}: gold sentences among the first ten",
        str(share),
        f"≥ 0.80 (the game: {game.value:.3f})",
        kept=share.value >= 0.8,
    )


class Share(NamedTuple):
    """How many gold sentences were found, with its interval, and for how many claims all of them or some."""

    value: float
    low: float
    high: float
    sentences: int
    all: float
    some: float

    def __str__(self) -> str:
        return (
            f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n = {self.sentences:,}); "
            f"claims with all {self.all:.3f}, with some {self.some:.3f}"
        )


def _found_share(ranked: Sequence[tuple[list[str], list[str]]]) -> Share:
    """The share of gold among what came first; claims are drawn anew for the interval, with all their sentences."""
    counts = np.array([(sum(text in first for text in gold), len(gold)) for gold, first in ranked])
    drawn = np.random.default_rng(SEED).integers(0, len(counts), (RESAMPLES, len(counts)))
    found, total = counts[drawn].sum(axis=1).T
    low, high = np.quantile(found / total, (0.025, 0.975))
    found, total = counts.T
    return Share(
        value=float(found.sum() / total.sum()),
        low=float(low),
        high=float(high),
        sentences=int(total.sum()),
        all=float((found == total).mean()),
        some=float((found > 0).mean()),
    )


def _game_rankings() -> Iterator[tuple[list[str], list[str]]]:
    """Gold and what the game's own retriever had among its first ten; what follows them gives the gold away."""
    for record in records("fm2/dev"):
        gold, first = (
            [evidence["text"].strip() for evidence in record[name]] for name in ("gold_evidence", "retrieved_evidence")
        )
        yield list(dict.fromkeys(gold)), first[:10]


def _page_corpus(folder: Path, by_page: Mapping[str, Mapping[str, Mapping[str, None]]]) -> Index:
    source = folder / "pages.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for title, sections in by_page.items():
            file.write(json.dumps(_page_record(title, sections), ensure_ascii=False) + "\n")
    with Store.create(folder / "corpus") as store:
        for _ in Ingest(store, [source], workers=1):
            pass
        for _ in build_index(store):
            pass
    return Index(Store.open(folder / "corpus"))


def _page_record(title: str, sections: Mapping[str, Mapping[str, None]]) -> dict[str, object]:
    page: dict[str, object] = {"title": title}
    order: list[str] = []
    number = 0
    for count, (section, texts) in enumerate(sorted(sections.items(), key=lambda entry: entry[0] != "Summary")):
        if section != "Summary":
            page[f"section_{count}"] = {"value": section, "level": 2}
            order.append(f"section_{count}")
        for text in texts:
            page[f"sentence_{number}"] = text
            order.append(f"sentence_{number}")
            number += 1
    return page | {"order": order}


def _rank_in_pages(index: Index, encoder: Remembering | None) -> Iterator[tuple[list[str], list[str]]]:
    for record in records("fm2/dev"):
        page = index.store.page(record["wikipedia_page"])
        hits = rank_in_page(Claim(record["id"], record["text"]), page, index, encoder)
        gold = [_as_stored(evidence["text"], page.elements) for evidence in record["gold_evidence"]]
        yield list(dict.fromkeys(gold)), [hit.element.text for hit in hits[:10]]


def _as_stored(text: str, elements: Sequence[Element]) -> str:
    """A sentence as ingestion wrote it; white space and control characters may have gone."""
    letters = "".join(filter(str.isalnum, text))
    same = [e.text for e in elements if e.kind is Kind.SENTENCE and "".join(filter(str.isalnum, e.text)) == letters]
    return same[0] if same else text


# -- tables, cells, everything -----------------------------------------------------------------------------


def tables(report: Report, index: Index) -> None:
    examples = feverous_table_examples(index.store)
    found = EvidenceRetriever(PageRetriever(index)).retrieve([example.claim for example in examples], 20)
    only = [[hit for hit in hits if hit.element.kind is Kind.TABLE] for hits in found]
    scores = evaluate_rankings(examples, only, Level.TABLE, (1, 3))
    tables = scores.metric("full_coverage@3")
    what = f"tables: the gold table among the first three of {len(index.tables):,}"
    report.promise(what, str(tables), "≥ 0.80 (published 0.56)", kept=tables.value >= 0.8)
    cases = feverous_cases()
    held = cell_coverage(25, halves(cases)["held back"])
    report.promise(
        "cells: all gold cells among the first 25 of the gold table, claims no weight was fitted on",
        f"{held.complete} (n = {held.claims}); recall {held.recall}",
        "≥ 0.75",
        kept=held.complete.value >= 0.75,
    )
    report.note("Tables and cells", f"Cells, all claims: {cell_coverage(25, cases)}.")
    wide = large(cases, 25)
    report.note(
        "Tables and cells",
        f"In tables of more than 25 cells: {cell_coverage(25, wide).complete} (n = {len(wide)}); "
        f"their first 25 cells in reading order: {cell_coverage(25, wide, in_reading_order).complete}.",
    )


def almanac_examples() -> list[Example]:
    """The almanac's own claims, whose evidence stands anywhere in whole pages."""
    return list(datasets.load("almanac/claims"))


def almanac(report: Report) -> None:
    """What `veritab check` selects, with its reranker and without one."""
    examples = almanac_examples()
    claims = [example.claim for example in examples]
    for how, model in (("reranker", {}), ("words and numbers alone", {"select.model": NONE})):
        with Checker.open(settings=Settings().replaced(model)) as checker:
            stages = checker.pipeline
            selected: Sequence[Sequence[Hit]] = stages.retrieve.retrieve(claims, stages.candidates)
            for selector in stages.select:
                selected = selector.select(claims, selected)
        for name, rest in (("all", (0, 1)), ("claims no weight was fitted on", (1,))):
            kept = [place for place, example in enumerate(examples) if int(example.claim.id) % 2 in rest]
            scores = evaluate_budget([examples[place] for place in kept], [selected[place] for place in kept])
            report.note(
                "Evidence within 5 sentences and 25 cells, on the almanac",
                f"{how}, {name} (n = {len(kept)}): complete {scores.metric('full_coverage@5+25')}, "
                f"recall {scores.metric('recall@5+25')}.",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="corpus R; made when it is not there")
    parser.add_argument("--encoder", type=Path, help="a sentence encoder, for what is said in other words")
    parser.add_argument("--runs", type=Path, help="a folder for TREC run files")
    given = parser.parse_args()
    folder, encoder, runs = given.folder, given.encoder, given.runs
    report = Report("Retrieval: what is found", "python -m benchmarks.retrieval CORPUS_R --encoder ENCODER")
    index = prepare(folder)
    report.note(
        "Corpus R", f"{len(index.pages):,} pages, {len(index.texts):,} texts, {len(index.tables):,} tables, one index."
    )
    drqa = retriever("drqa", index.store)
    pages(report, index, drqa, runs)
    sentences(report, index, drqa)
    in_page(report, encoder)
    tables(report, index)
    almanac(report)
    report.write(RESULTS)


if __name__ == "__main__":
    main()
