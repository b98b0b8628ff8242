"""False claims chosen by their words: as frequent in false claims as in true ones, with as few mined as it takes."""

from __future__ import annotations

import os
import subprocess
import sys

from veritab.build.mixing import FalseOption, balance_words

TRUE = ["Ann won in 2014.", "Bob won in 2015."]


def test_the_option_is_taken_whose_words_the_true_claims_have() -> None:
    ann = [FalseOption(("Cyd lost by far.",), False), FalseOption(("Bob won in 2014.",), False)]
    bob = [FalseOption(("Ann won in 2015.",), False), FalseOption(("Dan never tried.",), False)]
    assert balance_words(TRUE, [ann, bob], 0) == [1, 0]


def test_what_has_been_taken_often_is_not_taken_again() -> None:
    options = [[FalseOption(("Ann won.",), False), FalseOption(("Bob won.",), False)] for _ in range(2)]
    assert sorted(balance_words(["Ann won.", "Bob won."], options, 0)) == [0, 1]


def test_a_mined_claim_is_taken_where_its_words_are_worth_what_it_costs() -> None:
    options = [[FalseOption(("Something else entirely.",), False), FalseOption(("Bob won in 2014.",), True)]] * 2
    assert balance_words(TRUE, options, 0) != [0, 0]
    assert balance_words(TRUE, options, 100) == [0, 0]


def test_the_first_of_equals_is_taken_and_nothing_is_chosen_of_nothing() -> None:
    assert balance_words(TRUE, [[FalseOption(("Same.",), False), FalseOption(("Same.",), False)]], 0) == [0]
    assert balance_words([], [], 0) == []


_CHOOSES = """
from veritab.build.mixing import FalseOption, balance_words
true = [f"{name} won the open of {place} in {year}." for year, (name, place) in enumerate(
    [("Ann", "Rome"), ("Bob", "Lima"), ("Cyd", "Oslo"), ("Dan", "Bonn"), ("Eve", "Graz"), ("Fay", "Lyon")] * 4, 1990)]
options = [[FalseOption((each.replace(str(year), str(other)),), False) for other in range(1988, 2016) if other != year]
           for year, each in enumerate(true, 1990)]
print(balance_words(true, options, 0.5))
"""


def test_what_is_chosen_does_not_depend_on_how_words_are_hashed() -> None:
    chosen = {
        subprocess.run(
            [sys.executable, "-c", _CHOOSES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3", "4", "5")
    }
    assert len(chosen) == 1
    assert chosen != {""}
