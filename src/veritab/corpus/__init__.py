"""Sources become pages, pages live in a store.

Reading down the room: `streams` gives bytes, a reader (`wikipedia`, `wikitext`, `feverous`, `fever`, `passages`,
`documents`) cuts and parses them with the help of `html`, `inline` and `draft`, `sources` knows which reader a file
needs, `ingest` carries pages into the `store`, `shards` are stores read as one, `packing` is how pages lie there,
`cache` is where what can be made anew is kept, and `almanac` is the corpus that ships.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veritab.corpus.feverous import FeverousDatabase
    from veritab.corpus.store import Store
    from veritab.schema import Element, ElementId, Page


class Corpus(Protocol):
    """Pages by title, elements by address: a store, or a published database used in place."""

    def __len__(self) -> int: ...

    def page(self, title: str) -> Page: ...

    def element(self, id: ElementId | str) -> Element: ...

    def titles(self) -> Iterator[str]: ...

    def pages(self) -> Iterator[Page]: ...

    def close(self) -> None: ...


def open_corpus(path: Path | str | None = None) -> Store | FeverousDatabase:
    """The corpus at a path: a folder made by `veritab ingest`, a FEVEROUS database file, or (None) the almanac."""
    from veritab.corpus.store import FILE, MANIFEST, Store

    if path is None:
        from veritab.corpus.almanac import open_almanac

        return open_almanac()
    if Path(path).name in (FILE, MANIFEST):
        path = Path(path).parent
    if not Path(path).is_file():
        return Store.open(path)
    from veritab.corpus.feverous import FeverousDatabase

    return FeverousDatabase(path)
