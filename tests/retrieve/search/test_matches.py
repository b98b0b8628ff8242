"""Searching for people: what a query means, what is found, what is marked, and titles as one types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus.store import Store, pack_page
from veritab.errors import InputError, NotFound
from veritab.retrieve.index import Index, build_index
from veritab.retrieve.search.highlight import highlights
from veritab.retrieve.search.matches import Match, Search
from veritab.retrieve.search.query import QueryCondition, parse_query
from veritab.schema import Cell, Item, Kind, ListBlock, Page, Redirect, Section, Sentence, TableBlock
from veritab.text import terms


def table(number: int, caption: str, *rows: str) -> TableBlock:
    """A table of words; those with a star are headers."""
    return TableBlock(
        number,
        tuple(tuple(Cell(text.strip("*"), header=text.startswith("*")) for text in row.split("|")) for row in rows),
        caption,
    )


PAGES = [
    Page(
        "Mount Everest",
        (
            Sentence(0, "Mount Everest is the highest mountain on Earth."),
            Sentence(1, "It stands between Nepal and China."),
            Section(0, "Height", 2),
            Sentence(2, "Its height was measured again in 2020."),
            table(0, "Measured heights", "*Year|*Height (m)", "1955|8,848", "2020|8,849"),
        ),
    ),
    Page("K2", (Sentence(0, "K2 is the second-highest mountain."), Sentence(1, "It is not in Nepal."))),
    Page(
        "Himalayas",
        (
            Sentence(0, "The Himalayas hold many mountains."),
            ListBlock(0, (Item("Everest expeditions start in Nepal"), Item("Tea"))),
            table(0, "Peaks", "*Peak|*Height|*Country", "Everest|8,849|Nepal", "Kangchenjunga|8,586|India"),
        ),
    ),
    Page("Nepal", (Sentence(0, "Nepal is a country; its capital is Kathmandu."),)),
    Page("Żółta góra", (Sentence(0, "Эверест — гора. हिन्दी भाषा"),)),
]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    folder = tmp_path_factory.mktemp("corpus")
    with Store.create(folder) as store:
        source = store.source_id("test", "test")
        with store.transaction():
            for number, page in enumerate(PAGES):
                store.add(source, pack_page(page), page.title.encode(), number)
            store.add_redirect(source, Redirect("Chomolungma", "Mount Everest"), b"r")
            store.finish(source)
        for _ in build_index(store):
            pass
    opened = Search(Index(Store.open(folder)))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def almanac() -> Iterator[Search]:
    opened = Search.open()
    yield opened
    opened.close()


def ids(matches: list[Match]) -> list[str]:
    return [str(match.element.id) for match in matches]


def marked(match: Match) -> list[str]:
    return [match.element.text[start:end] for start, end in match.highlights]


# -- what a query means --


def test_words_phrases_fields_and_exclusions_are_told_apart() -> None:
    question = parse_query('the highest "Mount Everest" title:K2 section:"early life" -china kind:table page:"A b"')
    assert question.wanted == (("highest",),)
    assert question.required == (
        QueryCondition(("mount", "everest")),
        QueryCondition(("k2",), "title"),
        QueryCondition(("earli", "life"), "section"),
    )
    assert question.excluded == (QueryCondition(("china",)),)
    assert (question.kind, question.page) == (Kind.TABLE, "A b")


def test_stop_words_count_when_there_is_nothing_else() -> None:
    assert parse_query("who").wanted == (("who",),)
    assert parse_query("who is tall").wanted == (("tall",),)
    assert parse_query('"to be or not to be"').required == (QueryCondition(("to", "be", "or", "not", "to", "be")),)


def test_numbers_and_abbreviations_stay_together() -> None:
    assert parse_query("8,849 U.S. well-known everest^5").wanted == (
        ("8", "849"),
        ("u", "s"),
        ("well",),
        ("known",),
        ("everest",),
        ("5",),
    )
    assert parse_query("minus -5 degrees").excluded == ()


@pytest.mark.parametrize("query", ['foo:bar "', "foo:bar (", "foo:bar ~*^", "foo:bar \\", "foo: bar -"])
def test_what_is_no_syntax_is_just_words(query: str) -> None:
    assert parse_query(query).wanted == (("foo",), ("bar",))


@pytest.mark.parametrize("query", ["", "  ", "!?", '""', 'title:"" -', "kind:table", "-everest", "\x00", "\ud800"])
def test_a_query_without_words_finds_nothing(query: str, search: Search) -> None:
    assert search.search(query) == []


@given(st.text(alphabet=st.sampled_from('abk2 :"-()+^~*\\{}[]/\ud800é山titlekndpg'), max_size=40))
def test_any_query_is_read_and_asks_for_its_own_words_alone(query: str) -> None:
    question = parse_query(query)
    units = [*question.wanted, *(each.unit for each in (*question.required, *question.excluded))]
    assert all(units)
    assert {term for unit in units for term in unit} <= set(terms(query))
    assert question.kind is None or "kind:" in query.lower()
    assert question.page is None or question.page in query


@pytest.mark.parametrize("kind", [None, "page", "sentence", "table", "cell"])
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("a:b:c", "a b c"),
        ("(everest", "everest"),
        ('everest"', "everest"),
        ("+everest", "everest"),
        ("everest^2 ~1 *", "everest 2 1"),
        ("AND OR NOT everest", "everest"),
        ("[a TO b]", "a to b"),
    ],
)
def test_syntax_of_other_search_engines_is_read_as_words(
    query: str, words: str, kind: str | None, search: Search
) -> None:
    found = search.search(query, kind=kind)
    assert found == search.search(words, kind=kind)
    assert bool(found) is ("everest" in query)


def test_a_query_of_a_hundred_thousand_characters_is_answered(almanac: Search) -> None:
    words = " ".join(f"word{number}" for number in range(12_000)) + " everest"
    for query in ("x" * 100_000, '"' * 100_000, "title:x " * 12_000):
        assert almanac.search(query) == []
        assert almanac.suggest(query) == []
    assert almanac.search("everest " + words)[0].element.id.page == "Mount Everest"


# -- what is found --


def test_a_page_is_found_by_its_words_and_shows_its_best_sentence(search: Search) -> None:
    (first, *_) = search.search("everest china", kind="page")
    assert str(first.element.id) == "Mount Everest_title"
    assert marked(first) == ["Everest"]
    assert first.snippet is not None
    assert marked(first.snippet) == ["China"]


def test_a_page_is_found_by_another_name(search: Search) -> None:
    assert ids(search.search("chomolungma"))[0] == "Mount Everest_title"
    assert ids(search.search('"Chomolungma"', kind="page")) == ["Mount Everest_title"]


def test_sentences_and_items_are_found_with_their_context(search: Search) -> None:
    (match,) = search.search("measured", kind="sentence")
    assert str(match.element.id) == "Mount Everest_sentence_2"
    assert [near.text for near in match.element.context] == ["Mount Everest", "Height"]
    assert ids(search.search("expedition", kind="item")) == ["Himalayas_item_0_0"]
    assert ids(search.search("heights", kind="table_caption")) == ["Mount Everest_table_caption_0"]


def test_what_holds_every_word_comes_first(search: Search) -> None:
    assert ids(search.search("highest mountain earth", kind="sentence"))[0] == "Mount Everest_sentence_0"


def test_a_phrase_must_be_there_as_a_phrase(search: Search) -> None:
    assert ids(search.search('"highest mountain"', kind="sentence")) == ["K2_sentence_0", "Mount Everest_sentence_0"]
    assert search.search('"mountain highest"', kind="sentence") == []


def test_a_field_narrows_the_search(search: Search) -> None:
    assert ids(search.search("mountain title:k2", kind="sentence")) == ["K2_sentence_0"]
    assert ids(search.search("section:height", kind="sentence")) == ["Mount Everest_sentence_2"]
    assert ids(search.search("headers:country")) == ["Himalayas_table_0"]
    assert search.search("headers:country", kind="sentence") == []


def test_excluded_words_are_kept_out(search: Search) -> None:
    assert "K2_sentence_1" in ids(search.search("nepal", kind="sentence"))
    assert "K2_sentence_1" not in ids(search.search("nepal -k2", kind="sentence"))
    assert search.search("nepal -nepal") == []


def test_a_table_shows_the_rows_that_were_asked_for(search: Search) -> None:
    (match, *_) = search.search("kangchenjunga", kind="table")
    assert [[cell.element.text for cell in row] for row in match.rows] == [["Kangchenjunga", "8,586", "India"]]
    assert marked(match.rows[0][0]) == ["Kangchenjunga"]


def test_a_cell_is_found_by_its_text(search: Search) -> None:
    matches = search.search("8,849", kind="cell")
    assert set(ids(matches)) == {"Mount Everest_cell_0_2_1", "Himalayas_cell_0_1_1"}
    assert [marked(match) for match in matches] == [["8,849"], ["8,849"]]


def test_a_cell_is_found_where_its_row_and_its_column_meet(search: Search) -> None:
    (match, *_) = search.search("kangchenjunga height", kind="cell")
    assert (str(match.element.id), match.element.text) == ("Himalayas_cell_0_2_1", "8,586")
    assert [cell.element.text for cell in match.rows[0]] == ["Kangchenjunga", "8,586", "India"]


def test_what_a_cell_must_not_say_may_stand_elsewhere_in_its_table(search: Search) -> None:
    assert ids(search.search("everest -kangchenjunga", kind="cell"))[0] == "Himalayas_cell_0_1_0"


def test_header_cells_can_be_asked_for(search: Search) -> None:
    assert ids(search.search("country", kind="header_cell")) == ["Himalayas_header_cell_0_0_2"]


def test_everything_together_stands_in_one_list_best_first(search: Search) -> None:
    matches = search.search("everest height", k=20)
    assert {match.element.kind for match in matches} >= {Kind.TITLE, Kind.SENTENCE, Kind.TABLE}
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1.3 for score in scores)


def test_a_single_page_can_be_searched(search: Search) -> None:
    matches = search.search("everest height", page="Chomolungma")
    assert {match.element.id.page for match in matches} == {"Mount Everest"}
    assert "Mount Everest_sentence_0" in ids(matches)
    assert ids(matches) == ids(search.search('everest height page:"Mount Everest"'))
    assert ids(search.search("nepal", kind="cell", page="Himalayas")) == ["Himalayas_cell_0_1_2"]


def test_a_page_that_is_not_there_is_said_so_or_finds_nothing(search: Search) -> None:
    with pytest.raises(NotFound, match="Mount Evrest"):
        search.search("height", page="Mount Evrest")
    assert search.search('height page:"Mount Evrest"') == []


def test_an_unknown_kind_names_the_known_ones(search: Search) -> None:
    with pytest.raises(InputError, match=r"'picture'.*page, section, sentence"):
        search.search("x", kind="picture")


def test_no_more_than_asked_for_is_found(search: Search) -> None:
    assert len(search.search("everest", k=2)) == 2
    assert search.search("everest", k=0) == []


def test_other_scripts_are_found_and_marked(search: Search) -> None:
    (match, *_) = search.search("эверест", kind="sentence")
    assert marked(match) == ["Эверест"]
    assert ids(search.search("zolta gora", kind="page")) == ["Żółta góra_title"]
    assert "".join(marked(search.search("हिन्दी", kind="sentence")[0])).startswith("हिन")


# -- what is marked --


def test_words_are_marked_whatever_their_endings() -> None:
    text = "Mountains: the MOUNTAIN’s height; Mount Everest, mounts."
    spans = highlights(text, [("mountain",), ("mount", "everest")])
    assert [text[start:end] for start, end in spans] == ["Mountains", "MOUNTAIN", "Mount Everest"]


def test_overlapping_marks_become_one() -> None:
    spans = highlights("new york city", [("new", "york"), ("york", "citi")])
    assert spans == ((0, 13),)


# -- titles as one types --


def test_titles_are_completed(search: Search) -> None:
    assert search.suggest("mou") == ["Mount Everest"]
    assert search.suggest("K2") == ["K2"]
    assert search.suggest("zolt") == ["Żółta góra"]


def test_a_redirect_is_shown_as_the_title_it_leads_to(search: Search) -> None:
    assert search.suggest("chomo") == ["Mount Everest"]


def test_a_later_word_completes_a_title_too(search: Search) -> None:
    assert search.suggest("ever") == ["Mount Everest"]


@pytest.mark.parametrize("typed", ["Evrest", "Mont Evrest", "Mount Everst"])
def test_a_misspelt_title_is_found(typed: str, search: Search) -> None:
    assert search.suggest(typed) == ["Mount Everest"]


@pytest.mark.parametrize("typed", ["", "...", "zzzzz", "\ud800"])
def test_what_is_like_no_title_completes_to_nothing(typed: str, search: Search) -> None:
    assert search.suggest(typed) == []


# -- the almanac --


def test_the_almanac_is_indexed_when_it_is_first_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = Search.open()
    assert ids(first.search("everest"))[0] == "Mount Everest_title"
    (first.index.store.folder / "index" / "index.json").write_text("nonsense")
    first.close()
    again = Search.open()
    assert ids(again.search("everest"))[0] == "Mount Everest_title"
    again.close()


def test_the_almanac_answers_a_newcomer(almanac: Search) -> None:
    assert "Seven Summits_sentence_0" in ids(almanac.search("highest mountain"))
    assert {match.element.text for match in almanac.search("everest height", kind="cell", k=3)} == {"8,849", "29,032"}


def test_a_document_is_found_by_the_words_of_its_file_and_again_after_it_is_renamed(tmp_path: Path) -> None:
    report = Page("Harvest", (Sentence(0, "Wheat rose."),), file="reports/annual-2023.pdf", name="reports/annual-2023")
    other = Page("Harvest", (Sentence(0, "Rye fell."),), file="reports/annual-2024.pdf", name="reports/annual-2024")
    with Store.create(tmp_path) as store:
        source = store.source_id("test", "test")
        for record, pages in enumerate(([report], [report, other])):
            with store.transaction():
                for number, page in enumerate(pages):
                    store.add(source, pack_page(page), page.file.encode(), record * 2 + number)
                store.settle_titles()
            for _ in build_index(store):
                pass
            opened = Search(Index(Store.open(tmp_path)))
            found = opened.search("annual-2023.pdf", kind="page")
            opened.close()
            wanted = "Harvest" if len(pages) == 1 else "Harvest (reports/annual-2023)"
            assert found[0].element.id.page == wanted
