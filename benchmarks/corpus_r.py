"""Corpus R: Wikipedia introductions, tables and the pages behind FEVER, FM2 and FEVEROUS claims, as one corpus.

The data sets hold pieces of pages: introductions, single tables, numbered sentences. Pieces of one title are put
together into one page, written as FEVEROUS JSON lines and read through `veritab ingest`, like anybody's corpus.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from veritab.corpus.fever import title_of
from veritab.corpus.feverous import page_to_json, read_text
from veritab.corpus.ingest import Ingest
from veritab.corpus.passages import PassageReader
from veritab.corpus.store import Store
from veritab.corpus.streams import RawRecord
from veritab.corpus.tokenised import detokenise
from veritab.datasets import DataFiles
from veritab.schema import Block, Cell, Claim, ElementId, Example, Kind, Label, Page, Section, Sentence, TableBlock
from veritab.text import terms, title_form

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
FILES = DataFiles(DATA)
SAME_SENTENCE = 0.7
"""Two readings of one sentence share at least this share of their words."""


def records(name: str) -> Iterator[dict[str, Any]]:
    """The records of one of the data sets."""
    return FILES.records(name)


@dataclass
class Pieces:
    """What the data sets know of one page."""

    introduction: list[Sentence] = field(default_factory=list)
    numbered: dict[int, str] = field(default_factory=dict)
    added: list[Sentence] = field(default_factory=list)
    tables: dict[int, tuple[str, TableBlock]] = field(default_factory=dict)

    def page(self, title: str) -> Page:
        """The page: numbered sentences keep their numbers, the rest takes numbers that are free."""
        sentences = {number: Sentence(number, text) for number, text in self.numbered.items()}
        known = {number: set(terms(text)) for number, text in self.numbered.items()}
        free = (number for number in range(10_000) if number not in sentences)
        for sentence in (*self.introduction, *self.added):
            own = set(terms(sentence.text))
            if not any(len(own & other) >= SAME_SENTENCE * len(own | other) for other in known.values()):
                number = next(free)
                sentences[number] = sentence._replace(number=number)
                known[number] = own
            elif sentence.links:  # the same sentence, with its links
                number = max(known, key=lambda n: len(own & known[n]) / len(own | known[n]))
                sentences[number] = sentence._replace(number=number)
        blocks: list[Block] = [sentences[number] for number in sorted(sentences)]
        for count, number in enumerate(sorted(self.tables)):
            section, table = self.tables[number]
            blocks += [Section(count, section or "Table", 2), table]
        return Page(title, tuple(blocks))

    def number_of(self, text: str, page: Page) -> int | None:
        """The number of the sentence of a page that says this."""
        own = set(terms(text))
        scored = [
            (len(own & other) / len(own | other), -block.number)
            for block in page.blocks
            if type(block) is Sentence and (other := set(terms(block.text))) | own
        ]
        best = max(scored, default=(0.0, 0))
        return -best[1] if best[0] >= SAME_SENTENCE else None


def gather() -> dict[str, Pieces]:
    """The pieces of every page, by title."""
    pages: dict[str, Pieces] = {}
    _introductions(pages)
    _fever(pages)
    _tables(pages)
    _feverous(pages)
    return pages


def _introductions(pages: dict[str, Pieces]) -> None:
    reader = PassageReader(sentences=True)
    for path in (DATA / "wiki" / "passages.jsonl.gz",):
        for raw in reader.cut(path):
            for page in reader.parse(raw) if isinstance(raw, RawRecord) else ():
                if isinstance(page, Page):
                    pieces = pages.setdefault(page.title, Pieces())
                    pieces.introduction += [block for block in page.blocks if type(block) is Sentence]


def _fever(pages: dict[str, Pieces]) -> None:
    for name, text in (("fever/sentences", "text"), ("fever/train_pairs", "sentence")):
        for record in records(name):
            pieces = pages.setdefault(title_of(record["page"]), Pieces())
            pieces.numbered.setdefault(record["line"], detokenise(record[text]))


def _tables(pages: dict[str, Pieces]) -> None:
    for record in records("wiki/tables"):
        pieces = pages.setdefault(title_form(record["title"]), Pieces())
        if not pieces.introduction:
            pieces.introduction.append(Sentence(0, detokenise(record["intro"])))
        pieces.tables[len(pieces.tables)] = (
            record["section_title"] or "",
            _block(len(pieces.tables), [[cell[0] for cell in row] for row in (record["header"], *record["data"])]),
        )


def _block(number: int, rows: Iterable[list[str]], caption: str = "") -> TableBlock:
    return TableBlock(
        number,
        tuple(tuple(Cell(detokenise(text), header=row == 0) for text in cells) for row, cells in enumerate(rows)),
        caption,
    )


def _feverous(pages: dict[str, Pieces]) -> None:
    for record in records("feverous/sentence_claims"):
        for title, marked in _lines(record):
            text, links = read_text(marked)
            pages.setdefault(title, Pieces()).added.append(Sentence(0, text, links))
    titles: dict[str, str] = {}
    for record in records("feverous/full_table_gold_cells"):
        titles[record["claim"]] = title_form(record["page"])
        gold, table = gold_table(record), record["table"]
        block = _block(gold.path[0], [table["header"], *table["rows"]], table["caption"])
        pages.setdefault(gold.page, Pieces()).tables.setdefault(block.number, ("", block))
    for number, record in enumerate(records("feverous/full_tables")):
        # A record without a title is a distractor, unless its claim tells which page it is from.
        pieces = pages.setdefault(titles.get(record["query"], f"Untitled table {number}"), Pieces())
        pieces.added += [Sentence(0, *read_text(text)) for text in record["context"] if text.strip()]
        table = record["table"]
        if record["query"] not in titles:
            pieces.tables[0] = ("", _block(0, [table["header"], *table["rows"]], table["caption"]))


def _lines(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for line in record["evidence"].split("\n"):
        title, _, text = line.partition("\t")
        if title.strip() and text.strip():
            yield title_form(title), text


def gold_table(record: dict[str, Any]) -> ElementId:
    """Which table a record of FEVEROUS's whole tables holds: the one its exactly located cells lie in.

    Gold cells may lie in other tables too, and most of them do in some records; those were not located exactly. One
    record's table is not from the page it names.
    """
    located = sorted(record["cells"], key=lambda cell: not cell["exact"])
    # One record has a caption for evidence, and no cells.
    ids = [cell["id"] for cell in located] or [id for evidence in record["evidence"] for id in evidence["content"]]
    first = ElementId.parse(ids[0])
    return ElementId(first.page, Kind.TABLE, first.path[:1])


def build(folder: Path) -> Iterator[str]:
    """Make the corpus in a folder; tells what it does."""
    pages = gather()
    yield f"{len(pages):,} pages gathered"
    source = folder / "pages.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    with source.open("w", encoding="utf-8") as file:
        for title, pieces in pages.items():
            page = pieces.page(title)
            if page.blocks:
                file.write(json.dumps(page_to_json(page), ensure_ascii=False) + "\n")
    with Store.create(folder) as store:
        work = Ingest(store, [source], workers=2)
        for _ in work:
            pass
    yield f"{work.report.pages:,} pages ingested in {work.report.seconds:.0f} s"


# -- the claims --------------------------------------------------------------------------------------------


def fever_examples(store: Store) -> list[Example]:
    """Verifiable claims of FEVER's development set with an evidence group whose pages are all in the corpus."""
    found = []
    for record in records("fever/paper_dev"):
        groups = {
            frozenset(
                ElementId(title_of(page), Kind.SENTENCE, (line,)) for _, _, page, line in group if page is not None
            )
            for group in record["evidence"]
        }
        reachable = [group for group in sorted(groups, key=sorted) if group and all(id.page in store for id in group)]
        if reachable:
            found.append(Example(Claim(str(record["id"]), record["claim"]), Label(record["label"]), tuple(reachable)))
    return found


