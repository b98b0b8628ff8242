"""What ratings say of built claims."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands import Done, veritab
from veritab.build.rating import GivenRating, RatingReport, blind_id, built_as, measure_ratings, read_rating_lines
from veritab.errors import FormatError
from veritab.schema import Claim, Example, Label

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


class Rated(NamedTuple):
    claim: str
    annotator: str
    rating: str
    label: Label | None = None
    cause: str = ""


def built(id: str, label: Label | None, rule: str = "negate") -> Example:
    return Example(Claim(id, f"Claim {id}."), label, record={"origin": {"rule": rule}})


def measure(claims: list[Example], ratings: Iterable[GivenRating]) -> RatingReport:
    return measure_ratings(built_as(claims), ratings)


def test_shares_are_counted_by_rule_and_labels_where_they_are_known() -> None:
    report = measure(
        [built("1", R), built("2", S, "general"), built("3", None, "similar")],
        [
            Rated("1", "ibis", "perfect", R, "negation"),
            Rated("1", "wren", "minor", N),
            Rated("2", "ibis", "incomprehensible"),
            Rated("3", "ibis", "perfect", S),
            Rated("gone", "ibis", "perfect", S),
        ],
    ).as_dict()
    assert (report["claims"], report["ratings"], report["unknown"]) == (3, 4, 1)
    assert (report["perfect"], report["incomprehensible"], report["labels"], report["labels_right"]) == (
        0.5,
        0.25,
        2,
        0.5,
    )
    assert report["rules"]["negate"]["labels_right"] == 0.5
    assert report["rules"]["similar"]["labels"] == 0
    assert report["causes"] == {"negation": 1}


def test_two_raters_agree_by_cohens_kappa_and_more_by_alpha() -> None:
    claims = [built(str(number), S) for number in range(4)]
    labels = {"ibis": [S, S, R, R], "wren": [S, S, R, S]}
    two = [Rated(str(n), who, "perfect", label) for who, said in labels.items() for n, label in enumerate(said)]
    kappa = measure(claims, two).as_dict()["kappa"]
    assert kappa["label"] == pytest.approx(0.5)
    assert kappa["rating"] is None  # one word alone says nothing about agreement
    third = measure(claims, [*two, Rated("0", "heron", "perfect", S)]).as_dict()["kappa"]
    assert third["label"] != kappa["label"]
    assert measure(claims, two[:4]).as_dict()["kappa"]["label"] is None


def test_what_all_raters_agree_on_is_told_beside_the_mean() -> None:
    ratings = [
        *(Rated("1", who, "perfect", R) for who in ("ibis", "wren")),
        Rated("2", "ibis", "perfect", S),
        Rated("2", "wren", "minor", R),
        Rated("3", "ibis", "minor", S),
    ]
    found = measure([built("1", R), built("2", R), built("3", R)], ratings).as_dict()
    assert found["perfect"] == 3 / 5
    assert found["by_all"] == {
        "claims": 2,
        "perfect": 1 / 2,
        "incomprehensible": 0.0,
        "labels_right": 1 / 2,
        "labels_wrong": 0.0,
    }


def test_a_sheet_tells_neither_rule_nor_label_and_comes_back_filled_in(tmp_path: Path) -> None:
    source, file, sheet = tmp_path / "claims.jsonl", tmp_path / "built.jsonl", tmp_path / "sheet.jsonl"
    source.write_text('{"id": 7, "claim": "Cairo is the capital of Egypt.", "label": "SUPPORTS"}\n')
    assert veritab("build", "mutate", source, "--rules", "negate,similar", "-o", file).code == 0
    assert veritab("build", "rate", file, "--sheet", sheet).out.endswith("to be rated\n")
    text = sheet.read_text()
    assert not any(word in text for word in ("negate", "similar", "REFUTES", "SUPPORTS"))
    assert len(text.splitlines()) == 2
    unfilled = veritab("build", "rate", file, "--ratings", sheet)
    assert unfilled.code == 0
    assert 'no line has "natural" filled in' in unfilled.err
    filled = text.replace('"natural":"","label":""', '"natural":"perfect","label":"REFUTES"')
    (tmp_path / "ibis.jsonl").write_text(filled)
    (tmp_path / "wren.jsonl").write_text("".join(filled.splitlines(keepends=True)[:1]) + text.splitlines()[1] + "\n")
    files = (tmp_path / "ibis.jsonl", tmp_path / "wren.jsonl")
    report = veritab("build", "rate", file, *(word for each in files for word in ("--ratings", each)), "--json").json
    assert (report["ratings"], report["labels_right"], report["by_all"]["labels_right"]) == (3, 1.0, 1.0)
    told = veritab("build", "rate", file, "--ratings", files[0])
    assert "by all raters" in told.out
    assert "negate" in told.out


def test_a_sheet_shows_what_a_record_quotes(tmp_path: Path) -> None:
    file, sheet = tmp_path / "built.jsonl", tmp_path / "sheet.jsonl"
    quotes = [{"page": "Lyon", "section": "", "text": "It has two rivers."}]
    evidence = [{"content": ["Lyon_sentence_3"], "context": {}}]
    told = {"claim": "Lyon has no rivers.", "label": "REFUTES", "evidence": evidence, "quotes": quotes}
    record = {"id": "1-negate", **told, "origin": {"rule": "negate"}, "silver": False}
    file.write_text(json.dumps(record) + "\n")
    assert veritab("build", "rate", file, "--sheet", sheet).code == 0
    assert json.loads(sheet.read_text())["evidence"] == ["Lyon. It has two rivers."]


def test_a_rating_that_is_none_is_told_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "ratings.jsonl"
    for line, word in (
        ('{"id": "1", "rater": "ibis", "natural": "fine", "label": "REFUTES"}', "fine"),
        ('{"id": "1", "rater": "ibis", "natural": "minor", "label": "FALSE"}', "FALSE"),
        ('{"rater": "ibis", "natural": "minor", "label": "REFUTES"}', "the id is"),
    ):
        file.write_text(f"{line}\n")
        with pytest.raises(FormatError, match=f"line 1: .*{word}"):
            list(read_rating_lines(file))
    file.write_text('{"id": "1", "natural": "incomprehensible", "label": "REFUTES"}\n')
    (line_read,) = read_rating_lines(file)
    assert (line_read.annotator, line_read.label) == ("ratings", None)


def test_one_way_to_rate_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    file.write_text('{"id": 1, "claim": "Cairo is old."}\n')
    assert "--sheet" in veritab("build", "rate", file).err
    assert veritab("build", "rate", file, "--sheet", tmp_path / "a", "--project", "built").code == 2
    assert blind_id("1-negate") != blind_id("1-similar")


def studio(place: Path, *words: object, stdin: str = "") -> Done:
    return veritab(*words, "--studio", place, stdin=stdin)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    pytest.importorskip("sqlalchemy", reason="needs the extra studio")
    folder = tmp_path / "studio"
    assert veritab("studio", "init", folder).code == 0
    for name, workflow in (("built", "plain"), ("rivers", "feverous")):
        made = studio(folder, "studio", "project", "create", name, "--workflow", workflow)
        assert made.code == 0, made.err
    return folder


def test_built_claims_are_rated_without_their_labels_and_compared_with_them(place: Path, tmp_path: Path) -> None:
    from sqlalchemy import select

    from tests.studio.workplace import answer, fill_in
    from veritab.studio.accounts import create_account
    from veritab.studio.opened import Studio
    from veritab.studio.projects import add_member, find_project
    from veritab.studio.records import AnnotationRecord, TaskRecord
    from veritab.studio.states import MemberStage
    from veritab.studio.tasks import next_task
    from veritab.studio.vocabulary import Role

    file = tmp_path / "built.jsonl"
    origin = '"origin": {"source": "x", "record": "1", "rule": "negate", "seed": 0}, "silver": false'
    file.write_text(
        f'{{"id": "1-negate", "claim": "Cairo is not old.", "label": "REFUTES", "evidence": [], {origin}}}\n'
    )
    done = studio(place, "build", "rate", file, "--project", "built")
    assert done.out == "1 claim of built.jsonl in built, to be rated\n", done.err
    assert studio(place, "build", "rate", file, "--project", "built").code == 2  # it is there already
    with Studio.open(str(place)) as opened, opened.database.writing() as session:
        (task,) = session.scalars(select(TaskRecord))
        assert (task.kind, task.gold) == ("plain-rating", {})
        assert not list(session.scalars(select(AnnotationRecord)))
        project = find_project(session, "built")
        account = create_account(session, "quiet-ibis", "tea with nine lanterns", now=1.0)
        member = add_member(session, project, account.id, Role.ANNOTATOR, now=1.0, stage=MemberStage.APPROVED)
        member.consented_at = 1.0
        now = time.time()
        assignment = next_task(session, project, member, now=now)
        assert assignment is not None
        said = {"rating": "minor", "verdict": "REFUTES", "cause": "negation"}
        answer(session, assignment, fill_in(**said), now=now)
    report = studio(place, "build", "rate", file, "--project", "built", "--report", "--json").json
    assert (report["ratings"], report["perfect"], report["labels_right"]) == (1, 0.0, 1.0)
    assert report["causes"] == {"negation": 1}
    told = studio(place, "build", "rate", file, "--project", "built", "--report")
    row = next(line for line in told.out.splitlines() if line.startswith("negate"))
    assert row.split() == ["negate", "1", "0.0", "%", "0.0", "%", "100.0", "%", "-", "-", "-"]
    assert "false by negation: 1" in told.out


def test_claims_are_rated_in_plain_projects_alone(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    file.write_text('{"id": 1, "claim": "Cairo is old."}\n')
    done = studio(place, "build", "rate", file, "--project", "rivers")
    assert done.code == 2
    assert "--workflow plain" in done.err
    assert studio(place, "build", "rate", file, "--project", "nowhere").code == 1
