"""Phrase linking: which phrases of a claim match the words of cells, wholly or in part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from veritab.lexicon.attributes import GENDER_CELLS, GENDER_STEMS, OUTCOME_CELL_STEMS, OUTCOME_STEMS
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.names import is_of_place
from veritab.reason.parsing.conditions import CellCondition, is_within, make_condition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.mentions import HeaderMentions
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import Relation
from veritab.reason.tables import Column, ColumnType
from veritab.text import Span, stems

# Cells are short; a long one begins with what it is about.
_MAX_TEXT, _MAX_CELL = 400, 40
_MAX_OUTCOMES = 500
_WHOLE = 0.999
# Less than this of a cell does not name it, unless it is a name in the claim and in no other cell.
_LEAST, _MIN_OF_MANY, _MIN_OF_A_NAME = 0.3, 0.5, 0.15
_TITLE_SAYS = 0.55


def link_phrases(mentions: HeaderMentions, executor: Executor) -> list[CellCondition]:
    """The phrases that match cells, and words for winning and losing where cells have letters for them."""
    linker = _PhraseLinker(mentions, executor)
    worded = (*linker.outcome_conditions(), *linker.gender_conditions(), *linker.adjective_conditions())
    return _drop_contained([*linker.cell_conditions(), *worded])


class _PhraseLinker:
    def __init__(self, mentions: HeaderMentions, executor: Executor) -> None:
        self.mentions = mentions
        self.executor = executor
        self.claim = mentions.claim
        self.table = executor.table

    def cell_conditions(self) -> Iterator[CellCondition]:
        """Phrases that match the words of a cell, wholly or in part."""
        cell_conditions = frozenset(self.mentions.places) - TABLE_STOP_STEMS
        for column in self.table.columns:
            if isinstance(column, DerivedColumn):
                continue
            best: dict[Span, list[tuple[float, str]]] = defaultdict(list)
            for text in dict.fromkeys(column.texts):
                cell = stems(text[:_MAX_TEXT])[:_MAX_CELL]
                if cell_conditions.isdisjoint(cell) or (len(cell) == 1 and column.type is ColumnType.NUMBER):
                    continue
                for span, weight in self._shared_runs(cell):
                    best[span].append((weight, text))
            for span, matched in best.items():
                yield from self._conditions(column, span, matched)

    def _shared_runs(self, cell: Sequence[str]) -> Iterator[tuple[Span, float]]:
        """The longest runs of the cell's words in the claim, and the share of the cell they cover."""
        tokens = self.claim.stems
        content = sum(map(_stem_weight, cell))
        runs: dict[Span, float] = {}
        for start, stem in enumerate(cell):
            for place in self.mentions.places.get(stem, ()):
                if start and place and cell[start - 1] == tokens[place - 1]:
                    continue  # The run began a word earlier.
                size = _common_prefix(cell[start:], tokens[place:])
                said = sum(map(_stem_weight, cell[start : start + size]))
                if said >= 1 or size == len(cell):
                    span = (
                        _trim_stop_words((place, place + size), tokens) if size < len(cell) else (place, place + size)
                    )
                    runs[span] = max(runs.get(span, 0.0), said / content)
        longest = max((last - first for first, last in runs), default=0)
        for span, share in runs.items():
            if span[1] - span[0] == longest or share > 0.5:
                yield span, min(share, 1.0)

    def _conditions(self, column: Column, span: Span, matched: Sequence[tuple[float, str]]) -> Iterator[CellCondition]:
        """One condition for the cells that a phrase covers best."""
        weight = max(share for share, _ in matched)
        texts = [text for share, text in matched if share >= weight - 1e-9]
        if self._is_uninformative(column, span, weight, len(texts)):
            return
        exact = weight > _WHOLE and len(texts) == 1
        relation, term = (Relation.IS, texts[0]) if exact else (Relation.CONTAINS, self.claim.phrase(span))
        yield make_condition(self.mentions, self.executor, span, column.number, relation, term, weight)

    def _is_uninformative(self, column: Column, span: Span, weight: float, cells: int) -> bool:
        """Whether a phrase does not name a row, though cells have its words."""
        said = self.claim.stems[slice(*span)]
        if weight < _WHOLE and self.mentions.uninformative_stems.issuperset(said):
            return True  # "hall" in a column of halls tells no row from another.
        if any(is_within(span, run) and span != run for run in self.mentions.header_runs):
            return True  # The Vienna of "Died in Vienna".
        names = column.number == self.table.key and cells == 1
        if weight < _TITLE_SAYS and not names and self.mentions.title_words.issuperset(said):
            return True  # What the table is about.
        if said == stems(column.name):
            return True  # What the column is about.
        rare = cells == 1 and weight > _MIN_OF_A_NAME and self.claim.phrase(span)[0].isupper()
        if span[1] - span[0] > 1 or rare:
            return False
        return weight < _LEAST or (weight < _MIN_OF_MANY and cells > 3)

    def outcome_conditions(self) -> Iterator[CellCondition]:
        """Words for winning, losing and drawing, where a column begins its cells with letters for them: "W 20–6"."""
        said = [(place, OUTCOME_STEMS[stem]) for place, stem in enumerate(self.claim.stems) if stem in OUTCOME_STEMS]
        if not said:
            return
        for column in self.table.columns:
            if column.type is ColumnType.NUMBER or column.type is ColumnType.DATE:
                continue
            texts = dict.fromkeys(column.texts[:_MAX_OUTCOMES])
            first = {cell[0] for text in texts if (cell := stems(text[:_MAX_CELL]))}
            letters = {outcome: sorted(first & words) for outcome, words in OUTCOME_CELL_STEMS.items()}
            if not (letters["win"] and letters["loss"]):
                continue
            for place, outcome in said:
                for letter in letters[outcome][:1]:
                    if self.claim.stems[place] != letter:
                        at = (place, place + 1)
                        yield make_condition(
                            self.mentions, self.executor, at, column.number, Relation.CONTAINS, letter, weight=0.6
                        )

    def gender_conditions(self) -> Iterator[CellCondition]:
        """Words for women and men, where a column has letters for them: "F", "M"."""
        said = [(place, GENDER_STEMS[stem]) for place, stem in enumerate(self.claim.stems) if stem in GENDER_STEMS]
        for column in self.table.columns if said else ():
            texts = dict.fromkeys(text for text in column.texts if text)
            by_gender = {gender_of_cell(text): text for text in texts}
            if len(texts) != 2 or by_gender.keys() != {"female", "male"}:
                continue
            for place, gender in said:
                at = (place, place + 1)
                yield make_condition(
                    self.mentions, self.executor, at, column.number, Relation.IS, by_gender[gender], weight=0.8
                )

    def adjective_conditions(self) -> Iterator[CellCondition]:
        """Adjectives of the places that cells name: "Kenyan" where a column has Kenya."""
        words = [(place, word.stem) for place, word in enumerate(self.claim.words) if self._is_adjective(place)]
        for column in self.table.columns if words else ():
            if column.type not in (ColumnType.TEXT, ColumnType.ENTITY) or isinstance(column, DerivedColumn):
                continue
            for text in dict.fromkeys(column.texts[:_MAX_OUTCOMES]):
                name = stems(text[:_MAX_CELL])
                for place, word in words:
                    if is_of_place(word, name):
                        at = (place, place + 1)
                        yield make_condition(
                            self.mentions, self.executor, at, column.number, Relation.IS, text, weight=0.8
                        )

    def _is_adjective(self, place: int) -> bool:
        """Whether a word may be the adjective of a name: it has a capital letter, and the title has not."""
        word = self.claim.words[place]
        return self.claim.text[word.start].isupper() and word.stem not in self.mentions.title_words


def gender_of_cell(text: str) -> str:
    """Which gender a cell stands for, if it says nothing else."""
    return GENDER_CELLS.get(text.casefold().strip("."), "")


def _drop_contained(conditions: Iterable[CellCondition]) -> list[CellCondition]:
    """The conditions without those of phrases inside a longer one that matches as well."""
    found = list(conditions)
    longer: dict[Span, float] = defaultdict(float)
    for each in found:
        longer[each.span] = max(longer[each.span], each.weight)
    return [
        each
        for each in found
        if not any(
            each.span != span and is_within(each.span, span) and weight >= min(each.weight, 0.99)
            for span, weight in longer.items()
        )
    ]


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common prefix of two texts, in words."""
    size = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        size += 1
    return size


def _stem_weight(stem: str) -> float:
    """The weight of a word in a phrase."""
    return 0.25 if stem in TABLE_STOP_STEMS else 1.0


def _trim_stop_words(span: Span, tokens: Sequence[str]) -> Span:
    """A span without the stop words at its ends."""
    start, end = span
    while start < end - 1 and tokens[start] in TABLE_STOP_STEMS:
        start += 1
    while end > start + 1 and tokens[end - 1] in TABLE_STOP_STEMS:
        end -= 1
    return start, end
