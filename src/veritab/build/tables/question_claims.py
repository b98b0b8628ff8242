"""Claims made of questions over tables: true with the given answer, false with a neighbour of it.

A claim is kept where computing over the table says that it holds with the given answer and does not with the other.
Its evidence is the cells that either was computed from, and silver: they were found, not annotated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from veritab.build.mutations import COUNTRIES
from veritab.build.questions.conversion import Conversion
from veritab.build.questions.refusals import MOST_QUESTION_WORDS
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut
from veritab.build.sampling import random_stream
from veritab.build.tables.letter_case import restore_case
from veritab.build.tables.near_values import NUMBER, near_numbers, nearest_in_column
from veritab.build.tables.page_subject import name_subject, place_claim
from veritab.build.tables.pages import PlacedTable
from veritab.build.tables.wording import (
    add_articles,
    find_choice,
    find_strange_word,
    find_unreadable,
    is_broken,
    keeps_quotes,
    put_value_last,
    reword,
)
from veritab.datasets.table_questions import SourceTable, TableQuestion
from veritab.reason.reasoner import Reasoner, Reasoning
from veritab.reason.tables import TypedTable
from veritab.schema import ElementId, Label

RULE = "question"
"""What the claims of questions are called where none could be made."""
_MOST_TRIED = 4
_MOST_ANSWER_WORDS = 14
_ASKS_COUNT = re.compile(r"\b(?:how many|number of|total|difference|how much)\b", re.IGNORECASE)
_ASKS_NAMES = re.compile(r"(?:which|what) [a-z]+s (?:has|have|had|was|were|are|did|do)\b", re.IGNORECASE)
_ASKS_ONE = re.compile(r"(?:who|what|which)(?: \w+)? (?:is|was) the\b", re.IGNORECASE)
_TELLS_SEVERAL = re.compile(r"\b(?:are|were) the\b")
_FLAGGED = re.compile(rf"(?:{'|'.join(COUNTRIES)}) [A-Z][a-z]+ [A-Z][a-z]+")
"""What stands beside a flag: "Sweden Nils Bohman"."""
_YES_NO = {"yes": "no", "no": "yes"}
_MOST_CELLS = 60
_LEAST_CONFIDENCE = 0.2
"""How sure the converter must be: of readings that are as good as others, every other one is no sentence."""
_MOST_UNEXPLAINED = 1
"""How many words of a claim may be left over: what was not computed, the cells do not show."""
_SHOWN = 20
"""How much of a long value a computation is sure to show."""
_EXTREME_OF_ANSWER = re.compile(r"\b(?:earliest|latest|max|min|first|last)\b[^=]* where [^=]* is ")
_COUNTED = re.compile(r"\bcount\(.*\) = ([\d,.]+)")


Convert: TypeAlias = Callable[[str, str], Conversion]


class PlacedQuestion(NamedTuple):
    """A question over a table that has an address."""

    question: TableQuestion
    table: PlacedTable


class _Candidate(NamedTuple):
    """Another answer, and the rule that it was found by."""

    text: str
    rule: str


class _Checked(NamedTuple):
    """A claim and what computing over the table said of it."""

    claim: str
    answer: str
    reasoning: Reasoning
    cells: tuple[ElementId, ...]

    @property
    def columns(self) -> frozenset[int]:
        return frozenset(id.path[2] for id in self.cells)


def build_of_question(placed: PlacedQuestion, source: str, seed: int, convert: Convert) -> list[Built]:
    """The two claims of a question; or why there are none."""
    question = placed.question
    try:
        true, false, rule, kind = _find_pair(placed, random_stream(seed, "question", question.id), convert)
    except _NotBuilt as error:
        return [LeftOut(question.where, question.id, str(error), RULE)]
    answer = question.answers[0]
    # What denies an answer shows more rows than what gives it: with cells of its own each claim would tell its label.
    cells = _cells_of_both(true, false)
    return [
        BuiltRecord(
            f"{question.id}-{suffix}",
            place_claim(add_articles(checked.claim, checked.answer, question.table), question.table, checked.answer),
            label,
            ClaimOrigin(source, question.id, name, seed),
            (cells,),
            silver=True,
            details={"kind": kind, "answer": answer, "computed": checked.reasoning.form},
        )
        for suffix, checked, label, name in (
            ("true", true, Label.SUPPORTS, f"given {kind}"),
            ("false", false, Label.REFUTES, rule),
        )
    ]


class _NotBuilt(Exception):
    """Why no claims came of a question."""


def _find_pair(placed: PlacedQuestion, rng: random.Random, convert: Convert) -> tuple[_Checked, _Checked, str, str]:
    question = placed.question
    table = question.table
    if len(question.answers) > 1:
        raise _NotBuilt("it has several answers")
    answer = question.answers[0]
    if len(question.text.split()) > MOST_QUESTION_WORDS:
        raise _NotBuilt(f"it has more than {MOST_QUESTION_WORDS} words")
    if answer.count(" ") >= _MOST_ANSWER_WORDS:
        raise _NotBuilt("its answer is too long")
    asked = reword(question.text)
    if why := find_unreadable(asked):
        raise _NotBuilt(why)
    named = name_subject(asked, table)
    if named.reason:
        raise _NotBuilt(named.reason)
    kind = answer_kind(answer, table)
    if kind == "other":
        raise _NotBuilt("its answer is neither a cell nor a number")
    if kind == "number" and _ASKS_NAMES.match(asked):
        raise _NotBuilt("it asks for names, and its answer is a number")
    if kind == "cell" and _FLAGGED.match(answer):
        raise _NotBuilt("its answer has a country before a name")
    choice = find_choice(named.text, table)

    def claim_of(answer: str) -> str:
        converted = convert(choice.question(answer) if choice else named.text, answer)
        if not converted.claim:
            raise _NotBuilt(f"not converted: {converted.reason}")
        if converted.confidence < _LEAST_CONFIDENCE:
            raise _NotBuilt("not converted: it can be read in several ways")
        claim = restore_case(put_value_last(converted.claim, answer), table)
        if is_broken(claim) or not keeps_quotes(named.text, claim):
            raise _NotBuilt("not converted: the claim would be no sentence")
        if _ASKS_ONE.match(asked) and _TELLS_SEVERAL.search(claim):
            raise _NotBuilt("not converted: its answer is taken for several things")
        if word := find_strange_word(claim, table):
            raise _NotBuilt(f"it has a word that is neither English nor on the page: {word!r}")
        return claim

    def other_claim(other: str) -> str:
        # Two claims that differ in the answer only; but numbers, denials and choices change the words around them.
        alone = kind == "cell" and claim.count(answer) == 1 and not NUMBER.fullmatch(answer) and not choice
        return claim.replace(answer, other) if alone else claim_of(other)

    typed = _typed(placed.table)
    claim = claim_of(answer)
    others = (
        [_Candidate(choice.other(answer), "other option")]
        if choice
        else list(_other_answers(question.text, answer, table, kind, rng))
    )
    if not others:
        raise _NotBuilt("the table has no other value to make a false claim of")
    faults = []
    for complete in (True, False):
        reasoner = Reasoner(complete=complete, max_unexplained=_MOST_UNEXPLAINED)
        true = _check(claim, answer, reasoner, typed)
        if true.reasoning.answer is None:
            faults.append("nothing could be computed")
            continue
        if not true.reasoning.answer:
            # What accounts for the whole claim and says the opposite is not overruled by less.
            raise _NotBuilt("what was computed disagrees with the given answer")
        if not _rests_on(true, kind, asks_count=bool(_ASKS_COUNT.search(question.text))):
            faults.append("what was computed does not rest on the answer")
            continue
        if not 0 < len(true.cells) < _MOST_CELLS:
            raise _NotBuilt(f"it takes {_MOST_CELLS} cells or more to see")
        for other in others[:_MOST_TRIED]:
            try:
                false = _check(other_claim(other.text), other.text, reasoner, typed)
            except _NotBuilt:
                continue
            told = false.reasoning.answer is False and false.cells and len(_cells_of_both(true, false)) < _MOST_CELLS
            if told and _compute_the_same(true, false):
                return true, false, other.rule, kind
        faults.append("nothing could be computed that tells the false answer from the given one")
    raise _NotBuilt(faults[-1])


def _cells_of_both(true: _Checked, false: _Checked) -> tuple[ElementId, ...]:
    return tuple(dict.fromkeys((*true.cells, *false.cells)))


@lru_cache(64)
def _typed(table: PlacedTable) -> TypedTable:
    return TypedTable.of(table.as_table())


def _check(claim: str, answer: str, reasoner: Reasoner, table: TypedTable) -> _Checked:
    reasoning = reasoner.reason(claim, table)
    cells = reasoning.uses.cells or reasoning.cells
    if not cells and reasoning.answer is not None:
        # All rows were counted: what names each of them shows how many there are.
        column = table.key or 0
        cells = tuple(cell for row in range(table.height) if (cell := table.cell(row, column)))
    return _Checked(claim, answer, reasoning, cells)


def _rests_on(checked: _Checked, kind: str, *, asks_count: bool) -> bool:
    """Whether the computation is about the answer: it counts so many, or speaks of it."""
    form = checked.reasoning.form
    counted = _COUNTED.search(form)
    if kind == "number" and counted:
        return counted[1].rstrip(".,").replace(",", "") == checked.answer.replace(",", "")
    if kind == "yes or no":
        return True
    if asks_count and re.search(rf"\bwhere [^=]* is {re.escape(checked.answer)}\b", form):
        return False  # so many were asked for, not the one of that number
    return _speaks_of(form, checked.answer) and not _EXTREME_OF_ANSWER.search(form)


def _speaks_of(form: str, answer: str) -> bool:
    shown = form.casefold()
    return answer.casefold()[:_SHOWN] in shown or answer.replace(",", "") in shown.replace(",", "")


def _compute_the_same(true: _Checked, false: _Checked) -> bool:
    """Whether two computations are one with two answers: of the same columns, and about the answer."""
    if true.columns != false.columns:
        return False
    first, second = (each.reasoning.form for each in (true, false))
    same = first.partition(" = ")[0] == second.partition(" = ")[0]
    # A number that is near may be found anywhere in a table; a name that is near is of its own row.
    return same or (not NUMBER.fullmatch(false.answer) and _speaks_of(second, false.answer))


def answer_kind(answer: str, table: SourceTable) -> str:
    """What an answer is: "yes or no", a "cell" of the table, a "number" that is in no cell, or something "other"."""
    if answer.casefold() in _YES_NO:
        return "yes or no"
    if _columns_of(answer, table):
        return "cell"
    return "number" if NUMBER.fullmatch(answer) else "other"


def _columns_of(answer: str, table: SourceTable) -> list[int]:
    """The columns that have the answer in a cell, as its whole text or outside of brackets."""
    wanted = answer.casefold()
    rows, width = table.rows[1:], len(table.rows[0])
    whole = [column for column in range(width) if any(row[column].casefold() == wanted for row in rows)]
    return whole or [column for column in range(width) if any(_bare(row[column]).casefold() == wanted for row in rows)]


def _bare(text: str) -> str:
    """What a cell says outside of brackets and quotes."""
    return re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", text).strip(' "“”*†‡')


# -- other answers -----------------------------------------------------------------------------------------


def _other_answers(
    question: str, answer: str, table: SourceTable, kind: str, rng: random.Random
) -> Iterator[_Candidate]:
    """Answers that are near the given one, the nearest rows in random order first."""
    if kind == "yes or no":
        yield _Candidate(_YES_NO[answer.casefold()], "denial")
        return
    near = [_Candidate(each, "near number") for each in near_numbers(answer, rng)]
    if kind == "number" or (near and _ASKS_COUNT.search(question)):
        yield from near
        return
    said = question.casefold()
    mentioned, rest = [], []
    for value in _neighbours(answer, table, rng):
        if value.casefold() in said:
            # Of "was it A or B" the other one is the false answer; any other name there is a condition.
            if re.search(rf"\bor {re.escape(value.casefold())}|{re.escape(value.casefold())},? or\b", said):
                mentioned.append(_Candidate(value, "other option"))
        else:
            rest.append(_Candidate(value, "neighbour in the column"))
    yield from (*mentioned, *([] if mentioned else rest))


def _neighbours(answer: str, table: SourceTable, rng: random.Random) -> list[str]:
    """Values of the answer's column in the rows around it, in random order."""
    wanted = answer.casefold()
    for column in _columns_of(answer, table):
        header, *rows = table.rows
        texts = [row[column] for row in rows]
        if wanted not in (text.casefold() for text in texts):
            texts = [_bare(text) for text in texts]
        own = next(place for place, text in enumerate(texts) if text.casefold() == wanted)
        if found := nearest_in_column(rows, header, own, texts):
            rng.shuffle(found)
            return found
    return []
