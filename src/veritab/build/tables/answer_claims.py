"""Claims made of answers that people wrote from cells: true as they stand, false with one value changed.

A value is changed for another one of its column, or for a year or number near it, and only where no row of the table
makes the changed sentence true as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.inflection import FINITE, verb_tags
from veritab.build.mutations import COUNTRIES, Mutation
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut
from veritab.build.sampling import random_stream
from veritab.build.tables.near_values import BLANK, near_numbers, nearest_in_column
from veritab.build.tables.page_subject import place_claim
from veritab.build.tables.pages import PlacedTable
from veritab.build.tables.wording import add_country_articles
from veritab.datasets.table_questions import SourceTable, TableAnswer
from veritab.schema import Label
from veritab.text import STOP_WORDS, sentences

RULE = "answer"
"""What the claims of answers are called where none could be made."""
_LEANS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|These|That|Those|Both|There|Then|However|Also|Additionally|Later|"
    r"Furthermore|Moreover|Other|Others|Another|The (?:film|song|album|show|series|role|award|latter|former|other))\b"
)
_LEANS_ON_PAGE = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|These|That|Those|Both|However|Also|"
    r"The (?:[a-z]+ )?(?:film|song|album|show|series|role|award|latter|former|other|result|winner|runner-up|majority|"
    r"band|team|club|season|race|election)) |.*\b(?:in|at|of) the (?:by-)?election\b"
)
"""How the first sentence leans on the question that it answers, or on its page."""
_YEAR_OF_TITLE = re.compile(r"\b(?:1\d|20)\d\d\b")
_PLACED = re.compile(r"(?:In|At|On|During|For|From|By|With|After|Before)\b")
_PREPOSITION = r"(?:for|in|of|at|by|with|to|from|as)"
_EVENT = (
    r"(?:season|elections?|film|movie|series|event|edition|tournament|championships?|census|race|album|games|ceremony|"
    r"olympics|paralympics|cup|awards)"
)
_SLIP = re.compile(
    rf"\b{_PREPOSITION},? (?:,|(?:of|in|by|at|from)\b(?<!as of)(?<!as in)(?<!from in))|"
    rf"\bin as\b|\b{_PREPOSITION},|['’]s of\b|\bthe \d{{4}}['’]s\b|\b(?:the|an?) (?:the|an?|of|in|was|is|were|are)\b|"
    r"\b(?!that\b|had\b)([a-z]+) \1\b|[,;:]\W*$|"
    rf"\b(?i:in|at|during) \d{{4}}(?:[–-]\d{{2,4}})? (?:[A-Z][\w.'’-]* )*(?i:{_EVENT})\b(?![’'])|"
    rf"\b(?:in|of|by|for) (?:film|movie|song|album|show|episode|single|categories),? [A-Z\"“]|"
    r"\b(?:is|are|was|were|of|has|have|had|with) total (?:\d|of\b|number\b|population\b)|\bof which include\b|"
    r"\b(?:in|at|during) (?:[A-Z][\w.-]* )+(?:area|region|category|film|movie|series|tournament|season|election)\b|"
    r"^[^,]*\b(?:was|were|is|[a-z]{2,}ed)\b[^,]*, (?:won|was|were|received|made|reached|became)\b|"
    r"\b(?:Mountains|Islands|Awards|Championships) (?:has|is|was)\b|\bdid (?:an?|the) (?:role|music|character)\b|"
    r"(?<!\bbe )(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )\bportrayed as\b|"
    r"\bwas (?:appeared|participated|debuted|joined [A-Z])|\bcasted\b| [:;,]\s|, \(|\d{4} the (?:election|season)\b|"
    r"\byears (?:career|contract|deal|spell|stint|term|period)\b|\bfor \d{1,3}\.$|"
    r"\((?:song|album|film|band|TV series|EP|single|actor|actress|singer|footballer)\)"
)
"""Slips of the pen that no reader passes over: a word too many, one too few, a note of the page's title."""
_LEAGUE = re.compile(r"\b(?:League|Liga|Serie|Division|Cup|Championship)\b")
_LEAST_WORDS = 4
_MOST_WORDS = 9
_HEDGE = re.compile(
    r"\b(?:over|than|about|around|nearly|almost|approximately|least|most|until|before|after|since|by) $"
)


