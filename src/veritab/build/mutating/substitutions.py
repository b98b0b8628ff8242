"""Claims with another thing in the place of one: of its kind, from lists, columns and what pages say, or of another."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build.kinds import PERSON, name_of
from veritab.build.mutating.implications import MutatedText, SourceClaim
from veritab.build.mutating.mentions import Mention, find_mentions, has_the, is_named, swap_name, takes_the
from veritab.build.mutating.negations import NEGATION
from veritab.errors import NotFound
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.schema import ElementId, Kind
from veritab.text import STOP_TERMS, tokenize, words

_ONE_VALUED = re.compile(
    r"\b(?:was born (?:in|at)|died (?:in|at)|(?:is|was) the capital of|the capital of \S+ is|(?:is|was) named after|"
    r"(?:is|was) buried (?:in|at)|\d{4} [^,]* (?:was|were) held in)(?: the)? $"
)
"""What a thing has one of: another thing there makes it false."""
_ONE_SUBJECT = re.compile(
    r"^ (?:is|was) the (?:capital|only|first|last|(?:\w+-)?(?:\w{3,}est|most \w+)|second|third|fourth|fifth|sixth)\b"
)
"""What only one thing can be."""
_GENDERED = re.compile(
    r"\b(?:he|she|his|her|him|himself|herself|actress|daughter|son|mother|father|wife|husband|sister|brother|king|queen|"
    r"(?:sports|spokes|business|)(?:wo)?man)\b"
)
_TELLS_KIND = re.compile(
    r"\b(?:capital|city|cities|town|village|country|countries|nation|state|mountain|river|lake|island|continent|planet|"
    r"moons?|star|comet|gas|metal|element|presidents?|ministers?|governors?|mayors?|ambassadors?|parliament|metros?|"
    r"population|atomic)\b"
)
"""What is said of one kind of thing: of another it would make no sense."""


def substitute_similar(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A thing swapped for another of its kind: from a column or list it stands in, or called the same."""
    yield from _swap_cells(source, rng)
    for mention in find_mentions(source.text, source.kinds, source.pages):
        others = [each for each in source.kinds.similar(mention.title) if _fits(each, mention, source)]
        near = [each for each in others if source.kinds.share_group(mention.title, each)] or others
        if near:
            yield _swapped(source, mention, rng.choice(near))


def substitute_dissimilar(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A thing swapped for one of another kind."""
    if _TELLS_KIND.search(source.text):
        return
    for mention in find_mentions(source.text, source.kinds, source.pages):
        others = [each for each in source.kinds.dissimilar(mention.title) if _fits(each, mention, source)]
        if others:
            yield _swapped(source, mention, rng.choice(others))


def _swapped(source: SourceClaim, mention: Mention, other: str) -> MutatedText:
    details = {"old": mention.name, "new": name_of(other)}
    if group := source.kinds.share_group(mention.title, other):
        details["both_in"] = group
    one_valued = _ONE_VALUED.search(source.text[: mention.start]) or (
        mention.start in (0, len("The ")) and _ONE_SUBJECT.search(source.text[mention.end :])
    )
    # A city and the country around it: who was born in the one was born in the other.
    nested = source.kinds.noun_of(mention.title) != source.kinds.noun_of(other)
    sure = one_valued and not nested and not NEGATION.search(source.text)
    implied = "contradicted" if sure else "open"
    with_the = has_the(other, source.kinds.is_a(other))
    return MutatedText(swap_name(source.text, mention, name_of(other), with_the=with_the), implied, details)


def _fits(title: str, mention: Mention, source: SourceClaim) -> bool:
    """Whether a thing can take the place of another: it is not named yet, nor may "his" come to be wrong by it."""
    if _GENDERED.search(source.text) and source.kinds.sort_of(title) == PERSON:
        return False
    shared = {*words(name_of(title))} & {*words(mention.name)} - STOP_TERMS
    return not shared and not is_named(title, source.text)


def _swap_cells(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A cell of the evidence swapped for another of its column.

    Where all cells are of one row, and the claim names that row, the row says that it is the one and not the other.
    """
    for gold in source.evidence:
        cells = sorted(id for id in gold if id.kind is Kind.CELL)
        rows = {(id.page, id.path[0], id.path[1]) for id in cells}
        for id in cells:
            element = source.element_of(id)
            text = element.text if element else ""
            found = re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-]| of\b)", source.text) if len(text) > 2 else None
            if not found or not element or not text[0].isupper() or any(map(str.isdigit, text)):
                continue
            row, column = _row_and_column(source, id)
            others = [each for each in column if each not in row and each.casefold() not in source.text.casefold()]
            if not others:
                continue
            headed = [each.text for each in element.context if each.id.kind is Kind.HEADER_CELL]
            named = [key for key in (*headed, *row) if key != text and len(key) > 2 and key in source.text]
            sure = len(rows) == 1 and len(gold) == len(cells) and named and not _compares(source.text)
            mention = Mention(found.start(), found.end(), text, "")
            new = rng.choice(others)
            with_the = takes_the(new) or source.text[: mention.start].endswith(("the ", "The "))
            yield MutatedText(
                swap_name(source.text, mention, new, with_the=with_the),
                "contradicted" if sure else "open",
                {"old": text, "new": new, "both_in": str(id.table)},
            )


def _row_and_column(source: SourceClaim, id: ElementId) -> tuple[list[str], list[str]]:
    """The other cells of a cell's row, and of its column, as texts."""
    try:
        page = source.kinds.corpus.page(id.page)
    except NotFound:
        return [], []
    table = next((each for each in page.tables if each.id == id.table), None)
    if table is None or table.infobox:  # what stands below each other there is of different kinds
        return [], []
    squares = table.squares(id) if id.path[1] < len(table.rows) else ()
    if not squares:
        return [], []
    row, column = squares[0]
    width = len(table.places[row])
    of_row = [table.text(row, each) for each in range(width)]
    of_column = []
    for line, places in enumerate(table.places):
        place = places[column] if column < len(places) else None
        if line != row and place and not table.rows[place[0]][place[1]].header:
            of_column.append(table.text(line, column))
    usable = [each for each in dict.fromkeys(of_column) if 2 < len(each) <= 60 and not any(map(str.isdigit, each))]
    return of_row, usable


_COMPARING = re.compile(r"\b(?:than|only|both|all|every|each|none|most|same|as \w+ as|first|last|times)\b", re.I)


def _compares(claim: str) -> bool:
    words = [token.lower for token in tokenize(claim)]
    return bool(_COMPARING.search(claim)) or any(is_superlative(word) or is_comparative(word) for word in words)
