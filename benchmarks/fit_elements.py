"""Fits the weights of text ranking: `python -m benchmarks.fit_elements CORPUS_R` prints them for the source.

The claims are FEVER's training pairs, whose sentences are numbered but stand in introductions, and every other claim of
the almanac, whose evidence stands anywhere in whole pages.

Only TEXT_WEIGHTS is fitted. TABLE_WEIGHTS and the two scales of veritab.retrieve.elements (from scores to how likely an
element is evidence) were set by hand while looking at FEVEROUS's tables, the very ones that are reported on: what is
measured there is not measured on claims unseen.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus_r import records
from benchmarks.fit_pages import ALMANAC, Group, fit
from veritab.corpus.fever import title_of
from veritab.corpus.store import Store
from veritab.retrieve import elements, links, pages
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.index import Index, open_index
from veritab.retrieve.sparse import LocalId
from veritab.schema import ElementId, Kind

CLAIMS = 4000
PAGES = 8
ALMANAC_WEIGHT = 5.0
"""What a claim of the almanac weighs; there are few of them."""


Address = tuple[str, LocalId]


def fever_claims() -> dict[str, set[Address]]:
    """FEVER's training claims with their sentences."""
    gold: dict[str, set[Address]] = {}
    for record in records("fever/train_pairs"):
        place = LocalId(Kind.SENTENCE, (record["line"],))
        gold.setdefault(record["claim"], set()).add((title_of(record["page"]), place))
    return {claim: gold[claim] for claim in random.Random(0).sample(sorted(gold), min(CLAIMS, len(gold)))}


def almanac_claims() -> dict[str, set[Address]]:
    """The claims of the almanac with even numbers; the others are for measuring."""
    gold: dict[str, set[Address]] = {}
    for line in ALMANAC.read_text(encoding="utf-8").splitlines()[1:]:
        record = json.loads(line)
        if record["id"] % 2 == 0:
            ids = [ElementId.parse(id) for evidence in record["evidence"] for id in evidence["content"]]
            gold[record["claim"]] = {(id.page, LocalId(id.kind, id.path)) for id in ids}
    return gold


def text_groups(index: Index, gold: dict[str, set[Address]], weight: float) -> Iterator[Group]:
    for claim, right in gold.items():
        query = ClaimQuery(claim, index)
        ranked = links.follow_links(query, pages.rank_pages(query), 2)[:PAGES]
        pieces = elements.text_candidates(query, ranked)
        found = [(piece.title, piece.place) in right for piece in pieces]
        if any(found) and not all(found):
            yield Group([piece.features for piece in pieces], found, weight)


def main(folder: Path) -> None:
    groups = list(text_groups(Index(Store.open(folder)), fever_claims(), 1.0))
    groups += text_groups(open_index(), almanac_claims(), ALMANAC_WEIGHT)
    print("elements.TEXT_WEIGHTS =", fit(groups))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
