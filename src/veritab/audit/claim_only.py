"""How far a claim alone gives its answer away: a linear classifier over words and pairs of words, cross-validated.

It never sees evidence. What it gets right more often than the majority label does is what the wording tells. Claims
about one page stay in one fold, or it would learn which pages are lied about: docs/design/017-audits.md says how that
is kept when some claims have no page.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.audit.grams import Grams, grams_of
from veritab.audit.rows import Row
from veritab.errors import MissingExtra
from veritab.evaluate.metrics import RESAMPLES, SEED, Metric, wilson
from veritab.text import words

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray

FOLDS = 5
LEAST = 50
"""Fewer claims than this say nothing about a classifier."""
_STRICTNESS = 0.1
"""How much errors cost against large weights; from 0.03 to 1 nothing was clearly better on any data set tried."""
_PRECISION = 0.01
"""Where the fit stops; ten times as exact takes half as long again and hardly moves accuracies."""
_LONGEST_TITLE = 8


class Guess(NamedTuple):
    """What the classifier made of one claim that it had not learned from."""

    id: str
    gold: str
    guessed: str

    @property
    def part(self) -> str:
        """EASY where the claim alone was enough, else HARD."""
        return "EASY" if self.gold == self.guessed else "HARD"


@dataclass(frozen=True)
class ClaimOnly:
    """How well claims alone tell an answer: beside the majority, with intervals, and claim by claim."""

    accuracy: Metric
    majority: Metric
    gain: Metric
    """Accuracy less majority; its interval is of pages drawn again, as claims about one page are not independent."""
    recall: dict[str, Metric]
    """For each answer the share of its claims that were recognised."""
    together: str
    """What was kept within one fold: "pages", "subjects" or "claims"."""
    groups: int
    guesses: tuple[Guess, ...]


def claim_only(
    rows: Sequence[Row], answers: Sequence[str], grams: tuple[Grams, Grams] | None = None
) -> ClaimOnly | None:
    """Cross-validate on answers (labels, kinds of evidence); None where there are too few claims or one answer only."""
    import numpy

    often = Counter(answers).most_common(2)
    if len(rows) < LEAST or len(often) < 2 or often[1][1] < FOLDS:
        return None
    together, groups = groups_of(rows)
    if len(set(groups)) < FOLDS:
        together, groups = "claims", [str(number) for number in range(len(rows))]
    features = _features(grams or grams_of(row.text for row in rows), len(rows))
    gold = numpy.array(answers)
    guessed = numpy.empty_like(gold)
    fold_of = folds(answers, groups)
    for fold in range(FOLDS):
        learned, asked = fold_of != fold, fold_of == fold
        guessed[asked] = _predicted(features, gold, learned, asked)
    # The majority is of all claims: that of the other folds is, where labels are balanced, what this fold has least of.
    right, usual = guessed == gold, gold == often[0][0]
    return ClaimOnly(
        _share(right),
        _share(usual),
        _gain(right, usual, groups),
        {name: _share(right[gold == name]) for name in sorted(set(answers))},
        together,
        len(set(groups)),
        tuple(map(Guess, (row.id for row in rows), gold.tolist(), guessed.tolist())),
    )


def learned_elsewhere(
    rows: Sequence[Row], answers: Sequence[str], other: Sequence[Row], taught: Sequence[str]
) -> Metric | None:
    """How often the classifier is right on claims when it has learned from all those of another data set."""
    import numpy

    if len(rows) < LEAST or len(other) < LEAST or len(set(taught)) < 2:
        return None
    features = _features(grams_of(row.text for row in (*rows, *other)), len(rows) + len(other))
    learned = numpy.arange(len(rows) + len(other)) >= len(rows)
    gold = numpy.array([*answers, *taught])
    return _share(_predicted(features, gold, learned, ~learned) == gold[~learned])


# -- the classifier ----------------------------------------------------------------------------------------


def _features(grams: tuple[Grams, Grams], claims: int) -> Any:
    """A row for each claim: which words and pairs it has, of those that two claims have or more."""
    import numpy

    sparse = _part("scipy.sparse")
    parts = []
    for each in grams:
        often = each.once.only(numpy.bincount(each.once.thing, minlength=len(each.names)) > 1)
        # Numbers of 32 bits, which is all that the classifier takes.
        place = (often.claim.astype(numpy.int32), often.thing.astype(numpy.int32))
        parts.append(sparse.csr_array((numpy.ones(len(often.thing)), place), shape=(claims, len(often.names))))
    return sparse.hstack(parts, format="csr")


def _predicted(features: Any, gold: NDArray[Any], learned: NDArray[bool_], asked: NDArray[bool_]) -> NDArray[Any]:
    if not features.shape[1] or len(set(gold[learned].tolist())) < 2:
        return gold[learned][:1].repeat(int(asked.sum()))  # nothing to learn: no word twice, or one answer only
    weights = _part("sklearn.feature_extraction.text").TfidfTransformer()
    model = _part("sklearn.svm").LinearSVC(C=_STRICTNESS, random_state=SEED, tol=_PRECISION, max_iter=10_000)
    model.fit(weights.fit_transform(features[learned]), gold[learned])
    predicted: NDArray[Any] = model.predict(weights.transform(features[asked]))
    return predicted


def _part(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra("the claim-only classifier", "evaluate") from None


# -- folds -------------------------------------------------------------------------------------------------


def groups_of(rows: Sequence[Row]) -> tuple[str, list[str]]:
    """What each claim must share a fold with, by name, and what these names are.

    That is its page, where every claim has one. Where some have none it is the subject, read from the claim alone for
    all of them: if only claims of some labels had pages, the others would betray the pages that are held out.
    """
    if all(row.pages for row in rows):
        often = Counter(page for row in rows for page in row.pages)
        return "pages", [max(row.pages, key=lambda page: (often[page], page)) for row in rows]
    titles = {_named(page): page for row in rows for page in row.pages}
    return "subjects", [_subject(row.text, titles) for row in rows]


_QUALIFIER = re.compile(r" \([^()]*\)\Z")


def _named(title: str) -> tuple[str, ...]:
    return tuple(words(_QUALIFIER.sub("", title)))


def _subject(claim: str, titles: dict[tuple[str, ...], str]) -> str:
    """The longest title of a page of the data set that the claim names, or its first two words."""
    found = words(claim)
    for size in range(min(_LONGEST_TITLE, len(found)), 0, -1):
        # A title of one word is mostly a word like any other, unless the claim begins with it.
        for start in range(len(found) - size + 1 if size > 1 else 1):
            title = titles.get(tuple(found[start : start + size]))
            if title is not None:
                return title
    return " ".join(found[:2])


def folds(answers: Sequence[str], groups: Sequence[str], number: int = FOLDS) -> NDArray[int64]:
    """A fold for each claim: groups stay whole, and each answer is spread as evenly as that allows."""
    import numpy

    names = sorted(set(answers))
    column = {name: place for place, name in enumerate(names)}
    holding: dict[str, list[int]] = {}
    for group, answer in zip(groups, answers, strict=True):
        holding.setdefault(group, [0] * len(names))[column[answer]] += 1
    filled = [[0] * len(names) for _ in range(number)]
    chosen: dict[str, int] = {}
    for group in _largest_first(holding):
        counts = holding[group]
        fold = min(range(number), key=lambda each: (_crowding(filled[each], counts), sum(filled[each]), each))
        filled[fold] = [have + more for have, more in zip(filled[fold], counts, strict=True)]
        chosen[group] = fold
    return numpy.array([chosen[group] for group in groups], dtype=numpy.int64)


def _largest_first(holding: dict[str, list[int]]) -> Iterator[str]:
    """Large groups are placed while there is room to even them out; names are shuffled, as files are often sorted."""
    import numpy

    names = sorted(holding)
    order = numpy.random.default_rng(SEED).permutation(len(names)).tolist()
    yield from sorted((names[place] for place in order), key=lambda name: -sum(holding[name]))


def _crowding(filled: Sequence[int], more: Sequence[int]) -> int:
    """How full a fold is of the answers that would come into it."""
    return sum(have * count for have, count in zip(filled, more, strict=True))


# -- how sure a figure is ----------------------------------------------------------------------------------


def _share(right: NDArray[bool_]) -> Metric:
    share = float(right.mean()) if len(right) else 0.0
    return Metric(share, *wilson(share, len(right)), "wilson", len(right))


def _gain(right: NDArray[bool_], usual: NDArray[bool_], groups: Sequence[str]) -> Metric:
    import numpy

    number_of: dict[str, int] = {}
    group = numpy.array([number_of.setdefault(name, len(number_of)) for name in groups])
    sizes = numpy.bincount(group)
    gained = numpy.bincount(group, weights=right.astype(float) - usual.astype(float))
    generator = numpy.random.default_rng(SEED)
    drawn = (generator.integers(0, len(sizes), len(sizes)) for _ in range(RESAMPLES))
    resampled = [gained[each].sum() / sizes[each].sum() for each in drawn]
    low, high = numpy.quantile(resampled, (0.025, 0.975))
    return Metric(float(right.mean() - usual.mean()), float(low), float(high), "bootstrap", len(right))
