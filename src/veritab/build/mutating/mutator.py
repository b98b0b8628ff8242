"""Claims made of claims, each with the label it implies: FEVER's six mutations and FEVEROUS's five, on any claim."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from veritab.build.elements import find_element
from veritab.build.kinds import CorpusKinds, name_of
from veritab.build.mutating.implications import IMPLICATIONS, MutatedText, Rule, SourceClaim
from veritab.build.mutating.mentions import find_mentions
from veritab.build.mutating.negations import denials, why_none
from veritab.build.mutating.rephrasing import rephrasings
from veritab.build.mutating.substitutions import substitute_dissimilar, substitute_similar
from veritab.build.mutating.value_changes import change_value, use_opposite
from veritab.build.mutating.widening import generalise, not_monotone, specify
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, GivenClaim, LeftOut, earlier_origin
from veritab.build.sampling import random_stream
from veritab.corpus import Corpus, open_corpus
from veritab.datasets import GoldText, gold_texts
from veritab.errors import InputError, nearest_name
from veritab.schema import ElementId, Example
from veritab.text import squeeze


def rephrase(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The same in other words."""
    mentioned = [each.name for each in find_mentions(source.text, source.kinds, source.pages)]
    for each in rephrasings(source.text, (*mentioned, *map(name_of, source.pages))):
        yield MutatedText(each.text, "same", {"by": each.by})


