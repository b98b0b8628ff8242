"""Rankings and gold as TREC files, which every retrieval tool reads."""

from __future__ import annotations

import io
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TextIO
from urllib.parse import quote, unquote

from veritab.errors import FormatError, InputError
from veritab.evaluate.json_records import read_bytes
from veritab.evaluate.levels import Level, RankedItem, RankedList, gold_sets, is_scored, project
from veritab.files import replacing
from veritab.schema import Example, Hit

# A byte order mark would be lost at the start of a file.
_NOT_IN_A_FIELD = re.compile(r"[\s%\ufeff]")


def write_run(path: Path | str, rankings: Mapping[str, RankedList], tag: str, level: Level | None = None) -> None:
    """Write rankings by claim id as a TREC run, as they are or brought to a level; repetitions are left out.

    trec_eval orders by score, not by rank. So hits keep their scores only where these descend from rank to rank;
    other rankings get whole numbers. White space and `%` in ids are percent-encoded.
    """
    with _written(Path(path)) as file:
        for claim, ranking in rankings.items():
            scored = _scored(ranking, level)
            for rank, (document, score) in enumerate(scored.items(), start=1):
                file.write(f"{_field(claim)} Q0 {_field(document)} {rank} {score!r} {_field(tag)}\n")


def write_qrels(path: Path | str, examples: Iterable[Example], level: Level = Level.ELEMENT) -> None:
    """Write the gold at a level as TREC judgements: the union of the evidence sets of each claim that is scored."""
    with _written(Path(path)) as file:
        for example in examples:
            sets = gold_sets(example, level)
            if is_scored(example, sets):
                for document in sorted(map(str, frozenset().union(*sets))):
                    file.write(f"{_field(example.claim.id)} 0 {_field(document)} 1\n")


def read_run(path: Path | str) -> dict[str, list[str]]:
    """Read a TREC run: by claim id, what was found, by descending score and, where scores are equal, by rank."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"cannot read {str(path)!r}: it is a folder; give the file of a run")
    return run_in(read_bytes(path), str(path))


def run_in(data: bytes, name: str) -> dict[str, list[str]]:
    """The same, of some bytes; `name` is what a message calls them."""
    lines: dict[str, dict[str, tuple[float, int]]] = {}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{name!r} is not UTF-8 text, so it is not a TREC run") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            _read_line(line, f"{name!r}, line {number}", lines)
    return {claim: sorted(found, key=found.__getitem__) for claim, found in lines.items()}


def _read_line(line: str, where: str, lines: dict[str, dict[str, tuple[float, int]]]) -> None:
    try:
        claim, _, document, rank, score, _ = line.split()
        order = (-float(score), int(rank))
        claim, document = unquote(claim, errors="strict"), unquote(document, errors="strict")
    except ValueError:
        raise FormatError(f"{where}: expected 'claim Q0 document rank score tag', not {line.strip()!r}") from None
    if math.isnan(order[0]):
        raise FormatError(f"{where}: the score is not a number")
    found = lines.setdefault(claim, {})
    if document in found:
        raise FormatError(f"{where}: {document!r} was already ranked for claim {claim!r}; rank it once")
    found[document] = order


def _scored(ranking: RankedList, level: Level | None) -> dict[str, float]:
    scores: dict[str, float] = {}
    for found in ranking:
        written: RankedItem | None = found.element.id if isinstance(found, Hit) else found
        if level is not None:
            written = project(found, level)
        if written is not None:
            scores.setdefault(str(written), found.score if isinstance(found, Hit) else math.nan)
    if _descend(list(scores.values())):
        return scores
    return {document: float(len(scores) - before) for before, document in enumerate(scores)}


def _descend(scores: Sequence[float]) -> bool:
    # trec_eval keeps scores in 32 bits, where close ones become equal.
    return all(map(math.isfinite, scores)) and all(high > low for high, low in pairwise(array("f", scores)))


def _field(text: str) -> str:
    if not text:
        raise InputError("a TREC file cannot hold an empty id or tag; give it a name")
    return _NOT_IN_A_FIELD.sub(lambda match: quote(match[0]), text)


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    """A text file that appears under its name when it is whole, and not at all when it is not."""
    try:
        with replacing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
            yield text
            text.detach()
    except UnicodeEncodeError as error:
        raise InputError(f"cannot write {error.object!r}, which has characters that are not text") from None
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name another place") from None
