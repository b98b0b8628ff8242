"""Questions over tables in words that can be read, and claims that read as sentences."""

from __future__ import annotations

import pytest

from veritab.build.tables.letter_case import restore_case
from veritab.build.tables.wording import (
    add_articles,
    find_choice,
    find_strange_word,
    find_unreadable,
    is_broken,
    keeps_quotes,
    put_value_last,
    reword,
)
from veritab.datasets.table_questions import SourceTable

RACES = SourceTable(
    "t",
    "1994 Ohio Tigers season",
    (("Driver", "Team", "Points"), ("Ann Lee", "Houston Bulls", "12"), ("Bo Ek", "United States", "9")),
)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("what number of athletes won?", "how many athletes won?"),
        ("number of games in ohio", "what is the number of games in ohio"),
        ("name a rider that fell.", "what is a rider that fell."),
        ("what is difference in points?", "what is the difference in points?"),
        ("what year had the most goals?", "what was the year that had the most goals?"),
        ("how many number of stages are there?", "how many stages are there?"),
        ("how many of shows had 5 episodes?", "how many shows had 5 episodes?"),
        ("how many times total was it won?", "how many times was it won?"),
        ("where was the location in may?", "what was the location in may?"),
        ('how many are "pink?"', 'how many are "pink"?'),
        ("who won?", "who won?"),
    ],
)
def test_words_that_people_leave_out_are_put_in(asked: str, read: str) -> None:
    assert reword(asked) == read


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("the nation above chad", "it asks about the table itself"),
        ("who is next to bo ek?", "it asks about the table itself"),
        ("how many point is ann lee", "not converted: no rule reads this way of asking"),
        ("how long was ann lee in office?", "not converted: no rule reads this way of asking"),
        ("does any driver have 9 points?", "not converted: no rule reads this way of asking"),
        ("who is before bo ek?", "it asks about the table itself"),
        ("what is the title before the episode target?", "it asks about the table itself"),
        ("who the only driver from ohio?", "a word is missing"),
        ("is the are of ohio more than that of chad?", "a word is missing"),
        ("what is the least about of runs?", "a word is missing"),
        ("the least with scoring average", "a word is missing"),
        ("what is the difference in wins from ann lee and bo ek?", "not converted: no rule reads this way of asking"),
        ("who was before 1990 a driver?", ""),
        ("how many games were above 30,000?", ""),
        ("who ranked below ann lee?", ""),
        ("how many times was it won?", ""),
    ],
)
def test_what_gives_no_sentence_is_told(question: str, why: str) -> None:
    assert find_unreadable(question) == why


@pytest.mark.parametrize(
    ("question", "answer", "asked"),
    [
        ("who had more points, ann lee or bo ek?", "Ann Lee", "who had more points than Bo Ek?"),
        ("who had more points ann lee or bo ek", "Bo Ek", "who had more points than Ann Lee?"),
        ("which driver came first, ann lee or bo ek?", "Ann Lee", "which driver came before Bo Ek?"),
    ],
)
def test_a_choice_of_two_is_a_comparison_of_them(question: str, answer: str, asked: str) -> None:
    choice = find_choice(question, RACES)
    assert choice
    assert choice.question(answer) == asked


@pytest.mark.parametrize("question", ["who won?", "who won, ann lee or cy oh?", "who is the driver, ann lee or bo ek?"])
def test_other_questions_are_no_choice_of_two(question: str) -> None:
    assert find_choice(question, RACES) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Ann Lee's was last race in 1992.",
        "the area of a larger is not than b.",
        "Rain was Ann Lee nominated for in 1990.",
        "Ann Lee competed in next after 1990.",
        "12 defenses does Ann Lee have.",
        "the Oscars has Ann Lee been nominated for.",
        "the Ulm-Bonn route? (in miles) is 132 mi.",
        "According to it, 8 different makers have there been.",
    ],
)
def test_words_in_an_order_that_no_sentence_has_are_found(claim: str) -> None:
    assert is_broken(claim)


def test_a_plain_sentence_is_not_broken() -> None:
    assert not is_broken("Ann Lee's team was named in 1992 and had 12 points more than Bo Ek.")


