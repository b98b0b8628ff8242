"""What is drawn by lot: what claims are written about, what is asked of them, and how many answers a task gets.

Every function takes the `random.Random` it draws with: the same seed and the same pages give the same result.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from random import Random
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from veritab.errors import InputError, NotFound
from veritab.schema import Element, ElementId, Kind, Page, Section, Sentence, TableBlock
from veritab.studio.vocabulary import (
    FEVEROUS_MUTATION_SHARES,
    ClaimType,
    HighlightKind,
    MutationType,
    PageRule,
    PrescribedTruth,
    TaskKind,
)
from veritab.text import words

SENTENCES_TOGETHER = 4
FEWEST_WORDS = 5
FEWEST_ROWS = 5
MOST_ROWS = 50
_ONE_IN = 3
"""Of so many highlights, one is of sentences and the others are tables."""

_T = TypeVar("_T")


class _Reservoir(Generic[_T]):
    """A random sample of a stream of unknown length, each of its things equally likely to be kept."""

    def __init__(self, size: int, rng: Random) -> None:
        self.kept: list[_T] = []
        self.seen = 0
        self._size = size
        self._rng = rng

    def add(self, thing: _T) -> None:
        self.seen += 1
        if len(self.kept) < self._size:
            self.kept.append(thing)
        elif (place := self._rng.randrange(self.seen)) < self._size:
            self.kept[place] = thing

    def draw(self, count: int) -> list[_T]:
        """Some of what was kept, without repetition, in random order."""
        return self._rng.sample(self.kept, count)


# -- highlights (FEVEROUS) ---------------------------------------------------------------------------------


class Highlight(NamedTuple):
    """What claims are written about: four sentences in a row, or a table."""

    page: str
    kind: HighlightKind
    elements: tuple[ElementId, ...]


def sentence_highlights(page: Page) -> list[Highlight]:
    """Every four consecutive sentences with no heading, list, table or short sentence between them."""
    found, run = [], list[ElementId]()
    for block in page.blocks:
        if type(block) is Sentence and len(words(block.text)) >= FEWEST_WORDS:
            run.append(ElementId(page.title, Kind.SENTENCE, (block.number,)))
        else:
            run = []
        if len(run) >= SENTENCES_TOGETHER:
            found.append(Highlight(page.title, HighlightKind.SENTENCES, tuple(run[-SENTENCES_TOGETHER:])))
    return found


def table_highlights(page: Page) -> list[Highlight]:
    """Every table, infoboxes too, of 5 to 50 rows; rows without any text, such as those of pictures, do not count."""
    return [
        Highlight(page.title, HighlightKind.TABLE, (ElementId(page.title, Kind.TABLE, (block.number,)),))
        for block in page.blocks
        if type(block) is TableBlock and FEWEST_ROWS <= _count_rows(block) <= MOST_ROWS
    ]


def _count_rows(table: TableBlock) -> int:
    return sum(any(cell.text for cell in row) for row in table.rows)


_Offer: TypeAlias = tuple[Highlight | None, Highlight | None]
"""One highlight of each kind that a page has: sentences, table."""


def draw_highlights(pages: Iterable[Page], count: int, rng: Random) -> list[Highlight]:
    """So many highlights in random order, one a page, sentences to tables as 1 to 2 wherever the pages allow.

    The ratio holds over all highlights and over the pages that have both kinds; where that cannot be had together, it
    holds over all. Where one kind runs out, the other fills up; where pages run out, there are fewer highlights. The
    pages are read once, and no more than three times `count` offers are kept.
    """
    text_only, table_only, both = (_Reservoir[_Offer](count, rng) for _ in range(3))
    for page in pages:
        sentences, tables = sentence_highlights(page), table_highlights(page)
        offer = (rng.choice(sentences) if sentences else None, rng.choice(tables) if tables else None)
        if sentences or tables:
            (both if sentences and tables else text_only if sentences else table_only).add(offer)
    plan = _plan(count, text_only.seen, table_only.seen, both.seen, rng)
    of_both = both.draw(plan.both_sentences + plan.both_tables)
    chosen = [sentences for sentences, _ in text_only.draw(plan.text_only) + of_both[: plan.both_sentences]]
    chosen += [table for _, table in table_only.draw(plan.table_only) + of_both[plan.both_sentences :]]
    rng.shuffle(chosen)
    return [highlight for highlight in chosen if highlight]


class _Plan(NamedTuple):
    """How many highlights come from which pages: those with one kind only, those with both."""

    text_only: int
    table_only: int
    both_sentences: int
    both_tables: int


def _plan(count: int, text_only: int, table_only: int, both: int, rng: Random) -> _Plan:
    """How to share out `count` highlights over the pages that there are of each sort."""
    pages = text_only + table_only + both
    count = min(count, pages)
    if not count:
        return _Plan(0, 0, 0, 0)
    sentences = _round(count / _ONE_IN, rng)
    sentences = min(max(sentences, count - table_only - both), text_only + both)
    tables = count - sentences
    # What pages with one kind cannot give, those with both must. They give more than that: as much as is their part of
    # all pages, and so much that sentences to tables is 1 to 2 among them as well.
    needed_sentences, needed_tables = max(0, sentences - text_only), max(0, tables - table_only)
    for_ratio = max(needed_sentences * _ONE_IN, needed_tables * _ONE_IN / (_ONE_IN - 1))
    used = min(both, max(_round(count * both / pages, rng), math.ceil(for_ratio), needed_sentences + needed_tables))
    both_sentences = max(_round(used / _ONE_IN, rng), needed_sentences)
    both_sentences = min(both_sentences, sentences, used - needed_tables)
    both_tables = min(used - both_sentences, tables)
    return _Plan(sentences - both_sentences, tables - both_tables, both_sentences, both_tables)


def _round(number: float, rng: Random) -> int:
    """Up or down by lot, so that the mean is the number itself."""
    return math.floor(number + rng.random())


# -- source sentences (FEVER) ------------------------------------------------------------------------------

SENTENCES_AROUND = 5
"""How many neighbours on each side are the context of a source sentence."""


class DictionaryEntry(NamedTuple):
    """What the first sentence of a linked page says about a term."""

    term: str
    sentence: Element


class SourceSentence(NamedTuple):
    """A sentence that claims are written about, the sentences around it, and the dictionary of its links."""

    sentence: Element
    before: tuple[Element, ...]
    after: tuple[Element, ...]
    dictionary: tuple[DictionaryEntry, ...]


def introduction(page: Page) -> list[ElementId]:
    """The sentences of a page before its first section; a heading that only repeats the title begins none."""
    return [ElementId(page.title, Kind.SENTENCE, (sentence.number,)) for sentence in _introduction(page)]


def _introduction(page: Page) -> Iterator[Sentence]:
    for block in page.blocks:
        if type(block) is Section and not page.is_called_by(block):
            return
        if type(block) is Sentence and words(block.text):
            yield block


def draw_source_sentences(pages: Iterable[Page], count: int, rng: Random) -> list[ElementId]:
    """So many sentences of introductions in random order, one a page; fewer where there are fewer pages.

    The first may be any sentence, each as likely as any other, and so may every further one of the pages that are left:
    pages are drawn by the number of their sentences (Efraimidis and Spirakis, A-Res).
    """
    offers = ((rng.random() ** (1 / len(ids)), rng.choice(ids)) for page in pages if (ids := introduction(page)))
    return [id for _, id in heapq.nlargest(count, offers, key=itemgetter(0))]


def read_source_sentence(page: Page, id: ElementId, look_up: Callable[[str], Page | None]) -> SourceSentence:
    """A sentence of a page's introduction with what is shown beside it; `look_up` finds linked pages by title."""
    sentence = page.element(id)
    ids = introduction(page)
    if id not in ids:
        raise NotFound(f"the introduction of page {page.title!r} has no sentence {str(id)!r}")
    place = ids.index(id)
    before, after = ids[max(0, place - SENTENCES_AROUND) : place], ids[place + 1 : place + 1 + SENTENCES_AROUND]
    return SourceSentence(
        sentence,
        tuple(map(page.element, before)),
        tuple(map(page.element, after)),
        read_dictionary(sentence, look_up),
    )


