"""Which words of a claim a program accounts for: those of its cells, headers and title, and those that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import NamedTuple

from veritab.lexicon.accounting import (
    ACCOUNTED_SYNONYMS,
    BEGINNING_STEMS,
    ENDING_STEMS,
    EVENT_LASTING_STEMS,
    EVENT_STEMS,
    FAR_BEYOND,
    HEDGES,
    IDLE_STEMS,
    KIND_STEMS,
    LASTING_STEMS,
    LEADER_STEMS,
    LEADING_STEMS,
    LEADING_VERBS,
    PERIOD_END_STEMS,
    PERIOD_START_STEMS,
    RELATING_STEMS,
    SLIGHTLY,
    TEMPLATE_STEMS,
    UNSAFE_SYNONYMS,
    VAGUE_DIRECTIONS,
)
from veritab.lexicon.attributes import GENDER_STEMS, OUTCOME_STEMS, header_synonyms
from veritab.lexicon.comparison import OR_LESS, OR_MORE, is_comparative, is_superlative, lookup_forms
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.names import NAMES_FOR, is_of_place
from veritab.lexicon.numbers import MONTHS
from veritab.quantities import Date, Quantity, unit_named
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.derived import DerivedColumn, year_before
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.phrase_links import gender_of_cell
from veritab.reason.programs.programs import Relation, Where
from veritab.reason.programs.values import Term
from veritab.reason.tables import ColumnType
from veritab.reason.templates.grounding import ProgramCandidate, as_count, find_exclusion
from veritab.text import Token, root, stems

ORDERED = frozenset(
    {"top", "named top", "top value", "among top", "compare", "compare sum", "compare rest", "compare counts"}
)
"""Templates that set something above or below something else."""
OVER_ROWS = frozenset(
    {
        "top",
        "top value",
        "among top",
        "sum",
        "sum change",
        "mean",
        "share",
        "share of sum",
        "count",
        "all but",
        "spread",
    }
)
"""Templates that take in many rows."""
UP = {"high": 1, "above": 1, "last": 1, "low": -1, "below": -1, "first": -1}
"""Which way a program points, by its detail."""
_ARTICLES = frozenset({"the", "all", "its", "their"})
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ONE_YEAR = re.compile(r"\b(?:in|within|over) (?:just |only )?(?:one|a|a single) year\b", re.IGNORECASE)
_AMOUNTS = frozenset("many much more fewer less".split())
_COUNTING_ROWS = frozenset({"count", "no", "every", "share", "all but", "sum"})
_EXACT = frozenset({"all but", "spread", "change", "time between", "margin", "count ratio", "count difference"})
_RELATING_REACH = 4
_LEAST_INITIALS = 3
_EDGES = frozenset({"end", "start", "beginning"})
_FIRST_OR_LAST = frozenset({"first", "last"})
_SHARES = frozenset("rate proportion percentage share percent".split())
_DURATIONS = frozenset("length duration time runtime".split())
_BEFORE_ADJECTIVES = frozenset("the a s his her its their our this at in of and or very".split())
_PER_TIME = re.compile(r"\b(?:an?|per|each|every) (hour|day|night|week|month|year)\b", re.IGNORECASE)
_PER_ADVERBS = dict(
    zip("hour day night week month year".split(), "hourly daily nightly weekly monthly yearly".split(), strict=True)
)
_RATES = frozenset("average averaged averaging each every per".split())
_PARTS_OF_MONTHS = frozenset({"early", "late", "mid"})
_NONE = frozenset({"none", "nobody", "nowhere", "nothing"})
_TAKEN_FOR = re.compile(r"\b(?:took|takes?|taken) (?:(?:it|him|her|them|this|these) )?for an?\b", re.IGNORECASE)
_PER = frozenset({"per", "each", "every"})
"""What comes before the last word of "Opening hours per week"."""


class PageContext(NamedTuple):
    """What the page of a table says outside of it."""

    rows: frozenset[str] = frozenset()
    """The stems of what the rows of its other tables are."""
    host: frozenset[str] = frozenset()
    """The stems of where it all takes place: the Rio of the Games of 2016."""


NO_CONTEXT = PageContext()


class WordAccount:
    """The words that the programs of one claim and table account for."""

    def __init__(self, links: EntityLinks, context: PageContext = NO_CONTEXT) -> None:
        self.links = links
        self.context = context
        self.claim = links.claim
        self.table = links.table
        self.features = FeatureExtractor(links)

    def unaccounted(self, candidate: ProgramCandidate) -> tuple[str, ...]:
        """The words of the claim that a program leaves out, in order."""
        accounted = self._accounted(candidate)
        stems = self.claim.stems
        numbers = {place for number in self.claim.numbers for place in range(*number.span)}
        # What is not before a number relates to none: "the bridges over the Thames", "the only one".
        idle = self._find(("one",)) - numbers
        idle |= {place for place in self._find(("over", "under")) if not numbers & {place + 1, place + 2, place + 3}}
        # What is over budget is compared with it.
        headers = {root(stem) for stem in self.links.header_mentions.header_words}
        idle -= {
            place for place in idle - self._find(("one",)) if headers & set(map(root, stems[place + 1 : place + 2]))
        }
        # Over a year is a limit, as over 52 weeks is.
        idle -= {place for place in idle if stems[place + 1 : place + 2] == ("a",) and _is_unit(stems[place + 2 :][:1])}
        # Who took it for an element said what it is.
        taken_for = _TAKEN_FOR.search(self.claim.text)
        believed = set(range(*self.claim.span(*taken_for.span()))) if taken_for else set()
        # The women are not the rows, where a column tells them from the men.
        kinds = KIND_STEMS - GENDER_STEMS.keys() if self._has_genders else KIND_STEMS
        if candidate.template == "mean":
            # The goals of players are not those of matches, where the table has both.
            kinds -= self.links.header_mentions.header_words
        return tuple(
            stem
            for place, stem in enumerate(stems)
            if (place not in accounted and stem not in IDLE_STEMS and stem not in kinds and place not in idle)
            or place in believed
        )

    @cached_property
    def _has_genders(self) -> bool:
        texts = (dict.fromkeys(filter(None, column.texts)) for column in self.table.columns)
        return any({gender_of_cell(text) for text in each} == {"female", "male"} for each in texts if len(each) == 2)

    @cached_property
    def _lists_leaders(self) -> bool:
        """Whether the rows are those who were at the head of something."""
        key = self.table.columns[self.table.key].name if self.table.key is not None else ""
        heading = " ".join((key, self.table.title, self.table.caption, *self.table.sections))
        return not LEADER_STEMS.isdisjoint(stems(heading))

    def _is_of_leader(self, candidate: ProgramCandidate) -> bool:
        """Whether a cell of the one row that a program names says that it is of a leader: "President"."""
        rows = [condition.rows for condition in candidate.conditions]
        named = frozenset.intersection(*rows) if rows else frozenset()
        texts = (column.texts[row] for column in self.table.columns for row in named) if len(named) == 1 else ()
        return any(not LEADER_STEMS.isdisjoint(stems(text)) for text in texts)

    # -- words

    def _accounted(self, candidate: ProgramCandidate) -> set[int]:
        template = candidate.template.removeprefix("not ")
        places = {place for c in candidate.conditions for place in self._named_by(c)}
        tested = set(_tests(candidate.program))
        for slot in self.links.slots:
            # A side of a comparison may be narrowed by a phrase that is no condition of the whole.
            if any((each.column, each.relation, each.term) in tested for each in slot.conditions):
                places.update(range(*slot.span))
        numbers = self._used_numbers(candidate)
        for number in numbers:
            places.update(range(*number.span))
            places.update(self._relating(number))
        if candidate.number and template in _EXACT:
            # A share of change is no number by itself: "by a third".
            places.update(range(*candidate.number.span), self._relating(candidate.number))
        if template == "spread":
            places.update(place for place, stem in enumerate(self.claim.stems) if orders(stem))
        used = self._columns(candidate)
        for column in used:
            places.update(self._header_places(column))
        for column in used:
            typed = self.table.columns[column]
            if isinstance(typed, DerivedColumn) and typed.lasts:
                is_event = not EVENT_STEMS.isdisjoint(stems(f"{typed.start.name} {typed.end.name}"))
                places.update(self._find(EVENT_LASTING_STEMS if is_event else LASTING_STEMS))
                leads = self._lists_leaders or self._is_of_leader(candidate)
                places.update(self._find(LEADING_STEMS) if leads else ())
        if any(self._compares_columns(condition) for condition in candidate.conditions):
            places.update(self._find(("than",)), year_before(self.claim))
        if self.links.header_mentions.whole in used:
            places.update(self._find(ACCOUNTED_SYNONYMS["medal"] | {"medal"}))
        places.update(self._topic_places(candidate))
        places.update(self.links.whole_set)
        places.update(self._cue_places(candidate, template))
        if candidate.template.startswith("not ") or template == "no":
            places.update(self._find(TEMPLATE_STEMS["no"]))
        return places

    def _named_by(self, condition: CellCondition) -> range:
        """The positions of a phrase with the words beside it that its one cell has too: "Harry S. Truman"."""
        start, end = condition.span
        if condition.relation is Relation.CONTAINS and len(condition.rows) == 1 and isinstance(condition.term, str):
            cell = frozenset(stems(self.table.columns[condition.column].texts[min(condition.rows)]))
            while start and self.claim.stems[start - 1] in cell:
                start -= 1
            while end < len(self.claim.stems) and self.claim.stems[end] in cell:
                end += 1
        return range(start, end)

    def _compares_columns(self, condition: CellCondition) -> bool:
        """Whether a comparative sets one column against another: "more silver than gold"."""
        derived = self.table.columns[condition.column]
        comparative = is_comparative(self.claim.stems[condition.span[0]])
        return isinstance(derived, DerivedColumn) and not derived.lasts and comparative

    def _find(self, wanted: Iterable[str]) -> set[int]:
        known = frozenset(wanted)
        return {place for place, stem in enumerate(self.claim.stems) if stem in known}

    def _columns(self, candidate: ProgramCandidate) -> tuple[int, ...]:
        """The columns that a program reads, those that derived ones come from included."""
        used = dict.fromkeys((*candidate.columns, *(c.column for c in candidate.conditions)))
        if self.table.key is not None or self.table.height > 1:
            # Its header says what kind of things the rows are; in a table without names the first column says so.
            used.setdefault(self.table.key or 0)
        for column in tuple(used):
            typed = self.table.columns[column]
            if isinstance(typed, DerivedColumn):
                used.update(dict.fromkeys((typed.start.number, typed.end.number)))
        return tuple(used)

    @cached_property
    def _row_names(self) -> set[int]:
        """The positions of what rows are by the header of a column that tells them apart, in its own words.

        A table of missions may be kept by the names of their ships.
        """
        headers = (column.name for column in self.table.columns if self._tells_rows_apart(column.number))
        return self._find(frozenset(stem for name in headers for stem in stems(name)) - TABLE_STOP_STEMS)

    def _tells_rows_apart(self, column: int) -> bool:
        """Whether each row has another value in a column, so that its header says what the rows are."""
        typed = self.table.columns[column]
        texts = typed.texts
        if typed.type not in (ColumnType.ENTITY, ColumnType.TEXT):
            return False  # A rank is not what the rows are.
        return all(text.strip() for text in texts) and len(set(texts)) == len(texts)

    def _find_after(self, wanted: frozenset[str]) -> Iterator[int]:
        """The positions right after certain words."""
        return (place for place in range(1, len(self.claim.stems)) if self.claim.stems[place - 1] in wanted)

    def _header_places(self, column: int) -> set[int]:
        """The positions of the words of a header, of words of their root, and of words that mean the same."""
        typed = self.table.columns[column]
        if isinstance(typed, DerivedColumn) or not typed.header:
            return set()
        header = set(stems(typed.name)) - TABLE_STOP_STEMS
        roots = {root(stem) for stem in header if len(stem) > 3}
        akin = {word for stem in header for word in header_synonyms(stem) - UNSAFE_SYNONYMS.get(stem, frozenset())}
        outcomes = {word for stem in header & OUTCOME_STEMS.keys() for word in header_synonyms(stem)}
        akin -= OUTCOME_STEMS.keys() - outcomes
        akin |= {word for stem in header for word in ACCOUNTED_SYNONYMS.get(stem, ())}
        akin |= {stem.removesuffix("ness") for stem in header}  # What is harder has more hardness.
        if per := _PER_TIME.search(typed.name):
            akin |= _RATES | {_PER_ADVERBS[per[1].lower()], "working"}
        akin |= _SHARES if typed.unit == "%" else frozenset()
        akin |= LEADING_VERBS if header & LEADER_STEMS else frozenset()
        if typed.type is ColumnType.DATE:
            # Who became president "from" a year; a player who came "from" a club became nothing there.
            said = frozenset(stems(typed.name))
            akin |= BEGINNING_STEMS if said & PERIOD_START_STEMS else frozenset()
            akin |= ENDING_STEMS if said & PERIOD_END_STEMS else frozenset()
        found = {
            place
            for place, stem in enumerate(self.claim.stems)
            if stem in header
            or (len(stem) > 3 and root(stem) in roots)
            or (not orders(stem) and not akin.isdisjoint(lookup_forms(stem)))
        }
        if not header.isdisjoint(_DURATIONS):
            found |= {place for place in self._find(("last",)) if self._is_verb(place)}
        if typed.unit:
            # As many tonnes are so many of a column of tonnes.
            found |= {
                place for place in self._find_after(_AMOUNTS) if unit_named(self.claim.stems[place]) == typed.unit
            }
        # Under "First performance" is when something was first heard.
        opening = frozenset(stems(typed.name)) & _FIRST_OR_LAST
        opening |= _PER if "per" in stems(typed.name) else frozenset()
        return found | {place for place in self._find(opening) if place + 1 in found}

    def _is_rate(self, column: int) -> bool:
        """Whether a header says that its numbers are so many per day or year, and so an average of one row."""
        return bool(_PER_TIME.search(self.table.columns[column].name))

    def _is_verb(self, place: int) -> bool:
        """Whether a word that may be an adjective is a verb: "the films last 90 minutes", but not "the last film"."""
        before = self.claim.before((place, place), 1)
        return bool(before) and before[0] not in _BEFORE_ADJECTIVES

    @cached_property
    def _topic(self) -> frozenset[str]:
        return self.links.header_mentions.title_words - TABLE_STOP_STEMS

    @cached_property
    def _own_header_words(self) -> dict[int, frozenset[str]]:
        """The words that a header has and the title has not."""
        headers = self.links.header_mentions.headers
        return {column: words - TABLE_STOP_STEMS for column, words in headers.items()}

    def _topic_places(self, candidate: ProgramCandidate) -> set[int]:
        """The positions of words of the title, unless they name a column that the program does not use."""
        used = self._columns(candidate)
        elsewhere = frozenset(
            word for column, words in self._own_header_words.items() if column not in used for word in words
        )
        # A page on varieties and plots may count the plots in this table, and never the varieties.
        if candidate.template.removeprefix("not ") in OVER_ROWS:
            elsewhere |= self.context.rows
        roots = {root(stem) for stem in self._topic if len(stem) > 4}
        # In a table of loans something was lent.
        headed = frozenset(stems(" ".join((self.table.caption, *self.table.sections[-1:]))))
        verbs = {word for stem in headed for word in ACCOUNTED_SYNONYMS.get(stem, ())} - OUTCOME_STEMS.keys()
        repeated = {
            place
            for place, stem in enumerate(self.claim.stems)
            if stem not in elsewhere and (stem in self._topic or (len(stem) > 4 and root(stem) in roots))
        }
        others = {place for place in self._of_topic if self.claim.stems[place] not in elsewhere}
        return repeated | others | self._title_names | self._find(verbs - elsewhere)

    @cached_property
    def _title_names(self) -> frozenset[int]:
        """The positions of names in the title, which mean the page also where a header has them: the Rhine."""
        title = frozenset(stems(without_brackets(self.table.title))) - TABLE_STOP_STEMS
        words = enumerate(self.claim.words)
        return frozenset(place for place, word in words if place and word.stem in title and self._is_name(word))

    def _is_name(self, word: Token) -> bool:
        return self.claim.text[word.start].isupper()

    @cached_property
    def _of_topic(self) -> frozenset[int]:
        """The positions of other words for what the title names: the Americans, or the US, of the United States."""
        title = stems(without_brackets(self.table.title))
        names = (title, *((each,) for each in title))
        others = frozenset(stem for name in NAMES_FOR.get(title, ()) for stem in name)
        initials = "".join(word[0] for word in title if word not in TABLE_STOP_STEMS)
        reach = range(_LEAST_INITIALS, len(initials) + 1)
        others |= {initials[at : at + size] for size in reach for at in range(len(initials) - size + 1)}
        return frozenset(
            place
            for place, word in enumerate(self.claim.words)
            if self._is_name(word)
            and (
                word.stem in others
                or any(is_of_place(word.stem, name) for name in names)
                or (word.stem in self.context.host and self._says_where(place))
            )
        )

    def _says_where(self, place: int) -> bool:
        """Whether a name says where something was, and not who did it: "in Rio", "the Rio Games"."""
        start, end = place, place + 1
        while start and self.claim.stems[start - 1] in self.context.host:
            start -= 1
        while end < len(self.claim.stems) and self.claim.stems[end] in self.context.host:
            end += 1
        following = self.claim.stems[end : end + 1]
        return self.claim.before((start, end), 1) in (("in",), ("at",)) or self._topic.issuperset(following or ("",))

    def _cue_places(self, candidate: ProgramCandidate, template: str) -> set[int]:
        places = self._find(TEMPLATE_STEMS.get(template, frozenset()))
        if template in ORDERED or candidate.detail in UP:
            leading = self._leading_direction(candidate)
            if leading is not None:
                places.add(leading)
                places.update(self._find(("than",)) if is_comparative(self.claim.stems[leading]) else ())
                places.update(self._than_any_other())
        for condition in candidate.conditions:
            places.update(find_exclusion(self.claim, condition.span))
            if not candidate.truth.holds and MONTHS.keys() & {*self.claim.stems[slice(*condition.span)]}:
                # Early or late, it was in another month.
                places.update({condition.span[0] - 1} & self._find(_PARTS_OF_MONTHS))
        if template in _COUNTING_ROWS:
            used = self._columns(candidate)
            places |= self._row_names | self._measured_by_rows() | self._whole_of_share(used)
        if template == "change":
            places |= self._in_one_year(candidate)
        if template == "share given":
            # What a share is of may be counted in another column: the patients of "half of the patients".
            counts = (each.name for each in self.table.columns if each.type is ColumnType.NUMBER)
            places |= self._find(frozenset(stems(" ".join(counts))) - TABLE_STOP_STEMS)
        if template in ("top", "nth"):
            places |= {p for n in self.claim.numbers if is_ordinal(n) for p in range(*n.span)}
        return places

    def _measured_by_rows(self) -> set[int]:
        """The positions of what the rows measure, before their name: the bicycles of "bicycle counters"."""
        names = self._row_names | self._header_places(self.table.key or 0)
        known = {stem for column in self.table.columns for stem in stems(column.name)} - TABLE_STOP_STEMS
        return {
            place - 1
            for place in names
            if place
            and self.claim.stems[place - 1] in known
            and not self.claim.stems[place - 1][0].isdigit()
            and not self._is_said_of_cells(place - 1)
        }

    def _is_said_of_cells(self, place: int) -> bool:
        """Whether a word is in a cell, and so may tell some rows from the others."""
        word = self.claim.stems[place]
        return any(word in stems(text) for column in self.table.columns for text in dict.fromkeys(column.texts))

    def _whole_of_share(self, used: Iterable[int]) -> set[int]:
        """The positions of what a share is of, which another column counts: "92 percent of the trains were on time"."""
        if not any(self.table.columns[column].unit == "%" for column in used):
            return set()
        counts = (each.name for each in self.table.columns if each.type is ColumnType.NUMBER and each.unit != "%")
        counted = frozenset(stems(" ".join(counts))) - TABLE_STOP_STEMS
        found = set()
        for number in self.claim.numbers:
            place = number.span[1]
            if isinstance(number.value, Quantity) and number.value.unit == "%" and self._at(place) == "of":
                place += 2 if self._at(place + 1) in _ARTICLES else 1
                found |= {place} if self._at(place) in counted else set()
        return found

    def _at(self, place: int) -> str:
        return self.claim.stems[place] if 0 <= place < len(self.claim.stems) else ""

    def _in_one_year(self, candidate: ProgramCandidate) -> set[int]:
        """The positions of "in one year", where one year lies between the two columns."""
        headers = [stems(self.table.columns[column].name) for column in candidate.columns]
        years = [int(stem) for header in headers for stem in header if _YEAR.fullmatch(stem)]
        found = _ONE_YEAR.search(self.claim.text) if len(years) == 2 and abs(years[0] - years[1]) == 1 else None
        return set(range(*self.claim.span(*found.span()))) if found else set()

    def _than_any_other(self) -> set[int]:
        """The positions of "than any other" and "than the others", or of "no other" before "than"."""
        claim = self.claim.stems
        for place in self._find(("than",)):
            reach = range(place, min(place + 5, len(claim)))
            found = {near for near in reach if claim[near] in ("than", "any", "all", "every", "other")}
            if len(found) > 1:
                return found
            before = {near for near in range(place) if claim[near] in ("no", "other") or claim[near] in _NONE}
            if len(before) > 1 or (before and claim[min(before)] != "other"):
                return before | {place}
        return set()

    # -- numbers

    def _used_numbers(self, candidate: ProgramCandidate) -> list[StatedNumber]:
        """The numbers that a program uses, and those that only repeat the title or the number of rows."""
        spans = {c.span for condition in candidate.conditions for c in condition.members}
        sizes = {len(condition.members) for condition in candidate.conditions if condition.others}
        if candidate.template in ("sum", "sum change", "mean", "every") and candidate.conditions:
            sizes.add(len(frozenset.intersection(*(condition.rows for condition in candidate.conditions))))
        if candidate.template == "compare sum":
            sizes.update(len(condition.rows) for condition in candidate.conditions)
        if candidate.template == "compare rest":
            sizes.add(self.table.height - 1)
        used = []
        for number in self.claim.numbers:
            in_program = number.span in spans or (candidate.number and candidate.number.span == number.span)
            if in_program or number.span in self.links.number_links.ignored or as_count(number) in sizes:
                used.append(number)
        for number in self.claim.multiples:
            if candidate.number and candidate.number.span == number.span:
                used.append(number)
        return used

    def _relating(self, number: StatedNumber) -> set[int]:
        """The positions around a number of the words that say how the claim relates to it."""
        start, end = number.span
        found = set()
        degrees = frozenset() if number.relation is Relation.IS else SLIGHTLY | FAR_BEYOND
        degrees |= _EDGES if isinstance(number.value, Date) else frozenset()
        for place in range(start - 1, max(start - _RELATING_REACH, 0) - 1, -1):
            if self.claim.stems[place] not in RELATING_STEMS | HEDGES | degrees:
                break
            found.add(place)
        than = start - 2 if self.claim.stems[start - 1 : start] in (("a",), ("an",), ("the",)) else start - 1
        if than > 0 and self.claim.stems[than] == "than":
            near = range(max(than + 1 - _RELATING_REACH, 0), than)
            compared = [place for place in near if is_comparative(self.claim.stems[place])]
            found.update(range(compared[-1], than) if compared else ())
        for place in range(end, min(end + 2, len(self.claim.stems))):
            alternative = place > end and self.claim.stems[place] in OR_MORE | OR_LESS
            if not alternative and self.claim.stems[place] not in ("or", "more", "fewer", "less", "time", "and", "to"):
                break
            found.add(place)
        unit = number.value.unit if isinstance(number.value, Quantity) else ""
        if unit and end < len(self.claim.stems) and unit_named(self.claim.stems[end]) == unit:
            found.add(end)
        return found

    # -- the direction of a comparison

    def _directions(self, candidate: ProgramCandidate) -> list[int]:
        """The positions of the words that compare, other than those of names and headers."""
        taken = {place for c in candidate.conditions for place in range(*c.span)}
        for number in self._used_numbers(candidate):
            taken |= self._relating(number)
        for column in candidate.columns:
            mention = self.links.mentions.get(column)
            taken |= mention.exact if mention else frozenset()
        return [
            place
            for place, stem in enumerate(self.claim.stems)
            if place not in taken | self.links.whole_set and orders(stem) and stem not in VAGUE_DIRECTIONS
        ]

    def _leading_direction(self, candidate: ProgramCandidate) -> int | None:
        found = self._directions(candidate)
        return found[0] if found else None


def _is_unit(words: tuple[str, ...]) -> bool:
    """Whether a word is a unit: what follows "over a"."""
    return bool(words) and bool(unit_named(words[0]))


def _tests(program: object) -> Iterator[tuple[int, Relation, Term]]:
    """The conditions that a program tests, wherever in it."""
    if isinstance(program, Where):
        yield program.column, program.relation, program.term
    if is_dataclass(program):
        for each in fields(program):
            yield from _tests(getattr(program, each.name))


def orders(stem: str) -> bool:
    """Whether a word sets one thing above, below, before or after another."""
    return is_superlative(stem) or is_comparative(stem) or stem in ORDERING


ORDERING = frozenset("before after predate predated precede preceded above below ahead behind outnumber".split())


def is_ordinal(number: StatedNumber) -> bool:
    """Whether a number is a third rather than three."""
    return isinstance(number.value, Quantity) and number.value.ordinal
