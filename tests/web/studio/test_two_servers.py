"""Two servers of one studio in PostgreSQL: whoever asks now this one, now the other, notices nothing."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra studio is not installed")

from sqlalchemy import create_engine, func, select, text, update

from tests.studio.postgres import running_postgres
from tests.web.serving import without_models
from tests.web.studio.desk import faults_of
from tests.web.studio.game.world import GameWorld
from tests.web.studio.servers import Answer, StudioServer, Visitor, at_once, taking_turns, until
from tests.web.studio.world import PASSWORD
from veritab.pipeline import Checker
from veritab.studio import projects
from veritab.studio.annotating import draft_of, events_of
from veritab.studio.database import address_of, initialize, open_studio
from veritab.studio.game.games import change_rules
from veritab.studio.game.playing import check_game
from veritab.studio.game.records import GameMoveRecord, GamePointRecord, GameRoomRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome, RoundSetup
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    HighlightRecord,
    ProjectRecord,
    StudioClaimRecord,
    TokenRecord,
    WorkRecord,
)
from veritab.studio.throttle import FREE_TRIES
from veritab.studio.vocabulary import Role
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

NUMBERS = count(1)
SHOTS = os.environ.get("VERITAB_SHOTS", "")
"""A folder for pictures of what the tests see; none are taken without it."""
EVEREST = "Mount Everest_sentence_0"


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with running_postgres() as server:
        yield server


def new_database(postgres: str) -> str:
    """The address of an empty database."""
    name = f"studio_{next(NUMBERS)}"
    engine = create_engine(address_of(postgres.format("postgres")), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return postgres.format(name)


@pytest.fixture(scope="module")
def place(postgres: str) -> str:
    made = new_database(postgres)
    initialize(made)
    return made


@pytest.fixture(scope="module")
def world(place: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameWorld]:
    """The studio behind both servers, at the time that it is."""
    with Checker.open(None, without_models()) as checker:
        made = GameWorld(place, checker, tmp_path_factory.mktemp("ours"))
        made.now = time.time()
        yield made
        made.close()


@pytest.fixture(scope="module")
def servers(place: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StudioServer, StudioServer]]:
    folder = tmp_path_factory.mktemp("servers")
    both = StudioServer(place, folder), StudioServer(place, folder, group="game")
    database = open_studio(place)
    with database.writing() as session:  # or the second one would make a first game
        projects.create_project(
            session, "empty", title="Empty", corpus="", corpus_digest="", workflow=projects.Workflow.PLAIN,
            settings=projects.ProjectSettings.of(projects.Workflow.PLAIN), consent="", seed=1, now=1.0,
        )  # fmt: skip
    database.close()
    try:
        for server in both:
            server.begin()
        for server in both:
            server.wait()
        yield both
    finally:
        for server in both:
            with suppress(AssertionError):
                server.kill()


@pytest.fixture
def project(world: GameWorld) -> str:
    """A project of one's own."""
    world.now = time.time()
    name = f"rivers-{next(NUMBERS)}"
    world.project(name)
    return name


@pytest.fixture
def game(world: GameWorld) -> str:
    """A game of one's own with a pair of claims."""
    world.now = time.time()
    name = f"peaks-{next(NUMBERS)}"
    world.game(name, takes_turns=False)
    world.claim("Mount Everest is taller than K2.", True, page="Mount Everest", game=name)
    world.claim("K2 is taller than Mount Everest.", False, page="K2", game=name)
    return name


def somebody(world: GameWorld, project: str, name: str = "", **more: Any) -> Visitor:
    """A member of a project, signed in."""
    return Visitor(world.member(name or f"crane-{next(NUMBERS)}", project, **more).login)


def number_in(answer: Answer) -> int:
    """The last number of the address that an answer leads to."""
    return int(answer.place.partition("?")[0].rpartition("/")[2])


def steps(*done: str, seen: int = 1) -> dict[str, Any]:
    """What the script of a page sends: operations with their values."""
    events = [
        {"operation": operation, "value": value, "seconds": 1.0, "key": f"{seen}-{number}"}
        for number, (operation, _, value) in enumerate(each.partition("|") for each in done)
    ]
    return {"seen": seen, "events": events}


ANSWER = (f"Highlighting|{EVEREST}", "Write|verdict=SUPPORTS", "Write|challenge=Other")


# -- who one is --------------------------------------------------------------------------------------------


