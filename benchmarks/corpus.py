"""What the corpus room promises, measured: `python -m benchmarks.corpus` prints it and writes results/corpus.md.

Needs the public data sets (VERITAB_DATA). Times are compared inside one run, and ratios are medians of several, because machines
differ and are never quiet.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from veritab.corpus.ingest import Ingest
from veritab.corpus.sources import Options
from veritab.corpus.store import Store
from veritab.corpus.streams import Raw
from veritab.corpus.wikipedia import WikipediaHtml
from veritab.corpus.wikitext import Wikitext
from veritab.schema import ElementId, Kind, Page, Table

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "benchmarks" / "results" / "corpus.md"
REPEATS = 5


def records(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


class Report:
    """Lines for people, printed as they come and kept for the results file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str = "") -> None:
        print(line, flush=True)
        self.lines.append(line)

    def promise(self, what: str, measured: str, wanted: str, kept: bool) -> None:
        self.say(f"| {what} | {measured} | {wanted} | {'yes' if kept else '**no**'} |")


# -- 1. against an independent reading --

_COORDINATE = re.compile("[0-9.]+°[0-9.′ ]*[NSEW]")
_NOTE = re.compile(r"\[[^\]]{1,60}\]")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|<URL>")


def folded(text: str) -> str:
    """A cell's text without what the two readings write differently on purpose.

    Theirs shows coordinates in two forms where the page shows one, keeps notes such as [citation needed], and whole addresses.
    """
    text = _ADDRESS.sub("", _NOTE.sub("", _COORDINATE.sub("", unicodedata.normalize("NFKC", text))))
    return re.sub(r"\W", "", text.lower())


def cells_of(table: Table) -> Counter[str]:
    return Counter(
        text
        for row, line in enumerate(table.places)
        for column in range(len(line))
        if (text := folded(table.text(row, column)))
    )


def grids(say: Report) -> None:
    theirs = {record["table_id"]: record for record in records("wikitablequestions/tables")}
    reader = WikipediaHtml(keep_flagged=True)
    same, off = 0, []
    for record in records("wiki/pages_html"):
        (page,) = [one for one in reader.page(record["html"].encode(), record["title"]) if isinstance(one, Page)]
        table = theirs["csv/" + record["page"].replace("-page/", "-csv/") + ".csv"]
        wanted = Counter(text for row in table["rows"] for cell in row if (text := folded(cell)))
        # A cell whose text folds to nothing but coordinates may be there or not.
        best = min(
            ((sum((wanted - cells_of(ours)).values()), ours) for ours in page.tables),
            key=lambda pair: pair[0],
            default=None,
        )
        missing = best[0] if best else sum(wanted.values())
        if missing:
            off.append(
                (record["title"], missing, sum(wanted.values()), _why(record, wanted, best[1] if best else None))
            )
        else:
            same += 1
    share = same / (same + len(off))
    say.promise(
        "tables with the same cells as WikiTableQuestions read",
        f"{same:,} of {same + len(off):,} = {share:.2%}",
        "≥ 98 %",
        share >= 0.98,
    )
    for why, times in Counter(why for *_, why in off).most_common():
        named = ", ".join(f"{title} ({missing} of {total})" for title, missing, total, own in off if own == why)
        say.lines.append(f"<!-- {times} × {why}: {named} -->")
    GRID_NOTES.extend(
        f"- {times} × {why}: " + "; ".join(f"*{t}* ({m} of {n} cells)" for t, m, n, w in off if w == why)
        for why, times in Counter(w for *_, w in off).most_common()
    )


GRID_NOTES: list[str] = []


def _why(record: dict[str, Any], wanted: Counter[str], ours: Table | None) -> str:
    """The kind of difference, looked up in the page itself."""
    missing = wanted - (cells_of(ours) if ours is not None else Counter())
    if ours is None or sum(missing.values()) > sum(wanted.values()) / 2:
        return "the table lies in a left-out section or inside a navigation box"
    images = re.findall(r'<div class="thumbcaption".*?</div>|<img alt="([^"]+)"', record["html"], re.DOTALL)
    spoken = folded(" ".join(images)) + folded(
        " ".join(re.findall(r'class="thumb.*?</div>\s*</div>', record["html"], re.DOTALL))
    )
    if all(text in spoken or any(piece and piece in text for piece in map(folded, images)) for text in missing):
        return "picture captions and descriptions, which are not cell text"
    hidden = folded(" ".join(re.findall(r"(?:display:none|visibility:hidden)[^>]*>([^<]*)<", record["html"])))
    if any(text[:1] == "0" or text in hidden for text in missing):
        return "hidden sort keys that the other reading keeps"
    return "a nested table or collapsed box read as part of its cell by the other"


# -- 2. every page ingests, and nothing of the page's machinery survives --

_EDIT = re.compile(r"\[\s*edit\s*\]", re.IGNORECASE)
_MARK = re.compile(r"(?<![\w(])\[\s*\d{1,3}\s*\]")
_STYLE = re.compile(r"\{[^{}]*:[^{}]*;[^{}]*\}|mw-parser-output|@media|font-size\s*:")


