"""The same in other words."""

from __future__ import annotations

import pytest

from veritab.build.mutating.rephrasing import rephrasings

pytest.importorskip("lemminflect", reason="needs the extra build")


@pytest.mark.parametrize(
    ("claim", "by", "said"),
    [
        ("Verdi composed Aida in 1871.", "time moved", "In 1871, Verdi composed Aida."),
        ("In 1990, the telescope was launched.", "time moved", "The telescope was launched in 1990."),
        (
            "The Nile is much longer than the Danube.",
            "comparison turned round",
            "The Danube is much shorter than the Nile.",
        ),
        ("K2 is lower than Everest.", "comparison turned round", "Everest is higher than K2."),
        ("Radium was discovered by Marie Curie in 1898.", "voice changed", "Marie Curie discovered Radium in 1898."),
        ("Alan Turing wrote a paper in 1936.", "voice changed", "A paper was written by Alan Turing in 1936."),
        ("Cairo is located in Egypt.", "phrase swapped", "Cairo lies in Egypt."),
        ("The river is more than 6,000 km long.", "phrase swapped", "The river is over 6,000 km long."),
        ("None of them was climbed during the 2000s.", "time moved", "During the 2000s, none of them was climbed."),
        ("Cairo is the capital of Egypt.", "sides turned round", "The capital of Egypt is Cairo."),
        ("Psych's creator is Steve Franks.", "sides turned round", "The creator of Psych is Steve Franks."),
        ("Beethoven composed 9 symphonies.", "number spelled", "Beethoven composed nine symphonies."),
    ],
)
def test_a_sentence_is_said_in_other_words(claim: str, by: str, said: str) -> None:
    assert {each.by: each.text for each in rephrasings(claim)}[by] == said


@pytest.mark.parametrize(
    "claim",
    [
        "Tokyo is the largest city in 2010.",
        "The 1908 Summer Olympics took place in London.",
        "India is larger than any of its neighbours.",
        "The work was admired by many.",
        "The longest gap is from Rome to Naples.",
    ],
)
def test_what_might_come_to_say_another_thing_is_left(claim: str) -> None:
    assert list(rephrasings(claim)) == []
