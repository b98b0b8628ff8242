"""Verdicts in spreadsheets: every text is a text, and nothing is lost that a row can hold."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import CELL, REFUTES, SENTENCE, UNKNOWN, hit, verdict
from veritab.errors import InputError, MissingExtra
from veritab.render import write
from veritab.render.sheets import EVIDENCE_COLUMNS, VERDICT_COLUMNS, neutralise
from veritab.schema import Claim, Verdict

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x.example","x")']


def rows_of(*verdicts: Verdict) -> list[dict[str, str]]:
    out = io.StringIO()
    assert write("csv", verdicts, out) == len(verdicts)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_a_verdict_is_a_row() -> None:
    first, second = rows_of(verdict(CELL, SENTENCE, smallest=[CELL]), verdict(label=UNKNOWN, id="8"))
    assert tuple(first) == VERDICT_COLUMNS
    assert first["claim"] == "Peak 3 is 8,003 m high."
    assert (first["label"], first["supports"], first["refutes"]) == ("SUPPORTS", "0.9", "0.05")
    assert first["why"] == "height of Peak 3 = 8,003 m"
    assert first["evidence"] == f"{CELL}: 8,003"
    assert (first["corpus"], first["revision"]) == ("peaks", "r1")
    assert (second["number"], second["id"], second["label"]) == ("2", "8", "NOT ENOUGH INFO")


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_a_text_in_csv(text: str) -> None:
    (row,) = rows_of(verdict(CELL, claim=text, id=text))
    assert row["claim"] == f"'{text}"
    assert row["id"] == f"'{text}"


@given(st.text())
def test_no_text_begins_as_a_formula_does(text: str) -> None:
    safe = neutralise(text)
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert safe in (text, f"'{text}")


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_a_text_in_a_workbook(text: str, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    made = replace(verdict(CELL, claim=text), reasoning=(text,))
    assert write("xlsx", [made], tmp_path / "out.xlsx") == 1
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["Verdicts"]
    cells = dict(zip(VERDICT_COLUMNS, sheet[2], strict=True))
    assert cells["claim"].data_type == cells["why"].data_type == "s"
    assert cells["claim"].value.strip() == text.strip()
    assert cells["claim"].quotePrefix
    with ZipFile(tmp_path / "out.xlsx") as parts:
        assert not any(b"<f>" in parts.read(name) for name in parts.namelist())


def test_a_workbook_has_the_evidence_on_a_sheet_of_its_own(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    computed = replace(verdict(SENTENCE, label=REFUTES), evidence=(hit(CELL, "reasoner"), hit(SENTENCE)))
    write("xlsx", [computed, verdict(label=UNKNOWN)], tmp_path / "out.xlsx")
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["Verdicts", "Evidence"]
    assert [cell.value for cell in book["Evidence"][1]] == list(EVIDENCE_COLUMNS)
    first, second = ([cell.value or "" for cell in row] for row in list(book["Evidence"])[1:])
    assert first == [1, computed.claim.text, CELL, "Peaks (Asia)", "cell", "8,003", 0.5, "computation", "yes"]
    assert second[-1] == ""
    assert len(list(book["Verdicts"])) == 3


def test_a_claim_no_cell_can_hold_is_written_without_what_cannot_be() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    out = io.BytesIO()
    write("xlsx", [replace(verdict(CELL), claim=Claim("", "a\x00b\ud800 " + "long " * 20_000))], out)
    value = openpyxl.load_workbook(io.BytesIO(out.getvalue()))["Verdicts"]["C2"].value
    assert value.startswith("ab? long")
    assert len(value) < 32_768


def test_a_workbook_is_not_written_to_where_text_is_expected() -> None:
    with pytest.raises(InputError, match="xlsx is not text; give a file"):
        write("xlsx", [verdict(CELL)], io.StringIO())


def test_without_its_extra_a_workbook_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"writing XLSX files needs .*veritab\[documents\]"):
        write("xlsx", [verdict(CELL)], io.BytesIO())