def test_who_signs_in_at_one_is_signed_in_at_the_other_and_out_at_both(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    one, other = servers
    name = f"crane-{next(NUMBERS)}"
    somebody(world, project, name)
    person = Visitor()
    person.get(one, "/sign-in")
    assert person.send(other, "/sign-in", name=name, password=PASSWORD, then="/").place == "/"  # another's form
    assert name in person.get(one, "/account").text
    assert person.send(other, f"/p/{project}/next").status == 303
    login = dict(person.cookies)
    person.send(one, "/sign-out")
    stolen = Visitor()
    stolen.cookies = login
    for server in servers:
        assert stolen.get(server, "/account", None).status in (303, 401)


def test_a_new_password_at_one_ends_what_was_signed_in_at_the_other(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    one, other = servers
    name = f"crane-{next(NUMBERS)}"
    here, there = somebody(world, project, name), Visitor(world.sign_in(name).login)
    assert there.get(other, "/account").status == 200
    new = "four other words of it"
    here.send(one, "/account/password", current=PASSWORD, password=new, again=new)
    assert here.get(other, "/account").status == 200
    assert there.get(other, "/account", None).status in (303, 401)


def test_wrong_passwords_are_counted_at_both_together(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    name = f"crane-{next(NUMBERS)}"
    somebody(world, project, name)
    person = Visitor()
    person.get(servers[0], "/sign-in")
    for number in range(FREE_TRIES):
        said = person.send(servers[number % 2], "/sign-in", 403, name=name, password="guess guess guess", then="/")
        assert "do not belong together" in said.text
    for server in servers:
        said = person.send(server, "/sign-in", 403, name=name, password=PASSWORD, then="/")
        assert "too many wrong passwords" in said.text.lower()


def test_guesses_at_one_moment_at_both_are_all_counted(servers: tuple[StudioServer, StudioServer]) -> None:
    person, name = Visitor(), f"nobody-{next(NUMBERS)}"
    person.get(servers[0], "/sign-in")
    acts = [
        partial(person.send, server, "/sign-in", 403, name=name, password="guess guess guess", then="/")
        for server in servers * 5
    ]
    said = Counter("too many" in answer.text.lower() for answer in at_once(acts))
    assert said[False] == FREE_TRIES


def test_a_form_that_comes_to_both_at_one_moment_is_done_once(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    person = somebody(world, project, f"crane-{next(NUMBERS)}")
    name = f"export-{next(NUMBERS)}"
    acts = [
        partial(person.send, server, "/account/tokens", None, name=name, days="", once=f"key {name}")
        for server in servers * 3
    ]
    assert Counter(answer.status for answer in at_once(acts)) == {200: 1, 409: 5}
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).where(TokenRecord.name == name)) == 1


# -- tasks -------------------------------------------------------------------------------------------------


def test_nobody_gets_at_one_what_somebody_else_holds_at_the_other(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    for number in range(4):
        world.task(f"River {number} is long.", project)

    def ask(person: Visitor, server: StudioServer) -> str:
        return person.send(server, f"/p/{project}/next").place

    people = [somebody(world, project) for _ in range(6)]
    places = at_once([partial(ask, *both) for both in zip(people, servers * 3, strict=True)])
    held = {place: person for person, place in zip(people, places, strict=True) if "/task/" in place}
    assert len(held) == 4
    for place, person in held.items():
        assert at_once([partial(ask, person, server) for server in servers]) == [place, place]


def test_work_goes_on_at_whichever_server_the_next_step_comes_to(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    one, other = servers
    task = world.task(project=project)
    person = somebody(world, project)
    number = number_in(person.send(one, f"/p/{project}/next"))
    base = f"/p/{project}/task/{number}"
    assert "Mount Everest is taller than K2." in person.get(other, base).text
    told = person.tell(one, f"{base}/events", steps(ANSWER[0], "Highlighting|K2_sentence_0"))
    told = person.tell(other, f"{base}/events", steps("Undo|", *ANSWER[1:], seen=told.json["count"]))
    told = person.tell(one, f"{base}/events", steps("Undo|", "Redo|", seen=told.json["count"]))
    assert told.json["count"] == 8
    with world.studio.database.reading() as session:
        draft = draft_of(session, session.get_one(AssignmentRecord, number))
        assert [[str(id) for id in pieces] for pieces in draft.evidence] == [[EVEREST]]
    behind = person.tell(other, f"{base}/submit", {"seen": 3}, 409)
    assert "this page has seen 3 steps" in behind.text
    person.tell(other, f"{base}/submit", {"seen": 8})
    person.tell(one, f"{base}/submit", {"seen": 8})  # sent again, to the other
    assert world.task_of(task).answers == 1


def test_the_same_steps_sent_to_both_are_kept_once(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    world.task(project=project)
    person = somebody(world, project)
    number = number_in(person.send(servers[0], f"/p/{project}/next"))
    base = f"/p/{project}/task/{number}"
    at_once([partial(person.tell, server, f"{base}/events", steps(*ANSWER)) for server in servers * 4])
    at_once([partial(person.tell, server, f"{base}/submit", {"seen": 4}) for server in servers * 4])
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).where(EventRecord.assignment_id == number)) == 5
        assert session.scalar(select(func.count()).where(AnnotationRecord.assignment_id == number)) == 1


def test_settings_that_two_managers_change_at_one_moment_are_both_changed(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    def change(name: str, value: int) -> None:
        with world.writing() as session:
            found = projects.find_project(session, project)
            time.sleep(0.2)  # both have read it
            projects.change_settings(session, found, {name: value}, by=None, now=world.now)

    at_once([lambda: change("lease_minutes", 17), lambda: change("panel_answers", 19)])
    settings = projects.settings_of(world.project_of(project))
    assert (settings.lease_minutes, settings.panel_answers) == (17, 19)


# -- files -------------------------------------------------------------------------------------------------


def test_a_file_that_is_brought_to_one_is_imported_once_and_an_export_is_fetched_from_either(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    manager = somebody(world, project, f"owl-{next(NUMBERS)}", role=Role.MANAGER)
    works = f"/p/{project}/manage/works"
    claims = "".join(f"The river {number} is long.\n" for number in range(30)).encode()
    fields = {"format": "claims", "pool": "work", "phase": "0"}
    sent = at_once(
        [partial(manager.bring, server, f"/p/{project}/manage/import", claims, 303, **fields) for server in servers]
    )
    assert {answer.status for answer in sent} == {303}
    ends = until(lambda: ended_works(world, project, 2))
    assert sorted(each.state for each in ends) == ["done", "failed"]  # the second brings what is there already
    with world.studio.database.reading() as session:
        of_project = StudioClaimRecord.project_id == world.project_of(project).id
        assert session.scalar(select(func.count()).where(of_project)) == 30
    manager.send(servers[0], f"/p/{project}/manage/export", format="feverous", settled="no", pools="work")
    done = until(lambda: ended_works(world, project, 3))
    number = max(each.id for each in done)
    files = {manager.get(server, f"{works}/{number}/file").text for server in servers}
    assert len(files) == 1


def ended_works(world: GameWorld, project: str, wanted: int) -> list[WorkRecord]:
    """The imports and exports of a project that have come to an end, where there are as many as wanted."""
    with world.studio.database.reading() as session:
        of_project = WorkRecord.project_id == world.project_of(project).id
        found = session.scalars(select(WorkRecord).where(of_project, WorkRecord.ended_at.is_not(None))).all()
    return list(found) if len(found) >= wanted else []


# -- games -------------------------------------------------------------------------------------------------


def test_a_room_goes_on_over_both_servers(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], game: str
) -> None:
    one, other = servers
    host, guest = somebody(world, game), somebody(world, game)
    room = host.send(one, f"/p/{game}/rooms").place
    guest.send(other, f"{room}/join")
    at_once([partial(host.send, server, f"{room}/start", None) for server in servers])  # clicked twice
    rounds = [person.get(server, room, 303).place for person, server in ((host, other), (guest, one))]
    with world.studio.database.reading() as session:
        (held,) = session.scalars(select(GameRoomRecord).where(GameRoomRecord.code == room.rpartition("/")[2]))
        played = session.scalars(select(GameRoundRecord).where(GameRoundRecord.room_id == held.id)).all()
        assert {f"/p/{game}/rounds/{each.id}" for each in played} == set(rounds)
        side = RoundSetup.parse(played[0].setup).false_side
    at_once([partial(host.send, server, f"{rounds[0]}/vote", None, side=str(side)) for server in servers * 2])
    guest.send(other, f"{rounds[1]}/vote", None, side=str(side.other))
    for server in servers:
        assert "You won." in host.get(server, room).text
    with world.studio.database.reading() as session:
        votes = Counter(session.scalars(select(GameMoveRecord.round_id).where(GameMoveRecord.move == "vote")))
        assert {votes[each.id] for each in played} == {1}
        assert list(check_game(session, world.project_of(game))) == []


def test_the_checker_of_a_room_votes_once_and_the_time_of_a_round_runs_out_once(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], game: str
) -> None:
    with world.writing() as session:
        found = projects.find_project(session, game)
        change_rules(
            session, found, {"vote_seconds": 15, "hint_seconds": 5, "checker_seconds": 1}, by=None, now=world.now
        )
    host = somebody(world, game)
    room = host.send(servers[0], f"/p/{game}/rooms", alone="yes").place
    code = room.rpartition("/")[2]

    def rounds_of() -> list[GameRoundRecord]:
        with world.studio.database.reading() as session:
            (held,) = session.scalars(select(GameRoomRecord).where(GameRoomRecord.code == code))
            return list(session.scalars(select(GameRoundRecord).where(GameRoundRecord.room_id == held.id)))

    ended = until(lambda: all(each.outcome != RoundOutcome.OPEN for each in rounds_of()) and rounds_of(), 40)
    assert {each.outcome for each in ended if each.account_id} == {RoundOutcome.TIMED_OUT}
    with world.studio.database.reading() as session:
        for each in ended:
            moves = list(session.scalars(select(GameMoveRecord.move).where(GameMoveRecord.round_id == each.id)))
            assert sum(move in ("vote", "expire") for move in moves) == 1, moves
        points = session.scalars(
            select(GamePointRecord).where(GamePointRecord.round_id.in_([each.id for each in ended]))
        )
        assert len(points.all()) == 0  # the checker takes none, and whoever ran out of time gets none
        assert list(check_game(session, world.project_of(game))) == []


# -- servers that end, or stand still ----------------------------------------------------------------------


def test_when_one_is_killed_everybody_goes_on_at_the_other(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str, game: str
) -> None:
    one, other = servers
    world.task(project=project)
    person, player = somebody(world, project), somebody(world, game)
    number = number_in(person.send(one, f"/p/{project}/next"))
    base = f"/p/{project}/task/{number}"
    person.tell(one, f"{base}/events", steps(*ANSWER))
    round = player.send(one, f"/p/{game}/vote", topic="").place
    one.kill()
    assert number_in(person.send(other, f"/p/{project}/next")) == number
    told = person.tell(other, f"{base}/events", steps("Undo|", "Redo|", seen=4))
    person.tell(other, f"{base}/submit", {"seen": told.json["count"]})
    player.send(other, f"{round}/hint", None, side="left", seen="0")
    player.send(other, f"{round}/vote", None, side="left")
    one.start()
    assert person.get(one, "/account").status == 200
    assert "Mount Everest" in player.get(one, round).text
    with world.studio.database.reading() as session:
        assert len(events_of(session, session.get_one(AssignmentRecord, number))) == told.json["count"] + 1
        assert list(check_game(session, world.project_of(game))) == []


def test_what_reaches_one_that_stood_still_does_not_undo_what_happened_meanwhile(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    one, other = servers
    world.task(project=project)
    slow, quick = somebody(world, project), somebody(world, project)
    number = number_in(slow.send(one, f"/p/{project}/next"))
    base = f"/p/{project}/task/{number}"
    slow.tell(one, f"{base}/events", steps(*ANSWER))
    late: list[Answer] = []
    sending = Thread(target=lambda: late.append(slow.tell(one, f"{base}/submit", {"seen": 4}, None)))
    with one.paused():
        sending.start()
        with world.writing() as session:  # so long did it stand still
            session.execute(update(AssignmentRecord).where(AssignmentRecord.id == number).values(lease_until=1.0))
        theirs = number_in(quick.send(other, f"/p/{project}/next"))
        assert theirs != number
        quick.tell(other, f"/p/{project}/task/{theirs}/events", steps(*ANSWER))
        quick.tell(other, f"/p/{project}/task/{theirs}/submit", {"seen": 4})
    sending.join(40)
    assert late[0].status == 409
    assert "went to somebody else" in late[0].text
    with world.studio.database.reading() as session:
        assert [
            *session.scalars(
                select(AnnotationRecord.assignment_id).where(AnnotationRecord.assignment_id.in_([number, theirs]))
            )
        ] == [theirs]


def test_connections_that_the_database_ends_are_made_anew(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    person = somebody(world, project)
    for server in servers:
        person.get(server, "/account")
    with world.studio.database.engine.connect() as connection:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        connection.execute(text(others + "AND pid <> pg_backend_pid()"))
    for server in servers:
        assert {person.get(server, "/account", None).status for _ in range(12)} <= {200, 503}
        assert person.get(server, "/readyz").status == 200
        assert person.get(server, "/account").status == 200


def test_two_that_begin_at_one_moment_on_an_empty_database_make_one_studio_and_one_game(
    postgres: str, tmp_path: Path
) -> None:
    place = new_database(postgres)
    both = [StudioServer(place, tmp_path, group="game") for _ in range(2)]
    try:
        for server in both:
            server.begin()
        for server in both:
            server.wait()
        assert sorted("made the game" in "".join(server.said) for server in both) == [False, True]
        for server in both:
            assert Visitor().get(server, "/readyz").json == {"status": "ready"}
            assert "/play/game" in Visitor().get(server, "/").text or "game" in Visitor().get(server, "/", None).text
        assert [server.stop() for server in both] == [0, 0]
        database = open_studio(place)
        with database.reading() as session:
            assert session.scalar(select(func.count()).select_from(ProjectRecord)) == 1
        database.close()
    finally:
        for server in both:
            with suppress(AssertionError):
                server.kill()


def test_the_same_lot_is_not_drawn_twice(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str
) -> None:
    manager = somebody(world, project, f"owl-{next(NUMBERS)}", role=Role.MANAGER)
    draw = f"/p/{project}/manage/tasks/draw"
    at_once([partial(manager.send, server, draw, None, count="5", pool="work") for server in servers * 2])
    with world.studio.database.reading() as session:
        pages = list(
            session.scalars(
                select(HighlightRecord.page).where(HighlightRecord.project_id == world.project_of(project).id)
            )
        )
    assert len(pages) == len(set(pages)) > 0


# -- in a browser ------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_a_browser_behind_a_proxy_that_takes_turns_notices_nothing(
    world: GameWorld, servers: tuple[StudioServer, StudioServer], project: str, game: str, browser: Browser
) -> None:
    name, other_name = (f"crane-{next(NUMBERS)}" for _ in range(2))
    somebody(world, project, name)
    world.task(project=project)
    for each in (name, other_name):
        somebody(world, game, each)
    faults: list[str] = []

    def sit_down(who: str) -> Page:
        page = browser.new_context(viewport={"width": 1360, "height": 850}).new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{proxy.home}/sign-in")
        page.fill("[name=name]", who)
        page.fill("[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_url(f"{proxy.home}/")
        return page

    with taking_turns(servers) as proxy:
        page, other = sit_down(name), sit_down(other_name)
        page.goto(f"{proxy.home}/p/{project}")
        page.click(f"form[action='/p/{project}/next'] button")
        page.wait_for_selector("[data-saved][data-state=saved]")
        page.check("[name=verdict][value='NOT ENOUGH INFO']")
        page.keyboard.press("Escape")
        page.check("[name=challenge][value=Other]")
        page.wait_for_selector("[data-saved][data-state=saved]")
        page.reload()
        page.wait_for_selector("[data-saved][data-state=saved]")
        assert page.is_checked("[name=verdict][value='NOT ENOUGH INFO']")
        look_at(page, "two-servers-task")
        page.goto(f"{proxy.home}/p/{game}")
        look_at(page, "two-servers-menu")
        room = Visitor(_login_of(page)).send(servers[0], f"/p/{game}/rooms").place
        page.goto(f"{proxy.home}{room}")
        other.goto(f"{proxy.home}{room}")
        other.click("#room-panel form button")
        page.locator("#room-panel .room-seats", has_text=other_name).wait_for()  # told by whichever server it follows
        page.click("#room-start")
        for window in (page, other):
            window.wait_for_url("**/rounds/*")
            window.locator("form[action$='/vote'] button").first.click()
            window.wait_for_timeout(2_000)  # its script goes on to the room, or to what came of the round
        page.goto(f"{proxy.home}{room}")
        page.locator("tbody tr").nth(1).wait_for()
        look_at(page, "two-servers-room")
    assert faults == []
    assert min(proxy.answered[server.port] for server in servers) > 20


def _login_of(page: Page) -> str:
    return next(each["value"] for each in page.context.cookies() if each["name"] == LOGIN)


def look_at(page: Page, name: str) -> None:
    """A page as it should be: nothing that axe finds, nothing wider than the window."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
