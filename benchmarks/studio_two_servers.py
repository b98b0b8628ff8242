"""Two servers of one studio in PostgreSQL, and fifty people who come now to one, now to the other.

`python -m benchmarks.studio_two_servers`: annotators take tasks, work and submit, players begin rounds, buy hints and
vote, against each other and against the checker, all over HTTP, every request at a server chosen by lot; some are sent
to both at one moment, and some twice. In the middle one server is killed with SIGKILL and started again later; then the
other stands still for a while (SIGSTOP) and goes on. What was acknowledged is noted here and looked for in the database
afterwards: every answer and step once, no task above its overlap, every vote once, no round decided twice, points as
the moves come to. Everything is put into results/studio_two_servers.md.

A client does what a proxy in front would do: where a server is gone, it takes the other.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.web.studio.servers import StudioServer

from benchmarks import game, studio
from benchmarks.report import Report
from benchmarks.studio import Annotator, Notes, places, spread
from veritab.studio.accounts import create_api_token
from veritab.studio.database import open_studio
from veritab.studio.game.rounds import NOT_SURE, Side
from veritab.studio.log import LogEvent

RESULTS = Path(__file__).parent / "results" / "studio_two_servers.md"
SEED = 22
ANNOTATORS, PLAYERS, SECONDS, PAUSE = 30, 20, 240.0, 0.5
STANDSTILL = 5.0
_AT_BOTH = 0.1
"""The share of what changes something that is sent to both servers at one moment."""
_ROOMS, _LEAVES, _LIKES = 0.15, 0.03, 0.7
"""The shares of rounds that are played against the checker, that are left alone, and that end with a like."""
_HONEST = frozenset({409, 503})
_PATIENCE = 60.0
_SURE = 3.0
"""So long before the time is over a vote that was taken must count."""


class Seen:
    """What all clients saw: statuses, times, and what was wrong."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.cut = 0
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.troubled: list[float] = []
        """What was asked while a server was down or stood still."""
        self.is_troubled = False
        self.errors: list[str] = []
        self.votes: defaultdict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
        self._lock = threading.Lock()

    def answer(self, status: int) -> None:
        with self._lock:
            self.statuses[status] += 1

    def lose(self) -> None:
        with self._lock:
            self.cut += 1

    def time(self, kind: str, seconds: float, *, was_troubled: bool) -> None:
        with self._lock:
            (self.troubled if was_troubled or self.is_troubled else self.seconds[kind]).append(seconds)

    def move(self, kind: str, round: int, value: str) -> None:
        with self._lock:
            self.votes[kind][round, value] += 1

    def fail(self, said: str) -> None:
        with self._lock:
            self.errors.append(said)

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """While it lasts, times say how long people wait when something is wrong."""
        self.is_troubled = True
        try:
            yield
        finally:
            self.is_troubled = False


class Answered(NamedTuple):
    """What came of a request."""

    status: int
    place: str
    content: bytes


class Client:
    """Asks one of two servers, by lot; the other where that one is gone, and again where it is told to."""

    def __init__(self, servers: Sequence[StudioServer], token: str, seen: Seen, name: str) -> None:
        self._servers, self._seen = servers, seen
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._rng = random.Random(f"{SEED} {name}")

    def ask(self, kind: str, method: str, path: str, sent: Any = None, *, form: Any = None) -> Answered:
        """What a server says; now and then both are asked at one moment, and one answer is taken."""
        if method == "POST" and self._rng.random() < _AT_BOTH:
            answers: list[Answered] = []
            both = [
                threading.Thread(target=lambda at=at: answers.append(self._ask(kind, method, path, sent, form, at)))
                for at in (0, 1)
            ]
            for each in both:
                each.start()
            for each in both:
                each.join()
            return min(answers, key=lambda answer: answer.status)
        return self._ask(kind, method, path, sent, form, self._rng.randrange(2))

    def _ask(self, kind: str, method: str, path: str, sent: Any, form: Any, at: int) -> Answered:
        body = urlencode(form) if form is not None else None if sent is None else json.dumps(sent)
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json" if form is None else "application/x-www-form-urlencoded"
        until, started, was_troubled = time.monotonic() + _PATIENCE, time.perf_counter(), self._seen.is_troubled
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self._servers[at % 2].port, timeout=_PATIENCE)
            try:
                connection.request(method, path, body, headers)
                said = connection.getresponse()
                content = said.read()
            except (OSError, http.client.HTTPException):
                self._seen.lose()
                if time.monotonic() > until:
                    raise
                at += 1
                time.sleep(0.02)
                continue
            finally:
                connection.close()
            self._seen.answer(said.status)
            if said.status != 503 or time.monotonic() > until:
                break
            at += 1
            time.sleep(0.2)
        self._seen.time(kind, time.perf_counter() - started, was_troubled=was_troubled)
        return Answered(said.status, said.headers["location"] or "", content)


