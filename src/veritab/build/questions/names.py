"""Names in a claim with their capitals, which people leave out who search: "frank sinatra", "new york".

`names.json` lists words and phrases that Wikipedia's introductions write with capitals whenever they write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

_WORD = re.compile(r"(?<![\w'’])[^\W\d_]+(?!\w|['’]t\b)")
"""A word that may be a name: not the "st" of "21st", not the "don" of "don't"."""
_ALWAYS = ("I", "the US")
"""What is a pronoun or a common word by itself, and a name where it stands like this."""
_MOST_WORDS = 4


@lru_cache(1)
def _names() -> Mapping[str, str]:
    listed: list[str] = json.loads(files(__package__).joinpath("names.json").read_text("utf-8"))
    return {name.lower(): name for name in (*listed, *_ALWAYS)}


def _as_given(answer: str) -> re.Pattern[str]:
    """Where an answer stands in a claim: as it was given, but for the case of its first letter."""
    first = re.escape(answer[0])
    either = f"(?:{first.lower()}|{first.upper()})" if answer[0].isalpha() else first
    return re.compile(rf"(?<!\w){either}{re.escape(answer[1:])}(?!\w)")


def answer_spans(claim: str, answer: str) -> list[tuple[int, int]]:
    """Where an answer stands in a claim."""
    return [match.span() for match in _as_given(answer).finditer(claim)] if answer else []


def capitalise_names(claim: str, answer: str) -> str:
    """A claim with capitals for the names in it that have none; the answer stays as it was given."""
    names = _names()
    kept = answer_spans(claim, answer)
    words = [match for match in _WORD.finditer(claim) if not any(start <= match.start() < end for start, end in kept)]
    pieces: list[str] = []
    done = place = 0
    while place < len(words):
        for size in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            first, last = words[place], words[place + size - 1]
            said = claim[first.start() : last.end()]
            if not pieces and first is words[0]:
                said = said[0].lower() + said[1:]
            if said in names:
                name = names[said]
                name = name[0].upper() + name[1:] if claim[first.start()].isupper() else name
                pieces += [claim[done : first.start()], name]
                done = last.end()
                place += size
                break
        else:
            place += 1
    return "".join(pieces) + claim[done:]
