"""A corpus of two pages, opened once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.serving import without_models
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.pipeline import Checker
from veritab.retrieve.index import build_index

AABERG = """\
# Aaberg

Aaberg is a mountain. It was first climbed in 1901.

## Names

It was first climbed in 1901.

| Year | Height |
|---|---|
| 1900 | 1200 |
"""
BOBERG = "# Boberg\n\nBoberg is a mountain. Its summit is 2400 m high.\n"


@pytest.fixture(scope="session")
def mountains(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    folder = tmp_path_factory.mktemp("mountains")
    documents = folder / "documents"
    documents.mkdir()
    (documents / "aaberg.md").write_text(AABERG)
    (documents / "boberg.md").write_text(BOBERG)
    with Store.create(folder / "corpus") as store:
        list(Ingest(store, [documents], workers=1))
        list(build_index(store))
    with Checker.open(folder / "corpus", without_models()) as checker:
        yield checker
