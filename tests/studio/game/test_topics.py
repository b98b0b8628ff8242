"""Topics: from categories, folders, hubs or sections, every page in exactly one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.retrieve.corpora import fill
from tests.studio.game.writers import corpus_of
from veritab.corpus import open_corpus
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.errors import InputError, NotFound
from veritab.schema import Link, Page, Section, Sentence
from veritab.studio.game.topics import EVERYTHING, OTHERS, Topics, find_topics, topics_of


def found_in(folder: Path, pages: Iterable[Page]) -> Topics:
    fill(folder, pages)
    with Store.open(folder) as store:
        topics = find_topics(store)
        sorted_under = Counter(title for topic in topics.names() for title in topics.pages(topic))
        assert sorted_under == Counter(store.titles())
        assert topics.pages() == tuple(sorted_under)
        assert all(title in topics.pages(topics.topic_of(title)) for title in store.titles())
    return topics


def plain(title: str, *categories: str) -> Page:
    return Page(title, (Sentence(0, f"{title} is here."),), categories=categories)


def test_the_almanac_is_sorted_by_its_categories() -> None:
    with open_corpus() as corpus:
        assert isinstance(corpus, Store)
        topics = find_topics(corpus)
    assert list(topics.names()) == [
        "Astronomy",
        "Chemical elements",
        "Cities",
        "Composers",
        "Countries",
        "Inventions",
        "Languages",
        "Mountains and waters",
        "Scientists",
        "Sports",
    ]
    assert topics.topic_of("Marie Curie") == "Scientists"
    assert sum(topics.names().values()) == 226


def test_a_page_of_two_categories_is_in_the_larger_one_and_small_ones_are_none(tmp_path: Path) -> None:
    rivers = [plain(f"River {number}", "Rivers", *["Small rivers"] * (number < 3)) for number in range(8)]
    lakes = [plain(f"Lake {number}", "Lakes", *["Rivers"] * (number == 0)) for number in range(6)]
    topics = found_in(tmp_path, [*rivers, *lakes, plain("Sea"), plain("Bay", "Bays")])
    assert topics.names() == {"Lakes": 5, "Rivers": 9, OTHERS: 2}
    assert topics.topic_of("Lake 0") == "Rivers"


def test_what_nearly_every_page_is_in_is_no_topic(tmp_path: Path) -> None:
    pages = [plain(f"Page {number}", "All pages", "Odd" if number % 2 else "Even") for number in range(20)]
    assert found_in(tmp_path, pages).names() == {"Even": 10, "Odd": 10}


def test_there_are_never_more_than_thirty_topics(tmp_path: Path) -> None:
    pages = [plain(f"Page {number}", f"Topic {number % 40}") for number in range(240)]
    names = found_in(tmp_path, pages).names()
    assert len(names) == 30
    assert names[OTHERS] == 6 * 11


def test_files_are_sorted_by_their_folders(tmp_path: Path) -> None:
    for folder in ("lakes", "rivers"):
        (tmp_path / "documents" / folder).mkdir(parents=True)
        for number in range(5):
            file = tmp_path / "documents" / folder / f"{folder}-{number}.md"
            file.write_text(f"# {folder} {number}\n\nThis is of {folder}.\n")
    with Store.create(tmp_path / "corpus") as store:
        list(Ingest(store, [tmp_path / "documents"], workers=1))
        assert find_topics(store).names() == {"lakes": 5, "rivers": 5}


def test_where_there_are_neither_pages_are_sorted_by_who_lists_them(tmp_path: Path) -> None:
    rivers, lakes = ([plain(f"{kind} {number}") for number in range(6)] for kind in ("River", "Lake"))
    lists = [
        Page(f"List of {kind}", tuple(Sentence(n, page.title, (Link(0, 4, page.title),)) for n, page in enumerate(of)))
        for kind, of in (("rivers", rivers), ("lakes", lakes))
    ]
    topics = found_in(tmp_path, [*rivers, *lakes, *lists])
    assert topics.names() == {"List of lakes": 7, "List of rivers": 7}


def test_pages_without_links_are_sorted_by_their_sections(tmp_path: Path) -> None:
    def with_section(title: str, heading: str) -> Page:
        return replace(plain(title), blocks=(Section(0, heading, 2), Sentence(0, "It is so.")))

    pages = [with_section(f"Page {number}", "Course" if number % 2 else "Climbing") for number in range(12)]
    assert found_in(tmp_path, pages).names() == {"Climbing": 6, "Course": 6}


def test_a_corpus_with_no_sign_of_topics_is_one(tmp_path: Path) -> None:
    assert found_in(tmp_path, map(plain, "abc")).names() == {EVERYTHING: 3}


def test_a_topic_or_page_that_is_not_there_is_named(tmp_path: Path) -> None:
    topics = found_in(tmp_path, map(plain, "abc"))
    with pytest.raises(InputError, match="this corpus has no topic 'Moons'; expected one of Everything"):
        topics.pages("Moons")
    with pytest.raises(NotFound, match="no page 'Moon' is in any topic"):
        topics.topic_of("Moon")


def test_topics_are_found_once_for_each_state_of_a_corpus(tmp_path: Path) -> None:
    with corpus_of(tmp_path, plain("a"), plain("b")) as checker:
        assert topics_of(checker) is topics_of(checker)
        before = topics_of(checker)
        fill(tmp_path, [plain("a"), plain("c")])
        assert topics_of(checker) is not before
        assert topics_of(checker).pages() == ("a", "c")
