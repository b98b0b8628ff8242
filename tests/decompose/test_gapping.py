"""A second clause without a verb takes that of the first."""

from __future__ import annotations

import pytest

from veritab.decompose import split_claim


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (
            "Berlin lies on the Spree and Vienna on the Danube.",
            ["Berlin lies on the Spree.", "Vienna lies on the Danube."],
        ),
        (
            "Saint Orrin's hospital dates back to 1931 and the Velden Infirmary to 1889.",
            ["Saint Orrin's hospital dates back to 1931.", "The Velden Infirmary dates back to 1889."],
        ),
        (
            "Anton Greve designed the Elvira and Solveig Ruud the Isbrand.",
            ["Anton Greve designed the Elvira.", "Solveig Ruud designed the Isbrand."],
        ),
        (
            "A worker died at Saint Aldo in 2018 and another at Brannholm in 2021.",
            ["A worker died at Saint Aldo in 2018.", "A worker died at Brannholm in 2021."],
        ),
        (
            "In 2011 Maky Román took the Vuelta a Bolivia and Óscar Sánchez the Vuelta a Costa Rica.",
            [
                "In 2011 Maky Román took the Vuelta a Bolivia.",
                "In 2011 Óscar Sánchez took the Vuelta a Costa Rica.",
            ],
        ),
    ],
)
def test_the_verb_is_put_where_it_was_left_out(claim: str, parts: list[str]) -> None:
    assert list(split_claim(claim)) == parts


@pytest.mark.parametrize(
    "claim",
    [
        "The company works with steel and iron in Ohio.",
        "She stars in films and television in France.",
        "He plays for Ajax and the national team in Europe.",
        "Steam engine 2616 went to a museum in Delson, Quebec.",
        "Paris and London are cities.",
        "Piero the Gouty was Cosimo de' Medici's son and Lorenzo the Magnificent's father.",
    ],
)
def test_a_list_is_not_a_clause(claim: str) -> None:
    assert split_claim(claim) == (claim,)
