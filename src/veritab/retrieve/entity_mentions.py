"""A claim says names: which stretches of its words stand for which pages, without any model.

Every stretch of words is looked up among titles, redirects and the words of links. Longer names win over names inside
them, capital letters suggest a name, and what links usually mean by a name counts. Misspelt names are compared
with the titles that share most of their words.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log
from typing import Any, NamedTuple

from rapidfuzz import fuzz
from tantivy import Occur, Query

from veritab.errors import InputError, MissingExtra, NotFound
from veritab.retrieve.index import Index
from veritab.retrieve.name_index import NameSource, NameSpan, NameTarget, key, qualifier
from veritab.retrieve.spelling import (
    MOST_WORDS,
    change_word,
    change_words,
    choose_clear,
    find_near_words,
    find_unknown,
)
from veritab.schema import Page
from veritab.text import STOP_TERMS, STOP_WORDS, Token, content_terms, nfc, printable, terms, tokenize_for_index, words

# "Mary" stands for hundreds of pages; of so many, only those whose qualifier the claim repeats are looked at.
_MOST_NAMESAKES = 20
_ALIKE = 80
_SIMILAR = 15
_LONGEST_WORD = 20
# Together, the near words of a misspelt one count about as much as one word that is right.
_NEAR_WEIGHT = 0.5

Detector = Callable[[str], Sequence[str]]
"""Finds names in a text and returns them as written: a spaCy model, for instance."""


class TitleTerms(NamedTuple):
    """A title by its words: without its qualifier, the qualifier, and whether that stood in parentheses."""

    short: frozenset[str]
    extra: frozenset[str]
    in_parentheses: bool
    last_word: str


@lru_cache(100_000)
def title_terms(title: str) -> TitleTerms:
    """A title as it is compared with claims."""
    short, extra = qualifier(title)
    ending = key(short).rsplit(" ", 1)
    return TitleTerms(
        frozenset(terms(short)),
        frozenset(terms(extra)),
        "(" in title[len(short) :],
        ending[-1] if len(ending) > 1 and not extra else "",
    )


class ClaimQuery:
    """A claim as retrieval sees it: its words, what each weighs in this corpus, and the names among them."""

    def __init__(self, text: str, index: Index) -> None:
        self.text = nfc(printable(text[: MOST_WORDS * _LONGEST_WORD]))
        self.words = tokenize_for_index(self.text)[:MOST_WORDS]
        self.spans = index.names.spans(self.words)
        self.boosts: dict[str, float] = {}
        """The near words of a misspelt one, with what each counts."""
        near = self._respell(index)
        short = self.text[: self.words[-1].end] if self.words else ""
        self.terms = [each for term in content_terms(short) for each in near.get(term, (term,))]
        self.said = frozenset((*terms(short), *self.boosts))
        self.index = index
        self._weights: dict[str, float] = {}
        self._pages: dict[str, Page] = {}
        self.total = sum(map(self.weight, self.terms)) or 1.0
        if STOP_TERMS.issuperset(self.terms) and not any(self.proper(span) for span in self.spans):
            self.terms = []  # small words alone ask for nothing, unless they are a name
        self.length = log(len(self.terms) + 1)

    def weight(self, term: str) -> float:
        """What a term weighs: rare words more than common ones."""
        known = self._weights.get(term)
        if known is None:
            size, frequency = len(self.index.pages) + 1, self.index.pages.frequency("body", term)
            known = log(size / (1 + frequency)) if frequency < size else 0.0
            known = self._weights[term] = known * self.boosts.get(term, 1.0)
        return known

    def _respell(self, index: Index) -> dict[str, tuple[str, ...]]:
        """Put right what is clearly misspelt; the near terms of other misspelt words, by their terms."""
        changes = []
        unknown = find_unknown(self.words, self.spans, index)
        clear = choose_clear(self.words, unknown, index)
        near: dict[str, tuple[str, ...]] = {}
        for place in unknown:
            word = self.words[place]
            if place in clear:
                changes.append(change_word(word, clear[place].word))
            elif found := [each.term for each in find_near_words(word.lower, index)]:
                near.update(dict.fromkeys(terms(word.lower), tuple(found)))
                self.boosts |= dict.fromkeys(found, _NEAR_WEIGHT)
        if changes:
            self.text = change_words(self.text, changes)
            self.words = tokenize_for_index(self.text)[:MOST_WORDS]
            self.spans = index.names.spans(self.words)
        return near

    def unexplained(self, title: str) -> dict[str, float]:
        """What of the claim the title of a page does not already say, by weight."""
        short, extra, *_ = title_terms(title)
        return {term: self.weight(term) for term in self.terms if term not in short and term not in extra}

    def page(self, title: str) -> Page:
        """A page of the corpus; each is read once for a claim. One that is gone since the index was built is empty."""
        if title not in self._pages:
            try:
                self._pages[title] = self.index.store.page(title)
            except NotFound:
                self._pages[title] = Page(title)
        return self._pages[title]

    def proper(self, span: NameSpan) -> float:
        """How much of a name is written as one: the share of its words, small ones apart, that begin with a capital."""
        inside = self.words[span.first : span.last]
        content = [word for word in inside if word.lower not in STOP_WORDS]
        if not content:
            return float(inside[0].is_proper and len(inside) > 1)
        return sum(word.is_proper for word in content) / len(content)

    def is_inside(self, span: NameSpan) -> bool:
        """Whether a name is part of a longer one."""
        return any(_within(span, other) and self.words[other.first].is_proper for other in self.spans)

    def surface(self, span: NameSpan) -> str:
        return self.text[self.words[span.first].start : self.words[span.last - 1].end]

    def lone_names(self) -> list[str]:
        """Capitalised words that are no part of a longer name: a surname, often."""
        return [self.words[position].lower for position in self.lone_positions()]

    def lone_positions(self) -> list[int]:
        """Where capitalised words stand that are no part of a longer name."""
        covered = self.covered()
        return [
            position
            for position, word in enumerate(self.words)
            if position not in covered and word.is_proper and len(word.lower) > 2 and _is_name(word)
        ]

    def covered(self) -> set[int]:
        """The words that are part of a name of several words."""
        return {
            position
            for span in self.spans
            if span.last - span.first > 1 and self.words[span.first].is_proper
            for position in range(span.first, span.last)
        }


def _within(span: NameSpan, other: NameSpan) -> bool:
    longer = other.last - other.first > span.last - span.first
    return longer and other.first <= span.first and span.last <= other.last


def _is_name(word: Token) -> bool:
    return word.lower not in STOP_WORDS and not word.lower.isdigit()


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A name in a claim and a page it may stand for; `share` is how often links by that name mean that page."""

    span: NameSpan
    title: str
    how: NameSource
    share: float = 1.0


