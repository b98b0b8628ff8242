"""What several months in a row have together."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning

MONTHS = "January February March April May June July August September October November December".split()
FERRY = Table.of(
    [
        [month, str(crossings), str(crew), rain]
        for month, crossings, crew, rain in zip(
            MONTHS,
            (110, 118, 131, 140, 162, 190, 215, 221, 173, 150, 122, 108),
            (9, 9, 10, 10, 12, 14, 14, 14, 12, 10, 9, 9),
            "14.2 14.0 15.1 16.3 17.0 18.4 19.1 19.6 18.0 16.2 15.0 14.4".split(),
            strict=True,
        )
    ],
    header=["Month", "Crossings", "Crew", "Mean speed (km/h)"],
    title="Tarn ferry",
    caption="Crossings by month, 2024",
)


def answer(claim: str) -> bool | None:
    return page_reasoning(claim, [FERRY]).answer


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("From June to August 2024 the Tarn ferry made 626 crossings.", True),
        ("From June to August 2024 the Tarn ferry made 640 crossings.", False),
        ("The Tarn ferry made 380 crossings in the last three months of 2024.", True),
        ("The Tarn ferry made 359 crossings in the first quarter of 2024.", True),
        ("The Tarn ferry made 369 crossings in the first quarter of 2024.", False),
        ("Between May and July 2024 the Tarn ferry made 567 crossings in total.", True),
        ("Between May and July 2024 the Tarn ferry made more than 600 crossings in total.", False),
    ],
)
def test_months_in_a_row_are_added_up(claim: str, expected: bool) -> None:
    assert answer(claim) is expected


@pytest.mark.parametrize(
    "claim",
    [
        # Each month has its own level, of which none is said to be added up.
        "From June to August 2024 the Tarn ferry had more than 30 crew.",
        "From June to August 2024 the Tarn ferry had 10 crew.",
        "From June to August 2024 the Tarn ferry had a mean speed of 57.1 km/h.",
        # Other months, another year, or nobody knows which.
        "From June to August 2023 the Tarn ferry made 640 crossings.",
        "The Tarn ferry made 640 crossings in the last three months.",
        "From November to January the Tarn ferry made 640 crossings.",
        "From June to August 2024 the Tarn ferry cancelled 640 crossings.",
    ],
)
def test_levels_and_other_times_stay_open(claim: str) -> None:
    assert answer(claim) is None
