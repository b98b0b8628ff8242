"""Claims read as they would be written: with articles, verbs in number, and less confidence where they do not."""

from __future__ import annotations

import pytest

from veritab.build.questions.conversion import convert
from veritab.build.questions.naturalness import naturalness
from veritab.build.questions.wording import mend_wording

pytest.importorskip("lemminflect")


@pytest.mark.parametrize(
    ("claim", "answer", "mended"),
    [
        ("Ann Lee won last Super Bowl.", "Ann Lee", "Ann Lee won the last Super Bowl."),
        ("The verse is found in Bible.", "The verse", "The verse is found in the Bible."),
        ("You get a form from bank.", "bank", "You get a form from the bank."),
        ("The club plays in Premier League.", "The club", "The club plays in the Premier League."),
        ("Tea was drunk in 15th century.", "15th century", "Tea was drunk in the 15th century."),
        ("Tenth is final season of it.", "tenth", "The tenth is the final season of it."),
        ("The elbow is load-bearing joint.", "load-bearing joint", "The elbow is a load-bearing joint."),
        ("Ann Lee won 2018 election in Leeds.", "Ann Lee", "Ann Lee won the 2018 election in Leeds."),
        ("Vatican, in Rome, is a state.", "Vatican", "The Vatican, in Rome, is a state."),
        ("United States won most medals.", "United States", "The United States won most medals."),
        # no article
        ("The commonly assumed value of it is 280.", "280", "The commonly assumed value of it is 280."),
        ("Ann Lee won last year.", "Ann Lee", "Ann Lee won last year."),
        ("Ann Lee came in first place.", "Ann Lee", "Ann Lee came in first place."),
        ("Ann Lee was in full house.", "Ann Lee", "Ann Lee was in full house."),
        ("The coffee was first made in Leeds.", "Leeds", "The coffee was first made in Leeds."),
        ("Ann Lee sang man in the mirror.", "Ann Lee", "Ann Lee sang man in the mirror."),
        ("The abbey is in the last city.", "the last city", "The abbey is in the last city."),
        ("Ann Lee needs to design Poe Park.", "Ann Lee", "Ann Lee needs to design Poe Park."),
        # number
        ("Dallas Cowboys has won it.", "Dallas Cowboys", "The Dallas Cowboys have won it."),
        ("United States has won it.", "United States", "The United States has won it."),
        ("Konkani are spoken in Goa.", "Konkani", "Konkani is spoken in Goa."),
        ("Ann Lee and Tom Poe were the singer of it.", "Ann Lee and Tom Poe", "Ann Lee and Tom Poe were the singers of it."),
        # a year said twice
        ("It starts in 2017 on August 15, 2017.", "August 15, 2017", "It starts on August 15, 2017."),
        ("It starts in 2016 on August 15, 2017.", "August 15, 2017", "It starts in 2016 on August 15, 2017."),
    ],
)  # fmt: skip
def test_claim_gets_articles_number_and_one_year(claim: str, answer: str, mended: str) -> None:
    assert mend_wording(claim, answer) == mended


def test_answer_keeps_its_words() -> None:
    assert mend_wording("Winner of Super Bowl is in Bible.", "Winner of Super Bowl").startswith(
        ("Winner of Super Bowl", "The Winner of Super Bowl")
    )


@pytest.mark.parametrize(
    "question",
    [
        "ann and tom get back together season 3",
        "ann lee she's going to change the world",
        "i was a great scholar who died in 1131",
    ],
)
def test_statement_that_asks_nothing_is_refused(question: str) -> None:
    made = convert(question, "Poe")
    assert made.claim is None
    assert "nothing is asked" in made.reason


@pytest.mark.parametrize(
    "question",
    [
        "the capital of the province is",
        "last time the club won the cup",
        "actress who plays ann lee",
        "release date of it",
    ],
)
def test_phrase_that_names_something_is_no_statement(question: str) -> None:
    assert convert(question, "Poe").claim


def test_denied_question_keeps_its_not_with_the_auxiliary() -> None:
    assert convert("when did the club not go to the cup", "1991").claim == "The club did not go to the cup in 1991."


def test_what_something_is_called_is_said_of_it() -> None:
    made = convert("What is it called when you see faces in everything?", "pareidolia")
    assert made.claim == "It is called pareidolia when you see faces in everything."


@pytest.mark.parametrize(
    ("claim", "question", "answer"),
    [
        ("The ride opened in Las Vegas open on May 3.", "when did the ride open in las vegas open", "May 3"),
        ("The silence is come from Leeds.", "what place is the silence come from", "Leeds"),
        ("The show starts in 2015 on May 3, 2017.", "when does the show start in 2015", "May 3, 2017"),
        ("English are the languages of it.", "what are the languages of it", "English"),
        ("The shark is found in the sea in Leeds.", "where is the shark found in the sea", "Leeds"),
        ("Over 74 languages in the book translated into.", "how many languages in the book translated into", "over 74"),
        ("Poeville is the rate of it select one.", "what is the rate of it select one", "Poeville"),
        ("5 homes of houses burned.", "how many houses burned", "5 homes"),
    ],
)
def test_odd_claim_has_half_the_confidence(claim: str, question: str, answer: str) -> None:
    assert naturalness(claim, question, answer) <= 0.5


def test_plain_claim_keeps_its_confidence() -> None:
    assert naturalness("Ann Lee was born in Leeds in 1950.", "when was ann lee born in leeds", "1950") == 1.0