_NAME_BEFORE = re.compile(r"(?<=[\w,)] )[A-Z][\w'’.-]* $")
_NAME_AFTER = re.compile(r" [A-Z]")
"""Words of a longer name: of "the Osaka Ladies Marathon" the "Marathon" is no value by itself."""


class PlacedAnswer(NamedTuple):
    """An answer written from the cells of a table that has an address."""

    answer: TableAnswer
    table: PlacedTable


class _Other(NamedTuple):
    """Another value, and the rule that it was found by."""

    text: str
    rule: str


class _Change(NamedTuple):
    """A value of a claim changed for another, and the cell that says what is right."""

    claim: str
    rule: str
    cell: tuple[int, int]
    old: str
    new: str


def build_of_answer(placed: PlacedAnswer, source: str, seed: int, *, unpaired: bool = False) -> list[Built]:
    """The claims of each sentence of an answer; `unpaired` keeps true ones for which there is no false one."""
    answer = placed.answer
    table = placed.table.as_table()
    evidence = tuple(cell for row, column in answer.cells if (cell := table.grid[row][column]))
    found: list[Built] = []
    for place, text in enumerate(_sentences(answer.text)):
        id = f"{answer.id}-{place}" if place else answer.id
        if _SLIP.search(text):
            found.append(LeftOut(answer.where, id, "the sentence has a slip of the pen", RULE))
            continue
        sentence = text if place else _on_page(text, answer.table)
        if (_LEANS if place else _LEANS_ON_PAGE).match(sentence):
            found.append(
                LeftOut(answer.where, id, f"the sentence leans on {'the one before it' if place else 'its page'}", RULE)
            )
            continue
        if not _has_verb(text):
            found.append(LeftOut(answer.where, id, "the sentence has no verb", RULE))
            continue
        if sentence.count(" ") < _LEAST_WORDS - 1:
            found.append(LeftOut(answer.where, id, "the sentence is too short for a claim", RULE))
            continue
        changes = list(_changes(sentence, placed, random_stream(seed, "answer", id)))
        if not changes and not unpaired:
            found.append(LeftOut(answer.where, id, "no value of it can be changed so that it is surely false", RULE))
            continue
        origin = ClaimOrigin(source, answer.id, "answer as written", seed)
        found.append(BuiltRecord(f"{id}-true", sentence, Label.SUPPORTS, origin, (evidence,)))
        if changes:
            change = changes[0]
            details = {"was": change.old, "is": change.new, "cell": str(table.grid[change.cell[0]][change.cell[1]])}
            origin = origin._replace(rule=change.rule)
            found.append(BuiltRecord(f"{id}-false", change.claim, Label.REFUTES, origin, (evidence,), details=details))
    return found


def _sentences(text: str) -> list[str]:
    """The sentences, each with a capital and a stop; one that begins without goes on with the one before."""
    found: list[str] = []
    for start, end in sentences(text):
        if found and text[start].islower():
            found[-1] += f" {text[start:end]}"
        else:
            found.append(text[start:end])
    return [_tidy(each) for each in found]


def _has_verb(sentence: str) -> bool:
    return any(verb_tags(word) & FINITE for word in re.findall(r"(?<![\w'’-])[a-z]{2,}(?![\w-])", sentence))


def _tidy(sentence: str) -> str:
    sentence = re.sub(r"(?<=[a-z])(?=\(\d)", " ", sentence.replace("´", "'"))
    if not re.search(r"[.!?][\"”’')\]]*$", sentence) and sentence[-1] not in ",;:":
        sentence += "."
    first = sentence.split()[0]
    return sentence if not first.islower() else sentence[0].upper() + sentence[1:]


def _on_page(sentence: str, table: SourceTable) -> str:
    """The sentence with the event that its page is about before it, where it does not say which one that is."""
    year = _YEAR_OF_TITLE.search(re.sub(r"\(.*?\)", "", table.title))
    if not year or year[0] in sentence or _PLACED.match(sentence):
        return sentence
    return place_claim(sentence, table)


# -- changed values ----------------------------------------------------------------------------------------


