"""A folder as BEIR has it: documents, queries, and for each split which document belongs to which query.

Documents are elements, named by their addresses. Labels, evidence sets and challenges have no place in BEIR but the
`metadata` of the queries, where other tools do not look for them and our own reader does.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets.beir import DOCUMENTS, JUDGEMENTS, QUERIES
from veritab.datasets.example_rows import written_sets
from veritab.datasets.quoted import gold_texts
from veritab.datasets.records import GoldText
from veritab.datasets.writing.account import QUOTED, LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import ElementOf
from veritab.schema import Element, ElementId, Example

_NO_WORDS = "the words of evidence that no record quotes and no corpus was given for (--corpus)"
_ONE_ID = "another claim has its id, and queries are identified by theirs"


class _Query(NamedTuple):
    line: dict[str, Any]
    documents: tuple[str, ...]


def write(
    parts: Mapping[str, Iterable[Example]],
    folder: Path,
    account: LossAccount,
    task: str,
    element_of: ElementOf | None,
    elements: Iterable[Element],
) -> None:
    """Write the claims of each split, and the documents: what is evidence, and all else that a corpus holds."""
    documents = _Documents(element_of)
    seen: set[str] = set()
    (folder / JUDGEMENTS).mkdir()
    with (folder / QUERIES).open("wb") as queries:
        for split, examples in parts.items():

            def made(example: Example, account: LossAccount, split: str = split) -> _Query:
                return _query(example, account, documents, seen, {"task": task, "split": split})

            with (folder / JUDGEMENTS / f"{split}.tsv").open("w", encoding="utf-8", newline="") as judgements:
                table = csv.writer(judgements, delimiter="\t", lineterminator="\n")
                table.writerow(("query-id", "corpus-id", "score"))
                for query in account.carried(examples, made):
                    queries.write(_line(query.line))
                    table.writerows((query.line["_id"], document, 1) for document in query.documents)
    with (folder / DOCUMENTS).open("wb") as file:
        file.writelines(map(_line, documents.lines(elements)))


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _query(
    example: Example, account: LossAccount, documents: _Documents, seen: set[str], details: dict[str, Any]
) -> _Query:
    if example.claim.id in seen:
        raise UnsupportedExample(_ONE_ID)
    seen.add(example.claim.id)
    account.lose_rest(example, QUOTED)
    metadata = {
        **details,
        "label": str(example.label) if example.label else None,
        "evidence": written_sets(example.evidence),
        "challenge": example.challenge,
        "silver": example.silver,
    }
    line = {"_id": example.claim.id, "text": example.claim.text, "metadata": metadata}
    return _Query(line, documents.of(example, account))


class _Documents:
    """The documents that claims ask for, with their words as far as anyone knows them."""

    def __init__(self, element_of: ElementOf | None) -> None:
        self._element_of = element_of
        self._known: dict[str, dict[str, Any]] = {}

    def of(self, example: Example, account: LossAccount) -> tuple[str, ...]:
        """The ids of the documents that belong to a claim."""
        addressed = sorted(frozenset().union(*example.evidence))
        quoted = gold_texts(example)
        if not addressed:
            return tuple(dict.fromkeys(map(self._quoted, quoted)))
        for address in addressed:
            self._add(address, quoted[0].text if len(addressed) == len(quoted) == 1 else "")
        if not all(self._known[str(address)]["text"] for address in addressed):
            account.lose(_NO_WORDS)
        return tuple(map(str, addressed))

    def _quoted(self, text: GoldText) -> str:
        id = f"quoted-{hashlib.sha256(chr(10).join(text).encode()).hexdigest()[:16]}"
        self._known[id] = _document(id, text.page, text.text, section=text.section)
        return id

    def _add(self, address: ElementId, quoted: str) -> None:
        known = self._known.get(str(address))
        if known and known["text"]:
            return
        element = self._element_of(address) if self._element_of else None
        self._known[str(address)] = _document(str(address), address.page, element.text if element else quoted)

    def lines(self, elements: Iterable[Element]) -> Iterator[dict[str, Any]]:
        """What is evidence, then what else there is."""
        others = (each for each in elements if str(each.id) not in self._known)
        return chain(self._known.values(), (_document(str(each.id), each.id.page, each.text) for each in others))


def _document(id: str, title: str, text: str, **metadata: str) -> dict[str, Any]:
    return {"_id": id, "title": title, "text": text, "metadata": {key: said for key, said in metadata.items() if said}}
