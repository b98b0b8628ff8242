"""Claims to begin with: some that the almanac settles, or short sentences of another corpus's own pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from veritab.schema import Sentence

if TYPE_CHECKING:
    from veritab.corpus.store import Store
    from veritab.pipeline import Checker

ALMANAC = (
    "Italy won the FIFA World Cup five times.",
    "Tokyo hosted the Summer Olympics in 1964 and in 2020.",
    "Marie Curie won Nobel Prizes in Physics and in Chemistry.",
    "Beethoven wrote ten symphonies.",
    "Annapurna I was the first eight-thousander to be climbed.",
    "The Eiffel Tower is repainted every year.",
)
_MOST = 4
_PAGES_READ = 60
_FEWEST_WORDS, _MOST_WORDS = 6, 18


def examples(checker: Checker) -> tuple[str, ...]:
    """A few claims to try on this corpus; none where it has no short sentences."""
    if checker.corpus.get("name") == "almanac":
        return ALMANAC
    return tuple(islice(_short_sentences(checker.store), _MOST))


def _short_sentences(store: Store) -> Iterator[str]:
    """One sentence from each of some pages that has a number or a name in it."""
    for title in list(islice(store.titles(), _PAGES_READ)):
        page = store.page(title)
        texts = (block.text for block in page.blocks if type(block) is Sentence)
        chosen = next((text for text in texts if _is_example(text)), None)
        if chosen:
            yield chosen


def _is_example(text: str) -> bool:
    words = text.split()
    named = any(word[:1].isupper() or word[:1].isdigit() for word in words[1:])
    return _FEWEST_WORDS <= len(words) <= _MOST_WORDS and text.endswith(".") and named
