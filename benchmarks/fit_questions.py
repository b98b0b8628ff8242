"""Fits what `build questions` weighs: `python -m benchmarks.fit_questions KIND`.

`verbs` counts in Wikipedia's introductions how often a word is a verb: after "to", "did" or "who" it is one, after
"the", "of" or "her" it is not. `names` lists what is written with capitals there. `articles` lists which noun phrases
nearly always have an article there, after a preposition. `weights` fits the linear ranker on
questions made of sentences and on our development references (never FaVIQ's samples, never references that results are
reported on). The model is a softmax over the readings of a question, its weights kept near where the rules put them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.question_references import DEVELOPMENT, Referenced, read_references
from veritab.build.inflection import may_be_modifier, verb_tags
from veritab.build.questions import enumeration
from veritab.build.questions.enumeration import list_readings
from veritab.build.questions.normal_form import normal_form
from veritab.build.questions.noun_phrases import BOUNDARIES, MOST_WORDS, phrase_keys
from veritab.build.questions.ranking import LinearRanker
from veritab.build.questions.reading import QuestionReading
from veritab.datasets import DataFiles
from veritab.datasets.registry import data_folder
from veritab.lexicon.grammar import (
    DETERMINERS,
    NAME_PARTICLES,
    PERSONAL_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBORDINATORS,
)
from veritab.train.sources.context import SourceContext
from veritab.train.sources.questions import ask_questions

PACKAGE = Path(enumeration.__file__).parent
VERBS_FOLLOW = frozenset(
    "to will would can could may might must should did does do not who which he she they also".split()
)
NOUNS_FOLLOW = frozenset(
    """the a an of his her its their this these in on for by with 's and new first american s second last most one
    two""".split()
)
LEAST_SEEN = 25
LEAST_PHRASE = 15
CAPITAL = 0.95
NEVER_NAMES = frozenset("i us may march august will mark a an the in of on at it he she".split())
PHRASES_FOLLOW = frozenset("in on at from with by for of during after before since into under against".split())
NEVER_BARE = DETERMINERS | POSSESSIVES | PREPOSITIONS | PERSONAL_PRONOUNS | SUBORDINATORS
LEAST_COMMON, LEAST_EXCEPTION = 8, 8
BARE, BARE_COMMON, MOSTLY_BARE = 0.1, 0.25, 0.5
"""Nouns in lower case stand alone more often, as the last words of names do: "New York city"."""
ARTICLES_EVERY = 1
EVERY = 2
NAMES_EVERY = 3
SENTENCES, WEIGHT = 1000, 0.06
KEEP_NEAR = 0.3
START = {"cost": -1.0, "clash": -3.0, "subject:what:be:value": -2.0}
"""Where the rules put the weights; that numbers and dates are said last is a matter of taste: both orders are right."""
_SENTENCE_END = re.compile(r" [.!?] ")
_WORD = re.compile(r"[a-z][a-z\-]*|'s")


class Group(NamedTuple):
    """The readings of one question: their features by number, which are right, and how much the question weighs."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]
    weight: float


def count_names(data: DataFiles) -> list[str]:
    """Words and phrases that are written with capitals inside of sentences, whenever they are written at all.

    A phrase is listed only where its words alone would not get their capitals: "New York", not "Los Angeles".
    """
    cased, others = Counter[str](), Counter[str]()
    texts = [record["text"] for record in islice(data.records("wiki/passages"), 0, None, NAMES_EVERY)]
    for text in texts:
        for sentence in _SENTENCE_END.split(text):
            words = sentence.split()
            cased.update(_names_in(words[1:]))
            others.update(word for word in words if word.islower())
    kept: dict[str, str] = {}
    for name, times in sorted(cased.items(), key=lambda each: (each[0].count(" "), -each[1], each[0])):
        low = name.lower()
        least = LEAST_SEEN if " " not in name else LEAST_PHRASE
        if times < least or low in kept or low in NEVER_NAMES:
            continue
        if " " not in name:
            if times >= CAPITAL * (times + others[low]):
                kept[low] = name
        elif any(word not in kept for word in low.split() if word not in NAME_PARTICLES):
            kept[low] = name
    phrases = {name for name in kept if " " in name}
    low_phrases = Counter[str]()
    for text in texts:
        words = text.split()
        for size in (2, 3, 4):
            for start in range(len(words) - size + 1):
                phrase = words[start : start + size]
                if phrase[0].islower() and phrase[-1].islower() and " ".join(phrase) in phrases:
                    low_phrases[" ".join(phrase)] += 1
    return sorted(
        name
        for low, name in kept.items()
        if " " not in low or cased[name] >= CAPITAL * (cased[name] + low_phrases[low])
    )


