"""The things of a corpus that a claim names, and how another name takes the place of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from veritab.build.inflection import base_form, is_past_form
from veritab.build.kinds import CorpusKinds, IsA, name_of
from veritab.build.mutations import NATIONALITIES
from veritab.lexicon.grammar import BE, HAVE, MODALS, PREPOSITIONS

_NAME = re.compile(r"(?<![\w’'-])[A-Z0-9][\w.’'-]*(?:(?: (?:of|the|de|la|von|van|da|and))* [A-Z0-9][\w.’'-]*)*")
_JOINED = re.compile(r",? (?:(?:in|for|at|on|to|with|from|by|a|an|is|the)(?: the| a| an)? )?")
"""What may stand between two runs of capitals of one name: "Home for the Holidays", "Palo Alto, California"."""
_BRACKET = re.compile(r" \([^()]*\)")
_NAMES_MORE = re.compile(r"^(?: [A-Z][\w’'-]+| (?:language|river|mountains|Prize|Games|Cup)\b|['’]s? [A-Z]|-)")
_NAMES_PLACE = re.compile(r"^, [A-Z][\w ]*? (?:is|was|has|had|are|were)\b")
_IN = re.compile(r"\b(?:in|from|at|near|of|to|downtown) $")
_WITHIN = re.compile(r"^, [A-Z]")
_IN_PART = re.compile(r"\b(?:in|from|at|near|of|to|downtown) [A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*)*, $")
"""In "in Seattle, Washington" either name stands for both."""
BEGINNINGS = frozenset("In On At By From During After Before Since Of For With As While When Both".split())
"""Words that open a sentence with a capital and are no part of the name or number behind them."""
_ADJECTIVES = frozenset(
    (*NATIONALITIES, *"Catholic Jewish Christian Muslim Protestant Buddhist Hindu African Asian European".split())
)
_FOLLOWERS = (
    BE
    | HAVE
    | MODALS
    | PREPOSITIONS
    | frozenset("and or but than as who which that where when while because to not never also only ever once".split())
)
"""What may follow a name that stands alone; after "the Saw" comes "franchise", of which it is a part."""


class Mention(NamedTuple):
    """Where a claim names a thing, by which name, and the page of that thing."""

    start: int
    end: int
    name: str
    title: str


def find_mentions(claim: str, kinds: CorpusKinds, near: Sequence[str] = ()) -> list[Mention]:
    """The things of the corpus that a claim names, those of the pages near before others of their name.

    A name is taken whole or not at all: in "Eric Church" nobody speaks of a church, nor of Latin in "the Latin nouns".
    """
    found: list[Mention] = []
    runs = list(_NAME.finditer(claim))
    for number, run in enumerate(runs):
        if found and run.start() < found[-1].end:
            continue
        whole = _joined_name(claim, runs[number:], kinds, near)
        readings = [whole] if whole else [Mention(*each, "") for each in _readings(claim, run)]
        for start, end, name, title in readings:
            title = title or ("" if name.isdigit() else kinds.page_of(name, near))
            # "The" is a part of "The Hobbit"; before "Danube" it is none of what is swapped.
            if name.startswith("The ") and not title.startswith("The "):
                start, name = start + len("The "), name.removeprefix("The ")
            if title and _stands_alone(claim, start, end, name):
                found.append(Mention(start, end, name, title))
    return found


def _joined_name(claim: str, runs: Sequence[re.Match[str]], kinds: CorpusKinds, near: Sequence[str]) -> Mention | None:
    """The longest name that runs of capitals, or one and a bracket, make together; None where they make none."""
    start, ends = runs[0].start(), [runs[0].end()]
    for one, other in pairwise(runs[:_MOST_RUNS]):
        if not _JOINED.fullmatch(claim[one.end() : other.start()]):
            break
        ends.append(other.end())
    if bracket := _BRACKET.match(claim, runs[0].end()):
        ends.append(bracket.end())
    for end in sorted(ends[1:], reverse=True):
        name = claim[start:end].rstrip(".,")
        if title := kinds.page_of(name, near):
            return Mention(start, start + len(name), name, title)
    return None


_MOST_RUNS = 3


def _readings(claim: str, run: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """The names of a run of capitals, each with its place: "Paris and Rome" are two, "In Paris" is one."""
    start = run.start()
    for piece in re.split(r"(?<=\S) and (?=[A-Z])", run[0]):
        place = claim.index(piece, start)
        start = place + len(piece)
        first, _, rest = piece.partition(" ")
        if place == 0 and rest and first in BEGINNINGS:
            place, piece = place + len(first) + 1, rest
        name = piece.rstrip(".,'’")
        name = name.removesuffix("'s").removesuffix("’s")
        yield place, place + len(name), name


def _stands_alone(claim: str, start: int, end: int, name: str) -> bool:
    """Whether a name is a noun phrase of its own, neither a part of a longer name nor said of a noun."""
    before, after = claim[:start], claim[end:]
    if (_IN.search(before) and _WITHIN.match(after)) or _IN_PART.search(before):
        return False
    if name in _ADJECTIVES or before.count("(") > before.count(")") or re.search(r"\b[Aa]n? $", before):
        return False
    if _NAMES_MORE.match(after) or (not before and _NAMES_PLACE.match(after)) or after.startswith((" (", ":")):
        return False
    # "Home for the Holidays" is no home.
    if before in ("", "The ") and re.match(r" (?:for|in|at|on|of|to) (?:the )?[A-Z]", after):
        return False
    if re.search(r"^[A-Z][\w ]+, $", before) and re.match(r" (?:is|was|has|had|are|were)\b", after):
        return False
    following = re.match(r" ([a-z-]+)", after)
    if not following or following[1] in _FOLLOWERS:
        return True
    word, is_subject = following[1], before in ("", "The ")
    if word in ("series", "species"):
        return False
    is_verb = word.endswith("ly") or is_past_form(word) or (word.endswith("s") and base_form(word) != word)
    # "Mercury boils", not "the Mercury atoms".
    return is_verb and (is_subject or not before.endswith("the ")) and (is_subject or not word.endswith("s"))


def swap_name(claim: str, mention: Mention, new: str, *, with_the: bool) -> str:
    """The claim with another name there, with "the" before it where that name has one."""
    before, after = claim[: mention.start], claim[mention.end :]
    if before.endswith(("the ", "The ")) and not with_the:
        before = before[:-4]
    elif with_the and not before.endswith(("the ", "The ")) and not new.startswith("The "):
        new = f"the {new}" if before else f"The {new}"
    if not before:
        new = new[0].upper() + new[1:]
    # "Wales' people" are "Chile's people".
    if mention.name.endswith("s") and re.match(r"['’](?!s\b)", after) and not new.endswith("s"):
        after = f"{after[0]}s{after[1:]}"
    return f"{before}{new}{after}"


_THE = re.compile(
    r"(?:River|Sea|Ocean|Islands|Alps|Mountains|Union|Empire|Kingdom|States|Republic|Netherlands|Desert|Gulf|Canal|"
    r"Telescope|Olympics|Games|Cup|System|Lakes|Way|Area|Region)$|"
    r"^(?:\w+ )?(?:Republic|Kingdom|Duchy|Isle|Gulf|University) of |"
    r"^(?:Nile|Danube|Rhine|Volga|Yangtze|Congo River|Matterhorn|Sun|Moon)$"
)


def takes_the(name: str) -> bool:
    """Whether a name stands with "the", by its words: "the Nile"; what a page says of itself tells better."""
    return bool(_THE.search(name))


def has_the(title: str, is_a: IsA | None) -> bool:
    """Whether the name of a page stands with "the": by its words, or as its page says it."""
    return takes_the(name_of(title)) or bool(is_a and is_a.with_the)


def is_named(title: str, text: str) -> bool:
    """Whether a text names the thing of a page."""
    return name_of(title).casefold() in text.casefold()