def test_a_number_stands_last() -> None:
    assert put_value_last("7 was the total of races.", "7") == "the total of races was 7."
    assert put_value_last("Ann Lee was the winner.", "Ann Lee") == "Ann Lee was the winner."


def test_countries_and_teams_get_their_article() -> None:
    assert add_articles("Houston Bulls had 12 points.", "Houston Bulls", RACES) == "the Houston Bulls had 12 points."
    assert add_articles("Ann won more than United States.", "Ann", RACES) == "Ann won more than the United States."


def test_a_word_that_is_neither_english_nor_of_the_page_is_found() -> None:
    assert find_strange_word("Ann Lee won witj 12 points.", RACES) == "witj"
    assert find_strange_word("Ann Lee won against every driver with eight points.", RACES) == ""


@pytest.mark.parametrize(
    ("claim", "restored"),
    [
        ("Ann Lee came after Frank burns.", "Ann Lee came after Frank Burns."),
        ("Ann Lee came after FRANK BURNS.", "Ann Lee came after FRANK BURNS."),
        ("she drove for nascar.", "she drove for Nascar."),
        ("she drove for NASCAR.", "she drove for NASCAR."),
    ],
)
def test_a_name_with_some_of_its_capitals_gets_the_others_and_none_is_taken(claim: str, restored: str) -> None:
    table = SourceTable("t", "Races", (("Driver", "Team"), ("Frank Burns", "Nascar"), ("Ann Lee", "Ford")))
    assert restore_case(claim, table) == restored


def test_capitals_are_those_of_the_page_and_common_words_have_none() -> None:
    cells = (("Result", "Player"), ("Won", "Smith"), ("Lost", "Young"))
    table = SourceTable("t", "1994 Ohio Tigers season", cells, opening="The 1994 season was the fifth.")
    claim = "the tigers of ohio won 3 games with young and smith."
    assert restore_case(claim, table) == "the Tigers of Ohio won 3 games with Young and Smith."


@pytest.mark.parametrize(
    ("claim", "broken"),
    [
        ("There is 7 residence.", True),
        ("There are 1 residences.", True),
        ("There are 7 residences.", False),
        ("There is 1 residence.", False),
        ("There are 7 residence.", True),
        ("Ann Lee won 1 races.", True),
        ("Ann Lee won 2 races in 2004.", False),
        ("Ann Lee made 2 series in 2004.", False),
        ("There was 11 times a winner.", True),
        ('The result was 24 times, total, "won".', True),
        ("Ann Lee was 3 times as old as Bo Ek.", False),
        ("The number of symbol zn is 33.", True),
        ("The number of races won by Ann Lee is 33.", False),
        ("The number of people in Ohio is 33.", False),
        ("2 of the classes are type Salvage Tug.", True),
        ("6 trains are passenger.", True),
        ("6 trains are Finnish.", False),
        ("0.953 viewers saw it.", False),
        ("It had 0.953 viewers in 2004.", True),
        ("It had 1.5 points in 2004.", False),
        ("Not scored Ann Lee less than 7 points.", True),
        ("Ann Lee served as the Bishop of Iceland for 19.", True),
        ("Ann Lee was the Bishop of Iceland for 1904.", False),
        ("Mexico had 24,635 arrivals in 2010(x1000).", True),
        ("The first state to be was formed Utrecht.", True),
        ("Bo Ek was the first winner men's winner.", True),
        ("They were in tier 3 4 times.", True),
        ("Ann Lee and Bo Ek both played which position CB.", True),
        ("The Arch is the bridge that has their location in Ohio.", True),
    ],
)
def test_a_number_goes_with_its_noun_and_a_claim_has_all_its_words(claim: str, broken: bool) -> None:
    assert is_broken(claim) is broken


def test_what_a_question_quotes_stays_as_it_is() -> None:
    assert keeps_quotes('who sang in "sweat it out"?', 'Ann sang in "Sweat It Out".')
    assert not keeps_quotes('who sang in "sweat it out"?', 'Ann sang in "sweat it was out".')


def test_what_is_quoted_has_the_capitals_of_its_cell() -> None:
    table = RACES._replace(rows=(("No.", "Episode"), ("1", '"Target"'), ("2", '"The Nanny"'), ("3", "The")))
    assert restore_case('the title before "target" in the table', table) == 'the title before "Target" in the table'
