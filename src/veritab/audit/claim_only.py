"""The claim-only baseline: a classifier over unigrams and bigrams, cross-validated, that never sees evidence.

Its gain over the majority label is what the wording gives away. Claims about one page stay in one fold, or it would
learn which pages are refuted: docs/design/017-audits.md says how that is ensured when some claims have no page.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from veritab.audit.audit_rows import AuditRow
from veritab.audit.ngrams import Ngrams, count_ngrams
from veritab.errors import MissingExtra
from veritab.evaluate.metrics import RESAMPLES, SEED, Metric, wilson
from veritab.text import words

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray

FOLDS = 5
LEAST = 50
"""With fewer claims than this, cross-validation means nothing."""
_REGULARISATION = 0.1
"""The C of the SVM; nothing from 0.03 to 1 was clearly better on any data set tried."""
_TOLERANCE = 0.01
"""Where fitting stops; a tenth of it takes half as long again and hardly changes accuracies."""
_LONGEST_TITLE = 8
Classifier: TypeAlias = Literal["svm", "logistic regression", "naive bayes"]
"""What learns from the words: audits take the SVM; the others are for tables that compare with other work."""


class ClaimOnlyPrediction(NamedTuple):
    """The prediction for one held-out claim."""

    id: str
    gold: str
    predicted: str

    @property
    def part(self) -> str:
        """EASY where the claim alone was enough, else HARD."""
        return "EASY" if self.gold == self.predicted else "HARD"


@dataclass(frozen=True)
class ClaimOnlyResult:
    """How well a classifier of claims alone predicts an answer, beside the majority, and claim by claim."""

    accuracy: Metric
    majority: Metric
    gain: Metric
    """Accuracy minus majority; its bootstrap resamples pages, as claims about one page are not independent."""
    recall: dict[str, Metric]
    """The recall of each answer."""
    together: str
    """What was kept within one fold: "records", "pages", "subjects" or "claims"."""
    groups: int
    predictions: tuple[ClaimOnlyPrediction, ...]


def claim_only_baseline(
    rows: Sequence[AuditRow], answers: Sequence[str], ngrams: tuple[Ngrams, Ngrams] | None = None
) -> ClaimOnlyResult | None:
    """Cross-validate on answers (labels, kinds of evidence); None where there are too few claims or one answer only."""
    import numpy

    often = Counter(answers).most_common(2)
    if len(rows) < LEAST or len(often) < 2 or often[1][1] < FOLDS:
        return None
    together, groups = groups_of(rows)
    if len(set(groups)) < FOLDS:
        together, groups = "claims", [str(number) for number in range(len(rows))]
    features = _features(ngrams or count_ngrams(row.text for row in rows), len(rows))
    gold = numpy.array(answers)
    predicted = numpy.empty_like(gold)
    fold_of = folds(answers, groups)
    for fold in range(FOLDS):
        train, test = fold_of != fold, fold_of == fold
        predicted[test] = _fit_and_predict(features, gold, train, test)
    # The majority is of all claims: that of the other folds is, where labels are balanced, what this fold has least of.
    right, majority = predicted == gold, gold == often[0][0]
    return ClaimOnlyResult(
        _share(right),
        _share(majority),
        _gain(right, majority, groups),
        {name: _share(right[gold == name]) for name in sorted(set(answers))},
        together,
        len(set(groups)),
        tuple(map(ClaimOnlyPrediction, (row.id for row in rows), gold.tolist(), predicted.tolist())),
    )


def transfer_accuracy(
    rows: Sequence[AuditRow], answers: Sequence[str], other: Sequence[AuditRow], other_answers: Sequence[str]
) -> Metric | None:
    """The accuracy of a classifier that was trained on another data set."""
    import numpy

    predicted = transfer_predictions(rows, other, other_answers)
    return None if predicted is None else _share(numpy.array(predicted) == numpy.array(answers))


def transfer_predictions(
    rows: Sequence[AuditRow],
    other: Sequence[AuditRow],
    other_answers: Sequence[str],
    classifier: Classifier = "svm",
) -> list[str] | None:
    """The answer to each claim of a classifier that was trained on another data set; None where there are too few."""
    import numpy

    if len(rows) < LEAST or len(other) < LEAST or len(set(other_answers)) < 2:
        return None
    features = _features(count_ngrams(row.text for row in (*rows, *other)), len(rows) + len(other))
    train = numpy.arange(len(rows) + len(other)) >= len(rows)
    gold = numpy.array([*[""] * len(rows), *other_answers])  # those of `rows` are never looked at
    predicted: list[str] = _fit_and_predict(features, gold, train, ~train, classifier).tolist()
    return predicted


# -- the classifier ----------------------------------------------------------------------------------------


def _features(ngrams: tuple[Ngrams, Ngrams], claims: int) -> Any:
    """A sparse row for each claim: its unigrams and bigrams, of those that at least two claims have."""
    import numpy

    sparse = _import_extra("scipy.sparse")
    parts = []
    for each in ngrams:
        often = each.once.only(numpy.bincount(each.once.thing, minlength=len(each.names)) > 1)
        # Numbers of 32 bits, which is all that the classifier takes.
        place = (often.claim.astype(numpy.int32), often.thing.astype(numpy.int32))
        parts.append(sparse.csr_array((numpy.ones(len(often.thing)), place), shape=(claims, len(often.names))))
    return sparse.hstack(parts, format="csr")


def _fit_and_predict(
    features: Any,
    gold: NDArray[Any],
    train: NDArray[bool_],
    test: NDArray[bool_],
    classifier: Classifier = "svm",
) -> NDArray[Any]:
    if not features.shape[1] or len(set(gold[train].tolist())) < 2:
        return gold[train][:1].repeat(int(test.sum()))  # nothing to learn: no word twice, or one answer only
    taught, asked = features[train], features[test]
    if classifier != "naive bayes":  # which counts, and would count weights wrongly
        weights = _import_extra("sklearn.feature_extraction.text").TfidfTransformer()
        taught, asked = weights.fit_transform(taught), weights.transform(asked)
    model = _model(classifier)
    model.fit(taught, gold[train])
    predicted: NDArray[Any] = model.predict(asked)
    return predicted


def _model(classifier: Classifier) -> Any:
    if classifier == "naive bayes":
        return _import_extra("sklearn.naive_bayes").MultinomialNB()
    if classifier == "logistic regression":
        return _import_extra("sklearn.linear_model").LogisticRegression(max_iter=1000)
    return _import_extra("sklearn.svm").LinearSVC(C=_REGULARISATION, random_state=SEED, tol=_TOLERANCE, max_iter=10_000)


def _import_extra(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra("the claim-only classifier", "evaluate") from None


# -- folds -------------------------------------------------------------------------------------------------


def groups_of(rows: Sequence[AuditRow]) -> tuple[str, list[str]]:
    """What each claim must share a fold with, by name, and what these names are.

    That is what it was built of, where every claim was: a question's true and false claims differ in a word or two,
    and in two folds would tell each other's labels. Else it is its page, where every claim has one. Where some have
    none it is the subject, read from the claim alone for all of them: if only claims of some labels had pages, the
    others would leak the pages that are held out.
    """
    if all(row.origin for row in rows):
        return "records", [repr(row.origin) for row in rows]
    if all(row.pages for row in rows):
        often = Counter(page for row in rows for page in row.pages)
        return "pages", [max(row.pages, key=lambda page: (often[page], page)) for row in rows]
    titles = {_title_words(page): page for row in rows for page in row.pages}
    return "subjects", [_subject(row.text, titles) for row in rows]


_QUALIFIER = re.compile(r" \([^()]*\)\Z")


def _title_words(title: str) -> tuple[str, ...]:
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
    """Groups by size, so that large ones are placed while smaller ones can balance them; ties in random order."""
    import numpy

    names = sorted(holding)
    order = numpy.random.default_rng(SEED).permutation(len(names)).tolist()
    yield from sorted((names[place] for place in order), key=lambda name: -sum(holding[name]))


def _crowding(filled: Sequence[int], more: Sequence[int]) -> int:
    """How full a fold is of the answers that would come into it."""
    return sum(have * count for have, count in zip(filled, more, strict=True))


# -- confidence intervals ----------------------------------------------------------------------------------


def _share(right: NDArray[bool_]) -> Metric:
    share = float(right.mean()) if len(right) else 0.0
    return Metric(share, *wilson(share, len(right)), "wilson", len(right))


def _gain(right: NDArray[bool_], majority: NDArray[bool_], groups: Sequence[str]) -> Metric:
    import numpy

    number_of: dict[str, int] = {}
    group = numpy.array([number_of.setdefault(name, len(number_of)) for name in groups])
    sizes = numpy.bincount(group)
    gained = numpy.bincount(group, weights=right.astype(float) - majority.astype(float))
    generator = numpy.random.default_rng(SEED)
    samples = (generator.integers(0, len(sizes), len(sizes)) for _ in range(RESAMPLES))
    resampled = [gained[each].sum() / sizes[each].sum() for each in samples]
    low, high = numpy.quantile(resampled, (0.025, 0.975))
    return Metric(float(right.mean() - majority.mean()), float(low), float(high), "bootstrap", len(right))
