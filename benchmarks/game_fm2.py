"""Fool Me Twice's dev claims are imported, played and exported, in both databases: `python -m benchmarks.game_fm2`.

Needs fm2/dev (VERITAB_DATA). What goes out before anybody plays must be the file itself, record by record and key by
key, but for the gold after the tenth retrieved passage, and its very lines with --as-published. Then simulated players
vote, like, buy hints and let time run out; every vote and like is noted outside of the database, and what goes out
afterwards must differ from before by these alone. The game's figures stand beside the paper's in results/game-fm2.md.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import Report
from benchmarks.studio import places
from veritab.audit.audit_rows import audit_rows
from veritab.audit.votes import vote_statistics
from veritab.datasets import load
from veritab.studio.database import Database, initialize, open_studio
from veritab.studio.figures import FigureRow
from veritab.studio.game.exchange.exporting import export_game
from veritab.studio.game.exchange.importing import import_fm2
from veritab.studio.game.exchange.playing_time import playing_time
from veritab.studio.game.games import create_game
from veritab.studio.game.learned.measuring import GameFigures
from veritab.studio.game.learned.reading import read_game
from veritab.studio.game.learned.report import game_rows
from veritab.studio.game.playing import begin_round, buy_hint, cast_vote, check_game, expire_due, like_claim
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundSetup, Side
from veritab.studio.game.rules import Rules
from veritab.studio.projects import add_member
from veritab.studio.records import AccountRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role
from veritab.text import squeeze

RESULTS = Path(__file__).parent / "results" / "game-fm2.md"
DATABASES = ("SQLite", "PostgreSQL")
ROUNDS, PLAYERS, SEED = 400, 40, 20
_BEGUN = 1_760_000_000.0
_SPOTS, _LIKES, _LEAVES = 0.8, 0.6, 0.05
"""The shares of rounds in which the false claim is found, a claim is liked, and nobody votes."""
_GROUPS = ("The game", "Fooled", "Judged rightly", "Likes a vote, true claims and false ones")
_Counts = Counter[tuple[str, str]]


def main() -> None:
    report = Report("Fool Me Twice in the game", "python -m benchmarks.game_fm2")
    path = load("fm2/dev").path
    with tempfile.TemporaryDirectory() as folder, places() as make:
        for name in DATABASES:
            place = make(name, "fm2")
            initialize(place)
            database = open_studio(place)
            _run(report, name, database, path, Path(folder) / name)
            database.close()
    report.write(RESULTS)


def _run(report: Report, name: str, database: Database, path: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    original = [json.loads(line) for line in _lines(path)]
    with database.writing() as session:
        game = create_game(session, "fm2", corpus_digest="none", rules=Rules(takes_turns=False), seed=SEED, now=_BEGUN)
    begun = time.perf_counter()
    with database.writing() as session:
        imported = import_fm2(session, game, path, now=_BEGUN, by=None)
    report.note("Seconds", f"{name}: import {time.perf_counter() - begun:.1f}")
    report.promise(
        f"{name}: claims imported, true ones, right votes",
        f"{imported.claims:,}, {imported.true:,}, {imported.right_votes:,} of {imported.votes:,}",
        "1,169, 596, 1,935 of 2,402",
        kept=imported[:2] == (1169, 596) and imported[3:5] == (2402, 1935),
    )
    before = _export(database, game, folder / "before.jsonl")
    equal = sum([*one.items()] == [*_without_leak(other).items()] for one, other in zip(before, original, strict=True))
    cut = sum(one != other for one, other in zip(before, original, strict=True))
    report.promise(
        f"{name}: records that go out equal, keys in order, but for the leak ({cut:,} have it)",
        f"{equal:,}", f"{len(original):,}", kept=equal == len(original),
    )  # fmt: skip
    export_game(database, game, folder / "published.jsonl", as_published=True)
    same = (folder / "published.jsonl").read_bytes().splitlines() == _lines(path)
    report.promise(f"{name}: --as-published is the file, line by line", str(same).lower(), "true", kept=same)
    figures = _figures(database, game)
    expected = _play(report, name, database, game)
    after = _export(database, game, folder / "after.jsonl")
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    explained = sum(
        [*other.items()] == [*_with_counts(one, expected).items()] for one, other in zip(before, after, strict=True)
    )
    report.promise(
        f"{name}: records that go out after play as before, with what was noted added ({changed:,} changed)",
        f"{explained:,}", f"{len(before):,}", kept=explained == len(before),
    )  # fmt: skip
    with database.reading() as session:
        problems, played = list(check_game(session, game)), list(playing_time(session, game))
    report.promise(f"{name}: what a check of the game finds", f"{len(problems)}", "0", kept=not problems)
    people = {day.account for day in played}
    report.note("Playing time", f"{name}: {sum(day.seconds for day in played):,} s of {len(people)} accounts")
    if name == DATABASES[0]:
        _tell_figures(report, figures, _figures(database, game), path)


def _lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()


def _export(database: Database, game: ProjectRecord, into: Path) -> list[dict[str, Any]]:
    export_game(database, game, into)
    return [json.loads(line) for line in into.read_bytes().splitlines()]


def _without_leak(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without gold after the tenth passage, cut here in other words than those under test."""
    gold = [squeeze(piece["text"]) for piece in record["gold_evidence"]]
    kept = [
        piece
        for place, piece in enumerate(record["retrieved_evidence"])
        if not (place >= 10 and squeeze(piece["text"]) in gold)
    ]
    return {**record, "retrieved_evidence": kept}


