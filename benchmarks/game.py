"""A hundred people play at once while processes are killed: `python -m benchmarks.game`.

Simulated players vote, buy hints, like, report, let the time run out and write claims, each as a thread of one of
several processes, in SQLite and in PostgreSQL. Some votes are sent twice, one after the other or at one moment.
Processes are killed with SIGKILL at random moments and started again. Whatever was acknowledged is noted outside of the
database, and looked for in it afterwards: every vote once, nothing lost, the leaderboard as the moves are counted
again, and nothing that a check of the game finds. Then rounds are begun among a hundred thousand claims. Everything is
put into results/game.md.

The rules are the paper's but for the clock, which is short so that many rounds end, and for turns, which are not taken:
a claim is written now and then, not after every vote.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session, configure_mappers

from benchmarks.report import Report
from benchmarks.studio import Clock, Load, Notes, let_work, places, spread
from veritab.errors import Conflict
from veritab.pipeline import Checker
from veritab.settings import Settings
from veritab.studio.database import Database, initialize, open_studio
from veritab.studio.game.games import create_game
from veritab.studio.game.pieces import EvidencePiece, make_pieces
from veritab.studio.game.playing import (
    VoterView,
    begin_round,
    buy_hint,
    cast_vote,
    check_game,
    expire_due,
    find_round,
    leaderboard,
    like_claim,
    report_claim,
    view_of,
)
from veritab.studio.game.records import GameClaimRecord, GameMoveRecord, GameRoundRecord, GameWritingRecord
from veritab.studio.game.rounds import (
    NOT_SURE,
    Move,
    Round,
    RoundMove,
    RoundOutcome,
    RoundSetup,
    Side,
    replay,
)
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState, PointKind
from veritab.studio.game.writing import begin_writing, expire_writings, publish
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import add_member, find_project
from veritab.studio.records import AccountRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role

RESULTS = Path(__file__).parent / "results" / "game.md"
DATABASES = ("SQLite", "PostgreSQL")
SEED = 20
PLAYERS, PROCESSES, SECONDS, KILLS = 100, 4, 120, 6
PAUSE = 1.0
"""Seconds between two steps of a player, on average; people take several times as long."""
CLAIMS, MANY_CLAIMS = 4_000, 100_000
RULES = Rules().changed({"vote_seconds": 20, "hint_seconds": 3, "writing_points": 5, "takes_turns": False})
NAME = "load"
_WRITES, _REPORTS, _LEAVES, _LIKES, _LOOKS = 0.05, 0.03, 0.02, 0.7, 0.1
"""The shares of turns that write, of rounds that are reported or left alone, and of those that end with more."""
_AGAIN = 0.1
"""The share of votes that are sent twice, half of them at one moment."""


class GameTable(NamedTuple):
    """A game that people play."""

    place: str
    players: Sequence[int]
    """The accounts that play."""
    digest: str


# -- the game ----------------------------------------------------------------------------------------------


def open_checker() -> Checker:
    """The bundled corpus, without models: nobody asks the checker for an answer."""
    return Checker.open(None, Settings().replaced({"verify.model": "none", "select.model": "none"}))


def prepare(place: str, players: int, claims: int, digest: str) -> GameTable:
    """A game with people who may play it, and claims of nobody that they meet from the beginning."""
    initialize(place)
    database, now, accounts = open_studio(place), time.time(), list[int]()
    with database.writing() as session:
        project = create_game(session, NAME, corpus_digest=digest, rules=RULES, seed=SEED, now=now)
        for number in range(players):
            account = AccountRecord(name=f"player-{number}", made_at=now)
            session.add(account)
            session.flush()
            member = add_member(session, project, account.id, Role.ANNOTATOR, now=now, stage=MemberStage.APPROVED)
            member.consented_at = now
            accounts.append(account.id)
        for start in range(0, claims, 5_000):
            numbers = range(start, min(start + 5_000, claims))
            session.execute(insert(GameClaimRecord), [_claim(project, number, now) for number in numbers])
    database.close()
    return GameTable(place, accounts, digest)


def _claim(project: ProjectRecord, number: int, now: float) -> dict[str, Any]:
    hints = [EvidencePiece(f"River {number} has {each} bridges.").as_dict() for each in range(10)]
    return {
        "project_id": project.id,
        "text": f"River {number} is longer than {number} km.",
        "truth": number % 2 == 0,
        "page": f"River {number}",
        "topic": f"Topic {number // 2 % 40}",
        "gold": {"pieces": [EvidencePiece(f"River {number} is {number} km long.").as_dict()]},
        "hints": {"pieces": hints},
        "state": GameClaimState.PLAYING.value,
        "tags": {},
        "checker": {},
        "source": {},
        "made_at": now,
    }


# -- somebody who plays ------------------------------------------------------------------------------------


class Player:
    """Somebody who plays round after round, and now and then writes a claim."""

    def __init__(
        self, database: Database, table: GameTable, checker: Checker, account: int, notes: Notes, pause: float
    ) -> None:
        self._database, self._table, self._checker = database, table, checker
        self._account, self._notes, self._pause = account, notes, pause
        self._rng = random.Random(f"{os.getpid()} {account}")

    def play_until(self, end: float) -> None:
        """Play; what is begun is finished."""
        while time.time() < end:
            if self._rng.random() < _WRITES:
                self._write()
            else:
                self._vote()
            if self._rng.random() < _LOOKS:
                self._ask("leaderboard", lambda session: leaderboard(session, self._project(session)), writes=False)

    def _vote(self) -> None:
        rng = self._rng
        record = self._ask("begin", self._begin)
        if record is None:
            return
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            self._move("hint", record, buy_hint, rng.choice(list(Side)))
        if not isinstance(self._look(record), VoterView):
            return  # the time was over before the vote
        side = rng.choice(list(Side))
        if rng.random() < _REPORTS:
            self._move("report", record, report_claim, side, reason=ClaimFault.INCORRECT)
            return
        if rng.random() < _LEAVES:
            time.sleep(max(0.0, record.deadline + 0.1 - time.time()))
        self._cast(record, side)
        self._look(record)
        if rng.random() < _LIKES:
            self._move("like", record, like_claim, rng.choice([*map(str, Side), NOT_SURE]))

    def _cast(self, record: GameRoundRecord, side: Side) -> None:
        """Vote, now and then twice."""
        again = self._rng.random()
        if again < _AGAIN / 2:
            other = threading.Thread(target=self._move, args=("vote", record, cast_vote, side))
            other.start()
            self._move("vote", record, cast_vote, side)
            other.join()
            return
        for _ in range(2 if again < _AGAIN else 1):
            self._move("vote", record, cast_vote, side)

    def _write(self) -> None:
        def begin(session: Session) -> Any:
            project, now = self._project(session), _now()
            return begin_writing(session, project, self._account, "", checker=self._checker, rng=self._rng, now=now)

        writing = self._ask("begin writing", begin)
        if writing is None:
            return
        page = self._checker.store.page(writing.page)
        piece = self._rng.choice(make_pieces(page))
        text = f"{page.title} is what {self._rng.getrandbits(40):x} is about."

        def send(session: Session) -> int:
            found = session.get_one(GameWritingRecord, writing.id)
            return publish(session, found, text, [str(piece.ids[0])], checker=self._checker, now=_now()).id

        self._ask("publish", send)

    def _begin(self, session: Session) -> GameRoundRecord:
        return begin_round(
            session,
            self._project(session),
            self._account,
            self._rng.choice(("", "", f"Topic {self._rng.randrange(40)}")),
            rng=self._rng,
            digest=self._table.digest,
            now=_now(),
        )

    def _look(self, record: GameRoundRecord) -> Any:
        def look(session: Session) -> Any:
            return view_of(session, session.get_one(GameRoundRecord, record.id), now=_now())

        return self._ask("look", look, writes=False)

    def _move(
        self, kind: str, record: GameRoundRecord, act: Callable[..., Round], value: str, **more: ClaimFault
    ) -> None:
        def move(session: Session) -> Round:
            found = find_round(session, self._project(session), record.id, self._account)
            return act(session, found, value, now=_now(), **more)

        self._ask(kind, move, round=record.id, value=value)

    def _ask(
        self, kind: str, act: Callable[[Session], Any], *, round: int = 0, value: str = "", writes: bool = True
    ) -> Any:
        """What comes of an act, which is noted with what it took; None where it is refused."""
        opened = self._database.writing if writes else self._database.reading
        started = time.perf_counter()
        try:
            with opened() as session:
                said = act(session)
        except Conflict as refusal:
            self._notes.add(f"refused {kind}", time.perf_counter() - started, round, [value], str(refusal))
            said = None
        else:
            taken = time.perf_counter() - started
            late = isinstance(said, Round) and said.outcome is RoundOutcome.TIMED_OUT and kind in ("hint", "vote")
            if kind == "publish":
                round = said
            self._notes.add(f"late {kind}" if late else kind, taken, round, [value])
        time.sleep(self._rng.expovariate(1 / self._pause))
        return said

    def _project(self, session: Session) -> ProjectRecord:
        return find_project(session, NAME)


def _now() -> float:
    return time.time()


def work(table: GameTable, people: Sequence[int], load: Load, notes_path: Path, clock: Clock, _: int) -> None:
    """A process with some of the players, each in a thread, and one that looks for rounds whose time is over."""
    notes, database = Notes(notes_path), open_studio(table.place)
    configure_mappers()
    with open_checker() as checker:
        clock.ready[people[0]] = 1
        while not clock.end.value:
            time.sleep(0.01)
        end = clock.end.value

        def guard(act: Callable[[], None]) -> None:
            try:
                act()
            except Exception:  # whatever somebody is told that they should not be; it is in the results
                notes.add("error", said=traceback.format_exc(limit=-4))

        def expire() -> None:
            while time.time() < end:
                with database.writing() as session:
                    expire_due(session, now=_now())
                    expire_writings(session, now=_now())
                time.sleep(2)

        def play(person: int) -> None:
            Player(database, table, checker, table.players[person], notes, load.pause).play_until(end)

        acts: list[Callable[[], None]] = [lambda person=person: play(person) for person in people]  # type: ignore[misc]
        threads = [threading.Thread(target=guard, args=(act,)) for act in [*acts, expire]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    notes.add("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    database.close()


class PlayNotes(NamedTuple):
    """What the players noted."""

    seconds: dict[str, list[float]]
    """By what was asked, what each answer took."""
    moves: dict[str, Counter[tuple[int, str]]]
    """By kind, how often each move of a round, with its side, was acknowledged."""
    claims: set[int]
    refusals: Counter[str]
    errors: list[str]
    megabytes: float
    kills: int


def run(table: GameTable, load: Load) -> PlayNotes:
    """Let everybody play, kill a process now and then, and gather what was noted."""
    folder = Path(tempfile.mkdtemp(prefix="veritab-game-"))
    try:
        killed, megabytes = let_work(table, load, folder / "notes", work)
        return _read_notes(folder / "notes", killed, megabytes)
    finally:
        shutil.rmtree(folder)


def _read_notes(path: Path, kills: int, megabytes: float) -> PlayNotes:
    noted = PlayNotes(defaultdict(list), defaultdict(Counter), set(), Counter(), [], megabytes, kills)
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, seconds, round, values, said = json.loads(line)
        if kind == "memory":
            noted = noted._replace(megabytes=max(noted.megabytes, seconds))
        elif kind == "error":
            noted.errors.append(said)
        elif kind.startswith("refused "):
            noted.refusals[f"{kind.removeprefix('refused ')}: {said}"] += 1
        else:
            noted.seconds[kind].append(seconds)
            if kind == "publish":
                noted.claims.add(round)
            elif round:
                noted.moves[kind][round, values[0]] += 1
    return noted


# -- what is in the database afterwards --------------------------------------------------------------------


class PlayAudit(NamedTuple):
    """What is wrong in the database, by what was promised."""

    lost_moves: list[tuple[str, int, str]]
    """Acknowledged, and not there as often as it should be."""
    doubled_votes: list[int]
    lost_claims: list[int]
    wrong_standings: list[str]
    problems: list[str]
    votes: int
    hints: int
    rounds: int
    claims: int

    @property
    def wrong(self) -> int:
        return sum(len(each) for each in self[:5])


def audit(database: Database, noted: PlayNotes) -> PlayAudit:
    """Compare what was acknowledged with what the database holds, and the points with the moves."""
    with database.reading() as session:
        project = find_project(session, NAME)
        moves = defaultdict[str, Counter[tuple[int, str]]](Counter)
        for kind, round, value in session.execute(
            select(GameMoveRecord.move, GameMoveRecord.round_id, GameMoveRecord.value)
        ):
            moves[kind][round, value] += 1
        votes = Counter(round for round, _ in moves["vote"].elements())
        claims = set(session.scalars(select(GameClaimRecord.id).where(GameClaimRecord.author_id.is_not(None))))
        lost = [
            (kind, *move)
            for kind in ("hint", "vote", "like", "report")
            for move, times in noted.moves[kind].items()
            if moves[kind][move] < (times if kind == "hint" else 1)
        ]
        return PlayAudit(
            lost_moves=lost,
            doubled_votes=[round for round, times in votes.items() if times > 1],
            lost_claims=sorted(noted.claims - claims),
            wrong_standings=_wrong_standings(session, project),
            problems=[str(problem) for problem in check_game(session, project)],
            votes=votes.total(),
            hints=moves["hint"].total(),
            rounds=moves["open"].total(),
            claims=len(claims),
        )


def count_overdue(database: Database) -> int:
    """How many rounds are open whose time is over."""
    open_ones = select(func.count()).where(GameRoundRecord.outcome == RoundOutcome.OPEN.value)
    with database.reading() as session:
        return session.scalar(open_ones.where(GameRoundRecord.deadline < _now() - 2)) or 0


def _wrong_standings(session: Session, project: ProjectRecord) -> list[str]:
    """Whose line of the leaderboard is not what the moves come to, counted here from the beginning."""
    counted, wrong = defaultdict[int, Counter[PointKind]](Counter), list[str]()
    authors = dict(session.execute(select(GameClaimRecord.id, GameClaimRecord.author_id)).all())
    moves = defaultdict[int, list[RoundMove]](list)
    columns = GameMoveRecord.round_id, GameMoveRecord.move, GameMoveRecord.at, GameMoveRecord.value
    for round, move, at, value in session.execute(select(*columns).order_by(columns[0], GameMoveRecord.sequence)):
        moves[round].append(RoundMove(Move(move), at, value))
    for record in session.scalars(select(GameRoundRecord).where(GameRoundRecord.account_id.is_not(None))):
        try:
            played = replay(RoundSetup.parse(record.setup), moves[record.id])
        except Conflict as refusal:
            wrong.append(f"round {record.id}: {refusal}")
            continue
        sides = {Side.LEFT: authors[record.left_id], Side.RIGHT: authors[record.right_id]}
        false = played.setup.false_side
        counted[record.account_id or 0][PointKind.VOTING] += played.points.voter
        counted[sides[false] or 0][PointKind.FOOLING] += played.points.false_author
        counted[sides[false.other] or 0][PointKind.FOOLING] += played.points.true_author
        if played.liked in set(Side):
            counted[sides[Side(played.liked)] or 0][PointKind.LIKES] += played.setup.rules.like_points
    for author in filter(None, authors.values()):
        counted[author][PointKind.WRITING] += RULES.writing_points
    shown = {row.account_id: row for row in leaderboard(session, project, most=1_000_000)}
    for account in (shown.keys() | counted.keys()) - {0}:
        wanted = tuple(counted[account][kind] for kind in PointKind)
        found = tuple(shown[account][2:6]) if account in shown else (0,) * len(wanted)
        if wanted != found:
            wrong.append(f"account {account}: shown {found}, counted {wanted}")
    return wrong


# -- among many claims -------------------------------------------------------------------------------------


def begin_among_many(table: GameTable, times: int = 400) -> tuple[list[float], float]:
    """Begin a round again and again, one after the other, in a process of its own: what each took, and the memory."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    process = context.Process(target=_begin_often, args=(table, times, theirs))
    process.start()
    theirs.close()  # so that the end of the process is seen
    told: tuple[list[float], float] = ours.recv()
    process.join()
    return told


