"""What nobody may do: reach into another project, go beyond their role, run a script, send too much, send twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import select

from tests.web.studio.busy import make_busy
from tests.web.studio.test_walk import ANNOTATOR_PAGES, MANAGER_PAGES
from tests.web.studio.world import Person, World
from veritab.studio import accounts, annotating, projects
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    CommentRecord,
    DecisionRecord,
    InvitationRecord,
    MembershipRecord,
    ReportRecord,
    TaskRecord,
    WorkRecord,
)
from veritab.studio.vocabulary import ReportReason, Role
from veritab.web.studio.app import _router

HARM = "<script>alert('harm')</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}"
FOR_ALL = {"/sign-in", "/join/{token}", "/play/{project}", "/healthz", "/readyz", "/static/{name:path}", "/favicon.ico"}
"""What somebody who is not signed in may open."""
FOR_ANNOTATORS = {
    "",
    *("/consent", "/warning", "/next", "/mine", "/answers/{task}", "/practice/{annotation}", "/calibration"),
    *("/guidelines", "/guidelines/{kind}", "/guidelines/{kind}/read"),
    *("/page", "/search", "/suggest", "/introduction", "/read"),
    *("/task/{assignment}", *(f"/task/{{assignment}}/{part}" for part in (
        "events", "submit", "suggestion", "skip", "report", "comment", "revise", "advice",
    ))),
    *("/tutorial", "/leaderboard", "/my-claims", "/news", "/find-room", "/vote", "/write", "/rooms"),
    *("/rounds/{number}", *(f"/rounds/{{number}}/{part}" for part in ("hint", "vote", "like", "report", "checker"))),
    *("/writings/{number}", *(f"/writings/{{number}}/{part}" for part in (
        "draft", "feedback", "checker", "look", "publish", "another-page", "give-up",
    ))),
    *("/rooms/{code}", *(f"/rooms/{{code}}/{part}" for part in ("events", "join", "start", "leave", "again"))),
}  # fmt: skip
"""What every member of a project may open; whatever else there is in one, or is added to it, is for managers."""
ADVICE = "/p/{project}/task/{assignment}/advice"
_WRITING = "/p/{project}/writings/{number}"
ASKING = {ADVICE, f"{_WRITING}/feedback", f"{_WRITING}/checker"}
"""What is sent without changing anything."""
BODIES: Mapping[str, Any] = {
    "/p/{project}/task/{assignment}/events": {"seen": 0, "events": []},
    "/p/{project}/task/{assignment}/submit": {"seen": 1},
    ADVICE: {"fields": {}},
    **{f"{_WRITING}/{part}": {"text": "", "gold": []} for part in ("draft", "feedback", "checker")},
}
"""What is sent as JSON."""


def routes() -> Iterator[tuple[str, str]]:
    """Every page and everything that can be sent, by its method and its pattern."""
    for route in _router().routes:
        assert isinstance(route, APIRoute), route
        if route.path not in FOR_ALL:
            assert route.body_field is None or route.path in BODIES, f"what does {route.path} take?"
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield method, route.path


ROUTES = list(routes())
IN_PROJECTS = [(method, path) for method, path in ROUTES if path.startswith("/p/{project}")]
FOR_MANAGERS = [
    (method, path) for method, path in IN_PROJECTS if path.removeprefix("/p/{project}") not in FOR_ANNOTATORS
]


def fill(pattern: str, project: str, ids: dict[str, int]) -> str:
    """An address of a pattern, with numbers of things."""
    known = {
        "project": project,
        "kind": "feverous-verification",
        "token": "1",
        "number": "1",
        "claim": "1",
        "code": "BCDFGH",
        **{name: str(id) for name, id in ids.items()},
    }
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda found: known[found[1]], pattern)


def ask(person: Person, method: str, pattern: str, path: str, form_token: str | None = None) -> int:
    if method == "GET":
        return person.client.get(path).status_code
    token = person.form_token if form_token is None else form_token
    if pattern in BODIES:
        headers = {"X-Form-Token": token, "Accept": "application/json"}
        return person.client.post(path, json=BODIES[pattern], headers=headers).status_code
    return person.client.post(path, data={"form_token": token}).status_code


@pytest.fixture
def ids(world: World) -> dict[str, int]:
    """Things of the project `rivers`, by what routes call them."""
    tasks = make_busy(world)
    with world.writing() as session:
        first = {
            "assignment": AssignmentRecord,
            "annotation": AnnotationRecord,
            "member": MembershipRecord,
            "report": ReportRecord,
            "invitation": InvitationRecord,
        }
        found = {name: session.scalar(select(kind.id).limit(1)) or 0 for name, kind in first.items()}
        project = projects.find_project(session, "rivers")
        work = WorkRecord(
            project_id=project.id, kind="export", state="done", options={"format": "fever", "settled": True},
            message="", file="", made_at=world.now,
        )  # fmt: skip
        session.add(work)
        session.flush()
        return {**found, "task": tasks["disputed"], "work": work.id}


def test_there_are_routes_to_attack() -> None:
    assert len(ROUTES) > 60
    assert len(FOR_MANAGERS) > 30
    paths = {path for _, path in ROUTES}
    assert paths >= BODIES.keys()


def test_who_is_not_signed_in_gets_nowhere(world: World, ids: dict[str, int]) -> None:
    person = world.stranger()
    for method, pattern in ROUTES:
        path = fill(pattern, "rivers", ids)
        if method == "GET":
            assert person.client.get(path).status_code == 303, path
            assert person.client.get(path, headers={"Accept": "*/*"}).status_code == 401, path
        else:
            assert ask(person, method, pattern, path, "x") == (401 if pattern in ASKING else 403), path


def test_a_project_is_not_there_for_who_is_no_member(world: World, ids: dict[str, int]) -> None:
    person = world.sign_in("lone-lynx")
    for method, pattern in IN_PROJECTS:
        path = fill(pattern, "rivers", ids)
        assert ask(person, method, pattern, path) == 404, path


def test_what_is_of_another_project_is_not_there(world: World, ids: dict[str, int]) -> None:
    world.project("peaks")
    person = world.manager("keen-kite-2", "peaks")
    checked = 0
    for method, pattern in IN_PROJECTS:
        if re.search(r"\{(task|annotation|member|report|invitation|work|assignment)\}", pattern):
            path = fill(pattern, "peaks", ids)
            assert ask(person, method, pattern, path) == 404, path
            checked += 1
    assert checked > 15


def test_what_is_in_somebody_elses_hands_is_not_there(world: World, ids: dict[str, int]) -> None:
    manager = world.sign_in("wise-owl")
    for method, pattern in IN_PROJECTS:
        if "{assignment}" in pattern:
            path = fill(pattern, "rivers", ids)
            assert ask(manager, method, pattern, path) == 404, path


def test_an_annotator_does_nothing_that_is_a_managers(world: World, ids: dict[str, int]) -> None:
    person = world.sign_in("calm-crane")
    before = snapshot(world)
    for method, pattern in FOR_MANAGERS:
        path = fill(pattern, "rivers", ids)
        assert ask(person, method, pattern, path) == 403, path
    assert snapshot(world) == before


@pytest.mark.parametrize("token", ["", "x", "another's"])
def test_nothing_is_changed_without_the_token_of_ones_own_login(world: World, ids: dict[str, int], token: str) -> None:
    other = world.member("lone-lynx")
    before = snapshot(world)
    changing = [(method, pattern) for method, pattern in ROUTES if method != "GET" and pattern not in ASKING]
    changing += [("POST", "/sign-in"), ("POST", "/join/{token}")]
    for name in ("wise-owl", "calm-crane"):
        person = world.sign_in(name)
        given = other.form_token if token == "another's" else token
        for method, pattern in changing:
            path = fill(pattern, "rivers", ids)
            assert ask(person, method, pattern, path, given) == 403, path
        assert person.client.get("/account").status_code == 200  # nor is anybody signed out, or gone
    assert snapshot(world) == before


def snapshot(world: World) -> list[object]:
    """What managers can change."""
    with world.studio.database.reading() as session:
        project = projects.find_project(session, "rivers")
        members = [(each.role, each.stage, each.is_super) for each, _ in projects.members_of(session, project)]
        tasks = session.execute(select(TaskRecord.state, TaskRecord.priority).order_by(TaskRecord.id)).all()
        trail = len(projects.trail_of(session, project.id, most=1000))
        return [project.settings, project.consent, project.closed_at, members, list(map(tuple, tasks)), trail]


def test_nobody_makes_themself_a_manager(world: World) -> None:
    person = world.member("calm-crane")
    for path, fields in (
        ("/p/rivers/manage/members/1/role", {"role": "manager"}),
        ("/p/rivers/manage/invite", {"role": "manager"}),
        ("/p/rivers/consent", {"role": "manager", "is_administrator": "yes"}),
        ("/manage", {"project": "rivers"}),
    ):
        person.client.post(path, data={"form_token": person.form_token, **fields})
    with world.studio.database.reading() as session:
        found = projects.find_project(session, "rivers")
        account = accounts.find_account(session, "calm-crane")
        assert projects.member_of(session, found, account.id).role == Role.ANNOTATOR
        assert not account.is_administrator


def test_who_is_no_manager_any_more_can_do_nothing_with_an_old_form(world: World) -> None:
    boss = world.manager("grand-goose")
    person = world.manager("wise-owl")
    boss.send("/p/rivers/manage/members/2/role", role="annotator")
    person.send("/p/rivers/manage/close", 403)
    assert world.project_of().closed_at is None


def test_a_script_is_text_wherever_somebody_wrote_it(world: World) -> None:
    world.project("harm", title=HARM)
    world.project("rivers-2", title="Rivers two")
    manager, person = world.manager(project="harm"), world.member("calm-crane", "harm")
    task = world.task(HARM, "harm")
    world.task(f"Another {HARM}", "harm")
    with world.writing() as session:
        assignment = world.take(session, "calm-crane", "harm")
        world.write(session, assignment, "SUPPORTS", (("K2_sentence_0",),))
        world.submit(session, assignment, flag=True)
        annotating.comment(session, session.get_one(TaskRecord, task), assignment.account_id, HARM, now=world.now)
        second = world.take(session, "calm-crane", "harm")
        annotating.report(session, second, reason=ReportReason.OWN_NOTE, note=HARM, now=world.now + 5)
    manager.send(f"/p/harm/qa/{task}/decide", answer="1", reason=HARM)
    for kind in ("feverous-verification", "feverous-claims"):
        manager.send(f"/p/harm/guidelines/{kind}/edit", text=HARM, step="publish")
    manager.send("/p/harm/manage/consent", consent=HARM, sure="yes")
    for each in (manager, person):
        assert not each.see("/p/harm/consent").xpath("//@onerror")
        each.send("/p/harm/consent")
    own = [f"/p/harm{path}" for path in ANNOTATOR_PAGES] + [f"/p/harm/answers/{task}", "/"]
    managed = [f"/p/harm{path}" for path in MANAGER_PAGES] + [f"/p/harm/qa/{task}", f"/p/harm/qa/{task + 1}", "/"]
    for who, paths in ((person, own), (manager, managed)):
        for path in paths:
            answer = who.get(path)
            if "html" in answer.headers["content-type"]:
                page = who.see(path)
                assert "<script" not in answer.text, path
                assert not page.xpath("//@onerror"), path
                assert "49" not in page.cssselect("title")[0].text_content(), path
    assert HARM in person.see(f"/p/harm/answers/{task}").text_content()
    assert HARM in manager.see("/p/harm/manage/reports").text_content()


@pytest.mark.parametrize("size", [1_000_000, 3_000_000])
def test_a_claim_of_a_megabyte_is_refused_with_words(world: World, size: int) -> None:
    make_busy(world)
    manager = world.sign_in("wise-owl")
    sent = {"form_token": manager.form_token, "step": "correct", "text": "x" * size}
    answer = manager.client.post("/p/rivers/manage/reports/1", data=sent)
    assert answer.status_code in (400, 413)
    assert re.search(r"at most 100,000|larger than 1,048,576 bytes", answer.text)
    assert world.find(ReportRecord, 1).ended_at is None


def test_a_form_of_a_thousand_fields_is_refused(world: World) -> None:
    person = world.manager()
    sent = {"form_token": person.form_token} | {f"piece:{number}": "1" for number in range(1000)}
    answer = person.client.post("/p/rivers/manage/close", data=sent)
    assert answer.status_code == 400
    assert "more than 400 fields" in answer.text


@pytest.mark.parametrize("id", ["x", "-1", "0", "99999999999999999999999", "1e3", "%00"])
def test_a_number_that_is_none_finds_nothing_and_breaks_nothing(world: World, id: str) -> None:
    person = world.manager()
    for path in (f"qa/{id}", f"answers/{id}", f"manage/members/{id}", f"manage/works/{id}"):
        assert person.client.get(f"/p/rivers/{path}").status_code in (400, 404), path


@pytest.mark.parametrize("number", ["--5", "9" * 19, "9" * 20, "9" * 5000, "٣", "²", "1e3", "-0.5"])
def test_a_number_in_a_form_is_read_or_refused_and_breaks_nothing(world: World, number: str) -> None:
    task = make_busy(world)["disputed"]
    manager = world.sign_in("wise-owl")
    decide, own = f"/p/rivers/qa/{task}/decide", {"answer": "own", "label": "REFUTES", "reason": "so"}
    for path, fields in (
        (f"/p/rivers/manage/tasks/{task}/priority", {"priority": number}),
        (decide, {"answer": number, "reason": "so"}),
        (decide, own | {"piece:K2_sentence_0": number}),
        (decide, own | {"more": f"{number}: K2_sentence_0"}),
        ("/p/rivers/manage/tasks/draw", {"count": number, "pool": "work"}),
        ("/p/rivers/manage/tasks/draw", {"count": "1", "pool": "calibration", "phase": number}),
        ("/p/rivers/manage/invite", {"role": "annotator", "days": number}),
        ("/p/rivers/manage/invite", {"role": "annotator", "places": number}),
        ("/p/rivers/manage/settings", {"lease_minutes": number}),
        ("/p/rivers/manage/settings", {"gold_share": number}),
        ("/p/rivers/manage/settings", {"overlap-2": number}),
        ("/account/tokens", {"name": "nightly", "days": number}),
    ):
        answer = manager.client.post(path, data={"form_token": manager.form_token, **fields})
        assert answer.status_code < 500, (path, fields, answer.text[-500:])


@pytest.mark.parametrize("name", ["%2e%2e", "rivers%00", "RIVERS", "' OR 1=1 --", "x" * 5000])
def test_a_name_that_is_no_project_finds_nothing(world: World, name: str) -> None:
    assert world.manager().client.get(f"/p/{name}/manage").status_code in (400, 404)


def test_forms_sent_twice_do_things_once(world: World) -> None:
    tasks = make_busy(world)
    manager = world.sign_in("wise-owl")
    for path, fields in (
        (f"/p/rivers/qa/{tasks['disputed']}/decide", {"answer": "own", "label": "REFUTES", "reason": "so"}),
        ("/p/rivers/manage/reports/1", {"step": "return"}),
        ("/p/rivers/guidelines/feverous-claims/edit", {"text": "Write well.", "step": "publish"}),
        ("/p/rivers/consent", {}),
        ("/p/rivers/next", {}),
    ):
        for _ in range(2):
            manager.client.post(path, data={"form_token": manager.form_token, **fields})
    with world.studio.database.reading() as session:
        assert len(session.scalars(select(DecisionRecord)).all()) == 1
        assert len(session.scalars(select(AssignmentRecord).where(AssignmentRecord.state == "active")).all()) <= 1
        assert session.scalar(select(CommentRecord.id).limit(2)) == 1
        owner = projects.find_project(session, "rivers")
        kinds = [record.what for record, _ in projects.trail_of(session, owner.id)]
        assert kinds.count("publish guidelines") == 3  # two came with the project
        assert kinds.count("return claim") == 1


def test_pages_of_people_are_kept_by_no_cache(world: World) -> None:
    person = world.manager()
    for path in ("/", "/p/rivers", "/p/rivers/figures.json", "/p/rivers/qa/1"):
        assert person.client.get(path).headers["cache-control"] == "no-store", path
    assert "immutable" in person.client.get("/static/studio.css").headers["cache-control"]
    assert person.client.get("/static/../app.py").status_code == 404
