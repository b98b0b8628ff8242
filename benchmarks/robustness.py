"""How the time for hostile input grows with its size: `python -m benchmarks.robustness` writes results/robustness.md.

Each case is measured at one size and at eight times that size, as CPU time, the best of three. The growth is the
exponent between the two: 0 where the input is cut or refused, 1 where the time grows with the size, 2 where it grows
with its square.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import Report
from veritab import text
from veritab.corpus.documents import DocumentReader
from veritab.corpus.streams import RawRecord
from veritab.corpus.tokenised import detokenise
from veritab.corpus.wikipedia import WikipediaReader
from veritab.corpus.wikitext import WikitextReader
from veritab.decompose import extract_claims, split_claim
from veritab.quantities import quantities
from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import Reasoner
from veritab.reason.tables import TypedTable
from veritab.retrieve.cells import rank_cells
from veritab.schema import Element, ElementId, Kind, Table
from veritab.verify.render import render

RESULTS = Path(__file__).parent / "results" / "robustness.md"
KILLS = "Kills"
"""The section of the results that `python -m benchmarks.kills` puts there."""
STEP = 8
STEEPEST = 1.5
_RUNS = 3
_NOTHING = 0.002  # less is the clock's own noise

QUANTITIES = (
    "1|1,|111,|1.1.|1:|9/|1–|one |May |$|½|-| |1,00,|1e1|one and a half |half a |may 5 |5 ft 11 |6'2|2h15m|44 BC–|- 3 |"
    "# 1|=|1 036 |- |US$|T5|$-5|1 km 5 m |$5–10 million |1×10⁶|1 x 10^6 |1930s–40s|<5|(500)"
).split("|")
WIKITEXT = (
    "{{\n[[\n{{nowrap|a\n[[a|\n{{Infobox a|b=\n<!--\n<ref>\n<\n<nowiki>\n<poem>\n<ul><li>a\n''''' '''\n*\n=\na:"
).split("\n")
PARAGRAPH = (
    "Riga is the capital of the country and lies on the right bank of the long river that flows past 3 more towns. "
    "It was founded in 1201, when a bishop from the west came with twenty-three ships and some five hundred people. "
    "Ada Stern, whose father had been the mayor of the town before the war, was born there. She said: “It is old.”\n"
)


class Case(NamedTuple):
    """Something to be read, as a function of its size, and what reads it."""

    name: str
    size: int
    prepare: Callable[[int], object]
    read: Callable[..., object]


def repeated(unit: str) -> Callable[[int], str]:
    """Text of so many characters that says one thing again and again."""
    return lambda size: unit * (size // len(unit))


def towers(size: int) -> Table:
    """A table of so many rows."""
    rows = [[f"Tower {n}", str(n % 900), str(1900 + n % 120), f"City {n % 50}"] for n in range(size)]
    return Table.of(rows, header=["Building", "Height (m)", "Completed", "City"])


def cases() -> Iterator[Case]:
    """Everything that is measured."""
    for unit in QUANTITIES:
        yield Case(f"quantities of `{unit}`", 8_000, repeated(unit), quantities)
    for unit in WIKITEXT:
        yield Case(f"wikitext of `{unit}`".replace("|", "\\|"), 8_000, repeated(unit), read_wikitext)
    for unit in ('<table class="navbox"><tr><td>', "<div>", "<ul><li>", "<td>x"):
        yield Case(f"HTML of `{unit}`", 50_000, repeated(unit), read_html)
    for unit in ("[", "![", "*a **b ", "<!--", "[a](", "---\n", "- "):
        yield Case(f"Markdown of `{unit.strip()}`", 2_000, repeated(unit), read_markdown)
    for unit in ("x ' s ` y '' ", "(", "-LRB-", "(x"):
        yield Case(f"FEVER's tokens, `{unit.strip()}`", 20_000, repeated(unit), detokenise)
    yield Case("sentences of quotation marks", 20_000, repeated("“"), lambda given: list(text.sentences(given)))
    yield Case("claims of a long text", 20_000, repeated(PARAGRAPH), extract_claims)
    for unit in ("word ", "(", "he, "):
        yield Case(f"claims of a text of `{unit.strip()}`", 12_000, repeated(unit), extract_claims)
    for unit in ("Ada was and ", "a, which is ", "(", "Both A and B "):
        yield Case(f"parts of a claim of `{unit.strip()}`", 1_000, repeated(unit), split_claim)
    yield Case("cells of a table, typed", 1_000, towers, lambda table: TypedTable.of(table).columns[1].values)
    yield Case("cells of a table, ranked", 1_000, towers, lambda table: rank_cells("Tower 77 is in City 7.", table, 25))
    claim = "Tower 899 is taller than Tower 12."
    yield Case("a claim over a table", 1_000, towers, lambda table: Reasoner().reason(claim, table))
    table = towers(10)
    yield Case("a long claim over a table", 12_000, repeated(claim), lambda given: Reasoner().reason(given, table))
    for unit in ("tower 5 is 7 m and ", "1, ", "("):
        yield Case(f"a claim over sentences of `{unit.strip()}`", 4_000, repeated(unit), reason_over_sentences)
    for unit in ("word ", "x", "山", "a\u0301"):
        yield Case(
            f"evidence of `{unit.strip()}`, laid out", 100_000, repeated(unit), lambda given: render([sentence(given)])
        )


def read_wikitext(given: str) -> object:
    """What is read of a page of wikitext."""
    return list(WikitextReader(False).parse(RawRecord("x.wiki", given.encode(), "X")))


def read_html(given: str) -> object:
    """What is read of a page of Wikipedia's HTML."""
    return list(WikipediaReader().page(given.encode(), "X", where="x.html"))


def read_markdown(given: str) -> object:
    """What is read of a Markdown file."""
    return list(DocumentReader().parse(RawRecord("x.md", given.encode(), "")))


def sentence(given: str, number: int = 0) -> Element:
    """A sentence of a page."""
    return Element(ElementId("Page", Kind.SENTENCE, (number,)), given)


def reason_over_sentences(given: str) -> object:
    """What is computed from twenty sentences."""
    return page_reasoning(
        "The tower is taller than the bridge.", elements=[sentence(given, number) for number in range(20)]
    )


def cpu_seconds(case: Case, size: int) -> float:
    """The least CPU time of some runs."""
    given = case.prepare(size)
    times = []
    for _ in range(_RUNS):
        started = time.process_time()
        case.read(given)
        times.append(time.process_time() - started)
    return max(min(times), _NOTHING)


def main() -> None:
    """Measure every case, print a table and keep it."""
    report = Report("Hostile input", "python -m benchmarks.robustness")
    rows = [["input", "size", "ms", f"ms at {STEP} times the size", "growth"]]
    steep = []
    for case in cases():
        short, long = (cpu_seconds(case, size) for size in (case.size, STEP * case.size))
        growth = math.log(long / short, STEP)
        steep += [case.name] if growth > STEEPEST else []
        rows.append([case.name, f"{case.size:,}", f"{1000 * short:.1f}", f"{1000 * long:.1f}", f"{growth:.2f}"])
    report.promise(
        "no input takes time that grows with the square of its size",
        "; ".join(steep) or f"all {len(rows) - 1} cases",
        f"growth up to {STEEPEST}",
        kept=not steep,
    )
    report.table("Growth", rows)
    report.note("How", f"CPU time, the best of {_RUNS}; what takes less than {1000 * _NOTHING:g} ms counts as that.")
    report.write(RESULTS, keep=[KILLS])


if __name__ == "__main__":
    main()
