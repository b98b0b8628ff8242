"""ClaimReview has the structure schema.org gives it and says nothing that is not known."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.render.made import CELL, REFUTES, SENTENCE, SUPPORTS, UNKNOWN, verdict
from veritab.errors import InputError
from veritab.render import write
from veritab.render.claimreview import ClaimReview, Rating, rating
from veritab.schema import Verdict

# Properties by type, as schema.org lists them for these types and those above them.
PROPERTIES = {
    "ClaimReview": {
        *("url", "datePublished", "inLanguage", "author", "claimReviewed", "itemReviewed", "reviewRating"),
        *("reviewBody", "citation"),
    },
    "Claim": {"text", "author", "appearance"},
    "Rating": {"ratingValue", "bestRating", "worstRating", "alternateName"},
    "Organization": {"name", "url"},
    "Thing": {"name"},
    "CreativeWork": {"name", "identifier", "text", "url"},
}
GIVEN = {
    "author": "A paper",
    "author_url": "https://paper.example/",
    "url": "https://paper.example/checks/{id}",
    "date": "2026-11-16",
    "language": "en",
    "claimant": "Somebody",
    "appearance": "https://elsewhere.example/speech",
    "page_url": "https://docs.example/{page}",
}


def graph(*verdicts: Verdict, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    assert write("claimreview", iter(verdicts), out, **options) == len(verdicts)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def check_structure(node: Any) -> None:
    if isinstance(node, list):
        for each in node:
            check_structure(each)
    elif isinstance(node, dict):
        kind = node["@type"]
        assert node.keys() - {"@type", "@context"} <= PROPERTIES[kind], f"{kind} has no such property"
        assert all(value not in ("", [], {}) for value in node.values())
        for value in node.values():
            check_structure(value)


@pytest.mark.parametrize("options", [{}, GIVEN])
def test_every_type_has_only_properties_that_schema_org_knows(options: dict[str, str]) -> None:
    document = graph(verdict(SENTENCE, CELL), verdict(label=REFUTES), verdict(label=UNKNOWN), **options)
    assert document["@context"] == "https://schema.org"
    check_structure(document["@graph"])
    for review in document["@graph"]:
        assert {"@type", "claimReviewed", "itemReviewed", "reviewRating"} <= review.keys()


def test_what_is_not_known_is_left_out() -> None:
    (review,) = graph(verdict(SENTENCE))["@graph"]
    assert not review.keys() & {"url", "author", "datePublished", "inLanguage"}
    assert review["itemReviewed"] == {"@type": "Claim", "text": "Peak 3 is 8,003 m high."}
    assert "url" not in review["citation"][0]


def test_what_is_given_is_told_and_addresses_are_filled_in() -> None:
    (review,) = graph(verdict(SENTENCE, id="a/b"), **GIVEN)["@graph"]
    assert review["url"] == "https://paper.example/checks/a%2Fb"
    assert review["author"] == {"@type": "Organization", "name": "A paper", "url": "https://paper.example/"}
    assert review["citation"][0]["url"] == "https://docs.example/Peaks%20%28Asia%29"
    assert review["itemReviewed"]["author"]["name"] == "Somebody"


def test_the_evidence_that_decides_is_cited_and_all_of_it_where_nobody_knows_which() -> None:
    (some,) = graph(verdict(SENTENCE, CELL, smallest=[CELL]))["@graph"]
    (every,) = graph(verdict(SENTENCE, CELL))["@graph"]
    assert [cited["identifier"] for cited in some["citation"]] == [CELL]
    assert [cited["identifier"] for cited in every["citation"]] == [SENTENCE, CELL]


def test_the_scale_goes_from_false_to_true_and_not_enough_info_has_no_place_on_it() -> None:
    assert rating(verdict(label=SUPPORTS)) == Rating(5, "True")
    assert rating(verdict(label=REFUTES)) == Rating(1, "False")
    assert rating(verdict(label=UNKNOWN)) == Rating(None, "Not enough information")
    (review,) = graph(verdict(label=UNKNOWN))["@graph"]
    assert review["reviewRating"] == {"@type": "Rating", "alternateName": "Not enough information"}


@pytest.mark.parametrize(("held", "refuted", "value"), [(0, 2, 1), (1, 3, 2), (1, 1, 3), (3, 1, 4), (30, 1, 4)])
def test_the_parts_that_hold_raise_a_refuted_claim_but_never_to_true(held: int, refuted: int, value: int) -> None:
    parts = [{"text": "x", "label": label} for label in ["SUPPORTS"] * held + ["REFUTES"] * refuted]
    assert rating(verdict(label=REFUTES, parts=parts)).value == value


def test_reviews_can_be_lines_of_their_own() -> None:
    out = io.StringIO()
    write("claimreview", [verdict(), verdict()], out, graph=False)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["@context"] for line in lines] == ["https://schema.org"] * 2


def test_no_claims_are_an_empty_graph() -> None:
    assert graph()["@graph"] == []


def test_a_claim_cannot_end_the_script_element_it_is_put_in() -> None:
    out = io.StringIO()
    write("claimreview", [verdict(claim="</script><script>alert(1)</script> & <!--")], out)
    assert not set("<>&") & set(out.getvalue())
    assert json.loads(out.getvalue())["@graph"][0]["claimReviewed"] == "</script><script>alert(1)</script> & <!--"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "example.org", "https://"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(InputError, match="expected a web address"):
        ClaimReview(url=address)
