"""Edits that may put a false claim right: words of the claim, and what the evidence says in their place.

Each stretch of a claim that says something of its own (a value, a name, a word of comparison, a "not") is a slot; what
the evidence has of the same kind may fill it. Edits are listed cheapest first: those that a computation asks for, then
those whose old words the evidence does not say and whose new words stand in it as the old ones stand in the claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from veritab.build.correcting.bounds import find_bounds, is_kept, read_values, word_after
from veritab.build.correcting.evidence_words import (
    COMPUTATION,
    LONGEST_NAME,
    TITLE_RANK,
    EvidenceText,
    Stretch,
    cells_in_columns_of,
    find_name_spans,
    is_sign,
    list_sources,
    names_of,
)
from veritab.build.correcting.value_wording import are_alike, find_values, is_as_exact, unit_of, write_value
from veritab.build.mutations import COUNTRIES, NATIONALITIES, negate
from veritab.datasets.tabular import UNTITLED
from veritab.lexicon.antonyms import OPPOSITES
from veritab.lexicon.numbers import MONTH_NAMES
from veritab.quantities import Date, NumberOrDate, agree, compare, parse_numbers
from veritab.schema import Edit, Element, ElementId, Evidence, Kind, apply_edits
from veritab.text import STOP_WORDS, Span, Token, stem, terms, tokenize
from veritab.verify.evidence import TITLE as GIVEN_TITLE

NUMBER, DATE, NAME, NATIONALITY = "number", "date", "name", "nationality"
COMPARISON, WORDS, ORDER, NEGATION = "comparison", "words", "order", "negation"


class EditedClaim(NamedTuple):
    """A claim with edits made, and how far they are from what one would try first."""

    text: str
    edits: tuple[Edit, ...]
    cost: float
    computed: bool = False
    """Whether a computation asks for the edits."""
    changes_subject: bool = False
    """Whether the edited claim is about something else."""

    @property
    def slots(self) -> tuple[Span, ...]:
        """The stretches of the claim that are changed."""
        return tuple((edit.start, edit.end) for edit in self.edits)


# -- the edits of a claim ----------------------------------------------------------------------------------

_BASE = {
    COMPARISON: 0.0, NUMBER: 0.3, DATE: 0.3, NATIONALITY: 0.3, NAME: 0.6, WORDS: 1.6, ORDER: 2.0, NEGATION: 1.2,
}  # fmt: skip
"""What an edit costs by its kind: closed classes first, since few of their words can be meant."""
_PRESENT, _SUBJECT, _OPPOSITE, _BOTH, _COMPUTED = 2.0, 2.0, 0.8, 1.0, -10.0
"""What it costs to change what the evidence says too, to change whom a claim is about, to turn a word round that
compares nothing, and to make an edit beside others; and what it saves to do as was computed."""
_MOST_OF_SLOT = 7
_LEAST_SHARED = 0.5
"""How much of a claim a denial has to be about for a "not" to be offered."""
_MOST_BESIDE_BOUNDS = 8
_LONGEST_RUN = 3
_COMPARING = frozenset("more less fewer over under above below before after".split())
VALUES = frozenset({NUMBER, DATE, NATIONALITY})
_ARTICLES = {"an": "a"}
_PLACING = frozenset({"in", "at", "to", "into", "near", "from"})
_DOING = frozenset({"by", "with", "for", "as"})
"""What stands before places, and before those who do something."""
_COUNTING = frozenset({"more", "most"})
_DISTANCES = {
    "farther from": "nearer to", "further from": "nearer to", "nearer to": "farther from", "closer to": "farther from",
}  # fmt: skip
"""Comparisons of distance, whose prepositions turn round with them."""
_DROPPED = ("more than", "less than", "fewer than", "over", "under", "at least", "at most")
"""Limits that leave a sentence behind when they go."""
_NOT = re.compile(r"\b(?:not|never) ", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:not|never|no|none|nor)\b|n['’]t\b", re.IGNORECASE)
_RESULT = re.compile(r'(?:: |= )"?(?P<is>[^:="]+?)"?, not "?(?P<said>[^"]+?)"?(?=, so |$)')
"""How a line of reasoning tells what is instead of what was said: "4, not 5"."""


class EditFinder:
    """Lists the edits of one claim that its evidence may ask for."""

    def __init__(self, claim: str, deciding: Sequence[Element], evidence: Evidence, lines: Sequence[str] = ()) -> None:
        """`deciding` are the elements that decided, most important first; `lines` say what was computed."""
        self._claim = claim
        self._tokens = tokenize(claim)
        self._sources = list_sources(deciding, evidence)
        first = [source for source in self._sources if source.rank < max(1, len(deciding))]
        self._said = frozenset().union(*(source.around for source in first))
        self._values = [value for source in first for value in read_values(source.text)]
        self._lines = [line.lower() for line in lines]
        self._results = [
            (match["is"].strip(), match["said"].strip())
            for line in lines
            for match in _RESULT.finditer(line)
            if match["is"].strip()[0] not in "-−"  # a difference the other way round
        ]
        self._about = frozenset(terms(claim)) - frozenset(map(stem, STOP_WORDS))
        self._denied = any(
            _DENIAL.search(source.text) and len(self._about & source.around) > len(self._about) * _LEAST_SHARED
            for source in first
        )
        self._names = [span for span in find_name_spans(claim) if claim[slice(*span)].lower() not in OPPOSITES]
        self._tables = [table for table in evidence.tables if not table.infobox]
        self._of_kind: dict[frozenset[str], dict[ElementId, frozenset[ElementId]]] = {}
        self._subject = self._find_subject()
        self._found: dict[str, EditedClaim] = {}

    def find(self, most: int) -> list[EditedClaim]:
        """The claim with an edit made, or with all that limits get wrong put right and another; cheapest first."""
        if not self._sources:
            return []
        for rule in (
            self._edit_comparisons,
            self._edit_values,
            self._edit_nationalities,
            self._edit_months,
            self._edit_names,
            self._edit_words,
            self._edit_order,
            self._edit_negation,
        ):
            rule()
        turned = self._turn_bounds()
        singles = sorted(self._found.values(), key=lambda each: (each.cost, each.text))
        if turned:
            self._add(turned, _BASE[COMPARISON] - _BOTH, computed=True)
            beside = [each for each in singles if each.edits[0].kind in VALUES and not _overlaps(each.edits, turned)]
            for each in beside[:_MOST_BESIDE_BOUNDS]:
                self._add((*turned, *each.edits), each.cost + _BOTH)
        of_slot: Counter[tuple[Span, ...]] = Counter()
        kept = []
        for each in sorted(self._found.values(), key=lambda each: (each.cost, each.text)):
            of_slot[each.slots] += 1
            if of_slot[each.slots] <= _MOST_OF_SLOT and self.keeps_bounds(each.text):
                kept.append(each)
        return kept[:most]

    def _add(self, edits: Iterable[Edit], cost: float, *, computed: bool = False) -> None:
        made = tuple(sorted(edits, key=lambda edit: edit.start))
        subject = not computed and any(self._is_subject((edit.start, edit.end), edit.kind) for edit in made)
        text = apply_edits(self._claim, made)
        before = self._found.get(text)
        if text.casefold() != self._claim.casefold() and (before is None or cost < before.cost):
            self._found[text] = EditedClaim(text, made, cost, computed, subject)

    def _edit(self, span: Span, new: str, kind: str, source: ElementId | None = None) -> Edit:
        """An edit, with a capital where a claim begins and with the article before it as it has to be."""
        start, end = span
        if start == 0:
            new = f"{new[:1].upper()}{new[1:]}"
        article = re.search(r"\b([Aa])(n?) $", self._claim[:start])
        if article and bool(article[2]) is not (new[0].lower() in "aeiou" or new.startswith(("8", "11 ", "18 "))):
            start, new = article.start(), f"{article[1]}{'' if article[2] else 'n'} {new}"
        return Edit(start, end, self._claim[start:end], new, kind, source)

    # -- comparisons

    def _edit_comparisons(self) -> None:
        for number, token in enumerate(self._tokens):
            if token.is_capital and number:  # part of a name
                continue
            tested = f'so "{token.lower}" is false' in " ".join(self._lines)
            end = self._tokens[number + 1].end if number + 1 < len(self._tokens) else token.end
            if turned := _DISTANCES.get(self._claim[token.start : end].lower()):
                cost = _BASE[COMPARISON] + _COMPUTED * tested
                self._add([self._edit((token.start, end), turned, COMPARISON)], cost, computed=tested)
                continue
            for rank, opposite in enumerate(self._opposites(number)):
                new = opposite.capitalize() if token.is_capital else opposite
                compares = token.lower in _COMPARING or frozenset(terms(opposite)) <= self._said
                cost = _BASE[COMPARISON] + 0.5 * rank + _OPPOSITE * (not compares) + _COMPUTED * tested
                self._add([self._edit((token.start, token.end), new, COMPARISON)], cost, computed=tested)
        for bound in find_bounds(self._claim):
            start, end = bound.span
            words = self._claim[start:end]
            if words.lower() in ("at least ", "at most "):
                other = "most " if "least" in words.lower() else "least "
                self._add([self._edit((start + 3, end), other, COMPARISON)], _BASE[COMPARISON])
            if words.lower().startswith(_DROPPED) and self._says_value(bound.value, exact=True):
                self._add([Edit(start, end, words, "", COMPARISON)], _BASE[COMPARISON] + 0.1)

    def _opposites(self, number: int) -> Sequence[str]:
        """The opposites of a word: of "more races" it is "fewer", of "more than ten" "less", of "Most races" none."""
        word = self._tokens[number].lower
        if word == "most" and not number:
            return ()
        found = OPPOSITES.get(word, ())
        if word not in _COUNTING:
            return found
        after = [token.lower for token in self._tokens[number + 1 : number + 4]]
        counts = after[:1] != ["than"] and any(each.endswith("s") and each not in STOP_WORDS for each in after)
        return [each for each in found if (each in ("fewer", "fewest")) is counts]

    def _turn_bounds(self) -> list[Edit]:
        """The limits that the values of the evidence break, turned round."""
        edits = []
        for bound in find_bounds(self._claim):
            turned = bound._replace(is_above=not bound.is_above)
            if is_kept(bound, self._values) is False and is_kept(turned, self._values):
                word = next(token for token in self._tokens if token.start >= bound.span[0])
                if word.lower == "at" or word.lower not in OPPOSITES:
                    return []
                (opposite, *_) = OPPOSITES[word.lower]
                new = opposite.capitalize() if word.is_capital else opposite
                edits.append(self._edit((word.start, word.end), new, COMPARISON))
        return edits

    def keeps_bounds(self, text: str) -> bool:
        """Whether no limit that a claim sets is broken by the values of the evidence."""
        return all(is_kept(bound, self._values) is not False for bound in find_bounds(text))

    # -- values

    def _edit_values(self) -> None:
        said = [
            Stretch(source.text[value.span[0] : value.span[1]], source, *value.span)
            for source in self._sources
            for value in find_values(source.text)
        ]
        for value in find_values(self._claim):
            old = self._claim[slice(*value.span)]
            before, after = self._claim[: value.span[0]], self._claim[value.span[1] :]
            if re.search(r"\w-$", before):  # COVID-19
                continue
            if old.lower() == "one" and (before.endswith("only ") or after.startswith(" of ")):  # counts nothing
                continue
            kind = DATE if isinstance(value, Date) else NUMBER
            for text, false in self._results:
                if any(agree(value, other) for other in parse_numbers(false)[:1]):
                    said_instead = Stretch(text, COMPUTATION, 0, len(text))
                    self._fill_value(value, old, [said_instead], kind, _COMPUTED)
            cost = _PRESENT * self._says_value(value) + _SUBJECT * self._is_subject(value.span, kind)
            self._fill_value(value, old, said, kind, cost)

    def _fill_value(self, value: NumberOrDate, old: str, said: Sequence[Stretch], kind: str, cost: float) -> None:
        after = word_after(self._claim, value.span[1])
        counted = "" if isinstance(value, Date) or value.unit else counted_after(self._claim, value.span[1])
        alike = []
        for stretch in said:
            (other, *_) = parse_numbers(stretch.text) or (None,)
            if other is not None and are_alike(value, other) and _count_alike(counted, stretch):
                alike.append((stretch, other))
        # What is measured alike, or counted alike, is meant where there is any.
        unit = unit_of(value)
        alike = [each for each in alike if unit_of(each[1]) == unit] or alike
        alike = [each for each in alike if after and _stands_before(after, each[0])] or alike
        for stretch, other in alike:
            if not agree(value, other):
                new = write_value(old, stretch.text, other)
                edit = self._edit(value.span, new, kind, stretch.source.id)
                total = _BASE[kind] + cost + self._distance(stretch, value.span)
                self._add([edit], total, computed=stretch.is_computed)

    def _says_value(self, value: NumberOrDate, *, exact: bool = False) -> bool:
        """Whether the evidence says this value and not only a vaguer one; with `exact`, whatever rounding forgives."""
        said = [each.value for each in self._values if is_as_exact(each.value, value)]
        return any(compare(value, each, exact=True) == 0 if exact else agree(value, each) for each in said)

    # -- names

    def _edit_nationalities(self) -> None:
        for known, kind in ((NATIONALITIES, NATIONALITY), (COUNTRIES, NAME)):
            said = [
                Stretch(token.text, source, token.start, token.end)
                for source in self._sources
                for token in tokenize(source.text)
                if token.text in known
            ]
            for token in self._tokens:
                if token.text in known:
                    self._fill_name((token.start, token.end), said, kind)

    def _edit_months(self) -> None:
        """A month that stands without a day and a year, for one of the evidence."""
        dated = [value.span for value in parse_numbers(self._claim)]
        said = [
            Stretch(token.text, source, token.start, token.end)
            for source in self._sources
            for token in tokenize(source.text)
            if token.text in MONTH_NAMES
        ]
        for token in self._tokens:
            if token.text in MONTH_NAMES and not any(start <= token.start < end for start, end in dated):
                self._fill_name((token.start, token.end), said, DATE)

    def _edit_names(self) -> None:
        said = [name for source in self._sources for name in names_of(source)]
        said += [Stretch(source.text, source, 0, len(source.text)) for source in self._titles()]
        for span in self._names:
            old = self._claim[slice(*span)]
            results = [text for text, false in self._results if false == old]
            self._fill_name(span, [Stretch(text, COMPUTATION, 0, len(text)) for text in results], NAME)
            self._fill_name(span, said, NAME)

    def _titles(self) -> Iterator[EvidenceText]:
        """The titles of the pages of the evidence, as far as they are short and somebody gave them."""
        for title in dict.fromkeys(source.id.page for source in self._sources if source.id):
            if title not in (UNTITLED, GIVEN_TITLE) and len(title.split()) <= LONGEST_NAME:
                yield EvidenceText(ElementId(title, Kind.TITLE), title, frozenset(terms(title)), TITLE_RANK, True)

    def _fill_name(self, span: Span, said: Sequence[Stretch], kind: str) -> None:
        start, end = span
        # Another country is meant where there is any.
        others = {stretch.text for stretch in said if stretch.text != self._claim[start:end]}
        is_country = self._claim[start:end] in COUNTRIES and any(each in COUNTRIES for each in others)
        own = frozenset(terms(self._claim[start:end]))
        cost = _BASE[kind] + _PRESENT * (own <= self._said) + _SUBJECT * self._is_subject(span, kind)
        for stretch in said:
            new = frozenset(terms(stretch.text))
            if new <= self._about - own or own <= new:  # said already, or the same name in full
                continue
            if stretch.is_part and (len(own) > 1 or self._claim[:start].casefold().endswith("the ")):
                continue  # of persons alone a part is named
            if is_country and stretch.text not in COUNTRIES:
                continue
            if self._stand_otherwise(span, stretch) or self._stands_in_another_column(own, stretch.source):
                continue
            source = stretch.source
            if source.is_cell and source.id and own <= frozenset(terms(source.id.page)):
                continue  # what a page lists about Mozart does not take his place
            if self._is_what_is_counted(own, stretch):
                continue
            if is_sign(stretch.text) is not is_sign(self._claim[start:end]):
                continue
            place, text = self._with_article(start, stretch)
            if stretch.source.is_cell:
                text += self._left_out_in_cells(self._claim[start:end], stretch.source)
            edit = self._edit((place, end), text, kind, stretch.source.id)
            # "North Sea" for "Black Sea": what ends alike is likely of one kind.
            is_alike = len(new) > 1 and stretch.text.split()[-1] == self._claim[start:end].split()[-1]
            total = cost + 0.5 * (new < own) - 0.5 * is_alike + self._distance(stretch, span)
            self._add([edit], _COMPUTED if stretch.is_computed else total, computed=stretch.is_computed)

    def _stand_otherwise(self, span: Span, stretch: Stretch) -> bool:
        """Whether the words around tell that two names are of different kinds: "to Ireland", "letters from Gerry"."""
        if re.match(r" ?['’](?!['’]|s\b)", self._claim[span[1] :]):
            return True  # half of a name: "Industries ' Federation"
        if stretch.source.is_cell:
            return False
        here, there = _word_before(self._claim, span[0]), _word_before(stretch.source.text, stretch.start)
        if here in _PLACING or there in _PLACING:
            return bool({here, there} & _DOING) or {here, there} == {"to", "from"}
        return here in ("a", "an") and there not in ("a", "an")

    def _is_what_is_counted(self, own: frozenset[str], stretch: Stretch) -> bool:
        """Whether a name is one of the things that a claim says of another: "Old Bridge" of "bridges to Ottawa"."""
        (*_, head) = stretch.text.split()
        kind = frozenset(terms(head))
        return len(stretch.text.split()) > 1 and bool(kind) and kind <= self._about - own

    def _left_out_in_cells(self, old: str, source: EvidenceText) -> str:
        """What the cells beside a cell leave out of the old words: "Party", where they say "Labour" alone."""
        table = next((table for table in self._tables if source.id and table.id == source.id.table), None)
        cells = {cell.text for row in table.rows for cell in row if not cell.header} if table else ()
        first, _, rest = old.partition(" ")
        return f" {rest}" if rest and first in cells and not source.text.endswith(rest) else ""

    def _stands_in_another_column(self, own: frozenset[str], source: EvidenceText) -> bool:
        """Whether a cell is in another column of its table than the old words, so that it is of another kind."""
        if not source.is_cell or not source.id or not source.id.table:
            return False
        if own not in self._of_kind:
            self._of_kind[own] = {
                table.id: cells for table in self._tables if (cells := cells_in_columns_of(own, table))
            }
        alike = self._of_kind[own].get(source.id.table)
        return alike is not None and source.id not in alike

    def _is_subject(self, span: Span, kind: str) -> bool:
        """Whether words are the name that a claim begins with, or part of the title of the first page named in it."""
        start, end = self._subject
        is_title = kind in (NAME, *VALUES) and start <= span[0] < span[1] <= end
        # "Women" for "Men", but not "Less" for "More".
        is_first = kind == COMPARISON and not span[0] and self._claim[: span[1]].lower() not in _COMPARING
        return is_title or is_first or (kind == NAME and span[0] <= len("The "))

    def _find_subject(self) -> Span:
        """Where the first title of a page of the evidence stands in the claim, the longest of several."""
        titles = {re.sub(r" \(.*\)$", "", source.id.page) for source in self._sources if source.id}
        found = (re.search(rf"\b{re.escape(title)}\b", self._claim, re.IGNORECASE) for title in titles)
        spans = [match.span() for match in found if match and match[0]]
        return min(spans, key=lambda span: (span[0], -span[1]), default=(0, 0))

    def _with_article(self, start: int, stretch: Stretch) -> tuple[int, str]:
        """Where an edit begins and its new words, with "the" before them where the evidence has it."""
        if stretch.source.is_cell:
            return start, stretch.text
        has = re.search(r"\b[Tt]he $", self._claim[:start])
        wants = re.search(r"\b[Tt]he $", stretch.source.text[: stretch.start])
        if has and not wants and has.start():
            return has.start(), stretch.text
        return start, f"the {stretch.text}" if wants and not has else stretch.text

    # -- any other words

    def _edit_words(self) -> None:
        """Runs of words that the evidence does not say, for what stands there between the words around them."""
        tokens = self._tokens
        free = [_is_plain(token) and not frozenset(terms(token.text)) <= self._said for token in tokens]
        start = 0
        while start < len(tokens):
            end = start
            while end < len(tokens) and free[end]:
                end += 1
            if start < end <= start + _LONGEST_RUN:
                self._fill_words(start, end)
            start = max(end, start + 1)

    def _fill_words(self, start: int, end: int) -> None:
        tokens = self._tokens
        left = _ARTICLES.get(tokens[start - 1].lower, tokens[start - 1].lower) if start else ""
        right = tokens[end].lower if end < len(tokens) else ""
        span = (tokens[start].start, tokens[end - 1].end)
        for source in self._sources:
            own = [] if source.is_cell else tokenize(source.text)
            for first, last in _runs(len(own)):
                follows = bool(first and left) and _ARTICLES.get(own[first - 1].lower, own[first - 1].lower) == left
                precedes = (own[last].lower if last < len(own) else "") == right
                if follows and precedes and all(map(self._is_new, own[first:last])):
                    stretch = Stretch(
                        source.text[own[first].start : own[last - 1].end], source, own[first].start, own[last - 1].end
                    )
                    cost = _BASE[WORDS] + 0.2 * abs((last - first) - (end - start))
                    edit = self._edit(span, stretch.text, WORDS, source.id)
                    self._add([edit], cost + self._distance(stretch, span))

    def _is_new(self, token: Token) -> bool:
        """Whether a word of the evidence says something that the claim does not."""
        return _is_plain(token) and not frozenset(terms(token.text)) & self._about

    # -- order and negation

    def _edit_order(self) -> None:
        """Two names, each in the place of the other, where one text of the evidence has both."""
        for one, other in combinations(self._names, 2):
            texts = [self._claim[slice(*span)] for span in (one, other)]
            both = frozenset(terms(" ".join(texts)))
            source = next((each for each in self._sources if both <= frozenset(terms(each.text))), None)
            if source and len(self._names) == len(texts):
                edits = [self._edit(one, texts[1], ORDER, source.id), self._edit(other, texts[0], ORDER, source.id)]
                self._add(edits, _BASE[ORDER])

    def _edit_negation(self) -> None:
        """A "not" that goes, or one that comes where the evidence denies something too."""
        if match := _NOT.search(self._claim):
            self._add([Edit(*match.span(), match[0], "", NEGATION)], _BASE[NEGATION])
        elif self._denied and (denied := negate(self._claim)):
            start = denied.index(" not") + 1
            self._add([Edit(start, start, "", "not ", NEGATION)], _BASE[NEGATION] + _SUBJECT)

    # -- how far

    def _distance(self, stretch: Stretch, span: Span) -> float:
        """How unlike the place of new words in their source is to that of the old ones in the claim."""
        if stretch.is_computed:
            return 0.0
        rest = self._about - frozenset(terms(self._claim[slice(*span)]))
        shared = len(rest & stretch.source.around) / max(1, len(rest))
        distance = 1.5 * (1 - shared) + 0.1 * min(stretch.source.rank, 10)
        if not stretch.source.is_cell:
            here, there = _beside(self._claim, span), _beside(stretch.source.text, (stretch.start, stretch.end))
            distance += 0.8 - 0.4 * (here[0] == there[0]) - 0.4 * (here[1] == there[1])
        return distance


def _overlaps(some: Iterable[Edit], others: Iterable[Edit]) -> bool:
    return any(one.start < other.end and other.start < one.end for one in some for other in others)


_WORD = rf"(?!(?:{'|'.join(sorted(STOP_WORDS))})\b)[a-z-]+"
_COUNTED = re.compile(rf"(?: {_WORD}){{0,2}}? (?=[a-z]{{2,}}s\b)({_WORD})", re.IGNORECASE)
"""What a number counts: the first plural among the words after it."""


def counted_after(text: str, place: int) -> str:
    """The stem of what a number before a place counts: of "three official languages" the languages; or nothing."""
    match = _COUNTED.match(text, place)
    return stem(match[1]) if match else ""


def _count_alike(counted: str, stretch: Stretch) -> bool:
    """Whether a number of the evidence may count what the claim counts; one in a cell has no words after it."""
    if stretch.source.is_cell or not counted:
        return True
    return counted_after(stretch.source.text, stretch.end) in ("", counted)


def _stands_before(after: str, stretch: Stretch) -> bool:
    """Whether a word follows a value of the evidence, or heads the cell that the value is."""
    source = stretch.source
    return word_after(source.text, stretch.end) == after or (source.is_cell and after in source.around)


def _is_plain(token: Token) -> bool:
    """Whether a word says something and is neither a name nor a number."""
    return token.text.isalpha() and token.text.islower() and token.lower not in STOP_WORDS


def _word_before(text: str, place: int) -> str:
    """The word before a place of a text, whatever its article where it has a preposition."""
    match = re.search(r"(\w+) (?:the )?$", text[:place], re.IGNORECASE)
    return match[1].lower() if match else ""


def _runs(count: int) -> Iterator[tuple[int, int]]:
    return ((start, end) for start in range(count) for end in range(start + 1, min(start + _LONGEST_RUN, count) + 1))


def _beside(text: str, span: Span) -> tuple[str, str]:
    """The stems of the words before and after a stretch."""
    before = re.search(r"([\w$%]+)\W*$", text[: span[0]])
    return stem(before[1]) if before else "", word_after(text, span[1])
