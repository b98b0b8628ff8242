"""Dense retrieval over a corpus: what of a page is encoded, how vectors are kept up to date and searched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from veritab.corpus.store import FILE, Store, quote_path
from veritab.errors import NotFound, StaleIndex, StoreError
from veritab.files import make_folder_like, why_unwritable
from veritab.retrieve.dense.vectors import EXACT_BELOW, VectorIndex
from veritab.schema import Claim, Element, ElementId, Hit, Kind, ListBlock, Page, Section, TableBlock

if TYPE_CHECKING:
    from veritab.models.encoder import Encoder

_INTRODUCTION = 120  # words
# Part of the fingerprint: vectors of texts put together in another way do not belong to this index.
_RULE = 1
_BATCH = 256  # entries encoded at a time
_COMMIT = 16  # batches between commits: what an interrupted run has to do again


# -- what a page is found by -------------------------------------------------------------------------------


class DenseUnit(StrEnum):
    """What has a vector: a page, by its title and introduction, or each of its texts, by title and text."""

    PAGES = "pages"
    ELEMENTS = "elements"


def entries(page: Page, unit: DenseUnit) -> dict[str, str]:
    """The texts to encode for a page, by the ids of the elements they stand for."""
    if unit is DenseUnit.PAGES:
        introduction = " ".join(_introduction(page).split()[:_INTRODUCTION])
        return {str(ElementId(page.title, Kind.TITLE)): f"{page.title}. {introduction}".rstrip()}
    return {str(id): f"{page.title}: {text}" for id, text in _texts(page) if text}


def _introduction(page: Page) -> str:
    """What comes before the first heading; of a page that begins with one, what comes first."""
    first = next((place for place, block in enumerate(page.blocks) if type(block) is Section), len(page.blocks))
    for blocks in (page.blocks[:first], page.blocks):
        text = " ".join(text for _, text in _texts(replace(page, blocks=blocks)))
        if text:
            return text
    return ""


def _texts(page: Page) -> Iterator[tuple[ElementId, str]]:
    """Sentences, passages, items and captions, without the cost of building elements for every cell."""
    for block in page.blocks:
        if type(block) is TableBlock:
            yield ElementId(page.title, Kind.TABLE_CAPTION, (block.number,)), block.caption
        elif type(block) is ListBlock:
            for position, item in enumerate(block.items):
                yield ElementId(page.title, Kind.ITEM, (block.number, position)), item.text
        elif type(block) is not Section:
            yield ElementId(page.title, Kind(type(block).__name__.lower()), (block.number,)), block.text


# -- a corpus and its vectors ------------------------------------------------------------------------------


class BuildProgress(NamedTuple):
    """How far building is: pages done of pages to do, and what became of their entries."""

    done: int = 0
    total: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0


def fingerprint(encoder: Encoder, unit: DenseUnit) -> str:
    """What the vectors of an index depend on: the encoder, and how texts are put together for it."""
    return f"{encoder.fingerprint}-{unit}-{_RULE}"


def open_vectors(store: Store, encoder: Encoder, unit: DenseUnit) -> VectorIndex:
    """The vectors kept beside a corpus, for reading."""
    return VectorIndex.open(folder_of(store, unit), encoder=fingerprint(encoder, unit), command=_command(store, unit))


def create_vectors(
    store: Store,
    encoder: Encoder,
    unit: DenseUnit,
    *,
    exact_below: int = EXACT_BELOW,
    threads: int = 1,
    rebuild: bool = False,
) -> VectorIndex:
    """The vectors kept beside a corpus, for writing; those of another encoder or version are thrown away.

    With `rebuild`, so are those that are there, whatever they are.
    """
    folder = folder_of(store, unit)
    if reason := why_unwritable(folder if folder.exists() else store.folder):
        raise StoreError(f"cannot write the vectors in {str(folder)!r}: {reason}")
    make_folder_like(folder, store.folder / FILE)
    return VectorIndex.create(
        folder,
        encoder=fingerprint(encoder, unit),
        dimension=encoder.dimension,
        exact_below=exact_below,
        threads=threads,
        anew=True,
        rebuild=rebuild,
        command=_command(store, unit),
    )


def folder_of(store: Store, unit: DenseUnit) -> Path:
    """Where the vectors of a corpus lie."""
    return store.folder / f"dense-{unit}"


def _command(store: Store, unit: DenseUnit) -> str:
    return f"veritab index {quote_path(store.folder)} --encoder ENCODER --encoder-unit {unit}"


def build(store: Store, index: VectorIndex, encoder: Encoder, unit: DenseUnit) -> Iterator[BuildProgress]:
    """Encode what is new or changed, remove what is gone; an interrupted run goes on where it committed last."""
    revision = _state(store)
    progress = BuildProgress(total=len(store))
    if index.manifest.source == revision:
        yield progress._replace(done=len(store), unchanged=len(index))
        return
    before = index.manifest.rows
    seen = bytearray(before)
    pages = store.pages_by_number(number for number, _ in store.digests())
    for number, batch in enumerate(_batches((page for _, page in pages), unit), 1):
        progress = _bring_up_to_date(index, encoder, batch, seen, progress)
        if number % _COMMIT == 0:
            index.commit()
        yield progress
    gone = [key for key, row in index.rows(below=before) if not seen[row]]
    progress = progress._replace(removed=index.remove(gone))
    index.mark(revision)
    index.settle()
    yield progress


class _Batch(NamedTuple):
    pages: int
    texts: dict[str, str]


def _batches(pages: Iterable[Page], unit: DenseUnit) -> Iterator[_Batch]:
    count, texts = 0, dict[str, str]()
    for page in pages:
        count += 1
        texts.update(entries(page, unit))
        if len(texts) >= _BATCH:
            yield _Batch(count, texts)
            count, texts = 0, {}
    if count:
        yield _Batch(count, texts)


def _bring_up_to_date(
    index: VectorIndex, encoder: Encoder, batch: _Batch, seen: bytearray, progress: BuildProgress
) -> BuildProgress:
    known = index.stored(batch.texts)
    digests = {key: hashlib.blake2b(text.encode(), digest_size=16).digest() for key, text in batch.texts.items()}
    for found in known.values():
        if found.row < len(seen):
            seen[found.row] = 1
    wanted = [key for key, digest in digests.items() if key not in known or known[key].digest != digest]
    if wanted:
        vectors = encoder.encode([batch.texts[key] for key in wanted])
        index.add(wanted, vectors, [digests[key] for key in wanted])
    changed = sum(key in known for key in wanted)
    return progress._replace(
        done=progress.done + batch.pages,
        added=progress.added + len(wanted) - changed,
        changed=progress.changed + changed,
        unchanged=progress.unchanged + len(batch.texts) - len(wanted),
    )


def _state(store: Store) -> str:
    corpus, number = store.revision()
    return f"{corpus}:{number}"


class DenseRetriever:
    """Claims find the pages or elements whose vectors are nearest to theirs."""

    def __init__(self, store: Store, index: VectorIndex, encoder: Encoder) -> None:
        self._store = store
        self._index = index
        self._encoder = encoder
        if index.manifest.source != _state(store):
            raise self._stale("changed after its vectors were made")

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The nearest pages or elements of each claim; a page is given by its title element.

        A claim without a word has none: its vector means nothing, and what lies near it is chance.
        """
        said = [place for place, claim in enumerate(claims) if any(map(str.isalnum, claim.text))]
        hits: list[list[Hit]] = [[] for _ in claims]
        if not said:
            return hits
        vectors = self._encoder.encode([claims[place].text for place in said], query=True)
        found = self._index.search(vectors, k)
        elements = self._elements({match.key for matches in found for match in matches})
        for place, matches in zip(said, found, strict=True):
            hits[place] = [Hit(elements[match.key], match.score, "dense") for match in matches]
        return hits

    def _elements(self, keys: set[str]) -> dict[str, Element]:
        ids = {key: ElementId.parse(key) for key in sorted(keys)}
        titles = self._store.numbers_by_title({id.page for id in ids.values()})
        pages: dict[str, Page] = {}
        elements = {}
        for key, id in ids.items():
            try:
                if id.kind is Kind.TITLE and id.page in titles:
                    elements[key] = Element(id, id.page)
                    continue
                if id.page not in pages:
                    pages[id.page] = self._store.page(id.page)
                elements[key] = pages[id.page].element(id)
            except NotFound:
                raise self._stale(f"has no {key!r} any more") from None
        return elements

    def _stale(self, what: str) -> StaleIndex:
        folder, command = str(self._store.folder), self._index.command
        return StaleIndex(f"the corpus {folder!r} {what}; bring the index up to date with: {command}")
