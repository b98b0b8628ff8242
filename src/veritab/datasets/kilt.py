"""KILT's records: what is asked, and for each answer the passages of Wikipedia it is from.

FEVER's claims are there with SUPPORTS or REFUTES as the answer, one output for each evidence set, and the sentences in
the `meta` of each passage. What Veritab writes also has the element's address there, so that cells have one, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veritab.corpus.fever import title_of
from veritab.datasets.records import Record
from veritab.errors import short_repr
from veritab.schema import ElementId, Kind, Label

ELEMENT = "element"
"""The key of a passage's `meta` that holds the address of the element it is."""


def is_kilt(record: Record) -> bool:
    """Whether a record is one of KILT's."""
    return isinstance(record.get("input"), str) and (isinstance(record.get("output"), list) or "output" not in record)


def row_of_kilt(record: Record) -> dict[str, Any]:
    """A record of KILT as a row; ValueError where it is no claim with an answer."""
    outputs = record.get("output") or []
    if not all(isinstance(output, dict) for output in outputs):
        raise ValueError(
            f'the output is {short_repr(outputs)}; expected e.g. [{{"answer": "SUPPORTS", "provenance": []}}]'
        )
    given_meta = record.get("meta")
    meta = given_meta if isinstance(given_meta, dict) else {}
    return {
        "id": record.get("id"),
        "claim": record["input"],
        "label": _answer(outputs),
        "evidence": [found for output in outputs if (found := list(_addresses(output)))],
        "challenge": meta.get("challenge", ""),
        "silver": bool(meta.get("silver")),
        "task": "fever",
        "record": dict(record),
    }


def _answer(outputs: list[dict[str, Any]]) -> str | None:
    answers = [answer for output in outputs if (answer := output.get("answer")) is not None]
    if any(answer not in tuple(Label) or answer != answers[0] for answer in answers):
        raise ValueError(f"the answers are {short_repr(answers)}; a claim has one: SUPPORTS or REFUTES")
    return answers[0] if answers else None


def _addresses(output: dict[str, Any]) -> Iterator[str]:
    passages = output.get("provenance")
    for passage in passages if isinstance(passages, list) else ():
        meta = passage.get("meta") if isinstance(passage, dict) else None
        if not isinstance(meta, dict):
            continue
        page, line = meta.get("fever_page_id"), meta.get("fever_sentence_id")
        if isinstance(meta.get(ELEMENT), str):
            yield meta[ELEMENT]
        elif isinstance(page, str) and type(line) is int and line >= 0:
            yield str(ElementId(title_of(page), Kind.SENTENCE, (line,)))