def find_mentions(query: ClaimQuery) -> list[EntityMention]:
    """The pages that the names in a claim may stand for."""
    store = query.index.store
    indirect = {
        m.target for found in query.spans.values() for m in found if m.how in (NameSource.REDIRECT, NameSource.ANCHOR)
    }
    resolved = store.resolve_all(indirect) if indirect else {}
    found = []
    for span, targets in query.spans.items():
        linked = sum(m.times for m in targets if m.how is NameSource.ANCHOR)
        for target in plausible_targets(targets, query.said):
            title = resolved.get(target.target) if target.target in indirect else target.target
            if title:
                share = target.times / linked if target.how is NameSource.ANCHOR else 1.0
                found.append(EntityMention(span, title, target.how, share))
    return found


def plausible_targets(targets: list[NameTarget], said: Set[str], most: int = _MOST_NAMESAKES) -> Iterator[NameTarget]:
    """What a name may stand for; of more namesakes than `most`, those whose qualifier is said."""
    many = sum(target.how is NameSource.UNQUALIFIED for target in targets) > most
    for target in targets:
        if not (many and target.how is NameSource.UNQUALIFIED) or title_terms(target.target).extra & said:
            yield target


def longest_mentions(query: ClaimQuery) -> list[EntityMention]:
    """One page for each name of a claim: the longest names, each by its most likely page."""
    best: dict[NameSpan, EntityMention] = {}
    for mention in find_mentions(query):
        if query.proper(mention.span) < 0.5 or query.is_inside(mention.span):
            continue
        other = best.get(mention.span)
        if other is None or _likelihood(mention, query) > _likelihood(other, query):
            best[mention.span] = mention
    return [best[span] for span in sorted(best)]


