"""The things of a corpus that a claim names, and how another name takes the place of one."""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.build.kinds import CorpusKinds, name_of

_NAME = re.compile(r"(?<![\w’'-])[A-Z0-9][\w.’'-]*(?:(?: (?:of|the|de|la|von|van|da|and))* [A-Z0-9][\w.’'-]*)*")
NAMES_MORE = re.compile(r"^(?: [A-Z][\w’'-]+| (?:language|river|mountains|Prize|Games|Cup)\b|['’]s? [A-Z]|-)")


class Mention(NamedTuple):
    """Where a claim names a thing, by which name, and the page of that thing."""

    start: int
    end: int
    name: str
    title: str


def find_mentions(claim: str, kinds: CorpusKinds) -> list[Mention]:
    """The things of the corpus that a claim names, longest names first where they overlap."""
    found = []
    for run in _NAME.finditer(claim):
        words = list(re.finditer(r"\S+", run[0]))
        while words:
            for count in range(len(words), 0, -1):
                start, end = run.start() + words[0].start(), run.start() + words[count - 1].end()
                name = claim[start:end].rstrip(".,'’")
                name = name.removesuffix("'s").removesuffix("’s")
                title = kinds.page_of(name)
                if title and not name.isdigit():
                    found.append(Mention(start, start + len(name), name, title))
                    words = words[count:]
                    break
            else:
                words = words[1:]
    return found


def swap_name(claim: str, mention: Mention, new: str) -> str:
    """The claim with another name there, "the" before it where the names need it."""
    before, after = claim[: mention.start], claim[mention.end :]
    needs = takes_the(new)
    if before.endswith(("the ", "The ")) and not needs:
        before = before[:-4]
    elif needs and not before.endswith(("the ", "The ")):
        new = f"the {new}" if before else f"The {new}"
    if not before:
        new = new[0].upper() + new[1:]
    return f"{before}{new}{after}"


_THE = re.compile(
    r"(?:River|Sea|Ocean|Islands|Alps|Mountains|Union|Empire|Kingdom|States|Republic|Netherlands|Desert|Gulf|Canal|"
    r"Telescope|Olympics|Games|Cup|System|Lakes|Way)$|"
    r"^(?:Nile|Danube|Rhine|Volga|Yangtze|Congo River|Matterhorn|Sun|Moon)$"
)


def takes_the(name: str) -> bool:
    """Whether a name stands with "the": "the Nile"."""
    return bool(_THE.search(name))


def is_named(title: str, text: str) -> bool:
    """Whether a text names the thing of a page."""
    return name_of(title).casefold() in text.casefold()
