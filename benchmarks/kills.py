"""What is left after SIGKILL at random moments: `python -m benchmarks.kills` puts it into results/robustness.md.

Each scenario is a piece of long work on the pages of the almanac. It is killed at a moment drawn at random from its
whole length, what it left is looked at, the same work is done again to its end, and what can then be found is compared
with what a run finds that nobody killed: every page, and the ranks and scores of every query. One more scenario is one
more line in `SCENARIOS`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import Report
from benchmarks.robustness import KILLS, RESULTS
from veritab.corpus.almanac import PAGES
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.errors import NotFound, StaleIndex
from veritab.retrieve.index import Index, build_index
from veritab.retrieve.preparation import Preparation
from veritab.retrieve.search.matches import Search

SEED = 20
_QUERIES = 40
_HITS = 10
_PATIENCE = 120  # seconds that work which nobody kills may take


class Scenario(NamedTuple):
    """Work to be killed: how its folder begins, the work, where its corpus then lies, and the share of the kills."""

    name: str
    begin: Callable[[Path], None]
    work: Callable[[Path], None]
    corpus: Callable[[Path], Path]
    share: int


# -- the work ----------------------------------------------------------------------------------------------


def begin_with_nothing(folder: Path) -> None:
    folder.mkdir()


def begin_with_pages(folder: Path) -> None:
    """A corpus without an index."""
    shutil.copytree(_made("pages", lambda made: _ingest(made, 1)), folder)


def begin_with_an_old_index(folder: Path) -> None:
    """A corpus that changed after its index was built: some pages are new, some are gone."""
    shutil.copytree(_made("old", _make_old_index), folder)


def ingest(folder: Path) -> None:
    _ingest(folder, 1)


def ingest_with_workers(folder: Path) -> None:
    _ingest(folder, 2)


def index(folder: Path) -> None:
    with Store.open(folder / "corpus") as store:
        for _ in build_index(store):
            pass


def prepare(folder: Path) -> None:
    """Documents that are checked against, made in the cache."""
    os.environ["XDG_CACHE_HOME"] = str(folder)
    for _ in Preparation([PAGES]):
        pass


def _ingest(folder: Path, workers: int, source: Path = PAGES) -> None:
    with Store.create(folder / "corpus") as store:
        for _ in Ingest(store, [source], workers=workers, names=["pages"]):
            pass


def _make_old_index(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as aside:
        for number, page in enumerate(sorted(PAGES.rglob("*.wiki"))):
            if number % 3:
                shutil.copy(page, aside)
        (Path(aside) / "Gone.wiki").write_text("This page is gone by now.")
        _ingest(folder, 1, Path(aside))
    index(folder)
    _ingest(folder, 1)


@cache
def _aside() -> Path:
    return Path(tempfile.mkdtemp(prefix="veritab-kills-"))


def _made(name: str, make: Callable[[Path], None]) -> Path:
    folder = _aside() / name
    if not folder.exists():
        folder.mkdir()
        make(folder)
    return folder


def _in_folder(folder: Path) -> Path:
    return folder / "corpus"


def _in_cache(folder: Path) -> Path:
    """The one corpus of the cache; one that is half made is under another name."""
    found = [path for path in (folder / "veritab" / "documents").glob("*") if path.suffix != ".partial"]
    return found[0] if found else folder / "none"


SCENARIOS = (
    Scenario("ingest", begin_with_nothing, ingest, _in_folder, 30),
    Scenario("ingest with two workers", begin_with_nothing, ingest_with_workers, _in_folder, 10),
    Scenario("index", begin_with_pages, index, _in_folder, 30),
    Scenario("index brought up to date", begin_with_an_old_index, index, _in_folder, 15),
    Scenario("check --against", begin_with_nothing, prepare, _in_cache, 15),
)


# -- what is found -----------------------------------------------------------------------------------------


def queries() -> list[str]:
    """What a reader might ask: some titles, and words of two of them."""
    titles = [path.stem.replace("_", " ") for path in sorted(PAGES.rglob("*.wiki"))]
    chosen = random.Random(SEED).sample(titles, _QUERIES)
    return [*chosen, *(f"{one} {other}" for one, other in zip(chosen, reversed(chosen), strict=True))]


def find_everything(corpus: Path) -> dict[str, Any]:
    """The pages of a corpus by their content, and the ranks and scores of each query."""
    with Store.open(corpus) as store:
        pages = {page.title: hash(page) for page in store.pages()}
    search = Search.open(corpus)
    try:
        ranks = {
            query: [(str(match.element.id), round(match.score, 4)) for match in search.search(query, _HITS)]
            for query in queries()
        }
    finally:
        search.close()
    return {"pages": pages, "ranks": ranks}


def look(corpus: Path, expected: dict[str, Any]) -> str:
    """What a killed run left: nothing that opens, something that says it is unfinished, or everything."""
    try:
        with Store.open(corpus) as store:
            if store.check_integrity():
                return "DAMAGED"
            with Index(store) as opened:
                wrong = opened.check_integrity()
    except NotFound as error:
        return "no index yet" if "index" in str(error) else "no corpus yet"
    except StaleIndex:
        return "said to be unfinished"
    if wrong:
        return "DAMAGED"
    return "whole" if find_everything(corpus) == expected else "OPENS AND IS WRONG"


# -- the kills ---------------------------------------------------------------------------------------------


def start(work: Callable[[Path], None], folder: Path) -> Any:
    """The work in a process of its own, which has everything imported and nothing opened, and has just begun."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    process = context.Process(target=_tell_and_work, args=(theirs, work, folder))
    process.start()
    ours.recv()
    return process


