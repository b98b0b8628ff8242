"""Forty people work in a studio at once while its processes are killed: `python -m benchmarks.studio`.

Simulated annotators take tasks, send what they do, and submit, each as a thread of one of several processes, in SQLite
and in PostgreSQL. Processes are killed with SIGKILL at random moments and started again. Whatever was acknowledged is
noted outside of the database, and looked for in it afterwards: every answer once, every step once, no task with more
answers than wanted. Then the next task is asked for among a hundred thousand. Everything is put into results/studio.md.

With `--web` the annotators ask one web server, which is what is killed; they send again what they got no answer to.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import socket
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sqlalchemy import create_engine, insert, select, text
from sqlalchemy.orm import configure_mappers

from benchmarks.report import Report
from veritab.schema import ElementId, Kind
from veritab.studio.accounts import create_api_token
from veritab.studio.annotating import append_events, submit
from veritab.studio.database import Database, address_of, initialize, open_studio
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.projects import (
    CONSENT,
    ProjectSettings,
    Workflow,
    create_project,
    current_guideline,
    mark_read,
)
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, MemberStage, TaskState
from veritab.studio.tasks import next_task
from veritab.studio.vocabulary import SHARED_POOLS, Pool, Role, TaskKind

RESULTS = Path(__file__).parent / "results" / "studio.md"
SEED = 19
PEOPLE, PROCESSES, SECONDS, KILLS = 40, 4, 120, 12
SERVER_KILLS = 6
"""Fewer of the server: it takes its time to begin again, and everybody waits for it."""
PAUSE = 0.5
"""Seconds between two steps of somebody, on average; real people take ten times as long."""
MANY_TASKS = 100_000
_AGAIN = 0.1
"""The share of requests that are sent twice, as after a lost answer."""
_ELEMENTS = 40
_PATIENCE = 60


class Load(NamedTuple):
    """How many work, how fast, for how long, and how often something is killed."""

    people: int = PEOPLE
    processes: int = PROCESSES
    seconds: float = SECONDS
    kills: int = KILLS
    pause: float = PAUSE
    web: bool = False


class Workshop(NamedTuple):
    """A studio that people work in."""

    place: str
    project: str
    members: Sequence[int]
    """The accounts that work."""
    tokens: Sequence[str]
    """What they say to the web server."""
    elements: Sequence[str]


# -- the studio --------------------------------------------------------------------------------------------


def prepare(
    place: str,
    people: int,
    tasks: int,
    *,
    corpus_digest: str = "",
    elements: Sequence[str] = (),
    name: str = "load",
) -> Workshop:
    """A studio with a project of FEVEROUS's overlap, people who may work in it, and claims to verify, some of gold."""
    initialize(place)
    database, now = open_studio(place), time.time()
    with database.writing() as session:
        project = create_project(
            session,
            name,
            title="Load",
            corpus="",
            corpus_digest=corpus_digest,
            workflow=Workflow.FEVEROUS,
            settings=ProjectSettings.of(Workflow.FEVEROUS).changed({"pause_after": 0}),
            consent=CONSENT,
            seed=SEED,
            now=now,
        )
        members, tokens = list[int](), list[str]()
        guidelines = [current_guideline(session, project, kind) for kind in Workflow.FEVEROUS.kinds]
        for number in range(people):
            account = AccountRecord(name=f"annotator-{number}", made_at=now)
            session.add(account)
            session.flush()
            about = {"role": Role.ANNOTATOR, "stage": MemberStage.APPROVED, "joined_at": now, "consented_at": now}
            session.add(MembershipRecord(project_id=project.id, account_id=account.id, **about))
            for guideline in filter(None, guidelines):
                mark_read(session, guideline, account.id, now=now)
            members.append(account.id)
            tokens.append(create_api_token(session, account.id, "load", by=account.id, now=now))
        _add_tasks(database, session, project, tasks, now)
    database.close()
    return Workshop(place, project.name, members, tokens, elements or [f"Page {n}_sentence_0" for n in range(40)])


