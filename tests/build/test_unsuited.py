"""Which questions no good pair of claims can be made of, told by their words."""

from __future__ import annotations

import pytest

from veritab.build.unsuited import why_unsuited


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("what is the maximum data rate for the 802.11a standard select one", "54", "choices"),
        ("Who won in 2017, Michigan or Michigan State?", "Michigan", "choices"),
        ("who wrote he ain't heavy he's my brother lyrics", "Bob Russell", "search engine"),
        ("who starred in an officer and a gentleman", "Richard Gere", "several answers"),
        ("types of skiing in the winter olympics 2018", "Alpine", "several answers"),
        ("what are the active materials of a lead acid battery", "Lead", "several answers"),
        ("what is the pirates of the caribbean in order", "Black Pearl", "several answers"),
        ("what is an example of a tricyclic antidepressant", "Imipramine", "several answers"),
        ("who is the team that beat the eagles this season", "Chiefs", "changes with the day"),
        ("Who won the league last season?", "Chiefs", "changes with the day"),
        ("when was the last time the eu was audited", "2006", "changes with the day"),
        ("Who has the most career 3s in the nba?", "Ray Allen", "changes with the day"),
        ("When does the new set come out in 2017?", "April 6, 2017", "says one"),
        ("which is larger paris or rome", "Paris", "in the question"),
        ("Who composed the music for Elm?", "Hans Zimmer, James Howard", "joins them by no word"),
    ],
)
def test_a_question_without_a_good_pair_is_told_by_its_words(question: str, answer: str, reason: str) -> None:
    assert reason in why_unsuited(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who wrote the lyrics to elton john's songs", "Bernie Taupin"),
        ("who sang i ran all the way home", "The Impalas"),
        ("Who had the most threes during the 2016 season?", "Stephen Curry"),
        ("When did the 2004 film Elm come out?", "June 18, 2004"),
        ("when was the last episode of vampire diaries aired", "March 10, 2017"),
        ("where is the bridge next to the mill", "Elm"),
        ("Who sang it?", "Harry Connick, Jr."),
        ("Where does it take place?", "Wrightsville Beach, NC"),
    ],
)
def test_a_plain_question_is_not_left_out(question: str, answer: str) -> None:
    assert why_unsuited(question, answer) == ""
