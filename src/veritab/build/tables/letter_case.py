"""Names in a claim written as its table writes them: questions over tables are in lower case throughout."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from veritab.build.inflection import is_common_word
from veritab.build.mutations import COUNTRIES, NATIONALITIES
from veritab.datasets.table_questions import SourceTable
from veritab.lexicon.numbers import MONTH_NAMES
from veritab.text import STOP_WORDS

_MOST_WORDS = 8
_LEAST_LETTERS = 3
_FEW_VALUES, _MOSTLY = 5, 0.7
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_SMALL = frozenset("of the and in on at for de la le du von van der den di da el y a an to with by vs".split())
_NAMING = re.compile(
    r"\b(?:name|player|team|club|opponent|country|nation|driver|rider|athlete|city|town|location|venue|title|song|album|"
    r"film|movie|party|candidate|school|university|college|artist|county|state|district|station|stadium|constructor|"
    r"winner|champion|runner|director|author|coach|region|island|river|company|network|language|swimmer|skater)s?\b",
    re.IGNORECASE,
)
_NAMING_ALWAYS = re.compile(
    r"\b(?:player|team|club|opponent|country|nation|party|school|university|college|county|station|driver)s?\b",
    re.IGNORECASE,
)
"""Columns in which a common word is a name too: the Liberal party, the Bulls."""
_ALWAYS = (*MONTH_NAMES, *NATIONALITIES, *COUNTRIES, "United States", "United Kingdom", "Soviet Union", "New Zealand")
_NOT_ALWAYS = frozenset({"May", "March", "August"})
_ARTICLES = frozenset({"The", "A", "An"})
"""What a list of works sets behind their names: "Nanny, The"."""
_BORN = re.compile(r"\bborn\b")
_COMMON = frozenset(
    "half full party national open league cup team club season championship championships games school high women men "
    "series world international grand prix tour federal district county state university college football county "
    "president minister summer winter youth junior senior final finals race road music awards award first second "
    "station".split()
)
_OF_TEAM = re.compile(r" (?:season|team|baseball|football|basketball)$")
"""Titles of teams, whose nicknames are plurals of common nouns: the Tigers."""
_SUMMED = frozenset("total totals average overall others other none both".split())
_QUOTED = re.compile(r"([\"“])([^\"“”]+)(?=[\"”])")
_BAND = re.compile(r"\b(?:is|are|was|were) (?:an? |the )?.*\b(?:band|group|duo|trio)\b")
_MONTH = re.compile(
    r"\b(?:may|march|august)(?= \d)|(?<=\d )(?:may|march|august)\b|"
    r"(?<=\bin )(?:may|march|august)\b|(?<=\bsince |\buntil )(?:may|march|august)\b"
)


def restore_case(text: str, table: SourceTable) -> str:
    """The text with the capitals and accents that its table, its page and the calendar have."""
    names = {_fold(name): name for name in (*_ALWAYS, *_names(table)) if name not in _NOT_ALWAYS | _ARTICLES}
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")
    pieces, done = [], 0
    for match in pattern.finditer(_fold(text)):
        said, name = text[match.start() : match.end()], names[match[0]]
        # "Frank burns" lacks a capital; "NASCAR" has some that "Nascar" lacks, and keeps them.
        lacks = not any(has.isupper() and not wants.isupper() for has, wants in zip(said, name, strict=False))
        pieces += [text[done : match.start()], name if lacks else said]
        done = match.end()
    quoted = {_fold(cell.strip('"“”')): cell.strip('"“”') for row in table.rows[1:] for cell in row}
    text = _QUOTED.sub(
        lambda match: f"{match[1]}{quoted.get(_fold(match[2]), match[2])}", "".join(pieces) + text[done:]
    )
    return _MONTH.sub(lambda month: month[0].capitalize(), text)


def _fold(text: str) -> str:
    """A text in lower case without accents, letter by letter."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[:1] or letter for letter in text)


def _names(table: SourceTable) -> Iterator[str]:
    header = table.rows[0]
    for column, title in enumerate(header):
        cells = [row[column] for row in table.rows[1:] if row[column]]
        naming = bool(_NAMING.search(title)) or _has_names(cells)
        for name in (part for cell in cells for part in _parts(cell)):
            # "Won" and "Digestive" are written with a capital because they begin a cell.
            if _is_name(name, alone=naming) and (not is_common_word(name.lower()) or _NAMING_ALWAYS.search(title)):
                yield name
    if not " ".join(header).isupper():
        yield from (word for word in _WORD.findall(" ".join(header)) if len(word) > 1 and word.isupper())
    title = re.sub(r" \([^()]*\)$", "", table.title)
    if " " in title or not is_common_word(title.lower()) or _BAND.search(table.opening[:200]):
        yield title
    yield from _names_of_title(title, person=bool(_BORN.search(table.opening[:200])))
    if _OF_TEAM.search(title):
        yield from (word for word in title.split() if word[:1].isupper() and word.endswith("s"))
    yield from _in_sentence(table.opening)


def _names_of_title(title: str, *, person: bool) -> Iterator[str]:
    """Stretches of a title in which every word has a capital, and its words that are no common ones."""
    # Wikipedia's titles have capitals in names only, but for the first word.
    for run in re.findall(r"[A-Z][\w'’.-]*:?(?: (?:(?:of|the|and) )*[A-Z][\w'’.-]*:?)*", title):
        words = run.split()
        for start in range(len(words) - 1):
            for end in range(start + 2, len(words) + 1):
                some = words[start:end]
                if not _SMALL & {some[0].lower(), some[-1].lower()} and not {w.lower() for w in some} <= _COMMON:
                    yield " ".join(some).rstrip(":")
        yield from (
            word
            for word in (each.rstrip(":") for each in words)
            if len(word) >= _LEAST_LETTERS
            and word.lower() not in STOP_WORDS
            and (person or not is_common_word(word.lower()))
            and word.lower() not in _COMMON
        )


def _has_names(cells: Sequence[str]) -> bool:
    """Whether a column has many texts, most of them names; how something ended is said in a few words."""
    capital = [cell for cell in cells if _is_name(cell, alone=True)]
    return len({*cells}) > _FEW_VALUES and len(capital) > _MOSTLY * len(cells)


def _parts(cell: str) -> Iterable[str]:
    """A cell, and what it says outside and inside of brackets, commas and quotes."""
    if cell.count(" ") < _MOST_WORDS:
        yield cell
    for part in re.split(r"[()\[\]\"“”/;]|, ", cell):
        if part and part.count(" ") < _MOST_WORDS:
            yield part.strip()


def _is_name(text: str, *, alone: bool) -> bool:
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    if not words or letters < 2 or not text[0].isalnum():
        return False
    capital = [word for word in words if word[0].isupper()]
    if len(words) > 1:
        return len(capital) > 1 and all(word in capital or word in _SMALL for word in words)
    word = words[0]
    if word.casefold() in _SUMMED:
        return False
    return any(letter.isupper() for letter in word[1:]) or (alone and bool(capital) and letters >= _LEAST_LETTERS)


def _in_sentence(text: str) -> Iterator[str]:
    """Names of several words inside a sentence."""
    for match in re.finditer(r"(?<=[a-z,(] )[A-Z][\w'’.-]+(?: (?:of|the|and) (?=[A-Z])| [A-Z][\w'’.-]+)+", text):
        yield match[0].strip()
