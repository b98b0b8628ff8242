"""How well the selector finds evidence: the cells of a whole table, and the sentences of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.cells import Case, Ranker, feverous_cases, halves, in_reading_order, large
from benchmarks.models_card import Figures
from benchmarks.models_figures import with_interval
from benchmarks.models_kept import Chooser, Vectors
from benchmarks.models_sentences import POOLS, TOP, Asked, asked_of_fm2, fm2_pages, found_in, in_page, name_of
from benchmarks.models_sets import sample
from veritab.retrieve.candidate_text import candidate_text
from veritab.retrieve.cells import rank_cells
from veritab.retrieve.rerank import CrossEncoderReranker
from veritab.schema import Claim, Element, ElementId, Hit

_TOP_CELLS = 25
_WEIGHTS = tuple(step / 10 for step in range(11))
_MOST_ROWS = 1000


def selector(report: Figures, chooser: Chooser, vectors: Vectors | None, most: int) -> None:
    """FEVEROUS cells and FM2 sentences."""
    _cells(report, chooser, most)
    _sentences(report, chooser, vectors, most)


# -- cells -------------------------------------------------------------------------------------------------


def _cells(report: Figures, chooser: Chooser, most: int) -> None:
    heading = "Cells of a whole table: FEVEROUS full_table_gold_cells"
    cases = sample(feverous_cases(), most, "cells")
    chosen = {weight: [_chosen(chooser, case, weight) for case in cases] for weight in _WEIGHTS}
    parts = {name: [cases.index(case) for case in some] for name, some in halves(cases).items()}
    parts["large"] = [cases.index(case) for case in large(cases, _TOP_CELLS)]
    fitted_on = [(cases[place], place) for place in parts["fitted on"]]

    def worth(weight: float) -> tuple[float, ...]:
        """How many claims of the fitted half are complete within 25 cells, and within 10."""
        counts = (sum(_has_all(case, chosen[weight][p], limit) for case, p in fitted_on) for limit in (_TOP_CELLS, 10))
        return (*counts, -abs(weight - 0.5))

    best = max(_WEIGHTS, key=worth)
    systems = {
        "in reading order": [_first(case, in_reading_order) for case in cases],
        "by words and numbers (retrieve/cells)": [_first(case, rank_cells) for case in cases],
        "selector alone": chosen[1.0],
        "combined, equal weights": chosen[0.5],
        f"combined, weight of the selector fitted: {best:.1f}": chosen[best],
    }
    for limit in (_TOP_CELLS, 10):
        first = f"all gold cells of the table in the first {limit}"
        rows = [[first, "held back", "fitted on", "all", f"tables of more than {_TOP_CELLS} cells"]]
        for name, ids in systems.items():
            values = [_has_all(case, each, limit) for case, each in zip(cases, ids, strict=True)]
            rows.append([name, *(_part(values, parts[part]) for part in ("held back", "fitted on", "all", "large"))])
        report.table(f"{heading}, first {limit}", rows)
    report.note(f"{heading}, first 10", f"{len(cases)} claims; weights are fitted on even ids, odd ones are held back.")
    held = [_has_all(cases[place], chosen[best][place], _TOP_CELLS) for place in parts["held back"]]
    share = sum(held) / len(held) if held else 0.0
    report.promise(
        f"FEVEROUS full_table_gold_cells, held back: all gold cells within the top 25 (selector's weight {best:.1f})",
        with_interval(share, len(held)),
        "≥ .85",
        kept=share >= 0.85,
    )
    report.figure("selector", f"FEVEROUS full_table_gold_cells, all gold cells in the first {_TOP_CELLS}", share)


def _part(values: Sequence[bool], places: Sequence[int]) -> str:
    return with_interval(sum(values[place] for place in places) / len(places), len(places)) if places else "-"


def _chosen(chooser: Chooser, case: Case, weight: float) -> list[ElementId]:
    """The best cells, as the stage of the package finds them where one table is all that was retrieved."""
    table = case.table
    stage = CrossEncoderReranker(chooser, lambda _: table, cells=_TOP_CELLS, candidates=_MOST_ROWS, cell_weight=weight)
    given = Hit(Element(table.id, table.caption, (), table.context), 1.0, "given")
    (hits,) = stage.select([Claim(str(case.id), case.claim)], [[given]])
    return [hit.element.id for hit in hits]


def _first(case: Case, rank: Ranker) -> list[ElementId]:
    return [id for id, _ in rank(case.claim, case.table, _TOP_CELLS)]


def _has_all(case: Case, ids: Sequence[ElementId], limit: int) -> bool:
    first = set(ids[:limit])
    return all(case.table.cell_id(place) in first for place in case.gold)


# -- sentences ---------------------------------------------------------------------------------------------


def _sentences(report: Figures, chooser: Chooser, vectors: Vectors | None, most: int) -> None:
    heading = "Sentences of a page: FM2 dev"
    every = asked_of_fm2()
    asked = sample(every, most, "fm2 selector")
    rows = [["the first five of", "by", "gold sentences", "claims with some gold", "claims with all"]]
    kept = {}
    for pool in ("own", "whole"):
        found = found_in(list(_ranked(chooser, asked, pool)))
        kept[pool] = found
        rows.append([POOLS[pool], "the selector", *found[:3]])
    game = found_in([(each.gold, each.order[:TOP]) for each in asked])
    rows.append(["the first ten retrieved", "the game's own order", *game[:3]])
    with fm2_pages() as index:
        rows.append([POOLS["whole"], "words", *found_in(in_page(asked, index))[:3]])
        if vectors:
            rows.append([POOLS["whole"], "words and meaning", *found_in(in_page(asked, index, vectors))[:3]])
            vectors.save()
    report.table(heading, rows)
    sizes = {pool: np.mean([len(getattr(each, pool)) for each in asked]) for pool in POOLS}
    report.note(
        heading,
        f"{len(asked):,} claims. The pool of a claim's own record has {sizes['own']:.1f} sentences on average: the ten "
        "that the game retrieved and the gold that follows them in the file. Being in the pool tells nothing of being "
        "gold to the selector, which sees no order. The pool of the page has the first ten and the gold of all claims "
        f"about it, {sizes['whole']:.1f} on average; the rest of the page is not in the file.",
    )
    for pool, found in kept.items():
        report.promise(
            f"FM2 dev, {POOLS[pool]}: gold sentences in the selector's top 5",
            f"{found.sentences}; claims with some {found.some}",
            "≥ 80 %",
            kept=found.value >= 0.8,
        )
        report.figure("selector", f"FM2 dev, {POOLS[pool]}, gold sentences in the first {TOP}", found.value)


def _ranked(chooser: Chooser, asked: Sequence[Asked], pool: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    pools: list[tuple[Element, ...]] = [getattr(each, pool) for each in asked]
    given = [(each.claim, candidate_text(element)) for each, some in zip(asked, pools, strict=True) for element in some]
    scores = iter(chooser.scores(given, f"FM2, {POOLS[pool]}"))
    for each, some in zip(asked, pools, strict=True):
        scored = sorted((-next(scores).whole, name_of(element.text)) for element in some)
        yield each.gold, [name for _, name in scored[:TOP]]