def _add_tasks(database: Database, session: Any, project: ProjectRecord, count: int, now: float) -> None:
    """Claims with a task each, many at a time; one in fifty is hidden gold."""
    rng, rule = random.Random(SEED), ProjectSettings.of(Workflow.FEVEROUS).overlap_rule
    gold = {"label": "SUPPORTS", "evidence": [["Page 0_sentence_0"]], "challenge": "Other"}
    alike = {"project_id": project.id, "made_at": now}
    for start in range(1, count + 1, 5_000):
        claims, tasks = [], []
        for number in range(start, min(start + 5_000, count + 1)):
            is_gold = number % 50 == 0
            pool = Pool.GOLD if is_gold else Pool.WORK
            about = {
                "text": f"River {number} is long.",
                "state": ClaimState.GOOD.value,
                "source": {},
                "pool": pool.value,
            }
            claims.append({**alike, **about, "id": number})
            tasks.append(
                {
                    **alike,
                    "kind": TaskKind.FEVEROUS_VERIFICATION.value,
                    "pool": pool.value,
                    "claim_id": number,
                    "drawn": {},
                    "gold": gold if is_gold else {},
                    "state": TaskState.OPEN.value,
                    "wanted": 0 if is_gold else rule.draw(rng).annotators,
                }
            )
        session.execute(insert(StudioClaimRecord), claims)
        session.execute(insert(TaskRecord), tasks)
    if not database.is_sqlite:
        session.execute(text("SELECT setval(pg_get_serial_sequence('claims', 'id'), (SELECT max(id) FROM claims))"))


# -- how somebody reaches it -------------------------------------------------------------------------------


class Door(Protocol):
    """How an annotator reaches the studio."""

    was_cut: bool
    """Whether the last answer came only after the connection had been lost."""

    def next(self) -> tuple[int, int] | None:
        """The assignment that is done next, and how many events it has."""

    def append(self, assignment: int, events: Sequence[LogEvent], seen: int) -> int:
        """Send events; how many there are then."""

    def submit(self, assignment: int, seen: int) -> None:
        """Submit the draft of so many events."""


class ServiceDoor:
    """The services themselves, in this process."""

    was_cut = False

    def __init__(self, database: Database, project: str, account: int) -> None:
        self._database, self._project, self._account = database, project, account

    def next(self) -> tuple[int, int] | None:
        with self._database.writing() as session:
            project = session.scalars(select(ProjectRecord).where(ProjectRecord.name == self._project)).one()
            whose = (MembershipRecord.project_id == project.id, MembershipRecord.account_id == self._account)
            member = session.scalars(select(MembershipRecord).where(*whose)).one()
            found = next_task(session, project, member, now=time.time())
            return (found.id, found.events) if found else None

    def append(self, assignment: int, events: Sequence[LogEvent], seen: int) -> int:
        with self._database.writing() as session:
            held = session.get_one(AssignmentRecord, assignment)
            return append_events(session, held, events, now=time.time()).events

    def submit(self, assignment: int, seen: int) -> None:
        with self._database.writing() as session:
            held = session.get_one(AssignmentRecord, assignment)
            submit(session, held, seen=seen, now=time.time(), exists=lambda _: True)


class WebDoor:
    """A web server. Whatever got no answer is sent again, as a browser does that lost the connection."""

    def __init__(self, port: int, project: str, token: str) -> None:
        self._port, self._base = port, f"/p/{project}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None
        self.was_cut = False

    def next(self) -> tuple[int, int] | None:
        _, headers, _ = self._ask("POST", f"{self._base}/next")
        place, _, number = headers["location"].rpartition("/")
        if not place.endswith("/task"):
            return None
        _, _, told = self._ask("GET", f"{self._base}/task/{number}/events")
        return int(number), json.loads(told)["count"]

    def append(self, assignment: int, events: Sequence[LogEvent], seen: int) -> int:
        sent = {"seen": seen, "events": [event._asdict() for event in events]}
        _, _, told = self._ask("POST", f"{self._base}/task/{assignment}/events", sent)
        return int(json.loads(told)["count"])

    def submit(self, assignment: int, seen: int) -> None:
        self._ask("POST", f"{self._base}/task/{assignment}/submit", {"seen": seen})

    def wait(self) -> None:
        """Wait until the server answers, with its corpus opened."""
        self._ask("GET", f"{self._base}/search?q=river")

    def _ask(self, method: str, path: str, sent: Any = None) -> tuple[int, Any, bytes]:
        body = None if sent is None else json.dumps(sent)
        until = time.monotonic() + _PATIENCE
        self.was_cut = False
        while True:
            try:
                if self._connection is None:
                    self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
                self._connection.request(method, path, body, self._headers)
                answer = self._connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self._connection, self.was_cut = None, True
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
                continue
            if answer.status >= 400:
                raise RuntimeError(f"{method} {path}: {answer.status} {content[:300].decode(errors='replace')}")
            return answer.status, answer.headers, content


