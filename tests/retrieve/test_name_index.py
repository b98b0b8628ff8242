"""Names: what a title, a redirect and the words of a link stand for, and what is left when they go."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.retrieve.corpora import EVEREST, K2, NEPAL, WORLD, indexed
from veritab.errors import DamagedStore
from veritab.retrieve.index import FOLDER, Index
from veritab.retrieve.name_index import FILE, NameIndex, NameSource, NameTarget, key, qualifier
from veritab.schema import Link, Page, Redirect, Sentence
from veritab.text import nfc, nfd, tokenize_for_index


def targets(folder: Path, reads: Iterable[Page | Redirect], *names: str) -> dict[str, list[NameTarget]]:
    """What names stand for once a corpus holds these."""
    with indexed(folder, reads) as store, Index(store) as index:
        return index.names.targets(map(key, names))


def linking(title: str, *links: tuple[str, str]) -> Page:
    """A page of links, each with its words and its target."""
    return Page(title, tuple(Sentence(n, w, (Link(0, len(w), target),)) for n, (w, target) in enumerate(links)))


@pytest.mark.parametrize(
    ("title", "short", "extra"),
    [
        ("Soul Food (film)", "Soul Food", "film"),
        ("Rome, Georgia", "Rome", "Georgia"),
        ("A (b) (c)", "A (b)", "c"),
        ("Washington, D.C.", "Washington", "D.C."),
        ("Paris, Texas (film)", "Paris, Texas", "film"),
        ("(film)", "(film)", ""),
        ("Mount Everest", "Mount Everest", ""),
        ("Empty ()", "Empty", ""),
        (", x", ", x", ""),
        ("", "", ""),
    ],
)
def test_a_qualifier_is_told_from_the_name(title: str, short: str, extra: str) -> None:
    assert qualifier(title) == (short, extra)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("AC/DC", "ac dc"),
        ("C++", "c"),
        ("!!!", ""),
        ("…", ""),
        ("東京", "東京"),
        ("Brasília", "brasilia"),
        ("Brasi\u0301lia", "brasilia"),
        ("Soul Food (film)", "soul food film"),
        ("\ud800x\x00", "x"),
        ("Snake_case", "snake case"),
    ],
)
def test_a_name_is_known_by_its_words(name: str, form: str) -> None:
    assert key(name) == form


def test_words_of_a_text_keep_their_place_and_their_capital() -> None:
    text = "Éclair and 3 C++ fans, 東京!"
    assert [(text[word.start : word.end], word.lower, word.is_proper) for word in tokenize_for_index(text)] == [
        ("Éclair", "eclair", True),
        ("and", "and", False),
        ("3", "3", True),
        ("C", "c", True),
        ("fans", "fans", False),
        ("東京", "東京", False),
    ]
    assert tokenize_for_index("…\x00\ud800 “”") == []


def test_the_words_of_a_text_and_of_a_name_are_the_same() -> None:
    for text in ("AC/DC", "Snake_case", "L'Équipe", "Mount Everest's", "12,000.5 m²", "ﬁne ½ ﷺ"):
        assert " ".join(word.lower for word in tokenize_for_index(text)) == key(text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("हिन्दी", "हिन्दी एक भाषा है"),
        ("กรุงเทพมหานคร", "In กรุงเทพมหานคร one eats well"),
        ("Joséphine Baker", nfc(nfd("When Joséphine Baker danced"))),
        ("Mount Everest", "On Mount\u200b Ever\u00adest it is cold – always"),
    ],
)
def test_names_are_found_in_texts_of_any_script(tmp_path: Path, title: str, text: str) -> None:
    with indexed(tmp_path, [Page(title, (Sentence(0, "x."),))]) as store, Index(store) as index:
        assert [[one.target for one in found] for found in index.names.spans(tokenize_for_index(text)).values()] == [
            [title]
        ]


def test_what_nobody_sees_hides_no_capital() -> None:
    assert [word.is_proper for word in tokenize_for_index("\ufeffEverest is – high")] == [True, False, False]


def test_a_word_too_long_to_be_one_leaves_the_others_in_place() -> None:
    text = f"Everest {'x' * 200} K2"
    assert [(text[word.start : word.end], word.lower) for word in tokenize_for_index(text)] == [
        ("Everest", "everest"),
        ("K2", "k2"),
    ]


def test_odd_titles_are_found_as_far_as_they_have_words(tmp_path: Path) -> None:
    long = ("endless " * 40).strip()
    odd = ["!!!", "…", "C++", "AC/DC", "東京", "(film)", long, "A (b) (c)", "Rome, Georgia", "Rome"]
    found = targets(tmp_path, [Page(title, (Sentence(0, "x."),)) for title in odd], *odd, "A (b)", "film", "")
    assert {name: [(m.target, m.how) for m in found[name]] for name in found} == {
        "c": [("C++", NameSource.TITLE)],
        "ac dc": [("AC/DC", NameSource.TITLE)],
        "東京": [("東京", NameSource.TITLE)],
        "film": [("(film)", NameSource.TITLE)],
        long: [(long, NameSource.TITLE)],
        "a b c": [("A (b) (c)", NameSource.TITLE)],
        "a b": [("A (b) (c)", NameSource.UNQUALIFIED)],
        "rome georgia": [("Rome, Georgia", NameSource.TITLE)],
        "rome": [("Rome", NameSource.TITLE), ("Rome, Georgia", NameSource.UNQUALIFIED)],
    }


def test_titles_redirects_and_the_words_of_links_stand_for_pages(tmp_path: Path) -> None:
    found = targets(tmp_path, WORLD, "Chomolungma", "Everest", "Mount Everest", "hillary", "nobody")
    assert found == {
        "chomolungma": [NameTarget("Chomolungma", NameSource.REDIRECT, 1)],
        "everest": [NameTarget("Mount Everest", NameSource.ANCHOR, 2)],
        "mount everest": [NameTarget("Mount Everest", NameSource.TITLE, 1)],
        "hillary": [NameTarget("Edmund Hillary", NameSource.ANCHOR, 1)],
    }


def test_counts_of_links_fall_when_a_page_goes_and_end_when_the_last_goes(tmp_path: Path) -> None:
    assert targets(tmp_path, WORLD, "Everest")["everest"] == [NameTarget("Mount Everest", NameSource.ANCHOR, 2)]
    assert targets(tmp_path, [EVEREST, K2], "Everest")["everest"] == [NameTarget("Mount Everest", NameSource.ANCHOR, 1)]
    assert targets(tmp_path, [EVEREST], "Everest", "Nepal", "K2") == {
        "nepal": [NameTarget("Nepal", NameSource.ANCHOR, 1)]
    }


def test_counts_of_links_follow_a_page_that_changes(tmp_path: Path) -> None:
    before = linking("List", ("Georgia", "Georgia (country)"), ("Georgia", "Georgia (country)"), ("Tbilisi", "Tbilisi"))
    after = linking("List", ("Georgia", "Georgia (country)"), ("GEORGIA", "Georgia (U.S. state)"))
    assert targets(tmp_path, [before], "Georgia")["georgia"] == [NameTarget("Georgia (country)", NameSource.ANCHOR, 2)]
    found = targets(tmp_path, [after], "Georgia", "Tbilisi", "List")
    assert found == {
        "georgia": [
            NameTarget("Georgia (U.S. state)", NameSource.ANCHOR, 1),
            NameTarget("Georgia (country)", NameSource.ANCHOR, 1),
        ],
        "list": [NameTarget("List", NameSource.TITLE, 1)],
    }


def test_redirects_come_change_and_go(tmp_path: Path) -> None:
    name = "Savage Mountain"
    assert targets(tmp_path, [K2, NEPAL], name) == {}
    expected = {"savage mountain": [NameTarget(name, NameSource.REDIRECT, 1)]}
    assert targets(tmp_path, [K2, NEPAL, Redirect(name, "K2")], name) == expected
    assert targets(tmp_path, [K2, NEPAL, Redirect(name, "Nepal")], name) == expected
    assert targets(tmp_path, [K2, NEPAL], name) == {}


def test_a_redirect_whose_title_becomes_a_page_is_a_title(tmp_path: Path) -> None:
    redirect = Redirect("Chomolungma", "K2")
    assert targets(tmp_path, [K2, redirect], "Chomolungma")["chomolungma"][0].how is NameSource.REDIRECT
    page = Page("Chomolungma", (Sentence(0, "x."),))
    found = targets(tmp_path, [K2, redirect, page], "Chomolungma")
    assert found == {"chomolungma": [NameTarget("Chomolungma", NameSource.TITLE, 1)]}
    assert targets(tmp_path, [K2, redirect], "Chomolungma")["chomolungma"][0].how is NameSource.REDIRECT


def test_names_are_found_inside_a_text(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store, Index(store) as index:
        words = tokenize_for_index("Climbing MOUNT Everest from Nepal, and the everest of k2")
        found = [(span.first, span.last, span.key) for span in index.names.spans(words)]
        assert found == [(1, 3, "mount everest"), (2, 3, "everest"), (4, 5, "nepal"), (7, 8, "everest"), (9, 10, "k2")]
        proper = [span.first for span in index.names.spans(words, proper_only=True)]
        assert proper == [1, 2, 4]
        assert index.names.spans([]) == {}


def test_a_stop_word_is_no_name_inside_a_text(tmp_path: Path) -> None:
    with indexed(tmp_path, [Page("It", (Sentence(0, "A novel."),))]) as store, Index(store) as index:
        assert index.names.spans(tokenize_for_index("It is it")) == {}
        assert index.names.targets(["it"])


def test_sizes_tell_how_much_is_written_on_a_page(tmp_path: Path) -> None:
    with indexed(tmp_path, [Page("P", (Sentence(0, "abc"), Sentence(1, "de")))]) as store, Index(store) as index:
        number = store.numbers_by_title(["P"])["P"]
        assert index.names.sizes([number, 999, -5]) == {number: 5}
        assert index.names.sizes([]) == {}


def test_a_beginning_is_completed_shortest_first(tmp_path: Path) -> None:
    titles = ["Mount Everest", "Mount Etna", "Mountain", "K2"]
    reads: list[Page | Redirect] = [Page(title, (Sentence(0, "x."),)) for title in titles]
    reads.append(Redirect("Mounties", "K2"))
    with indexed(tmp_path, reads) as store, Index(store) as index:
        assert index.names.complete("moun", 9) == ["Mountain", "Mounties", "Mount Etna", "Mount Everest"]
        assert index.names.complete("MOUNT E", 1) == ["Mount Etna"]
        assert index.names.complete("!!", 9) == []
        assert index.names.complete("\ud800", 9) == []
        assert index.names.complete("zzz", 9) == []


def test_every_thread_has_its_own_connection_and_closing_closes_all(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store, Index(store) as index:
        ready, release = threading.Barrier(4), threading.Event()

        def ask() -> None:
            index.names.targets(["k2"])
            ready.wait(10)
            release.wait(10)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait(10)
        assert len(index.names._connections) >= 3
        index.names.close()
        release.set()
        for thread in threads:
            thread.join()
        assert index.names.targets(["k2"]), "a closed dictionary opens again when it is asked"


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00", b"garbage" * 500])
def test_a_file_that_holds_no_names_is_told_of(tmp_path: Path, content: bytes) -> None:
    indexed(tmp_path, WORLD).close()
    (tmp_path / FOLDER / FILE).write_bytes(content)
    with pytest.raises(DamagedStore, match=r"veritab index --rebuild .*"):
        NameIndex(tmp_path / FOLDER)


def test_damage_in_the_middle_is_told_when_it_is_met(tmp_path: Path) -> None:
    indexed(tmp_path, WORLD).close()
    file = tmp_path / FOLDER / FILE
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    names = NameIndex(tmp_path / FOLDER)
    with pytest.raises(DamagedStore, match=f"veritab index --rebuild {tmp_path}"):
        names.targets(["k2"])
    names.close()
