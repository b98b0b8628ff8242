"""Verdicts and tables made by hand, with one of everything that reports draw."""

from __future__ import annotations

from typing import NamedTuple

from veritab.render.json import certificate_from_json
from veritab.schema import (
    Cell,
    Claim,
    ElementId,
    Hit,
    Item,
    Label,
    ListBlock,
    Page,
    Section,
    Sentence,
    TableBlock,
    Verdict,
)

SUPPORTS, REFUTES, UNKNOWN = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO
CORPUS = {"name": "peaks", "revision": "r1", "pages": 3}


def header(text: str, columns: int = 1, rows: int = 1) -> Cell:
    return Cell(text, header=True, column_span=columns, row_span=rows)


def peaks_page() -> Page:
    """A page with a sentence, a list and a table under two rows of headers, one of them over two columns."""
    heads = (header("Mountain", rows=2), header("Height", columns=2)), (header("m"), header("ft"))
    body = tuple((header(f"Peak {n}"), Cell(f"{8000 + n:,}"), Cell(f"{26000 + n:,}")) for n in range(20))
    return Page(
        "Peaks (Asia)",
        (
            Sentence(0, "Peak 3 is a mountain of Asia."),
            Section(0, "Heights", 2),
            ListBlock(0, (Item("Peak 1"), Item("Peak 2"))),
            TableBlock(0, (*heads, *body), "Peaks and their heights"),
        ),
    )


def hit(address: str, by: str = "selector", page: Page | None = None) -> Hit:
    return Hit((page or peaks_page()).element(ElementId.parse(address)), 0.5, by)


def verdict(
    *addresses: str,
    label: Label = SUPPORTS,
    claim: str = "Peak 3 is 8,003 m high.",
    id: str = "7",
    **certificate: object,
) -> Verdict:
    """A verdict on evidence from the page of peaks."""
    scores = {each: 0.9 if each is label else 0.05 for each in Label}
    hits = tuple(hit(address) for address in addresses)
    return Verdict(
        Claim(id, claim),
        label,
        scores,
        hits,
        ("height of Peak 3 = 8,003 m",),
        certificate_from_json(certificate),
        CORPUS,
    )


class Found(NamedTuple):
    """A sentence of a text, as claims are found in it."""

    start: int
    end: int
    text: str = ""


SENTENCE = "Peaks (Asia)_sentence_0"
CELL = "Peaks (Asia)_cell_0_5_1"
ITEM = "Peaks (Asia)_item_0_1"
CAPTION = "Peaks (Asia)_table_caption_0"
