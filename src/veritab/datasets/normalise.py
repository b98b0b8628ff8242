"""Labels, texts and titles of the data sets in the one form that the rest of Veritab reads."""

from __future__ import annotations

import re
from functools import cache

from veritab.corpus.tokenised import detokenise, restore_brackets
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


def plain_text(text: str) -> str:
    """Tokenised text as people write it: "Inc. , was -LRB- 1987 -RRB-" is "Inc., was (1987)"."""
    return squeeze(detokenise(_DEBRIS.sub(" ", text)))


def strip_links(text: str) -> str:
    """Text of FEVEROUS without its links: "[[Paris|the city]]" is "the city"."""
    while (stripped := _LINK.sub(r"\1", text)) != text:
        text = stripped
    return squeeze(text.replace("[H] ", ""))


@cache
def page_title(name: str) -> str:
    """The title of a page whose name is written as FEVER does: Soul_Food_-LRB-film-RRB-, Alien-COLON-_Covenant."""
    return squeeze(restore_brackets(name).replace("-COLON-", ":").replace("_", " "))


def title_key(name: str) -> str:
    """A form of a title that all data sets agree on, to compare titles by."""
    return nfc(printable(page_title(name))).strip().casefold()