class TwoDoors:
    """How an annotator reaches the studio: by either server."""

    was_cut = False

    def __init__(self, client: Client, project: str) -> None:
        self._client, self._base = client, f"/p/{project}"

    def next(self) -> tuple[int, int] | None:
        place, _, number = self._done("next", "POST", f"{self._base}/next").place.rpartition("/")
        if not place.endswith("/task"):
            return None
        told = self._done("look", "GET", f"{self._base}/task/{number}/events")
        return int(number), json.loads(told.content)["count"]

    def append(self, assignment: int, events: Sequence[LogEvent], seen: int) -> int:
        sent = {"seen": seen, "events": [event._asdict() for event in events]}
        told = self._done("append", "POST", f"{self._base}/task/{assignment}/events", sent)
        return int(json.loads(told.content)["count"])

    def submit(self, assignment: int, seen: int) -> None:
        self._done("submit", "POST", f"{self._base}/task/{assignment}/submit", {"seen": seen})

    def _done(self, kind: str, method: str, path: str, sent: Any = None) -> Answered:
        said = self._client.ask(kind, method, path, sent)
        if said.status >= 400:
            raise RuntimeError(f"{method} {path}: {said.status} {said.content[:300].decode(errors='replace')}")
        return said


class WebPlayer:
    """Somebody who plays round after round, at either server."""

    def __init__(self, client: Client, seen: Seen, name: str, pause: float) -> None:
        self._client, self._seen, self._pause = client, seen, pause
        self._base, self._rng = f"/p/{game.NAME}", random.Random(f"{SEED} plays {name}")

    def play_until(self, end: float) -> None:
        while time.time() < end:
            self._play()

    def _play(self) -> None:
        begun, rng = time.time(), self._rng
        place = self._begin_room() if rng.random() < _ROOMS else self._ask("begin", "/vote", topic="").place
        if "/rounds/" not in place:
            self._rest()
            return
        path = place.partition("?")[0].removeprefix(self._base)
        round, hints = int(path.rpartition("/")[2]), Counter[str]()
        # A round that was begun before goes on here, and nobody knows for how long already.
        is_new = json.loads(self._look(path).content).get("seconds_left", 0) > game.RULES.vote_seconds - 5
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            side = rng.choice([*map(str, Side)])
            said = self._ask("hint", f"{path}/hint", side=side, seen=hints[side])
            told: dict[str, Any] = json.loads(said.content) if said.status == 200 else {"over": True}
            if told["over"]:
                break
            hints[side] = len(told[side]["hints"])
        if rng.random() < _LEAVES:
            time.sleep(game.RULES.vote_seconds)
        side = rng.choice([*map(str, Side)])
        said = self._ask("vote", f"{path}/vote", side=side)
        spent = time.time() - begun + hints.total() * game.RULES.hint_seconds
        if is_new and said.status == 200 and b"done=" not in said.content:
            if spent < game.RULES.vote_seconds - _SURE:
                self._seen.move("vote", round, side)
            self._seen.votes["hint"].update({(round, each): times for each, times in hints.items() if times})
        if rng.random() < _LIKES:
            liked = rng.choice([*map(str, Side), NOT_SURE])
            if self._ask("like", f"{path}/like", side=liked).status == 200:
                self._seen.move("like", round, liked)

    def _begin_room(self) -> str:
        """A round against the checker."""
        room = self._ask("room", "/rooms", alone="yes").place.removeprefix(self._base)
        return self._client.ask("room page", "GET", f"{self._base}{room}").place if room else ""

    def _look(self, path: str) -> Answered:
        return self._client.ask("round", "GET", f"{self._base}{path}")

    def _ask(self, kind: str, path: str, **form: Any) -> Answered:
        said = self._client.ask(kind, "POST", f"{self._base}{path}", form=form)
        if said.status >= 400 and said.status not in _HONEST:
            raise RuntimeError(f"{path}: {said.status} {said.content[:300].decode(errors='replace')}")
        self._rest()
        return said

    def _rest(self) -> None:
        time.sleep(self._rng.expovariate(1 / self._pause))


