"""Claims with evidence that does not settle them: NOT ENOUGH INFO by what was taken away.

`without` takes the deciding sentence, or the cells of a table, out of gold evidence; `nearest` takes other sentences of
the page that settles the claim. What no page of a corpus settles is in `build.unanswered`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from veritab.build.elements import find_element
from veritab.build.mutating.negations import NEGATION
from veritab.build.processes import in_batches
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, GivenClaim, LeftOut, earlier_origin
from veritab.build.sampling import content_terms, drop_cells, not_settling, random_stream, settled_by_any
from veritab.corpus import Corpus, open_corpus
from veritab.engine import Engine, ThisProcess
from veritab.errors import InputError, NotFound, nearest_name
from veritab.schema import CELLS, Claim, Element, ElementId, Example, Kind, Label, Page, Verdict
from veritab.text import words

_MOST_NEAREST = 3
_MOST_SENTENCES = 200
_FEWEST_WORDS = 4
_BROAD = re.compile(
    rf"{NEGATION.pattern}|\b(?:only|always|entire|ever)\b|\b(?:is|was|are|were) (?:[a-z]+ly )?[A-Z]?[a-z]+\.$",
    re.IGNORECASE,
)
"""What a sentence on something else may refute all the same: "does not work in film", "is German"."""
_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE})
_TABULAR = CELLS | {Kind.TABLE, Kind.TABLE_CAPTION}
_TIME = re.compile(r"\b(?:1\d{3}|20\d\d)(?:s\b|\b)|\bcentury\b")


class Unsettler:
    """Makes evidence that does not settle claims, of their gold evidence and the pages it is on."""

    def __init__(self, corpus: Corpus, *, seed: int = 0, ways: Iterable[str] = (), every: bool = False) -> None:
        """`every` makes a record of a claim by each way; else by one, so that no claim comes twice."""
        self._corpus, self._seed, self._every = corpus, seed, every
        self._ways = pick_ways(ways)
        self._element_of = partial(find_element, corpus)

    def unsettle(self, claims: Iterable[GivenClaim | LeftOut], source: str) -> Iterator[Built]:
        """The claims with evidence that does not settle them, by each way; what cannot be made is told."""
        for given in claims:
            if isinstance(given, LeftOut):
                yield given
            else:
                yield from self._unsettle(given, source)

    def _unsettle(self, given: GivenClaim, source: str) -> Iterator[Built]:
        example = given.example
        if reason := self._why_not(example):
            yield LeftOut(given.where, example.claim.id, reason)
            return
        names = list(self._ways)
        if not self._every:
            random_stream(self._seed, source, example.claim.id).shuffle(names)
        made = False
        for name in names:
            if made and not self._every:
                return
            rng = random_stream(self._seed, source, example.claim.id, name)
            found = self._ways[name](self, example, rng)
            if isinstance(found, str):
                yield LeftOut(given.where, example.claim.id, found, name)
                continue
            made = True
            origin = ClaimOrigin(source, example.claim.id, name, self._seed)
            yield BuiltRecord(
                f"{example.claim.id}-{name}",
                example.claim.text,
                Label.NOT_ENOUGH_INFO,
                origin,
                (tuple(sorted(found)),),
                silver=example.silver,
                details={"label": str(example.label), **earlier_origin(example)},
            )

    def _why_not(self, example: Example) -> str:
        if example.label is None:
            return "it has no label, so that nothing says what settles it"
        if example.label is Label.NOT_ENOUGH_INFO:
            return "it has not enough info already"
        if not any(example.evidence):
            return "it has no evidence with an address, so that nothing can be taken away"
        missing = next((id for gold in example.evidence for id in sorted(gold) if self._element_of(id) is None), None)
        return f"the corpus has no {str(missing)!r}; give the corpus that its evidence is of" if missing else ""

    # -- ways

    def without_deciding(self, example: Example, rng: random.Random) -> frozenset[ElementId] | str:
        """Gold evidence without its cells, or without the sentence that says most of the claim."""
        gold = min((sorted(each) for each in example.evidence), key=lambda each: (-len(each), each))
        if len(gold) < 2:
            return "its evidence is one piece, so that nothing would be left"
        elements = [element for id in gold if (element := self._element_of(id))]
        if len({id.table for id in gold if id.kind in _TABULAR}) == 1 and any(id.kind not in _TABULAR for id in gold):
            kept = drop_cells(elements)
        else:
            texts = [each for each in elements if each.kind in _TEXTS]
            if not texts:
                return "its evidence is the cells of tables alone"
            about = content_terms(example.claim.text)
            deciding = max(texts, key=lambda each: (len(about & content_terms(each.text)), str(each.id)))
            kept = [each for each in elements if each is not deciding]
        # What refutes one part of a claim refutes it, whatever was taken away of the rest.
        if example.label is Label.REFUTES and any(self._may_settle(example, each) for each in kept):
            return "what is left may refute it by itself"
        ids = frozenset(each.id for each in kept)
        if not ids or any(other <= ids for other in example.evidence):
            return "what is left is evidence enough"
        return ids

    def nearest(self, example: Example, rng: random.Random) -> frozenset[ElementId] | str:
        """Other sentences of the page that settles the claim, which say neither what it says nor what settles it."""
        gold_ids = {id for gold in example.evidence for id in gold}
        page = self._page(min(gold_ids, key=str).page)
        if page is None:
            return "the page of its evidence is gone"
        if settled_by_any(example.claim.text, page.title) or _BROAD.search(example.claim.text):
            return "it says so little that any sentence of its page may settle it"
        gold = [element.text for id in sorted(gold_ids) if (element := self._element_of(id))]
        others = [
            each
            for each in islice(page.elements, _MOST_SENTENCES)
            if each.kind is Kind.SENTENCE and each.id not in gold_ids and len(words(each.text)) >= _FEWEST_WORDS
        ]
        usable = [
            each
            for each in not_settling(example.claim.text, page.title, gold, others)
            if not (example.label is Label.REFUTES and _both_say_when(example.claim.text, each.text))
        ]
        if not usable:
            return "every other sentence of its page may settle it"
        chosen = rng.sample(usable, min(len(usable), rng.randint(1, _MOST_NEAREST)))
        return frozenset(each.id for each in chosen)

    def _page(self, title: str) -> Page | None:
        try:
            return self._corpus.page(title)
        except NotFound:
            return None

    @staticmethod
    def _may_settle(example: Example, element: Element) -> bool:
        """Whether a piece may refute a claim: by its words, by a time, or by cells, which nobody has read."""
        if element.id.kind in _TABULAR or _both_say_when(example.claim.text, element.text):
            return True
        return not not_settling(example.claim.text, element.id.page, (), [element])


def _both_say_when(claim: str, text: str) -> bool:
    """Whether both name a time: who had a debut in 1964 was not born in 2009."""
    return bool(_TIME.search(claim) and _TIME.search(text))


_WAYS: Mapping[str, Callable[[Unsettler, Example, random.Random], frozenset[ElementId] | str]] = {
    "without": Unsettler.without_deciding,
    "nearest": Unsettler.nearest,
}
WAYS = tuple(_WAYS)
"""The ways to make evidence that does not settle a claim."""


def pick_ways(
    names: Iterable[str],
) -> dict[str, Callable[[Unsettler, Example, random.Random], frozenset[ElementId] | str]]:
    """The ways of those names; all of them where none is named."""
    chosen = list(names) or list(_WAYS)
    for name in chosen:
        if name not in _WAYS:
            raise InputError(
                f"there is no way {name!r}; did you mean {nearest_name(name, _WAYS)!r}? All: {', '.join(_WAYS)}"
            )
    return {name: _WAYS[name] for name in _WAYS if name in chosen}


@dataclass(frozen=True)
class UnsettlingWork:
    """Makes evidence that does not settle one claim, of the corpus at a path, in whichever process that is."""

    corpus: Path | None
    source: str
    seed: int = 0
    ways: tuple[str, ...] = ()
    every: bool = False

    def __call__(self, given: GivenClaim | LeftOut) -> list[Built]:
        return list(_open_unsettler(self).unsettle([given], self.source))


@lru_cache(maxsize=1)
def _open_unsettler(work: UnsettlingWork) -> Unsettler:
    return Unsettler(open_corpus(work.corpus), seed=work.seed, ways=work.ways, every=work.every)


# -- asked of a judge --------------------------------------------------------------------------------------


class EvidenceJudge(Protocol):
    """What gives verdicts by given evidence: `veritab.Checker`."""

    def judge(self, pairs: Iterable[tuple[Claim, Sequence[Element]]]) -> list[Verdict]: ...


_TOGETHER = 32


def keep_unsettled(
    built: Iterable[Built],
    judge: EvidenceJudge,
    element_of: Callable[[ElementId], Element | None],
    engine: Engine | None = None,
) -> Iterator[Built]:
    """Those whose evidence does not settle them by the judge's reading either; the others are told as left out."""
    with_evidence = (
        [(each, _elements(each, element_of) if isinstance(each, BuiltRecord) else []) for each in some]
        for some in in_batches(built, _TOGETHER)
    )
    for some in (engine or ThisProcess()).map(partial(_judge_some, judge), with_evidence):
        yield from some


def _judge_some(judge: EvidenceJudge, some: list[tuple[Built, list[Element]]]) -> list[Built]:
    pairs = [(Claim(each.id, each.claim), elements) for each, elements in some if isinstance(each, BuiltRecord)]
    verdicts = iter(judge.judge(pairs))
    return [_judged(each, next(verdicts)) if isinstance(each, BuiltRecord) else each for each, _ in some]


def _elements(record: BuiltRecord, element_of: Callable[[ElementId], Element | None]) -> list[Element]:
    return [element for gold in record.evidence for id in gold if (element := element_of(id))]


def _judged(record: BuiltRecord, verdict: Verdict) -> Built:
    score = round(verdict.scores[verdict.label], 3)
    if verdict.label is not Label.NOT_ENOUGH_INFO:
        reason = f"the checker takes what is left as evidence enough ({verdict.label})"
        return LeftOut(f"record {record.origin.record}", record.origin.record, reason, record.origin.rule)
    return replace(record, details={**record.details, "checked": str(verdict.label), "score": score})
