"""Fits what wrong answers are mined by: `python -m benchmarks.fit_answers names|spans|equivalence [--corpus DIR]`.

`names` learns from Wikipedia's titles which words make the name of a person, of a place or of something else: the
introduction says what its title is. `spans` fits the span scorer on questions made of sentences, with the passages that
the corpus has for them. `equivalence` learns from the links of a corpus which two names are of one thing: words that
lead to one page, against titles of two pages with a word in common. Nothing of nq_open or FaVIQ is learnt from.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]
from sklearn.feature_extraction import DictVectorizer  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from veritab.build.answers import answer_types
from veritab.build.answers.answer_types import AnswerType, name_features, type_answer
from veritab.build.answers.corpus_names import sort_by_opening
from veritab.build.answers.equivalence import pair_features, why_same
from veritab.build.answers.scoring import Candidate, list_candidates
from veritab.build.kinds import name_of
from veritab.build.library import library
from veritab.build.passages import PassageSearch
from veritab.build.questions.normal_form import normal_form
from veritab.corpus.database import open_for_reading
from veritab.datasets import DataFiles
from veritab.datasets.normalise import plain_text
from veritab.datasets.registry import data_folder
from veritab.retrieve.index import FOLDER
from veritab.retrieve.name_index import FILE, key
from veritab.text import STOP_WORDS, words
from veritab.train.sources.context import SourceContext
from veritab.train.sources.questions import ask_questions

PACKAGE = Path(answer_types.__file__).parent
FILES = {"names": "name_types.json", "spans": "spans.json", "equivalence": "equivalence.json"}
TITLES, LEAST_WEIGHT, LEAST_TITLES = 90_000, 0.35, 5
LEAST_LINKS, OTHERS, MOST_NAMES, LEAST_ALIKE = 2, 2, 6, 0.15
QUESTIONS, PASSAGES, KEEP_SMALL = 1000, 50, 0.5


# -- names -------------------------------------------------------------------------------------------------


def fit_names(data: DataFiles) -> dict[str, dict[str, float]]:
    """For every feature of a name its weight for each sort of name."""
    known = library(data)
    titles = list(known.titles)
    random.Random(0).shuffle(titles)
    found: list[dict[str, float]] = []
    labels: list[str] = []
    for title in titles:
        label = sort_by_opening(title, plain_text(known.beginning(title)))
        if label:
            found.append(dict.fromkeys(name_features(name_of(title)), 1.0))
            labels.append(label)
        if len(labels) == TITLES:
            break
    print(Counter(labels))
    cut = len(labels) * 9 // 10
    vectors = DictVectorizer()
    matrix = vectors.fit_transform(found)
    often = np.asarray(matrix.sum(axis=0)).ravel() >= LEAST_TITLES
    model = LogisticRegression(C=0.5, max_iter=300, fit_intercept=False).fit(matrix[:cut][:, often], labels[:cut])
    model.coef_[np.abs(model.coef_) < LEAST_WEIGHT] = 0.0
    print(f"{model.score(matrix[cut:][:, often], labels[cut:]):.1%} of {len(labels) - cut:,} other titles right")
    names = np.array(vectors.get_feature_names_out())[often]
    return {
        str(name): {
            str(label): round(float(weight), 2) for label, weight in zip(model.classes_, weights, strict=True) if weight
        }
        for name, weights in zip(names, model.coef_.T, strict=True)
        if np.any(weights)
    }


# -- spans -------------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """The candidates of one question: their features by number, and which are right."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def ask(data: DataFiles, count: int, *, measured: bool = False) -> Iterator[tuple[str, str]]:
    """Questions made of sentences, answered by names with their capitals, dates and numbers."""
    asked = ask_questions(SourceContext(data), measured=measured)
    kept = ((each.question, each.answer) for each in asked)
    return islice((each for each in kept if type_answer(*each).type is not AnswerType.OTHER), count)


