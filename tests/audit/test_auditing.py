"""Whole audits: what they find, say, print, draw, and refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from rich.console import Console
from typer.testing import CliRunner

from tests.audit.samples import REFUTES, SUPPORTS, UNKNOWN, example, giveaway_rows, row, silent_rows
from veritab import audit as audits
from veritab import datasets
from veritab.audit.audit_rows import AuditRow, Votes
from veritab.audit.auditing import STEPS, Audit, audit, audit_steps, run_steps
from veritab.audit.findings import findings
from veritab.audit.measures import MEASURES, exceeded_limits, measures, parse_limits
from veritab.audit.page import audit_page
from veritab.audit.to_json import audit_to_json
from veritab.cli import app, main
from veritab.errors import InputError


def audited(rows: list[AuditRow], other: list[AuditRow] | None = None) -> Audit:
    there = None if other is None else tuple(other)
    return run_steps(audit_steps(tuple(rows), "made", there, "other" if other else ""))


@pytest.fixture(scope="module")
def is_giveaway() -> Audit:
    rows = giveaway_rows()
    rows[0] = rows[0]._replace(votes=Votes(0, 9), overlap=0.9, labels_given=("SUPPORTS", "REFUTES"))
    rows[1] = rows[1]._replace(votes=Votes(3, 3), overlap=0.1, labels_given=("REFUTES", "REFUTES"))
    rows = [
        each._replace(kind="cells" if place % 3 else "sentences", places=(("first", "later")[place // 2 % 2],))
        for place, each in enumerate(rows)
    ]
    return audited(rows, [rows[0]._replace(label=REFUTES), *silent_rows()])


@pytest.fixture(scope="module")
def silent() -> Audit:
    return audited(silent_rows())


# -- what is found --


def told(found: Audit) -> dict[str, tuple[str, bool]]:
    return {finding.about: (finding.text, finding.troubling) for finding in findings(found)}


def test_a_data_set_that_gives_labels_away_is_told_so(is_giveaway: Audit) -> None:
    said = told(is_giveaway)
    assert said["Claim-only baseline"][1]
    assert "and by much" in said["Claim-only baseline"][0]
    assert "'only' (REFUTES, 60 of 60)" in said["Giveaway words"][0]
    assert said["Giveaway words"][1]
    assert said["Leaks"][0].startswith("1 claim is also in other (0.8 %), 1 of them with another label; ")
    assert said["Leaks"][1]
    assert "would be judged wrongly more often than not" in said["Votes"][0]
    assert "alpha" in said["Inter-annotator agreement"][0]


def test_a_data_set_that_tells_nothing_troubles_only_by_its_repetitions(silent: Audit) -> None:
    assert [finding.about for finding in findings(silent) if finding.troubling] == ["Duplicates"]
    assert told(silent)["Giveaway words"][0] == "No word and no pair of words goes with a label beyond chance."


def test_claims_without_evidence_do_not_make_places_telling() -> None:
    rows = [row(f"claim {n}", (SUPPORTS, REFUTES)[n % 2], places=(("first", "later")[n // 2 % 2],)) for n in range(80)]
    rows += [row(f"unknown {n}", UNKNOWN) for n in range(80)]
    found = audited(rows)
    assert found.places is not None
    assert found.places.beyond == 0
    assert set(found.places.npmi) == {"SUPPORTS", "REFUTES"}


def test_evidence_of_one_kind_has_no_kinds_to_tell_apart() -> None:
    found = audited([each._replace(kind="sentences") for each in silent_rows()])
    assert found.kinds is None
    assert found.kind_only is None
    assert found.kind_counts == {"sentences": 120}


def test_rare_kinds_of_evidence_are_left_out_of_the_classifier() -> None:
    rows = [each._replace(kind="cells" if place % 2 else "sentences") for place, each in enumerate(giveaway_rows(300))]
    found = audited([rows[0]._replace(kind="lists"), *rows[1:]])
    assert found.kind_only is not None
    assert set(found.kind_only.recall) == {"cells", "sentences"}


def test_unlabelled_claims_count_only_for_repetitions() -> None:
    found = audited([row("a b", None), row("A b!", None), row("c d", SUPPORTS)])
    assert (found.labels, found.unlabelled, found.repeats.same) == ({"SUPPORTS": 1}, 2, 1)
    assert found.words is None
    assert (
        told(found)["Claims"][0] == "3 claims: SUPPORTS 100.0 %. 2 claims have no label and count only for repetitions."
    )


def test_a_data_set_without_any_label_is_told_so() -> None:
    assert told(audited([row("a", None)]))["Claims"][0] == "1 claim without labels."
    assert told(audited([]))["Claims"][0] == "There are no claims to audit."


def test_records_that_could_not_be_read_are_told() -> None:
    found = replace(audited([row("a"), row("b", REFUTES)]), problems=3)
    assert "3 records could not be read." in told(found)["Claims"][0]


def test_as_many_steps_are_told_as_are_promised() -> None:
    assert len(list(audit_steps(tuple(silent_rows(60)), "made"))) == STEPS


def test_examples_are_audited_as_they_come() -> None:
    examples = [
        example(str(number), f"Ann saw {number} of them.", (SUPPORTS, REFUTES)[number % 2], f"Ann_sentence_{number}")
        for number in range(60)
    ]
    found = audit(examples, "made", against=examples[:30], other="half")
    assert found.leakage is not None
    assert found.leakage.same == 30
    assert found.claim_only is not None
    assert found.claim_only.together == "claims"


# -- measures and limits --


def test_every_measure_can_be_read_somewhere(is_giveaway: Audit) -> None:
    rows = giveaway_rows(60)
    twice = (frozenset("a"), frozenset("b"))
    found = measures(audited([each._replace(evidence_given=twice) for each in rows], giveaway_rows(240)[120:]))
    assert set(measures(is_giveaway)) | set(found) == set(MEASURES)
    assert found["claim_only_transfer"] > 0.9


def test_what_may_be_chance_counts_as_nothing(silent: Audit) -> None:
    found = measures(silent)
    assert (found["word_lmi"], found["bigram_lmi"], found["word_npmi"], found["given_away"]) == (0, 0, 0, 0)


def test_limits_are_read() -> None:
    assert parse_limits(["claim_only_gain=.05", "bigram-lmi=600"]) == {"claim_only_gain": 0.05, "bigram_lmi": 600}


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("bigram_lm=3", "there is no measure 'bigram_lm'; did you mean 'bigram_lmi'?"),
        ("=3", "there is no measure ''"),
        ("bigram_lmi", "'bigram_lmi' is not a limit; expected e.g. bigram_lmi=0.05"),
        ("bigram_lmi=much", "'bigram_lmi=much' is not a limit"),
        ("bigram_lmi=nan", "'bigram_lmi=nan' is not a limit"),
    ],
)
def test_a_limit_that_cannot_be_read_is_an_error(limit: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        parse_limits([limit])


def test_a_limit_on_what_cannot_be_measured_is_an_error(silent: Audit) -> None:
    with pytest.raises(InputError, match="misleading cannot be measured on made: it needs votes"):
        exceeded_limits(silent, {"misleading": 1.0})


def test_a_measure_at_its_limit_is_not_above_it(is_giveaway: Audit) -> None:
    gain = measures(is_giveaway)["claim_only_gain"]
    assert exceeded_limits(is_giveaway, {"claim_only_gain": gain}) == []
    (above,) = exceeded_limits(is_giveaway, {"claim_only_gain": gain / 2, "majority": 0.9})
    assert str(above).startswith("claim_only_gain is 0.")


# -- the page and JSON --


def test_the_page_shows_what_was_found_and_fetches_nothing(is_giveaway: Audit) -> None:
    page = audit_page(is_giveaway)
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)
    for name in ("What was found", "Claim-only baseline", "Giveaway words", "Wording", "Votes", "Measures"):
        assert f"<h2>{name}</h2>" in page
    assert page.count("<svg") >= 6


def test_what_claims_hold_is_escaped_on_the_page() -> None:
    rows = [row(f"<b>bold</b> {n % 3}", (SUPPORTS, REFUTES)[n % 2], id=str(n)) for n in range(20)]
    page = audit_page(audited(rows))
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page


def test_the_page_of_an_empty_data_set_is_a_page() -> None:
    assert "There are no claims to audit." in audit_page(audited([]))


def test_json_holds_every_figure(is_giveaway: Audit) -> None:
    found = json.loads(json.dumps(audit_to_json(is_giveaway)))
    assert found["measures"] == measures(is_giveaway)
    assert found["claim_only"]["gain"]["low"] == is_giveaway.claim_only.gain.low  # type: ignore[union-attr]
    assert found["bigrams"]["lmi_fm2"]["REFUTES"][0]["beyond_chance"] is True
    assert found["against"]["same"] == 1
    assert found["votes"]["worst"][0]["votes"] == {"correct": 0, "total": 9}
    assert json.loads(json.dumps(audit_to_json(audited([]))))["claim_only"] is None


# -- the command --


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "claims.jsonl"
    lines = [
        {
            "id": place,
            "claim": each.text,
            "label": str(each.label),
            "evidence": [[[place, place, each.pages[0].replace(" ", "_"), 0]]],
        }
        for place, each in enumerate(giveaway_rows())
    ]
    path.write_bytes(b"".join(orjson.dumps({"verifiable": "VERIFIABLE", **line}) + b"\n" for line in lines))
    return path


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(app, ["audit", *map(str, words)])


def test_the_report_reads_from_top_to_bottom(file: Path) -> None:
    done = run(file)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"What gives {file} away")
    assert "\n! Claim-only baseline\n" in done.stdout
    assert "* is only" in done.stdout
    assert not [line for line in done.stdout.splitlines() if line != line.rstrip()]


def test_a_narrow_terminal_has_the_labels_one_under_the_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = StringIO()
    narrow = Console(file=drawn, width=40, force_terminal=True, highlight=False, color_system=None)
    monkeypatch.setattr("veritab.cli.audit.answer", narrow)
    assert run(file).exit_code == 0
    _, pairs = drawn.getvalue().split("Pairs of words")
    assert "\n  SUPPORTS\n" in pairs
    assert "\n  REFUTES\n" in pairs
    assert "\n  %" not in drawn.getvalue()


def test_a_measure_above_its_limit_fails_the_gate_and_is_named(file: Path) -> None:
    done = run(file, "--fail-above", "claim_only_gain=0.05", "--fail-above", "duplicates=0.5")
    assert done.exit_code == 3
    assert "above its limit: claim_only_gain is 0." in done.stderr
    assert "duplicates is" not in done.stderr


def test_measures_within_their_limits_pass(file: Path) -> None:
    assert run(file, "--fail-above", "duplicates=0.5", "--json").exit_code == 0


def test_an_unknown_measure_is_told_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["veritab", "audit", "no such file", "--fail-above", "duplicate=1"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "did you mean 'duplicates'?" in capsys.readouterr().err


def test_page_parts_and_json_are_written(file: Path, tmp_path: Path) -> None:
    page, parts = tmp_path / "audit.html", tmp_path / "parts.jsonl"
    done = run(file, "--against", file, "--html", page, "--partition", parts, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["against"]["same"] == 120
    assert found["above"] == []
    assert found["findings"][0]["about"] == "Claims"
    assert "<svg" in page.read_text()
    assert len(parts.read_text().splitlines()) == 120


@pytest.mark.parametrize("option", ["--html", "--partition"])
def test_a_file_that_cannot_be_written_is_told_first(file: Path, option: str) -> None:
    done = run(file, option, file.parent / "nowhere" / "out")
    assert isinstance(done.exception, InputError)
    assert "there is no folder" in str(done.exception)


def test_too_few_claims_cannot_be_parted(tmp_path: Path) -> None:
    small = tmp_path / "small.jsonl"
    small.write_text('{"id": 1, "claim": "a b", "label": "SUPPORTS", "evidence": [[[1, 1, "A", 0]]]}\n')
    done = run(small, "--partition", tmp_path / "parts.jsonl")
    assert isinstance(done.exception, InputError)
    assert "no split into EASY and HARD" in str(done.exception)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    done = run(tmp_path / "none.jsonl", "--task", "fever")
    assert isinstance(done.exception, InputError)
    assert "it is empty" in str(done.exception)


# -- real data sets --


def test_the_almanac_gives_nothing_away() -> None:
    found = audits.audit(datasets.load("almanac/claims"), "almanac/claims")
    assert [finding.about for finding in findings(found) if finding.troubling] == []


def test_fever_gives_its_labels_away_and_fool_me_twice_hardly(data_folder: Path) -> None:
    """Published, with far more to learn from: claims alone 79.1 % on FEVER's two labels, 61.9 % on Fool Me Twice."""
    fever = audits.audit(datasets.load("fever/dev_gold_text", data=data_folder))
    fm2 = audits.audit(datasets.load("fm2/dev", data=data_folder))
    assert fever.claim_only is not None
    assert fm2.claim_only is not None
    assert fever.claim_only.accuracy.low > 0.67
    assert fever.claim_only.gain.low > 0.15
    assert fm2.claim_only.accuracy.high < 0.619