def fm2_examples(store: Store) -> list[Example]:
    """Fool Me Twice claims whose page is in the corpus; the page itself is the evidence."""
    return [
        Example(
            Claim(record["id"], record["text"]),
            Label(record["label"]),
            (frozenset({ElementId(title_form(record["wikipedia_page"]), Kind.TITLE)}),),
        )
        for record in records("fm2/dev")
        if title_form(record["wikipedia_page"]) in store
    ]


def feverous_sentence_examples(store: Store) -> list[Example]:
    """FEVEROUS claims settled by sentences."""
    found = []
    for record in records("feverous/sentence_claims"):
        gold = {
            ElementId(title, Kind.SENTENCE, (number,))
            for title, marked in _lines(record)
            if (number := Pieces().number_of(read_text(marked)[0], store.page(title))) is not None
        }
        if gold:
            claim = Claim(str(record["id"]), record["claim"])
            found.append(Example(claim, Label(record["label"].upper()), (frozenset(gold),), record["challenge"]))
    return found


def feverous_table_examples(store: Store) -> list[Example]:
    """FEVEROUS claims settled by cells of one table; the table is the evidence."""
    found = []
    for record in records("feverous/full_table_gold_cells"):
        claim = Claim(str(record["id"]), record["claim"])
        gold = frozenset({gold_table(record)})
        found.append(Example(claim, Label(record["label"]), (gold,), record["challenge"]))
    return found


if __name__ == "__main__":
    import sys

    for line in build(Path(sys.argv[1])):
        print(line, flush=True)
