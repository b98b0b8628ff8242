"""Data sets of a few records each, in the forms of the public ones and in words of our own."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import orjson

_CITIES = (
    "Lyon",
    "Turin",
    "Porto",
    "Ghent",
    "Malmo",
    "Krakow",
    "Seville",
    "Bremen",
    "Zadar",
    "Tampere",
    "Graz",
    "Bergen",
)
_CRAFTS = ("painter", "composer", "sculptor", "engraver", "printer", "potter", "weaver", "organist")
_LANDS = ("French", "Italian", "Portuguese", "Belgian", "Swedish", "Polish", "Spanish", "German")
_FIRST = ("Ada", "Bruno", "Clara", "David", "Emil", "Flora", "Georg", "Hanna", "Ivo", "Julia", "Karl", "Livia")
_LAST = ("Almer", "Brandt", "Corvin", "Dorner", "Eklund", "Farkas", "Galli", "Holm", "Ivarsen", "Jonas")
_MONTHS = ("January", "March", "May", "July", "September", "November")


def introductions() -> list[dict[str, str]]:
    """People who never lived, with introductions of five sentences, tokenised as those of the data set are."""
    return [
        {"url": f"/wiki/{first}_{last}", "text": _introduction(number, first, last)}
        for number, (first, last) in enumerate(product(_FIRST, _LAST))
    ]


def _introduction(number: int, first: str, last: str) -> str:
    pronoun = "She" if first.endswith("a") else "He"
    city, other, third = (_CITIES[(number + step) % len(_CITIES)] for step in (0, 5, 8))
    year = 1800 + number % 90
    land, craft = _LANDS[number % len(_LANDS)], _CRAFTS[number * 3 % len(_CRAFTS)]
    master = f"{_FIRST[(number + 7) % len(_FIRST)]} {_LAST[(number + 3) % len(_LAST)]}"
    return (
        f"{first} {last} ( born {_MONTHS[number % 6]} {number % 27 + 1} , {year} ) was an {land} {craft} . "
        f"{pronoun} was born in {city} and moved to {other} in {year + 20} . "
        f"{pronoun} studied with {master} , who kept a workshop by the river . "
        f"In {year + 31} , {pronoun.lower()} opened the largest school of the region near {third} . "
        f"{pronoun} left {number + 12} works and was the first member of the guild ."
    )


def tables() -> list[dict[str, Any]]:
    """Tables of clubs, with a name, a town, a year and the number of members in each row."""
    return [
        {
            "table_id": f"Rowing_{number}",
            "url": f"https://en.wikipedia.org/wiki/Rowing_{number}",
            "title": f"Rowing in region {number}",
            "header": [["Club", []], ["Town", []], ["Founded", []], ["Members", []]],
            "data": [
                [
                    [f"{_LAST[row]} club {number}", []],
                    [_CITIES[(number + row) % 12], []],
                    [str(1880 + row + number), []],
                    [f"{(row * 37 + number * 11) % 400 + 20}", []],
                ]
                for row in range(6)
            ],
            "section_title": "Clubs -- Northern league",
            "section_text": "",
            "uid": f"Rowing_{number}",
            "intro": f"Rowing in region {number} is an old sport. It was brought there in {1860 + number} by sailors.",
        }
        for number in range(60)
    ]


TABFACT_TABLE = {
    "table_id": "t1",
    "page_title": "tall towers",
    "url": "",
    "header": ["tower", "height (m)", "city\r"],
    "rows": [["north tower", "120", "lyon\r"], ["old mast", "85", "turin\r"], ["sea light", "64", "porto\r"]],
}


def _records() -> dict[str, Iterable[dict[str, Any]]]:
    ada = "Ada_Almer"
    return {
        "nli/snli": [{"premise": "A dog runs .", "hypothesis": "An animal moves .", "label": "entailment"}],
        "nli/mnli": [{"premise": "It rained.", "hypothesis": "It was dry.", "label": "contradiction"}],
        "wiki/passages": introductions(),
        "wiki/tables": tables(),
        "fever/train_pairs": [
            _fever(
                "Ada Almer travelled to Rome by ship.", "SUPPORTS", ada, 9, "She sailed to Rome -LRB- twice -RRB- ."
            ),
            _fever("Ada Almer ate seven apples.", "REFUTES", ada, 8, "`` Three apples '' were all that Almer ate ."),
            _fever("Bruno Holm painted a bridge.", "SUPPORTS", "Bruno_Holm", 7, "Holm painted the bridge at dawn ."),
            _fever("Clara Galli sings.", "SUPPORTS", "Clara_Galli", 6, "Galli sings in the choir every Sunday ."),
        ],
        "fever/sentences": [
            {"page": ada, "line": 9, "text": "She sailed to Rome -LRB- twice -RRB- ."},
            {"page": ada, "line": 8, "text": "`` Three apples '' were all that Almer ate ."},
        ],
        "fever/dev_gold_text": [
            {
                "id": 1,
                "claim": "Clara Galli sings in public.",
                "label": "SUPPORTS",
                "evidence_text": "Galli sings in the square -LRB- often -RRB- .",
                "evidence_pages": ["Clara_Galli"],
            }
        ],
        "fever/dev_three_way_with_text": [
            {
                "id": "2",
                "claim": "Emil Farkas swam.",
                "label": "NOT ENOUGH INFO",
                "evidence": [["Emil Farkas", "Emil_Farkas", "( Emil Farkas ) Farkas kept bees ."]],
            },
            {"id": "3", "claim": "Emil Farkas rode.", "label": "SUPPORTS", "evidence": [["Emil_Farkas", 0]]},
        ],
        "fever/paper_dev": [{"id": 2, "claim": "", "label": "", "evidence": [[[1, 2, "Emil_Farkas", 0]]]}],
        "fm2/dev": [
            {
                "text": "The bridge is old.",
                "label": "SUPPORTS",
                "wikipedia_page": "Stone Bridge",
                "gold_evidence": [{"section_header": "History | Origin", "text": "It was built in 1402."}],
                "retrieved_evidence": [
                    {"section_header": "Summary", "text": "It has nine arches."},
                    {"section_header": "History | Origin", "text": "It was built in 1402."},
                ],
            }
        ],
        "feverous/official_records_dev50": [{"evidence": [{"content": ["Stone Bridge_sentence_0"], "context": {}}]}],
        "feverous/sentence_claims": [
            {
                "claim": "The bridge leads to Porto.",
                "label": "supports",
                "evidence": "Stone Bridge\tIt leads to [[Porto,_Portugal|Porto]].",
            }
        ],
        "feverous/cell_claims": [_cell_claim()],
        "feverous/full_table_gold_cells": [_cell_claim() | _whole_table()],
        "feverous/full_tables": [
            {
                "title": "",
                "context": ["The [[Ferry|ferry]] runs daily."],
                "table": {"header": ["Owner", "Harbour board"], "rows": [["Length", "40 m"]], "caption": ""},
                "query": "The ferry is 40 m long.",
                "label": "1",
            }
        ],
        "vitaminc/real": [
            {
                "claim": f"The choir of page {number} has {number} members .",
                "evidence": f"The choir , founded in 1950 , has {number} members .",
                "label": ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")[number % 3],
                "page": f"Choir_{number}",
            }
            for number in range(60)
        ],
        "infotabs/tables": [
            {"table_id": "T1", "table": {"title": ["Grey Heron"], "Owner": ["Ann", "Ben &amp; Co"], "Length": ["12 m"]}}
            | {"n": number}
            for number in range(1)
        ]
        + [{"table_id": f"X{n}", "table": {"title": ["X"], "Owner": ["A"], "Length": ["1 m"]}} for n in range(3)],
        "infotabs/train": [{"table_id": "T1", "hypothesis": "Grey Heron is over ten metres long.", "label": "E"}],
        "infotabs/dev": [{"table_id": "T1", "hypothesis": "Grey Heron is green.", "label": "N"}],
        "infotabs/test_alpha1": [{"table_id": "T1", "hypothesis": "Nobody owns Grey Heron.", "label": "C"}],
        "tabfact/tables": [TABFACT_TABLE],
        "tabfact/train_partial": [
            {"table_id": "t1", "statement": "north tower is the tallest", "label": "ENTAILED"},
            {"table_id": "t1", "statement": "old mast is 64 m high", "label": "REFUTED"},
        ],
        "tabfact/val": [{"table_id": "t1", "statement": "sea light is in porto", "label": "ENTAILED"}],
        "tabfact/entailed_cell_links": [
            {
                "table_id": "t1",
                "split": split,
                "statement": "old mast be 85 m high",
                "label": "ENTAILED",
                "cell_links": [{"text": "old mast", "row": 2, "col": 0}, {"text": "85", "row": 2, "col": 1}],
            }
            for split in ("train", "val")
        ],
    }


def _fever(claim: str, label: str, page: str, line: int, sentence: str) -> dict[str, Any]:
    return {"claim": claim, "label": label, "page": page, "line": line, "sentence": sentence}


def _cell_claim() -> dict[str, Any]:
    header = "Stone Bridge_header_cell_1_0_1"
    return {
        "id": 7,
        "claim": "The third arch is 12 m wide.",
        "label": "SUPPORTS",
        "evidence": [
            {
                "content": ["Stone Bridge_cell_1_3_1"],
                "context": {"Stone Bridge_cell_1_3_1": ["Stone Bridge_title", header]},
            }
        ],
        "cells": [{"id": "Stone Bridge_cell_1_3_1", "value": "12 m", "header": "[H] Width", "grid_position": [3, 1]}],
    }


def _whole_table() -> dict[str, Any]:
    rows = [["first", "9 m"], ["second", "11 m"], ["third", "12 m"]]
    return {"page": "Stone Bridge", "table": {"header": ["Arch", "Width"], "rows": rows, "caption": ""}, "context": []}


_PAPER = """<document><table id="1"><caption text="Growth of seedlings"/>
<row row="0"><cell row-start="0" row-end="0" col-start="0" col-end="0" text="Plant"/>
<cell row-start="0" row-end="0" col-start="1" col-end="1" text="Height (cm)"/></row>
<row row="1"><cell row-start="1" row-end="1" col-start="0" col-end="0" text="bean"/>
<cell row-start="1" row-end="1" col-start="1" col-end="1" text="14">
<evidence statement_id="0" type="relevant" version="0"/></cell></row>
<statements><statement id="0" text="Beans grew 14 cm." type="entailed"/></statements></table></document>"""


def write(folder: Path) -> Path:
    """Writes all of them as the public data sets are kept."""
    for name, records in _records().items():
        path = folder / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(b"".join(orjson.dumps(record) + b"\n" for record in records), mtime=0))
    (folder / "semtabfacts").mkdir(exist_ok=True)
    for name in ("train_manual_v1.3.2.zip", "dev_v1.1.zip"):
        kept = io.BytesIO()
        with zipfile.ZipFile(kept, "w") as archive:
            archive.writestr("v1/output/1.xml", _PAPER)
        (folder / "semtabfacts" / name).write_bytes(kept.getvalue())
    return folder
