"""The almanac: the corpus that ships, some two hundred pages in wikitext, read on first use and kept in the user's
cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from veritab.corpus.cache import cache_folder, hash_code
from veritab.corpus.store import FILE, Store
from veritab.errors import DamagedStore, NewerStore
from veritab.files import new_folder

PAGES = Path(__file__).parent / "pages"


def open_almanac() -> Store:
    """The bundled corpus, ready to read."""
    folder = _folder()
    if not (folder / FILE).is_file():
        _build(folder)
    try:
        return Store.open(folder)
    except (DamagedStore, NewerStore):
        # A cache may be thrown away at any time; a damaged one is rebuilt rather than complained about.
        shutil.rmtree(folder)
        _build(folder)
        return Store.open(folder)


def _folder() -> Path:
    """Named after what it is made from: new pages, or a reader that reads them otherwise, make a new folder."""
    made_from = hash_code("schema", "corpus")
    for path in sorted(PAGES.rglob("*.wiki")):
        made_from.update(path.name.encode())
        made_from.update(path.read_bytes())
    name = f"almanac-{made_from.hexdigest()}"
    return cache_folder(holding=name) / name


def _build(folder: Path) -> None:
    """Built aside and moved into place, so that two programs starting at once do not meet half a corpus."""
    from veritab.corpus.ingest import Ingest

    with new_folder(folder) as partial, Store.create(partial) as store:
        for _ in Ingest(store, [PAGES], names=["the almanac"]):
            pass