def negate(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A denial of it."""
    for each in denials(source.text):
        yield MutatedText(each.text, "denied" if each.whole else "denied in part", {"by": each.by})


RULES: Mapping[str, Rule] = {
    "rephrase": rephrase,
    "negate": negate,
    "similar": substitute_similar,
    "dissimilar": substitute_dissimilar,
    "value": change_value,
    "opposite": use_opposite,
    "general": generalise,
    "specific": specify,
}
"""The mutations by name. FEVER's six; FEVEROUS's five are the same without "dissimilar"."""
_WHY_NONE = {
    "rephrase": "none of the ways to say the same fits it",
    "similar": "it names nothing of which the corpus knows others of its kind",
    "dissimilar": "it names nothing of which the corpus knows another kind that could stand there",
    "value": "it has no number, year or date that stands alone",
    "opposite": "it has no word with a sure opposite",
    "general": "it has no year, place or subject that something wider is known for",
    "specific": "it names nothing of which the corpus says something narrower",
}


def pick_rules(names: Iterable[str]) -> dict[str, Rule]:
    """The rules of those names; all of them where none is named."""
    chosen = list(names) or list(RULES)
    for name in chosen:
        if name not in RULES:
            raise InputError(
                f"there is no mutation {name!r}; did you mean {nearest_name(name, RULES)!r}? All: {', '.join(RULES)}"
            )
    return {name: RULES[name] for name in RULES if name in chosen}


class Mutator:
    """Makes claims of claims over a corpus."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        seed: int = 0,
        rules: Iterable[str] = (),
        most: int = 1,
        with_sources: bool = False,
    ) -> None:
        """`most` is how many claims each rule makes of one; `with_sources` yields the claims themselves, too."""
        self._seed, self._most, self._with_sources = seed, most, with_sources
        self._rules = pick_rules(rules)
        self._kinds = CorpusKinds(corpus, seed)
        self._element_of = partial(find_element, corpus)

    def mutate(self, claims: Iterable[GivenClaim | LeftOut], source: str) -> Iterator[Built]:
        """The mutations of claims, in their order; what a rule cannot do with a claim is told."""
        for given in claims:
            if isinstance(given, LeftOut):
                yield given
            else:
                yield from self._mutate(given, source)

    def _mutate(self, given: GivenClaim, source: str) -> Iterator[Built]:
        example = given.example
        claim = SourceClaim(example.claim.text, example.evidence, self._kinds, self._element_of)
        gold = tuple(tuple(sorted(each)) for each in example.evidence)
        quotes = self._quotes_of(example)
        if self._with_sources:
            origin = ClaimOrigin(source, example.claim.id, "source", self._seed)
            details = earlier_origin(example)
            yield BuiltRecord(
                example.claim.id, claim.text, example.label, origin, gold, quotes, example.silver, details
            )
        made = {claim.text.casefold()}
        for name, rule in self._rules.items():
            rng = random_stream(self._seed, source, example.claim.id, name)
            found = _distinct(rule(claim, rng), made)
            chosen = rng.sample(found, self._most) if len(found) > self._most else found
            for number, each in enumerate(chosen, 1):
                made.add(each.text.casefold())
                yield self._record(example, each, name, number, source, gold, quotes)
            if not chosen:
                yield LeftOut(given.where, example.claim.id, self._why_none(name, claim.text), name)
        if len(made) == 1:
            yield LeftOut(given.where, example.claim.id, "no mutation fits it")

    def _record(
        self,
        example: Example,
        mutated: MutatedText,
        rule: str,
        number: int,
        source: str,
        gold: tuple[tuple[ElementId, ...], ...],
        quotes: tuple[GoldText, ...],
    ) -> BuiltRecord:
        implication = IMPLICATIONS[mutated.implication]
        label = implication.of(example.label)
        evidence = gold
        if mutated.more_evidence and gold:
            evidence = tuple(tuple(sorted({*each, *mutated.more_evidence})) for each in gold)
        if quotes:
            found = filter(None, map(self._element_of, mutated.more_evidence))
            quotes += tuple(GoldText(element.id.page, "", element.text) for element in found)
        details = {
            "claim": example.claim.text,
            "label": str(example.label) if example.label else "unknown",
            "implication": mutated.implication,
            **mutated.details,
            **earlier_origin(example),
        }
        id = f"{example.claim.id}-{rule}" + (f"-{number}" if self._most > 1 else "")
        origin = ClaimOrigin(source, example.claim.id, rule, self._seed)
        # Evidence that the rule added was found by it; nobody marked it for this claim.
        silver = example.silver or bool(mutated.more_evidence and (gold or quotes))
        return BuiltRecord(id, mutated.text, label, origin, evidence, quotes, silver, details)

    def _quotes_of(self, example: Example) -> tuple[GoldText, ...]:
        """What the record quotes as evidence, where the corpus has no set of it whole: else it would be lost."""
        if any(all(map(self._element_of, gold)) for gold in example.evidence):
            return ()
        return gold_texts(example)

    @staticmethod
    def _why_none(rule: str, claim: str) -> str:
        if rule == "negate":
            return why_none(claim)
        if rule in ("general", "specific") and (word := not_monotone(claim)):
            return f"with {word!r} in it, the wider does not follow from the narrower"
        return _WHY_NONE[rule]


def _distinct(found: Iterable[MutatedText], made: Collection[str]) -> list[MutatedText]:
    """Those that differ from what there is and from each other, whatever their white space and case."""
    kept: dict[str, MutatedText] = {}
    for each in found:
        text = squeeze(each.text)
        if text.casefold() not in made:
            kept.setdefault(text.casefold(), each._replace(text=text))
    return list(kept.values())


@dataclass(frozen=True)
class MutationWork:
    """Makes the mutations of one claim over the corpus at a path, in whichever process that is."""

    corpus: Path | None
    source: str
    seed: int = 0
    rules: tuple[str, ...] = ()
    most: int = 1
    with_sources: bool = False

    def __call__(self, given: GivenClaim | LeftOut) -> list[Built]:
        return list(_open_mutator(self).mutate([given], self.source))


@lru_cache(maxsize=1)
def _open_mutator(work: MutationWork) -> Mutator:
    """The mutator of this process, which reads the corpus once."""
    return Mutator(
        open_corpus(work.corpus), seed=work.seed, rules=work.rules, most=work.most, with_sources=work.with_sources
    )
