"""What a question leaves to its page is named from the page, or said to have no name."""

from __future__ import annotations

import pytest

from veritab.build.tables.letter_case import restore_case
from veritab.build.tables.page_subject import name_subject, place_claim
from veritab.datasets.table_questions import SourceTable

ROWS = (("Year", "Team", "Result"), ("2001", "Ajax", "Won"), ("2002", "PSV Eindhoven", "Lost"))


def table(title: str, opening: str = "", *sections: str) -> SourceTable:
    return SourceTable("t", title, ROWS, sections, "", opening)


RUNNER = table("Ann Lee", "Ann Lee (born 1 May 1980) is a Dutch runner.")
SEASON = table("1968 Philadelphia Eagles season", "The 1968 Philadelphia Eagles season was their 36th in the league.")
CLUB = table("AC Vantaa", "AC Vantaa is a football club from Vantaa in Finland.")


@pytest.mark.parametrize(
    ("question", "page", "named"),
    [
        ("how many races did this runner win?", RUNNER, "how many races did Ann Lee win?"),
        ("when did she win?", RUNNER, "when did Ann Lee win?"),
        ("what was her best result?", RUNNER, "what was Ann Lee's best result?"),
        (
            "how many games did this team win?",
            SEASON,
            "how many games did the Philadelphia Eagles win?",
        ),
        (
            "where did this team play their first game?",
            SEASON,
            "where did the Philadelphia Eagles play their first game?",
        ),
        ("where did they play?", table("2007 Ohio Bulls season", "They are a team."), "where did the Ohio Bulls play?"),
        ("who won this season?", SEASON, "who won in the 1968 Philadelphia Eagles season?"),
        ("how long did this club play?", CLUB, "how long did AC Vantaa play?"),
        ("what is the best team on this chart?", CLUB, "what is the best team?"),
        ("how many teams are on the list?", CLUB, "how many teams are listed?"),
        ("which runner has her best result in 2001?", CLUB, "which runner has her best result in 2001?"),
        ("did ajax win its game?", CLUB, "did ajax win its game?"),
        ("how long did it take?", CLUB, "how long did it take?"),
    ],
)
def test_what_points_at_the_page_is_named(question: str, page: SourceTable, named: str) -> None:
    assert name_subject(question, page) == (named, "")


@pytest.mark.parametrize(
    ("question", "page", "reason"),
    [
        ("when did she win?", CLUB, "nothing on the page says who or what 'she' is"),
        ("how many albums did this band make?", RUNNER, "nothing on the page says what 'this band' is"),
        ("who won at this time?", SEASON, "nothing on the page says what 'this time' is"),
        ("which team is at the top of the table?", CLUB, "it asks about the table itself"),
        ("how many columns are there?", CLUB, "it asks about the table itself"),
        ("ajax won in 2001. who won next?", CLUB, "it is more than one sentence"),
    ],
)
def test_what_has_no_name_is_told(question: str, page: SourceTable, reason: str) -> None:
    assert name_subject(question, page) == ("", reason)


@pytest.mark.parametrize(
    ("claim", "page", "placed"),
    [
        ("Ann Lee won 3 races.", RUNNER, "Ann Lee won 3 races."),
        ("there were 3 races.", RUNNER, "According to the table on Ann Lee, there were 3 races."),
        ("The last race was in 2001.", table("Ann Lee", "", "Results"), "In the results of Ann Lee, the last race was in 2001."),
        ("Of the two, Ajax won.", table("List of teams"), "In the list of teams, of the two, Ajax won."),
        ("The Team won.", table("List of teams"), "In the list of teams, the Team won."),
        ("Ajax won.", SEASON, "In the 1968 Philadelphia Eagles season, Ajax won."),
    ],
)  # fmt: skip
def test_a_claim_that_names_nothing_of_its_page_is_told_where_it_holds(
    claim: str, page: SourceTable, placed: str
) -> None:
    assert place_claim(claim, page) == placed


def test_an_answer_keeps_its_capital() -> None:
    assert (
        place_claim("The Wire is first.", table("List of shows"), "The Wire")
        == "In the list of shows, The Wire is first."
    )


def test_names_are_written_as_the_table_writes_them_and_common_words_stay_small() -> None:
    assert restore_case("psv eindhoven won in january after ajax lost.", CLUB) == (
        "PSV Eindhoven won in January after Ajax lost."
    )