def read_dictionary(sentence: Element, look_up: Callable[[str], Page | None]) -> tuple[DictionaryEntry, ...]:
    """The first sentence of each page that a sentence links to, in the order of the links, each page once."""
    entries: dict[str, DictionaryEntry] = {}
    for link in sentence.links:
        if link.target in entries or link.target == sentence.id.page:
            continue
        page = look_up(link.target)
        first = next((block for block in page.blocks if type(block) is Sentence and block.text), None) if page else None
        if page and first:
            element = page.element(ElementId(page.title, Kind.SENTENCE, (first.number,)))
            entries[link.target] = DictionaryEntry(sentence.text[link.start : link.end], element)
    return tuple(entries.values())


# -- what is asked of the three claims (FEVEROUS) ----------------------------------------------------------


class Prescription(NamedTuple):
    """What the three claims about a highlight have to be; `_asdict` is how a task keeps it."""

    truth: PrescribedTruth
    page_rule: PageRule
    mutated: ClaimType
    """The claim that the third is a mutation of, I or II."""
    mutation: MutationType


def draw_prescription(rng: Random) -> Prescription:
    """Truth of type I, pages of type II and the claim to mutate: each half and half; mutations by FEVEROUS's shares."""
    return Prescription(
        rng.choice(tuple(PrescribedTruth)),
        rng.choice(tuple(PageRule)),
        rng.choice((ClaimType.HIGHLIGHT_ONLY, ClaimType.BEYOND_HIGHLIGHT)),
        rng.choices(tuple(FEVEROUS_MUTATION_SHARES), tuple(FEVEROUS_MUTATION_SHARES.values()))[0],
    )


