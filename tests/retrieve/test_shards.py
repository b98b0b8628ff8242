"""An index over shards finds what one index of the same pages finds, with the same scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from tantivy import Occur, Query

from tests.retrieve.corpora import cut, fill, indexed, town
from veritab.corpus.shards import ShardedStore, order_of_number, shard_of_title
from veritab.corpus.store import Store
from veritab.engine import ThisProcess
from veritab.errors import DamagedStore, NotFound, StaleIndex, StoreError
from veritab.pipeline import Checker
from veritab.render.html import draw_article
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.render.view import VerdictView
from veritab.retrieve import index as module
from veritab.retrieve.index import FOLDER, Index, IndexProgress, build_index, build_shards, is_indexed, open_index
from veritab.retrieve.shards import DividedIndex, ThreadSearcher
from veritab.retrieve.sparse import ShardAnswer, ShardQuery, SparseHit, SparseIndex
from veritab.schema import Kind, Label, Page, Sentence, Uncertainty
from veritab.settings import Settings
from veritab.text import tokenize_for_index

WEIGHTS = {
    "pages": {"title": 1.5, "body": 1.0},
    "texts": {"title": 0.5, "section": 0.3, "body": 1.0},
    "tables": {"title": 1.0, "section": 0.5, "headers": 0.7, "body": 1.0},
}
COMPUTED = Settings.of({"select": {"model": "none"}, "verify": {"model": "none"}})
QUERIES = (
    "Mount Everest is taller than K2.",
    "The Eiffel Tower was built in 1889 in Paris, France.",
    "Marie Curie won the Nobel Prize in Physics and in Chemistry.",
    "Brazil has won the FIFA World Cup five times.",
    "the of and in a",
    "highest mountain river longest country population",
    "Germany 1990 2014",
)


@pytest.fixture(scope="module")
def one() -> Iterator[Index]:
    with open_index() as index:
        yield index
        index.store.close()


@pytest.fixture(scope="module", params=[1, 3, 16])
def many(request: pytest.FixtureRequest, one: Index, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = cut(one.store, tmp_path_factory.mktemp("shards") / "corpus", request.param)
    with Store.open(folder) as store:
        for _ in build_index(store):
            pass
    with open_index(folder) as index:
        yield index
        index.store.close()


def told(hits: list[SparseHit]) -> list[tuple[object, ...]]:
    """Hits by where their pages stand among all."""
    return [(order_of_number(hit.page), hit.place, hit.score) for hit in hits]


def plain(hits: list[SparseHit]) -> list[tuple[object, ...]]:
    return [tuple(hit) for hit in hits]


@pytest.mark.parametrize("name", WEIGHTS)
def test_scores_and_order_are_those_of_one_index(one: Index, many: Index, name: str) -> None:
    ours, theirs = getattr(one, name), getattr(many, name)
    assert len(ours) == len(theirs)
    titles = list(one.store.titles())
    numbers = one.store.numbers_by_title(titles[::5])
    sharded = many.store.numbers_by_title(titles[::5])
    for query in (*QUERIES, *(f"{one.store.page(title).blocks[-1]}"[:300] for title in titles[::7])):
        for k in (1, 10, 200):
            for more in ({}, {"kinds": [Kind.SENTENCE, Kind.TABLE]}, {"phrases": [(query[:30], 2.0)]}):
                assert told(theirs.search(query, WEIGHTS[name], k, **more)) == plain(
                    ours.search(query, WEIGHTS[name], k, **more)
                )
        boosts = {"mountain": 3.0, "world": 0.2}
        found = ours.search(query, WEIGHTS[name], 20, pages=numbers.values(), boosts=boosts)
        assert told(theirs.search(query, WEIGHTS[name], 20, pages=sharded.values(), boosts=boosts)) == plain(found)


def test_whatever_else_is_asked_is_answered_as_by_one_index(one: Index, many: Index) -> None:
    for term in ("mountain", "world", "1990", "in", "unheard"):
        for name in WEIGHTS:
            ours, theirs = getattr(one, name), getattr(many, name)
            assert theirs.frequency("body", term) == ours.frequency("body", term)
            assert theirs.terms_that_begin("body", term[:3]) == ours.terms_that_begin("body", term[:3])
            assert told(theirs.largest(term, "body", 15)) == plain(ours.largest(term, "body", 15))
            query = Query.boolean_query([(Occur.Should, Query.fuzzy_term_query(ours.schema, "body", term, 1))])
            assert told(theirs.matching(query, 15)) == plain(ours.matching(query, 15))


def test_names_are_those_of_one_index(one: Index, many: Index) -> None:
    for page in islice(one.store.pages(), 0, None, 15):
        text = " ".join(text for text, _ in page.texts())[:5000]
        words = tokenize_for_index(text)
        ours, theirs = one.names.spans(words), many.names.spans(words)
        assert list(ours.items()) == list(theirs.items())
    assert one.names.targets(["mount everest", "everest", "", "no such name"]) == many.names.targets(
        ["mount everest", "everest", "", "no such name"]
    )
    for beginning in ("a", "mount", "the", "s", "unheard", ""):
        for limit in (1, 10, 1000):
            assert one.names.complete(beginning, limit) == many.names.complete(beginning, limit)
    titles = list(one.store.titles())
    numbers, sharded = one.store.numbers_by_title(titles), many.store.numbers_by_title(titles)
    sizes, of_shards = one.names.sizes(numbers.values()), many.names.sizes(sharded.values())
    assert [sizes[numbers[title]] for title in titles] == [of_shards[sharded[title]] for title in titles]
    assert many.names.sizes([1 << 40, 4095]) == {}


def test_every_file_of_every_shard_is_checked(many: Index) -> None:
    assert many.check_integrity() == []
    assert many.leftovers() == []


# -- searched apart --


@pytest.mark.parametrize("threads", [2, 16])
def test_what_shards_find_apart_is_what_they_find_together(many: Index, threads: int) -> None:
    titles = list(many.store.titles())
    with Index(many.store, partial(ThreadSearcher, seconds=60, threads=threads)) as apart:
        for name, weights in WEIGHTS.items():
            ours, theirs = getattr(many, name), getattr(apart, name)
            assert type(theirs) is (SparseIndex if len(many._folders) == 1 else DividedIndex)
            for query in (*QUERIES, *(f"{many.store.page(title).blocks[-1]}"[:300] for title in titles[::7])):
                for k in (0, 1, 7, 60, 10_000):
                    assert theirs.search(query, weights, k) == ours.search(query, weights, k)
                every, found = (
                    index.search(
                        query,
                        weights,
                        20,
                        kinds=[Kind.SENTENCE, Kind.TITLE],
                        phrases=[(query[:30], 2.0)],
                        boosts={"in": 5.0, "world": 0.1},
                    )
                    for index in (ours, theirs)
                )
                assert found == every


def test_shards_are_told_that_fail_or_are_late(
    sharded: ShardedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parallel = COMPUTED.replaced({"retrieve.shards": "parallel", "retrieve.shard_seconds": 1})
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    best = SparseIndex.best
    answers: dict[str, Callable[[], object]] = {}

    def answer(self: SparseIndex, query: ShardQuery) -> ShardAnswer:
        answers.get(self.folders[0].parents[1].name, lambda: None)()
        return best(self, query)

    def fails() -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(SparseIndex, "best", answer)
    released = threading.Event()
    with (
        Checker.open(sharded.folder, parallel) as checker,
        Checker.open(sharded.folder, COMPUTED) as plain,
    ):
        claim = "Town 3 lies by the river."
        assert verdict_to_json(checker.check(claim)) == verdict_to_json(plain.check(claim))
        for lose, lost in (
            ({"shard-0001": fails}, ("shard-0001",)),
            ({"shard-0000": fails, "shard-0002": lambda: released.wait(60)}, ("shard-0000", "shard-0002")),
        ):
            released.clear()
            answers |= lose
            verdict = checker.check(claim)
            searched = verdict.certificate.searched
            assert searched
            assert searched.missing == lost
            assert verdict.uncertainty is Uncertainty.MISSING_SHARDS
            with pytest.raises(StoreError, match=r"the disk is gone|no answer within 1 s"):
                checker.index.texts.search("town", {"body": 1.0}, 5)
            answers.clear()
            released.set()
            assert not checker.check(claim).certificate.searched.missing  # type: ignore[union-attr]
        answers |= dict.fromkeys(("shard-0000", "shard-0001", "shard-0002"), fails)
        verdict = checker.check(claim)
        assert (verdict.label, verdict.uncertain) == (Label.NOT_ENOUGH_INFO, True)


# -- verdicts --

CLAIMS = (
    "Mount Everest is taller than K2.",
    "The Eiffel Tower was completed in 1889.",
    "Marie Curie was born in Paris.",
    "Brazil has won the World Cup five times.",
    "Nepal has more people than Norway.",
    "The capital of Australia is Sydney.",
    "Usain Bolt won three gold medals in 2008.",
    "The Nile is longer than the Amazon.",
    "Zorbl the Unheard wrote nine operas.",
    "Mont Blanc is the highest mountian in Africa.",
)


@pytest.fixture(scope="module")
def corpus_of_shards(one: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = cut(one.store, tmp_path_factory.mktemp("almanac") / "almanac", 3)
    with Store.open(folder) as store:
        list(build_index(store))
    return folder


def test_verdicts_are_those_of_a_corpus_of_one_file(corpus_of_shards: Path) -> None:
    with Checker.open(settings=COMPUTED) as plain, Checker.open(corpus_of_shards, COMPUTED) as sharded:
        for ours, theirs in zip(plain.check_many(CLAIMS), sharded.check_many(CLAIMS), strict=True):
            assert verdict_to_json(theirs) == verdict_to_json(ours)


@pytest.mark.parametrize("file", ["corpus.sqlite", "index/names.sqlite"])
def test_a_verdict_tells_which_shard_could_not_be_asked(corpus_of_shards: Path, tmp_path: Path, file: str) -> None:
    folder = shutil.copytree(corpus_of_shards, tmp_path / "copy")
    with Checker.open(folder, COMPUTED) as checker:
        assert [verdict.uncertain for verdict in checker.check_many(CLAIMS[:2])] == [False, False]
        lost = f"shard-{shard_of_title('Mount Everest', 3):04}"
        damaged = folder / lost / file
        content = damaged.read_bytes()
        damaged.write_bytes(b"garbage" * 1000)
        verdict, other = checker.check_many(CLAIMS[:2])
        assert verdict.uncertainty is other.uncertainty is Uncertainty.MISSING_SHARDS
        searched = verdict.certificate.searched
        assert searched
        assert (searched.missing, searched.shards) == ((lost,), 3)
        assert verdict_from_json(verdict_to_json(verdict)).certificate.searched == searched
        told = f"1 of 3 shards could not be searched: {lost}"
        assert VerdictView(verdict).uncertainty == told
        assert told in draw_article(verdict, 1)
        assert all(shard_of_title(hit.element.id.page, 3) != int(lost[-1]) for hit in verdict.evidence)
        with pytest.raises(StoreError):
            checker.search("Mount Everest")
        damaged.write_bytes(content)
        assert not checker.check(CLAIMS[0]).uncertain


# -- change and damage --


@pytest.fixture
def sharded(tmp_path: Path) -> Iterator[ShardedStore]:
    """A small corpus of three shards with an index."""
    with indexed(tmp_path / "whole", [town(number) for number in range(20)]) as whole:
        folder = cut(whole, tmp_path / "corpus", 3)
    with Store.open(folder) as store:
        assert isinstance(store, ShardedStore)
        list(build_index(store))
        yield store


def add(store: ShardedStore, title: str) -> None:
    """Write one page more."""
    shard = shard_of_title(title, 3)
    with Store.open(store.shards[shard].folder) as part:
        pages = [page for _, page in sorted(part.pages_by_number(dict(part.digests())))]
    fill(store.shards[shard].folder, [*pages, Page(title, (Sentence(0, "A new word: zanzibar."),))])


def test_only_the_shards_that_changed_are_built(sharded: ShardedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(build_shards(sharded, ThisProcess())) == [IndexProgress(0, 0), IndexProgress(0, 0)]
    with Index(sharded) as index:
        add(sharded, "Zanzibar")
        assert not is_indexed(sharded)
        with pytest.raises(
            StaleIndex, match=r"its index of its shard 'shard-000\d' was built.*veritab index .*corpus$"
        ):
            Index(sharded)
        built: list[str] = []
        build = module.build_index

        def note(store: Store, *, rebuild: bool = False) -> Iterator[IndexProgress]:
            built.append(store.folder.name)
            return build(store, rebuild=rebuild)

        monkeypatch.setattr(module, "build_index", note)
        *_, last = build_shards(sharded, ThisProcess())
        assert last.done == last.total > 0
        assert built == [f"shard-000{shard_of_title('Zanzibar', 3)}"]
        assert index.texts.search("zanzibar", {"body": 1.0}, 5) == []
        index.refresh()
        assert len(index.texts.search("zanzibar", {"body": 1.0}, 5)) == 1
        assert index.revision == sharded.revision()
        assert "zanzibar" in index.names.targets(["zanzibar"])


def test_a_shard_without_an_index_or_with_that_of_another_is_told(sharded: ShardedStore) -> None:
    first, second, _ = (shard.folder / FOLDER for shard in sharded.shards)
    shutil.move(first, first.with_name("away"))
    with pytest.raises(NotFound, match=r"lacks the index of its shard 'shard-0000'; build it with: veritab index "):
        Index(sharded)
    shutil.copytree(second, first)
    with pytest.raises(StaleIndex, match=r"the index of its shard 'shard-0000' was built from another corpus"):
        Index(sharded)
    shutil.rmtree(first)
    shutil.move(first.with_name("away"), first)
    note = first / "index.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"entries": None}))
    with pytest.raises(StaleIndex, match="'shard-0000' has not come to its end"):
        Index(sharded)
    list(build_index(sharded))
    with Index(sharded) as index:
        assert len(index.pages) == 20


def test_a_damaged_shard_is_told_with_the_command_that_mends_it(sharded: ShardedStore) -> None:
    meta = sharded.shards[1].folder / FOLDER / "texts" / "meta.json"
    content = meta.read_bytes()
    meta.unlink()
    with pytest.raises(DamagedStore, match=r"veritab index --rebuild \S*shard-0001$"):
        Index(sharded)
    meta.write_bytes(content.replace(b'"section"', b'"chapter"'))
    with pytest.raises(DamagedStore, match="its texts have other fields than those of other shards"):
        Index(sharded)
    for garbage in (b"", b"{", b"[]", b"{}", b'{"segments": 3, "schema": 1, "index_settings": 2}'):
        meta.write_bytes(garbage)
        with pytest.raises(DamagedStore):
            Index(sharded)
    meta.write_bytes(content)
    Index(sharded).close()


def test_shards_whose_segments_have_the_same_names_are_told_apart(sharded: ShardedStore) -> None:
    """As those of a folder that was copied to make another."""
    one, other = (shard.folder / FOLDER / "texts" for shard in sharded.shards[:2])
    before = [[hit.page for hit in _everything(sharded)], len(list(one.glob("*.idx")))]
    names = [path.stem for folder in (one, other) for path in folder.glob("*.idx")]
    assert len(names) == 2
    for path in other.glob(f"{names[1]}.*"):
        path.rename(path.with_name(path.name.replace(names[1], names[0])))
    meta = json.loads((other / "meta.json").read_text())
    meta["segments"][0]["segment_id"] = json.loads((one / "meta.json").read_text())["segments"][0]["segment_id"]
    (other / "meta.json").write_text(json.dumps(meta))
    assert [[hit.page for hit in _everything(sharded)], 1] == before


def _everything(store: Store) -> list[SparseHit]:
    with Index(store) as index:
        return index.texts.search("town river", {"body": 1.0}, 100)


def test_a_corpus_that_nobody_can_write_to_is_searched(sharded: ShardedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _everything(sharded)
    monkeypatch.setattr(os, "access", lambda *_: False)  # nothing else stops the superuser
    for path in [*sharded.folder.rglob("*"), sharded.folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert _everything(sharded) == expected
        assert list(build_index(sharded)) == [IndexProgress(0, 0), IndexProgress(0, 0)]
    finally:
        for path in [sharded.folder, *sharded.folder.rglob("*")]:
            path.chmod(0o755)


_SEARCH = """
import sys
from veritab.retrieve.index import open_index
index = open_index(sys.argv[1])
print(len(index.texts.search("town", {"body": 1.0}, 100)), flush=True)
if len(sys.argv) > 2:
    sys.stdin.read()
"""


def test_no_process_leaves_a_folder_behind(
    sharded: ShardedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    command = [sys.executable, "-c", _SEARCH, str(sharded.folder)]
    killed = subprocess.Popen([*command, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert killed.stdout
    with killed:
        assert killed.stdout.readline() == "20\n"
        killed.kill()
    for each in others:
        assert each.communicate(timeout=60)[0] == "20\n"
    assert list(folder.iterdir()) == []


def test_threads_search_while_a_shard_changes(sharded: ShardedStore) -> None:
    wrong: list[BaseException] = []
    with Index(sharded) as index:
        stop = threading.Event()

        def ask() -> None:
            try:
                while not stop.is_set():
                    assert len(index.texts.search("river", {"body": 1.0}, 5)) == 5
                    assert index.names.targets(["town 1"])
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for number in range(3):
            add(sharded, f"Zanzibar {number}")
            list(build_index(sharded))
            index.refresh()
            assert index.texts.search("zanzibar", {"body": 1.0}, 5)
        stop.set()
        for thread in threads:
            thread.join(60)
    assert not wrong