def _likelihood(mention: EntityMention, query: ClaimQuery) -> tuple[float, ...]:
    order = (NameSource.TITLE, NameSource.REDIRECT, NameSource.ANCHOR, NameSource.UNQUALIFIED, NameSource.SIMILAR)
    extra = title_terms(mention.title).extra
    repeated = len(extra & query.said) / len(extra) if extra else 0.0
    # A namesake whose qualifier the claim repeats is meant rather than the page with the plain title.
    return repeated, mention.share, -order.index(mention.how)


def find_misspelt(query: ClaimQuery) -> list[EntityMention]:
    """Pages whose title is almost what capitalised words say; `share` is how alike they are."""
    found = []
    for first, last in _unknown_runs(query):
        written = " ".join(word.lower for word in query.words[first:last])
        alone = last - first == 1
        similar = _similar_titles(query, first, last)
        for title in _famous(similar, written, query) if alone else similar:
            name = key(qualifier(title)[0])
            # A word alone is a surname as often as a title.
            alike = fuzz.ratio(name.rsplit(" ", 1)[-1] if alone else name, written)
            if alike >= _ALIKE:
                found.append(
                    EntityMention(NameSpan(first, last, written), title, NameSource.SIMILAR, (alike - 70) / 30)
                )
    return found


def _unknown_runs(query: ClaimQuery) -> Iterator[tuple[int, int]]:
    """Runs of two to six capitalised words that are not covered by known names, and unknown words."""
    covered = query.covered()
    for position in query.lone_positions():
        word = query.words[position].lower
        if len(word) > 4 and not any(map(partial(query.index.pages.frequency, "body"), terms(word))):
            yield position, position + 1
    for first, last in _runs(query):
        if query.words[first].lower in STOP_WORDS:
            first += 1
        if 2 <= last - first <= 6 and not covered.issuperset(range(first, last)):
            yield first, last


def _runs(query: ClaimQuery) -> Iterator[tuple[int, int]]:
    first = 0
    words = query.words
    while first < len(words):
        last = first
        while last < len(words) and words[last].is_proper and not words[last].lower.isdigit():
            if last > first and query.text[words[last - 1].end : words[last].start].strip() not in (
                "",
                "-",
                "'",
                ".",
            ):
                break
            last += 1
        if last > first:
            yield first, last
        first = max(last, first + 1)


def _similar_titles(query: ClaimQuery, first: int, last: int) -> Iterable[str]:
    pages = query.index.pages
    clauses = []
    for term in terms(query.text[query.words[first].start : query.words[last - 1].end]):
        clauses.append(Query.term_query(pages.schema, "title", term, "freq"))
        if len(term) > 3:
            near = Query.fuzzy_term_query(pages.schema, "title", term, 1 if len(term) < 8 else 2)
            clauses.append(Query.const_score_query(near, 4.0))
    if not clauses:
        return ()
    found = pages.matching(Query.boolean_query([(Occur.Should, clause) for clause in clauses]), _SIMILAR)
    return query.index.store.titles_by_number(entry.page for entry in found).values()


def _famous(titles: Iterable[str], written: str, query: ClaimQuery) -> Iterable[str]:
    """The longest pages that have in their title what an unknown word may be a misspelling of."""
    near = {word for title in titles for word in words(title) if fuzz.ratio(word, written) >= _ALIKE}
    hits = [hit for word in sorted(near) for term in terms(word) for hit in query.index.pages.largest(term, "title", 5)]
    return query.index.store.titles_by_number(hit.page for hit in hits).values()


def link_names(names: Iterable[str], index: Index) -> list[str]:
    """The pages that detected names stand for, the most likely page of each."""
    found = []
    for name in names:
        query = ClaimQuery(name, index)
        whole = [mention for mention in find_mentions(query) if mention.span.key == key(name)]
        if whole:
            found.append(max(whole, key=lambda mention: _likelihood(mention, query)).title)
    return list(dict.fromkeys(found))


def spacy_mentions(model: str = "en_core_web_sm") -> Detector:
    """The entities that a spaCy model sees in a text, as FEVEROUS found them."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise MissingExtra("finding entities with spaCy", "spacy") from None
    try:
        pipeline: Callable[[str], Any] = spacy.load(model)
    except OSError:
        raise InputError(f"spaCy has no model {model!r}; install it with: python -m spacy download {model}") from None

    def mentions(text: str) -> list[str]:
        return [entity.text for entity in pipeline(text).ents]

    return mentions
