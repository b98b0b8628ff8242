"""`veritab.judge`: what may be given as evidence, and what the answer says; here without a model but where one is named."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import veritab
from tests.verify.tiny import make_reader
from veritab import Claim, ElementId, Hit, Kind, Label, Table, Verdict, VeritabError
from veritab.errors import InputError, NotFound
from veritab.judging import Evidence, gathered
from veritab.models import shipped
from veritab.verify.verdicts import ModelVerifier

judge = partial(veritab.judge, model=None)

ROWS = [["Mountain", "Height (m)"], ["Everest", "8,849"], ["K2", "8,611"]]
CLAIM = "K2 is higher than Everest."


def cells(verdict: Verdict) -> set[str]:
    return {str(hit.element.id) for hit in verdict.evidence}


TALL, OTHER = "K2 is 8,611 m high.", "Everest is 8,849 m high."
PAGE = veritab.Page("Peaks", (veritab.schema.Sentence(0, "K2 is 8,611 m high, and Everest 8,849 m."),))


@pytest.mark.parametrize(
    "evidence",
    [
        ROWS,
        [ROWS],
        (tuple(map(tuple, ROWS)),),
        {"table": {"header": ROWS[0], "rows": ROWS[1:], "caption": "Peaks"}},
        [{"table": {"rows": ROWS}}],
        [{"table": ROWS}],
        [{"title": "Peaks", "table": {"header": ROWS[0], "rows": [["Everest", 8849], ["K2", 8611]], "caption": None}}],
        Table.of(ROWS[1:], header=ROWS[0]),
        [Table.of(ROWS[1:], header=ROWS[0])],
        "K2 is 8,611 m high, and Everest 8,849 m.",
        ["K2 is 8,611 m high.", "Everest is 8,849 m high."],
        [{"title": "Peaks", "text": "K2 is 8,611 m high. Everest is 8,849 m high."}],
        "High mountains:\n- Everest: 8,849 m\n- K2: 8,611 m\n",
        PAGE,
        [PAGE.elements[1]],
        [Hit(PAGE.elements[1], 1.0, "test")],
        iter([ROWS]),
    ],
)
def test_texts_rows_tables_pages_and_elements_are_all_evidence(evidence: Any) -> None:
    verdict = judge(CLAIM, evidence)
    assert verdict.label is Label.REFUTES
    assert "<" in verdict.reasoning[0]
    assert verdict.evidence
    assert max(verdict.scores, key=lambda label: verdict.scores[label]) is Label.REFUTES


def test_the_evidence_of_the_answer_is_the_cells_it_was_computed_from() -> None:
    verdict = judge(CLAIM, ROWS)
    assert {"Evidence_cell_0_1_1", "Evidence_cell_0_2_1"} <= cells(verdict)
    assert {hit.by for hit in verdict.evidence} == {"reasoner"}
    assert verdict.claim == Claim("", CLAIM)
    assert judge(Claim("7", CLAIM), ROWS).claim.id == "7"


def test_pieces_of_evidence_never_share_an_address() -> None:
    one, other = Table.of(ROWS[1:2], header=ROWS[0]), Table.of(ROWS[2:], header=ROWS[0])
    assert one.id == other.id
    assert {"Table_cell_0_1_1", "Table_cell_1_1_1"} <= cells(judge(CLAIM, [one, other]))
    texts = ["K2 is 8,611 m high.", "Everest is 8,849 m high."]
    assert cells(judge(CLAIM, texts)) == {"Evidence_sentence_0", "Evidence_sentence_1"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (veritab.Page("K2", (veritab.schema.Sentence(0, TALL),)), {"title": "K2", "text": OTHER}),
        ({"title": "K2", "text": OTHER}, veritab.Page("K2", (veritab.schema.Sentence(0, TALL),))),
        (veritab.Page("K2", (veritab.schema.Sentence(0, TALL),)), veritab.Page("K2", (veritab.schema.Sentence(0, OTHER),))),
        (veritab.Page("K2", (veritab.schema.Sentence(0, TALL),)).elements[1], veritab.Page("K2", (veritab.schema.Sentence(0, OTHER),)).elements[1]),
        (veritab.Page("K2", (veritab.schema.ListBlock(0, (veritab.schema.Item("K2: 8,611 m"),)),)), {"title": "K2", "text": "* Everest: 8,849 m"}),
        ({"title": "K2", "text": TALL}, {"title": "K2", "text": OTHER}),
        ({"title": "T", "table": [ROWS[0], ROWS[1]]}, Table.of(ROWS[2:], header=ROWS[0], title="T")),
        (Table.of(ROWS[2:], header=ROWS[0], title="T"), {"title": "T", "table": [ROWS[0], ROWS[1]]}),
        (Table.of(ROWS[2:], header=ROWS[0], title="T"), Table.of(ROWS[1:2], header=ROWS[0], title="T")),
    ],
)  # fmt: skip
def test_evidence_of_equal_titles_is_all_kept(one: Any, other: Any) -> None:
    pieces = gathered([one, other])
    said = " ".join(_words_of(piece) for piece in pieces)
    assert ("8,611" in said, "8,849" in said) == (True, True)
    assert len({(type(piece), piece.id) for piece in pieces}) == len(pieces)
    assert [piece.id for piece in gathered(pieces)] == [piece.id for piece in pieces]
    assert judge(CLAIM, [one, other]).label is Label.REFUTES


def _words_of(piece: Table | veritab.Element) -> str:
    return piece.text if isinstance(piece, veritab.Element) else " ".join(c.text for row in piece.rows for c in row)


def test_a_second_page_of_a_title_is_numbered_and_the_same_one_is_not_taken_twice() -> None:
    one, other = (veritab.Page("notes", (veritab.schema.Sentence(0, text),)) for text in (TALL, OTHER))
    assert cells(judge(CLAIM, [one, other])) == {"notes_sentence_0", "notes (2)_sentence_0"}
    twice: list[Evidence] = [one, one, one.elements[1]]
    assert gathered(twice) == gathered([one])


def test_a_table_that_gets_another_number_keeps_its_sections() -> None:
    tables = [Table.of([row], header=ROWS[0], sections=["Asia"]) for row in ROWS[1:]]
    second = gathered(tables)[1]
    assert isinstance(second, Table)
    assert (str(second.id), second.context[-1].text) == ("Table_table_1", "Asia")


def test_a_title_names_what_a_text_is_about() -> None:
    text = "The census of 2011 counted 10,816 residents, and that of 2021 found 10,482."
    claim = "Greece had fewer residents in 2021 than in 2011."
    assert judge(claim, [{"title": "Greece", "text": text}]).label is Label.SUPPORTS
    assert judge(claim, [text]).label is Label.NOT_ENOUGH_INFO


def test_bullets_make_items() -> None:
    verdict = judge("The Nile is longer than the Danube.", "Rivers.\n* Nile: 6,650 km\n* Danube: 2,850 km\nThe end.")
    assert verdict.label is Label.SUPPORTS
    assert {hit.element.kind for hit in verdict.evidence} == {Kind.ITEM}


@pytest.mark.parametrize("evidence", [[], "", [""], "Tea is hot.", [[]], {"table": {"rows": []}}, {"text": ""}])
def test_evidence_that_gives_nothing_to_compute_is_not_enough(evidence: Any) -> None:
    verdict = judge(CLAIM, evidence)
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert (verdict.reasoning, verdict.evidence) == ((), ())


@pytest.mark.parametrize("claim", ["", "  ", "???", "\x00"])
def test_a_claim_that_says_nothing_is_not_decided(claim: str) -> None:
    assert judge(claim, ROWS).label is Label.NOT_ENOUGH_INFO


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (3, "evidence is a list, not 3"),
        (None, "evidence is a list, not None"),
        (b"text", "evidence is a list, not b'text'"),
        ([3], "3 is no evidence"),
        ([None], "None is no evidence"),
        ({"rows": ROWS}, "has neither a text nor a table"),
        ({"text": 3}, "the text of evidence is a text, not 3"),
        ({"title": 3, "text": "x"}, "the title of evidence is a text, not 3"),
        ({"table": {"header": ["a"]}}, "has no rows"),
        ({"table": {"rows": 3}}, "a table is a list, not 3"),
        ({"table": {"rows": ["ab"]}}, "a row is a list, not 'ab'"),
        ({"table": {"rows": [["a"]], "caption": 3}}, "the caption of a table is a text, not 3"),
        ({"table": "a,b"}, "a table is a list, not 'a,b'"),
    ],
)
def test_a_mistake_is_told_with_the_value_and_a_remedy(evidence: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        judge(CLAIM, evidence)
    assert "expected" in str(raised.value) or " is a text, not " in str(raised.value)


def test_a_number_too_long_to_be_written_is_named_by_its_type() -> None:
    with pytest.raises(InputError, match="evidence is a list, not <int, too deep"):
        judge(CLAIM, 10**5000)  # type: ignore[arg-type]
    assert judge(CLAIM, [[ROWS[0], ["Everest", 10**5000], ["K2", 8611]]]).label is not Label.SUPPORTS


def test_a_claim_must_be_a_text() -> None:
    with pytest.raises(InputError, match="a claim is a text, not 3"):
        judge(3, ROWS)  # type: ignore[arg-type]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20) | st.sampled_from(["K2 is 8,611 m high", "8,849"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "table", "rows", "header", "caption", "title"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(evidence=_JSON)
def test_whatever_json_brings_is_judged_or_refused(evidence: Any) -> None:
    try:
        verdict = judge(CLAIM, evidence)
    except VeritabError:
        return
    assert sum(verdict.scores.values()) == pytest.approx(1)
    assert all(0 <= score <= 1 for score in verdict.scores.values())
    assert max(verdict.scores, key=lambda label: verdict.scores[label]) is verdict.label


def test_scores_are_those_of_the_label_when_nothing_is_known() -> None:
    scores = judge("Tea is hot.", []).scores
    assert scores == {Label.SUPPORTS: 0.125, Label.REFUTES: 0.125, Label.NOT_ENOUGH_INFO: 0.75}


def test_the_same_evidence_gives_the_same_answer() -> None:
    assert judge(CLAIM, ROWS) == judge(CLAIM, ROWS)


def test_the_address_of_evidence_can_be_parsed() -> None:
    for hit in judge(CLAIM, ROWS).evidence:
        assert ElementId.parse(str(hit.element.id)) == hit.element.id


# -- with a model


def test_a_model_reads_text_that_nothing_can_be_computed_from(tmp_path: Path) -> None:
    folder = make_reader(tmp_path / "model")
    assert judge("Tea is hot.", "Tea is hot, yes.").label is Label.NOT_ENOUGH_INFO
    found = veritab.judge("Tea is hot.", "Tea is hot, yes.", model=folder)
    assert found.label is Label.SUPPORTS
    assert [str(hit.element.id) for hit in found.evidence] == ["Evidence_sentence_0"]
    assert found == veritab.judge("Tea is hot.", "Tea is hot, yes.", verifier=ModelVerifier.open(folder))
    assert veritab.judge("Tea is hot.", "Tea is hot, no.", model=folder).label is Label.REFUTES


def test_what_was_computed_votes_with_the_model(tmp_path: Path) -> None:
    found = veritab.judge(CLAIM, ROWS, model=make_reader(tmp_path / "model"))
    assert {"Evidence_cell_0_1_1", "Evidence_cell_0_2_1"} <= cells(found)
    assert "reasoner" in {hit.by for hit in found.evidence}
    assert found.scores[Label.REFUTES] > found.scores[Label.SUPPORTS]
    assert found.certificate["facts"]


def test_a_model_that_is_asked_for_is_never_left_out_in_silence() -> None:
    if "verdict" in shipped():
        assert veritab.judge(CLAIM, ROWS, model="verdict").certificate["model"]
    else:
        with pytest.raises(NotFound, match="'verdict' did not come with this installation"):
            veritab.judge(CLAIM, ROWS, model="verdict")
