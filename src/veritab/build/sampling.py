"""Negative sampling: evidence that does not settle a claim, for NOT ENOUGH INFO, and distractors beside the gold.

`nearest` takes other sentences of the pages that the claim is about, `random` sentences of any page, `swapped` moves
the claim to another page, and the removals take the deciding part out of gold evidence. Each is a name in the option
`sampling` of the sources that can do it; `rest` is what the page of a generated claim has besides its gold evidence.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from veritab.build.elements import sentence
from veritab.build.library import Library
from veritab.datasets.normalise import title_key
from veritab.errors import InputError
from veritab.schema import Element, ElementId, Kind
from veritab.text import STOP_TERMS, terms

# A sentence that shares this much with the claim, or with the gold sentence, may settle the claim as well.
_SETTLES_CLAIM = 0.3
_SAME_AS_GOLD = 0.3
_MOST_NEAREST = 4
_MOST_DISTRACTORS = 3
_FIRST_OF_INTRODUCTION = 100
"""Introductions are numbered from here on where FEVER's own lines of the page are known too."""
_NAME = re.compile(r"[A-Z0-9][\w.'’\-]*(?:(?: (?:of|the|and|in|de|on|to|for|a|&))* [A-Z0-9][\w.'’\-]*)*")
_KIND_OF_THING = re.compile(r"\b(?:is|was|are|were|be|been)\b(?: (?:not|only|\w+ly))* (?:a|an|the|one|any)\b", re.I)
# What one sentence of a page says of itself, any other may say in other words.
_NAMES_TIME_OR_PLACE = re.compile(r"\d|\b(?:born|died|only|is|are|American|British|Indian)\b")
_KIND = re.compile(
    r"\b(?:is|was|are|were) (?:an?|the)\b.{0,60}?\b(film|actor|actress|singer|band|album|song|series|footballer|player|"
    r"city|country|company|character|novel|book|writer|author|musician|rapper|director|producer|politician|game|"
    r"wrestler|model|town|state|club|team|university|magazine|channel|network|award|show|episode|comedian)\b"
)
_CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL, Kind.TABLE, Kind.TABLE_CAPTION})


def random_stream(seed: int, *names: object) -> random.Random:
    """A stream of random numbers for each name, so that one choice more does not change all that follow."""
    return random.Random("|".join(map(str, (seed, *names))))


