"""Reads a claim with names in the place of descriptions: "the city that hosted the 1936 Games" becomes "Berlin".

What a description stands for is found as a claim is checked: evidence is retrieved for it, the names there are
candidates, and each is stated in its place ("Berlin hosted the 1936 Games") and read by the verdict model. The best is
taken where the model is sure; otherwise the claim stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from veritab.decompose.description_ends import PERSON_NOUNS
from veritab.decompose.descriptions import Description, find_descriptions
from veritab.decompose.names import find_names
from veritab.models.pair_tokens import room_beside
from veritab.quantities import Date, parse_numbers
from veritab.reason.tables import TypedTable
from veritab.schema import (
    CELLS,
    Claim,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Label,
    ReadClaim,
    Table,
    WordChange,
)
from veritab.text import terms
from veritab.verify.calibrate import LABELS
from veritab.verify.compose import rank_pieces, render_pieces
from veritab.verify.evidence import DESCRIPTION
from veritab.verify.judge import compute_answer
from veritab.verify.model import PairScorer
from veritab.verify.name_kinds import (
    PageSummary,
    fits_kind,
    is_of_kind,
    is_of_one_kind,
    stands_under_another_kind,
    stands_under_own_kind,
)
from veritab.verify.render import PLACEHOLDERS

_MOST_HITS, _MOST_CANDIDATES = 10, 12
_MOST_READ = 200
_LONGEST_NAME = 60
_STEM = 5
_ROUNDS = 2
_LONGEST_ROW = 12
_MOST_IN_CELL = 3
_SHORTEST_SURNAME = 4
_MOST_ROWS = 40
_LEAST_SCORE, _LEAST_LEAD = 1.75, 0.1
_LEAD_OF_ONE = 2.0
"""By how much a name has to be ahead of every other where nothing says that there is only one."""
# What speaks for a candidate beside what the model reads, in units of its logits.
_UNDER_FITTING_HEADER, _IN_BEST_HIT, _OF_FITTING_KIND, _ELSEWHERE_IN_ROW = 1.5, 0.5, 1.0, -0.75
_WITHOUT_MODIFIER = -2.0
"""Of a role with a word before it, "chief conductor", which another conductor is not."""
_OF_NO_KNOWN_KIND = -1.5
"""Of a lake, a mountain or a planet the name or the page says what it is."""
_DATES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_REST_OF_CELL = re.compile(r"\s*(?:[,;(–—]| and ).*$")
_QUALIFIER = re.compile(r"\s*\([^)]*\)$")


class _Candidate(NamedTuple):
    """A name, the hit that has it, and what speaks for it before anybody reads."""

    name: str
    hit: Hit
    kind_prior: float
    header_prior: float

    @property
    def prior(self) -> float:
        return self.kind_prior + self.header_prior


@dataclass(frozen=True)
class DescriptionReader:
    """Finds the names of what claims describe."""

    page_of: Callable[[str], PageSummary | None]
    """What is known of the page of a name, if there is one."""
    model: PairScorer

    def read(self, claim: Claim, gather: Callable[[Claim], Evidence]) -> tuple[ReadClaim, tuple[Hit, ...]]:
        """The claim with the names that were found, and the hits that say them; `gather` finds evidence for a claim."""
        text = claim.text
        if not find_descriptions(text) or compute_answer(text, gather(claim)).answer is not None:
            return ReadClaim(claim), ()
        changes: list[WordChange] = []
        hits: list[Hit] = []
        tried: set[str] = set()
        # What two things have in common is found alone; what else is described comes after it.
        for _ in range(_ROUNDS):
            before = text
            # From the last on, so that those before stay where they are.
            for description in reversed(find_descriptions(text)):
                candidate = self._resolve(description, gather) if description.text not in tried else None
                tried.add(description.text)
                if candidate and candidate.name not in text:
                    span = description.start, description.end
                    read = description.reading.replace("{}", candidate.name)
                    changes.insert(0, WordChange(*span, text[slice(*span)], read))
                    hits.insert(0, replace(candidate.hit, by=DESCRIPTION))
                    text = description.substitute(candidate.name, text)
            if text == before:
                break
        return ReadClaim(replace(claim, text=text), tuple(changes)), tuple(hits)

    def _resolve(self, description: Description, gather: Callable[[Claim], Evidence]) -> _Candidate | None:
        query = description.text[:1].upper() + description.text[1:]
        evidence = gather(Claim("", query))
        computed = self._compute(description, evidence)
        if computed or description.is_ranked:
            return computed
        candidates = self._candidates(description, evidence)
        if not candidates:
            return None
        statements = [description.statement_for(candidate.name) for candidate in candidates]
        length = self.model.length
        room = room_beside(max(map(length, statements)), min(self.model.max_length, _MOST_READ))
        read = render_pieces(rank_pieces(query, replace(evidence, tables=())), (), room, length).text
        logits = self.model.logits([(statement, read) for statement in statements])
        scored = [(_margin(own) + each.prior, each) for own, each in zip(logits, candidates, strict=True)]
        scored.sort(key=lambda pair: -pair[0])
        (best, chosen), others = scored[0], scored[1:]
        rival = max((score for score, other in others if not _is_same(other.name, chosen.name)), default=-100.0)
        lead = _LEAD_OF_ONE if description.is_one_of_many else _LEAST_LEAD
        return chosen if best >= _LEAST_SCORE and best - rival >= lead else None

    def _compute(self, description: Description, evidence: Evidence) -> _Candidate | None:
        """The name that what is described is computed to hold of, where it is one only."""
        # "Greek is the country whose capital is Athens" has only words of one infobox, and is no statement to compute.
        if not description.is_ranked and description.statement == f"{{}} is {description.text}.":
            return None
        if description.is_ranked:
            candidates = self._named_rows(description, evidence)
        else:
            candidates = self._candidates(description, evidence)
        found = []
        for candidate in candidates:
            own = _of_page(candidate.hit.element.id.page, evidence) if description.is_ranked else evidence
            computed = compute_answer(description.statement_for(candidate.name), own)
            # What holds of a row may be said of the title of its table too, which is not meant.
            if computed.answer and any(candidate.name in line for line in computed.lines):
                found.append(candidate)
        first = max(found, key=lambda each: (len(each.name.split()), each.prior), default=None)
        return first if first and all(_is_same(each.name, first.name) for each in found) else None

    def _named_rows(self, description: Description, evidence: Evidence) -> list[_Candidate]:
        """What the rows of the tables are named after, of which one is ranked first."""
        found: dict[tuple[str, str], _Candidate] = {}
        own = set(terms(description.text))
        for table in evidence.tables:
            typed = TypedTable.of(table)
            if typed.key is None or typed.height > _MOST_ROWS:
                continue
            for row, name in enumerate(typed.columns[typed.key].texts):
                cell = typed.cell(row, typed.key)
                if cell and _may_be_name(name, own) and is_of_kind(name, description.head, self.page_of(name)):
                    hit = Hit(table.element(cell), 0.0, DESCRIPTION)
                    found.setdefault((name, table.id.page), _Candidate(name, hit, 0.0, 0.0))
        return list(found.values())[:_MOST_ROWS]

    def _candidates(self, description: Description, evidence: Evidence) -> list[_Candidate]:
        """The names in the best hits that may be of the kind described, each once."""
        head, own = description.head, set(terms(description.text))
        named = [terms(name) for name in find_names(description.text)]
        tables = {table.id: table for table in evidence.tables}
        found: dict[str, _Candidate] = {}
        for rank, hit in enumerate(evidence.hits[:_MOST_HITS]):
            elements = _row_of(hit.element, tables)
            if named and not _speak_of(elements, named):
                continue
            for element, short, header_prior in _names_in_row(elements, own, head):
                name = _full_name(short, evidence) if head in PERSON_NOUNS else short
                key = " ".join(terms(name))
                if _only_begins_sentence(name, element, evidence):
                    continue
                holder = replace(hit, element=element)
                if key in found:
                    if header_prior > found[key].header_prior:
                        found[key] = found[key]._replace(hit=holder, header_prior=header_prior)
                elif (
                    _may_be_name(name, own)
                    and not _holds_name(key, named)
                    and (header_prior or head == "year" or not name.isdigit())
                ):
                    page = self.page_of(name)
                    if is_of_kind(name, head, page) and not stands_under_another_kind(element, head):
                        fits = fits_kind(name, head, page) or stands_under_own_kind(element, head)
                        kind = _OF_FITTING_KIND if fits else _OF_NO_KNOWN_KIND * is_of_one_kind(head)
                        kind_prior = kind + _IN_BEST_HIT * (not rank)
                        kind_prior += _WITHOUT_MODIFIER * (not _have_words(elements, description.modifiers))
                        found[key] = _Candidate(name, holder, kind_prior, header_prior)
        return list(found.values())[:_MOST_CANDIDATES]


def _of_page(page: str, evidence: Evidence) -> Evidence:
    """What one page has of the evidence: of many rows each would be computed over every other table."""
    tables = tuple(table for table in evidence.tables if table.id.page == page)
    return replace(evidence, hits=tuple(hit for hit in evidence.hits if hit.element.id.page == page), tables=tables)


def _names_in_row(elements: Sequence[Element], wanted: set[str], head: str) -> Iterator[tuple[Element, str, float]]:
    """The names of a hit; of the rest of its row, those under a fitting header, and people."""
    first, *others = elements
    if head == "year":
        yield from ((first, year, 0.0) for year in _years_of(first))
        return
    yield from ((first, name, prior) for name, prior in _names_of(first, wanted))
    for other in others:
        for name, prior in _names_of(other, wanted):
            if prior or head in PERSON_NOUNS:
                yield other, name, prior or _ELSEWHERE_IN_ROW


def _full_name(name: str, evidence: Evidence) -> str:
    """The one name that ends in a surname, where the evidence has it: "Almaz Girma" for "Girma"."""
    if " " in name or len(name) < _SHORTEST_SURNAME or not name.isalpha():
        return name
    cells = (cell.text for table in evidence.tables for row in table.rows for cell in row)
    texts = (text for text in (*(each.text for each in evidence.elements), *cells) if f" {name}" in text)
    full = {each for text in texts for each in find_names(text) if each.endswith(f" {name}")}
    return full.pop() if len(full) == 1 else name


def _holds_name(key: str, named: Sequence[Sequence[str]]) -> bool:
    """Whether a name is one of the description with more words: "Dr Noemi Vartan" in "headed by Noemi Vartan"."""
    return any(len(name) > 1 and " ".join(name) in key for name in named)


def _only_begins_sentence(name: str, element: Element, evidence: Evidence) -> bool:
    """Whether a plural has a capital only because a sentence begins with it: "Runners gave 60,000", not "Athens"."""
    if element.kind in CELLS or " " in name or not name.endswith("s") or not element.text.startswith(name):
        return False
    return not any(f" {name}" in each.text or name in (each.text, each.id.page) for each in evidence.elements)


def _row_of(element: Element, tables: Mapping[ElementId, Table]) -> list[Element]:
    """A cell with the others of its row, itself first; any other element alone."""
    table = tables.get(element.id.table) if element.id.table and element.kind in CELLS else None
    if table is None or table.infobox:
        return [element]
    row = element.id.path[1]
    others = dict.fromkeys(table.cell_id((row, column)) for column in range(len(table.rows[row])))
    return [element, *(table.element(id) for id in others if id != element.id)][:_LONGEST_ROW]


def _margin(logits: Sequence[float]) -> float:
    """By how much SUPPORTS is ahead of the other labels."""
    by_label = dict(zip(LABELS, logits, strict=True))
    return float(by_label.pop(Label.SUPPORTS) - max(by_label.values()))


def _names_of(element: Element, wanted: set[str]) -> Iterator[tuple[str, float]]:
    """The names that an element holds and that of its page; what stands under a fitting header is likelier."""
    if element.kind is Kind.CELL:
        headers = " ".join(near.text for near in element.context if near.id.kind in CELLS)
        fits = not wanted.isdisjoint(set(terms(headers)) - set(terms(element.id.page)))
        for part in element.text.split(" and ")[:_MOST_IN_CELL]:
            yield _REST_OF_CELL.sub("", part).strip(" “”\"'"), _UNDER_FITTING_HEADER * fits
    elif element.kind not in CELLS:
        yield from ((name, 0.0) for name in find_names(element.text))
    if element.id.page not in PLACEHOLDERS:
        yield _QUALIFIER.sub("", element.id.page), 0.0
    # The first heading of a document is its title: "Mount Sorrel Observatory: Annual Bulletin".
    first = next((near.text for near in element.context if near.id.kind is Kind.SECTION), "")
    if ":" in first:
        yield first.partition(":")[0].strip(), 0.0


def _years_of(element: Element) -> list[str]:
    dates = (each for each in parse_numbers(element.text) if isinstance(each, Date))
    return [str(each.year) for each in dates if each.year]


def _speak_of(elements: Sequence[Element], names: Sequence[Sequence[str]]) -> bool:
    """Whether elements or what stands around them have one of these names, or a word made of it: "Austrian"."""
    around = (near.text for element in elements for near in element.context)
    texts = (text for element in elements for text in (element.id.page, element.text))
    known = {term[:_STEM] for text in (*around, *texts) for term in terms(text)}
    return any(known.issuperset(term[:_STEM] for term in name) for name in names)


def _have_words(elements: Sequence[Element], words: frozenset[str]) -> bool:
    """Whether elements or what stands around them have all of some words."""
    texts = (text for each in elements for text in (each.text, *(near.text for near in each.context)))
    return not words or words <= {term for text in texts for term in terms(text)}


def _may_be_name(name: str, described: set[str]) -> bool:
    """Whether a text is a name, and not one that the description holds."""
    own = terms(name)
    if not own or not (name[0].isupper() or name.isdigit()) or len(name) > _LONGEST_NAME or described.issuperset(own):
        return False
    return not all(word in _DATES or word.isdigit() for word in name.lower().split()) or name.isdigit()


def _is_same(one: str, other: str) -> bool:
    """Whether one name is part of the other: "Lord Byron" and "Byron"."""
    first, second = set(terms(one)), set(terms(other))
    return first <= second or second <= first
