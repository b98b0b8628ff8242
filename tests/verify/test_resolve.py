"""Claims are read with names in the place of descriptions, where the corpus says them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from veritab import Checker, Label, Settings


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker.open(None, Settings().replaced({"check.certificate": False})) as opened:
        yield opened


@pytest.mark.parametrize(
    ("claim", "read", "label"),
    [
        (
            "The peak formerly known as Mount McKinley is lower than Aconcagua.",
            "Denali is lower than Aconcagua.",
            Label.SUPPORTS,
        ),
        (
            "Verdi's Don Carlos had its first night in the city that would host the 1900 Olympics.",
            "Verdi's Don Carlos had its first night in Paris.",
            Label.SUPPORTS,
        ),
        (
            "Spain's only World Cup title was won in the country whose capital is Nairobi.",
            "Spain's only World Cup title was won in Kenya.",
            Label.REFUTES,
        ),
        (
            "Lithium was discovered in the city that hosted the Summer Games of 1952.",
            "Lithium was discovered in Helsinki.",
            Label.REFUTES,
        ),
    ],
)
def test_a_description_is_read_as_the_name_it_stands_for(claim: str, read: str, label: Label, checker: Checker) -> None:
    verdict = checker.check(claim)
    assert (verdict.claim.text, verdict.certificate.read_as, verdict.label) == (claim, read, label)
    assert verdict.reasoning[0].startswith('read "')


def test_what_says_the_name_is_among_the_evidence(checker: Checker) -> None:
    verdict = checker.check("Lithium was discovered in the city that hosted the Summer Games of 1952.")
    naming = [hit.element.text for hit in verdict.evidence if hit.by == "description"]
    assert any("Helsinki" in text for text in naming)


@pytest.mark.parametrize(
    "claim",
    ["Paris is the capital of Germany.", "Zork was born in the city where the emperor of Blefuscu lies buried."],
)
def test_a_claim_whose_description_nothing_settles_is_read_as_it_stands(claim: str, checker: Checker) -> None:
    assert checker.check(claim).certificate.read_as == ""


def test_names_are_not_looked_up_where_settings_say_so() -> None:
    with Checker.open(None, Settings().replaced({"check.certificate": False, "check.names": False})) as opened:
        verdict = opened.check("Lithium was discovered in the city that hosted the Summer Games of 1952.")
    assert verdict.certificate.read_as == ""
