"""What the corpus room promises, measured: `python -m benchmarks.corpus` prints it and writes results/corpus.md.

Needs the public data sets (VERITAB_DATA). Times are compared inside one run and ratios are medians of several, because
machines differ and are never quiet.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.report import Report
from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.sources import ReaderOptions
from veritab.corpus.store import Store
from veritab.corpus.streams import RawRecord
from veritab.corpus.wikipedia import WikipediaReader
from veritab.corpus.wikitext import WikitextReader
from veritab.schema import ElementId, Kind, Page, Table

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "benchmarks" / "results" / "corpus.md"
REPEATS = 5
MEMORY = "Memory"
SPEED = "Speed, run by run"
PAGES = "Pages and problems"


def records(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


# -- against an independent reading ------------------------------------------------------------------------

_COORDINATE = re.compile("[0-9.]+°[0-9.′ ]*[NSEW]")
_NOTE = re.compile(r"\[[^\]]{1,60}\]")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|<URL>")
# Looked up in the pages, one by one.
_LEFT_OUT = "the table lies in a left-out section (Works, Bibliography, External links) or in a navigation box"
_PICTURE = "the other reading takes captions and descriptions of pictures in a cell for its text"
_SORT_KEY = "the other reading keeps hidden sort keys, or joins the hidden part of a collapsed box"
_EXPLAINED = {
    "Max Aitken, Lord Beaverbrook": _LEFT_OUT,
    "Kodava Hockey Festival": _LEFT_OUT,
    "Bulldog Drummond": _LEFT_OUT,
    "Zane Grey": _LEFT_OUT,
    "René Follet": _LEFT_OUT,
    "Asafa Powell": _PICTURE,
    "List of airlines of Russia": _PICTURE,
    "List of tallest buildings in Boise": _PICTURE,
    "California Western Railroad": _PICTURE,
    "Lori Chalupny": _PICTURE,
    "2003–04 Rangers F.C. season": _PICTURE,
    "1987–88 Luton Town F.C. season": _SORT_KEY,
    "Main Railway": _SORT_KEY,
    "Australia women's national association football team": _SORT_KEY,
}


def folded(text: str) -> str:
    """A cell's text without what the two readings write differently on purpose.

    Theirs gives coordinates in two forms where the page shows one, and keeps notes ("[citation needed]") and addresses.
    """
    text = _ADDRESS.sub("", _NOTE.sub("", _COORDINATE.sub("", unicodedata.normalize("NFKC", text))))
    return re.sub(r"\W", "", text.lower())


def cells_of(table: Table) -> Counter[str]:
    texts = (folded(table.text(row, column)) for row, line in enumerate(table.places) for column in range(len(line)))
    return Counter(filter(None, texts))


def grids(report: Report) -> None:
    """Our grids against the tables that WikiTableQuestions extracted from the same pages."""
    theirs = {record["table_id"]: record for record in records("wikitablequestions/tables")}
    reader = WikipediaReader()
    same = total = 0
    differing: dict[str, list[str]] = {}
    for record in records("wiki/pages_html"):
        (page,) = [one for one in reader.page(record["html"].encode(), record["title"]) if isinstance(one, Page)]
        table = theirs["csv/" + record["page"].replace("-page/", "-csv/") + ".csv"]
        wanted = Counter(filter(None, (folded(cell) for row in table["rows"] for cell in row)))
        missing = min((sum((wanted - cells_of(ours)).values()) for ours in page.tables), default=sum(wanted.values()))
        total += 1
        same += not missing
        if missing:
            why = _EXPLAINED.get(record["title"], "unexplained")
            differing.setdefault(why, []).append(f"*{record['title']}* ({missing} of {sum(wanted.values())} cells)")
    measured = f"{same:,} of {total:,} = {same / total:.2%}"
    report.promise(
        "tables with the same cells as an independent reading", measured, "≥ 98 %", kept=same / total >= 0.98
    )
    for why, titles in differing.items():
        report.note("Tables that differ, and why", f"{why}: {'; '.join(titles)}")


# -- every page ingests, and nothing of its machinery survives ---------------------------------------------

_LEFTOVERS = {
    "[edit]": re.compile(r"\[\s*edit\s*\]", re.IGNORECASE),
    "[12]": re.compile(r"(?<![\w(])\[\s*\d{1,3}\s*\]"),
    "style text": re.compile(r"\{[^{}]*:[^{}]*;[^{}]*\}|mw-parser-output|@media|font-size\s*:"),
}


def ingest(source: Path | list[Path], into: Path, **options: bool) -> IngestReport:
    with Store.create(into) as store:
        work = Ingest(
            store, source if isinstance(source, list) else [source], options=ReaderOptions(**options), workers=2
        )
        for _ in work:
            pass
    return work.report


def cleanliness(report: Report, source: Path, work: Path) -> None:
    done = ingest(source, work / "clean")
    total = sum(1 for _ in records("wiki/pages_html"))
    report.promise(
        "pages that ingest (flagged ones kept)", f"{done.pages:,} of {total:,}", "all", kept=done.pages == total
    )
    kinds: Counter[Kind] = Counter()
    left: Counter[str] = Counter({"empty sentences": 0, **dict.fromkeys(_LEFTOVERS, 0)})
    samples = []
    with Store.open(work / "clean") as store:
        for page in store.pages():
            for element in page.elements:
                kinds[element.kind] += 1
                left["empty sentences"] += element.kind is Kind.SENTENCE and not element.text
                for name, pattern in _LEFTOVERS.items():
                    if element.kind is Kind.SENTENCE and pattern.search(element.text):
                        left[name] += 1
                        samples.append(f"{element.id}: {element.text[:100]!r}")
    measured = ", ".join(f"{name} {count}" for name, count in left.items())
    report.promise("what must not survive in sentences", measured, "0 each", kept=not any(left.values()))
    for sample in samples[:10]:
        report.note(PAGES, f"left over: {sample}")
    report.note(PAGES, "Elements: " + ", ".join(f"{kinds[kind]:,} {kind}" for kind in Kind if kinds[kind]) + ".")
    report.note(PAGES, f"{done.pages:,} records give {kinds[Kind.TITLE]:,} pages: some titles come twice.")
    report.note(PAGES, f"Problems: {_listed(done.problem_counts)}.")
    dropped = ingest(source, work / "dropped", drop_flagged=True)
    report.note(PAGES, f"Without flagged ones {dropped.pages:,} are left; problems: {_listed(dropped.problem_counts)}.")


def _listed(problems: Mapping[str, int]) -> str:
    return "; ".join(f"{count:,} × {what}" for what, count in problems.items()) or "none"


# -- speed and memory --------------------------------------------------------------------------------------

_BARE = """
import json, os, sys, time
os.sched_setaffinity(0, {0})
import lxml.html
pages = [json.loads(line)["html"].encode() for line in open(sys.argv[1], encoding="utf-8")]
started = time.perf_counter()
for page in pages:
    lxml.html.fromstring(page)
