"""What a reader is shown of a verdict."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import CELL, ITEM, REFUTES, SENTENCE, SUPPORTS, UNKNOWN, Found, hit, verdict
from veritab.render.view import (
    LABELS,
    TextRun,
    TextStretch,
    VerdictView,
    group_evidence,
    highlight_claim_words,
    score_shares,
    split_text,
)
from veritab.schema import Label
from veritab.text import nfc


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_shares_add_up_to_a_hundred_wherever_there_is_a_score(values: list[float]) -> None:
    told = score_shares(dict(zip(Label, values, strict=True)))
    assert sum(share.percent for share in told) == (100 if sum(values) > 0 else 0)
    assert [share.view.label for share in told] == list(Label)


def test_the_confidence_is_the_share_of_the_label() -> None:
    scores = {Label.SUPPORTS: 0.2266, Label.REFUTES: 0.6757, Label.NOT_ENOUGH_INFO: 0.0977}
    view = VerdictView(replace(verdict(), label=REFUTES, scores=scores))
    assert view.confidence == view.shares[1].text == "67 %"


def test_words_of_the_claim_are_found_in_any_form_and_neighbours_are_one() -> None:
    told = highlight_claim_words("Mount Everest is the highest mountain.", "Which mountains are near Mount Everest?")
    assert [span.text for span in told if span.highlighted] == ["Mount Everest", "mountain"]


def test_stop_words_do_not_match() -> None:
    assert highlight_claim_words("It is the one.", "The sea is deep.") == (TextRun("It is the one."),)


@given(st.text(max_size=60), st.text(max_size=30))
def test_no_character_of_a_text_is_lost(text: str, claim: str) -> None:
    assert "".join(span.text for span in highlight_claim_words(text, claim)) == nfc(text)


def test_a_table_is_one_card_and_texts_of_a_section_are_another() -> None:
    other = "Peaks (Asia)_cell_0_2_1"
    told = group_evidence([hit(CELL), hit(SENTENCE), hit(other), hit(ITEM)])
    assert [[str(id) for id in card.ids] for card in told] == [[CELL, other], [SENTENCE], [ITEM]]
    assert str(told[0].table) == "Peaks (Asia)_table_0"
    assert told[2].sections == ("Heights",)
    assert told[1].table is None


def test_a_text_is_told_in_stretches_that_name_their_verdicts() -> None:
    told = split_text("One. Two. Three.", [Found(10, 16), Found(0, 4)])
    assert told == (TextStretch("One.", 1), TextStretch(" Two. "), TextStretch("Three.", 0))


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6))
def test_no_character_of_a_whole_text_is_lost_whatever_was_found(body: str, spans: list[tuple[int, int]]) -> None:
    told = split_text(body, [Found(*span) for span in spans])
    assert "".join(stretch.text for stretch in told) == body


def test_a_certificate_is_told_line_by_line() -> None:
    view = VerdictView(
        verdict(
            CELL,
            confidence=0.934,
            smallest=[CELL],
            flips=[{"id": CELL, "to": "NOT ENOUGH INFO"}],
            missing=["jazz"],
            searched={"pages": 1200, "read": ["K2"], "candidates": 40},
            model="gpt",
            by="llm",
        )
    )
    assert [(entry.name, entry.text) for entry in view.entries] == [
        ("Confidence", "90 %, calibrated"),
        ("Enough for the verdict", "this piece of evidence"),
        ("What would change it", ""),
        ("Searched", "1,200 pages, 40 candidates scored"),
        ("Language model", "gpt"),
        ("Corpus", "peaks, revision r1"),
    ]
    (named, words) = view.entries[2].evidence[0]
    assert (str(named.id), named.text, words) == (CELL, "8,003", "without it: NOT ENOUGH INFO")
    assert view.entries[3].pages == ("K2",)


def test_the_cells_of_a_row_change_a_verdict_together() -> None:
    row = ["K2_cell_0_1_0", "K2_cell_0_1_1"]
    flips = [{"id": id, "to": "REFUTES"} for id in (*row, "K2_cell_0_2_1")]
    (entry,) = [each for each in VerdictView(verdict(smallest=row, flips=flips)).entries if "change" in each.name]
    told = [(str(name.id), words) for name, words in entry.evidence]
    assert told == [(row[0], "without this row: REFUTES"), ("K2_cell_0_2_1", "without it: REFUTES")]


def test_an_empty_certificate_says_only_what_the_verdict_says() -> None:
    assert [entry.name for entry in VerdictView(verdict()).entries] == ["Confidence", "Corpus"]


def test_parts_have_labels_of_their_own() -> None:
    parts = [{"text": "a", "label": "SUPPORTS"}, {"text": "b", "label": "REFUTES", "scores": {"REFUTES": 0.9}}]
    shown = VerdictView(verdict(label=REFUTES, parts=parts)).parts
    assert [(part.text, part.view) for part in shown] == [("a", LABELS[SUPPORTS]), ("b", LABELS[REFUTES])]
    assert shown[1].percent == "90 %"
    assert VerdictView(verdict(label=UNKNOWN)).parts == []