def _changes(sentence: str, placed: PlacedAnswer, rng: random.Random) -> Iterator[_Change]:
    """Each way to make the sentence false by one value of its cells, in random order."""
    answer = placed.answer
    rows = answer.table.rows
    cells = [cell for cell in answer.cells if cell[0] > 0]
    rng.shuffle(cells)
    title = answer.table.title.casefold()
    for row, column in cells:
        old = rows[row][column]
        if not _can_change(old, sentence) or old.casefold() in title:
            continue
        # What else the sentence says of the row tells it from others.
        said = {each: rows[row][each] for each in range(len(rows[row])) if each != column}
        anchors = {each: text for each, text in said.items() if _says(sentence, text) and text != old}
        if not anchors:
            continue
        for new, rule in _other_values(old, row, column, rows, rng):
            if _says(sentence, new) or new.casefold() in title or _may_hold(new, row, anchors, rows):
                continue
            if not _fits(new, old, sentence):
                continue
            changed = Mutation(old, new, "value").apply(sentence)
            if changed != sentence:
                yield _Change(changed, rule, (row, column), old, new)
                break


def _can_change(text: str, sentence: str) -> bool:
    if BLANK.fullmatch(text) or text.count(" ") >= _MOST_WORDS:
        return False
    places = _find_places(text, sentence)
    if len(places) != 1:
        return False
    before, after = sentence[: places[0].start()], sentence[places[0].end() :]
    in_name = text[:1].isalpha() and (_NAME_BEFORE.search(before) or _NAME_AFTER.match(after))
    return not in_name and not _HEDGE.search(before)


def _find_places(text: str, sentence: str) -> list[re.Match[str]]:
    """Where a value stands by itself: not "Niger" in "Nigerian"."""
    return list(re.finditer(rf"(?<![\w$€£.,–-]){re.escape(text)}(?![\w–]|[.,]\d|-\w)", sentence))


def _fits(new: str, old: str, sentence: str) -> bool:
    """Whether a value reads well in place of the old one: no word of it is there already, and the article goes."""
    (place,) = _find_places(old, sentence)
    before, after = sentence[: place.start()], sentence[place.end() :]
    if (_words(new) - _words(old)) & _words(f"{before} {after}"):
        return False
    if re.match(r"['’](?!s)", after) and old[-1:] != new[-1:]:
        return False
    has_article = bool(re.search(r"\b[Tt]he $", before))
    if new in COUNTRIES or old in COUNTRIES or _takes_article(new) or _takes_article(old):
        return has_article == _takes_article(new)
    # "The Championship" or "Serie A": what takes an article cannot be told of other names.
    return not has_article or not (old[:1].isupper() and _names_league(old, new))


def _takes_article(text: str) -> bool:
    return add_country_articles(text) != text


def _names_league(old: str, new: str) -> bool:
    return bool(_LEAGUE.search(old) or _LEAGUE.search(new))


def _words(text: str) -> frozenset[str]:
    """The words of a text that name something, in lower case."""
    return frozenset(word.casefold() for word in re.findall(r"[^\W\d_][\w'’-]{3,}", text)) - STOP_WORDS


def _says(sentence: str, text: str) -> bool:
    """Whether a value stands in a sentence, whatever its case."""
    if BLANK.fullmatch(text):
        return False
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence, re.IGNORECASE))


def _other_values(
    old: str, row: int, column: int, rows: Sequence[Sequence[str]], rng: random.Random
) -> Iterator[_Other]:
    """Values of the rows around in the column, in random order, then numbers near the old one."""
    values = nearest_in_column(rows[1:], rows[0], row - 1, [each[column] for each in rows[1:]])
    rng.shuffle(values)
    yield from (_Other(each, "neighbour in the column") for each in values)
    yield from (_Other(each, "near number") for each in near_numbers(old, rng))


def _may_hold(new: str, row: int, anchors: dict[int, str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row that has the new value says all else that the sentence says of the old row."""
    if _has(rows[row], new):
        return True
    return any(_has(each, new) and all(_has(each, text) for text in anchors.values()) for each in rows[1:])


def _has(row: Sequence[str], text: str) -> bool:
    """Whether a row has a value, alone or among others in one cell."""
    wanted = text.casefold()
    return any(wanted in cell.casefold() or (len(cell) > 3 and cell.casefold() in wanted) for cell in row)
