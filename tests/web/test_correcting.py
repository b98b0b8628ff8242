"""Corrections over HTTP: the route for programs, and the page for people."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from starlette.testclient import TestClient

from tests.web.hostile import SCRIPT
from tests.web.seen import BROWSER, drawn, words

FALSE = "K2 is taller than Mount Everest."
TRUE = "K2 is shorter than Mount Everest."


def test_a_refuted_claim_comes_back_with_its_edit(client: TestClient) -> None:
    answer = client.post("/v1/correct", json={"id": "7", "claim": FALSE}).json()
    assert (answer["id"], answer["outcome"], answer["correction"]) == ("7", "corrected", TRUE)
    (edit,) = answer["edits"]
    assert FALSE[: edit["start"]] + edit["new"] + FALSE[edit["end"] :] == TRUE
    assert answer["evidence"]
    assert (answer["verdict"]["label"], answer["corrected_verdict"]["label"]) == ("REFUTES", "SUPPORTS")


def test_several_claims_come_back_in_their_order_and_as_a_stream(client: TestClient) -> None:
    body = {"claims": [FALSE, "Mount Everest is taller than K2.", "Nobody knows Zzyzx."]}
    answers = client.post("/v1/correct", json=body).json()["corrections"]
    assert [each["outcome"] for each in answers] == ["corrected", "nothing to correct", "not enough info"]
    assert [each["correction"] for each in answers] == [TRUE, None, None]
    streamed = client.post("/v1/correct", json=body, headers={"Accept": "application/x-ndjson"}).text
    assert len(streamed.splitlines()) == len(answers)


def test_a_claim_too_long_or_empty_is_refused(client: TestClient) -> None:
    assert client.post("/v1/correct", json={"claim": "x" * 5000}).status_code == 400
    assert client.post("/v1/correct", json={"claim": " "}).status_code == 400


def test_a_refuted_verdict_has_a_button_that_leads_to_what_would_be_true(client: TestClient) -> None:
    (form,) = drawn(client, address("/check", FALSE)).xpath("//form[@action='/correct']")
    assert words(form, "button") == ["What would be true?"]
    page = drawn(client, f"{form.action}?{urlencode(form.form_values())}")
    assert (words(page, "del"), words(page, "ins")) == (["taller"], ["shorter"])
    assert words(page, ".corrected") == [TRUE]
    assert page.xpath("//section[contains(@class, 'verdict') and contains(@class, 'supports')]")  # as what is supported
    assert words(page, "article.card")
    (again,) = page.xpath("//a[contains(., 'Check the corrected claim')]/@href")
    assert words(drawn(client, again), "#verdict") == ["Supported"]


def test_other_verdicts_have_no_such_button_and_say_why(client: TestClient) -> None:
    for claim, why in (("Mount Everest is taller than K2.", "nothing to correct"), ("Zzyzx is.", "does not settle")):
        assert not drawn(client, address("/check", claim)).xpath("//form[@action='/correct']")
        page = drawn(client, address("/correct", claim))
        assert words(page, "#correction") == ["No correction"]
        assert why in words(page, ".verdict-why")[0]


def test_a_claim_with_markup_is_shown_as_text(client: TestClient) -> None:
    assert SCRIPT not in client.get(address("/correct", f"K2 is taller than {SCRIPT}"), headers=BROWSER).text


def test_another_site_may_not_have_the_work_done_by_a_link(client: TestClient) -> None:
    link = {**BROWSER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    answer = client.get(address("/correct", FALSE), headers=link, follow_redirects=False)
    assert (answer.status_code, urlsplit(answer.headers["location"]).path) == (303, "/")
    assert client.get("/correct", headers=BROWSER, follow_redirects=False).status_code == 303


def address(path: str, claim: str) -> str:
    return f"{path}?{urlencode({'claim': claim})}"
