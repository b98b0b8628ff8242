"""The papers' own retrievers, by name, as their descriptions have them: what a better one must be better than.

| name | paper | what it finds |
|---|---|---|
| `drqa` | FEVER 4 | pages, by hashed unigrams and bigrams of title and prose (2^24 bins) |
| `drqa-passages` | FM2 4.1 | 100-word passages, each with its page's title (2^20 bins) |
| `drqa-sentences` | FEVER 5.4 | the best 5 sentences of given pages, by unigrams and bigrams |
| `unigram-sentences` | FEVER 5.4 | the same by unigrams alone |
| `feverous-pages` | FEVEROUS 4 | pages whose titles the claim names, then pages by TF-IDF over their introductions |
| `feverous-elements` | FEVEROUS 4 | the best 5 sentences and the best 3 tables of given pages |
| `feverous-baseline` | FEVEROUS 4 | both of these in one: 5 pages, 5 sentences, 3 tables |
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, TypeVar

from veritab.corpus.passages import as_passages
from veritab.corpus.store import Store
from veritab.errors import InputError, NotFound, StaleIndex, nearest_name
from veritab.papers.retrieval.tfidf import DRQA_BUCKETS, FM2_BUCKETS, HashedTfidf, similarities
from veritab.retrieve.entity_mentions import Detector
from veritab.schema import (
    Block,
    Claim,
    Element,
    ElementId,
    Hit,
    Kind,
    Page,
    Passage,
    Retriever,
    Section,
    Selector,
    Sentence,
)
from veritab.text import STOP_WORDS

PAGES = 5
SENTENCES = 5
TABLES = 3

_PROSE = (Kind.SENTENCE, Kind.PASSAGE)


# -- pages and passages over the whole corpus --------------------------------------------------------------


class TfidfPages:
    """Finds pages in a hashed TF-IDF index of their titles and texts."""

    def __init__(self, store: Store, index: HashedTfidf, by: str) -> None:
        self._store = store
        self._index = index
        self._by = by

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best pages for each claim, as hits on their titles."""
        return [
            [Hit(self._title(title), score, self._by) for title, score in found]
            for found in self._index.search([claim.text for claim in claims], k)
        ]

    def _title(self, title: str) -> Element:
        if self._store.resolve(title) != title:
            raise _stale(self._by)
        return _title_element(title)


