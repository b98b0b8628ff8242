"""Questions that ask for counts become claims in which the count stands where English wants it."""

from __future__ import annotations

import pytest

from veritab.build.count_ranking import convert_over_table


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("how many stadiums have a capacity of 70,000?", "7", "7 stadiums have a capacity of 70,000."),
        ("how many networks does tv azteca own?", "2", "tv azteca owns 2 networks."),
        ("how many golds has brazil won?", "10", "brazil has won 10 golds."),
        (
            "how many times has nigel mansell been the winning driver?",
            "2",
            "nigel mansell has been the winning driver 2 times.",
        ),
        ("how many films has neha sharma been in?", "6", "neha sharma has been in 6 films."),
        ("what make did kurt busch drive?", "Dodge", "Dodge is the make kurt busch drove."),
        ("how many films are in telugu?", "1", "1 film is in telugu."),
        ("how many films are in telugu?", "3", "3 films are in telugu."),
    ],
)
def test_a_count_stands_where_english_wants_it(question: str, answer: str, claim: str) -> None:
    assert convert_over_table(question, answer).claim == claim


def test_a_way_of_asking_that_no_rule_reads_is_told() -> None:
    found = convert_over_table("in how many games did they score?", "7")
    assert (found.claim, found.reason) == (None, "no rule reads this way of asking")
