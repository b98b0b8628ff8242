"""What the wording of an author gives away."""

from __future__ import annotations

import pytest

from tests.studio.figures.samples import R, S
from veritab.audit import claim_only
from veritab.errors import InputError, MissingExtra
from veritab.studio.figures.bias import measure_bias
from veritab.studio.figures.rows import AuthoredClaim
from veritab.studio.figures.values import Figure

PLACES = "Lima Oslo Bonn Kiev Rome Bern Riga Baku Doha Suva".split()


def claims(author: str, negating: bool, number: int = 60) -> list[AuthoredClaim]:
    """Claims of which every second is refuted, and negates where the author always puts it so."""
    found = []
    for place in range(number):
        is_false = place % 2
        verb = "is not" if is_false and negating else "is"
        text = f"{PLACES[place % 10]} {verb} near river {place // 2}."
        found.append(AuthoredClaim(author, f"{author}-{place}", text, R if is_false else S, (f"page {place}",)))
    return found


def test_an_author_who_negates_what_is_false_is_found_out() -> None:
    biased, plain = measure_bias([*claims("heron", negating=True), *claims("ibis", negating=False)])
    assert (biased.author, plain.author) == ("heron", "ibis")
    assert biased.labels.counts == {"REFUTES": 30, "SUPPORTS": 30}
    assert biased.words["REFUTES"][0].thing == "not"
    assert biased.words["REFUTES"][0].beyond_chance
    assert biased.given_away.value is not None
    assert biased.given_away.value >= 0.5
    assert biased.negation == Figure(0.5, 60)
    assert biased.negation_by_label == {"SUPPORTS": Figure(0.0, 30), "REFUTES": Figure(1.0, 30)}
    assert biased.claim_only == Figure(1.0, 60)
    assert biased.majority == Figure(0.5, 60)
    assert plain.negation == Figure(0.0, 60)
    assert "not" not in {word.thing for words in plain.words.values() for word in words}


def test_too_few_claims_say_nothing_of_words() -> None:
    (bias,) = measure_bias(claims("ibis", negating=True, number=10))
    assert (
        bias.claim_only == bias.majority == bias.given_away == Figure(None, 10, "10 claims are too few; 50 are needed")
    )
    assert bias.words == {}
    assert bias.negation == Figure(0.5, 10)


def test_one_label_says_nothing_of_words() -> None:
    (bias,) = measure_bias([claim._replace(label=S) for claim in claims("ibis", negating=True)])
    assert bias.claim_only == Figure(None, 60, "all claims have one label")
    assert bias.given_away.value is None


def test_a_label_that_is_hardly_given_cannot_be_learnt() -> None:
    rare = [claim._replace(label=R if place < 3 else S) for place, claim in enumerate(claims("ibis", negating=False))]
    (bias,) = measure_bias(rare)
    assert bias.claim_only == Figure(None, 60, "all labels but one are too rare")
    assert bias.given_away.value is not None


def test_without_the_classifier_the_rest_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> None:
        raise MissingExtra("the claim-only classifier", "evaluate")

    monkeypatch.setattr(claim_only, "_import_extra", missing)
    (bias,) = measure_bias(claims("ibis", negating=True))
    assert bias.claim_only.value is None
    assert "veritab[evaluate]" in bias.claim_only.reason
    assert bias.words["REFUTES"]


def test_the_claims_of_an_author_come_in_a_row() -> None:
    with pytest.raises(InputError, match="'ibis' do not come in a row"):
        measure_bias([*claims("ibis", True, 1), *claims("heron", True, 1), *claims("ibis", True, 1)])


def test_without_authors_there_is_no_bias() -> None:
    assert measure_bias([]) == ()