def _begin_often(table: GameTable, times: int, parent: Any) -> None:
    database, seconds, rng = open_studio(table.place), list[float](), random.Random(SEED)
    for number in range(times):
        account, topic = table.players[number % len(table.players)], rng.choice(("", f"Topic {rng.randrange(40)}"))
        with database.writing() as session:
            project = find_project(session, NAME)
            started = time.perf_counter()
            record = begin_round(session, project, account, topic, rng=rng, digest=table.digest, now=_now())
            seconds.append(time.perf_counter() - started)
            cast_vote(session, record, Side.LEFT, now=_now())
    parent.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    database.close()


# -- everything --------------------------------------------------------------------------------------------


def main() -> None:
    """Load the databases, look at what they hold, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--players", type=int, default=PLAYERS)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--pause", type=float, default=PAUSE)
    parser.add_argument("--many", type=int, default=MANY_CLAIMS, help="claims among which rounds are begun")
    parser.add_argument("--sqlite", action="store_true", help="SQLite alone; nothing is written")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL alone; nothing is written")
    given = parser.parse_args()
    load = Load(given.players, given.processes, given.seconds, given.kills, given.pause)
    chosen = [kind for kind, alone in zip(DATABASES, (given.sqlite, given.postgres), strict=True) if alone]
    report = Report("The game under load", "python -m benchmarks.game")
    times = [["database", "asked for", "times", "p50 ms", "p99 ms", "longest ms"]]
    before, outcomes = os.getloadavg()[0], dict[str, tuple[PlayNotes, PlayAudit]]()
    with open_checker() as checker:
        digest = corpus_digest(checker)
    with places() as make:
        for kind in chosen or DATABASES:
            table = prepare(make(kind, "load"), load.people, CLAIMS, digest)
            noted = run(table, load)
            database = open_studio(table.place)
            outcomes[kind] = noted, audit(database, noted)
            database.close()
            times += [[kind, what, *spread(noted.seconds[what])] for what in sorted(noted.seconds)]
            seconds, megabytes = begin_among_many(prepare(make(kind, "many"), load.people, given.many, digest))
            times.append([kind, f"begin among {given.many:,} claims, alone", *spread(seconds)])
            report.note("Memory", f"{kind}, among {given.many:,} claims: {megabytes:,.0f} MB")
    report.table("Times", times)
    busy = f"the machine's own load was {before:.1f} before and {os.getloadavg()[2]:.1f} over the last 15 minutes"
    report.note("Load", busy)
    for kind, (noted, found) in outcomes.items():
        tell(report, kind, load, noted, found)
    if not chosen:
        report.write(RESULTS)
    if any(found.wrong or noted.errors for noted, found in outcomes.values()):
        raise SystemExit("a promise is broken")


def tell(report: Report, kind: str, load: Load, noted: PlayNotes, found: PlayAudit) -> None:
    """What was promised of the load in one database, and what came of it."""
    many = f"{load.people} players, {load.seconds:g} s, {load.pause:g} s between two steps"
    many += f", {noted.kills} x kill -9 of one of {load.processes} processes"
    done = f"{found.rounds:,} rounds, {found.votes:,} votes, {found.hints:,} hints, {found.claims:,} claims written"
    report.note("Load", f"{kind}: {many}: {done}; {noted.megabytes:,.0f} MB")
    for refusal, count in sorted(noted.refusals.items()):
        report.note("Refusals", f"{kind}: {count:,} x {refusal}")
    for error in noted.errors:
        report.note("Errors", f"{kind}: {' '.join(error.split())}")
    for problem in [*found.wrong_standings, *found.problems][:20]:
        report.note("Problems", f"{kind}: {problem}")
    votes, again = noted.moves["vote"], noted.moves["vote"].total() - len(noted.moves["vote"])
    lost = [move for move in found.lost_moves if move[0] == "vote"]
    others = sum(len(noted.moves[move]) for move in ("hint", "like", "report")) + len(noted.claims)
    lost_others = len(found.lost_moves) - len(lost) + len(found.lost_claims)
    promises = {
        "every vote once": (
            f"{len(votes):,} acknowledged, {again} of them twice, {len(lost)} lost, {len(found.doubled_votes)} doubled",
            len(lost) + len(found.doubled_votes),
        ),
        "every hint, like, report and claim kept": (f"{others:,} acknowledged, {lost_others} lost", lost_others),
        "the leaderboard is a recount of the moves": (
            f"{len(found.wrong_standings)} lines differ",
            len(found.wrong_standings),
        ),
        "the check of the game finds nothing": (f"{len(found.problems)} problems", len(found.problems)),
        "nobody is told of an error": (f"{len(noted.errors)}", len(noted.errors)),
    }
    for promise, (measured, wrong) in promises.items():
        report.promise(f"{kind}: {promise}", measured, "none", kept=not wrong)


if __name__ == "__main__":
    main()
