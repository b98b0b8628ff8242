"""How much memory and time an export of a studio takes, by its size, in both databases; backup and restore beside it.

    python -m benchmarks.studio_export [--annotations 50000]

A studio is made up: claims with two evidence sets each, every tenth with two answers. It is exported whole and, to see
what grows with it, once with a twentieth of it; every export is a process of its own, whose largest resident memory
is taken. The studio comes into PostgreSQL through its backup.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session
from tests.studio.postgres import running_postgres

from benchmarks.report import Report
from veritab.studio.database import initialize, open_studio
from veritab.studio.exchange.exporting import export
from veritab.studio.projects import ProjectSettings, Workflow, create_project, find_project
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    EvidenceRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.upkeep import backup, check_studio, restore

RESULTS = Path(__file__).parent / "results" / "studio-export.md"
FORMATS = ("feverous", "fever", "label-studio", "parquet")
_NOW = 1_700_000_000.0
_PART = 20
_MOST_GROWTH = 16.0
_EVERY_TWICE = 10
_PEOPLE = 100
_BATCH = 2000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotations", type=int, default=50_000)
    parser.add_argument("--export", nargs=3, metavar=("PLACE", "FORMAT", "INTO"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.export:
        _export(*options.export)
    else:
        _measure(options.annotations)


def _measure(annotations: int) -> None:
    report = Report("Exports of a studio", "python -m benchmarks.studio_export")
    with tempfile.TemporaryDirectory() as folder, running_postgres() as server:
        places: dict[int, dict[str, str]] = {}
        for size in (annotations // _PART, annotations):
            sqlite = Path(folder) / str(size)
            _time(report, f"making {size:,} annotations up", fill_studio, sqlite, size)
            places[size] = {"SQLite": str(sqlite), "PostgreSQL": _move(report, sqlite, server, size)}
        _check(report, places[annotations])
        rows = [
            ["format", "database", f"MiB at {annotations // _PART:,}", f"MiB at {annotations:,}", "CPU seconds", "MB"]
        ]
        grown = 0.0
        for format in FORMATS:
            for name in ("SQLite", "PostgreSQL"):
                few, many = (_run(places[size][name], format, Path(folder)) for size in places)
                assert many["annotations"] == annotations, many
                grown = max(grown, many["mib"] - few["mib"])
                row = [format, name, f"{few['mib']:.0f}", f"{many['mib']:.0f}", f"{many['seconds']:.0f}"]
                rows.append([*row, f"{many['bytes'] / 1e6:.0f}"])
        report.promise(
            f"memory from {annotations // _PART:,} to {annotations:,} annotations",
            f"{grown:.0f} MiB more at most",
            f"≤ {_MOST_GROWTH:.0f} MiB",
            kept=grown <= _MOST_GROWTH,
        )
        report.table("Largest resident memory of the process, interpreter and libraries included", rows)
    report.write(RESULTS)


def _time(report: Report, what: str, work: Any, *given: Any) -> Any:
    begun = time.perf_counter()
    result = work(*given)
    report.note("Beside it", f"{what}: {time.perf_counter() - begun:.0f} s")
    return result


def _move(report: Report, sqlite: Path, server: str, size: int) -> str:
    """The studio in PostgreSQL, by way of its backup."""
    from sqlalchemy import create_engine, text

    from veritab.studio.database import address_of

    engine = create_engine(address_of(server.format("postgres")), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE studio_{size}"))
    engine.dispose()
    database = open_studio(sqlite)
    kept = sqlite / "studio.backup.gz"
    made = _time(report, f"backup of {size:,} annotations from SQLite", lambda: backup(database, kept, now=_NOW))
    database.close()
    place = server.format(f"studio_{size}")
    _time(report, f"restoring its {made.total:,} rows into PostgreSQL", restore, place, kept)
    return place


def _check(report: Report, places: dict[str, str]) -> None:
    for name, place in places.items():
        database = open_studio(place)
        what = f"checking every annotation against its log, {name}"
        problems = _time(report, what, list, check_studio(database))
        database.close()
        assert not problems, problems[:3]


def _run(place: str, format: str, folder: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=folder) as into:
        command = [sys.executable, "-m", "benchmarks.studio_export", "--export", place, format, f"{into}/out"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _export(place: str, format: str, into: str) -> None:
    database = open_studio(place)
    with database.reading() as session:
        project = find_project(session, "rivers")
    begun = time.process_time()
    report = export(database, project, Path(into), format=format)
    told = {
        "annotations": report.annotations,
        "seconds": time.process_time() - begun,
        "mib": _largest_mib(),
        "bytes": sum(file.stat().st_size for file in report.result.files),
    }
    print(json.dumps(told))


def _largest_mib() -> float:
    # What getrusage tells begins with the memory of whoever started the process.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


# -- a studio that is made up ------------------------------------------------------------------------------


def fill_studio(place: Path, annotations: int) -> None:
    """A studio with so many settled annotations and their logs."""
    initialize(place)
    database = open_studio(place)
    with database.writing() as session:
        project = create_project(
            session,
            "rivers",
            title="Rivers",
            corpus="",
            corpus_digest="x",
            workflow=Workflow.FEVEROUS,
            settings=ProjectSettings(),
            consent="",
            seed=1,
            now=_NOW,
        )
        session.execute(
            insert(AccountRecord), [{"name": f"person-{n}", "made_at": _NOW} for n in range(1, _PEOPLE + 1)]
        )
        _insert(session, project.id, annotations)
    database.close()


def _insert(session: Session, project_id: int, annotations: int) -> None:
    rows = _rows(project_id, annotations)
    while batch := [*islice(rows, _BATCH)]:
        for table in (
            StudioClaimRecord,
            TaskRecord,
            AssignmentRecord,
            EventRecord,
            AnnotationRecord,
            EvidenceRecord,
        ):
            some = [row for kind, row in batch if kind is table]
            if some:
                session.execute(insert(table), some)


def _rows(project_id: int, annotations: int) -> Iterator[tuple[type, dict[str, Any]]]:
    made = claim = 0
    while made < annotations:
        claim += 1
        answers = min(2 if claim % _EVERY_TWICE == 0 else 1, annotations - made)
        text = f"The river number {claim} is {claim % 6_700} km long and flows through {claim % 9 + 1} countries."
        yield StudioClaimRecord, {
            "id": claim, "project_id": project_id, "text": text, "state": "good", "pool": "work", "source": {},
            "made_at": _NOW,
        }  # fmt: skip
        yield TaskRecord, {
            "id": claim, "project_id": project_id, "kind": "feverous-verification", "pool": "work", "claim_id": claim,
            "drawn": {}, "gold": {}, "state": "settled", "wanted": answers, "answers": answers, "made_at": _NOW,
            "settled_at": _NOW,
        }  # fmt: skip
        for answer in range(answers):
            made += 1
            yield from _answer(claim, made, (claim + answer) % _PEOPLE + 1)


def _answer(claim: int, number: int, account: int) -> Iterator[tuple[type, dict[str, Any]]]:
    page = f"River {claim}"
    sets = [[f"{page}_sentence_{n}" for n in range(3)], [f"{page}_sentence_7", f"{page}_sentence_8"]]
    steps = [("start", "start"), ("search", page), ("Now on", page)]
    steps += [("Highlighting", id) for id in sets[0]]
    steps += [("Evidence set", "2"), *(("Highlighting", id) for id in sets[1])]
    steps += [("Write", "verdict=SUPPORTS"), ("Write", "challenge=Other"), ("finish", "finish")]
    yield AssignmentRecord, {
        "id": number, "task_id": claim, "account_id": account, "state": "submitted", "taken_at": _NOW,
        "lease_until": _NOW, "events": len(steps),
    }  # fmt: skip
    for sequence, (operation, value) in enumerate(steps, 1):
        yield EventRecord, {
            "assignment_id": number, "sequence": sequence, "at": _NOW, "seconds": sequence * 3.25,
            "operation": operation, "value": value, "key": str(sequence),
        }  # fmt: skip
    yield AnnotationRecord, {
        "id": number, "assignment_id": number, "task_id": claim, "account_id": account, "revision": 1,
        "label": "SUPPORTS", "challenge": "Other", "fields": {}, "events": len(steps), "seconds": 39.0,
        "suggestion": {}, "submitted_at": _NOW,
    }  # fmt: skip
    for set_number, pieces in enumerate(sets, 1):
        for position, id in enumerate(pieces, 1):
            yield EvidenceRecord, {
                "annotation_id": number, "set_number": set_number, "position": position, "element": id,
            }  # fmt: skip


if __name__ == "__main__":
    main()
