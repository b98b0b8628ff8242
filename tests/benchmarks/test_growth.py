"""Growth: generated pages are like real ones, and the arithmetic for the whole of Wikipedia is right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from benchmarks import growth_pages
from benchmarks.growth import BEGIN, END, disk, fill, keep, load_kept, tell
from benchmarks.growth_pages import Renaming, Vocabulary
from benchmarks.growth_whole import Law, Speeds, cores_for, fit, hours, machines_for, taken_apart
from benchmarks.report import Report

from veritab.corpus.feverous import page_from_json, page_to_json
from veritab.schema import Cell, Item, Link, ListBlock, Page, Problem, Section, Sentence, TableBlock


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Sixty pages of sentences, lists and tables that link to each other."""
    made = []
    for number in range(60):
        name, other = f"Ort{'abcdefghij'[number // 10]}{'klmnopqrst'[number % 10]}", f"Ort{'abcdefghij'[number % 6]}k"
        text = f"{name} is a town in {other}, with {1000 + 7 * number} people & a river."
        start = text.index(other)
        blocks = (
            Sentence(0, text, (Link(start, start + len(other), other),)),
            Section(0, "Names", 2),
            ListBlock(0, (Item("The old name"), Item(f"The name of {name}"))),
            TableBlock(
                0, ((Cell("Year", header=True), Cell("People", header=True)), (Cell("1950"), Cell("812"))), "Towns"
            ),
        )
        made.append(json.dumps(page_to_json(Page(name, blocks)), ensure_ascii=False))
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(made) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_small_corpus_is_the_beginning_of_a_large_one(pages: Path, tmp_path: Path) -> None:
    small = growth_pages.write(pages, tmp_path / "small", 40)
    large = growth_pages.write(pages, tmp_path / "large", 120)
    assert (small.pages, small.texts, small.tables) == (10, 40, 10)
    assert (large.pages, large.real, large.texts) == (30, 30, 120)
    assert read(tmp_path / "large")[:10] == read(tmp_path / "small")


def test_pages_beyond_the_real_ones_have_their_shapes_and_titles_of_their_own(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth_pages, "_KEPT", 12)
    written = growth_pages.write(pages, tmp_path / "grown", 4 * 150)
    found = read(tmp_path / "grown")
    assert (written.pages, written.real, written.tables) == (150, 60, 150)
    assert len({page["title"] for page in found}) == 150
    assert all(page["order"] == found[0]["order"] for page in found)
    assert [page["sentence_0"].count("[[") for page in found] == [1] * 150
    assert all(" is a " in page["sentence_0"] and "people &" in page["sentence_0"] for page in found)
    parsed = [one for page in found for one in page_from_json(page)]
    assert not [one for one in parsed if isinstance(one, Problem)]
    # A link leads to the page whose title was changed like it.
    titles = {page["title"] for page in found}
    first = [one.blocks[0] for one in parsed if isinstance(one, Page)]
    targets = [block.links[0].target for block in first if isinstance(block, Sentence)]
    assert sum(target in titles for target in targets) > 140
    assert growth_pages.write(pages, tmp_path / "again", 600) == written
    assert read(tmp_path / "again") == found


def test_words_become_words_of_their_kind_and_as_many_new_ones_as_heaps_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth_pages, "_KEPT", 1)
    letters = "abcdefghijklmnopqrst"
    words = {f"{a}{b}x": 1 + letters.index(a) % 5 for a in letters for b in letters}
    names = {f"Q{a}{b}": 2 for a in letters for b in letters}
    counts = Counter({"the": 9000, "1984": 3, "2011": 3, **words, **names})
    vocabulary = Vocabulary(counts, [(1000, 100), (4000, 200), (16_000, 400)])
    assert vocabulary.exponent() == pytest.approx(0.5)
    renaming = Renaming(vocabulary, 1)
    assert renaming.apply("the The THE &amp; &#91;") == "the The THE &amp; &#91;"
    assert {renaming["1984"], renaming["2011"]} == {"1984", "2011"} or renaming["1984"].isdigit()
    became = {word: renaming[word] for word in counts}
    assert all(new[0].isupper() for word, new in became.items() if word[0].isupper())
    new = sum(word.lower() not in {old.lower() for old in counts} for word in became.values())
    assert new == pytest.approx(len(counts) * (2**0.5 - 1), rel=0.1)


def test_a_power_law_is_found_with_its_interval() -> None:
    law = fit([1, 10, 100, 1000], [3, 30, 300, 3000])
    assert (law.exponent, law.low, law.high) == pytest.approx((1, 1, 1))
    assert law.at(1e6) == pytest.approx(3e6)
    noisy = fit([1, 10, 100, 1000], [1, 12, 90, 1100])
    assert noisy.low < 1 < noisy.high
    low, high = noisy.range(1e6)
    assert low < noisy.at(1e6) < high


