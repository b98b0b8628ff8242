"""Records of Fool Me Twice and claims of the game, read and written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.studio.game.exchange.made import published
from veritab.studio.game.exchange.published import read_published


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"label": "NOT ENOUGH INFO"}, "the game has only SUPPORTS and REFUTES"),
        ({"label": None}, "it has no label"),
        ({"label": "perhaps"}, "'perhaps' is unknown"),
        ({"text": " "}, "no text"),
        ({"text": "?!"}, "is not a claim"),
        ({"text": "word " * 30_000}, "is too long"),
        ({"id": None}, "the id is None"),
        ({"id": "  "}, "the id is"),
        ({"id": True}, "the id is True"),
        ({"id": "x" * 201}, "cannot be kept"),
        ({"wikipedia_page": " "}, "no wikipedia_page"),
        ({"wikipedia_page": 7}, "wikipedia_page is 7"),
        ({"category": "c" * 201}, "category has 201 characters"),
        ({"gold_evidence": []}, "gold_evidence is []"),
        ({"gold_evidence": "It is high."}, "expected a list"),
        ({"gold_evidence": ["It is high."]}, "gold_evidence, entry 1, is 'It is high.'"),
        ({"gold_evidence": [{"text": "\n"}]}, "entry 1, has no text"),
        ({"gold_evidence": [{"text": "It.", "section_header": 3}]}, "section_header is 3"),
        ({"gold_evidence": [{"text": "It.", "elements": ["Nile"]}]}, "elements is ['Nile']"),
        ({"gold_evidence": [{"text": "It.", "rows": [["Nile"]]}]}, "rows is [['Nile']]"),
        ({"retrieved_evidence": {}}, "retrieved_evidence is {}"),
        ({"retrieved_evidence": [None]}, "retrieved_evidence, entry 1, is None"),
        ({"total_votes": -1}, "total_votes is -1"),
        ({"total_votes": "3"}, "total_votes is '3'"),
        ({"total_likes": True}, "total_likes is True"),
        ({"total_likes": 10**30}, "expected a whole number"),
        ({"correct_votes": 4}, "4 of 3 votes are right"),
    ],
)
def test_a_record_that_cannot_be_played_is_told_with_the_value(about: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_published(published(2, **about))
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("given", ["NOCAT", "", None])
def test_what_fool_me_twice_calls_no_category_is_no_topic(given: str | None) -> None:
    assert read_published(published(category=given)).topic == ""
