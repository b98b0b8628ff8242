"""Claims made by rule from the introductions of pages, with what they are because of how they were made.

A sentence becomes a claim; a change to the claim makes it false, and the same change to the evidence makes it true
again. As the change is made to either with the same chance, the claim alone does not tell what it is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from veritab.schema import Element
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext, checked, weighted
from veritab.train.sources.evidence import sentence, shown, untitled
from veritab.train.sources.mutations import (
    Mutation,
    NameSwaps,
    count,
    country,
    day,
    nationality,
    negated,
    number,
    opposite,
    year,
)
from veritab.train.sources.normalise import NOT_ENOUGH, REFUTES, SUPPORTS, title_key
from veritab.train.sources.pages import Introduction, Library, held_out_titles, library
from veritab.train.sources.sampling import NegativeSampler, content, removed_sentence, way_of
from veritab.train.sources.simplify import Sentence, fit, subject

_KINDS = {
    "person": re.compile(
        r"\bborn\b|\b(?:is|was) an? .{0,40}\b(?:actor|actress|singer|player|politician|writer|footballer)"
    ),
    "place": re.compile(
        r"\b(?:is|was) (?:an?|the) .{0,60}\b(?:city|town|village|county|country|district|state|province)\b"
    ),
    "work": re.compile(
        r"\b(?:is|was) (?:an?|the) .{0,60}\b(?:film|album|song|novel|series|magazine|newspaper|single)\b"
    ),
    "body": re.compile(
        r"\b(?:is|was|are|were) (?:an?|the) .{0,60}\b(?:company|club|team|band|party|university|label)\b"
    ),
}
_OPENING = re.compile(r"(?:In|On|At|By|During|Since|From|As|After|Before|For|The|Its|His|Her|Their)\b")
_LEARNED = 4000
_MOST_PAIRS = 3
_LEAST_SENTENCES = 3
_SHAPES = {"one": 0.55, "two": 0.35, "negated": 0.1}
_LONGER_SHAPES = {"one": 0.2, "two": 0.35, "three": 0.4, "negated": 0.05}
_SENTENCES = {"one": 1, "negated": 1, "two": 2, "three": 3}
_RULES = (year, number, day, count, nationality, country, opposite)
# A sentence beside the deciding one that has this share of the claim's words may decide it too.
_SAYS_IT = 0.3
_CUT = 0.7
SAMPLING: Mapping[str, float] = MappingProxyType({"rest": 1.0})
"""How often each way of finding evidence that does not settle a claim is taken."""
_NO_CUT: Mapping[int, str] = MappingProxyType({})


class MutatedClaim(NamedTuple):
    """A claim that was made, the page it is about, and the numbers of the sentences it was made of and shown with."""

    pair: VerdictExample
    introduction: Introduction
    used: tuple[int, ...]


class ClaimMutator:
    """Makes claims of introductions."""

    def __init__(
        self,
        library: Library,
        chance: random.Random,
        titles: Sequence[str],
        unsettled: UnsettledEvidence | None = None,
        partly: float = 0.0,
    ) -> None:
        self._library = library
        self._unsettled = unsettled or UnsettledEvidence(SAMPLING)
        self._partly = partly
        self._names = NameSwaps(self._kind_of)
        for title in chance.sample(list(titles), min(len(titles), _LEARNED)):
            self._names.learn(library.introduction(title).sentences)

    def _kind_of(self, name: str) -> str:
        beginning = self._library.beginning(name)
        return next((kind for kind, pattern in _KINDS.items() if pattern.search(beginning)), "") if beginning else ""

    def made(self, introduction: Introduction, chance: random.Random, titled: float = 0.9) -> Iterator[MutatedClaim]:
        """A few claims about one page."""
        if len(introduction.sentences) < _LEAST_SENTENCES:
            return
        found = fit(introduction.title, introduction.sentences, chance)
        chance.shuffle(found)
        for place in range(min(len(found), _MOST_PAIRS)):
            label = chance.choice((SUPPORTS, REFUTES, NOT_ENOUGH))
            shape = weighted(chance, _LONGER_SHAPES if self._partly else _SHAPES)
            told = _apart([*found[place:], *found[:place]])[: _SENTENCES[shape]]
            page = _Page(introduction, told, chance.random() < titled)
            pair = self._negated(page, label, chance) if shape == "negated" else self._changed(page, label, chance)
            if pair:
                yield MutatedClaim(pair, introduction, tuple(each.number for each in told))

    def _changed(self, page: _Page, label: int, chance: random.Random) -> VerdictExample | None:
        claim = page.claim(chance)
        change = self._change(claim, page, chance)
        if not change:
            return None
        false = change.made(claim)
        mutated_claim = chance.random() < 0.5
        asked = false if mutated_claim else claim
        if label == NOT_ENOUGH:
            return self._unsettled.pair(page, asked, change, chance, false=mutated_claim)
        # The change is in both or in neither, or in one of them only.
        in_evidence = mutated_claim == (label == SUPPORTS)
        if label == REFUTES and chance.random() < self._partly:
            page = page.decisive(change)
        return page.beside(asked, label, change if in_evidence else None, chance)

    def _change(self, claim: str, page: _Page, chance: random.Random) -> Mutation | None:
        found: dict[str, list[Mutation]] = {}
        for rule in _RULES:
            for change in rule(claim, chance):
                found.setdefault(change.kind, []).append(change)
        for change in self._names.changes(claim, " ".join(page.introduction.sentences), chance):
            found.setdefault("name", []).append(change)
        kinds = sorted(found)
        chance.shuffle(kinds)
        for kind in kinds:
            change = chance.choice(found[kind])
            if page.allows(change, claim):
                return change
        return None

    def _negated(self, page: _Page, label: int, chance: random.Random) -> VerdictExample | None:
        """A denial: false of what the page says, true of what it says otherwise."""
        claim = page.told[0].short
        change = self._change(claim, page, chance)
        denied, denied_other = negated(claim), negated(change.made(claim)) if change else ""
        if not change or not denied or not denied_other or change.kind == "opposite":
            return None
        if label == NOT_ENOUGH:
            return self._unsettled.pair(page, chance.choice((denied, denied_other)), change, chance, false=True)
        if chance.random() < 0.5:
            return page.beside(denied if label == REFUTES else denied_other, label, None, chance)
        return page.beside(denied_other if label == REFUTES else denied, label, change, chance)


class _Page:
    """The page that a claim is made of, and those of its sentences that the claim tells."""

    def __init__(self, introduction: Introduction, told: Sequence[Sentence], titled: bool) -> None:
        self.introduction = introduction
        self.told = told
        self._titled = titled
        self._name = subject(introduction.title)

    def claim(self, chance: random.Random) -> str:
        """What the sentences say, in one sentence."""
        parts = [each.short if chance.random() < 0.7 else each.claim for each in self.told]
        if len(parts) == 1:
            return parts[0]
        return f"{reduce(lambda one, other: self._joined(one, other, chance), parts).removesuffix('.')}."

    def _joined(self, first: str, second: str, chance: random.Random) -> str:
        first, second = (part.removesuffix(".") for part in (first, second))
        if _OPENING.match(second):
            second = second[0].lower() + second[1:]
        if second.startswith(f"{self._name} ") and first.startswith(f"{self._name} "):
            return f"{first} and{second.removeprefix(self._name)}"
        return f"{first}{chance.choice((', and ', ' and ', '; '))}{second}"

    def decisive(self, change: Mutation) -> _Page:
        """The page of those sentences alone that the change is in: what refutes one part refutes the claim."""
        return _Page(self.introduction, [each for each in self.told if change.is_in(each.text)], self._titled)

    def allows(self, change: Mutation, claim: str) -> bool:
        """Whether the change is to what one sentence says, not to whom it is about, and makes it say another thing."""
        if change.old in self._name or change.new in self._name or not change.is_in(claim):
            return False
        in_told = [each for each in self.told if change.is_in(each.text)]
        everything = " ".join(self.introduction.sentences)
        return len(in_told) == 1 and not re.search(rf"(?<!\w){re.escape(change.new)}(?!\w)", everything)

    def beside(self, claim: str, label: int, change: Mutation | None, chance: random.Random) -> VerdictExample:
        """The claim with the sentences that decide it, and often with their neighbours."""
        numbers = {each.number for each in self.told}
        if chance.random() < 0.5:
            others = [n for n in range(len(self.introduction.sentences)) if n not in numbers]
            numbers.update(chance.sample(others, min(len(others), chance.randint(1, 3))))
        return VerdictExample(claim, self._shown(sorted(numbers), change), label)

    def without(self, claim: str, change: Mutation, chance: random.Random) -> VerdictExample | None:
        """The claim with what else the page says, or with one of the sentences that it needs."""
        about = content(claim) - content(self.introduction.title)
        decisive = next(each for each in self.told if change.is_in(each.text))
        kept = {each.number for each in self.told if each is not decisive}
        cut: dict[int, str] = {}
        if change.is_in(decisive.claim) and not change.is_in(decisive.short) and chance.random() < _CUT:
            # The claim says what the last clause of its sentence says; without that clause, the sentence stays.
            kept.add(decisive.number)
            cut[decisive.number] = decisive.short
        shares = {
            n: len(about & content(text)) / max(len(about), 1)
            for n, text in enumerate(self.introduction.sentences)
            if n not in {each.number for each in self.told} and not change.is_in(text)
        }
        free = [n for n, share in shares.items() if share < _SAYS_IT]
        kept.update(chance.sample(free, min(len(free), chance.randint(0 if kept else 1, 3))))
        return VerdictExample(claim, self._shown(sorted(kept), None, cut), NOT_ENOUGH) if kept else None

    def lacking(self, claim: str, change: Mutation, chance: random.Random, *, false: bool) -> VerdictExample | None:
        """The claim with one of the two sentences that it needs: any, or the one that makes a false claim false."""
        gold = [sentence(self.introduction.title, each.number, each.text) for each in self.told]
        decisive = {each.id for each, told in zip(gold, self.told, strict=True) if change.is_in(told.text)}
        left = removed_sentence(gold, chance, decisive if false else None)
        return self.paired(claim, left) if left else None

    def paired(self, claim: str, evidence: Sequence[Element]) -> VerdictExample:
        """The claim with evidence that does not settle it."""
        return VerdictExample(claim, shown(evidence if self._titled else untitled(evidence)), NOT_ENOUGH)

    def _shown(self, numbers: Sequence[int], change: Mutation | None, cut: Mapping[int, str] = _NO_CUT) -> str:
        texts = [(n, cut.get(n, self.introduction.sentences[n])) for n in numbers]
        told: list[Element] = [
            sentence(self.introduction.title, n, change.made(text) if change else text) for n, text in texts
        ]
        return shown(told if self._titled else untitled(told))


class UnsettledEvidence:
    """Finds evidence that does not settle a claim, in one of the ways that the option `sampling` names."""

    def __init__(self, ways: Mapping[str, float], around: NegativeSampler | None = None) -> None:
        self._ways = ways
        self._around = around

    def pair(
        self, page: _Page, claim: str, change: Mutation, chance: random.Random, *, false: bool
    ) -> VerdictExample | None:
        """The claim beside such evidence; `false` says whether its page tells otherwise."""
        way = way_of(self._ways, chance)
        if way == "rest":
            return page.without(claim, change, chance)
        if way == "removed_sentence":
            return page.lacking(claim, change, chance, false=false)
        assert self._around is not None
        look = self._around.nearest if way == "nearest" else self._around.anywhere
        evidence = look(claim, page.introduction.title, [each.text for each in page.told], chance)
        return page.paired(claim, evidence) if evidence else None


def _apart(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Those of other numbers than the ones before: what is told of one sentence may have several forms."""
    return list({each.number: each for each in reversed(sentences)}.values())[::-1]


