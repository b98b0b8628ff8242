"""Claims as Fool Me Twice publishes them: a record becomes a claim that is played, and a claim a record again.

What a record says of a claim that nobody changed since is written as it came, key by key; votes and likes are those of
the file and those that came here. The published files list what was retrieved, ten passages at most, and after them the
gold that is not among the ten: who reads to the end of the list is told the answer. That end is left off.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from veritab.datasets import fm2
from veritab.datasets.records import DataNotes, Record, claim_of, label_of
from veritab.errors import InputError, short_repr
from veritab.schema import ElementId, Label, refuse_long
from veritab.studio.game.pieces import EvidencePiece, ShownCell
from veritab.studio.game.records import GameClaimRecord
from veritab.text import squeeze, title_form

NO_TOPIC = "NOCAT"
"""What Fool Me Twice calls the category of a claim that has none."""
RETRIEVED = 10
"""So many passages were retrieved for a claim; what a published record lists after them is its gold."""
LONGEST_NAME = 200
"""The most characters of an id, a title or a topic: longer ones do not fit the indexes of a database."""
_MOST_COUNTED = 10**9
_EXPECTED = '{"text", "label", "wikipedia_page", "gold_evidence", "retrieved_evidence", ...}'
_PIECE = '{"section_header": "History", "text": "It was built in 1889."}'


class PublishedClaim(NamedTuple):
    """A claim with all that a record of Fool Me Twice says of it, in the one form of texts."""

    id: str
    text: str
    truth: bool
    page: str
    topic: str
    gold: tuple[EvidencePiece, ...]
    hints: tuple[EvidencePiece, ...]
    """What was retrieved, each text once, without the gold."""
    votes: int = 0
    right_votes: int = 0
    likes: int = 0


# -- a record is read --------------------------------------------------------------------------------------


def read_published(record: Record) -> PublishedClaim:
    """The claim of a record; ValueError with what is wrong where it cannot be played."""
    if not fm2.OFFICIAL.matches(record):
        raise ValueError(
            f"it has {', '.join(record)[:80] or 'nothing'}; expected a claim as Fool Me Twice has it: {_EXPECTED}"
        )
    text = _claim_text(record)
    gold = _pieces(record, "gold_evidence")
    if not gold:
        raise ValueError(f"gold_evidence is {short_repr(record['gold_evidence'])}; expected e.g. [{_PIECE}]")
    votes, right_votes, likes = (_count(record, key) for key in ("total_votes", "correct_votes", "total_likes"))
    if right_votes > votes:
        raise ValueError(f"{right_votes} of {votes} votes are right: correct_votes cannot be more than total_votes")
    page = _name(record, "wikipedia_page")
    if not page:
        raise ValueError("it has no wikipedia_page; two claims that meet must be about different pages, so name it")
    return PublishedClaim(
        _id(record),
        text,
        _truth(record),
        page,
        "" if (topic := _name(record, "category")) == NO_TOPIC else topic,
        gold,
        _without(_pieces(record, "retrieved_evidence"), gold),
        votes,
        right_votes,
        likes,
    )


def _claim_text(record: Record) -> str:
    text = claim_of({"text": record["text"]}, "text", 0).text
    try:
        refuse_long("a claim", text)
    except InputError as error:
        raise ValueError(str(error)) from None
    if not any(map(str.isalnum, text)):
        raise ValueError(f"{short_repr(text)} is not a claim; write a sentence, or take the line out")
    return text


def _id(record: Record) -> str:
    given = record.get("id")
    if isinstance(given, bool) or not isinstance(given, int | str) or not str(given).strip():
        raise ValueError(f"the id is {short_repr(given)}; expected a number or a text, so that it can go out again")
    id = str(given).strip()
    if len(id) > LONGEST_NAME or "\x00" in id:
        raise ValueError(f"the id {short_repr(id)} cannot be kept; give one of {LONGEST_NAME} characters")
    return id


def _truth(record: Record) -> bool:
    label = label_of(record.get("label"), DataNotes())
    if label is Label.NOT_ENOUGH_INFO:
        raise ValueError(
            f"the label is {label}, and the game has only {Label.SUPPORTS} and {Label.REFUTES}; take it out"
        )
    if label is None:
        raise ValueError(f"it has no label; expected {Label.SUPPORTS} or {Label.REFUTES}")
    return label is Label.SUPPORTS


def _name(record: Record, key: str) -> str:
    given = record.get(key)
    if given is not None and not isinstance(given, str):
        raise ValueError(f"{key} is {short_repr(given)}; expected a text")
    name = title_form(given or "")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"{key} has {len(name):,} characters ({short_repr(name)}); at most {LONGEST_NAME} are kept")
    return name


def _count(record: Record, key: str) -> int:
    given = record.get(key, 0)
    if type(given) is not int or not 0 <= given <= _MOST_COUNTED:
        raise ValueError(f"{key} is {short_repr(given)}; expected a whole number such as 0 or 7")
    return given


def _pieces(record: Record, key: str) -> tuple[EvidencePiece, ...]:
    given = record.get(key, [])
    if not isinstance(given, list):
        raise ValueError(f"{key} is {short_repr(given)}; expected a list such as [{_PIECE}]")
    return tuple(_piece(each, f"{key}, entry {place}") for place, each in enumerate(given, 1))


def _piece(given: Any, where: str) -> EvidencePiece:
    """A piece; those of our own files may also have addresses, and the part of the table around them."""
    if not isinstance(given, dict):
        raise ValueError(f"{where}, is {short_repr(given)}; expected {_PIECE}")
    texts = {key: given.get(key) or "" for key in ("text", "section_header", "caption")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{where}: {key} is {short_repr(text)}; expected a text")
    if not (text := squeeze(texts["text"])):
        raise ValueError(f"{where}, has no text; expected {_PIECE}")
    return EvidencePiece(
        text,
        squeeze(texts["section_header"]),
        _addresses(given.get("elements", []), where),
        squeeze(texts["caption"]),
        _rows(given.get("rows", []), where),
    )


def _addresses(given: Any, where: str) -> tuple[str, ...]:
    try:
        if isinstance(given, list) and all(isinstance(each, str) and "\x00" not in each for each in given):
            return tuple(str(ElementId.parse(each)) for each in given)
    except InputError:
        pass
    raise ValueError(f"{where}: elements is {short_repr(given)}; expected addresses such as ['Alan Turing_sentence_0']")


def _rows(given: Any, where: str) -> tuple[tuple[ShownCell, ...], ...]:
    if isinstance(given, list) and all(isinstance(row, list) and all(map(_is_cell, row)) for row in given):
        return tuple(tuple(ShownCell(squeeze(text), head, mark) for text, head, mark in row) for row in given)
    raise ValueError(f"{where}: rows is {short_repr(given)}; expected cells such as [[['1889', false, true]]]")


def _is_cell(given: Any) -> bool:
    return isinstance(given, list) and [type(each) for each in given] == [str, bool, bool]


def _without(retrieved: Sequence[EvidencePiece], gold: Sequence[EvidencePiece]) -> tuple[EvidencePiece, ...]:
    """What was retrieved without the gold; nobody should pay for the same words twice either."""
    known = {piece.text for piece in gold}
    kept: dict[str, EvidencePiece] = {}
    for piece in retrieved:
        if piece.text not in known:
            kept.setdefault(piece.text, piece)
    return tuple(kept.values())


# -- a claim is written ------------------------------------------------------------------------------------


def write_published(claim: GameClaimRecord, id: str, *, as_published: bool = False) -> dict[str, Any]:
    """The record of a claim; one that was imported is as it came, but for what people did since and the leak.

    With `as_published` the leak stays.
    """
    if not claim.source:
        return _described(claim, id)
    counts = {"correct_votes": claim.right_votes, "total_likes": claim.likes, "total_votes": claim.votes}
    record = claim.source | {key: count for key, count in counts.items() if claim.source.get(key, 0) != count}
    if not as_published and len(record.get("retrieved_evidence", ())) > RETRIEVED:
        gold = {squeeze(piece["text"]) for piece in record["gold_evidence"]}
        record["retrieved_evidence"] = without_leak(record["retrieved_evidence"], gold)
    return record


def without_leak(retrieved: Sequence[Mapping[str, Any]], gold: Collection[str]) -> list[Mapping[str, Any]]:
    """What was retrieved, without the gold that stands after the tenth passage."""
    return [*retrieved[:RETRIEVED], *(each for each in retrieved[RETRIEVED:] if squeeze(each["text"]) not in gold)]


def _described(claim: GameClaimRecord, id: str) -> dict[str, Any]:
    """A claim in the words and the order of the published files."""
    gold, hints = (
        [_quoted(EvidencePiece.parse(piece)) for piece in each["pieces"]] for each in (claim.gold, claim.hints)
    )
    return {
        "category": claim.topic or NO_TOPIC,
        "correct_votes": claim.right_votes,
        "gold_evidence": gold,
        "id": id,
        "label": str(Label.SUPPORTS if claim.truth else Label.REFUTES),
        "retrieved_evidence": hints,
        "text": claim.text,
        "total_likes": claim.likes,
        "total_votes": claim.votes,
        "wikipedia_page": claim.page,
    }


def _quoted(piece: EvidencePiece) -> dict[str, Any]:
    """A piece in words, and for who has the corpus its addresses and its part of the table."""
    beside = {
        "elements": list(piece.ids),
        "caption": piece.caption,
        "rows": [[list(cell) for cell in row] for row in piece.rows],
    }
    told = {"section_header": piece.section, "text": piece.text}
    return told | {key: value for key, value in beside.items() if value}


def json_line(record: Mapping[str, Any]) -> bytes:
    """A record as a line of a file."""
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
