"""Mutations of a sentence that make it say something else: the words that go and the words that replace them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from veritab.lexicon.antonyms import ANTONYMS
from veritab.lexicon.numbers import MONTH_NAMES, ORDINALS, SMALL_CARDINALS

# -- words that can replace each other --------------------------------------------------------------------

NATIONALITIES = (
    "American British English Scottish Welsh Irish French German Italian Spanish Portuguese Dutch Belgian Swiss "
    "Austrian Polish Czech Hungarian Romanian Bulgarian Greek Turkish Russian Ukrainian Swedish Norwegian Danish "
    "Finnish Icelandic Canadian Mexican Brazilian Argentine Chilean Colombian Peruvian Cuban Jamaican Australian "
    "Indian Pakistani Bangladeshi Chinese Japanese Korean Vietnamese Thai Indonesian Malaysian Filipino Iranian Iraqi "
    "Israeli Egyptian Moroccan Nigerian Ghanaian Kenyan Ethiopian Serbian Croatian Slovenian Albanian Latvian "
    "Lithuanian Estonian"
).split()
COUNTRIES = (
    "France Germany Italy Spain Portugal Belgium Switzerland Austria Poland Hungary Romania Bulgaria Greece Turkey "
    "Russia Ukraine Sweden Norway Denmark Finland Iceland Canada Mexico Brazil Argentina Chile Colombia Peru Cuba "
    "Jamaica Australia India Pakistan Bangladesh China Japan Vietnam Thailand Indonesia Malaysia Iran Iraq Israel "
    "Egypt Morocco Nigeria Ghana Kenya Ethiopia Serbia Croatia Slovenia Albania Latvia Lithuania Estonia England "
    "Scotland Wales Ireland"
).split()
LARGE_PLACES = frozenset(
    "United States,United Kingdom,Great Britain,Europe,Asia,Africa,North America,South America,America,Soviet Union,"
    "California,Texas,New York,Florida,European Union,Western Europe,Eastern Europe,UK,US,USA,U.S.,Britain".split(",")
)
"""Places that hold many others: a town swapped for one of them may make no false sentence."""


# -- mutations ---------------------------------------------------------------------------------------------


class Mutation(NamedTuple):
    """What goes, what comes in its place, and what kind of thing both are."""

    old: str
    new: str
    kind: str

    def apply(self, text: str) -> str:
        """The text with the change made wherever the old words stand, and the article before them as it has to be."""
        found = rf"(?<![\w$€£.,])(?:\b([Aa])n? )?{re.escape(self.old)}(?!\w|[.,]\d)"
        return re.sub(found, lambda match: f"{_article(match[1], self.new)}{self.new}", text)

    def affects(self, text: str) -> bool:
        return self.apply(text) != text


def _article(letter: str | None, noun: str) -> str:
    return "" if not letter else f"{letter}n " if noun[0].lower() in "aeio" or noun.startswith("8") else f"{letter} "


def with_article(noun: str) -> str:
    """A noun phrase with "a" or "an" before it."""
    return f"{_article('a', noun)}{noun}"


# -- numbers and dates -------------------------------------------------------------------------------------

_CARDINALS, _ORDINALS = list(SMALL_CARDINALS)[2:16], list(ORDINALS)[:12]
_YEAR = re.compile(r"(?<![\w$€£.,–-])(1[0-9]\d\d|20[0-2]\d)(?![\w–]|[.,]\d|-\d)")
_NUMBER = re.compile(r"(?<![\w.,/:–-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w/:–]|[.,]\d|-\w)")
_DAY = re.compile(rf"\b(?:(?:{'|'.join(MONTH_NAMES)}) (\d\d?)|(\d\d?) (?:{'|'.join(MONTH_NAMES)}))\b")


def year(text: str, rng: random.Random) -> Iterator[Mutation]:
    """A year moved by a little or by much."""
    for match in _YEAR.finditer(text):
        by = rng.choice((1, 1, 2, 3, 4, 5, 7, 10, 12, 20, 40, 100)) * rng.choice((1, -1))
        value = int(match[1]) + by
        yield Mutation(match[1], str(value if value <= 2020 else int(match[1]) - abs(by)), "year")


def number(text: str, rng: random.Random) -> Iterator[Mutation]:
    """A number changed by a little or by much."""
    days = {match.span(1) if match[1] else match.span(2) for match in _DAY.finditer(text)}
    for match in _NUMBER.finditer(text):
        if not _YEAR.fullmatch(match[1]) and match.span(1) not in days and (new := _other_number(match[1], rng)):
            yield Mutation(match[1], new, "number")


def _other_number(said: str, rng: random.Random) -> str:
    value = float(said.replace(",", ""))
    if value == 0:
        return str(rng.randint(1, 9))
    factor = rng.choice((0.3, 0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 3, 10))
    decimals = len(said.partition(".")[2])
    new = value * factor if value >= 10 or decimals else value + rng.choice((-2, -1, 1, 2, 3, 5))
    text_form = f"{max(new, 0 if decimals else 1):,.{decimals}f}" if "," in said else f"{max(new, 1):.{decimals}f}"
    return "" if float(text_form.replace(",", "")) == value else text_form


def day(text: str, rng: random.Random) -> Iterator[Mutation]:
    """Another month, or another day of the month."""
    for match in _DAY.finditer(text):
        date = match[0]
        if rng.random() < 0.5:
            old = match[1] or match[2]
            new = str(rng.choice([each for each in range(1, 29) if each != int(old)]))
        else:
            old = next(month for month in MONTH_NAMES if month in date)
            new = rng.choice([month for month in MONTH_NAMES if month != old])
        yield Mutation(date, date.replace(old, new), "date")


def count(text: str, rng: random.Random) -> Iterator[Mutation]:
    """A number or an ordinal in words."""
    for row in (_CARDINALS, _ORDINALS):
        for match in re.finditer(rf"\b({'|'.join(row)})\b", text):
            near = [each for each in row if each != match[1] and abs(row.index(each) - row.index(match[1])) <= 4]
            yield Mutation(match[1], rng.choice(near), "count")


# -- words -------------------------------------------------------------------------------------------------

_NATIONALITY = re.compile(rf"\b({'|'.join(NATIONALITIES)})\b(?! (?:Championship|Open|Cup|League|Empire|War|language))")
_COUNTRY = re.compile(rf"\b(?<!New )(?<!South )(?<!North )({'|'.join(COUNTRIES)})\b")
_OPPOSITE = re.compile(rf"(?<![\w'-])({'|'.join(sorted(map(re.escape, ANTONYMS), key=len, reverse=True))})(?![\w'-])")
# The British Isles share what they say of one another.
_NESTED = frozenset("British English Scottish Welsh Irish England Scotland Wales Ireland".split())


def _other_of(found: str, known: Sequence[str], rng: random.Random) -> str:
    return rng.choice([each for each in known if each != found and not {each, found} <= _NESTED])


def nationality(text: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _NATIONALITY.finditer(text):
        yield Mutation(match[1], _other_of(match[1], NATIONALITIES, rng), "nationality")


def country(text: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _COUNTRY.finditer(text):
        yield Mutation(match[1], _other_of(match[1], COUNTRIES, rng), "country")


def opposite(text: str, rng: random.Random) -> Iterator[Mutation]:
    """A word and its opposite."""
    for match in _OPPOSITE.finditer(text):
        yield Mutation(match[1], ANTONYMS[match[1]], "opposite")


# -- names -------------------------------------------------------------------------------------------------

_NAME = re.compile(
    r"\b(in|at|from|near|by|with|for|of|to|and|starring|featuring|as|on|against|won|joined|played) (?P<the>the )?"
    r"(?P<name>[A-Z][\w’'-]+(?:(?: (?:of|the|de|la|von|van))? [A-Z][\w’'-]+){0,4})(?![\w’'-])"
)
_SOMEWHERE = re.compile(r"\b(?:located|born|died|lives|town|city|village|raised|moved|situated|based|held|capital)\b")
_PLAIN = frozenset({*MONTH_NAMES, *NATIONALITIES, *COUNTRIES, "He", "She", "It", "They", "The", "His", "Her", "I"})


class NameSwaps:
    """Names grouped by the kind of thing they name, as far as the word before them or a page of that title shows."""

    def __init__(self, kind_of: Callable[[str], str]) -> None:
        self._kind_of = kind_of
        self._known: dict[str, list[str]] = {}

    def names_in(self, text: str) -> Iterator[tuple[str, str]]:
        """The names in a text, each with its kind."""
        for match in _NAME.finditer(text):
            name = match["name"]
            if name not in _PLAIN and not name.isdigit() and not name.startswith("The "):
                yield name, self._kind_of(name) or _kind_by_place(match, text)

    def learn(self, texts: Iterable[str]) -> None:
        """Take in the names of some texts, to swap others for them."""
        for text in texts:
            for name, kind in self.names_in(text):
                self._known.setdefault(kind, []).append(name)

    def swaps(self, text: str, around: str, rng: random.Random) -> Iterator[Mutation]:
        """Names swapped for others of their kind that are not near: half of the time for one of the same page."""
        near: dict[str, list[str]] = {}
        for name, kind in self.names_in(around):
            near.setdefault(kind, []).append(name)
        for name, kind in self.names_in(text):
            local = [each for each in near.get(kind, ()) if each not in text and not _shares(each, name)]
            if local and rng.random() < 0.5:
                yield Mutation(name, rng.choice(local), "name of the page")
                continue
            known = self._known.get(kind, ())
            new = rng.choice(known) if len(known) > 5 else ""
            if new and new not in around and not _shares(new, name) and new not in LARGE_PLACES:
                yield Mutation(name, new, "name")


def _kind_by_place(match: re.Match[str], text: str) -> str:
    """The kind of a name by the word before it, where no page has that title."""
    said, long = match[1], " " in match["name"]
    if said in ("in", "at", "from", "near", "to") and _SOMEWHERE.search(text):
        return "place"
    if said in ("by", "with", "starring", "featuring", "and") and long and not match["the"]:
        return "person"
    return f"{said} {match['the'] or ''}{'long' if long else 'short'}"


def _shares(one: str, other: str) -> bool:
    """Whether two names may be of the same thing."""
    return bool({*one.lower().split()} & {*other.lower().split()} - {"of", "the", "de", "la"}) or one in other


# -- negation ----------------------------------------------------------------------------------------------

_AUXILIARY = re.compile(r"\b(is|was|are|were|has been|have been|had been|can|could|will|would|must|should)\b")
_NEGATED = re.compile(r"\bnot\b|n't\b|\bnever\b|\bno\b|\bneither\b|\bnor\b|\bwithout\b", re.I)
_CLAUSE = re.compile(r"[,;:]| (?:and|or|but|who|which|that|where|when|while|because|although|whose) ")


def negate(text: str) -> str:
    """The sentence with "not" after its first verb; nothing where that would not deny the whole sentence."""
    match = _AUXILIARY.search(text)
    if not match or _NEGATED.search(text) or _CLAUSE.search(text):
        return ""
    first, _, rest = match[1].partition(" ")
    return f"{text[: match.start()]}{first} not{' ' + rest if rest else ''}{text[match.end() :]}"