def _names_in(words: Sequence[str]) -> Iterator[str]:
    """The words with capitals, and up to four of them in a row, with what joins them."""
    for start, word in enumerate(words):
        if not word[:1].isupper() or not word.isalpha():
            continue
        yield word
        for size in (2, 3, 4):
            phrase = words[start : start + size]
            if len(phrase) < size or not all(each.isalpha() for each in phrase):
                break
            if not all(each[0].isupper() or each in NAME_PARTICLES for each in phrase):
                break
            if phrase[-1][0].isupper():
                yield " ".join(phrase)


def count_verbs(data: DataFiles) -> dict[str, int]:
    """For each word that may be a verb the percentage of its uses in which it is one."""
    verbs, others = Counter[str](), Counter[str]()
    for record in islice(data.records("wiki/passages"), 0, None, EVERY):
        for before, word in pairwise(_WORD.findall(record["text"])):
            if before in VERBS_FOLLOW:
                verbs[word] += 1
            elif before in NOUNS_FOLLOW:
                others[word] += 1
    seen = {word: verbs[word] + others[word] for word in sorted({*verbs, *others}) if word.isalpha()}
    return {
        word: round(100 * (verbs[word] + 0.5) / (times + 1))
        for word, times in seen.items()
        if times >= LEAST_SEEN and verb_tags(word)
    }


def count_articles(data: DataFiles) -> dict[str, list[str]]:
    """Keys of noun phrases by the article that they nearly always have; "" for phrases that are exceptions."""
    seen: dict[str, Counter[str]] = {"the": Counter(), "a": Counter(), "": Counter()}
    for record in islice(data.records("wiki/passages"), 0, None, ARTICLES_EVERY):
        words = [word for word in record["text"].split() if not word.startswith("-")]
        for place, word in enumerate(words[:-2]):
            if word not in PHRASES_FOLLOW:
                continue
            following = words[place + 1]
            article = {"an": "a", "the": "the", "a": "a"}.get(following, "")
            if not article and following in NEVER_BARE:
                continue
            start = place + 1 + bool(article)
            end = next((at for at in range(start, min(start + MOST_WORDS + 1, len(words))) if _ends(words[at])), start)
            phrase = words[start:end]
            whole = all(each.replace("-", "").isalnum() for each in phrase)
            if phrase and whole and not NEVER_BARE.intersection(phrase):
                seen[article].update(phrase_keys(phrase, words[end]))
    found: dict[str, list[str]] = {"the": [], "a": [], "": []}
    for key in sorted({key for counts in seen.values() for key in counts}):
        if key[-1] == "~" and not (key[0].islower() and may_be_modifier(key.split()[0])) and key != "#th ~":
            continue
        times = {article: counts[key] for article, counts in seen.items()}
        total = sum(times.values())
        common = key[-1] != "~" and key.removesuffix(" of").split()[-1].islower()
        least = LEAST_COMMON if common and key[0] == "~" else LEAST_SEEN if "~" in key else LEAST_PHRASE
        if total >= least and times[""] <= (BARE_COMMON if common else BARE) * total:
            found["the" if times["the"] >= times["a"] else "a"].append(key)
    wanted = {key for keys in found.values() for key in keys}
    found[""] = sorted(
        key
        for key, bare in seen[""].items()
        if "~" not in key
        and bare >= LEAST_EXCEPTION
        and bare >= MOSTLY_BARE * (bare + seen["the"][key] + seen["a"][key])
        and wanted.intersection(phrase_keys(key.removesuffix(" of").split(), "of" if key.endswith(" of") else ""))
    )
    # A whole phrase is listed only where its words alone do not say the same.
    known = {key: article for article, keys in found.items() for key in keys}
    for article in ("the", "a"):
        found[article] = [
            key for key in found[article] if next((known[k] for k in _other_keys(key) if k in known), None) != article
        ]
    return found


