"""What accounts for every word of a claim and still compares what does not compare is left open."""

from __future__ import annotations

import pytest

from veritab.reason.page import page_reasoning
from veritab.schema import Table

_BUDGET = Table.of(
    [["Street lighting", "174", "2.5"], ["Parks", "420", "6"], ["Roads", "900", "9"]],
    header=["Item", "2022/23 budget", "Staff"],
)
_BALLOTS = Table.of(
    [["Adeyemi", "21", "4655"], ["Moreau", "35", "5120"], ["Sato", "9", "800"]],
    header=["Candidate", "First ballot", "Votes 2020"],
)


@pytest.mark.parametrize(
    ("claim", "table", "answer"),
    [
        ("Street lighting had a 2022/23 budget of 174.", _BUDGET, True),
        ("Street lighting had a 2022/23 budget of 420.", _BUDGET, False),
        ("Street lighting had a 2022/23 budget of 174,000.", _BUDGET, None),  # perhaps in thousands
        ("Adeyemi got 21 in the first ballot.", _BALLOTS, True),
        ("Adeyemi got 35 in the first ballot.", _BALLOTS, False),
        ("Adeyemi got 21 in the second ballot.", _BALLOTS, None),
        ("Adeyemi had 4,655 votes in 2020.", _BALLOTS, True),
        ("Adeyemi had 4,655 votes in 2016.", _BALLOTS, None),
    ],
)
def test_a_number_is_set_against_what_it_may_be(claim: str, table: Table, answer: bool | None) -> None:
    assert page_reasoning(claim, [table]).answer is answer


@pytest.mark.parametrize("director", ["Birgit Solheim", "Bérgit Solheim"])
def test_a_number_that_is_part_of_a_name_counts_no_rows(director: str) -> None:
    series = Table.of(
        [["1", "10", "Asger Holm"], ["2", "10", "Asger Holm"], ["3", "8", director], ["4", "10", "Lucas Wenzel"]],
        header=["Series", "Parts", "Director"],
        caption="Harbour Lane",
    )
    assert page_reasoning(f"harbour lane series 5 was directed by {director.lower()}", [series]).answer is None