# -- the load ----------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What was seen, and what is in the database."""

    seen: Seen
    studio: studio.Audited
    game: game.PlayAudit
    answers: int
    steps: int
    noted_votes: int
    undecided: int
    """Rounds whose time was over and that nobody ended."""


def run(place: str, folder: Path, annotators: int, players: int, seconds: float, pause: float) -> Outcome:
    """Let everybody work and play while one server is killed and the other stands still, then look at what is there."""
    digest, elements = studio.corpus_of_almanac()
    workshop = studio.prepare(
        place, annotators, round(annotators * seconds), corpus_digest=digest, elements=elements, name="work"
    )
    table = game.prepare(place, players, game.CLAIMS, digest)
    tokens = _tokens(place, table.players)
    seen, notes_path = Seen(), folder / "notes"
    notes = Notes(notes_path)
    with ExitStack() as stack:
        servers = StudioServer(place, folder), StudioServer(place, folder, group="game")
        for server in servers:
            stack.callback(server.kill)
            server.begin()
        for server in servers:
            server.wait()
        for number in (0, 1):  # with their corpora opened, before the clock runs
            first = Client([servers[number]] * 2, workshop.tokens[0], Seen(), "first")
            first.ask("", "GET", f"/p/{workshop.project}/search?q=river")
        started = time.time()
        end = started + seconds

        def work(number: int) -> None:
            door = TwoDoors(Client(servers, workshop.tokens[number], seen, f"a{number}"), workshop.project)
            Annotator(door, notes, f"a{number}", workshop.elements, pause).work_until(end)

        def play(number: int) -> None:
            WebPlayer(Client(servers, tokens[number], seen, f"p{number}"), seen, f"p{number}", pause).play_until(end)

        acts = [(work, number) for number in range(annotators)] + [(play, number) for number in range(players)]
        threads = [threading.Thread(target=_guard, args=(seen, act, number), daemon=True) for act, number in acts]
        for thread in threads:
            thread.start()
        _disturb(servers, seen, started, seconds)
        for thread in threads:
            thread.join(seconds + 2 * _PATIENCE)
            if thread.is_alive():
                seen.fail("somebody still waits for an answer")
                break
        time.sleep(game.RULES.vote_seconds + 3)  # the servers end what people have left
    return _look_at(place, seen, notes_path)


def _guard(seen: Seen, act: Callable[[int], None], number: int) -> None:
    try:
        act(number)
    except Exception:  # whatever somebody is told that they should not be; it is in the results
        seen.fail(traceback.format_exc(limit=-4))


def _disturb(servers: Sequence[StudioServer], seen: Seen, started: float, seconds: float) -> None:
    """Kill one server, start it again later, and then have the other stand still."""
    one, other = servers
    time.sleep(max(0.0, started + 0.3 * seconds - time.time()))
    with seen.trouble():
        one.kill()
        time.sleep(2.0)  # everybody has come to the other
    time.sleep(max(0.0, started + 0.5 * seconds - time.time()))
    one.start()
    time.sleep(max(0.0, started + 0.7 * seconds - time.time()))
    with seen.trouble():
        with other.paused():
            time.sleep(STANDSTILL)
        time.sleep(1.0)


def _tokens(place: str, accounts: Sequence[int]) -> list[str]:
    database = open_studio(place)
    with database.writing() as session:
        made = [create_api_token(session, id, "load", by=id, now=time.time()) for id in accounts]
    database.close()
    return made