def _other_keys(key: str) -> list[str]:
    bare, of = key.removesuffix(" of"), "of" if key.endswith(" of") else ""
    return [] if "~" in key else list(phrase_keys(bare.split(), of))[1:]


def _ends(word: str) -> bool:
    return word in BOUNDARIES or not word[0].isalnum()


class _Asked(NamedTuple):
    """The readings of a question, which of them are right, and how much the question weighs."""

    readings: tuple[QuestionReading, ...]
    right: Sequence[bool]
    weight: float


def ask_backward(data: DataFiles) -> list[_Asked]:
    """Questions made of sentences: many, and each weighs little."""
    made = islice(ask_questions(SourceContext(data)), SENTENCES)
    return [_Asked(question.readings, question.right, WEIGHT) for question in made]


def fold_rankers(
    references: Sequence[Referenced], data: DataFiles, folds: int = 5
) -> Iterator[tuple[list[Referenced], LinearRanker]]:
    """Every fold of references with a ranker whose weights were fitted on the others."""
    shuffled = list(references)
    random.Random(0).shuffle(shuffled)
    backward = ask_backward(data)
    for fold in range(folds):
        others = [each for number, each in enumerate(shuffled) if number % folds != fold]
        yield shuffled[fold::folds], LinearRanker(fit_weights(others, backward))


def fit_weights(references: Sequence[Referenced], backward: Sequence[_Asked]) -> dict[str, float]:
    """The weight of every feature."""
    asked = list(backward)
    for each in references:
        claims = set(map(normal_form, each.claims))
        found = list_readings(each.question.split("|")[0], each.answer)
        asked.append(_Asked(found, [normal_form(reading.text) in claims for reading in found], 1.0))
    kept = [one for one in asked if any(one.right) and not all(one.right)]
    names = sorted({name for one in kept for reading in one.readings for name, _ in reading.features})
    numbers = {name: number for number, name in enumerate(names)}
    groups = []
    for readings, right, weight in kept:
        features = np.zeros((len(readings), len(names)))
        for row, reading in enumerate(readings):
            for name, value in reading.features:
                features[row, numbers[name]] += value
        groups.append(Group(features, np.array(right, dtype=np.bool_), weight))
    start = np.zeros(len(names))
    for name, value in START.items():
        start[numbers[name]] = value
    fitted = minimize(_loss, start.copy(), (groups, start), jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    return {name: round(float(value), 3) for name, value in zip(names, fitted, strict=True) if abs(value) >= 0.001}


def _loss(
    weights: NDArray[np.float64], groups: list[Group], start: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    away = weights - start
    loss, gradient = KEEP_NEAR * float(away @ away), 2 * KEEP_NEAR * away
    for group in groups:
        scores = group.features @ weights
        shares = np.exp(scores - scores.max())
        right = shares * group.right
        loss += group.weight * float(np.log(shares.sum()) - np.log(max(right.sum(), 1e-300)))
        gradient += group.weight * group.features.T @ (shares / shares.sum() - right / max(right.sum(), 1e-300))
    return loss, gradient


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("verbs", "names", "articles", "weights"))
    parser.add_argument("--into", type=Path, help="another file than that of the package")
    chosen = parser.parse_args()
    data = DataFiles(data_folder())
    if chosen.what == "verbs":
        found: Any = count_verbs(data)
    elif chosen.what == "names":
        found = count_names(data)
    elif chosen.what == "articles":
        found = count_articles(data)
    else:
        found = fit_weights(read_references(DEVELOPMENT, data), ask_backward(data))
    into = chosen.into or PACKAGE / f"{chosen.what}.json"
    into.write_text(json.dumps(found, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
    size = sum(map(len, found.values())) if chosen.what == "articles" else len(found)
    print(f"{size:,} {chosen.what} in {into}")


if __name__ == "__main__":
    main()
