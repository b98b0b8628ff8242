"""Parts that share no page, labels that are alike or even, and leaks that are found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.datasets.splitting import SimilarClaims, Split, groups, leaks, leaks_between, split
from veritab.datasets.statistics import pages_of
from veritab.errors import InputError
from veritab.schema import Claim, ElementId, Example, Kind, Label

THREE = {"train": 0.8, "dev": 0.1, "test": 0.1}


def example(id: int, label: Label | None, *pages: str, text: str = "") -> Example:
    evidence = (frozenset(ElementId(page, Kind.SENTENCE, (0,)) for page in pages),) if pages else ()
    return Example(Claim(str(id), text or f"claim number {id}"), label, evidence)


def many(count: int, share: float = 0.5) -> list[Example]:
    """Claims of which a share is true, two for each page."""
    true = round(count * share)
    return [
        example(number, Label.SUPPORTS if number % count < true else Label.REFUTES, f"page {number % (count // 2)}")
        for number in range(count)
    ]


RANDOM = st.lists(
    st.builds(
        lambda id, label, pages: example(id, label, *pages),
        st.integers(0, 10**9),
        st.sampled_from([*Label, None]),
        st.lists(st.sampled_from("ABCDEFGHIJ"), max_size=2),
    ),
    max_size=40,
    unique_by=lambda each: each.claim.id,
)


@given(RANDOM)
def test_every_claim_is_in_one_group_and_groups_share_no_page(examples: list[Example]) -> None:
    found = groups(examples)
    assert sorted(place for group in found for place in group) == list(range(len(examples)))
    owners = Counter(
        page for group in found for page in {page for place in group for page in pages_of(examples[place])}
    )
    assert set(owners.values()) <= {1}


@given(RANDOM, st.booleans(), st.integers(0, 5))
def test_parts_hold_every_claim_once_and_share_nothing(examples: list[Example], balance: bool, seed: int) -> None:
    parts = split(examples, THREE, balance=balance, seed=seed)
    assert sorted(place for part in parts for place in part.places) == list(range(len(examples)))
    held = {part.name: [examples[place] for place in part.places] for part in parts}
    assert not any(found.pages or found.identical for _, _, found in leaks_between(held))


def test_pages_join_claims_through_others() -> None:
    chain = [example(1, None, "A"), example(2, None, "C"), example(3, None, "A", "B"), example(4, None, "B", "C")]
    assert groups([*chain, example(5, None, "D")]) == [[0, 1, 2, 3], [4]]


def test_claims_in_the_same_words_stay_together_and_with_near_also_those_in_nearly_the_same() -> None:
    long = "the mountain K2 in the Karakoram is one of the highest of the whole world"
    some = [
        example(1, None, "A", text=long),
        example(2, None, "B", text=long.upper() + "."),
        example(3, None, text=f"{long} today"),
    ]
    assert groups(some) == [[0, 1], [2]]
    assert groups(some, near=0.8) == [[0, 1, 2]]


def test_a_field_of_the_records_can_join_claims_instead() -> None:
    some = [
        Example(Claim(str(number), f"claim {number}"), None, record={"highlight": highlight})
        for number, highlight in enumerate(["x", "y", "x", None, ""])
    ]
    assert groups(some, by="highlight") == [[0, 2], [1], [3], [4]]
    with pytest.raises(InputError, match="no record has a field 'author'; split by page"):
        groups(some, by="author")


def built(id: int, source: str, record: str, *pages: str, claim: str = "") -> Example:
    origin = {"source": source, "record": record, **({"claim": claim} if claim else {})}
    return replace(example(id, None, *pages), record={"origin": origin})


def test_claims_built_of_one_record_belong_together_however_else_they_are_joined() -> None:
    some = [
        built(0, "a", "7", "A"),
        built(1, "b", "7", "B"),
        built(2, "a", "7", "C"),
        example(3, None, "C"),
        built(4, "c", "1", "D", claim="Claim number 1."),
    ]
    assert groups(some, by="origin") == [[0, 2], [1, 4], [3]]
    assert groups(some) == [[0, 2, 3], [1, 4]]


def test_a_claim_belongs_with_those_built_of_claims_that_were_built_of_it() -> None:
    first = {"source": "a", "record": "0", "claim": "Lyon has two rivers."}
    again = {"source": "b", "record": "0-negate", "claim": "Lyon has no rivers.", "earlier": first}
    some = [example(0, None, text="Lyon has two rivers."), replace(example(1, None), record={"origin": again})]
    assert groups(some) == [[0, 1]]


def test_shares_and_labels_are_those_of_the_whole() -> None:
    parts = split(many(1000, 0.7), THREE)
    assert [len(part) for part in parts] == [800, 100, 100]
    assert all(part.labels["SUPPORTS"] / len(part) == pytest.approx(0.7, abs=0.02) for part in parts)


def test_balanced_parts_have_as_many_of_each_label_but_for_the_largest() -> None:
    train, dev, test = split(many(1000, 0.7), THREE, balance=True)
    # Every page with a refuted claim has a supported one as well, so groups can miss by a few.
    assert abs(dev.labels["SUPPORTS"] - dev.labels["REFUTES"]) <= 4
    assert abs(test.labels["SUPPORTS"] - test.labels["REFUTES"]) <= 4
    assert len(dev) == pytest.approx(100, abs=4)
    assert train.labels["SUPPORTS"] > 1.5 * train.labels["REFUTES"]


def test_half_of_a_rare_label_stays_in_the_largest_part() -> None:
    rare = [example(number, Label.NOT_ENOUGH_INFO if number < 20 else Label.SUPPORTS) for number in range(1000)]
    train, dev, test = split(rare, THREE, balance=True)
    assert (train.labels["NOT ENOUGH INFO"], dev.labels["NOT ENOUGH INFO"]) == (10, 5)
    assert len(dev) == pytest.approx(100, abs=1)
    assert len(test) == pytest.approx(100, abs=1)


def test_the_same_seed_gives_the_same_parts_and_another_one_others() -> None:
    def places(seed: int) -> list[tuple[int, ...]]:
        return [part.places for part in split(many(200), THREE, seed=seed)]

    assert places(1) == places(1) != places(2)


def test_claims_that_all_hang_together_come_into_one_part() -> None:
    parts = split([example(number, Label.SUPPORTS, "A") for number in range(10)], THREE)
    assert [len(part) for part in parts] == [10, 0, 0]


@pytest.mark.parametrize(
    "shares",
    [
        {},
        {"train": 1.0},
        {"train": 0.8, "dev": 0.1},
        {"train": 1.2, "dev": -0.2},
        {"a": 0.0, "b": 1.0},
        {"a": float("nan"), "b": 1.0},
    ],
)
def test_shares_that_are_none_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"not shares of a whole .* try train=.8,dev=.1,test=.1"):
        split(many(10), shares)


def test_a_part_knows_its_size() -> None:
    assert len(Split("dev", 0.1, (1, 5), {})) == 2


# -- leaks --


def test_shared_pages_and_claims_in_the_same_or_nearly_the_same_words_are_found() -> None:
    long = "the mountain K2 in the Karakoram is one of the highest of the whole world"
    first = [example(1, None, "A", text="K2 is high."), example(2, None, "B", text=long)]
    second = [
        example(3, None, "C", text="k2 is high"),
        example(4, None, text=f"{long} today"),
        example(5, None, "A", "D", text="Nobody knows"),
        example(6, None, "E", text="The Nile is long"),
    ]
    found = leaks(first, second)
    assert (found.first, found.second) == (2, 4)
    assert found.pages == ("A",)
    assert found.by_page == ("5",)
    assert found.identical == (SimilarClaims("1", "3", 1.0),)
    assert [pair.other for pair in found.alike] == ["3", "4"]
    assert found.given_away == 3
    assert found.share == 3 / 4
    told = found.as_dict()
    assert told["shared_pages"] == ["A"]
    assert [pair["other"] for pair in told["near"]] == ["4"]


def test_parts_without_claims_share_nothing() -> None:
    assert leaks([], []).share == 0
    assert leaks(many(4), []).share == 0