# -- overlap -----------------------------------------------------------------------------------------------


class WantedAnswers(NamedTuple):
    """How many people answer a task, and whether a super-annotator does besides."""

    annotators: int = 1
    super_annotator: bool = False


@dataclass(frozen=True)
class OverlapRule:
    """Which share of tasks gets more than one answer, and which a super-annotator's; the two are drawn apart."""

    shares: Mapping[int, float]
    """By the number of answers, the share of tasks that get so many; the rest gets one."""
    super_share: float = 0.0

    def __post_init__(self) -> None:
        for share in (*self.shares.values(), self.super_share):
            if not 0 <= share <= 1:
                raise InputError(f"a share of tasks is between 0 and 1, not {share!r}; 10 % is 0.1")
        if sum(self.shares.values()) > 1 + 1e-9:
            raise InputError(f"shares of tasks add up to 1 at most, not to {sum(self.shares.values()):g}")
        for answers in self.shares:
            if answers < 2:
                raise InputError(f"answers overlap where two or more are wanted, not {answers!r}")

    def draw(self, rng: Random) -> WantedAnswers:
        """What one new task gets."""
        at, by_super = rng.random(), rng.random() < self.super_share
        for answers, share in self.shares.items():
            if at < share:
                return WantedAnswers(answers, by_super)
            at -= share
        return WantedAnswers(1, by_super)


NO_OVERLAP = OverlapRule({})
FEVER_OVERLAP = OverlapRule({5: 0.04}, super_share=0.01)
"""4 % of claims are labelled by five people, 1 % by a super-annotator too (FEVER, 3.4)."""
FEVEROUS_OVERLAP = OverlapRule({2: 0.1 * 2 / 3, 3: 0.1 / 3})
"""10 % are for quality assurance: two people verify two thirds of those, three people the rest (FEVEROUS, 3.2)."""
PUBLISHED_OVERLAP: Mapping[TaskKind, OverlapRule] = {
    TaskKind.FEVER_LABELLING: FEVER_OVERLAP,
    TaskKind.FEVEROUS_VERIFICATION: FEVEROUS_OVERLAP,
}
"""What the papers did; claims are written by one person, and plain tasks follow a project's settings."""
