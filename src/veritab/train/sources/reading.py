"""The files of the data sets, read record by record and put into the one form that the rest of Veritab reads."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from veritab.corpus.tokenised import detokenise, restore_brackets
from veritab.errors import FormatError, NotFound
from veritab.text import nfc, printable, squeeze

SUPPORTS, REFUTES, NOT_ENOUGH = 0, 1, 2
LABELS = {
    **dict.fromkeys(("SUPPORTS", "supports", "ENTAILED", "entailed", "entailment", "E", "1"), SUPPORTS),
    **dict.fromkeys(("REFUTES", "refutes", "REFUTED", "refuted", "contradiction", "C", "0"), REFUTES),
    **dict.fromkeys(("NOT ENOUGH INFO", "not enough info", "unknown", "neutral", "N", "2"), NOT_ENOUGH),
}
"""What the data sets call their labels."""

_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
# What a page was quoted with when its bytes were no longer understood, and marks that editors leave in running text.
_DEBRIS = re.compile(
    r"\s*\[\s*(?:update|citation needed|clarification needed|note \d+|nb \d+|[a-z]|\d+)\s*\]|[\ufffd\x00]+"
)


def records(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """The records of one file of a data set, which may be gzipped or plain."""
    path = next((each for each in (data / f"{name}.jsonl.gz", data / f"{name}.jsonl") if each.is_file()), None)
    if path is None:
        raise NotFound(f"no {name}.jsonl.gz in {str(data)!r}; name the folder that holds the data sets with --data")
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise FormatError(f"{path.name}:{number} is not JSON ({error}); download the file again") from None


def prose(text: str) -> str:
    """Tokenised text as people write it: "Inc. , was -LRB- 1987 -RRB-" is "Inc., was (1987)"."""
    return squeeze(detokenise(_DEBRIS.sub(" ", text)))


def unlinked(text: str) -> str:
    """Text of FEVEROUS without its links: "[[Paris|the city]]" is "the city"."""
    while (shown := _LINK.sub(r"\1", text)) != text:
        text = shown
    return squeeze(text.replace("[H] ", ""))


@cache
def title(name: str) -> str:
    """The title of a page whose name is written as FEVER does: Soul_Food_-LRB-film-RRB-, Alien-COLON-_Covenant."""
    return squeeze(restore_brackets(name).replace("-COLON-", ":").replace("_", " "))


def known_title(name: str) -> str:
    """A form of a title that all data sets agree on, to compare titles by."""
    return nfc(printable(title(name))).strip().casefold()
