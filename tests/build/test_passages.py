"""Passages found for questions: whole sentences of one page, best first, the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieve.corpora import indexed
from veritab.build.passages import PassageSearch, cut_passages
from veritab.errors import InputError
from veritab.schema import Cell, Item, ListBlock, Page, Passage, Section, Sentence, TableBlock

LONG = "Word " * 39 + "word."


@pytest.fixture
def search(tmp_path: Path) -> Iterator[PassageSearch]:
    pages = [
        Page("Danube", (Sentence(0, "The Danube is a river in Europe."), Sentence(1, "It flows through Vienna."))),
        Page("Rhine", (Sentence(0, "The Rhine is a river in Europe."), Sentence(1, "It flows through Cologne."))),
        Page("Vienna", (Sentence(0, "Vienna is the capital of Austria."),)),
        Page("Cologne", (Sentence(0, "Cologne is a city in Germany."),)),
    ]
    indexed(tmp_path / "corpus", pages).close()
    with PassageSearch.open(tmp_path / "corpus") as opened:
        yield opened


def test_the_passage_that_shares_the_rarest_words_comes_first(search: PassageSearch) -> None:
    found = search.find("through which city does the danube river flow?")
    assert found[0].title == "Danube"
    assert found[0].text == "The Danube is a river in Europe. It flows through Vienna."
    assert [str(id) for id in found[0].elements] == ["Danube_sentence_0", "Danube_sentence_1"]
    assert found[1].title == "Rhine"


def test_as_many_passages_are_found_as_were_asked_for(search: PassageSearch) -> None:
    assert len(search.find("which river flows through a city in europe?", 1)) == 1
    with pytest.raises(InputError, match="most is 0"):
        search.find("which river?", 0)


def test_a_question_without_a_word_of_the_corpus_finds_nothing(search: PassageSearch) -> None:
    assert search.find("zzyzx qwrt?") == []
    assert search.find("") == []


def test_a_passage_ends_between_sentences_at_about_a_hundred_words() -> None:
    page = Page("Words", tuple(Sentence(number, LONG) for number in range(5)))
    assert [[id.path[0] for id in each.elements] for each in cut_passages(page)] == [[0, 1, 2], [3, 4]]


def test_a_section_begins_a_new_passage_unless_the_last_is_short() -> None:
    first = (Sentence(0, "Short."), Section(0, "A", 2), Sentence(1, LONG), Sentence(2, LONG))
    page = Page("Words", (*first, Section(1, "B", 2), Sentence(3, "Last.")))
    assert [[id.path[0] for id in each.elements] for each in cut_passages(page)] == [[0, 1, 2], [3]]


def test_list_items_and_ready_made_passages_are_texts_and_cells_are_not() -> None:
    page = Page(
        "Mixed",
        (
            Passage(0, "A passage."),
            ListBlock(0, (Item("An item."), Item(""))),
            TableBlock(0, ((Cell("A cell"),),)),
        ),
    )
    (found,) = cut_passages(page)
    assert [str(id) for id in found.elements] == ["Mixed_passage_0", "Mixed_item_0_0"]
    assert found.text == "A passage. An item."


def test_a_sentence_longer_than_a_passage_is_kept_whole() -> None:
    (found,) = cut_passages(Page("Long", (Sentence(0, LONG * 4),)))
    assert found.text == LONG * 4


def test_a_term_weighs_the_more_the_fewer_texts_have_it(search: PassageSearch) -> None:
    weights = search.weights("which river is the danube?")
    assert list(weights) == ["river", "danub"]
    assert weights["danub"] > weights["river"] > 0
    assert search.weights("") == {}