print(time.perf_counter() - started)
"""
_WHOLE = """
import os, resource, sys, time
from pathlib import Path
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
if __name__ == "__main__":
    source, into, workers, cores = sys.argv[1:5]
    if cores == "1":
        os.sched_setaffinity(0, {0})
    started = time.perf_counter()
    with Store.create(Path(into)) as store:
        for _ in Ingest(store, [Path(source)], workers=int(workers)):
            pass
    # What getrusage says of a process itself begins with what its parent had; the kernel's own record does not.
    own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(time.perf_counter() - started, own / 1024, workers / 1024)
"""


def run(program: str, *words: object) -> list[float]:
    """The numbers a program prints, run in a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([sys.executable, file.name, *map(str, words)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def speed(report: Report, source: Path, work: Path) -> None:
    """JSON lines on disk to a committed store, against parsing the same HTML and throwing it away."""
    ratios, gains = [], []
    for n in range(REPEATS):
        bare = run(_BARE, source)[0]
        whole = run(_WHOLE, source, work / f"whole-{n}", 1, 1)[0]
        one = run(_WHOLE, source, work / f"one-{n}", 1, 2)[0]
        two = run(_WHOLE, source, work / f"two-{n}", 2, 2)[0]
        ratios.append(whole / bare)
        gains.append(one / two)
        report.note(
            SPEED,
            f"bare parse {bare:.2f} s, whole ingestion on one core {whole:.2f} s ({ratios[-1]:.2f} times); "
            f"on two cores one worker {one:.2f} s, two workers {two:.2f} s ({gains[-1]:.2f} times)",
        )
    ratio, gain = statistics.median(ratios), statistics.median(gains)
    report.promise("whole ingestion / bare lxml.html parse, one core", f"{ratio:.2f}", "≤ 3", kept=ratio <= 3)
    report.promise("two workers / one worker", f"{gain:.2f}", "≥ 1.7", kept=gain >= 1.7)


def memory(report: Report, source: Path, work: Path) -> None:
    """The dump, and one ten times larger: the same pages under other titles, so that none is skipped as known."""
    large = work / "large.jsonl"
    with large.open("w", encoding="utf-8") as file:
        for copy in range(10):
            with source.open(encoding="utf-8") as lines:
                for line in lines:
                    record = json.loads(line)
                    file.write(json.dumps(record | {"title": f"{record['title']} ({copy})"}, ensure_ascii=False) + "\n")
    for name, path in (("the dump", source), ("one ten times larger", large)):
        seconds, writer, worker = run(_WHOLE, path, work / f"memory-{path.stem}", 2, 2)
        size = path.stat().st_size / 2**20
        report.note(
            MEMORY, f"{name}: {size:,.0f} MB in {seconds:.0f} s; writer {writer:.0f} MB, worker {worker:.0f} MB"
        )
        peak = max(writer, worker)
        report.promise(f"peak memory of any process, {name}", f"{peak:.0f} MB", "< 400 MB", kept=peak < 400)
    large.unlink()


def lookups(report: Report, work: Path) -> None:
    """Pages by title, in random order, from a store of all introductions and tables."""
    tables = work / "tables.jsonl"
    write_tables(tables)
    started = time.perf_counter()
    done = ingest([DATA / "wiki" / "passages.jsonl.gz", tables], work / "introductions")
    report.note(
        PAGES,
        f"wiki/passages and wiki/tables: {done.pages:,} pages in {time.perf_counter() - started:.0f} s; "
        f"problems: {_listed(done.problem_counts)}.",
    )
    times = []
    with Store.open(work / "introductions") as store:
        titles = list(store.titles())
        for title in random.Random(0).sample(titles, 5000):
            started = time.perf_counter()
            store.page(title)
            times.append((time.perf_counter() - started) * 1000)
    median, slow = statistics.median(times), statistics.quantiles(times, n=100)[98]
    what = f"a page by title from {len(titles):,}, median (99th percentile)"
    report.promise(what, f"{median:.3f} ms ({slow:.2f} ms)", "< 1 ms", kept=median < 1)


def write_tables(path: Path) -> None:
    """The records of wiki/tables as FEVEROUS pages, one per title: introduction, then a section and table each."""
    by_title: dict[str, list[dict[str, Any]]] = {}
    for record in records("wiki/tables"):
        by_title.setdefault(record["title"], []).append(record)
    with path.open("w", encoding="utf-8") as file:
        for title, found in by_title.items():
            page: dict[str, Any] = {
                "title": f"{title} (tables)",
                "order": ["sentence_0"],
                "sentence_0": found[0]["intro"],
            }
            for number, record in enumerate(found):
                page[f"section_{number}"] = {"value": record["section_title"] or "Table", "level": 2}
                page[f"table_{number}"] = {"type": "table", "table": _feverous_rows(record)}
                page["order"] += [f"section_{number}", f"table_{number}"]
            file.write(json.dumps(page, ensure_ascii=False) + "\n")


def _feverous_rows(record: dict[str, Any]) -> list[list[dict[str, Any]]]:
    rows = [record["header"], *record["data"]]
    return [[{"value": cell[0], "is_header": row == 0} for cell in cells] for row, cells in enumerate(rows)]


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def addresses(report: Report) -> None:
    ids: list[str] = []
    for name in ("feverous/official_records_dev50", "feverous/official_records_train10"):
        for record in records(name):
            for evidence in record["evidence"]:
                ids += [*evidence["content"], *(near for context in evidence["context"].values() for near in context)]
    good = sum(str(ElementId.parse(id)) == unicodedata.normalize("NFC", id) for id in ids)
    report.promise("FEVEROUS ids that parse and print back", f"{good:,} of {len(ids):,}", "all", kept=good == len(ids))


def sample_page(report: Report) -> None:
    path = DATA / "feverous" / "sample_processed_page_with_element_ids.wikitext.txt"
    marked = path.read_text(encoding="utf-8")
    wanted = re.findall(r"font-size:1px\">_((?:sentence|section|header_cell|cell)_[0-9_]+)</span>", marked)
    (page,) = [
        one for one in WikitextReader().parse(RawRecord(path.name, path.read_bytes(), "P")) if isinstance(one, Page)
    ]
    ours = [str(e.id).removeprefix("P_") for e in page.elements if e.kind not in (Kind.TITLE, Kind.TABLE)]
    # The line of credits at the end of the file carries no id; it reads as one sentence more.
    right = sum(one == other for one, other in zip(ours, wanted, strict=False))
    report.promise("ids of the processed sample page", f"{right} of {len(wanted)}", "all", kept=ours[:-1] == wanted)


def main() -> None:
    report = Report("The corpus room, measured", "python -m benchmarks.corpus")
    grids(report)
    addresses(report)
    sample_page(report)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = work / "pages.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for record in records("wiki/pages_html"):
                kept = {key: record[key] for key in ("title", "revision", "html")}
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")
        cleanliness(report, source, work)
        lookups(report, work)
        memory(report, source, work)
        speed(report, source, work)
    report.write(RESULTS)


if __name__ == "__main__":
    main()
