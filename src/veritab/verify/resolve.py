"""Reads a claim with names in the place of descriptions: "the city that hosted the 1936 Games" becomes "Berlin".

What a description stands for is found as a claim is checked: evidence is retrieved for it, the names there are
candidates, and each is stated in its place ("Berlin hosted the 1936 Games") and read by the verdict model. The best is
taken where the model is sure; otherwise the claim stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from veritab.decompose.descriptions import (
    CITY_NOUNS,
    COUNTRY_NOUNS,
    PERSON_NOUNS,
    Description,
    find_descriptions,
    find_names,
)
from veritab.models.pair_tokens import room_beside
from veritab.quantities import Date, parse_numbers
from veritab.schema import CELLS, Claim, Element, Evidence, Hit, Kind, Label, Page, ReadClaim, WordChange
from veritab.text import terms
from veritab.verify.calibrate import LABELS
from veritab.verify.compose import rank_pieces, render_pieces
from veritab.verify.evidence import DESCRIPTION
from veritab.verify.model import PairScorer

_MOST_HITS, _MOST_CANDIDATES = 10, 12
_MOST_READ = 200
_LONGEST_NAME = 60
_STEM = 5
_LEAST, _LEAST_MARGIN = 1.5, 0.1
# What speaks for a candidate beside what the model reads, in units of its logits.
_UNDER_FITTING_HEADER, _IN_BEST_HIT, _OF_FITTING_KIND = 1.5, 0.5, 1.0
_MOUNTAINS = frozenset("mountain peak summit".split())
_DATES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_REST_OF_CELL = re.compile(r"\s*(?:[,;(–—]| and ).*$")
_QUALIFIER = re.compile(r"\s*\([^)]*\)$")


class _Candidate(NamedTuple):
    name: str
    hit: Hit
    prior: float


@dataclass(frozen=True)
class DescriptionReader:
    """Finds the names of what claims describe."""

    gather: Callable[[Claim], Evidence]
    """What is retrieved and selected for a claim."""
    page_of: Callable[[str], Page | None]
    """The page of a name, if there is one."""
    model: PairScorer

    def read(self, claim: Claim) -> tuple[ReadClaim, tuple[Hit, ...]]:
        """The claim with the names that were found, and the hits that say them."""
        text = claim.text
        changes: list[WordChange] = []
        hits: list[Hit] = []
        # From the last on, so that those before stay where they are.
        for description in reversed(find_descriptions(claim.text)):
            found = self._resolve(description)
            if found:
                written = claim.text[description.start : description.end]
                read = description.reading.replace("{}", found.name)
                changes.append(WordChange(description.start, description.end, written, read))
                hits.append(replace(found.hit, by=DESCRIPTION))
                text = description.put(found.name, text)
        return ReadClaim(replace(claim, text=text), tuple(reversed(changes))), tuple(reversed(hits))

    def _resolve(self, description: Description) -> _Candidate | None:
        query = description.text[:1].upper() + description.text[1:]
        evidence = self.gather(Claim("", query))
        candidates = list(self._candidates(description, evidence.hits))[:_MOST_CANDIDATES]
        if not candidates:
            return None
        statements = [description.state(candidate.name) for candidate in candidates]
        length = self.model.length
        room = room_beside(max(map(length, statements)), min(self.model.max_length, _MOST_READ))
        read = render_pieces(rank_pieces(query, replace(evidence, tables=())), (), room, length).text
        logits = self.model.logits([(statement, read) for statement in statements])
        scored = [(_margin(own) + each.prior, each) for own, each in zip(logits, candidates, strict=True)]
        scored.sort(key=lambda pair: -pair[0])
        (best, chosen), others = scored[0], scored[1:]
        rival = max((score for score, other in others if not _is_same(other.name, chosen.name)), default=-100.0)
        return chosen if best >= _LEAST and best - rival >= _LEAST_MARGIN else None

    def _candidates(self, description: Description, hits: Sequence[Hit]) -> Iterator[_Candidate]:
        """The names in the best hits that may be of the kind described, each once."""
        head, own = description.head, set(terms(description.text))
        named = [terms(name) for name in find_names(description.text)]
        known: set[str] = set()
        for rank, hit in enumerate(hits[:_MOST_HITS]):
            if named and not _speaks_of(hit.element, named):
                continue
            names = _years_of(hit.element) if head == "year" else _names_of(hit.element, own)
            for name, prior in names:
                key = " ".join(terms(name))
                if key in known or not _may_be_name(name, own):
                    continue
                known.add(key)
                page = self.page_of(name)
                if _is_of_kind(name, head, page):
                    fits = _OF_FITTING_KIND * _fits(name, head, page)
                    yield _Candidate(name, hit, prior + fits + _IN_BEST_HIT * (not rank))


def _margin(logits: Sequence[float]) -> float:
    """By how much SUPPORTS is ahead of the other labels."""
    by_label = dict(zip(LABELS, logits, strict=True))
    return float(by_label.pop(Label.SUPPORTS) - max(by_label.values()))


def _names_of(element: Element, wanted: set[str]) -> Iterator[tuple[str, float]]:
    """The names that an element holds and that of its page; what stands under a fitting header is likelier."""
    if element.kind is Kind.CELL:
        headers = " ".join(near.text for near in element.context if near.id.kind in CELLS)
        fits = not wanted.isdisjoint(set(terms(headers)) - set(terms(element.id.page)))
        yield _REST_OF_CELL.sub("", element.text).strip(), _UNDER_FITTING_HEADER * fits
    elif element.kind not in CELLS:
        yield from ((name, 0.0) for name in find_names(element.text))
    yield _QUALIFIER.sub("", element.id.page), 0.0


def _years_of(element: Element) -> Iterator[tuple[str, float]]:
    dates = (each for each in parse_numbers(element.text) if isinstance(each, Date) and each.year)
    return ((str(each.year), 0.0) for each in dates)


def _speaks_of(element: Element, names: Sequence[Sequence[str]]) -> bool:
    """Whether an element or what stands around it has one of these names, or a word made of it: "Austrian"."""
    around = " ".join(near.text for near in element.context)
    known = {term[:_STEM] for term in terms(f"{element.id.page} {around} {element.text}")}
    return any(known.issuperset(term[:_STEM] for term in name) for name in names)


def _may_be_name(name: str, described: set[str]) -> bool:
    """Whether a text is a name, and not one that the description holds."""
    own = terms(name)
    if not own or not (name[0].isupper() or name.isdigit()) or len(name) > _LONGEST_NAME or described.issuperset(own):
        return False
    return _DATES.isdisjoint(name.lower().split())


def _is_of_kind(name: str, head: str, page: Page | None) -> bool:
    """Whether a name may be that of a person, a place or a thing, as the description says."""
    if head in PERSON_NOUNS | CITY_NOUNS | COUNTRY_NOUNS and any(map(str.isdigit, name)):
        return False
    labels = _infobox_labels(page) if page else None
    if head in PERSON_NOUNS:
        return "born" in labels if labels else len(name.split()) > 1 and "of" not in name.split()
    if not labels:
        return True
    # A page with a capital is of a country, and one with a country of a town or a thing in it.
    other = "capital" if head in CITY_NOUNS else "country" if head in COUNTRY_NOUNS else "born"
    return labels.isdisjoint({"born", other})


def _fits(name: str, head: str, page: Page | None) -> bool:
    """Whether a name or the first sentence of its page has the noun of the description."""
    own = terms(name)
    noun = set(terms(head))
    if not noun.isdisjoint(own) or (head in _MOUNTAINS and own[0] == "mount"):
        return True
    first = next((each.text for each in page.elements if each.kind is Kind.SENTENCE), "") if page else ""
    return not noun.isdisjoint(terms(first))


def _infobox_labels(page: Page) -> frozenset[str]:
    """The names of the lines of a page's infobox."""
    infoboxes = (table for table in page.tables if table.infobox)
    return frozenset(row[0].text.lower() for table in infoboxes for row in table.rows if row)


def _is_same(one: str, other: str) -> bool:
    """Whether one name is part of the other: "Lord Byron" and "Byron"."""
    first, second = set(terms(one)), set(terms(other))
    return first <= second or second <= first