def cleanliness(say: Report, corpus: Path, problems: Counter[str], pages: int) -> None:
    counts: Counter[str] = Counter()
    with Store.open(corpus) as store:
        for page in store.pages():
            for element in page.elements:
                counts[element.kind.value] += 1
                if element.kind is Kind.SENTENCE:
                    counts["empty"] += not element.text
                counts["edit"] += bool(_EDIT.search(element.text))
                if element.kind is Kind.SENTENCE and _MARK.search(element.text):
                    counts["mark"] += 1
                counts["style"] += bool(_STYLE.search(element.text))
    total = sum(1 for _ in records("wiki/pages_html"))
    say.promise("pages that ingest (flagged ones kept)", f"{pages:,} of {total:,}", "all", pages == total)
    say.promise(
        "empty sentences / [edit] / [12] marks / style text",
        f"{counts['empty']} / {counts['edit']} / {counts['mark']} / {counts['style']}",
        "0 / 0 / 0 / 0",
        not any(counts[k] for k in ("empty", "edit", "mark", "style")),
    )
    kinds = ", ".join(f"{counts[kind.value]:,} {kind.value}" for kind in Kind if counts[kind.value])
    NOTES.append(f"The {pages:,} pages hold {kinds}.")
    NOTES.append(
        "Problems by kind: "
        + ("; ".join(f"{count:,} × {what}" for what, count in problems.most_common()) or "none")
        + "."
    )


NOTES: list[str] = []


# -- 3. speed and memory --

_BARE = """
import os, sys, time, json
os.sched_setaffinity(0, {0})
import lxml.html
pages = [json.loads(line)["html"].encode() for line in open(sys.argv[1], encoding="utf-8")]
started = time.perf_counter()
for page in pages:
    lxml.html.fromstring(page)
print(time.perf_counter() - started)
"""
_INGEST = """
import os, resource, sys, time
from pathlib import Path
from veritab.corpus.ingest import Ingest
from veritab.corpus.sources import Options
from veritab.corpus.store import Store
if __name__ == "__main__":
    source, into, workers, cores = sys.argv[1:5]
    if cores == "1":
        os.sched_setaffinity(0, {0})
    started = time.perf_counter()
    with Store.create(Path(into)) as store:
        for _ in Ingest(store, [Path(source)], options=Options(keep_flagged=True), workers=int(workers)):
            pass
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(time.perf_counter() - started, own / 1024, children / 1024)
"""


