"""What the numbers of evidence are in the words of a claim."""

from __future__ import annotations

import pytest

from veritab import judge_many
from veritab.quantities import Date
from veritab.schema import Evidence, Label, Table
from veritab.verify.gloss import find_births, gloss


@pytest.mark.parametrize(
    ("claim", "text", "glossed"),
    [
        ("It is about 480 feet high.", "It is 146.6 m high.", "It is 146.6 m (481 ft, about 480 feet) high."),
        ("It is over 600 feet high.", "It is 146.6 m high.", "It is 146.6 m (481 ft) high."),
        ("It is over half a mile tall.", "It is 828 m tall.", "It is 828 m (0.514 mi, over half a mile) tall."),
        (
            "Nearly 40 million live there.",
            "39,538,223 live there.",
            "39,538,223 (39.5 million, nearly 40 million) live",
        ),
        ("It is just over 8 km long.", "It is 8.2 km long.", "It is 8.2 km (just over 8 km) long."),
        ("It is just over 8 km long.", "It is 12 km long.", "It is 12 km long."),
        ("It is above 140 m.", "Height (m) original is 146.6.", "Height (m) original is 146.6 (above 140 m)."),
        (
            "It moves at over 60,000 km/h.",
            "It moves at 17 km/s.",
            "It moves at 17 km/s (61,200 km/h, over 60,000 km/h).",
        ),
        ("It cost €1.3m.", "It cost 1,200,000 euros.", "It cost 1,200,000 euros (€1.2 million)."),
        ("It cost 1.2 million.", "It cost 1,200,000 euros.", "It cost 1,200,000 euros (1.2 million)."),
    ],
)
def test_a_number_is_given_in_the_unit_of_the_claim_and_with_its_words_where_they_hold(
    claim: str, text: str, glossed: str
) -> None:
    assert gloss(claim, text).startswith(glossed)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It is 8,611 m high.", "It is 8,611 m high."),  # written alike
        ("It is 8,611 m high.", "It weighs 20 kg."),
        ("39,538,223 live there.", "39,538,223 live there."),
        ("More than three thousand signed.", "It has 2,300 signatures."),
        ("It cost $2.4 billion.", "It cost $2.4bn."),
        ("It has three towers.", "It has 3 towers."),
        ("It is the third.", "It was opened in 1931."),
        ("", ""),
    ],
)
def test_a_number_that_needs_no_gloss_has_none(claim: str, text: str) -> None:
    assert gloss(claim, text) == text


def test_dates_have_the_age_of_who_is_named() -> None:
    births = {"Charles Darwin": Date(1809, 2, 12)}
    claim = "Darwin was 50 years old when the book came out."
    assert gloss(claim, "It came out on 24 November 1859.", births) == (
        "It came out on 24 November 1859 (Charles Darwin aged 50)."
    )
    assert "aged 21 or 22" in gloss(claim, "He sailed in 1831.", births)
    assert gloss("Darwin wrote the book.", "It came out in 1859.", births) == "It came out in 1859."


def test_births_are_those_of_the_pages_that_a_claim_names() -> None:
    rows = [["Born", "12 February 1809"], ["Died", "19 April 1882"]]
    darwin = Table.of(rows, title="Charles Darwin", infobox=True)
    other = Table.of(rows, title="Abraham Lincoln", infobox=True)
    evidence = Evidence((), (darwin, other))
    assert list(find_births("Darwin was 50 when it came out.", evidence)) == ["Charles Darwin"]
    assert find_births("Darwin was a naturalist.", evidence) == {}


def test_units_are_converted_for_whoever_reads() -> None:
    evidence = "The Rideau Canal opened in 1832, runs 202 km to Kingston and is a World Heritage Site."
    right, wrong = judge_many(
        [
            ("The Rideau Canal is about 125 miles long.", evidence),
            ("The Rideau Canal is about 300 miles long.", evidence),
        ]
    )
    assert right.scores[Label.SUPPORTS] > wrong.scores[Label.SUPPORTS]
    assert (right.label, wrong.label) == (Label.SUPPORTS, Label.REFUTES)
