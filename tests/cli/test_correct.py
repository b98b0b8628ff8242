"""`veritab correct` as people and programs use it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tests.commands import veritab
from veritab.render.terminal import draw_correction
from veritab.schema import Claim, Correction, CorrectionOutcome, Edit, Element, ElementId, Hit, Label, Verdict

FALSE = "K2 is taller than Mount Everest."
SCORES = {Label.SUPPORTS: 0.05, Label.REFUTES: 0.9, Label.NOT_ENOUGH_INFO: 0.05}


def test_a_refuted_claim_is_answered_with_its_edit() -> None:
    done = veritab("correct", "--model", "none", FALSE, "--json")
    assert (done.code, done.err) == (0, "")
    (answer,) = done.lines
    assert answer["correction"] == "K2 is shorter than Mount Everest."
    assert [(edit["old"], edit["new"], edit["kind"]) for edit in answer["edits"]] == [
        ("taller", "shorter", "comparison")
    ]
    assert {each["id"] for each in answer["evidence"]} >= {"K2_cell_0_2_1", "Mount Everest_cell_0_2_1"}


def test_documents_may_be_what_it_is_corrected_by(tmp_path: Path) -> None:
    (tmp_path / "rivers.csv").write_text("River,Length (km)\nNile,6650\nDanube,2850\n")
    claim = "The Danube is longer than the Nile."
    done = veritab("correct", "--model", "none", claim, "--against", tmp_path / "rivers.csv", "--json")
    assert done.lines[0]["correction"] == "The Danube is shorter than the Nile."


def test_what_is_no_claim_is_refused() -> None:
    done = veritab("correct", "…")
    assert (done.code, "is not a claim" in done.err) == (2, True)
    assert veritab("correct", "x" * 5000).code == 2


def drawn(correction: Correction, color: str | None = None) -> str:
    console = Console(width=90, color_system=color, force_terminal=True, highlight=False)  # type: ignore[arg-type]
    with console.capture() as captured:
        draw_correction(correction, console, lambda id: None)
    return captured.get()


def test_an_edit_is_drawn_with_what_goes_what_comes_and_why() -> None:
    verdict = Verdict(Claim("", "It opened in 1990."), Label.REFUTES, SCORES)
    hit = Hit(Element(ElementId.parse("Bridge_sentence_0"), "The bridge opened in 1988.", (), ()), 1.0, "given")
    edit = Edit(13, 17, "1990", "1988", "date", hit.element.id)
    correction = Correction(verdict, CorrectionOutcome.CORRECTED, (edit,), verdict, (hit,), 3)
    plain = drawn(correction)
    assert "It opened in [-1990-]{+1988+}." in plain
    assert "It opened in 1988." in plain
    assert "Bridge_sentence_0" in plain
    assert "\x1b[9;31m1990" in drawn(correction, "standard")


def test_that_there_is_none_is_said() -> None:
    verdict = Verdict(Claim("", "It opened in 1990."), Label.REFUTES, SCORES)
    assert "No small edit" in drawn(Correction(verdict, CorrectionOutcome.NONE))
    assert "nothing to correct" in drawn(Correction(verdict, CorrectionOutcome.HOLDS))
