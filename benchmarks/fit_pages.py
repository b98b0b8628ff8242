"""Fits the weights of page retrieval: `python -m benchmarks.fit_pages CORPUS_R` prints them, to be put into the source.

The claims are FEVER's training pairs and VitaminC's, for what a claim finds by itself. For links, which need claims
with evidence on several pages, they are FEVER's development claims outside the part that results are reported on, and
every other claim of the almanac. The model is a softmax over the candidates of a claim, its weights kept small.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus_r import records
from veritab.corpus.fever import title_of
from veritab.corpus.store import Store
from veritab.retrieve import links, pages
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.index import Index, open_index
from veritab.schema import ElementId

ALMANAC = Path(__file__).parents[1] / "examples" / "almanac" / "claims.jsonl"
CLAIMS = 3000
KEEP_SMALL = 1e-3
SEVERAL = 30.0
"""What a claim with evidence on several pages weighs when the weights of links are fitted; there are few of them."""
LEFT_OUT = frozenset({"detected"})
"""Features that nothing in these claims can fit; they are set by hand."""


class Gold(NamedTuple):
    claim: str
    pages: frozenset[str]
    weight: float = 1.0


class Group(NamedTuple):
    """The candidates of one claim: their features, and which are right."""

    features: list[pages.FeatureValues]
    right: list[bool]
    weight: float


def training_claims(store: Store) -> list[Gold]:
    """Claims whose page is in the corpus, from data sets the project does not report on."""
    fever = [Gold(r["claim"], frozenset({title_of(r["page"])})) for r in records("fever/train_pairs")]
    by_claim: dict[str, set[str]] = {}
    for record in records("vitaminc/real"):
        by_claim.setdefault(record["claim"], set()).add(record["page"].replace("_", " "))
    vitamin = [Gold(c, frozenset(p)) for c, p in by_claim.items() if any(page in store for page in p)]
    return [*_sample(fever), *_sample(vitamin)]


def linked_claims(store: Store) -> list[Gold]:
    """Development claims of FEVER that are not among those reported on."""
    reported = {record["claim"] for record in records("fever/paper_dev")}
    found = []
    for record in records("fever/dev_gold_text"):
        gold = frozenset(map(title_of, record["evidence_pages"]))
        if record["claim"] not in reported and all(page in store for page in gold):
            found.append(Gold(record["claim"], gold, SEVERAL if len(gold) > 1 else 1.0))
    return found


def almanac_claims() -> list[Gold]:
    """The claims of the almanac with even numbers; the others are for measuring."""
    found = []
    for line in ALMANAC.read_text(encoding="utf-8").splitlines()[1:]:
        record = json.loads(line)
        if record["id"] % 2 == 0:
            gold = frozenset(ElementId.parse(id).page for e in record["evidence"] for id in e["content"])
            found.append(Gold(record["claim"], gold, SEVERAL if len(gold) > 1 else 1.0))
    return found


def _sample(claims: list[Gold]) -> list[Gold]:
    return random.Random(0).sample(claims, min(CLAIMS, len(claims)))


def groups(claims: Sequence[Gold], candidates: Callable[[str], Sequence[pages.PageCandidate]]) -> Iterator[Group]:
    for gold in claims:
        found = candidates(gold.claim)
        right = [page.title in gold.pages for page in found]
        if any(right):
            yield Group([page.features for page in found], right, gold.weight)


def fit(found: Sequence[Group]) -> dict[str, float]:
    """The weights under which the right candidates of each claim are likeliest."""
    import numpy as np
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    names = sorted({name for group in found for features in group.features for name in features} - LEFT_OUT)
    rows = np.array([[f.get(name, 0.0) for name in names] for group in found for f in group.features])
    sizes = np.array([len(group.features) for group in found])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of = np.repeat(np.arange(len(found)), sizes)
    right = np.array([value / sum(group.right) for group in found for value in group.right])
    weight = np.array([group.weight for group in found])
    weight = weight / weight.sum()

    def loss(weights: Any) -> tuple[float, Any]:
        scores = rows @ weights
        scores = scores - np.maximum.reduceat(scores, starts)[of]
        likely = np.exp(scores)
        sums = np.add.reduceat(likely, starts)[of]
        value = -(weight[of] * right * (scores - np.log(sums))).sum() + KEEP_SMALL * weights @ weights
        return value, rows.T @ (weight[of] * (likely / sums - right)) + 2 * KEEP_SMALL * weights

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return {name: round(float(value), 2) for name, value in zip(names, best.x, strict=True)}


def linked(index: Index, claim: str) -> Sequence[pages.PageCandidate]:
    """The pages of a claim and those they point to."""
    query = ClaimQuery(claim, index)
    ranked = pages.rank_pages(query)
    return links.link_features(query, ranked, 2) if ranked else []


def main(folder: Path) -> None:
    store = Store.open(folder)
    index = Index(store)
    own = fit(list(groups(training_claims(store), lambda claim: pages.page_candidates(ClaimQuery(claim, index)))))
    print("pages.WEIGHTS =", own, flush=True)
    pages.WEIGHTS.update(own)
    several = list(groups([*linked_claims(store), *training_claims(store)[::4]], partial(linked, index)))
    with open_index() as almanac:
        several += groups(almanac_claims(), partial(linked, almanac))
    print("links.WEIGHTS =", fit(several))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
