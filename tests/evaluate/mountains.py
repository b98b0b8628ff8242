"""A corpus of three small pages with its index, claims about them with gold evidence, and settings without models."""

from __future__ import annotations

from pathlib import Path

import orjson

from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.retrieve.index import build_index
from veritab.settings import Settings

PAGES = {
    "Aaberg": """# Aaberg

Aaberg is a mountain in the north. It was first climbed in 1901.

| Year | Height (m) |
|---|---|
| 1900 | 1200 |
| 2000 | 1210 |
""",
    "Boberg": "# Boberg\n\nBoberg is a mountain in the south. Its summit is 2400 m high.\n",
    "Cecilia Dahl": "# Cecilia Dahl\n\nCecilia Dahl was a climber. She was born in Oslo.\n",
}
SENTENCE, CELL, BIRTH = "Boberg_sentence_1", "Aaberg_cell_0_1_1", "Cecilia Dahl_sentence_1"
CLAIMS = [
    {"id": 1, "claim": "The summit of Boberg is 2400 m high.", "label": "SUPPORTS", "evidence": [[SENTENCE]]},
    {"id": 2, "claim": "Aaberg was 1300 m high in 1900.", "label": "REFUTES", "evidence": [[CELL]]},
    {"id": 3, "claim": "The first woman on Aaberg was born in Oslo.", "label": "SUPPORTS", "evidence": [[BIRTH]]},
    {"id": 4, "claim": "Boberg is owned by a bank.", "label": "NOT ENOUGH INFO", "evidence": []},
]
FAST = '[select]\nmodel = "none"\n[verify]\nmodel = "none"\n[check]\nparts = false\n'


def settings(**sections: dict[str, object]) -> Settings:
    return Settings.of({"select": {"model": "none"}, "verify": {"model": "none"}, **sections})


def make_corpus(folder: Path) -> Path:
    source = folder / "pages"
    source.mkdir()
    for name, text in PAGES.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    with Store.create(folder / "corpus") as store:
        for _ in Ingest(store, [source], workers=1):
            pass
        for _ in build_index(store):
            pass
    return folder / "corpus"


def write_claims(file: Path) -> Path:
    """The claims in FEVEROUS's form."""
    dummy = {"id": "", "claim": "", "label": "", "evidence": [{"content": [], "context": {}}], "challenge": ""}
    records = [
        {**claim, "evidence": [{"content": ids, "context": {}} for ids in claim["evidence"]], "challenge": "Other"}  # type: ignore[attr-defined]
        for claim in CLAIMS
    ]
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in (dummy, *records)))
    return file
