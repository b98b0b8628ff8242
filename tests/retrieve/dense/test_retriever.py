"""Dense retrieval: what is encoded, what is kept up to date, what a claim finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.tiny import make_encoder
from veritab.corpus.store import Store, pack_page
from veritab.errors import StaleIndex
from veritab.models.encoder import Encoder
from veritab.retrieve.dense.retriever import DenseRetriever, DenseUnit, build, create_vectors, entries, open_vectors
from veritab.schema import Cell, Claim, Item, Kind, ListBlock, Page, Passage, Section, Sentence, TableBlock

NILE = Page(
    "Nile",
    (
        Sentence(0, "The Nile is a river."),
        Section(0, "Length", 2),
        Sentence(1, "It is long."),
        ListBlock(0, (Item("Africa"), Item(""), Item("Egypt"))),
        TableBlock(0, ((Cell("km"), Cell("6650")),), caption="Rivers"),
        TableBlock(1, ((Cell("no caption"),),)),
    ),
)
MOZART = Page("Mozart", (Section(0, "Life", 2), Passage(0, "Mozart composed " + "music " * 200)))
EMPTY = Page("Empty")
_VOCABULARY = "the nile is a river it long africa egypt rivers mozart composed music wet".split()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder.open(make_encoder(tmp_path_factory.mktemp("encoder"), _VOCABULARY))


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Store]:
    write(tmp_path / "corpus", NILE, MOZART, EMPTY)
    with Store.open(tmp_path / "corpus") as store:
        yield store


def write(folder: Path, *pages: Page) -> None:
    """Make these the pages of a corpus."""
    with Store.create(folder) as store:
        source = store.source_id("test", "test")
        with store.transaction():
            for number, page in enumerate(pages):
                store.add(source, pack_page(page), repr(page).encode(), number)
            store.finish(source)


def index_corpus(store: Store, encoder: Encoder, unit: DenseUnit) -> tuple[int, ...]:
    with create_vectors(store, encoder, unit) as index:
        return list(build(store, index, encoder, unit))[-1]


def test_elements_are_found_by_title_and_text() -> None:
    assert entries(NILE, DenseUnit.ELEMENTS) == {
        "Nile_sentence_0": "Nile: The Nile is a river.",
        "Nile_sentence_1": "Nile: It is long.",
        "Nile_item_0_0": "Nile: Africa",
        "Nile_item_0_2": "Nile: Egypt",
        "Nile_table_caption_0": "Nile: Rivers",
    }


def test_pages_are_found_by_title_and_introduction() -> None:
    assert entries(NILE, DenseUnit.PAGES) == {"Nile_title": "Nile. The Nile is a river."}
    assert entries(EMPTY, DenseUnit.PAGES) == {"Empty_title": "Empty."}
    (text,) = entries(MOZART, DenseUnit.PAGES).values()
    assert len(text.split()) == 121


def test_a_claim_finds_elements_of_a_corpus(corpus: Store, encoder: Encoder) -> None:
    assert index_corpus(corpus, encoder, DenseUnit.ELEMENTS) == (3, 3, 6, 0, 0, 0)
    with open_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index:
        retriever = DenseRetriever(corpus, index, encoder)
        rivers, music = retriever.retrieve([Claim("1", "The Nile is a long river"), Claim("2", "music")], 2)
        assert retriever.retrieve([], 2) == []
    assert [str(hit.element.id) for hit in rivers] == ["Nile_sentence_0", "Nile_sentence_1"]
    assert rivers[0].element == corpus.element("Nile_sentence_0")
    assert rivers[0].by == "dense"
    assert 1 > rivers[0].score > rivers[1].score > 0
    assert str(music[0].element.id) == "Mozart_passage_0"


def test_a_claim_without_a_word_finds_nothing(corpus: Store, encoder: Encoder) -> None:
    index_corpus(corpus, encoder, DenseUnit.ELEMENTS)
    with open_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index:
        retriever = DenseRetriever(corpus, index, encoder)
        texts = ("", "?! —", "music", "\ud800", "mu\udc00sic")
        empty, marks, music, surrogate, torn = retriever.retrieve([Claim(text, text) for text in texts], 2)
        assert retriever.retrieve([Claim("1", " ")], 2) == [[]]
    assert empty == marks == surrogate == []
    assert str(music[0].element.id) == "Mozart_passage_0"
    assert torn == music


def test_a_claim_finds_pages_of_a_corpus(corpus: Store, encoder: Encoder) -> None:
    assert index_corpus(corpus, encoder, DenseUnit.PAGES)[2] == 3
    with open_vectors(corpus, encoder, DenseUnit.PAGES) as index:
        ((hit, *_),) = DenseRetriever(corpus, index, encoder).retrieve([Claim("1", "Mozart composed music")], 3)
    assert hit.element == corpus.page("Mozart").elements[0]
    assert hit.element.kind is Kind.TITLE


def test_building_again_encodes_only_what_changed(corpus: Store, encoder: Encoder) -> None:
    index_corpus(corpus, encoder, DenseUnit.ELEMENTS)
    assert index_corpus(corpus, encoder, DenseUnit.ELEMENTS) == (3, 3, 0, 0, 6, 0)
    changed = Page("Nile", (*NILE.blocks[:2], Sentence(1, "It is wet."), Sentence(2, "Egypt")))
    write(corpus.folder, changed, MOZART)
    with (
        open_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index,
        pytest.raises(StaleIndex, match=f"veritab index {corpus.folder} .* --encoder-unit elements"),
    ):
        DenseRetriever(corpus, index, encoder)
    assert index_corpus(corpus, encoder, DenseUnit.ELEMENTS) == (2, 2, 1, 1, 2, 3)
    with open_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index:
        (hits,) = DenseRetriever(corpus, index, encoder).retrieve([Claim("1", "wet")], 10)
    assert {str(hit.element.id) for hit in hits} == {
        "Nile_sentence_0",
        "Nile_sentence_1",
        "Nile_sentence_2",
        "Mozart_passage_0",
    }
    assert hits[0].element.text == "It is wet."


def test_an_interrupted_build_goes_on(corpus: Store, encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veritab.retrieve.dense.retriever._BATCH", 2)
    monkeypatch.setattr("veritab.retrieve.dense.retriever._COMMIT", 1)
    with create_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index:
        first = next(build(corpus, index, encoder, DenseUnit.ELEMENTS))
    assert (first.done, first.total, first.added) == (1, 3, 5)
    with open_vectors(corpus, encoder, DenseUnit.ELEMENTS) as index, pytest.raises(StaleIndex):
        DenseRetriever(corpus, index, encoder)
    done = index_corpus(corpus, encoder, DenseUnit.ELEMENTS)
    assert done == (3, 3, 1, 0, 5, 0)


def test_a_page_that_goes_while_an_index_is_open_is_told(corpus: Store, encoder: Encoder) -> None:
    for unit in DenseUnit:
        index_corpus(corpus, encoder, unit)
        with open_vectors(corpus, encoder, unit) as index:
            retriever = DenseRetriever(corpus, index, encoder)
            write(corpus.folder, NILE)
            with pytest.raises(StaleIndex, match=r"has no '(Mozart|Empty)_"):
                retriever.retrieve([Claim("1", "Mozart")], 10)
        write(corpus.folder, NILE, MOZART, EMPTY)


def test_another_encoder_builds_everything_anew(corpus: Store, encoder: Encoder, tmp_path: Path) -> None:
    index_corpus(corpus, encoder, DenseUnit.ELEMENTS)
    other = Encoder.open(make_encoder(tmp_path / "other", [*_VOCABULARY, "more"]))
    with pytest.raises(StaleIndex, match="another encoder"):
        open_vectors(corpus, other, DenseUnit.ELEMENTS)
    assert index_corpus(corpus, other, DenseUnit.ELEMENTS) == (3, 3, 6, 0, 0, 0)
