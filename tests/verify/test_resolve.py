"""Claims are read with names in the place of descriptions, where the corpus says them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from veritab import Checker, Claim, Element, ElementId, Evidence, Kind, Label, Settings, judge
from veritab.models.card import Card
from veritab.schema import Computation, Context
from veritab.verify.evidence import parse_evidence
from veritab.verify.given_names import put_best_first
from veritab.verify.judge import compute_answer
from veritab.verify.name_kinds import is_of_kind, stands_under_another_kind, stands_under_own_kind
from veritab.verify.resolve import DescriptionReader


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
    ],
)
def test_a_description_is_read_as_the_name_it_stands_for(claim: str, read: str, label: Label, checker: Checker) -> None:
    verdict = checker.check(claim)
    assert (verdict.claim.text, verdict.certificate.read_as, verdict.label) == (claim, read, label)
    assert verdict.reasoning[0].startswith('read "')


def test_a_description_is_read_by_a_city_and_a_year(checker: Checker) -> None:
    verdict = checker.check("Lithium was discovered in the city that hosted the Summer Games of 1952.")
    assert verdict.claim.text.startswith("Lithium")
    assert verdict.certificate.read_as == "Lithium was discovered in Helsinki."
    assert verdict.label is not Label.SUPPORTS


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


class DoubtingScorer:
    """A model that reads nothing as supported, so that only what is computed names anything."""

    card = Card("doubt", "verdict", "a doubting model", "none", "none", 200, {})
    max_length = 200

    def length(self, text: str) -> int:
        return len(text.split())

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return np.array([[-9.0, 0.0, 9.0]] * len(pairs), dtype=np.float32)


SHIPS = parse_evidence(
    [
        {
            "title": "Fleet",
            "table": [["Ship", "Days in dock", "Owner"], ["Aurelia", "12", "Norda"], ["Borealis", "40", "Halden"]],
        }
    ]
)


def read_with(claim: str, evidence: Evidence) -> str:
    reader = DescriptionReader(lambda name: None, DoubtingScorer())
    return reader.read(Claim("", claim), lambda _: evidence)[0].claim.text


def test_a_ranking_is_computed_before_it_is_read_as_a_name() -> None:
    assert read_with("The ship with the most days in dock sank.", SHIPS) == "Borealis sank."
    assert read_with("The ship with the fewest days in dock sank.", SHIPS) == "Aurelia sank."


def test_a_ranking_is_computed_over_the_table_of_its_own_page(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [{"title": f"Port {n}", "table": [["Berth", "Depth"], ["East", "9"], ["West", str(n)]]} for n in range(3)]
    fleet = {"title": "Fleet", "table": [["Ship", "Days in dock"], ["Aurelia", "12"], ["Borealis", "40"]]}
    computed: list[int] = []

    def compute(claim: str, evidence: Evidence) -> Computation:
        computed.append(len(evidence.tables))
        return compute_answer(claim, evidence)

    monkeypatch.setattr("veritab.verify.resolve.compute_answer", compute)
    evidence = parse_evidence([fleet, *others])
    assert read_with("The ship with the most days in dock sank.", evidence) == "Borealis sank."
    # Once over all of it for the claim as it stands, then row by row.
    assert computed[0] == 4
    assert set(computed[1:]) == {1}


def test_what_can_be_computed_as_it_stands_is_not_read_with_names() -> None:
    claim = "Borealis had more days in dock than Aurelia, the ship that sank."
    assert read_with(claim, SHIPS) == claim


@pytest.mark.parametrize(
    ("name", "noun", "fits"),
    [
        ("Lake Victoria", "lake", True),
        ("Owen Falls Dam", "lake", False),
        ("Church of the Holy Cross", "city", False),
        ("Mexico City", "city", True),
        ("Salt Lake City", "town", True),
        ("Valdai Hills", "country", False),
        ("Republic of Ireland", "country", True),
        ("Kraken Mare", "astronomer", False),
        ("Christiaan Huygens", "astronomer", True),
        ("Castle Hill Library", "building", True),
    ],
)
def test_a_name_that_says_another_kind_is_refused(name: str, noun: str, fits: bool) -> None:
    assert is_of_kind(name, noun, None) is fits


def test_a_plural_that_only_begins_a_sentence_is_no_name() -> None:
    class BelievingScorer(DoubtingScorer):
        def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
            return -super().logits(pairs)

    reader = DescriptionReader(lambda name: None, BelievingScorer())
    evidence = parse_evidence({"title": "The race that gave", "text": "Runners gave EUR 60,000 to good causes."})
    claim = Claim("", "The race that gave EUR 60,000 was long.")
    assert reader.read(claim, lambda _: evidence)[0].claim == claim


def test_a_description_is_read_by_the_evidence_that_is_given() -> None:
    evidence = [
        {"title": "Kenya", "text": "Kenya is a country in Africa. Its capital is Nairobi."},
        {"title": "Spain", "text": "Spain won its only World Cup title in South Africa."},
    ]
    verdict = judge("Spain won its only World Cup title in the country whose capital is Nairobi.", evidence)
    assert verdict.certificate.read_as == "Spain won its only World Cup title in Kenya."
    assert verdict.reasoning[0] == 'read "the country whose capital is Nairobi" as "Kenya"'
    assert verdict.label is Label.REFUTES


def test_the_rows_of_a_table_that_is_given_have_names() -> None:
    table = [["Station", "Height (m)", "Fate"], ["TS6", "980", "in use"], ["TS7", "1,430", "destroyed by lightning"]]
    evidence = parse_evidence({"title": "Stations", "table": table})
    best = put_best_first("The station destroyed by lightning", evidence)
    assert best.hits[0].element.id.path[1] == 2


class WordScorer(DoubtingScorer):
    """A model that supports each statement with one of its words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        logits = super().logits(pairs)
        says = [any(word in claim for word in self.words) for claim, _ in pairs]
        return np.array([-own if said else own for own, said in zip(logits, says, strict=True)])


def read_by(claim: str, text: str, *words: str) -> str:
    reader = DescriptionReader(lambda name: None, WordScorer(*words))
    evidence = parse_evidence({"title": "Season: The Band", "text": text})
    return reader.read(Claim("", claim), lambda _: evidence)[0].claim.text


def test_a_role_is_not_read_as_somebody_of_whom_only_half_of_it_is_said() -> None:
    text = "The conductor Otto Brandl founded the Quillan Band. Helena Strand is chief conductor of the Quillan Band."
    claim = "The finale is led by the chief conductor of the Quillan Band."
    assert read_by(claim, text, "Otto", "Helena") == "The finale is led by Helena Strand."


def test_a_surname_is_read_as_the_full_name() -> None:
    text = "Almaz Girma won the race. Girma broke the course record."
    claim = "The woman who broke the course record is young."
    assert read_by(claim, text, "Girma") == "Almaz Girma is young."


def test_a_name_of_the_description_with_a_title_is_not_what_is_described() -> None:
    text = "The head of the observatory is Dr Noemi Vartan."
    claim = "The suite was ordered with an observatory headed by Noemi Vartan."
    assert read_by(claim, text, "Dr Noemi") == claim


def test_what_stands_under_the_noun_of_the_description_fits_it() -> None:
    header = Context(ElementId("Aconcagua", Kind.HEADER_CELL, (0, 1, 0)), "Range")
    cell = Element(ElementId("Aconcagua", Kind.CELL, (0, 1, 1)), "Andes", (), (header,))
    assert stands_under_own_kind(cell, "range")
    assert not stands_under_own_kind(cell, "river")
    assert stands_under_another_kind(cell, "lake")