def fit_spans(data: DataFiles, corpus: Path) -> dict[str, float]:
    """The weight of every feature of a span."""
    lists: list[tuple[list[Candidate], list[bool]]] = []
    with PassageSearch.open(corpus) as search:
        for question, answer in ask(data, QUESTIONS):
            candidates = list_candidates(question, answer, search.find(question, PASSAGES))
            right = [normal_form(each.text) == normal_form(answer) for each in candidates]
            if any(right) and not all(right):
                lists.append((candidates, right))
    names = sorted({name for candidates, _ in lists for each in candidates for name in each.features})
    numbers = {name: number for number, name in enumerate(names)}
    groups = []
    for candidates, right in lists:
        features = np.zeros((len(candidates), len(names)))
        for row, each in enumerate(candidates):
            for name, value in each.features.items():
                features[row, numbers[name]] = value
        groups.append(Group(features, np.array(right, bool)))
    fitted = minimize(_loss, np.zeros(len(names)), (groups,), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    print(f"{len(groups):,} of {QUESTIONS:,} questions have their answer among the candidates")
    return {name: round(float(value), 3) for name, value in zip(names, fitted, strict=True) if abs(value) >= 0.01}


def _loss(weights: NDArray[np.float64], groups: list[Group]) -> tuple[float, NDArray[np.float64]]:
    loss, gradient = KEEP_SMALL * float(weights @ weights), 2 * KEEP_SMALL * weights
    for group in groups:
        scores = group.features @ weights
        shares = np.exp(scores - scores.max())
        right = shares * group.right
        loss += float(np.log(shares.sum()) - np.log(max(right.sum(), 1e-300)))
        gradient += group.features.T @ (shares / shares.sum() - right / max(right.sum(), 1e-300))
    return loss, gradient


# -- equivalence -------------------------------------------------------------------------------------------


def list_pairs(corpus: Path) -> Iterator[tuple[str, str, bool]]:
    """Two names, and whether they are of one page: the words of links, against names of pages that share a word."""
    anchors: dict[str, dict[str, int]] = {}
    # From the file itself: the store leaves out links to pages that a corpus lacks, which are most.
    with closing(open_for_reading(corpus / FOLDER / FILE)) as db:
        query = "SELECT key, target, times FROM names WHERE how = 'anchor' ORDER BY target, key"
        for name, target, times in db.execute(query):
            if 2 < len(name) < 60 and not any(letter.isdigit() for letter in name + target):
                anchors.setdefault(target, {})[name] = times
    by_word: dict[str, list[str]] = {}
    for target in sorted(anchors):
        for word in words(name_of(target)):
            if word not in STOP_WORDS and len(word) > 2:
                by_word.setdefault(word, []).append(target)
    rng = random.Random(0)
    targets = sorted(anchors)
    for target in targets:
        title = name_of(target)
        known = [title, *(name for name, times in sorted(anchors[target].items()) if times >= LEAST_LINKS)]
        for one, other in combinations(known[:MOST_NAMES], 2):
            # A city for its stadium: nothing in the words of such a pair can be learnt.
            if _is_alike(one, other) and not is_settled(one, other):
                yield one, other, True
        held = [word for word in words(title) if len(by_word.get(word, ())) > 1]
        others = [rng.choice(by_word[rng.choice(held)]) for _ in range(OTHERS if held else 0)]
        for each in (*others, rng.choice(targets)):
            if each != target and key(each) not in anchors[target] and not is_settled(title, name_of(each)):
                yield title, name_of(each), False


def _is_alike(one: str, other: str) -> bool:
    features = pair_features(one, other)
    return features["trigrams"] >= LEAST_ALIKE or bool(features["initials"] or features["beginnings"])


def is_settled(one: str, other: str) -> bool:
    """Whether rules settle a pair, so that the classifier is never asked."""
    return why_same(one, other, classify=False) != ""


def fit_equivalence(corpus: Path) -> dict[str, float]:
    """The weight of every feature of a pair; fitted on nine tenths of the pairs, told how well it does on the rest."""
    pairs = sorted(set(list_pairs(corpus)))
    random.Random(0).shuffle(pairs)
    vectors = DictVectorizer(sparse=False)
    matrix = vectors.fit_transform([pair_features(one, other) for one, other, _ in pairs])
    labels = np.array([same for _, _, same in pairs])
    cut = len(pairs) * 9 // 10
    model = LogisticRegression(C=1.0, max_iter=500, fit_intercept=False, class_weight="balanced")
    model.fit(matrix[:cut], labels[:cut])
    said = model.predict(matrix[cut:])
    same = labels[cut:]
    print(
        f"{len(pairs):,} pairs, {labels.sum():,} of one page; of {len(same):,} others "
        f"{(said & same).sum() / same.sum():.1%} of those of one page found, "
        f"{(said & ~same).sum() / (~same).sum():.1%} of the different ones taken for the same"
    )
    return {
        str(name): round(float(value), 3)
        for name, value in zip(vectors.get_feature_names_out(), model.coef_[0], strict=True)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=tuple(FILES))
    parser.add_argument("--corpus", type=Path, help="an indexed corpus: of introductions for spans, with links else")
    chosen = parser.parse_args()
    data = DataFiles(data_folder())
    found: dict[str, Any]
    if chosen.what == "names":
        found = fit_names(data)
    elif chosen.what == "spans":
        found = fit_spans(data, chosen.corpus)
    else:
        found = fit_equivalence(chosen.corpus)
    into = PACKAGE / FILES[chosen.what]
    into.write_text(json.dumps(found, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(found):,} {chosen.what} in {into}")


if __name__ == "__main__":
    main()