class TfidfPassages:
    """Finds passages in a hashed TF-IDF index of passages, each read with its page's title."""

    def __init__(self, store: Store, index: HashedTfidf, by: str) -> None:
        self._store = store
        self._index = index
        self._by = by

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best passages for each claim."""
        pages: dict[str, Page] = {}
        return [
            [Hit(self._passage(ElementId.parse(id), pages), score, self._by) for id, score in found]
            for found in self._index.search([claim.text for claim in claims], k)
        ]

    def _passage(self, id: ElementId, pages: dict[str, Page]) -> Element:
        try:
            if id.page not in pages:
                pages[id.page] = in_passages(self._store.page(id.page))
            return pages[id.page].element(id)
        except NotFound:
            raise _stale(self._by) from None


def _title_element(title: str) -> Element:
    return Element(ElementId(title, Kind.TITLE), title)


def _stale(name: str) -> StaleIndex:
    return StaleIndex(f"the index of {name!r} was built from another corpus or an older state of it; build it again")


def prose(blocks: Iterable[Block]) -> str:
    """The running text among some blocks: DrQA reads no lists, tables or headings."""
    return " ".join(block.text for block in blocks if isinstance(block, Sentence | Passage))


def introduction(page: Page) -> str:
    """The running text above the first heading."""
    return prose(takewhile(lambda block: not isinstance(block, Section), page.blocks))


def in_passages(page: Page) -> Page:
    """The page as passages of 100 words; one that holds nothing else is left as it was cut."""
    if all(isinstance(block, Passage | Section) for block in page.blocks):
        return page
    return as_passages(page)


def _passage_documents(pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    for page in pages:
        for block in in_passages(page).blocks:
            if isinstance(block, Passage):
                yield str(ElementId(page.title, Kind.PASSAGE, (block.number,))), f"{page.title}\n{block.text}"


def _index(
    name: str,
    store: Store,
    documents: Callable[[Iterable[Page]], Iterable[tuple[str, str]]],
    pages: Iterable[Page] | None,
    index: HashedTfidf | None,
    buckets: int = DRQA_BUCKETS,
) -> HashedTfidf:
    """The given index if it belongs here, or else one built now."""
    corpus, revision = store.revision()
    made_from = f"{name} of corpus {corpus} at revision {revision}"
    if index is None:
        read = store.pages() if pages is None else pages
        return HashedTfidf.build(documents(read), buckets=buckets, made_from=made_from)
    if index.made_from != made_from:
        raise _stale(name)
    return index


# -- elements within a few pages ---------------------------------------------------------------------------


class TfidfElements:
    """Ranks the elements of the pages it is handed by their cosine with the claim."""

    def __init__(self, store: Store, kinds: Sequence[Kind], limit: int, *, longest: int, by: str) -> None:
        self._store = store
        self._kinds = frozenset(kinds)
        self._limit = limit
        self._longest = longest
        self._by = by

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """A page stands for all its elements of the right kinds, another hit for itself."""
        return [self._best(claim, found) for claim, found in zip(claims, hits, strict=True)]

    def _best(self, claim: Claim, hits: Sequence[Hit]) -> list[Hit]:
        texts = {each.id: (each, text) for hit in hits for each, text in self._texts(hit.element)}
        return rank(claim, list(texts.values()), longest=self._longest, by=self._by)[: self._limit]

    def _texts(self, element: Element) -> Iterator[tuple[Element, str]]:
        whole = element.kind is Kind.TITLE and Kind.TITLE not in self._kinds
        if not whole and element.kind not in self._kinds:
            return
        if not whole and element.kind is not Kind.TABLE:
            yield element, element.text
            return
        page = self._store.page(element.id.page)
        for each in page.elements if whole else (element,):
            if each.kind in self._kinds:
                yield each, element_text(page, each)


class Both:
    """Lets several selectors choose from the same hits and hands on what each has chosen, one after the other."""

    def __init__(self, *selectors: Selector) -> None:
        self._selectors = selectors

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """What the first chose, then what the second chose, and so on."""
        chosen = (selector.select(claims, hits) for selector in self._selectors)
        return [[hit for each in found for hit in each] for found in zip(*chosen, strict=True)]


def rank(claim: Claim, texts: Sequence[tuple[Element, str]], *, longest: int, by: str) -> list[Hit]:
    """Elements by the similarity of their texts to the claim, ties by id; those that share nothing are left out."""
    scores = similarities(claim.text, [text for _, text in texts], longest)
    hits = [Hit(element, score, by) for (element, _), score in zip(texts, scores, strict=True) if score > 0]
    return sorted(hits, key=lambda hit: (-hit.score, hit.element.id))


def element_text(page: Page, element: Element) -> str:
    """What an element says: for a table, its caption and all its cells."""
    if element.kind is not Kind.TABLE:
        return element.text
    table = page.table(element.id.path[0])
    return "\n".join((table.caption, *(cell.text for row in table.rows for cell in row)))


# -- FEVEROUS ----------------------------------------------------------------------------------------------


class EntityPages:
    """Finds the pages a claim names first, and fills up with pages by TF-IDF."""

    def __init__(self, store: Store, others: Retriever, matcher: Detector, by: str = "feverous-entity") -> None:
        self._store = store
        self._others = others
        self._matcher = matcher
        self._by = by

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """At most k pages for each claim, as hits on their titles."""
        return [
            self._merge(self._named(claim), others)[:k]
            for claim, others in zip(claims, self._others.retrieve(claims, k), strict=True)
        ]

    def _named(self, claim: Claim) -> list[str]:
        found = (self._store.resolve(name) for name in self._matcher(claim.text))
        return list(dict.fromkeys(title for title in found if title))

    def _merge(self, named: Sequence[str], others: Sequence[Hit]) -> list[Hit]:
        """Named pages before all others, those that TF-IDF finds too before the rest; scores keep that order."""
        scores = {hit.element.id.page: hit.score for hit in others}
        above = max(scores.values(), default=0.0) + 1
        hits = [Hit(_title_element(title), above + scores.get(title, 0.0), self._by) for title in named]
        hits.sort(key=lambda hit: -hit.score)  # stable: the rest stay in the order of the claim
        return hits + [hit for hit in others if hit.element.id.page not in named]


class Chain:
    """A retriever of pages and a selector of their elements, as one retriever of elements."""

    def __init__(self, pages: Retriever, select: Selector, number: int = PAGES) -> None:
        self._pages = pages
        self._select = select
        self._number = number

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """At most k of the elements selected from the best `number` pages."""
        if k < 1:
            raise InputError(f"cannot find the best {k} elements; ask for 1 or more")
        return [hits[:k] for hits in self._select.select(claims, self._pages.retrieve(claims, self._number))]


_WORD = re.compile(r"[^\W_](?:[\w'’.&/-]*[\w)])?")
_LONGEST_NAME = 8


class CapitalisedTitles:
    """A matcher that needs no model: the longest stretches of a claim, from capital to capital, that are titles.

    A number may stand for a capital, as in "2014 FIFA World Cup". What stands inside a name found is not looked at.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, text: str) -> list[str]:
        spans = [match.span() for match in _WORD.finditer(text)]
        found: dict[str, None] = {}
        resolved: dict[str, str | None] = {}
        at = 0
        while at < len(spans):
            step = 1
            for length, name in _names(text, spans[at : at + _LONGEST_NAME]):
                if name not in resolved:
                    resolved[name] = self._store.resolve(name)
                if title := resolved[name]:
                    found[title] = None
                    step = length
                    break
            at += step
        return list(found)


