"""Claims generated from the introductions of pages, with labels that follow from how they were generated.

A sentence becomes a claim; a mutation of the claim makes it false, and the same mutation of the evidence makes it true
again. As claim and evidence are mutated equally often, the claim alone does not give its label away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from veritab.build.elements import sentence, untitled
from veritab.build.library import Introduction, Library
from veritab.build.mutations import (
    Mutation,
    NameSwaps,
    count,
    country,
    day,
    nationality,
    negate,
    number,
    opposite,
    year,
)
from veritab.build.sampling import (
    NegativeSampler,
    check_weights,
    content_terms,
    drop_sentence,
    pick_way,
    random_stream,
    weighted_choice,
)
from veritab.build.training_claims.built import BuiltClaim
from veritab.build.training_claims.sentence_claims import ClaimSentence, claim_sentences, subject
from veritab.datasets.normalise import NOT_ENOUGH, REFUTES, SUPPORTS
from veritab.schema import Element

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
    """A generated claim, the page it is about, and the numbers of the sentences it was made of."""

    built: BuiltClaim
    introduction: Introduction
    used: tuple[int, ...]


class ClaimMutator:
    """Turns introductions into claims."""

    def __init__(
        self,
        library: Library,
        rng: random.Random,
        titles: Sequence[str],
        unsettled: UnsettledEvidence | None = None,
        partly: float = 0.0,
    ) -> None:
        self._library = library
        self._unsettled = unsettled or UnsettledEvidence(SAMPLING)
        self._partly = partly
        self._names = NameSwaps(self._kind_of)
        for title in rng.sample(list(titles), min(len(titles), _LEARNED)):
            self._names.learn(library.introduction(title).sentences)

    def _kind_of(self, name: str) -> str:
        beginning = self._library.beginning(name)
        return next((kind for kind, pattern in _KINDS.items() if pattern.search(beginning)), "") if beginning else ""

    def make_claims(
        self, introduction: Introduction, rng: random.Random, titled: float = 0.9
    ) -> Iterator[MutatedClaim]:
        """A few claims about one page."""
        if len(introduction.sentences) < _LEAST_SENTENCES:
            return
        found = claim_sentences(introduction.title, introduction.sentences, rng)
        rng.shuffle(found)
        for place in range(min(len(found), _MOST_PAIRS)):
            label = rng.choice((SUPPORTS, REFUTES, NOT_ENOUGH))
            shape = weighted_choice(rng, _LONGER_SHAPES if self._partly else _SHAPES)
            used = _one_per_sentence([*found[place:], *found[:place]])[: _SENTENCES[shape]]
            page = _Page(introduction, used, rng.random() < titled)
            built = self._negated_pair(page, label, rng) if shape == "negated" else self._mutated_pair(page, label, rng)
            if built:
                yield MutatedClaim(built, introduction, tuple(each.number for each in used))

    def _mutated_pair(self, page: _Page, label: int, rng: random.Random) -> BuiltClaim | None:
        claim = page.claim(rng)
        mutation = self._pick_mutation(claim, page, rng)
        if not mutation:
            return None
        false = mutation.apply(claim)
        in_claim = rng.random() < 0.5
        claim_text = false if in_claim else claim
        if label == NOT_ENOUGH:
            return self._unsettled.pair(page, claim_text, mutation, rng, false=in_claim)
        # The change is in both or in neither, or in one of them only.
        in_evidence = in_claim == (label == SUPPORTS)
        if label == REFUTES and rng.random() < self._partly:
            page = page.decisive(mutation)
        return page.with_gold(claim_text, label, mutation if in_evidence else None, rng)

    def _pick_mutation(self, claim: str, page: _Page, rng: random.Random) -> Mutation | None:
        found: dict[str, list[Mutation]] = {}
        for rule in _RULES:
            for mutation in rule(claim, rng):
                found.setdefault(mutation.kind, []).append(mutation)
        for mutation in self._names.swaps(claim, " ".join(page.introduction.sentences), rng):
            found.setdefault("name", []).append(mutation)
        kinds = sorted(found)
        rng.shuffle(kinds)
        for kind in kinds:
            mutation = rng.choice(found[kind])
            if page.allows(mutation, claim):
                return mutation
        return None

    def _negated_pair(self, page: _Page, label: int, rng: random.Random) -> BuiltClaim | None:
        """A denial: false of what the page says, true of what it says otherwise."""
        claim = page.used[0].short
        mutation = self._pick_mutation(claim, page, rng)
        denied, denied_other = negate(claim), negate(mutation.apply(claim)) if mutation else ""
        if not mutation or not denied or not denied_other or mutation.kind == "opposite":
            return None
        if label == NOT_ENOUGH:
            return self._unsettled.pair(page, rng.choice((denied, denied_other)), mutation, rng, false=True)
        if rng.random() < 0.5:
            return page.with_gold(denied if label == REFUTES else denied_other, label, None, rng)
        return page.with_gold(denied_other if label == REFUTES else denied, label, mutation, rng)


class _Page:
    """The page that a claim is made of, and those of its sentences that the claim uses."""

    def __init__(self, introduction: Introduction, used: Sequence[ClaimSentence], titled: bool) -> None:
        self.introduction = introduction
        self.used = used
        self._titled = titled
        self._name = subject(introduction.title)

    def claim(self, rng: random.Random) -> str:
        """What the sentences say, in one sentence."""
        parts = [each.short if rng.random() < 0.7 else each.claim for each in self.used]
        if len(parts) == 1:
            return parts[0]
        return f"{reduce(lambda one, other: self._join(one, other, rng), parts).removesuffix('.')}."

    def _join(self, first: str, second: str, rng: random.Random) -> str:
        first, second = (part.removesuffix(".") for part in (first, second))
        if _OPENING.match(second):
            second = second[0].lower() + second[1:]
        if second.startswith(f"{self._name} ") and first.startswith(f"{self._name} "):
            return f"{first} and{second.removeprefix(self._name)}"
        return f"{first}{rng.choice((', and ', ' and ', '; '))}{second}"

    def decisive(self, mutation: Mutation) -> _Page:
        """The page of those sentences alone that the change is in: what refutes one part refutes the claim."""
        return _Page(self.introduction, [each for each in self.used if mutation.affects(each.text)], self._titled)

    def allows(self, mutation: Mutation, claim: str) -> bool:
        """Whether the change is to what one sentence says, not to whom it is about, and makes it say another thing."""
        if mutation.old in self._name or mutation.new in self._name or not mutation.affects(claim):
            return False
        affected = [each for each in self.used if mutation.affects(each.text)]
        everything = " ".join(self.introduction.sentences)
        return len(affected) == 1 and not re.search(rf"(?<!\w){re.escape(mutation.new)}(?!\w)", everything)

    def with_gold(self, claim: str, label: int, mutation: Mutation | None, rng: random.Random) -> BuiltClaim:
        """The claim with the sentences that decide it, and often with their neighbours."""
        numbers = {each.number for each in self.used}
        if rng.random() < 0.5:
            others = [n for n in range(len(self.introduction.sentences)) if n not in numbers]
            numbers.update(rng.sample(others, min(len(others), rng.randint(1, 3))))
        return BuiltClaim(claim, self._evidence(sorted(numbers), mutation), label)

    def with_rest(self, claim: str, mutation: Mutation, rng: random.Random) -> BuiltClaim | None:
        """The claim with what else the page says, or with one of the sentences that it needs."""
        about = content_terms(claim) - content_terms(self.introduction.title)
        decisive = next(each for each in self.used if mutation.affects(each.text))
        kept = {each.number for each in self.used if each is not decisive}
        cut: dict[int, str] = {}
        if mutation.affects(decisive.claim) and not mutation.affects(decisive.short) and rng.random() < _CUT:
            # The claim says what the last clause of its sentence says; without that clause, the sentence stays.
            kept.add(decisive.number)
            cut[decisive.number] = decisive.short
        shares = {
            n: len(about & content_terms(text)) / max(len(about), 1)
            for n, text in enumerate(self.introduction.sentences)
            if n not in {each.number for each in self.used} and not mutation.affects(text)
        }
        free = [n for n, share in shares.items() if share < _SAYS_IT]
        kept.update(rng.sample(free, min(len(free), rng.randint(0 if kept else 1, 3))))
        return BuiltClaim(claim, self._evidence(sorted(kept), None, cut), NOT_ENOUGH) if kept else None

    def with_sentence_dropped(
        self, claim: str, mutation: Mutation, rng: random.Random, *, false: bool
    ) -> BuiltClaim | None:
        """The claim with one of the two sentences that it needs: any, or the one that makes a false claim false."""
        gold = [sentence(self.introduction.title, each.number, each.text) for each in self.used]
        decisive = {each.id for each, used in zip(gold, self.used, strict=True) if mutation.affects(used.text)}
        left = drop_sentence(gold, rng, decisive if false else None)
        return self.paired(claim, left) if left else None

    def paired(self, claim: str, evidence: Sequence[Element]) -> BuiltClaim:
        """The claim with evidence that does not settle it."""
        return BuiltClaim(claim, evidence if self._titled else untitled(evidence), NOT_ENOUGH)

    def _evidence(
        self, numbers: Sequence[int], mutation: Mutation | None, cut: Mapping[int, str] = _NO_CUT
    ) -> list[Element]:
        texts = [(n, cut.get(n, self.introduction.sentences[n])) for n in numbers]
        used: list[Element] = [
            sentence(self.introduction.title, n, mutation.apply(text) if mutation else text) for n, text in texts
        ]
        return used if self._titled else untitled(used)


class UnsettledEvidence:
    """Finds evidence that does not settle a claim, in one of the ways that the option `sampling` names."""

    def __init__(self, ways: Mapping[str, float], sampler: NegativeSampler | None = None) -> None:
        self._ways = ways
        self._sampler = sampler

    def pair(
        self, page: _Page, claim: str, mutation: Mutation, rng: random.Random, *, false: bool
    ) -> BuiltClaim | None:
        """The claim beside such evidence; `false` says whether its page contradicts it."""
        way = pick_way(self._ways, rng)
        if way == "rest":
            return page.with_rest(claim, mutation, rng)
        if way == "removed_sentence":
            return page.with_sentence_dropped(claim, mutation, rng, false=false)
        assert self._sampler is not None
        look = self._sampler.nearest if way == "nearest" else self._sampler.from_any_page
        evidence = look(claim, page.introduction.title, [each.text for each in page.used], rng)
        return page.paired(claim, evidence) if evidence else None


def _one_per_sentence(sentences: Sequence[ClaimSentence]) -> list[ClaimSentence]:
    """The first form of each sentence: one sentence may make several claims."""
    return list({each.number: each for each in reversed(sentences)}.values())[::-1]


def make_claims(
    library: Library,
    titles: Sequence[str],
    *,
    seed: int,
    titled: float = 0.9,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
    held_out: frozenset[str] = frozenset(),
) -> Iterator[MutatedClaim]:
    """Claims of pages in random order; `sampling` weighs the ways to find evidence for NOT ENOUGH INFO.

    With `partly` claims are longer, and that share of false ones is shown only the sentence they get wrong.
    """
    ways = check_weights(sampling or SAMPLING, ("rest", "nearest", "random", "removed_sentence"), "sampling")
    titles = list(titles)
    rng = random_stream(seed, "mutated")
    rng.shuffle(titles)
    sampler = NegativeSampler(library, held_out) if ways.keys() & {"nearest", "random"} else None
    mutator = ClaimMutator(library, rng, titles, UnsettledEvidence(ways, sampler), partly)
    for title in titles:
        yield from mutator.make_claims(library.introduction(title), random_stream(seed, "mutated", title), titled)