# -- somebody who works ------------------------------------------------------------------------------------


class Notes:
    """What was acknowledged, written outside of the database at once: it outlives a kill."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def add(
        self, kind: str, seconds: float = 0.0, assignment: int = 0, keys: Sequence[str] = (), said: str = ""
    ) -> None:
        line = json.dumps([kind, round(seconds, 5), assignment, list(keys), said])
        os.write(self._file, f"{line}\n".encode())


class Annotator:
    """Somebody who takes tasks, works on them and submits them."""

    def __init__(self, door: Door, notes: Notes, name: str, elements: Sequence[str], pause: float) -> None:
        self._door, self._notes, self._name, self._elements, self._pause = door, notes, name, elements, pause
        self._rng, self._steps = random.Random(name), 0

    def work_until(self, end: float) -> None:
        """Do task after task; what is begun is finished."""
        while time.time() < end:
            if taken := self._ask("next", self._door.next):
                self._do(*taken)
            else:
                time.sleep(0.1)

    def _do(self, assignment: int, seen: int) -> None:
        for _ in range(self._rng.randrange(3)):
            looking = self._step((LogOperation.SEARCH, "river"), (LogOperation.NOW_ON, "River 1"))
            seen = self._send(assignment, looking, seen)
        answer = self._step(
            (LogOperation.HIGHLIGHT, self._rng.choice(self._elements)),
            (LogOperation.WRITE, f"verdict={self._rng.choice(('SUPPORTS', 'SUPPORTS', 'NOT ENOUGH INFO'))}"),
            (LogOperation.WRITE, "challenge=Other"),
        )
        seen = self._send(assignment, answer, seen)
        for _ in self._once_or_twice():
            self._ask("submit", self._door.submit, assignment, seen, assignment=assignment)

    def _step(self, *done: tuple[LogOperation, str]) -> list[LogEvent]:
        self._steps += 1
        return [LogEvent(*each, float(self._steps), f"{self._name}-{self._steps}/{n}") for n, each in enumerate(done)]

    def _send(self, assignment: int, events: Sequence[LogEvent], seen: int) -> int:
        keys = [event.key for event in events]
        for _ in self._once_or_twice():
            seen = self._ask("append", self._door.append, assignment, events, seen, assignment=assignment, keys=keys)
        return seen

    def _once_or_twice(self) -> range:
        return range(2 if self._rng.random() < _AGAIN else 1)

    def _ask(
        self, kind: str, act: Callable[..., Any], *args: Any, assignment: int = 0, keys: Sequence[str] = ()
    ) -> Any:
        started = time.perf_counter()
        said = act(*args)
        taken = time.perf_counter() - started
        self._notes.add(kind, float("nan") if self._door.was_cut else taken, assignment, keys)
        time.sleep(self._rng.expovariate(1 / self._pause))
        return said


class Clock(NamedTuple):
    """What processes share without a lock, which a killed one would never give back."""

    ready: Any
    """By process, whether it has everything opened."""
    end: Any
    """When the work ends; 0 until it begins."""


def work(workshop: Workshop, people: Sequence[int], load: Load, notes_path: Path, clock: Clock, port: int) -> None:
    """A process with some of the people, each in a thread."""
    notes = Notes(notes_path)
    database = None if load.web else open_studio(workshop.place)
    configure_mappers()
    clock.ready[people[0]] = 1
    while not clock.end.value:
        time.sleep(0.01)

    def begin(person: int) -> None:
        name = f"{os.getpid()}-{person}"
        door: Door
        if database is None:
            door = WebDoor(port, workshop.project, workshop.tokens[person])
        else:
            door = ServiceDoor(database, workshop.project, workshop.members[person])
        try:
            Annotator(door, notes, name, workshop.elements, load.pause).work_until(clock.end.value)
        except Exception:  # whatever somebody is told that they should not be; it is in the results
            notes.add("error", said=traceback.format_exc(limit=-4))

    threads = [threading.Thread(target=begin, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes.add("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def serve(place: str, port: int) -> None:
    """The web server of a studio."""
    from veritab.studio.opened import Studio
    from veritab.web.server import serve as serve_app
    from veritab.web.studio.app import create_studio_app

    opened = socket.create_server(("127.0.0.1", port), reuse_port=True)
    with Studio.open(place) as studio:
        serve_app(create_studio_app(studio), opened)


# -- the load, and the kills -------------------------------------------------------------------------------


class Noted(NamedTuple):
    """What the annotators noted."""

    seconds: dict[str, list[float]]
    """By what was asked, what each answer took; without those that a kill delayed."""
    answers: Counter[int]
    """By assignment, how often its answer was acknowledged."""
    steps: set[tuple[int, str]]
    """The assignments and keys of acknowledged events."""
    errors: list[str]
    megabytes: float
    """The most that a process held: one that works on the database, be it an annotators' or the server."""
    kills: int


