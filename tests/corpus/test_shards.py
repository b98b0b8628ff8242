"""A corpus of shards reads like a corpus of one file, and says which shard is wrong."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from veritab.corpus import open_corpus
from veritab.corpus.shards import (
    MANIFEST,
    ShardedStore,
    make_shards,
    order_of_number,
    page_number,
    shard_of_number,
    shard_of_title,
)
from veritab.corpus.store import Store, pack_page
from veritab.errors import DamagedStore, InputError, NewerStore, NotFound, StoreError
from veritab.schema import Link, Page, Redirect, Sentence

SHARDS = 3


def linking(title: str, *targets: str) -> Page:
    """A page of one sentence, which names other pages."""
    text = " ".join(targets)
    starts = [sum(len(each) + 1 for each in targets[:number]) for number in range(len(targets))]
    links = tuple(Link(start, start + len(target), target) for start, target in zip(starts, targets, strict=True))
    return Page(title, (Sentence(0, f"{text} {title}.", links),), revision="1", categories=("Things",))


READS: tuple[Page | Redirect, ...] = (
    linking("Mount Everest", "Nepal", "Tibet", "Savage Mountain"),
    linking("Nepal", "Chomolungma"),
    linking("K2", "Mount Everest"),
    linking("Lhotse"),
    linking("Makalu", "Nepal", "Lhotse"),
    linking("Mount Elbrus", "K2"),
    Redirect("Chomolungma", "Sagarmatha"),
    Redirect("Sagarmatha", "Mount Everest"),
    Redirect("Savage Mountain", "K2"),
    Redirect("Circle", "Round"),
    Redirect("Round", "Circle"),
    Redirect("Nowhere", "Nothing"),
    Redirect("Makalu", "Lhotse"),
)


def fill(store: Store, *, shard: int = 0, count: int = 1) -> None:
    number = store.source_id("test", "reader")
    with store.transaction():
        for record, read in enumerate(READS):
            if shard_of_title(read.title, count) != shard:
                continue
            if isinstance(read, Page):
                page = page_number(record + 1, shard) if count > 1 else record + 1
                store.add(number, pack_page(read), b"digest", record, page)
            else:
                store.add_redirect(number, read, b"digest")
        store.finish(number)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "whole") as store:
        fill(store)
    return tmp_path / "whole"


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    folder = tmp_path / "sharded"
    manifest = make_shards(folder, SHARDS)
    for number, shard in enumerate(manifest.shards):
        with Store.create(folder / shard.folder) as store:
            fill(store, shard=number, count=SHARDS)
    return folder


def test_every_way_to_read_gives_what_a_corpus_of_one_file_gives(whole: Path, sharded: Path) -> None:
    with Store.open(whole) as one, Store.open(sharded) as many:
        assert isinstance(many, ShardedStore)
        assert len({shard_of_title(read.title, SHARDS) for read in READS}) == SHARDS
        for ask in (
            len,
            lambda store: list(store.titles()),
            lambda store: list(store.pages()),
            lambda store: list(store.pages(source="test")),
            lambda store: list(store.pages(source="another")),
            lambda store: list(store.categories()),
            lambda store: list(store.files()),
            lambda store: list(store.hubs(3)),
            lambda store: list(store.redirects()),
            lambda store: list(store.link_targets()),
            lambda store: store.sources(),
            lambda store: store.counts(),
            lambda store: store.original_digests(),
            lambda store: list(store.broken_redirects()),
            lambda store: list(store.shadowed_redirects()),
            lambda store: store.check_integrity(),
            lambda store: store.resolve_all(["K2", "Savage Mountain", "Chomolungma", "Tibet", "Circle"]),
            lambda store: list(store.resolve_all([read.title for read in READS])),
            lambda store: [digest for _, digest in store.digests()],
            lambda store: [page.title for _, page in store.pages_by_number(number for number, _ in store.digests())],
            lambda store: list(store.titles_by_number([number for number, _ in store.digests()][::-1]).values()),
            lambda store: list(store.numbers_by_title(["Nepal", "K2", "Tibet", "Lhotse"])),
            lambda store: list(store.digests_by_number(store.numbers_by_title(["Nepal", "K2"]).values()).values()),
        ):
            assert ask(one) == ask(many)
        for name in ("Mount Everest", "mount Everest", "Mount_Everest", "Chomolungma", "savage Mountain", "Makalu"):
            assert one.page(name) == many.page(name)
            assert name in many
        assert str(many.element("K2_sentence_0").text) == "Mount Everest K2."
        for missing, store in product(("Mount Ever", "Circle", "Q"), (one, many)):
            with pytest.raises(NotFound) as refused:
                store.page(missing)
            assert ("did you mean" in str(refused.value)) == (missing == "Mount Ever")
        assert one._no_page("Mount E") == many._no_page("Mount E")


def test_a_page_number_tells_its_shard_and_its_place_among_all(sharded: Path) -> None:
    with Store.open(sharded) as store:
        for title, number in store.numbers_by_title(store.titles()).items():
            assert shard_of_number(number) == shard_of_title(title, SHARDS)
            assert READS[order_of_number(number) - 1].title == title
        assert list(store.pages_by_number([page_number(1, 77)])) == []
        assert store.titles_by_number([page_number(1, 77)]) == {}


def test_a_change_of_any_shard_changes_the_revision_and_copies_share_it(sharded: Path, tmp_path: Path) -> None:
    def revisions() -> list[tuple[str, int]]:
        with Store.open(sharded) as store:
            assert isinstance(store, ShardedStore)
            return [store.revision(), *(shard.revision() for shard in store.shards)]

    before = revisions()
    assert 0 < before[0][1] <= 2**62
    shutil.copytree(sharded, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as copy:
        assert copy.revision() == before[0]
    with Store.create(sharded / "shard-0001") as shard:
        shard.remove(next(shard.titles()))
    after = revisions()
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]
    assert before[0][0] == after[0][0]


def test_a_corpus_of_shards_opens_by_its_folder_or_its_manifest_and_is_not_written_to(sharded: Path) -> None:
    with open_corpus(sharded / MANIFEST) as store:
        assert isinstance(store, ShardedStore)
        with pytest.raises(InputError, match="only veritab ingest writes to it"):
            store.remove("K2")
    with pytest.raises(InputError, match="only veritab ingest writes to it"):
        Store.create(sharded)
    with pytest.raises(InputError, match="is a corpus of shards already"):
        make_shards(sharded, 2)


def test_a_missing_shard_and_one_of_another_corpus_are_named(sharded: Path, tmp_path: Path) -> None:
    (sharded / "shard-0001").rename(tmp_path / "aside")
    with pytest.raises(StoreError, match=r"the shard 'shard-0001' .* is missing; copy it back"):
        Store.open(sharded)
    make_shards(tmp_path / "other", 2)
    shutil.copytree(tmp_path / "other" / "shard-0001", sharded / "shard-0001")
    with pytest.raises(StoreError, match=r"the shard 'shard-0001' .* is of another corpus"):
        Store.open(sharded)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": 1, "corpus": "a", "whole": true, "shards": []}',
        '{"format": 1, "corpus": "a", "whole": true, "shards": [{"folder": "../x", "corpus": "b"}]}',
        '{"format": 1, "corpus": "a", "whole": true, "shards": 3}',
        '{"format": null}',
        '{"format": 1, "corpus": "a", "whole": true, "shards": ["x"]}',
        "\udcff",
    ],
)
def test_a_damaged_manifest_is_refused(sharded: Path, written: str) -> None:
    (sharded / MANIFEST).write_bytes(written.encode("utf-8", "surrogateescape"))
    with pytest.raises(DamagedStore, match="is damaged"):
        Store.open(sharded)


def test_a_manifest_of_a_newer_format_and_one_of_a_corpus_that_is_not_whole_are_refused(sharded: Path) -> None:
    record = json.loads((sharded / MANIFEST).read_text())
    (sharded / MANIFEST).write_text(json.dumps(record | {"format": 2}))
    with pytest.raises(NewerStore, match="newer Veritab"):
        Store.open(sharded)
    (sharded / MANIFEST).write_text(json.dumps(record | {"whole": False}))
    with pytest.raises(StoreError, match="run the same command to go on"):
        Store.open(sharded)


def test_a_page_in_the_wrong_shard_is_found_by_the_check(sharded: Path) -> None:
    with Store.create(sharded / "shard-0001") as shard:
        wrong = next(title for title in ("A", "B", "C", "D", "E") if shard_of_title(title, SHARDS) != 1)
        number = shard.source_id("more", "reader")
        with shard.transaction():
            shard.add(number, pack_page(linking(wrong)), b"digest", 0, page_number(50, 1))
    with Store.open(sharded) as store:
        (problem,) = store.check_integrity()
        assert "belongs to another shard" in problem