def weighted_choice(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One of the names, each as often as its weight says."""
    return rng.choices(list(weights), list(weights.values()))[0]


def check_weights(weights: Mapping[str, float], known: tuple[str, ...], what: str) -> dict[str, float]:
    """Weights for known names only, of which at least one counts."""
    for name, weight in weights.items():
        if name not in known or weight < 0:
            raise InputError(f"{what} has {name!r} = {weight!r}; expected weights from 0 on for {', '.join(known)}")
    if not sum(weights.values()) > 0:
        raise InputError(f"{what} is {dict(weights)!r}; give at least one of {', '.join(known)} a weight above 0")
    return dict(weights)


def pick_way(ways: Mapping[str, float], rng: random.Random) -> str:
    """One of the ways, sampled by weight; where there is only one, no random number is used."""
    return weighted_choice(rng, ways) if len(ways) > 1 else next(iter(ways))


@lru_cache(50_000)
def content_terms(text: str) -> frozenset[str]:
    """The stems of a text that carry meaning."""
    return frozenset(terms(text)) - STOP_TERMS


def names(text: str) -> list[str]:
    """The names in a text, as far as capitals show them; a name at the start may begin with an article."""
    found = [match[0].rstrip(".'’") for match in _NAME.finditer(text)]
    forms = ((name, name.removeprefix("The "), *name.split(" and ")) for name in found)
    return list(dict.fromkeys(each for form in forms for each in form if len(each) > 2))


class NegativeSampler:
    """Samples sentences around the gold evidence of a claim."""

    def __init__(self, library: Library, held_out: frozenset[str] = frozenset()) -> None:
        self._library = library
        self._held_out = held_out
        self._titles = [title for title in library.titles if title_key(title) not in held_out]
        self._of_kind: dict[str, list[str]] = {}
        self.page = lru_cache(20_000)(self._page)
        """The sentences of a page: FEVER's lines, then the introduction where it says something else."""

    def _page(self, title: str) -> list[Element]:
        lines = self._library.lines(title)
        found = [sentence(title, number, text) for number, text in sorted(lines.items())]
        gold_terms = [content_terms(text) for text in lines.values()]
        for number, text in enumerate(self._library.introduction(title).sentences, _FIRST_OF_INTRODUCTION):
            if not any(jaccard(content_terms(text), other) >= _SAME_AS_GOLD for other in gold_terms):
                found.append(sentence(title, number, text))
        return found

    def named_pages(self, claim: str, title: str) -> list[str]:
        """Other pages whose titles the claim mentions."""
        found = (name for name in names(claim) if name in self._library)
        return [name for name in found if title_key(name) not in (title_key(title), *self._held_out)]

    def nearest(self, claim: str, title: str, gold: Sequence[str], rng: random.Random) -> list[Element]:
        """One to four sentences of the gold page, or of other pages the claim names, that do not settle the claim."""
        if settled_by_any(claim, title):
            return []
        own = not_settling(claim, title, gold, self.page(title))
        others = [each for name in self.named_pages(claim, title) for each in self.page(name)[:3]]
        others = not_settling(claim, title, gold, others)
        count = rng.choice((1, 2, 3, 3, _MOST_NEAREST))
        first = rng.sample(own, min(len(own), count))
        more = rng.sample(others, min(len(others), count - len(first) or rng.choice((0, 0, 1))))
        return first + more

    def from_any_page(self, claim: str, title: str, gold: Sequence[str], rng: random.Random) -> list[Element]:
        """A sentence of any other page, or two."""
        for _ in range(5):
            page = rng.choice(self._titles)
            elements = not_settling(claim, title, gold, self.page(page))
            if elements and title_key(page) != title_key(title):
                return rng.sample(elements, min(len(elements), rng.choice((1, 1, 2))))
        return []

    def swap_page(self, claim: str, title: str, rng: random.Random) -> tuple[str, list[Element]]:
        """The claim about another page of the same kind, and the sentences there most similar to it without any of its
        names; an empty claim where no page is suitable."""
        name = title.partition(" (")[0]
        rest_of_claim = claim.replace(name, "")
        kind = self._kind(title)
        others = [each for each in self._of_kind.get(kind, ()) if each != title]
        fits = rest_of_claim != claim and kind and others and not _NAMES_TIME_OR_PLACE.search(rest_of_claim)
        if not fits or not _is_specific(claim, title):
            return "", []
        other = rng.choice(others)
        elements = [each for each in self.page(other) if not any(name in each.text for name in names(rest_of_claim))]
        about = content_terms(rest_of_claim)
        elements.sort(key=lambda each: -len(about & content_terms(each.text)))
        return claim.replace(name, other.partition(" (")[0]), elements[: rng.randint(1, 3)]

    def group_by_kind(self, titles: Iterable[str]) -> None:
        """Group pages by what their first sentences say they are, so that claims can be moved to others of a kind."""
        for title in titles:
            if kind := self._kind(title):
                self._of_kind.setdefault(kind, []).append(title)

    def _kind(self, title: str) -> str:
        elements = self.page(title)[:1]
        found = _KIND.search(elements[0].text) if elements else None
        return found[1] if found else ""

    def distractors(self, claim: str, title: str, gold: Sequence[str], rng: random.Random) -> list[Element]:
        """One to three sentences that retrieval might return together with the gold ones."""
        gold_terms = [content_terms(text) for text in gold]
        nearby = self.page(title) + [each for name in self.named_pages(claim, title) for each in self.page(name)[:2]]
        unlike_gold = [
            each
            for each in nearby
            if not any(jaccard(content_terms(each.text), one) >= _SAME_AS_GOLD for one in gold_terms)
        ]
        return rng.sample(unlike_gold, min(len(unlike_gold), rng.randint(1, _MOST_DISTRACTORS)))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard similarity of two sets of terms, from 0 to 1."""
    return len(one & other) / max(len(one | other), 1)


def settled_by_any(claim: str, title: str) -> bool:
    """Whether any sentence of its page may settle a claim: it says what kind of thing that is, or nothing specific."""
    return bool(_KIND_OF_THING.search(claim)) or not _is_specific(claim, title)


def _is_specific(claim: str, title: str) -> bool:
    """Whether the claim names something besides its page; what says less may be settled by any sentence of the page."""
    rest = claim.replace(title.partition(" (")[0], "")
    return any(letter.isdigit() for letter in rest) or bool(names(rest))


def not_settling(claim: str, title: str, gold: Sequence[str], sentences: Iterable[Element]) -> list[Element]:
    """The sentences that say neither what the gold evidence says nor what the claim says."""
    about = content_terms(claim) - content_terms(title)
    gold_terms = [content_terms(text) for text in gold]
    found = []
    for each in sentences:
        own = content_terms(each.text)
        says_it = len(about & own) >= max(_SETTLES_CLAIM * len(about), 1) if about else True
        if not says_it and not any(jaccard(own, other) >= _SAME_AS_GOLD for other in gold_terms):
            found.append(each)
    return found


# -- gold evidence with a part removed ---------------------------------------------------------------------


def drop_sentence(
    gold: Sequence[Element], rng: random.Random, among: Collection[ElementId] | None = None
) -> list[Element]:
    """Gold evidence without one of its sentences, or of those `among` them; nothing where there is nothing else.

    A claim that is false in one part is refuted for as long as the sentence of that part is there.
    """
    rest_of_claim = [each for each in gold if each.kind is Kind.SENTENCE and (among is None or each.id in among)]
    if len(gold) < 2 or not rest_of_claim:
        return []
    gone = rng.choice(rest_of_claim)
    return [each for each in gold if each is not gone]


def drop_cells(gold: Sequence[Element]) -> list[Element]:
    """Gold evidence without its cells; nothing where there is nothing else, or no cell."""
    kept = [each for each in gold if each.kind not in _CELLS]
    return kept if len(kept) < len(gold) else []