def run(workshop: Workshop, load: Load) -> Noted:
    """Let everybody work, kill a process now and then, and gather what was noted."""
    folder = Path(tempfile.mkdtemp(prefix="veritab-load-"))
    try:
        killed, megabytes = let_work(workshop, load, folder / "notes", work)
        return read_notes(folder / "notes", killed, megabytes, is_web=load.web)
    finally:
        shutil.rmtree(folder)


def let_work(workshop: Any, load: Load, notes: Path, worker: Callable[..., None]) -> tuple[int, float]:
    """Let each process be a `worker` with its share of the people, and kill one now and then.

    How many were killed while they lived, and the most memory that a killed one or the server held.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([worker.__module__, "veritab.studio.annotating"])
    rng = random.Random(SEED)
    port = _free_port() if load.web else 0
    clock = Clock(context.RawArray("b", load.processes), context.RawValue("d", 0.0))
    shares = [range(number, load.people, load.processes) for number in range(load.processes)]

    def start(number: int) -> Any:
        process = context.Process(target=worker, args=(workshop, shares[number], load, notes, clock, port))
        process.start()
        return process

    def start_server() -> Any:
        process = context.Process(target=serve, args=(workshop.place, port))
        process.start()
        return process

    server = start_server() if load.web else None
    megabytes = 0.0
    processes = [start(number) for number in range(load.processes)]
    killed = 0
    try:
        while sum(clock.ready) < load.processes:
            if not all(process.is_alive() for process in processes):
                raise RuntimeError("a process ended before it began; it has printed why")
            time.sleep(0.01)
        if server:
            WebDoor(port, workshop.project, workshop.tokens[0]).wait()
        started = time.time()
        clock.end.value = started + load.seconds
        for kill in range(load.kills):
            at = started + (kill + rng.uniform(0.5, 1.0)) * load.seconds / (load.kills + 1)
            time.sleep(max(0.0, at - time.time()))
            number = rng.randrange(load.processes)
            victim = server or processes[number]
            killed += victim.is_alive()
            megabytes = max(megabytes, _peak_of(victim.pid))
            victim.kill()
            victim.join()
            if server:
                server = start_server()
            else:
                processes[number] = start(number)
        for process in processes:
            process.join(load.seconds + _PATIENCE)
            if process.is_alive():
                raise RuntimeError(f"somebody still waits for an answer {_PATIENCE} s after the end")
        return killed, max(megabytes, _peak_of(server.pid) if server else 0.0)
    finally:
        for process in (*processes, *([server] if server else [])):
            process.kill()
            process.join()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return int(opened.getsockname()[1])


def _peak_of(pid: int) -> float:
    """The most memory that a process has held, in megabytes."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def read_notes(path: Path, kills: int, megabytes: float, *, is_web: bool) -> Noted:
    """What was noted in a file."""
    noted = Noted(defaultdict(list), Counter(), set(), [], megabytes, kills)
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, seconds, assignment, keys, said = json.loads(line)
        if kind == "memory":
            noted = noted if is_web else noted._replace(megabytes=max(noted.megabytes, seconds))
        elif kind == "error":
            noted.errors.append(said)
        else:
            if not math.isnan(seconds):
                noted.seconds[kind].append(seconds)
            noted.steps.update((assignment, key) for key in keys)
            if kind == "submit":
                noted.answers[assignment] += 1
    return noted


# -- what is in the database afterwards --------------------------------------------------------------------


class Audited(NamedTuple):
    """What is wrong in the database, by what was promised."""

    lost_answers: list[int]
    doubled_answers: list[int]
    lost_steps: list[tuple[int, str]]
    broken_logs: list[int]
    """Assignments whose events are not numbered one by one, or have a key twice, or are miscounted."""
    wrong_tasks: list[int]
    """Tasks with more answers than wanted, or another number than there are, or more than one holder."""
    answers: int
    events: int

    @property
    def wrong(self) -> int:
        return sum(len(each) for each in self[:5])


