"""Web Annotations have the structure that the W3C gives them and point at the evidence."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.render.made import CELL, REFUTES, SENTENCE, UNKNOWN, verdict
from veritab.errors import InputError
from veritab.render import write
from veritab.schema import Verdict


def page_of(*verdicts: Verdict, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    assert write("annotations", verdicts, out, **options) == len(verdicts)
    page: dict[str, Any] = json.loads(out.getvalue())
    return page


def test_a_page_has_an_annotation_for_each_verdict() -> None:
    page = page_of(verdict(SENTENCE), verdict(CELL, label=REFUTES))
    assert page["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert page["type"] == "AnnotationPage"
    assert [each["type"] for each in page["items"]] == ["Annotation", "Annotation"]
    assert page_of()["items"] == []


def test_the_target_is_the_evidence_by_fragment_and_by_quotation() -> None:
    (annotation,) = page_of(
        verdict(SENTENCE, CELL, smallest=[CELL]), page_url="https://docs.example/page?title={page}"
    )["items"]
    assert annotation["target"] == [
        {
            "source": "https://docs.example/page?title=Peaks%20%28Asia%29",
            "selector": [
                {"type": "FragmentSelector", "value": "cell_0_5_1"},
                {"type": "TextQuoteSelector", "exact": "8,003"},
            ],
        }
    ]


def test_the_body_is_the_verdict() -> None:
    (annotation,) = page_of(verdict(CELL, label=REFUTES), language="en")["items"]
    tag, said = annotation["body"]
    assert tag == {"type": "TextualBody", "purpose": "tagging", "value": "REFUTES"}
    assert said["value"] == "Refuted: Peak 3 is 8,003 m high.\nheight of Peak 3 = 8,003 m"
    assert (said["purpose"], said["language"]) == ("assessing", "en")
    assert annotation["motivation"] == "assessing"


def test_what_is_not_known_is_left_out_and_what_is_given_is_said() -> None:
    (plain,) = page_of(verdict(CELL))["items"]
    assert {"id", "created", "creator"}.isdisjoint(plain)
    assert plain["target"][0]["source"] == "urn:veritab:page:Peaks%20%28Asia%29"
    given = {"url": "https://paper.example/{id}", "created": "2026-11-16T12:00:00Z", "creator": "A paper"}
    (full,) = page_of(verdict(CELL), **given)["items"]
    assert (full["id"], full["created"]) == ("https://paper.example/7", "2026-11-16T12:00:00Z")
    assert full["creator"] == {"type": "Person", "name": "A paper"}


def test_a_verdict_without_evidence_is_one_on_its_claim() -> None:
    (annotation,) = page_of(verdict(label=UNKNOWN))["items"]
    assert annotation["target"][0]["selector"][0]["exact"] == "Peak 3 is 8,003 m high."


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="page_url is 'docs'"):
        page_of(page_url="docs")