def _tell_and_work(parent: Connection, work: Callable[[Path], None], folder: Path) -> None:
    parent.send("begun")
    work(folder)


def finish(scenario: Scenario, folder: Path) -> dict[str, Any]:
    """Do the work to its end, index what it made, and find everything."""
    for work in dict.fromkeys((scenario.work, *((index,) if scenario.corpus is _in_folder else ()))):
        process = start(work, folder)
        process.join(_PATIENCE)
        if process.exitcode != 0:
            process.kill()
            return {"exit": process.exitcode}
    corpus = scenario.corpus(folder)
    with Store.open(corpus) as store, Index(store) as opened:
        wrong = [*store.check_integrity(), *opened.check_integrity(), *map(str, opened.leftovers())]
    return find_everything(corpus) | ({"wrong": wrong} if wrong else {})


class Outcome(NamedTuple):
    """What came of the kills of one scenario."""

    left: Counter[str]
    too_late: int
    wrong: list[str]


def kill_often(scenario: Scenario, kills: int, chance: random.Random) -> Outcome:
    """Kill the work so many times, each time in a fresh folder."""
    root = Path(tempfile.mkdtemp(prefix="veritab-kills-"))
    try:
        scenario.begin(root / "unkilled")
        process = start(scenario.work, root / "unkilled")
        started = time.monotonic()
        process.join(_PATIENCE)
        length = time.monotonic() - started
        expected = finish(scenario, root / "unkilled")
        outcome = Outcome(Counter(), 0, [])
        while outcome.left.total() < kills:
            folder = root / "killed"
            scenario.begin(folder)
            process = start(scenario.work, folder)
            process.join(chance.uniform(0, length))
            process.kill()
            process.join()
            if process.exitcode == 0:
                outcome = outcome._replace(too_late=outcome.too_late + 1)
            else:
                outcome.left[look(scenario.corpus(folder), expected)] += 1
                found = finish(scenario, folder)
                outcome.wrong.extend(_differences(found, expected))
            shutil.rmtree(folder)
        return outcome
    finally:
        with suppress(OSError):
            shutil.rmtree(root)


def _differences(found: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    for name in found.keys() | expected.keys():
        if found.get(name) != expected.get(name):
            yield f"{name} {found.get(name)}" if name not in ("pages", "ranks") else name


def main() -> None:
    """Kill every scenario its share of times, print the counts and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=sum(each.share for each in SCENARIOS))
    kills = parser.parse_args().kills
    multiprocessing.set_forkserver_preload(["veritab.retrieve.preparation", "veritab.retrieve.search.matches"])
    chance = random.Random(SEED)
    report = Report("Hostile input", "python -m benchmarks.kills")
    rows = [["work", "kills", "left behind", "done again: pages, ranks or files that differ"]]
    total, wrong = 0, 0
    for scenario in SCENARIOS:
        share = max(1, round(scenario.share * kills / sum(each.share for each in SCENARIOS)))
        outcome = kill_often(scenario, share, chance)
        total, wrong = total + share, wrong + len(outcome.wrong) + _bad(outcome.left)
        left = ", ".join(f"{count} {what}" for what, count in outcome.left.most_common())
        rows.append([scenario.name, str(share), left, ", ".join(outcome.wrong) or "none"])
        print(f"  {scenario.name}: {left}; {outcome.too_late} too late; {outcome.wrong}", flush=True)
    rows.append(["all", str(total), "", str(wrong or "none")])
    report.table(KILLS, rows)
    report.write_section(RESULTS, KILLS)
    shutil.rmtree(_aside(), ignore_errors=True)


def _bad(left: Counter[str]) -> int:
    return sum(count for what, count in left.items() if what.isupper())


if __name__ == "__main__":
    main()
