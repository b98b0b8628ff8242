"""Running text with its links."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus.inline import BREAK, clean_line, clean_lines, link_mark, split_sentences
from veritab.schema import Link

PIECES = st.lists(
    st.one_of(
        st.text(alphabet=" ab.é\u0301\n\t\u00a0", max_size=6),
        st.builds(link_mark, st.sampled_from(["T", "U v"]), st.text(alphabet=" xy.", max_size=5)),
        st.just(BREAK),
    ),
    max_size=8,
)


@given(PIECES)
def test_links_lie_on_their_words_and_white_space_is_single(pieces: list[str]) -> None:
    for finish in (clean_line, clean_lines):
        text, links = finish("".join(pieces))
        assert text == text.strip()
        assert "  " not in text
        assert all(text[link.start : link.end].strip() == text[link.start : link.end] != "" for link in links)
        assert all(before.end <= after.start for before, after in pairwise(links))


def test_a_break_is_a_space_in_prose_and_a_newline_in_a_cell() -> None:
    raw = f"United States{BREAK}{BREAK} {link_mark('Canada', 'Canada')}{BREAK}"
    assert clean_line(raw) == ("United States Canada", (Link(14, 20, "Canada"),))
    assert clean_lines(raw) == ("United States\nCanada", (Link(14, 20, "Canada"),))


def test_spaces_that_a_link_hid_are_squeezed_and_links_move_along() -> None:
    assert clean_line(f"a {link_mark('B', ' b ')} c") == ("a b c", (Link(2, 3, "B"),))


def test_a_sentence_never_ends_inside_a_link() -> None:
    text, links = clean_line(f"He joined the {link_mark('X', 'Go! Team. Band')} in May. It ended.")
    assert [sentence for _, sentence, _ in split_sentences(text, links)] == [
        "He joined the Go! Team. Band in May.",
        "It ended.",
    ]


def test_offsets_are_positions_in_the_paragraph() -> None:
    text, links = clean_line(f"One ends. {link_mark('T', 'Two')} goes on.")
    assert list(split_sentences(text, links)) == [(0, "One ends.", ()), (10, "Two goes on.", (Link(0, 3, "T"),))]


def test_a_web_address_as_the_words_of_a_link_stays_inside_the_link() -> None:
    assert clean_line(link_mark("X", "http://a.org/b") + " c") == ("<URL> c", (Link(0, 5, "X"),))


def test_invisible_characters_leave_no_double_space() -> None:
    assert clean_line("a \u200b b") == ("a b", ())
    assert clean_line(f"a \u200b {link_mark('B', 'b')}") == ("a b", (Link(2, 3, "B"),))


def test_a_break_around_a_link_keeps_the_words_apart() -> None:
    assert clean_lines(f"a{BREAK}{link_mark('B', f'{BREAK}b{BREAK}')}{BREAK}c") == ("a\nb\nc", (Link(2, 3, "B"),))