def audit(database: Database, noted: Noted) -> Audited:
    """Compare what was acknowledged with what the database holds."""
    with database.reading() as session:
        revisions = Counter(session.scalars(select(AnnotationRecord.assignment_id)))
        logs = defaultdict[int, list[tuple[int, str]]](list)
        columns = EventRecord.assignment_id, EventRecord.sequence, EventRecord.key
        for assignment, sequence, key in session.execute(select(*columns).order_by(*columns)):
            logs[assignment].append((sequence, key))
        steps = {(assignment, key) for assignment, log in logs.items() for _, key in log}
        counted = {each.id: each.events for each in session.scalars(select(AssignmentRecord))}
        held = Counter(
            session.scalars(select(AssignmentRecord.task_id).where(AssignmentRecord.state == AssignmentState.ACTIVE))
        )
        answered = Counter(session.scalars(select(AnnotationRecord.task_id).where(AnnotationRecord.is_last)))
        tasks = session.scalars(select(TaskRecord)).all()
    return Audited(
        lost_answers=[each for each in noted.answers if not revisions[each]],
        doubled_answers=[each for each, count in revisions.items() if count > 1],
        lost_steps=sorted(noted.steps - steps),
        broken_logs=[each for each, count in counted.items() if not _is_whole(logs[each], count)],
        wrong_tasks=[task.id for task in tasks if not _is_right(task, answered[task.id], held[task.id])],
        answers=revisions.total(),
        events=sum(map(len, logs.values())),
    )


def _is_whole(log: Sequence[tuple[int, str]], count: int) -> bool:
    return [sequence for sequence, _ in log] == [*range(1, count + 1)] and len({key for _, key in log}) == count


def _is_right(task: TaskRecord, answers: int, held: int) -> bool:
    if task.pool in SHARED_POOLS:
        return task.answers == answers and task.state == TaskState.OPEN
    return task.answers == answers <= task.wanted and held == (task.state == TaskState.TAKEN)


# -- among many tasks --------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """What the next task takes among many."""

    seconds: list[float]
    megabytes: float