def _names(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """What could be a name from the first word on, with its length in words, longest first."""
    begin = spans[0][0]
    if not _may_begin_a_name(text[begin]):
        return
    for length in range(len(spans), 0, -1):
        start, end = spans[length - 1]
        if _may_begin_a_name(text[start]) and text[begin:end].lower() not in STOP_WORDS:
            yield length, text[begin:end]


def _may_begin_a_name(character: str) -> bool:
    # Scripts without capitals have letters that are neither upper nor lower case.
    return character.isdigit() or not character.islower()


# -- by name -----------------------------------------------------------------------------------------------


def drqa(store: Store, *, pages: Iterable[Page] | None = None, index: HashedTfidf | None = None) -> TfidfPages:
    """FEVER's document retrieval: DrQA over titles and prose."""

    def documents(read: Iterable[Page]) -> Iterator[tuple[str, str]]:
        return ((page.title, f"{page.title}\n{prose(page.blocks)}") for page in read)

    return TfidfPages(store, _index("drqa", store, documents, pages, index), "drqa")


def drqa_passages(
    store: Store, *, pages: Iterable[Page] | None = None, index: HashedTfidf | None = None
) -> TfidfPassages:
    """Fool Me Twice's sparse baseline: DrQA over passages of 100 words with their titles."""
    made = _index("drqa-passages", store, _passage_documents, pages, index, FM2_BUCKETS)
    return TfidfPassages(store, made, "drqa-passages")


def drqa_sentences(store: Store, *, limit: int = SENTENCES) -> TfidfElements:
    """FEVER's better sentence selection: unigrams and bigrams."""
    return TfidfElements(store, _PROSE, limit, longest=2, by="drqa-sentences")


def unigram_sentences(store: Store, *, limit: int = SENTENCES) -> TfidfElements:
    """FEVER's plain sentence selection: unigrams."""
    return TfidfElements(store, _PROSE, limit, longest=1, by="unigram-sentences")


def feverous_pages(
    store: Store,
    *,
    pages: Iterable[Page] | None = None,
    index: HashedTfidf | None = None,
    matcher: Detector | None = None,
) -> EntityPages:
    """FEVEROUS's page retrieval: the pages a claim names, then TF-IDF over titles and introductions."""

    def documents(read: Iterable[Page]) -> Iterator[tuple[str, str]]:
        return ((page.title, f"{page.title}\n{introduction(page)}") for page in read)

    others = TfidfPages(store, _index("feverous-pages", store, documents, pages, index), "feverous-tfidf")
    return EntityPages(store, others, matcher or CapitalisedTitles(store))


def feverous_elements(store: Store, *, sentences: int = SENTENCES, tables: int = TABLES) -> Both:
    """FEVEROUS's selection: sentences first, then tables, scored apart from each other."""
    return Both(
        TfidfElements(store, _PROSE, sentences, longest=2, by="feverous-sentences"),
        TfidfElements(store, (Kind.TABLE,), tables, longest=2, by="feverous-tables"),
    )


def feverous_baseline(
    store: Store,
    *,
    pages: Iterable[Page] | None = None,
    index: HashedTfidf | None = None,
    matcher: Detector | None = None,
) -> Chain:
    """FEVEROUS's whole retriever: 5 pages, then 5 sentences and 3 tables of theirs."""
    found = feverous_pages(store, pages=pages, index=index, matcher=matcher)
    return Chain(found, feverous_elements(store))


RETRIEVERS: Mapping[str, Callable[..., Retriever]] = MappingProxyType(
    {
        "drqa": drqa,
        "drqa-passages": drqa_passages,
        "feverous-pages": feverous_pages,
        "feverous-baseline": feverous_baseline,
    }
)
SELECTORS: Mapping[str, Callable[..., Selector]] = MappingProxyType(
    {
        "drqa-sentences": drqa_sentences,
        "unigram-sentences": unigram_sentences,
        "feverous-elements": feverous_elements,
    }
)


def retriever(name: str, store: Store, **options: Any) -> Retriever:
    """The retriever of that name over a corpus; options are the keywords of its constructor.

    Building reads every page once: pass `pages`, the store's own with a progress bar around them, to watch it.
    """
    return _known("retriever", name, RETRIEVERS, options)(store, **options)


def selector(name: str, store: Store, **options: Any) -> Selector:
    """The selector of that name over a corpus; options are the keywords of its constructor."""
    return _known("selector", name, SELECTORS, options)(store, **options)


_Made = TypeVar("_Made")


def _known(
    what: str, name: str, configurations: Mapping[str, Callable[..., _Made]], options: Mapping[str, Any]
) -> Callable[..., _Made]:
    """The constructor of that name, once it is certain that it takes these options."""
    if name not in configurations:
        raise _unknown(what, name, configurations)
    constructor = configurations[name]
    keywords = list(inspect.signature(constructor).parameters)[1:]
    for option in options:
        if option not in keywords:
            raise _unknown(f"option of {name!r}", option, keywords)
    return constructor


def _unknown(what: str, name: str, known: Iterable[str]) -> InputError:
    near = nearest_name(name, known)
    return InputError(f"{name!r} is no {what}; did you mean {near!r}? Known are {', '.join(known)}")
