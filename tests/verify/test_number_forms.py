"""Numbers and dates are read in one form."""

from __future__ import annotations

import pytest

from veritab import judge_many
from veritab.schema import Label
from veritab.verify.number_forms import write_as_in, write_numbers


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("It had 12345 visitors.", "It had 12,345 visitors."),
        ("It cost 1200000.50 euros.", "It cost 1,200,000.50 euros."),
        ("It was founded in 1931.", "It was founded in 1931."),
        ("It opened on 2021-03-12.", "It opened on 12 March 2021."),
        ("2021-03-12 00:00:00", "12 March 2021"),
        ("It has 12,345 seats.", "It has 12,345 seats."),
    ],
)
def test_long_numbers_are_grouped_and_dates_have_the_names_of_their_months(text: str, written: str) -> None:
    assert write_numbers(text) == written


@pytest.mark.parametrize("text", ["2021-13-40", "v12345", "00123456", "12345-B", "10/12345", "#123456", "1234,56789"])
def test_what_may_be_no_number_stays_as_it_is(text: str) -> None:
    assert write_numbers(text) == text


def test_four_digits_are_written_as_the_evidence_writes_them() -> None:
    assert write_as_in("The hall has 1,234 seats.", "It seats 1234.") == "It seats 1,234."
    assert write_as_in("The hall has 1234 seats.", "It seats 1,234.") == "It seats 1234."
    assert write_as_in("It opened in 1931.", "It opened in 1931.") == "It opened in 1931."
    assert write_as_in("It has 2,345 seats.", "It opened in 1931.") == "It opened in 1931."


def test_digits_may_be_grouped_or_not_at_the_door() -> None:
    evidence = "The Marrow Hall was visited by 48213 people last year, more than ever before."
    grouped, plain = judge_many(
        [
            ("The Marrow Hall was visited by 48,213 people last year.", evidence),
            ("The Marrow Hall was visited by 48213 people last year.", evidence),
        ]
    )
    assert grouped.label is plain.label is Label.SUPPORTS
    assert grouped.scores == plain.scores
