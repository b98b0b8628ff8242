"""LMI and nPMI against values computed by hand and against the published lists."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from veritab import datasets
from veritab.audit.giveaways import Associations, LmiVariant
from veritab.audit.ngrams import count_features, count_ngrams, tokenise

NAMES = ("SUPPORTS", "REFUTES")
TEXTS = ["it is not so", "it is so", "it is not not", "so it is"]
LABELS = ["REFUTES", "SUPPORTS", "REFUTES", "SUPPORTS"]


def associations(size: int, texts: list[str] = TEXTS, labels: list[str] = LABELS) -> Associations:
    return Associations(count_ngrams(texts)[size - 1], labels, NAMES)


def test_words_are_in_lower_case_and_punctuation_is_a_word() -> None:
    assert tokenise("Mad, MAD World's 3.5!") == ["mad", ",", "mad", "world", "'", "s", "3", ".", "5", "!"]


def test_pairs_stay_within_their_claim() -> None:
    _, pairs = count_ngrams(["a b c", "", "d", "c a b"])
    assert pairs.names == ["a b", "b c", "c a"]
    assert list(zip(pairs.claim.tolist(), pairs.thing.tolist(), strict=True)) == [(0, 0), (0, 1), (3, 2), (3, 0)]


def test_lmi_as_fool_me_twice_counts_it() -> None:
    found = {each.thing: each.strength for each in associations(1).by_lmi("REFUTES")}
    # "not" comes three times, always refuted; half of the four claims are refuted.
    assert found["not"] == pytest.approx(3 / 4 * log((3 / 3) / (2 / 4)))
    assert "it" not in found  # two of four: no more than by chance


def test_lmi_as_faviq_counts_it() -> None:
    found = {each.thing: each.strength for each in associations(1).by_lmi("REFUTES", LmiVariant.FAVIQ)}
    # Of 14 words 8 stand in refuted claims, 3 of them "not".
    assert found["not"] == pytest.approx(3 / 14 * log((3 / 14) / (3 / 14 * 8 / 14)))


def test_lmi_of_pairs_by_hand() -> None:
    (first, *_) = associations(2).by_lmi("REFUTES")
    assert (first.thing, first.here, first.anywhere) == ("is not", 2, 2)
    assert first.strength == pytest.approx(2 / 4 * log(2))


def test_npmi_counts_claims_not_occurrences() -> None:
    found = {each.thing: each.strength for each in associations(1).by_npmi("REFUTES")}
    # "not" is in two claims of four, both refuted: p(w, l) = p(w) = p(l) = 1/2, which is as close as can be.
    assert found["not"] == pytest.approx(1.0)
    assert "so" not in found


def test_what_every_claim_has_tells_nothing() -> None:
    found = associations(1)
    assert found.npmi[found.ngrams.names.index("it")].tolist() == pytest.approx([0, 0])


def test_one_label_everywhere_tells_nothing() -> None:
    found = Associations(count_ngrams(["a", "a"])[0], ["SUPPORTS"] * 2, ("SUPPORTS",))
    assert found.npmi.tolist() == [[0.0]]
    assert found.chance == 0


def test_rare_words_are_not_ranked_by_npmi_when_told_so() -> None:
    assert [each.thing for each in associations(1).by_npmi("SUPPORTS", least=3)] == ["so"]
    assert associations(1).by_npmi("REFUTES", least=3) == ()


def many(is_giveaway: str) -> tuple[list[str], list[str]]:
    texts = [
        f"valley {number % 9} and hill {number * 5 % 11} {is_giveaway if number % 2 else ''}" for number in range(200)
    ]
    return texts, ["REFUTES" if number % 2 else "SUPPORTS" for number in range(200)]


def test_a_word_that_gives_labels_away_is_beyond_chance() -> None:
    texts, labels = many("only")
    found = associations(1, texts, labels)
    (first, *_) = found.beyond_chance()
    assert (first.thing, first.label, first.here, first.anywhere) == ("only", "REFUTES", 100, 100)
    assert found.share_given_away == 0.5


def test_words_that_come_by_chance_are_not_beyond_it() -> None:
    texts, _ = many("")
    labels = ["REFUTES" if number // 7 % 2 else "SUPPORTS" for number in range(200)]
    found = associations(1, texts, labels)
    assert found.beyond_chance() == ()
    assert found.share_given_away == 0
    assert not any(each.beyond_chance for each in found.by_lmi("REFUTES"))


def test_four_claims_are_never_called_telling() -> None:
    found = Associations(count_features([["a"]] * 4 + [["b"]] * 400), ["REFUTES"] * 4 + ["SUPPORTS"] * 400, NAMES)
    assert not any(each.thing == "a" for each in found.beyond_chance())


def test_equals_are_ranked_in_the_order_of_the_file() -> None:
    found = associations(1, ["zebra ant", "zebra ant", "cat"], ["REFUTES", "REFUTES", "SUPPORTS"])
    assert [each.thing for each in found.by_lmi("REFUTES")] == ["zebra", "ant"]


def test_nothing_to_count_is_no_failure() -> None:
    found = Associations(count_features([]), [], NAMES)
    assert found.by_lmi("REFUTES") == found.by_npmi("REFUTES") == found.beyond_chance() == ()
    assert found.share_given_away == 0


# -- published lists, where the data is on hand --

FM2_DEV = {
    "by a": 562, "mad ,": 502, ", mad": 502, "on the": 473, "innocent iii": 467, "statue of": 426, "for his": 407,
    "pope innocent": 407, "mary ,": 365, "queen of": 365,
}  # fmt: skip
FEVER_REFUTES = {"is only", "only a", "incapable of", "is not", "was only", "is incapable"}


def of_data_set(name: str, folder: Path) -> Associations:
    examples = list(datasets.load(name, data=folder))
    labels = [str(example.label) for example in examples]
    return Associations(count_ngrams(example.claim.text for example in examples)[1], labels, NAMES)


def test_the_published_list_of_fool_me_twice_comes_out(data_folder: Path) -> None:
    """Table 10: the same ten pairs in the same order, with the same values, cut to whole numbers as there."""
    found = of_data_set("fm2/dev", data_folder)
    assert {each.thing: int(each.strength * 1e5) for each in found.by_lmi("REFUTES")} == FM2_DEV
    assert [each.thing for each in found.by_lmi("REFUTES")] == list(FM2_DEV)


def test_no_pair_of_fool_me_twice_is_beyond_chance_as_its_authors_say(data_folder: Path) -> None:
    assert of_data_set("fm2/dev", data_folder).beyond_chance() == ()


def test_the_published_pairs_of_fever_lead_the_list(data_folder: Path) -> None:
    """FaVIQ's table 3 is of the whole development set; here are two thirds of its claims with evidence."""
    found = of_data_set("fever/dev_gold_text", data_folder)
    leading = found.by_lmi("REFUTES", LmiVariant.FAVIQ, top=7)
    assert {each.thing for each in leading} >= FEVER_REFUTES
    assert all(each.beyond_chance for each in leading)
    assert {"is a", "a film", "of the", "is an", "in the", "in a"} <= {each.thing for each in found.by_lmi("SUPPORTS")}
