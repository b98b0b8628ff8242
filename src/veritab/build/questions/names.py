"""Names in a claim with their capitals, which people leave out who search: "frank sinatra", "new york".

`names.json` lists words and phrases that Wikipedia's introductions write with capitals whenever they write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 4


@lru_cache(1)
def _names() -> Mapping[str, str]:
    listed: list[str] = json.loads(files(__package__).joinpath("names.json").read_text("utf-8"))
    return {name.lower(): name for name in listed}


def capitalise_names(claim: str, answer: str) -> str:
    """A claim with capitals for the names in it that have none; the answer stays as it was given."""
    names = _names()
    start = claim.lower().find(answer.lower()) if answer else -1
    end = start + len(answer) if start >= 0 else -1
    words = [match for match in _WORD.finditer(claim) if not start <= match.start() < end]
    pieces: list[str] = []
    done = place = 0
    while place < len(words):
        for size in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            first, last = words[place], words[place + size - 1]
            said = claim[first.start() : last.end()]
            if not pieces and first is words[0]:
                said = said[0].lower() + said[1:]
            if said in names:
                pieces += [claim[done : first.start()], names[said]]
                done = last.end()
                place += size
                break
        else:
            place += 1
    return "".join(pieces) + claim[done:]