def _look_at(place: str, seen: Seen, notes_path: Path) -> Outcome:
    noted = studio.read_notes(notes_path, 1, 0.0, is_web=True)
    played = game.PlayNotes({}, seen.votes, set(), Counter(), [], 0.0, 1)
    database = open_studio(place)
    found, of_game = studio.audit(database, noted), game.audit(database, played)
    undecided = game.count_overdue(database)
    database.close()
    return Outcome(seen, found, of_game, len(noted.answers), len(noted.steps), seen.votes["vote"].total(), undecided)


# -- everything --------------------------------------------------------------------------------------------


def main() -> None:
    """Load both servers, look at what the database holds, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--players", type=int, default=PLAYERS)
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds between two steps of somebody, on average")
    given = parser.parse_args()
    report, before = Report("Two servers of one studio", "python -m benchmarks.studio_two_servers"), os.getloadavg()[0]
    folder = Path(tempfile.mkdtemp(prefix="veritab-two-servers-"))
    try:
        with places() as make:
            came = run(make("PostgreSQL", "load"), folder, given.annotators, given.players, given.seconds, given.pause)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tell(report, came)
    report.note(
        "Load",
        f"{given.annotators} annotators, {given.players} players, {given.seconds:g} s, {given.pause:g} s between two "
        f"steps; one server killed with SIGKILL at 30 % of the time and started again at 50 %, the other stopped for "
        f"{STANDSTILL:g} s at 70 %; the machine's own load was {before:.1f} before and {os.getloadavg()[2]:.1f} over "
        "the last 15 minutes; clients, servers and PostgreSQL share the two cores",
    )
    report.write(RESULTS)


def tell(report: Report, came: Outcome) -> None:
    """What was promised, and what came of it."""
    seen, found, played = came.seen, came.studio, came.game
    lost, doubled = len(found.lost_answers), len(found.doubled_answers)
    steps, broken = len(found.lost_steps), len(found.broken_logs)
    strange = {status: times for status, times in seen.statuses.items() if status >= 400 and status not in _HONEST}
    wrong = [*played.wrong_standings, *played.problems]
    promises = {
        "every answer once": (f"{came.answers:,} acknowledged, {lost} lost, {doubled} doubled", lost + doubled),
        "every step once": (f"{came.steps:,} acknowledged, {steps} lost, {broken} logs broken", steps + broken),
        "no task above its overlap": (f"{len(found.wrong_tasks)}", len(found.wrong_tasks)),
        "every vote, hint and like once": (
            f"{came.noted_votes:,} votes acknowledged in time, {len(played.lost_moves)} moves lost",
            len(played.lost_moves),
        ),
        "no round decided twice": (
            f"{played.votes:,} votes, {len(played.doubled_votes)} doubled",
            len(played.doubled_votes),
        ),
        "points as the moves come to": (f"{len(wrong)} differ", len(wrong)),
        "no round is left open after its time": (f"{came.undecided}", came.undecided),
        "only 2xx, 303, 409 and 503": (
            ", ".join(f"{n} x {status}" for status, n in strange.items()) or "0 others",
            len(strange),
        ),
        "nobody is told of an error": (f"{len(seen.errors)}", len(seen.errors)),
    }
    for promise, (measured, broken_promises) in promises.items():
        report.promise(promise, measured, "none", kept=not broken_promises)
    report.table(
        "Times",
        [["asked for", "times", "p50 ms", "p99 ms", "longest ms"]]
        + [[kind, *spread(seen.seconds[kind])] for kind in sorted(seen.seconds)]
        + [["anything, with both servers well", *spread([each for some in seen.seconds.values() for each in some])]]
        + [["anything, as one was killed or stood still", *spread(seen.troubled)]],
    )
    told = ", ".join(f"{times:,} x {status}" for status, times in sorted(seen.statuses.items()))
    report.note("Answers", f"{told}; {seen.cut:,} connections lost, and asked again at the other server")
    report.note(
        "Answers",
        f"{found.answers:,} answers, {found.events:,} events, {played.rounds:,} rounds, {played.hints:,} hints",
    )
    for said in [*seen.errors, *wrong][:20]:
        report.note("Errors", " ".join(str(said).split()))


if __name__ == "__main__":
    main()
