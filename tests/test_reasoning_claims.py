"""The claims over the bundled almanac that are settled by computing: their shape, not their truth."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.test_almanac import CLAIMS, _guess, _train
from veritab import ElementId, Kind, open_corpus
from veritab.corpus.store import Store

REASONING = CLAIMS.with_name("reasoning.jsonl")
FIELDS = ["id", "claim", "label", "evidence", "operation", "scope", "table"]
OPERATIONS = {
    *("lookup", "filter", "count", "sum", "mean", "max", "min", "argmax", "argmin", "nth", "difference", "ratio"),
    *("compare", "all", "only", "none", "most", "unique", "before/after", "earliest/latest", "same/different"),
    *("percentage", "majority", "at least/at most", "negation", "duration", "conjunction"),
}
# What a claim of each scope names as its place, and what its evidence is made of.
KINDS = {
    "table": (Kind.TABLE, Kind.CELL),
    "two tables": (Kind.TABLE, Kind.CELL),
    "infobox": (Kind.TABLE, Kind.CELL),
    "list": (Kind.LIST, Kind.ITEM),
    "sentences": (Kind.SENTENCE, Kind.SENTENCE),
}


@pytest.fixture(scope="module")
def almanac() -> Iterator[Store]:
    with open_corpus() as corpus:
        assert isinstance(corpus, Store)
        yield corpus


@pytest.fixture(scope="module")
def claims() -> list[dict[str, Any]]:
    return _records(REASONING)


def test_there_are_two_hundred_claims_numbered_in_order(claims: list[dict[str, Any]]) -> None:
    assert [record["id"] for record in claims] == list(range(1, 201))
    assert all(list(record) == FIELDS for record in claims)


def test_half_of_the_claims_are_supported_and_half_are_refuted(claims: list[dict[str, Any]]) -> None:
    assert Counter(record["label"] for record in claims) == {"SUPPORTS": 100, "REFUTES": 100}


def test_every_operation_has_at_least_five_claims_with_both_labels_in_balance(claims: list[dict[str, Any]]) -> None:
    operations: dict[str, Counter[str]] = defaultdict(Counter)
    for record in claims:
        operations[record["operation"]][record["label"]] += 1
    assert set(operations) == OPERATIONS
    for name, labels in operations.items():
        assert labels.total() >= 5, name
        assert abs(labels["SUPPORTS"] - labels["REFUTES"]) <= 1, name


def test_the_claims_are_spread_over_many_pages_and_some_leave_the_single_table(claims: list[dict[str, Any]]) -> None:
    assert len({_page(record) for record in claims}) >= 100
    scopes = Counter(record["scope"] for record in claims)
    assert set(scopes) == set(KINDS)
    assert scopes["table"] == 180
    assert min(scopes.values()) >= 5


def test_every_piece_of_evidence_exists_and_stands_in_the_place_named(
    claims: list[dict[str, Any]], almanac: Store
) -> None:
    for record in claims:
        places = [ElementId.parse(name) for name in _places(record)]
        place_kind, evidence_kind = KINDS[record["scope"]]
        assert {place.kind for place in places} == {place_kind}, record["claim"]
        assert len(places) == (2 if record["scope"] == "two tables" else 1), record["claim"]
        [evidence] = record["evidence"]
        assert 1 <= len(set(evidence["content"])) == len(evidence["content"]) <= 25, record["claim"]
        numbers = set()
        for name in evidence["content"]:
            element = almanac.element(name)
            assert element.text
            assert str(element.id) == name
            assert element.kind is evidence_kind
            numbers.add((element.id.page, element.id.path[0]))
        assert numbers == {(place.page, place.path[0]) for place in places}, record["claim"]


def test_an_infobox_is_called_one_and_a_table_is_not(claims: list[dict[str, Any]], almanac: Store) -> None:
    for record in claims:
        if KINDS[record["scope"]][0] is Kind.TABLE:
            for place in map(ElementId.parse, _places(record)):
                infobox = almanac.page(place.page).table(place.path[0]).infobox
                assert infobox == (record["scope"] == "infobox"), record["claim"]


def test_no_claim_is_repeated_here_or_among_the_other_claims(claims: list[dict[str, Any]]) -> None:
    texts = [record["claim"] for record in [*claims, *_records(CLAIMS)[1:]]]
    assert [text for text, times in Counter(text.casefold() for text in texts).items() if times > 1] == []


def test_words_alone_do_not_give_the_label_away(claims: list[dict[str, Any]]) -> None:
    """A naive Bayes model over words and word pairs, tested on pages it did not train on, stays near chance."""
    folds: dict[str, int] = {}
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for record in claims:
        groups[folds.setdefault(_page(record), len(folds) % 10)].append(record)
    right = 0
    for held_out, tested in groups.items():
        model = _train([record for fold, records in groups.items() if fold != held_out for record in records])
        right += sum(_guess(model, record["claim"]) == record["label"] for record in tested)
    assert right / len(claims) < 0.57


def _records(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _places(record: dict[str, Any]) -> list[str]:
    return record["table"] if isinstance(record["table"], list) else [record["table"]]


def _page(record: dict[str, Any]) -> str:
    return ElementId.parse(_places(record)[0]).page
