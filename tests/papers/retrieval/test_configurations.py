"""The papers' retrievers by name: what each finds on a few pages, and what it says when asked for nonsense."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from veritab.corpus import open_corpus
from veritab.corpus.store import Store, pack_page
from veritab.errors import InputError, StaleIndex
from veritab.papers.retrieval import configurations as papers
from veritab.papers.retrieval.configurations import CapitalisedTitles, retriever, selector
from veritab.papers.retrieval.tfidf import HashedTfidf
from veritab.schema import (
    Cell,
    Claim,
    Element,
    ElementId,
    Hit,
    Item,
    Kind,
    ListBlock,
    Page,
    Passage,
    Redirect,
    Section,
    Sentence,
    TableBlock,
)


def table(number: int, *rows: tuple[str, ...], caption: str = "") -> TableBlock:
    return TableBlock(number, tuple(tuple(Cell(text) for text in row) for row in rows), caption)


PAGES = (
    Page(
        "Mount Everest",
        (
            Sentence(0, "Mount Everest is the highest mountain above sea level."),
            Sentence(1, "It lies on the border of Nepal and China."),
            Section(0, "Ascents", 2),
            Sentence(2, "Edmund Hillary and Tenzing Norgay reached the summit in 1953."),
            table(0, ("Year", "Climbers"), ("1953", "Edmund Hillary"), ("1980", "Reinhold Messner"), caption="Ascents"),
            table(1, ("Camp", "Metres"), ("Base", "5364")),
            table(2, ("", "")),
            ListBlock(0, (Item("Edmund Hillary reached the summit in 1953"),)),
        ),
    ),
    Page("K2", (Sentence(0, "K2 is the second highest mountain, in Pakistan."),)),
    Page("Nepal", (Sentence(0, "Nepal is a country in Asia."), Sentence(1, "Its capital is Kathmandu."))),
    Page("Edmund Hillary", (Sentence(0, "Edmund Hillary was a beekeeper from New Zealand."),)),
    Page("2014 FIFA World Cup", (Sentence(0, "The tournament was held in Brazil."),)),
    Page("Isle of Man", (Sentence(0, "An island in the Irish Sea."),)),
    Page("東京", (Sentence(0, "東京 is the capital of Japan."),)),
    Page("Bees", (Passage(0, "Bees make honey."), Passage(1, "A beekeeper keeps them."))),
)
ODD_CLAIMS = [
    "",
    "the of and is",
    "?!… — «»",
    "जापान की राजधानी",
    "東京",
    "\x00\ud800",
    "Everest " * 12_500,
    "É" * 100_000,
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.create(tmp_path_factory.mktemp("corpus")) as store:
        fill(store, *PAGES, Redirect("Chomolungma", "Mount Everest"))
        yield store


def fill(store: Store, *reads: Page | Redirect) -> None:
    source = store.source_id("test", "reader")
    with store.transaction():
        for record, read in enumerate(reads):
            if isinstance(read, Page):
                store.add(source, pack_page(read), b"digest", record)
            else:
                store.add_redirect(source, read, b"digest")
        store.finish(source)


def claim(text: str) -> Claim:
    return Claim("1", text)


def on_page(title: str) -> Hit:
    return Hit(Element(ElementId(title, Kind.TITLE), title), 1.0, "test")


def ids(hits: list[Hit]) -> list[str]:
    return [str(hit.element.id) for hit in hits]


# -- pages and passages ------------------------------------------------------------------------------------


def test_drqa_finds_pages_as_hits_on_their_titles(store: Store) -> None:
    finder = retriever("drqa", store)
    first, second = finder.retrieve([claim("Kathmandu is the capital."), claim("Hillary reached the summit.")], 2)
    assert ids(first) == ["Nepal_title", "東京_title"]
    assert ids(second) == ["Mount Everest_title", "Edmund Hillary_title"]
    assert first[0].element == store.page("Nepal").elements[0]
    assert {hit.by for hit in first} == {"drqa"}


def test_drqa_reads_titles_and_prose_but_no_tables_lists_or_headings(store: Store) -> None:
    found = retriever("drqa", store).retrieve([claim("Messner"), claim("Ascents"), claim("FIFA")], 5)
    assert [ids(hits) for hits in found] == [[], [], ["2014 FIFA World Cup_title"]]


def test_passages_are_found_with_the_words_of_their_title(store: Store) -> None:
    finder = retriever("drqa-passages", store)
    found = finder.retrieve([claim("beekeeper bees")], 5)[0]
    assert ids(found)[:2] == ["Bees_passage_1", "Bees_passage_0"]
    assert found[0].element == store.element("Bees_passage_1")
    assert found[0].by == "drqa-passages"


def test_pages_without_passages_are_cut_into_them(store: Store) -> None:
    found = retriever("drqa-passages", store).retrieve([claim("Tenzing Norgay")], 5)[0]
    assert ids(found) == ["Mount Everest_passage_1"]
    assert found[0].element.text.startswith("Edmund Hillary and Tenzing")
    assert [context.text for context in found[0].element.context] == ["Mount Everest", "Ascents"]


def test_the_caller_may_watch_the_pages_go_by(store: Store) -> None:
    seen = []

    def watched() -> Iterator[Page]:
        for page in store.pages():
            seen.append(page.title)
            yield page

    finder = retriever("drqa", store, pages=watched())
    assert sorted(seen) == sorted(page.title for page in PAGES)
    assert finder.retrieve([claim("Nepal")], 1) == retriever("drqa", store).retrieve([claim("Nepal")], 1)


def test_a_saved_index_is_used_only_for_its_own_corpus_and_configuration(tmp_path: Path) -> None:
    with Store.create(tmp_path / "corpus") as store:
        fill(store, *PAGES)
        papers.drqa(store)._index.save(tmp_path / "index")
        index = HashedTfidf.load(tmp_path / "index")
        finder = retriever("drqa", store, index=index)
        assert ids(finder.retrieve([claim("Kathmandu")], 1)[0]) == ["Nepal_title"]
        with pytest.raises(StaleIndex, match="'drqa-passages'"):
            retriever("drqa-passages", store, index=index)
        store.remove("Nepal")
        with pytest.raises(StaleIndex, match="build it again"):
            retriever("drqa", store, index=index)
        with pytest.raises(StaleIndex, match="build it again"):
            finder.retrieve([claim("Kathmandu")], 1)


def test_a_passage_that_is_gone_makes_its_index_stale(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        fill(store, *PAGES)
        finder = retriever("drqa-passages", store)
        store.remove("Bees")
        with pytest.raises(StaleIndex, match="build it again"):
            finder.retrieve([claim("beekeeper bees")], 5)


# -- elements ----------------------------------------------------------------------------------------------


def test_sentences_of_the_given_pages_are_ranked(store: Store) -> None:
    chosen = selector("unigram-sentences", store).select(
        [claim("Kathmandu is the capital of Nepal."), claim("Honey")],
        [[on_page("Nepal"), on_page("K2")], [on_page("Bees"), on_page("K2")]],
    )
    assert [ids(hits) for hits in chosen] == [["Nepal_sentence_1", "Nepal_sentence_0"], ["Bees_passage_0"]]
    assert chosen[0][0].by == "unigram-sentences"


def test_a_word_that_every_sentence_holds_does_not_empty_the_ranking(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        fill(store, Page("Owls", tuple(Sentence(number, "Owls") for number in range(7))))
        for name in ("unigram-sentences", "drqa-sentences", "feverous-elements"):
            chosen = selector(name, store).select([claim("Owls")], [[on_page("Owls")]])[0]
            assert ids(chosen) == [f"Owls_sentence_{number}" for number in range(5)]


def test_a_hit_that_is_no_page_stands_for_itself_and_counts_once(store: Store) -> None:
    sentence = Hit(store.element("Nepal_sentence_0"), 1.0, "test")
    cell = Hit(store.element("Mount Everest_cell_0_1_1"), 1.0, "test")
    chosen = selector("drqa-sentences", store, limit=2).select([claim("Nepal")], [[sentence, cell]])[0]
    assert ids(chosen) == ["Nepal_sentence_0"]
    both = [[on_page("Nepal"), sentence, on_page("Nepal")]]
    assert ids(selector("drqa-sentences", store).select([claim("Nepal")], both)[0]) == ["Nepal_sentence_0"]
    handed = [[Hit(store.element("Mount Everest_table_0"), 1.0, "test")]]
    chosen = selector("feverous-elements", store).select([claim("Reinhold Messner")], handed)[0]
    assert ids(chosen) == ["Mount Everest_table_0"]


def test_pairs_of_words_make_drqas_sentences_differ_from_plain_ones(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        fill(store, Page("Cats", (Sentence(0, "White house cat"), Sentence(1, "House white cat"))))
        hits = [[on_page("Cats")]]
        order = [ids(selector(name, store).select([claim("house white")], hits)[0])[0][-1] for name in papers.SELECTORS]
        assert dict(zip(papers.SELECTORS, order, strict=True)) == {
            "drqa-sentences": "1",
            "unigram-sentences": "0",
            "feverous-elements": "1",
        }


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def test_named_pages_come_first_and_tf_idf_fills_up(store: Store) -> None:
    finder = retriever("feverous-pages", store)
    found = finder.retrieve([claim("The highest mountain of Nepal is Chomolungma.")], 3)[0]
    assert ids(found) == ["Mount Everest_title", "Nepal_title", "K2_title"]
    assert [hit.by for hit in found] == ["feverous-entity", "feverous-entity", "feverous-tfidf"]
    assert sorted((hit.score for hit in found), reverse=True) == [hit.score for hit in found]
    assert len(finder.retrieve([claim("The highest mountain of Nepal is Chomolungma.")], 1)[0]) == 1


def test_only_introductions_are_matched(store: Store) -> None:
    assert retriever("feverous-pages", store).retrieve([claim("Who was tenzing norgay?")], 5) == [[]]


def test_the_baseline_gives_sentences_then_tables_and_no_lists(store: Store) -> None:
    finder = retriever("feverous-baseline", store)
    climbed = claim("Edmund Hillary climbed Mount Everest in 1953.")
    found = finder.retrieve([climbed], 8)[0]
    assert ids(found) == [
        "Mount Everest_sentence_2",
        "Mount Everest_sentence_0",
        "Edmund Hillary_sentence_0",
        "Mount Everest_table_0",
    ]
    assert [hit.by for hit in found] == ["feverous-sentences"] * 3 + ["feverous-tables"]
    assert finder.retrieve([climbed], 1)[0] == found[:1]


def test_any_callable_can_match_entities(store: Store) -> None:
    finder = retriever("feverous-pages", store, matcher=lambda text: ["Isle of Man", "no such page", "Chomolungma"])
    assert ids(finder.retrieve([claim("?")], 5)[0]) == ["Isle of Man_title", "Mount Everest_title"]


def test_the_longest_capitalised_stretches_that_are_titles_are_matched(store: Store) -> None:
    match = CapitalisedTitles(store)
    assert match("The Isle of Man and K2's ridge at the 2014 FIFA World Cup.") == ["Isle of Man", "2014 FIFA World Cup"]
    assert match("Is Chomolungma in Nepal, nepal or Nepal?") == ["Mount Everest", "Nepal"]
    assert match("東京") == ["東京"]


# -- by name -----------------------------------------------------------------------------------------------


def test_an_unknown_name_or_option_is_told_the_nearest_known_one(store: Store) -> None:
    with pytest.raises(InputError, match="'drqa-pasages' is no retriever; did you mean 'drqa-passages'"):
        retriever("drqa-pasages", store)
    with pytest.raises(InputError, match="did you mean 'unigram-sentences'"):
        selector("unigram", store)
    with pytest.raises(InputError, match="is no option of 'drqa-sentences'; did you mean 'limit'"):
        selector("drqa-sentences", store, limits=3)
    with pytest.raises(InputError, match="did you mean"):
        retriever("", store)


def test_every_name_is_told_of_in_the_table(store: Store) -> None:
    assert papers.__doc__ is not None
    for name in (*papers.RETRIEVERS, *papers.SELECTORS):
        assert f"| `{name}` |" in papers.__doc__


@pytest.mark.parametrize("name", papers.RETRIEVERS)
def test_odd_claims_get_an_answer(name: str, store: Store) -> None:
    finder = retriever(name, store)
    found = finder.retrieve([claim(text) for text in ODD_CLAIMS], 5)
    assert [len(hits) for hits in found[:4]] == [0, 0, 0, 0]
    with pytest.raises(InputError, match="1 or more"):
        finder.retrieve([claim("Nepal")], 0)
    assert finder.retrieve([], 5) == []


@pytest.mark.parametrize("name", papers.SELECTORS)
def test_odd_claims_select_nothing_wrong(name: str, store: Store) -> None:
    pages = [on_page(page.title) for page in PAGES]
    chosen = selector(name, store).select([claim(text) for text in ODD_CLAIMS], [pages] * len(ODD_CLAIMS))
    assert [len(hits) for hits in chosen[:4]] == [0, 0, 0, 0]
    assert ids(chosen[6]) == ["Mount Everest_sentence_0"]
    assert selector(name, store).select([claim("Nepal")], [[]]) == [[]]


def test_an_empty_corpus_gives_no_hits(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        for name in papers.RETRIEVERS:
            assert retriever(name, store).retrieve([claim("Everest is high.")], 5) == [[]]


def test_the_almanac_answers_through_the_baseline() -> None:
    almanac = open_corpus()
    assert isinstance(almanac, Store)
    with almanac:
        title = next(almanac.titles())
        found = retriever("feverous-baseline", almanac).retrieve([claim(f"{title} is well known.")], 8)[0]
        assert title in {hit.element.id.page for hit in found}
        assert len(found) <= 8