def run(program: str, *words: object) -> list[float]:
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([sys.executable, file.name, *map(str, words)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def speed(say: Report, source: Path, work: Path) -> None:
    ratios, gains = [], []
    for n in range(REPEATS):
        bare = run(_BARE, source)[0]
        whole = run(_INGEST, source, work / f"one-{n}", 1, 1)[0]
        single = run(_INGEST, source, work / f"single-{n}", 1, 2)[0]
        double = run(_INGEST, source, work / f"double-{n}", 2, 2)[0]
        ratios.append(whole / bare)
        gains.append(single / double)
        NOTES.append(
            f"Run {n + 1}: bare parse {bare:.2f} s, whole ingestion on one core {whole:.2f} s ({whole / bare:.2f}×); one worker {single:.2f} s, two {double:.2f} s ({single / double:.2f}×)."
        )
        print(NOTES[-1], flush=True)
    ratio, gain = statistics.median(ratios), statistics.median(gains)
    say.promise("whole ingestion / bare lxml.html parse, one core, median", f"{ratio:.2f}", "≤ 3", ratio <= 3)
    say.promise("two workers / one, median", f"{gain:.2f}", "≥ 1.7", gain >= 1.7)


def memory(say: Report, source: Path, work: Path) -> None:
    """The same pages ten times under other titles: ten times the dump, and no page repeated."""
    large = work / "large.jsonl"
    with large.open("w", encoding="utf-8") as file:
        for copy in range(10):
            with source.open(encoding="utf-8") as lines:
                for line in lines:
                    record = json.loads(line)
                    record["title"] = f"{record['title']} ({copy})"
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
    for name, path in (("the dump", source), ("one ten times larger", large)):
        seconds, own, worker = run(_INGEST, path, work / f"memory-{path.stem}", 2, 2)
        peak = max(own, worker)
        NOTES.append(
            f"Memory, {name} ({path.stat().st_size / 2**20:,.0f} MB, two workers, {seconds:.0f} s): writer {own:.0f} MB, largest worker {worker:.0f} MB."
        )
        print(NOTES[-1], flush=True)
        say.promise(f"peak memory of a process, {name}", f"{peak:.0f} MB", "< 400 MB", peak < 400)
    large.unlink()


def lookups(say: Report, work: Path) -> None:
    """A store of all introductions and tables, and pages by title from it, cold order, one at a time."""
    tables = work / "tables.jsonl"
    table_titles = _write_tables(tables)
    with Store.create(work / "large") as store:
        started = time.perf_counter()
        ingest = Ingest(store, [DATA / "wiki" / "passages.jsonl.gz", tables], workers=2)
        for _ in ingest:
            pass
        NOTES.append(
            f"{len(store):,} pages from wiki/passages and wiki/tables ({table_titles:,} with tables) in {time.perf_counter() - started:.0f} s; problems: {dict(ingest.report.problem_counts)}."
        )
    with Store.open(work / "large") as store:
        titles = list(store.titles())
        step = max(1, len(titles) // 5000)
        asked = sorted(titles[::step], key=lambda title: hash(title) & 0xFFFF)
        times = []
        for title in asked:
            started = time.perf_counter()
            store.page(title)
            times.append((time.perf_counter() - started) * 1000)
    median, worst = statistics.median(times), statistics.quantiles(times, n=100)[98]
    say.promise(
        f"a page by title from {len(titles):,}, median (99th percentile)",
        f"{median:.3f} ms ({worst:.2f} ms)",
        "< 1 ms",
        median < 1,
    )


def _write_tables(path: Path) -> int:
    """The records of wiki/tables as FEVEROUS pages: introduction, section, table; one page per title."""
    by_title: dict[str, list[dict[str, Any]]] = {}
    for record in records("wiki/tables"):
        by_title.setdefault(record["title"], []).append(record)
    with path.open("w", encoding="utf-8") as file:
        for title, found in by_title.items():
            page: dict[str, Any] = {
                "title": f"{title} (tables)",
                "order": ["sentence_0"],
                "sentence_0": found[0]["intro"][:2000] or title,
            }
            for number, record in enumerate(found):
                rows = [record["header"], *record["data"]]
                page[f"section_{number}"] = {"value": record["section_title"] or "Table", "level": 2}
                page[f"table_{number}"] = {
                    "type": "table",
                    "table": [
                        [{"value": cell[0], "is_header": row == 0} for cell in cells] for row, cells in enumerate(rows)
                    ],
                }
                page["order"] += [f"section_{number}", f"table_{number}"]
            file.write(json.dumps(page, ensure_ascii=False) + "\n")
    return len(by_title)


# -- 4. FEVEROUS --


def addresses(say: Report) -> None:
    ids: list[str] = []
    for name in ("feverous/official_records_dev50", "feverous/official_records_train10"):
        for record in records(name):
            for evidence in record["evidence"]:
                ids += [*evidence["content"], *(near for context in evidence["context"].values() for near in context)]
    good = sum(str(ElementId.parse(id)) == unicodedata.normalize("NFC", id) for id in ids)
    say.promise("FEVEROUS ids that parse and print back", f"{good:,} of {len(ids):,}", "all", good == len(ids))
    path = DATA / "feverous" / "sample_processed_page_with_element_ids.wikitext.txt"
    wanted = re.findall(
        r"font-size:1px\">_((?:sentence|section|header_cell|cell)_[0-9_]+)</span>", path.read_text(encoding="utf-8")
    )
    (page,) = [one for one in Wikitext().parse(Raw(path.name, path.read_bytes(), "P")) if isinstance(one, Page)]
    ours = [str(e.id).removeprefix("P_") for e in page.elements if e.kind not in (Kind.TITLE, Kind.TABLE)]
    # The line of credits at the end of the file carries no id; it reads as one sentence more.
    say.promise(
        "ids of the processed sample page, in order",
        f"{sum(a == b for a, b in zip(ours, wanted, strict=False))} of {len(wanted)}",
        "all",
        ours[: len(wanted)] == wanted,
    )


def main() -> None:
    say = Report()
    say.say("| promise | measured | wanted | kept |")
    say.say("|---|---|---|---|")
    grids(say)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = work / "pages.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for record in records("wiki/pages_html"):
                file.write(
                    json.dumps(
                        {"title": record["title"], "revision": record["revision"], "html": record["html"]},
                        ensure_ascii=False,
                    )
                    + "\n"
                )
        with Store.create(work / "clean") as store:
            ingest = Ingest(store, [source], options=Options(keep_flagged=True), workers=2)
            for _ in ingest:
                pass
        cleanliness(say, work / "clean", ingest.report.problem_counts, ingest.report.pages)
        with Store.create(work / "default") as store:
            default = Ingest(store, [source], workers=2)
            for _ in default:
                pass
        NOTES.append(
            f"With flagged pages left out (the default) {default.report.pages:,} pages remain; problems: "
            + "; ".join(f"{count:,} × {what}" for what, count in default.report.problem_counts.most_common())
            + "."
        )
        addresses(say)
        lookups(say, work)
        memory(say, source, work)
        speed(say, source, work)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        "\n".join(
            [
                "# The corpus room, measured",
                "",
                "Printed by `python -m benchmarks.corpus`; two cores, Python " + sys.version.split()[0] + ".",
                "",
                *[line for line in say.lines if not line.startswith("<!--")],
                "",
                "## Tables that differ, and why",
                "",
                *GRID_NOTES,
                "",
                "## Notes",
                "",
                *[f"- {note}" for note in NOTES],
                "",
            ]
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
