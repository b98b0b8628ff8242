"""The corpus that ships, and the claims over it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from veritab import ElementId, Kind, Label, Page, open_corpus
from veritab.corpus.almanac import PAGES
from veritab.corpus.sources import read_source
from veritab.corpus.store import Store
from veritab.schema import ListBlock, Problem, Redirect, Sentence

CLAIMS = Path(__file__).parents[1] / "examples" / "almanac" / "claims.jsonl"
AMBIGUOUS = {"Georgia", "Mercury"}
CHALLENGES = {
    "Numerical Reasoning",
    "Multi-hop Reasoning",
    "Entity Disambiguation",
    "Combining Tables and Text",
    "Search terms not in claim",
    "Other",
}
MUTATIONS = {
    "paraphrase",
    "negation",
    "similar substitution",
    "dissimilar substitution",
    "generalisation",
    "specification",
}


@pytest.fixture(scope="module")
def almanac() -> Iterator[Store]:
    with open_corpus() as corpus:
        assert isinstance(corpus, Store)
        yield corpus


@pytest.fixture(scope="module")
def pages(almanac: Store) -> list[Page]:
    return list(almanac.pages())


@pytest.fixture(scope="module")
def claims() -> list[dict[str, Any]]:
    with CLAIMS.open(encoding="utf-8") as file:
        header, *records = [json.loads(line) for line in file]
    # FEVEROUS files begin with an empty record, and its programs skip the first line whatever it holds.
    assert header["claim"] == header["label"] == ""
    return records


# -- pages --


def test_there_are_enough_pages_and_every_file_reads_without_a_problem(pages: list[Page]) -> None:
    assert len(pages) >= 150
    assert not [one for one in read_source(PAGES) if isinstance(one, Problem)]


def test_every_page_has_prose_of_a_readable_length(pages: list[Page]) -> None:
    for page in pages:
        sentences = [block for block in page.blocks if isinstance(block, Sentence)]
        assert 6 <= len(sentences) <= 20 or page.title in AMBIGUOUS, (page.title, len(sentences))


def test_infoboxes_tables_and_lists_are_plenty(pages: list[Page]) -> None:
    assert sum(any(table.infobox for table in page.tables) for page in pages) >= len(pages) / 2
    real = [table for page in pages for table in page.tables if not table.infobox]
    assert len({table.id.page for table in real}) >= 30
    spanned = [t for t in real if any(c.row_span > 1 or c.column_span > 1 for row in t.rows for c in row)]
    assert len(spanned) >= 20
    two_level = [t for t in real if len(t.rows) > 1 and all(c.header for row in t.rows[:2] for c in row)]
    assert len(two_level) >= 10
    assert sum(any(isinstance(block, ListBlock) for block in page.blocks) for page in pages) >= 20


def test_every_table_is_whole(pages: list[Page]) -> None:
    for page in pages:
        for table in page.tables:
            assert {len(line) for line in table.places} == {table.width}, table
            assert all(place is not None for line in table.places for place in line), table


def test_pages_link_to_each_other_and_no_link_dangles(pages: list[Page], almanac: Store) -> None:
    for one in read_source(PAGES):
        if isinstance(one, Page):
            assert [target for target in one.links if target not in almanac] == [], one.title
        elif isinstance(one, Redirect):
            assert one.target in almanac, one
    assert sum(len(page.links) for page in pages) / len(pages) >= 3


def test_redirects_and_two_ambiguous_titles_exist(almanac: Store) -> None:
    assert almanac.counts()["redirects"] >= 30
    assert list(almanac.broken_redirects()) == []
    assert {"Mercury (planet)", "Mercury (element)"} <= set(almanac.page("Mercury").links)
    assert {"Georgia (country)", "Georgia (U.S. state)"} <= set(almanac.page("Georgia").links)


def test_no_markup_survives(pages: list[Page]) -> None:
    leftover = re.compile(r"\[\[|\]\]|\{\{|\}\}|'''|\{\||<ref|&[a-z]+;")
    assert [text for page in pages for text, _ in page.texts() if leftover.search(text)] == []


# -- claims --


def test_there_are_enough_claims_with_labels_in_balance(claims: list[dict[str, Any]]) -> None:
    labels = Counter(record["label"] for record in claims)
    assert len(claims) >= 300
    assert set(labels) == set(Label)
    assert max(labels.values()) - min(labels.values()) <= len(claims) / 20


def test_all_challenges_and_all_mutations_occur(claims: list[dict[str, Any]]) -> None:
    assert {record["challenge"] for record in claims} == CHALLENGES
    assert min(Counter(record["challenge"] for record in claims).values()) >= len(claims) / 20
    assert {record["mutation"] for record in claims} == MUTATIONS | {"none"}
    for label in Label:
        used = {record["mutation"] for record in claims if record["label"] == label}
        assert len(used) >= 5


def test_every_evidence_set_names_elements_with_their_context(claims: list[dict[str, Any]], almanac: Store) -> None:
    kinds: Counter[Kind] = Counter()
    for record in claims:
        assert 1 <= len(record["evidence"]) <= 3
        for evidence in record["evidence"]:
            assert evidence["content"]
            assert set(evidence["context"]) == set(evidence["content"])
            sentences = [name for name in evidence["content"] if ElementId.parse(name).kind is Kind.SENTENCE]
            assert len(sentences) <= 5, record["claim"]
            assert len(evidence["content"]) - len(sentences) <= 25, record["claim"]
            for name, context in evidence["context"].items():
                element = almanac.element(name)
                assert element.text
                assert str(element.id) == name
                assert [str(near.id) for near in element.context] == context
                kinds[element.kind] += 1
    assert {Kind.SENTENCE, Kind.CELL, Kind.ITEM, Kind.TABLE_CAPTION} <= set(kinds)


def test_words_alone_do_not_give_the_label_away(claims: list[dict[str, Any]]) -> None:
    """A naive Bayes model over words and word pairs, tested on pages it did not train on, stays near chance."""
    folds: dict[str, int] = {}
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for record in claims:
        # A family shares its first page, so that a page is never on both sides.
        page = ElementId.parse(record["evidence"][0]["content"][0]).page
        groups[folds.setdefault(page, len(folds) % 10)].append(record)
    right = 0
    for held_out, tested in groups.items():
        model = _train([record for fold, records in groups.items() if fold != held_out for record in records])
        right += sum(_guess(model, record["claim"]) == record["label"] for record in tested)
    assert right / len(claims) < 0.45


def _features(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {*words, *(f"{one} {two}" for one, two in pairwise(words))}


Model = tuple[Counter[str], dict[str, Counter[str]]]


def _train(records: list[dict[str, Any]]) -> Model:
    labels = Counter(record["label"] for record in records)
    words: dict[str, Counter[str]] = {label: Counter() for label in labels}
    for record in records:
        words[record["label"]].update(_features(record["claim"]))
    return labels, words


def _guess(model: Model, text: str) -> str:
    labels, words = model
    known = [feature for feature in _features(text) if any(feature in counts for counts in words.values())]
    return max(
        labels,
        key=lambda label: sum(math.log((words[label][feature] + 0.5) / (labels[label] + 1)) for feature in known),
    )


def test_every_page_is_in_one_category(pages: list[Page]) -> None:
    assert {len(page.categories) for page in pages} == {1}
    assert len({page.categories for page in pages}) == 10