def made(
    given: SourceContext,
    *,
    pairs: int = 60_000,
    titled: float = 0.9,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[MutatedClaim]:
    """Claims of pages in an order of chance, so many at most; pages that are measured are left out."""
    ways = checked(sampling or SAMPLING, ("rest", "nearest", "random", "removed_sentence"), "sampling")
    known, barred = library(given.data), held_out_titles(given.data)
    titles = [title for title in known.titles if title_key(title) not in barred]
    chance = given.chance("mutated")
    chance.shuffle(titles)
    around = NegativeSampler(known, barred) if ways.keys() & {"nearest", "random"} else None
    maker = ClaimMutator(known, chance, titles, UnsettledEvidence(ways, around), partly)
    left = pairs
    for title in titles:
        for each in maker.made(known.introduction(title), given.chance("mutated", title), titled):
            if left == 0:
                return
            left -= 1
            yield each


def mutated(
    given: SourceContext,
    *,
    pairs: int = 60_000,
    titled: float = 0.9,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """Claims made of Wikipedia's introductions; `sampling` says how often which evidence settles none of them.

    With `partly` claims are longer, and so often a false one is shown only the sentence that it gets wrong.
    """
    return (each.pair for each in made(given, pairs=pairs, titled=titled, partly=partly, sampling=sampling))
