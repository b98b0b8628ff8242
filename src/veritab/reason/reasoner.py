"""Decides claims by computing over tables: true, false or cannot say, with what was computed and from which cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from veritab.reason.facts import Fact, addresses, facts
from veritab.reason.parsing.candidates import Candidate
from veritab.reason.parsing.claims import Asked
from veritab.reason.parsing.features import Describer
from veritab.reason.parsing.linking import Links
from veritab.reason.parsing.ranking import Weights, agreed, rank
from veritab.reason.parsing.signs import signs
from veritab.reason.programs.english import conclude
from veritab.reason.programs.programs import Statement
from veritab.reason.tables import TypedTable
from veritab.schema import ElementId, Label, Table

SURE = 0.68
"""From this probability on, the reasoner decides; below it, it cannot say."""

UNEXPLAINED = 3
"""A claim of which a program leaves more words unexplained says something else besides, and is not decided."""

_WORD = re.compile(r"\w")
_MOST_CELLS = 60
_MOST_TABLES = 12


@dataclass(frozen=True)
class Reasoning:
    """What computing over tables says of a claim. `answer` is None when it cannot say."""

    claim: str
    answer: bool | None = None
    true: float = 0.5
    """The probability that the claim is true, as far as the tables tell."""
    program: Statement | None = None
    lines: tuple[str, ...] = ()
    """What was computed, in a line or two."""
    cells: tuple[ElementId, ...] = ()
    """The cells the answer rests on."""
    facts: tuple[Fact, ...] = ()
    """What a careful reader would work out from the tables, the most telling first."""

    @property
    def confidence(self) -> float:
        return max(self.true, 1 - self.true)

    @property
    def label(self) -> Label:
        if self.answer is None:
            return Label.NOT_ENOUGH_INFO
        return Label.SUPPORTS if self.answer else Label.REFUTES


@dataclass(frozen=True)
class Reasoner:
    """Reasons over tables, with the weights that are shipped unless others are given."""

    weights: Weights | None = None
    sure: float = SURE
    unexplained: int = UNEXPLAINED

    def reason(self, claim: str, tables: Table | TypedTable | Iterable[Table | TypedTable]) -> Reasoning:
        """What the tables say of the claim: the answer of the one that speaks most surely of it."""
        asked = Asked(claim)
        # Of a text too long for a claim only the beginning is read; what follows might say the opposite.
        if not asked.words or _WORD.search(claim, asked.words[-1].end):
            return Reasoning(claim)
        given = [tables] if isinstance(tables, Table | TypedTable) else list(tables)
        typed = [each if isinstance(each, TypedTable) else TypedTable.of(each) for each in given[:_MOST_TABLES]]
        found = [self._over(asked, table) for table in typed]
        if not found:
            return Reasoning(claim)
        best = max(found, key=lambda each: (each.answer is not None, each.confidence))
        others = [fact for each in found if each is not best for fact in each.facts]
        ordered = (*best.facts, *sorted(others, key=lambda fact: -fact.weight))
        return Reasoning(claim, best.answer, best.true, best.program, best.lines, best.cells, ordered)

    def _over(self, asked: Asked, table: TypedTable) -> Reasoning:
        links = Links.of(asked, table)
        ranking = rank(links, self.weights)
        answer = ranking.true > 0.5 if max(ranking.true, 1 - ranking.true) >= self.sure else None
        told = facts(links, ranking)
        # The line shown must say what the answer says, whatever else spoke for it.
        reasons = [] if answer is None else [r for r in agreed(ranking, answer) if r.candidate.truth.holds is answer]
        if not reasons or Describer(links).unexplained(reasons[0].candidate) > self.unexplained:
            return Reasoning(asked.text, None, ranking.true, facts=told)
        chosen = reasons[0].candidate
        line = conclude(chosen.program, links.machine, chosen.truth, _tested(asked, chosen))
        cells = addresses(links.table, chosen.truth.cells, _MOST_CELLS)[:_MOST_CELLS]
        return Reasoning(asked.text, answer, ranking.true, chosen.program, (line,), cells, told)


# The words of a claim that a program of each form puts to the test.
_TESTED = {
    "compare": frozenset({"more", "less", "before", "after"}),
    "compare counts": frozenset({"more", "less"}),
    "top": frozenset({"high", "low", "early", "late"}),
    "nth": frozenset({"early", "late"}),
    "every": frozenset({"all"}),
    "most": frozenset({"most_of"}),
    "no": frozenset({"none"}),
    "only": frozenset({"only"}),
    "only one": frozenset({"only"}),
    "same": frozenset({"same"}),
    "all same": frozenset({"same"}),
    "all different": frozenset({"different"}),
    "commonest": frozenset({"common", "high"}),
}


def _tested(asked: Asked, candidate: Candidate) -> str | None:
    """The word of the claim that stands or falls with the program: its number, or what compares."""
    if candidate.number and candidate.number.span != (0, 0):
        return asked.phrase(candidate.number.span)
    asking = _TESTED.get(candidate.form, frozenset())
    return next((asked.text[word.start : word.end] for word in asked.words if asking & signs((word.stem,))), None)