def test_the_cost_of_tables_is_told_from_that_of_texts() -> None:
    def cost(texts: int, tables: int) -> tuple[int, int, float]:
        return texts, tables, 2.0 * texts + 30.0 * tables

    grown = taken_apart([cost(10_000, 100), cost(100_000, 1000), cost(1_000_000, 10_000)], cost(20_000, 15_000))
    assert grown.table == pytest.approx(30)
    assert grown.texts.exponent == pytest.approx(1)
    assert grown.at(1e8, 1e7) == pytest.approx(2e8 + 3e8)


def test_hours_cores_and_machines_follow_from_seconds() -> None:
    assert hours(7200, 1) == 2
    assert hours(7200, 8, 0.5) == 0.5
    assert cores_for(86_400, 1.0) == 1
    assert cores_for(1_000_000, 0.8) == 10
    assert cores_for(1_000_000, 0.8, 0.9) == 11
    assert (machines_for(8), machines_for(9)) == (1, 2)
    speeds = Speeds({"default": 0.5}, 400.0, {"ingest": 0.9})
    assert (speeds.of("ingest", 1), speeds.of("ingest", 8), speeds.of("index", 8)) == (1.0, 0.9, 1.0)
    assert Law(10, 5, 1, 0.9, 1.1).range(100) == pytest.approx((5 * 10**0.9, 5 * 10**1.1))


def test_figures_that_were_kept_are_told_as_tables(tmp_path: Path) -> None:
    def one(texts: int, tables: int) -> dict[str, Any]:
        written = {"pages": texts // 5, "real": 1, "texts": texts, "real_texts": texts, "tables": tables}
        step = {"seconds": texts / 1e4, "cpu": texts / 1e4 + tables / 100, "peak": 100.0}
        asked = dict.fromkeys(("opened", "first", "median", "slow", "cpu", "resident", "own"), float(texts) ** 0.5)
        return {
            "written": written | {"words": 9 * texts, "vocabulary": texts // 3, "heaps": None, "zipf": None},
            **{"ingest": step, "index": step, "asked": asked | {"claims": 400}, "load": 1.0},
            "disk": dict.fromkeys(("store", "pages", "texts", "tables", "names.sqlite"), 100 * texts + 1000 * tables),
        }

    measured = {str(size): one(size, size // 100) for size in (10_000, 100_000, 1_000_000)}
    checks = {"default": {"seconds": 0.5, "cpu": 0.9, "peak": 400.0}}
    kept = {"shards": None, "measured": {**measured, "with tables": one(50_000, 30_000)}, "checks": checks}
    keep(tmp_path / "growth.json", kept)
    (tmp_path / "scale.md").write_text("""
| ingest: one worker over one process | +3.0% | below 15 % | yes |
| ingest: two workers over one process | 1.80 x | 1.7 x | yes |
| check: two workers over one process | 1.60 x | 1.7 x | **no** |
""")
    report = Report("Growth", "python")
    tell(report, load_kept(tmp_path / "growth.json"), tmp_path)
    report.write(tmp_path / "growth.md")
    page = (tmp_path / "growth.md").read_text()
    # 95.6 million texts at 0.1 ms and 11.8 million tables at 10 ms are 35.4 hours of one core.
    assert "| ingest, hours | 35.4 (35.4 to 35.4) | 4.9 (4.9 to 4.9) | 1.2 (1.2 to 1.2) |" in page
    assert "| a claim, p50 ms | 100 | 316 | 1,000 | 0.50 (0.50 to 0.50) |" in page
    assert "ingest 0.90" in page
    assert "A million claims a day" in page
    howto = tmp_path / "howto.md"
    howto.write_text(f"Before.\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    for _ in range(2):
        fill(howto, tmp_path / "growth.md")
        text = howto.read_text()
        assert text.startswith(f"Before.\n\n{BEGIN}\n\n|  | 1 core |")
        assert text.endswith(f"|\n\n{END}\n\nAfter.\n")
        assert text.count("| ingest, hours |") == 1


def test_what_is_on_disk_is_counted_over_all_shards(tmp_path: Path) -> None:
    for shard in ("shard-0000", "shard-0001"):
        (tmp_path / shard / "index" / "texts").mkdir(parents=True)
        (tmp_path / shard / "corpus.sqlite").write_bytes(b"12")
        (tmp_path / shard / "index" / "texts" / "segment.idx").write_bytes(b"123")
        (tmp_path / shard / "index" / "names.sqlite").write_bytes(b"1234")
    found = disk(tmp_path)
    assert (found["store"], found["texts"], found["names.sqlite"], found["pages"]) == (4, 6, 8, 0)