def ask_among_many(workshop: Workshop, times: int = 400) -> Asked:
    """Ask for the next task again and again, one after the other, in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    process = context.Process(target=_ask_often, args=(workshop, times, theirs))
    process.start()
    asked: Asked = ours.recv()
    process.join()
    return asked


def _ask_often(workshop: Workshop, times: int, parent: Any) -> None:
    database, seconds = open_studio(workshop.place), []
    rng = random.Random(SEED)
    for number in range(times):
        door = ServiceDoor(database, workshop.project, workshop.members[number % len(workshop.members)])
        started = time.perf_counter()
        taken = door.next()
        seconds.append(time.perf_counter() - started)
        assert taken is not None
        done = [(LogOperation.WRITE, "verdict=NOT ENOUGH INFO"), (LogOperation.WRITE, "challenge=Other")]
        events = [LogEvent(operation, value, 1.0, str(rng.random())) for operation, value in done]
        door.submit(taken[0], door.append(taken[0], events, 1))
    parent.send(Asked(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    database.close()


# -- everything --------------------------------------------------------------------------------------------


@contextmanager
def places() -> Iterator[Callable[[str, str], str]]:
    """Gives new places for studios by kind and name: folders on the disk, or databases of a server started here."""
    from tests.studio.postgres import running_postgres

    folder = Path(tempfile.mkdtemp(prefix="veritab-studio-"))
    with running_postgres(durable=True) as server:

        def make(kind: str, name: str) -> str:
            if kind == "SQLite":
                return str(folder / name)
            engine = create_engine(address_of(server.format("postgres")), isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                connection.execute(text(f"CREATE DATABASE {name}"))
            engine.dispose()
            return server.format(name)

        try:
            yield make
        finally:
            with suppress(OSError):
                shutil.rmtree(folder)


def corpus_of_almanac() -> tuple[str, list[str]]:
    """The digest of the bundled corpus, and some of its sentences."""
    from veritab.pipeline import Checker
    from veritab.studio.opened import corpus_digest

    with Checker.open(None) as checker:
        titles = sorted(checker.store.titles())[:_ELEMENTS]
        return corpus_digest(checker), [str(ElementId(title, Kind.SENTENCE, (0,))) for title in titles]


def _at(share: float, values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]:,.1f}" if ordered else "none"


OVER_THE_WEB = "Over the web server"


def main() -> None:
    """Load both databases, look at what they hold, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--kills", type=int, help=f"{KILLS}, or {SERVER_KILLS} of the web server")
    parser.add_argument("--pause", type=float, default=PAUSE)
    parser.add_argument("--many", type=int, default=MANY_TASKS, help="tasks among which the next one is asked for")
    parser.add_argument("--web", action="store_true", help="ask a web server; many tasks are not looked at then")
    given = parser.parse_args()
    kills = given.kills if given.kills is not None else SERVER_KILLS if given.web else KILLS
    load = Load(given.people, given.processes, given.seconds, kills, given.pause, given.web)
    report = Report("A studio under load", f"python -m benchmarks.studio{' --web' if load.web else ''}")
    digest, elements = corpus_of_almanac() if load.web else ("", ())
    times = [["database", "asked for", "times", "p50 ms", "p99 ms", "longest ms"]]
    outcomes, before = dict[str, tuple[Noted, Audited]](), os.getloadavg()[0]
    with places() as make:
        for kind in ("SQLite", "PostgreSQL"):
            tasks = max(1_000, round(load.people * load.seconds))
            workshop = prepare(make(kind, "load"), load.people, tasks, corpus_digest=digest, elements=elements)
            noted = run(workshop, load)
            database = open_studio(workshop.place)
            outcomes[kind] = noted, audit(database, noted)
            database.close()
            times += [[kind, what, *spread(seconds)] for what, seconds in noted.seconds.items()]
            if not load.web:
                asked = ask_among_many(prepare(make(kind, "many"), load.people, given.many))
                times.append([kind, f"next of {given.many:,} tasks, alone", *spread(asked.seconds)])
                report.note("Memory", f"{kind}, among {given.many:,} tasks: {asked.megabytes:,.0f} MB")
    report.table(OVER_THE_WEB if load.web else "Times", times)
    busy = f"the machine's own load was {before:.1f} before and {os.getloadavg()[2]:.1f} over the last 15 minutes"
    report.note(OVER_THE_WEB if load.web else "Load", busy)
    for kind, (noted, found) in outcomes.items():
        tell(report, kind, load, noted, found)
    if load.web:
        report.write_section(RESULTS, OVER_THE_WEB)
    else:
        report.write(RESULTS, keep=[OVER_THE_WEB])


def spread(seconds: Sequence[float]) -> list[str]:
    """How often something was asked for, and what it took: half, nearly all, and the longest."""
    return [f"{len(seconds):,}", *(_at(share, seconds) for share in (0.5, 0.99, 1.0))]


def tell(report: Report, kind: str, load: Load, noted: Noted, found: Audited) -> None:
    """What was promised of the load in one database, and what came of it."""
    killed = "the server" if load.web else f"one of {load.processes} processes"
    many = f"{load.people} people, {load.seconds:g} s, {load.pause:g} s between two steps"
    many += f", {noted.kills} x kill -9 of {killed}"
    done = f"{found.answers:,} answers, {found.events:,} events; {noted.megabytes:,.0f} MB"
    report.note(OVER_THE_WEB if load.web else "Load", f"{kind}: {many}: {done}")
    for error in noted.errors:
        report.note(OVER_THE_WEB if load.web else "Errors", f"{kind}: {' '.join(error.split())}")
    lost, doubled = len(found.lost_answers), len(found.doubled_answers)
    steps, broken = len(found.lost_steps), len(found.broken_logs)
    promises = {
        "every answer once": (f"{len(noted.answers):,} acknowledged, {lost} lost, {doubled} doubled", lost + doubled),
        "every step once": (f"{len(noted.steps):,} acknowledged, {steps} lost, {broken} logs broken", steps + broken),
        "no task above its overlap": (f"{len(found.wrong_tasks)}", len(found.wrong_tasks)),
        "nobody is told of an error": (f"{len(noted.errors)}", len(noted.errors)),
    }
    for promise, (measured, wrong) in promises.items():
        if load.web:
            report.note(OVER_THE_WEB, f"{kind}: {promise}: {measured}{' **BROKEN**' if wrong else ''}")
        else:
            report.promise(f"{kind}: {promise}", measured, "none", kept=not wrong)


if __name__ == "__main__":
    main()
