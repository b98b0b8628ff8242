"""The command for programs that have a document and want to know whether it supports what was said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import orjson
import typer

from veritab.cli.output import Json, print_json
from veritab.cli.streams import STDIN, answer_lines, opened
from veritab.errors import InputError
from veritab.schema import refuse_long
from veritab.text import squeeze
from veritab.verify.evidence import parse_evidence
from veritab.verify.judge import score as score_pairs

if TYPE_CHECKING:
    from veritab.verify.model import ModelVerifier

_EXAMPLE = '{"id": 1, "doc": "K2 is 8,611 m high, Everest 8,849 m.", "claim": "K2 is higher than Everest."}'


def score(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="JSON lines to score; - or nothing reads stdin.", show_default=False),
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME|FOLDER", help="The verdict model.")] = "verdict",
    as_json: Json = False,
) -> None:
    """Say how likely it is that documents support claims, without a corpus.

    Each line is {"id", "doc", "claim"}, and for each a line {"id", "label", "probability"} is printed: label is 1 where
    the document supports the claim, else 0. With "docs" and "claims", lists of the same length, the answer has
    "labels" and "probabilities"; one doc stands for many claims, and one claim for many docs. A document is a text, or
    any evidence that `veritab judge` takes. Answers are JSON with and without --json.
    """
    from veritab.verify.model import ModelVerifier

    name = STDIN if file is None or file == Path("-") else str(file)
    with _open_input(file) as lines:
        _score_lines(lines, name, ModelVerifier.open(model))


def _open_input(file: Path | None) -> AbstractContextManager[BinaryIO]:
    if file is None or file == Path("-"):
        if sys.stdin is None or (file is None and sys.stdin.isatty()):
            raise InputError(f"nothing to score; try: veritab score < FILE, with lines such as {_EXAMPLE}")
        return nullcontext(sys.stdin.buffer)
    return opened(file)


class _ScoreRecord(NamedTuple):
    """What a line asks; `alone` where it gave one document and one claim, and wants one number."""

    id: Any
    docs: list[Any]
    claims: list[str]
    alone: bool


def _score_lines(lines: BinaryIO, name: str, verifier: ModelVerifier) -> None:
    answered = answer_lines(
        lines, lambda line, number: _record(line, number, name), lambda some: _answer(some, verifier)
    )
    if not answered and name == STDIN:
        raise InputError(f"stdin holds nothing to score; expected lines such as {_EXAMPLE}")


def _answer(records: Sequence[_ScoreRecord], verifier: ModelVerifier) -> None:
    docs = [doc for record in records for doc in record.docs]
    claims = [claim for record in records for claim in record.claims]
    scores = score_pairs(docs, claims, verifier=verifier)
    found = iter(zip(scores.labels, (round(each, 4) for each in scores.probabilities), strict=True))
    for record in records:
        pairs = [next(found) for _ in record.claims]
        if record.alone:
            print_json({"id": record.id, "label": pairs[0][0], "probability": pairs[0][1]})
        else:
            labels, probabilities = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            print_json({"id": record.id, "labels": labels, "probabilities": probabilities})
        sys.stdout.flush()


def _record(line: bytes, number: int, name: str) -> _ScoreRecord:
    where = f"{name}, line {number}"
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{where} is not JSON ({error}); expected e.g. {_EXAMPLE}") from error
    if not isinstance(record, dict):
        raise InputError(f"{where} is not an object; expected e.g. {_EXAMPLE}")
    docs, claims = _list_field(record, "doc", where), _list_field(record, "claim", where)
    many = max(len(docs), len(claims))
    docs, claims = docs * many if "docs" not in record else docs, claims * many if "claims" not in record else claims
    if len(docs) != len(claims):
        raise InputError(f"{where} has {len(docs)} docs and {len(claims)} claims, which do not pair up")
    for claim in claims:
        if not isinstance(claim, str) or not claim.strip():
            raise InputError(f"{where}: {claim!r:.80} is not a claim; expected e.g. {_EXAMPLE}")
        refuse_long(f"{where}: a claim", squeeze(claim))
    try:
        pieces = [parse_evidence(doc) for doc in docs]
    except (InputError, RecursionError) as error:
        what = str(error) if isinstance(error, InputError) else "a document nests too deep"
        raise InputError(f"{where}: {what}") from error
    alone = "docs" not in record and "claims" not in record
    return _ScoreRecord(number if record.get("id") is None else record["id"], list(pieces), claims, alone)


def _list_field(record: dict[str, Any], key: str, where: str) -> list[Any]:
    """The docs or the claims of a record; one may stand alone."""
    if f"{key}s" in record:
        given = record[f"{key}s"]
        if not isinstance(given, list):
            raise InputError(f"{where}: {key}s is a list, not {given!r:.80}; expected e.g. {_EXAMPLE}")
        return given
    if record.get(key) is None:
        raise InputError(f"{where} has no {key}; expected e.g. {_EXAMPLE}")
    return [record[key]]
