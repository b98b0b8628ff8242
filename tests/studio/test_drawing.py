"""What is drawn by lot keeps the papers' rules and shares, and one seed gives one result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import InputError, NotFound
from veritab.schema import (
    Block,
    Cell,
    Element,
    ElementId,
    Item,
    Kind,
    Link,
    ListBlock,
    Page,
    Section,
    Sentence,
    TableBlock,
)
from veritab.studio.drawing import (
    FEVER_OVERLAP,
    FEVEROUS_OVERLAP,
    NO_OVERLAP,
    SENTENCES_AROUND,
    Highlight,
    OverlapRule,
    WantedAnswers,
    _plan,
    draw_highlights,
    draw_prescription,
    draw_source_sentences,
    introduction,
    read_dictionary,
    read_source_sentence,
    sentence_highlights,
    table_highlights,
)
from veritab.studio.vocabulary import (
    FEVEROUS_MUTATION_SHARES,
    ClaimType,
    HighlightKind,
    MutationType,
    PageRule,
    PrescribedTruth,
)

DRAWS = 10_000
LONG = "The river flows to the sea."


def assert_share(hits: int, draws: int, share: float) -> None:
    """That 99.9 % of fair draws would lie as near to the share: within 3.29 standard errors of the binomial."""
    width = NormalDist().inv_cdf(0.9995) * sqrt(share * (1 - share) / draws)
    assert abs(hits / draws - share) <= width, f"{hits} of {draws} is not {share:.4f} ± {width:.4f}"


def sentences(*texts: str, start: int = 0) -> list[Block]:
    return [Sentence(number, text) for number, text in enumerate(texts, start)]


def table(rows: int, number: int = 0, *, infobox: bool = False) -> TableBlock:
    return TableBlock(number, tuple((Cell(f"row {row}"), Cell("1")) for row in range(rows)), infobox=infobox)


def page(*blocks: Block, title: str = "Danube") -> Page:
    return Page(title, blocks)


def numbers(highlights: Iterable[Highlight]) -> list[list[int]]:
    return [[id.path[0] for id in highlight.elements] for highlight in highlights]


# -- highlights of a page ----------------------------------------------------------------------------------


def test_four_sentences_in_a_row_are_a_highlight() -> None:
    (highlight,) = sentence_highlights(page(*sentences(*[LONG] * 4)))
    ids = tuple(ElementId("Danube", Kind.SENTENCE, (number,)) for number in range(4))
    assert highlight == Highlight("Danube", HighlightKind.SENTENCES, ids)


def test_every_four_of_a_longer_row_may_be_drawn() -> None:
    assert numbers(sentence_highlights(page(*sentences(*[LONG] * 6)))) == [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]


@pytest.mark.parametrize(
    "between",
    [Section(0, "Course", 2), ListBlock(0, (Item("Inn"),)), table(6)],
    ids=["heading", "list", "table"],
)
def test_a_block_between_sentences_breaks_them_apart(between: Block) -> None:
    assert not sentence_highlights(page(*sentences(LONG, LONG), between, *sentences(LONG, LONG, start=2)))


def test_a_sentence_of_fewer_than_five_words_breaks_the_row() -> None:
    assert not sentence_highlights(page(*sentences(LONG, LONG, "It is long, too.", LONG, LONG)))
    assert sentence_highlights(page(*sentences(LONG, LONG, "It is long now, too.", LONG)))


def test_marks_are_no_words() -> None:
    assert not sentence_highlights(page(*sentences(*["Long – ( wide ) – old ."] * 4)))


def test_a_new_paragraph_does_not_break_sentences_apart() -> None:
    row = [Sentence(number, LONG, offset=0 if number in (0, 2) else 30) for number in range(4)]
    assert len(sentence_highlights(page(*row))) == 1


@pytest.mark.parametrize(("rows", "fits"), [(4, False), (5, True), (50, True), (51, False)])
def test_a_table_of_5_to_50_rows_is_a_highlight(rows: int, fits: bool) -> None:
    found = table_highlights(page(table(rows, number=3)))
    wanted = Highlight("Danube", HighlightKind.TABLE, (ElementId("Danube", Kind.TABLE, (3,)),))
    assert found == ([wanted] if fits else [])


def test_an_infobox_is_a_table() -> None:
    assert table_highlights(page(table(7, infobox=True)))


def test_rows_without_text_do_not_count() -> None:
    pictures = TableBlock(0, ((Cell("Map", header=True),), *[(Cell(""), Cell(""))] * 8, ()))
    assert not table_highlights(page(pictures))


# -- highlights of many pages ------------------------------------------------------------------------------

TEXT, BOTH = sentences(*[LONG] * 5), [*sentences(*[LONG] * 5), table(6)]
SORTS: dict[str, Sequence[Block]] = {"text": TEXT, "table": [table(6)], "both": BOTH, "none": sentences(LONG)}


def corpus(**counts: int) -> list[Page]:
    """Pages of each sort, mixed, each called after its sort."""
    pages = [page(*SORTS[sort], title=f"{sort} {n}") for sort, count in counts.items() for n in range(count)]
    Random(3).shuffle(pages)
    return pages


def kinds(highlights: Iterable[Highlight], sort: str = "") -> Counter[HighlightKind]:
    return Counter(highlight.kind for highlight in highlights if highlight.page.startswith(sort))


@pytest.mark.parametrize(
    "counts",
    [
        {"both": 600},
        {"text": 500, "table": 100, "both": 300, "none": 50},
        {"text": 100, "table": 500, "both": 300},
        {"text": 1000, "table": 300, "both": 0},
        {"text": 2000, "table": 0, "both": 300},
    ],
)
def test_sentences_to_tables_is_1_to_2_over_all_and_where_pages_have_both(counts: dict[str, int]) -> None:
    drawn = draw_highlights(corpus(**counts), 300, Random(1))
    assert kinds(drawn) == {HighlightKind.SENTENCES: 100, HighlightKind.TABLE: 200}
    of_both = kinds(drawn, "both")
    assert bool(of_both) == bool(counts["both"])
    assert abs(of_both[HighlightKind.TABLE] - 2 * of_both[HighlightKind.SENTENCES]) <= 2


def test_a_page_is_used_once() -> None:
    drawn = draw_highlights(corpus(text=40, table=40, both=40), 120, Random(2))
    assert len({highlight.page for highlight in drawn}) == len(drawn) == 120


def test_one_kind_fills_up_where_the_other_runs_out() -> None:
    assert kinds(draw_highlights(corpus(text=50, table=3), 30, Random(1))) == {
        HighlightKind.SENTENCES: 27,
        HighlightKind.TABLE: 3,
    }
    assert kinds(draw_highlights(corpus(table=50), 30, Random(1))) == {HighlightKind.TABLE: 30}


def test_where_pages_run_out_there_are_fewer_highlights() -> None:
    assert len(draw_highlights(corpus(text=4, both=3, none=9), 100, Random(1))) == 7
    assert draw_highlights([], 5, Random(1)) == []
    assert draw_highlights(corpus(both=3), 0, Random(1)) == []


def test_one_seed_draws_the_same_highlights_and_another_others() -> None:
    pages = corpus(text=50, table=50, both=50)
    first = draw_highlights(pages, 30, Random(7))
    assert first == draw_highlights(iter(pages), 30, Random(7))
    assert first != draw_highlights(pages, 30, Random(8))


def test_highlights_drawn_one_by_one_keep_the_ratio_too() -> None:
    rng, pages = Random(5), corpus(text=4, table=1, both=1)
    drawn = [draw_highlights(pages, 1, rng)[0] for _ in range(DRAWS)]
    assert_share(kinds(drawn)[HighlightKind.SENTENCES], DRAWS, 1 / 3)


def test_pages_of_a_sort_are_equally_likely() -> None:
    rng, pages = Random(6), corpus(both=10)
    drawn = Counter(highlight.page for _ in range(DRAWS // 4) for highlight in draw_highlights(pages, 4, rng))
    for each in pages:
        assert_share(drawn[each.title], DRAWS, 1 / 10)


def test_places_on_a_page_are_equally_likely() -> None:
    rng, pages = Random(6), [page(*sentences(*[LONG] * 8))]
    drawn = Counter(draw_highlights(pages, 1, rng)[0].elements[0].path[0] for _ in range(DRAWS))
    assert set(drawn) == set(range(5))
    for hits in drawn.values():
        assert_share(hits, DRAWS, 1 / 5)


SIZES = st.integers(0, 60)


@given(SIZES, SIZES, SIZES, SIZES, st.integers())
def test_a_plan_asks_of_no_page_what_it_has_not(count: int, text: int, tables: int, both: int, seed: int) -> None:
    plan = _plan(count, text, tables, both, Random(seed))
    wanted = min(count, text + tables + both)
    assert sum(plan) == wanted
    assert min(plan) >= 0
    assert plan.text_only <= text
    assert plan.table_only <= tables
    assert plan.both_sentences + plan.both_tables <= both
    drawn_sentences = plan.text_only + plan.both_sentences
    if wanted / 3 + 1 <= text + both and wanted * 2 / 3 + 1 <= tables + both:
        assert abs(drawn_sentences - wanted / 3) < 1


# -- source sentences --------------------------------------------------------------------------------------


def river(title: str = "Danube") -> Page:
    links = (Link(4, 10, title), Link(25, 32, "Germany"), Link(37, 44, "Austria"), Link(25, 32, "Germany"))
    first = Sentence(0, "The Danube flows through Germany and Austria.", links)
    body = Sentence(3, "It rises in the Black Forest of Germany.")
    return page(table(6), first, *sentences("It is long.", "…", start=1), Section(0, "Course", 2), body, title=title)


def test_the_introduction_ends_with_the_first_section() -> None:
    assert [id.path for id in introduction(river())] == [(0,), (1,)]


def test_a_heading_that_repeats_a_documents_title_begins_no_section() -> None:
    blocks = (Section(0, "Report", 1), *sentences(LONG), Section(1, "Rivers", 2), *sentences(LONG, start=1))
    assert [id.path for id in introduction(Page("Report", blocks, file="report.docx"))] == [(0,)]
    assert introduction(Page("Report", blocks)) == []


def test_a_source_sentence_comes_with_its_neighbours() -> None:
    pages = page(*sentences(*(f"Sentence number {number}." for number in range(20))))
    source = read_source_sentence(pages, ElementId("Danube", Kind.SENTENCE, (9,)), lambda title: None)
    assert source.sentence.text == "Sentence number 9."
    assert [element.id.path[0] for element in source.before] == list(range(9 - SENTENCES_AROUND, 9))
    assert [element.id.path[0] for element in source.after] == list(range(10, 10 + SENTENCES_AROUND))
    first = read_source_sentence(pages, ElementId("Danube", Kind.SENTENCE, (0,)), lambda title: None)
    assert first.before == ()


def test_the_dictionary_has_the_first_sentence_of_each_linked_page_once() -> None:
    pages = {
        "Germany": page(table(2), *sentences("Germany is a country.", "Its capital is Berlin."), title="Germany"),
        "Danube": river(),
    }
    source = read_source_sentence(river(), ElementId("Danube", Kind.SENTENCE, (0,)), pages.get)
    assert [(entry.term, entry.sentence.text) for entry in source.dictionary] == [("Germany", "Germany is a country.")]
    assert source.dictionary[0].sentence.id == ElementId("Germany", Kind.SENTENCE, (0,))


def test_a_page_without_sentences_explains_nothing() -> None:
    links = (Link(0, 7, "Germany"),)
    sentence = Element(ElementId("Danube", Kind.SENTENCE, (0,)), "Germany is crossed.", links)
    assert read_dictionary(sentence, lambda title: page(table(6), title=title)) == ()


def test_a_sentence_that_is_gone_is_not_found() -> None:
    with pytest.raises(NotFound, match="Danube_sentence_9"):
        read_source_sentence(river(), ElementId("Danube", Kind.SENTENCE, (9,)), lambda title: None)
    with pytest.raises(NotFound, match="introduction of page 'Danube' has no sentence 'Danube_sentence_3'"):
        read_source_sentence(river(), ElementId("Danube", Kind.SENTENCE, (3,)), lambda title: None)


def test_source_sentences_of_all_introductions_are_equally_likely() -> None:
    pages = [page(*sentences(*["A sentence."] * count), title=f"P{count}") for count in (1, 3, 6)]
    rng = Random(4)
    drawn = Counter(id for _ in range(DRAWS) for id in draw_source_sentences(pages, 1, rng))
    assert len(drawn) == 10
    for hits in drawn.values():
        assert_share(hits, DRAWS, 1 / 10)


def test_source_sentences_are_drawn_alike_by_one_seed_and_once_a_page() -> None:
    pages = [river(f"River {number}") for number in range(30)]
    drawn = draw_source_sentences(pages, 20, Random(1))
    assert drawn == draw_source_sentences(iter(pages), 20, Random(1)) != draw_source_sentences(pages, 20, Random(2))
    assert len({id.page for id in drawn}) == 20
    assert len(draw_source_sentences(pages, 1000, Random(1))) == 30


# -- prescriptions -----------------------------------------------------------------------------------------


def test_truth_pages_and_the_claim_to_mutate_are_half_and_half() -> None:
    rng = Random(11)
    drawn = [draw_prescription(rng) for _ in range(DRAWS)]
    assert_share(sum(each.truth is PrescribedTruth.TRUE for each in drawn), DRAWS, 0.5)
    assert_share(sum(each.page_rule is PageRule.SAME_PAGE for each in drawn), DRAWS, 0.5)
    assert_share(sum(each.mutated is ClaimType.HIGHLIGHT_ONLY for each in drawn), DRAWS, 0.5)
    assert {each.mutated for each in drawn} == {ClaimType.HIGHLIGHT_ONLY, ClaimType.BEYOND_HIGHLIGHT}


@pytest.mark.parametrize("mutation", MutationType)
def test_mutations_have_the_shares_that_feverous_published(mutation: MutationType) -> None:
    rng = Random(12)
    drawn = Counter(draw_prescription(rng).mutation for _ in range(DRAWS))
    assert_share(drawn[mutation], DRAWS, FEVEROUS_MUTATION_SHARES.get(mutation, 0))


def test_what_is_drawn_for_one_claim_says_nothing_about_another() -> None:
    rng = Random(13)
    drawn = Counter(tuple(draw_prescription(rng)[:3]) for _ in range(DRAWS))
    assert len(drawn) == 8
    for hits in drawn.values():
        assert_share(hits, DRAWS, 1 / 8)


def test_a_prescription_is_drawn_alike_by_one_seed() -> None:
    assert [draw_prescription(Random(9)) for _ in range(3)] == [draw_prescription(Random(9))] * 3


# -- overlap -----------------------------------------------------------------------------------------------


def test_four_percent_of_fevers_claims_get_five_answers_and_one_percent_a_super_annotators() -> None:
    rng = Random(14)
    drawn = [FEVER_OVERLAP.draw(rng) for _ in range(DRAWS)]
    assert {each.annotators for each in drawn} == {1, 5}
    assert_share(sum(each.annotators == 5 for each in drawn), DRAWS, 0.04)
    assert_share(sum(each.super_annotator for each in drawn), DRAWS, 0.01)


def test_ten_percent_of_feverouss_claims_overlap_two_thirds_of_them_two_ways() -> None:
    rng = Random(15)
    drawn = [FEVEROUS_OVERLAP.draw(rng) for _ in range(DRAWS)]
    answers = Counter(each.annotators for each in drawn)
    assert_share(DRAWS - answers[1], DRAWS, 0.1)
    assert_share(answers[2], DRAWS - answers[1], 2 / 3)
    assert_share(answers[3], DRAWS - answers[1], 1 / 3)
    assert not any(each.super_annotator for each in drawn)


def test_a_plain_project_sets_its_own_overlap() -> None:
    rng = Random(16)
    drawn = Counter(OverlapRule({4: 0.25}).draw(rng).annotators for _ in range(DRAWS))
    assert_share(drawn[4], DRAWS, 0.25)
    assert {OverlapRule({3: 1.0}).draw(rng) for _ in range(100)} == {WantedAnswers(3)}
    assert {NO_OVERLAP.draw(rng) for _ in range(100)} == {WantedAnswers(1)}


def test_an_impossible_overlap_is_refused_with_its_value() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1, not 10; 10 % is 0\.1"):
        OverlapRule({2: 10})
    with pytest.raises(InputError, match=r"between 0 and 1, not -0\.1"):
        OverlapRule({}, super_share=-0.1)
    with pytest.raises(InputError, match=r"add up to 1 at most, not to 1\.2"):
        OverlapRule({2: 0.6, 3: 0.6})
    with pytest.raises(InputError, match="two or more are wanted, not 1"):
        OverlapRule({1: 0.5})
