"""What ratings say of built claims."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands import Done, veritab
from veritab.build.rating import measure_ratings
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


def test_shares_are_counted_by_rule_and_labels_where_they_are_known() -> None:
    report = measure_ratings(
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
    report = measure_ratings(claims, two)
    assert report.label_kappa == pytest.approx(0.5)
    assert report.rating_kappa is None  # one word alone says nothing about agreement
    third = measure_ratings(claims, [*two, Rated("0", "heron", "perfect", S)])
    assert third.label_kappa != report.label_kappa
    assert measure_ratings(claims, two[:4]).label_kappa is None


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
    assert "negate: perfect 0.0 %, incomprehensible 0.0 %, labels right 100.0 % of 1" in told.out
    assert "false by negation: 1" in told.out


def test_claims_are_rated_in_plain_projects_alone(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    file.write_text('{"id": 1, "claim": "Cairo is old."}\n')
    done = studio(place, "build", "rate", file, "--project", "rivers")
    assert done.code == 2
    assert "--workflow plain" in done.err
    assert studio(place, "build", "rate", file, "--project", "nowhere").code == 1