def _with_counts(record: Mapping[str, Any], added: _Counts) -> dict[str, Any]:
    counts = ("correct_votes", "total_likes", "total_votes")
    return {key: value + added[record["id"], key] if key in counts else value for key, value in record.items()}


# -- play --------------------------------------------------------------------------------------------------


def _play(report: Report, name: str, database: Database, game: ProjectRecord) -> _Counts:
    """People play; what they did to which claims."""
    rng, now = random.Random(SEED), _BEGUN + 3600
    with database.writing() as session:
        accounts = [_add_player(session, game, number) for number in range(PLAYERS)]
    added: _Counts = Counter()
    begun, left, waits = time.perf_counter(), 0, list[float]()
    for number in range(ROUNDS):
        now += 200  # whoever left the round before has run out of time
        with database.writing() as session:
            left += expire_due(session, now=now)
        with database.writing() as session:
            asked = time.perf_counter()
            record = begin_round(session, game, accounts[number % PLAYERS], "", rng=rng, digest="none", now=now)
            waits.append(time.perf_counter() - asked)
        if rng.random() >= _LEAVES:
            with database.writing() as session:
                _play_round(session, session.get_one(GameRoundRecord, record.id), rng, now, added)
    with database.writing() as session:
        left += expire_due(session, now=now + 200)
    waits.sort()
    report.note(
        "Seconds",
        f"{name}: {ROUNDS} rounds {time.perf_counter() - begun:.1f}, of which {left} timed out; to begin one "
        f"{1000 * waits[len(waits) // 2]:.0f} ms at the median, {1000 * waits[-len(waits) // 100]:.0f} ms at the 99th "
        "percentile",
    )
    return added


def _add_player(session: Any, game: ProjectRecord, number: int) -> int:
    account = AccountRecord(name=f"player-{number}", made_at=_BEGUN)
    session.add(account)
    session.flush()
    add_member(session, game, account.id, Role.ANNOTATOR, now=_BEGUN, stage=MemberStage.APPROVED)
    return account.id


def _play_round(session: Any, record: GameRoundRecord, rng: random.Random, now: float, added: _Counts) -> None:
    ids = [session.get_one(GameClaimRecord, id).source_id for id in (record.left_id, record.right_id)]
    false = RoundSetup.parse(record.setup).false_side
    for _ in range(rng.choice((0, 0, 1, 2))):
        now += 10
        buy_hint(session, record, rng.choice([*Side]), now=now)
    spots = rng.random() < _SPOTS
    cast_vote(session, record, false if spots else false.other, now=now + 15)
    for id in ids:
        added[id, "total_votes"] += 1
        added[id, "correct_votes"] += spots
    if rng.random() < _LIKES:
        side = rng.choice([*Side])
        like_claim(session, record, side.value, now=now + 20)
        added[ids[0 if side is Side.LEFT else 1], "total_likes"] += 1


# -- figures -----------------------------------------------------------------------------------------------


def _figures(database: Database, game: ProjectRecord) -> GameFigures:
    with database.reading() as session:
        return read_game(session, game)


def _tell_figures(report: Report, before: GameFigures, after: GameFigures, path: Path) -> None:
    audited = vote_statistics(list(audit_rows(load(path))))
    assert audited is not None
    measured = before.claims, before.unvoted, before.votes, before.fooled.overall.value, before.posterior.misjudged
    same = measured == (audited.claims, audited.unvoted, audited.votes, audited.fooled.value, audited.misleading)
    report.promise("figures of the game as an audit of the file has them", str(same).lower(), "true", kept=same)
    report.promise(
        "claims without a vote; expected below one half",
        f"{before.unvoted}; {before.posterior.misjudged}", "585; 2", kept=measured[1::3] == (585, 2),
    )  # fmt: skip
    rows = [["", "figure", "imported", f"after {ROUNDS} simulated rounds", "paper, whole set"]]
    played = {(row.group, row.name): row for row in game_rows(after)}
    for row in _chosen(game_rows(before)):
        rows.append([row.group, row.name, row.value, played[row.group, row.name].value, row.published or "–"])
    report.table("Figures beside the paper's", rows)


def _chosen(rows: Sequence[FigureRow]) -> list[FigureRow]:
    return [row for row in rows if row.group in _GROUPS and not row.name.startswith("author")]


if __name__ == "__main__":
    main()
